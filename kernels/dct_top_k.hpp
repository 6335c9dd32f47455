// The largest cosine coefficients of each tile of 64 x 64 values: the messages of DeMo.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "kernels/compressor.hpp"
#include "kernels/largest.hpp"
#include "kernels/matrix.hpp"

namespace kernels {

/// Rows and columns of a tile of `dct_topk`, at most.
inline constexpr std::int64_t cosine_tile = 64;

/// A rectangle of values that are transformed together.
struct CosineTile {
  std::int64_t first = 0;   ///< index of its upper left value
  std::int64_t stride = 1;  ///< distance from one of its rows to the next
  std::int64_t rows = 1;    ///< at most cosine_tile, as are its columns
  std::int64_t columns = 1;

  [[nodiscard]] constexpr std::int64_t values() const { return rows * columns; }
  bool operator==(const CosineTile&) const = default;
};

/// The tiles of n values. Rows and columns of a matrix are cut into equal parts of at most 64, as long as
/// divisors allow: 128 rows into two of 64, 100 into two of 50, 67 into single ones. A vector has one row.
/// @param matrices  that the values are, in their order, row by row; none: 64 consecutive runs of 64 values
///                  are a tile, what is left of them fewer runs, and the rest a single row
std::vector<CosineTile> cosine_tiles(std::int64_t elements, std::span<const Shape> matrices = {});

/// The tiles of a vector, and D for each of their sizes.
struct CosineLayout {
  std::int64_t elements = -1;
  std::vector<CosineTile> tiles;
  std::map<std::int64_t, std::vector<float>>
      bases;  ///< transforms by size: D[k][i] = s_k cos(pi (2 i + 1) k / (2 n)), row by row, s_0 = sqrt(1 /
              ///< n), other s_k = sqrt(2 / n)
};

/// Coefficients of a tile that are sent: as many of each tile, round(c 4096) but not more than it has, as
/// DeMo's released code does; or in proportion to its size, max(1, round(c values)).
/// @param ratio   c, in (0, 1]
/// @param values  of the tile, in [1, 4096]
std::int64_t kept_of_tile(double ratio, bool proportional_tiles, std::int64_t values);

CosineLayout cosine_layout(std::int64_t elements, std::span<const Shape> matrices);

/// Sum of the products of two rows, in the order that eight lanes at once take.
constexpr float dot_product(const float* left, const float* right, std::int64_t count) {
  float sums[8] = {};
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (std::int64_t lane = 0; lane < 8; ++lane) sums[lane] += left[i + lane] * right[i + lane];
  }
  float sum = 0;
  for (; i < count; ++i) sum += left[i] * right[i];
  for (const float of_lane : sums) sum += of_lane;
  return sum == sum ? sum
                    : std::numeric_limits<float>::quiet_NaN();  // NaN whose bits machines choose differently
}

/// Sends, of each tile T, the coefficients Y = D T D^T of the orthonormal cosine transform (DCT-II), of which
/// the k = kept_of_tile(c, proportional_tiles, values of T) of largest magnitude (among equals the lowest
/// indices) are sent: two bytes of index within the tile, row by row, and the coefficient in fp32. Restored
/// to D^T Y D, zeros elsewhere. A tile with NaN restores to NaN, one with infinity to nothing finite. Biased:
/// meant for error feedback, whose residual is the momentum of DeMo if it decays (`learner.residual_decay:
/// 0.999`).
///
/// DeMo sends the 32 largest of each tile, c = 1/128, and its optimizer takes the sign of their mean. Layers
/// are smaller than a tile in one dimension or both where models are small: there it sends a larger share.
///
/// Leaves out: tensors of more than two dimensions, which DeMo cuts in each of them; coefficients in 16 bits
/// or as signs alone; the mean over the workers that sent a coefficient, which DeMo's released code takes in
/// place of that over all. What a tensor of a simulated model is charged for takes its values as rows of 64,
/// as its shape is not known there: vectors send fewer coefficients so than DeMo, which sends 32 of each 64
/// of their values.
///
/// Source: Peng, Quesnelle & Kingma, "DeMo: Decoupled Momentum Optimization", arXiv:2411.19870, 2024;
///         between nodes (FlexDeMo): From et al., "DeToNATION: Decoupled Torch Network-Aware Training on
///         Interlinked Online Nodes", arXiv:2502.06728, 2025.
class DctTopK : public Compressor {
 public:
  struct Settings {
    double ratio = 0.01;               ///< c, kept / original of a whole tile, in (0, 1]; 1/128 in the source
    std::vector<Shape> matrices = {};  ///< matrices of the vector, as of `cosine_tiles`
    bool proportional_tiles = false;   ///< smaller tiles send fewer, see kept_of_tile
  };

  explicit DctTopK(Settings settings);

  /// CUDA implementation, of device_dct_top_k.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device(const Settings& settings);

  Message compress(std::span<const float> vector) override;
  void accumulate(const Message& message, std::span<float> sum) const override;
  void subtract(const Message& message, std::span<float> vector) const override;

 private:
  [[nodiscard]] std::int64_t kept_of(const CosineTile& tile) const;
  void transform(std::span<const float> vector, const CosineTile& tile, std::span<float> coefficients);
  /// Calls use(index in the vector, restored value) for each value of each tile.
  template <class Use>
  void each_restored(const Message& message, Use use) const;

  Settings settings_;
  CosineLayout layout_;  ///< layout of the last vector
  Largest largest_;
  std::vector<float> coefficients_;  ///< coefficients of one tile
  std::vector<float> half_;          ///< one tile, transformed along its rows
  std::vector<float> sent_;
  std::vector<std::uint8_t> codes_;
};

}  // namespace kernels
