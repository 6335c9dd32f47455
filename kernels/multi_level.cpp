// Indices of indices, or codes of values.
#include "kernels/multi_level.hpp"

#include <cassert>
#include <utility>

#include "kernels/magnitude.hpp"

namespace kernels {

MultiLevel::MultiLevel(std::unique_ptr<Compressor> first, std::unique_ptr<Compressor> second)
    : first_(std::move(first)), second_(std::move(second)) {
  assert(first_->sparse());
}

Message MultiLevel::compress(std::span<const float> vector) {
  const Message outer = first_->compress(vector);
  const Message inner = second_->compress(outer.values);
  const Energy energy{inner.energy.sent, outer.energy.given};
  if (!sparse()) {  // the first's indices and the second's codes
    const auto value_bytes = static_cast<std::int64_t>(outer.values.size_bytes());
    return {outer.elements,
            inner.values,
            outer.indices,
            inner.codes,
            outer.wire_bytes - value_bytes + inner.wire_bytes,
            energy};
  }
  const auto count = static_cast<std::int64_t>(inner.indices.size());
  Index* to = indices_.reserve(count);
  for (const Index index : inner.indices) *to++ = outer.indices[index];
  return {outer.elements, inner.values, indices_.first(count), {}, inner.wire_bytes, energy};
}

/// The second's values, one for each index of the message.
std::span<const float> MultiLevel::decoded(const Message& message) const {
  if (sparse()) return message.values;
  const auto count = static_cast<std::int64_t>(message.indices.size());
  decoded_.reserve(count);
  const Message inner{count, message.values, {}, message.codes, 0, {}};
  second_->restore(inner, decoded_.first(count));
  return decoded_.first(count);
}

void MultiLevel::accumulate(const Message& message, std::span<float> sum) const {
  const std::span<const float> values = decoded(message);
  for (std::size_t i = 0; i < values.size(); ++i) sum[message.indices[i]] += values[i];
}

void MultiLevel::subtract(const Message& message, std::span<float> vector) const {
  const std::span<const float> values = decoded(message);
  for (std::size_t i = 0; i < values.size(); ++i) {
    float& value = vector[message.indices[i]];
    const float left = value - values[i];
    value = !sparse() && is_finite(left) ? left : 0.0F;
  }
}

}  // namespace kernels
