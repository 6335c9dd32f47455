// A compressor, its settings and its vectors read from any bytes.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/catalogue.hpp"
#include "kernels/philox.hpp"

namespace fuzz {

/// Values taken from the front of some bytes, zeros once they are used up.
class Input {
 public:
  explicit Input(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T take() {
    T value{};
    const std::size_t size = bytes_.size() < sizeof value ? bytes_.size() : sizeof value;
    if (size > 0) std::memcpy(&value, bytes_.data(), size);
    bytes_.remove_prefix(size);
    return value;
  }
  bool flag() { return (take<std::uint8_t>() & 1U) != 0; }

  /// All floats that are left, of any bits.
  std::vector<float> floats() {
    std::vector<float> values(bytes_.size() / sizeof(float));
    for (float& value : values) value = take<float>();
    return values;
  }

 private:
  std::string_view bytes_;
};

/// A row of the table with valid settings, and its input: gradient and residual are
/// equally long.
struct FuzzedCompressor {
  const kernels::Entry* row = nullptr;
  kernels::Settings settings = {};
  std::vector<float> gradient = {};
  std::vector<float> residual = {};

  [[nodiscard]] std::unique_ptr<kernels::Compressor> made() const { return row->make(settings); }
  [[nodiscard]] bool is(std::string_view name) const { return row->name == name; }
  /// Whether the settings say how long every vector is.
  [[nodiscard]] bool fixed_size() const {
    return (is("lwtopk") && !settings.layer_sizes.empty()) ||
           (is_of_tensors() && !settings.tensor_sizes.empty()) || (is("powersgd") && settings.shape.rows > 0);
  }
  [[nodiscard]] bool is_of_tensors() const { return row->name.starts_with("tensor_"); }
};

/// In (0, 1], the ends of the range of doubles among them.
inline double fuzzed_ratio(Input& input) {
  const auto code = input.take<std::uint16_t>();
  if (code == 0) return std::numeric_limits<double>::denorm_min();
  if (code == 1) return 1e-300;
  return code / 65535.0;
}

/// At least 1, most often small, sometimes near the largest number.
inline std::int64_t fuzzed_length(Input& input) {
  const auto code = input.take<std::uint16_t>();
  if (code == 0) return std::numeric_limits<std::int64_t>::max();
  if (code == 0xffff) return std::int64_t{1} << 40;
  return code;
}

/// At least 0; finite as a double, not always as a float.
inline double fuzzed_size(Input& input) {
  const float size = std::abs(input.take<float>());
  return std::isnan(size) ? 0 : std::isinf(size) ? 1e300 : static_cast<double>(size);
}

inline kernels::Settings fuzzed_settings(Input& input) {
  kernels::Settings settings;
  settings.ratio = fuzzed_ratio(input);
  settings.first_ratio = fuzzed_ratio(input);
  settings.threshold = fuzzed_size(input);
  settings.index_bytes = input.flag() ? 8 : 4;
  settings.seed = input.take<std::uint64_t>();
  settings.replacement = input.flag();
  settings.proportional_tiles = settings.replacement;  // one row reads each of the two
  settings.scaled = input.flag();
  settings.levels = 1 + input.take<std::uint8_t>() % 127;
  settings.bucket = fuzzed_length(input);
  settings.block = fuzzed_length(input);
  if (const double clip = fuzzed_size(input); clip > 0) settings.clip = clip;
  const auto rank = input.take<std::uint8_t>();
  settings.rank = rank == 255 ? std::numeric_limits<int>::max() : 1 + rank % 8;
  return settings;
}

/// `size` values that repeat those given; `mixed` keeps only their signs and exponents.
inline std::vector<float> stretched(const std::vector<float>& values, std::size_t size, bool mixed) {
  std::vector<float> longer(size);
  const kernels::RandomStream stream{size, 0};
  for (std::size_t i = 0; i < size && !values.empty(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(values[i % values.size()]);
    longer[i] = std::bit_cast<float>(mixed ? bits ^ stream.word(i) >> 9 : bits);
  }
  return longer;
}

/// Values at the ends of ranges and formats, chosen by the lowest bits of those given.
inline void to_edges(std::vector<float>& values) {
  using limits = std::numeric_limits<float>;
  constexpr float edges[] = {limits::max(),
                             limits::infinity(),
                             limits::quiet_NaN(),
                             0,
                             limits::denorm_min(),
                             limits::min(),
                             65504,
                             1};
  for (float& value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    value = (bits >> 31 != 0 ? -1.0F : 1.0F) * edges[bits % 8];
  }
}

/// Layers of any sizes, 0 included, that are `size` long together; none is one layer.
inline std::vector<std::int64_t> fuzzed_layers(Input& input, std::size_t size) {
  std::vector<std::int64_t> layers(input.take<std::uint8_t>() % 6);
  auto left = static_cast<std::int64_t>(size);
  for (std::int64_t& layer : layers) {
    layer = &layer == &layers.back() ? left : left * input.take<std::uint8_t>() / 255;
    left -= layer;
  }
  return layers;
}

/// Every input is one: bytes that lack count as zeros.
inline FuzzedCompressor read_compressor(std::string_view bytes) {
  constexpr std::size_t most_values = 12000;
  constexpr std::size_t most_of_a_matrix = 900;  // a rank of 30 costs n^2
  Input input(bytes);
  FuzzedCompressor read;
  const auto rows = kernels::catalogue();
  read.row = &rows[input.take<std::uint8_t>() % rows.size()];
  read.settings = fuzzed_settings(input);
  const bool is_long = input.take<std::uint8_t>() == 255;
  const auto form = input.take<std::uint8_t>() % 4;
  std::size_t size = input.take<std::uint16_t>() % most_values;
  const bool shaped = input.flag();
  const auto columns = static_cast<std::size_t>(1 + input.take<std::uint8_t>() % 40);
  Input layers = input;
  input.take<std::uint64_t>();
  std::vector<float> values = input.floats();
  if (form == 2) to_edges(values);
  std::vector<float> second(values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  values.resize(values.size() / 2);
  if (!is_long) size = values.size();
  if (read.is("powersgd")) size = std::min(size, most_of_a_matrix);
  if (read.is("powersgd") && shaped) {
    size -= size % columns;
    const auto rows_of = static_cast<std::int64_t>(size / columns);
    if (rows_of > 0) read.settings.shape = {rows_of, static_cast<std::int64_t>(columns)};
  }
  read.settings.layer_sizes = fuzzed_layers(layers, size);
  read.settings.tensor_sizes = read.settings.layer_sizes;
  read.gradient = stretched(values, size, is_long && form == 1);
  read.residual = stretched(second, size, is_long && form == 1);
  return read;
}

}  // namespace fuzz
