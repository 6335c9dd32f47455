// Error feedback in two passes, and restoring by adding to zeros.
#include "kernels/compressor.hpp"

#include <algorithm>
#include <cassert>

namespace kernels {

Message Compressor::compress_fed(std::span<const float> gradient, std::span<float> residual) {
  assert(gradient.size() == residual.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) residual[i] += gradient[i];
  const Message message = compress(residual);
  subtract(message, residual);
  return message;
}

void Compressor::restore(const Message& message, std::span<float> vector) const {
  std::ranges::fill(vector, 0.0F);
  accumulate(message, vector);
}

}  // namespace kernels
