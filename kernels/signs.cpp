// Compressors that send signs.
#include "kernels/signs.hpp"

#include <array>
#include <limits>

#include "kernels/magnitude.hpp"
#include "kernels/statistics.hpp"

namespace kernels {

// The mean magnitude and the signs.

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

// Two means and the signs.

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

// Packing signs.

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

}  // namespace kernels
