// Casting to 16 bits and back.
#include "kernels/half.hpp"

#include "kernels/lanes.hpp"

namespace kernels {
namespace {

template <auto narrow, auto widen>
Energy code(std::span<const float> vector, std::span<std::uint8_t> codes) {
  LaneSums sent, given;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const std::uint16_t half = narrow(vector[i]);
    codes[2 * i] = static_cast<std::uint8_t>(half & 0xffU);
    codes[2 * i + 1] = static_cast<std::uint8_t>(half >> 8);
    const double restored = widen(half);
    sent.add_one(i, restored * restored);
    given.add_one(i, static_cast<double>(vector[i]) * vector[i]);
  }
  return {sent.total(), given.total()};
}

template <auto widen>
void widened(std::span<const std::uint8_t> codes, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = widen(static_cast<std::uint16_t>(codes[2 * i] | codes[2 * i + 1] << 8));
  }
}

}  // namespace

Message Half::compress(std::span<const float> vector) {
  const auto elements = static_cast<std::int64_t>(vector.size());
  const std::span<std::uint8_t> bytes = codes(2 * elements);
  const Energy energy = format_ == Format::binary16 ? code<to_binary16, from_binary16>(vector, bytes)
                                                    : code<to_bfloat16, from_bfloat16>(vector, bytes);
  return coded(elements, {}, bytes, energy);
}

void Half::decode(const Message& message, std::int64_t first, std::span<float> out) const {
  const auto bytes = message.codes.subspan(2 * static_cast<std::size_t>(first));
  format_ == Format::binary16 ? widened<from_binary16>(bytes, out) : widened<from_bfloat16>(bytes, out);
}

}  // namespace kernels
