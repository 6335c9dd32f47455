// Error feedback and momentum correction.
#include "kernels/error_feedback.hpp"

#include <cassert>

namespace kernels {

// Adding the residual.

std::span<const float> ErrorFeedback::feed(std::span<const float> gradient) {
  assert(gradient.size() == residual_.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) residual_[i] += gradient[i];
  return residual_;
}

// Velocity into the residual, then a compression of it.

MomentumCorrection::MomentumCorrection(std::int64_t elements, const Settings& settings)
    : settings_(settings),
      velocity_(static_cast<std::size_t>(elements)),
      residual_(static_cast<std::size_t>(elements)) {
  assert(settings.momentum >= 0 && settings.momentum < 1);
}

Message MomentumCorrection::compress(Compressor& compressor, std::span<const float> gradient) {
  assert(gradient.size() == residual_.size());
  const float momentum = settings_.momentum;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    if (settings_.nesterov) {
      velocity_[i] = momentum * (velocity_[i] + gradient[i]);
      residual_[i] += velocity_[i] + gradient[i];
    } else {
      velocity_[i] = momentum * velocity_[i] + gradient[i];
      residual_[i] += velocity_[i];
    }
  }
  const Message message = compressor.compress(residual_);
  compressor.subtract(message, residual_);
  if (settings_.masking) {
    for (const Index index : message.indices) velocity_[index] = 0;
  }
  return message;
}

}  // namespace kernels
