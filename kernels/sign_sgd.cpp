// Packing signs and counting votes.
#include "kernels/sign_sgd.hpp"

#include <array>
#include <cassert>

#include "kernels/signs.hpp"
#include "kernels/statistics.hpp"

namespace kernels {

Message SignSgd::compress(std::span<const float> vector) {
  const auto elements = static_cast<std::int64_t>(vector.size());
  const std::span<std::uint8_t> packed = codes(sign_bytes(elements));
  pack_signs(vector, packed);
  return coded(elements, {}, packed, {static_cast<double>(elements), energy(vector)});
}

void SignSgd::decode(const Message& message, std::int64_t first, std::span<float> out) const {
  constexpr std::array<float, 2> meaning{1, -1};
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = meaning[is_negative(message.codes, static_cast<std::size_t>(first) + i) ? 1 : 0];
  }
}

void SignSgd::majority(std::span<const Message> messages, std::span<float> decision) {
  assert(!messages.empty());
  for (std::size_t i = 0; i < decision.size(); ++i) {
    std::size_t against = 0;
    for (const Message& message : messages) against += is_negative(message.codes, i) ? 1 : 0;
    decision[i] = 2 * against > messages.size() ? -1.0F : 1.0F;
  }
}

}  // namespace kernels
