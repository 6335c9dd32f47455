// Tiles, the cosine transform of each, and what it sends.
#include "kernels/dct_top_k.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>

#include "kernels/magnitude.hpp"
#include "kernels/statistics.hpp"

namespace kernels {
namespace {

constexpr std::size_t most_values = cosine_tile * cosine_tile;

/// The largest divisor of `size` that is at most `cosine_tile`.
std::int64_t part_of(std::int64_t size) {
  std::int64_t part = std::min(size, cosine_tile);
  while (size % part != 0) --part;
  return part;
}

/// D of `CosineLayout::bases`.
std::vector<float> cosine_basis(std::int64_t size) {
  std::vector<float> basis;
  const auto n = static_cast<double>(size);
  for (std::int64_t k = 0; k < size; ++k) {
    const double scale = std::sqrt((k == 0 ? 1 : 2) / n);
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t angle =
          (2 * i + 1) * k % (4 * size);  // angle in units of pi / (2 n): small ones are exact
      basis.push_back(
          static_cast<float>(scale * std::cos(std::numbers::pi * static_cast<double>(angle) / (2 * n))));
    }
  }
  return basis;
}

/// out += factor * row.
void add_row(float factor, const float* row, std::int64_t count, float* out) {
  for (std::int64_t i = 0; i < count; ++i) out[i] += factor * row[i];
}

}  // namespace

std::vector<CosineTile> cosine_tiles(std::int64_t elements, std::span<const Shape> matrices) {
  std::vector<CosineTile> tiles;
  std::int64_t first = 0;
  for (const Shape& matrix : matrices) {
    if (matrix.rows * matrix.columns == 0) continue;
    const std::int64_t rows = part_of(matrix.rows);
    const std::int64_t columns = part_of(matrix.columns);
    for (std::int64_t row = 0; row < matrix.rows; row += rows) {
      for (std::int64_t column = 0; column < matrix.columns; column += columns)
        tiles.push_back({first + row * matrix.columns + column, matrix.columns, rows, columns});
    }
    first += matrix.rows * matrix.columns;
  }
  if (!matrices.empty()) return tiles;
  while (elements - first >= cosine_tile) {
    const std::int64_t rows = std::min(cosine_tile, (elements - first) / cosine_tile);
    tiles.push_back({first, cosine_tile, rows, cosine_tile});
    first += rows * cosine_tile;
  }
  if (first < elements) tiles.push_back({first, elements - first, 1, elements - first});
  return tiles;
}

std::int64_t kept_of_tile(double ratio, bool proportional_tiles, std::int64_t values) {
  return proportional_tiles ? kept(ratio, values) : std::min(values, kept(ratio, cosine_tile * cosine_tile));
}

CosineLayout cosine_layout(std::int64_t elements, std::span<const Shape> matrices) {
  CosineLayout layout{elements, cosine_tiles(elements, matrices), {}};
  for (const CosineTile& tile : layout.tiles) {
    for (const std::int64_t size : {tile.rows, tile.columns}) {
      if (!layout.bases.contains(size)) layout.bases.emplace(size, cosine_basis(size));
    }
  }
  return layout;
}

DctTopK::DctTopK(Settings settings)
    : settings_(std::move(settings)), coefficients_(most_values), half_(most_values) {
  assert(settings_.ratio > 0 && settings_.ratio <= 1);
}

void DctTopK::transform(std::span<const float> vector, const CosineTile& tile,
                        std::span<float> coefficients) {
  const float* const down = layout_.bases.at(tile.rows).data();
  const float* const across = layout_.bases.at(tile.columns).data();
  std::fill_n(half_.begin(), tile.values(), 0.0F);  // D T: each of its rows is a sum of rows of T
  for (std::int64_t k = 0; k < tile.rows; ++k) {
    for (std::int64_t i = 0; i < tile.rows; ++i)
      add_row(down[k * tile.rows + i], &vector[static_cast<std::size_t>(tile.first + i * tile.stride)],
              tile.columns, &half_[static_cast<std::size_t>(k * tile.columns)]);
  }
  for (std::int64_t k = 0; k < tile.rows; ++k) {
    for (std::int64_t l = 0; l < tile.columns; ++l) {
      coefficients[static_cast<std::size_t>(k * tile.columns + l)] = dot_product(
          &half_[static_cast<std::size_t>(k * tile.columns)], across + l * tile.columns, tile.columns);
    }
  }
}

std::int64_t DctTopK::kept_of(const CosineTile& tile) const {
  return kept_of_tile(settings_.ratio, settings_.proportional_tiles, tile.values());
}

Message DctTopK::compress(std::span<const float> vector) {
  const auto elements = static_cast<std::int64_t>(vector.size());
  if (layout_.elements != elements) layout_ = cosine_layout(elements, settings_.matrices);
  std::size_t sent = 0;
  for (const CosineTile& tile : layout_.tiles) sent += static_cast<std::size_t>(kept_of(tile));
  sent_.resize(sent);
  codes_.resize(2 * sent);
  Energy energy{0, kernels::energy(vector)};
  std::size_t at = 0;
  for (const CosineTile& tile : layout_.tiles) {
    const auto all = std::span(coefficients_).first(static_cast<std::size_t>(tile.values()));
    transform(vector, tile, all);
    largest_.select(all, kept_of(tile));
    for (const Index index : largest_.indices()) {
      sent_[at] = all[index];
      energy.sent += static_cast<double>(sent_[at]) * static_cast<double>(sent_[at]);
      codes_[2 * at] = static_cast<std::uint8_t>(index & 0xff);
      codes_[2 * at + 1] = static_cast<std::uint8_t>(index >> 8);
      ++at;
    }
  }
  return {elements, sent_, {}, codes_, static_cast<std::int64_t>(6 * at), energy};
}

template <class Use>
void DctTopK::each_restored(const Message& message, Use use) const {
  const CosineLayout other = message.elements == layout_.elements
                                 ? CosineLayout{}
                                 : cosine_layout(message.elements, settings_.matrices);
  const CosineLayout& layout = message.elements == layout_.elements ? layout_ : other;
  std::array<float, most_values> half;
  std::array<float, cosine_tile> row;
  std::size_t at = 0;
  for (const CosineTile& tile : layout.tiles) {
    std::fill_n(half.begin(), tile.values(), 0.0F);  // Y D, of which only rows with a coefficient count
    std::array<bool, cosine_tile> counts{};
    const float* const across = layout.bases.at(tile.columns).data();
    for (const std::size_t end = at + static_cast<std::size_t>(kept_of(tile)); at < end; ++at) {
      const std::int64_t index = message.codes[2 * at] | message.codes[2 * at + 1] << 8;
      const std::int64_t k = index / tile.columns;
      counts[static_cast<std::size_t>(k)] = true;
      add_row(message.values[at], across + index % tile.columns * tile.columns, tile.columns,
              &half[static_cast<std::size_t>(k * tile.columns)]);
    }
    const float* const down = layout.bases.at(tile.rows).data();
    for (std::int64_t i = 0; i < tile.rows; ++i) {
      std::fill_n(row.begin(), tile.columns, 0.0F);
      for (std::int64_t k = 0; k < tile.rows; ++k) {
        if (counts[static_cast<std::size_t>(k)])
          add_row(down[k * tile.rows + i], &half[static_cast<std::size_t>(k * tile.columns)], tile.columns,
                  row.data());
      }
      for (std::int64_t j = 0; j < tile.columns; ++j)
        use(static_cast<std::size_t>(tile.first + i * tile.stride + j), row[static_cast<std::size_t>(j)]);
    }
  }
}

void DctTopK::accumulate(const Message& message, std::span<float> sum) const {
  each_restored(message, [&](std::size_t index, float value) { sum[index] += value; });
}

void DctTopK::subtract(const Message& message, std::span<float> vector) const {
  each_restored(message, [&](std::size_t index, float value) {
    const float left = vector[index] - value;
    vector[index] = std::isfinite(left) ? left : 0.0F;
  });
}

}  // namespace kernels
