// The mean magnitude and the signs.
#include "kernels/ef_sign.hpp"

#include <array>
#include <limits>

#include "kernels/signs.hpp"
#include "kernels/statistics.hpp"

namespace kernels {

Message EfSign::compress(std::span<const float> vector) {
  const auto elements = static_cast<std::int64_t>(vector.size());
  const Statistics found = measure(vector);
  const std::span<float> scale = scales(1);
  scale[0] =
      found.finite == elements ? static_cast<float>(found.mean()) : std::numeric_limits<float>::quiet_NaN();
  const std::span<std::uint8_t> packed = codes(sign_bytes(elements));
  pack_signs(vector, packed);
  const double sent = static_cast<double>(scale[0]) * scale[0] * static_cast<double>(elements);
  return coded(elements, scale, packed, {sent, found.energy});
}

void EfSign::decode(const Message& message, std::int64_t first, std::span<float> out) const {
  const std::array<float, 2> meaning{message.values[0], -message.values[0]};
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = meaning[is_negative(message.codes, static_cast<std::size_t>(first) + i) ? 1 : 0];
  }
}

}  // namespace kernels
