// Bucket norms and random rounding to levels.
#include "kernels/qsgd.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "kernels/level_step.hpp"
#include "kernels/statistics.hpp"
#include "kernels/uniform.hpp"

namespace kernels {
namespace {

/// Codes one bucket; returns the sum of the squared levels.
std::int64_t code_bucket(std::span<const float> values, float norm, float levels,
                         std::span<const float> uniform, std::uint8_t* codes) {
  std::int64_t squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float share =
        std::min(std::abs(values[i]) / norm * levels, levels);  // the norm may be rounded down
    const auto whole = static_cast<std::int32_t>(share);
    const std::int32_t level = whole + (uniform[i] < share - static_cast<float>(whole) ? 1 : 0);
    squares += std::int64_t{level} * level;
    const std::int32_t sign = std::bit_cast<std::int32_t>(values[i]) >> 31;  // -1 or 0: no branch on chance
    codes[i] = static_cast<std::uint8_t>((level ^ sign) - sign);
  }
  return squares;
}

}  // namespace

Qsgd::Qsgd(const Settings& settings) : settings_(settings) {
  assert(settings.levels >= 1 && settings.levels <= 127 && settings.bucket >= 1);
  settings_.bucket = std::min(settings.bucket, most_elements);  // so that no sum of indices overflows
}

Message Qsgd::compress(std::span<const float> vector) {
  const RandomStream stream{settings_.seed, next_step()};
  const auto elements = static_cast<std::int64_t>(vector.size());
  const std::int64_t buckets = (elements + settings_.bucket - 1) / settings_.bucket;
  const std::span<std::uint8_t> levels = codes(elements);
  const std::span<float> norms = scales(buckets);
  const auto most = static_cast<float>(settings_.levels);
  Energy found;
  for (std::size_t number = 0; number < norms.size(); ++number) {
    const std::size_t first = number * static_cast<std::size_t>(settings_.bucket);
    const auto size = std::min(static_cast<std::size_t>(settings_.bucket), vector.size() - first);
    const std::span<const float> values = vector.subspan(first, size);
    const double squares = energy(values);
    float norm = static_cast<float>(std::sqrt(squares));
    found.given += squares;
    if (!is_finite(norm)) norm = std::numeric_limits<float>::quiet_NaN();
    norms[number] = norm;
    double level_squares = 0;
    if (norm > 0) {
      const std::span<float> uniform(uniform_.reserve(static_cast<std::int64_t>(size)), size);
      fill_uniform(stream, first, uniform);
      level_squares = static_cast<double>(code_bucket(values, norm, most, uniform, &levels[first]));
    } else {
      std::ranges::fill(levels.subspan(first, size), std::uint8_t{0});
    }
    const double step = static_cast<double>(level_step(norm, most));
    found.sent += step * step * level_squares;
  }
  return coded(elements, norms, levels, found);
}

void Qsgd::decode(const Message& message, std::int64_t first, std::span<float> out) const {
  const auto most = static_cast<float>(settings_.levels);
  for (std::size_t i = 0; i < out.size();) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const std::int64_t number = index / settings_.bucket;
    const float step = level_step(message.values[static_cast<std::size_t>(number)], most);
    const auto end = std::min(out.size(), static_cast<std::size_t>((number + 1) * settings_.bucket - first));
    for (; i < end; ++i) {
      const auto level = static_cast<std::int8_t>(message.codes[static_cast<std::size_t>(first) + i]);
      out[i] = step * static_cast<float>(level);
    }
  }
}

}  // namespace kernels
