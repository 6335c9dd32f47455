// Two means and the signs.
#include "kernels/one_bit.hpp"

#include <limits>

#include "kernels/magnitude.hpp"
#include "kernels/signs.hpp"

namespace kernels {
namespace {

struct Group {
  double sum = 0;
  std::int64_t count = 0;

  void add(double value) {
    sum += value;
    ++count;
  }
  [[nodiscard]] float mean() const {
    return count == 0 ? 0.0F : static_cast<float>(sum / static_cast<double>(count));
  }
};

double energy_of(float mean, const Group& group) {
  return static_cast<double>(mean) * mean * static_cast<double>(group.count);
}

}  // namespace

Message OneBit::compress(std::span<const float> vector) {
  const auto elements = static_cast<std::int64_t>(vector.size());
  Group negative, others;
  double given = 0;
  bool finite = true;
  for (const float value : vector) {
    (value < 0 ? negative : others).add(value);
    given += static_cast<double>(value) * value;
    finite = finite && is_finite(value);
  }
  const std::span<float> means = scales(2);
  means[0] = finite ? others.mean() : std::numeric_limits<float>::quiet_NaN();
  means[1] = finite ? negative.mean() : std::numeric_limits<float>::quiet_NaN();
  const std::span<std::uint8_t> packed = codes(sign_bytes(elements));
  pack_signs(vector, packed);
  const double sent = energy_of(means[0], others) + energy_of(means[1], negative);
  return coded(elements, means, packed, {sent, given});
}

void OneBit::decode(const Message& message, std::int64_t first, std::span<float> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = message.values[is_negative(message.codes, static_cast<std::size_t>(first) + i) ? 1 : 0];
  }
}

}  // namespace kernels
