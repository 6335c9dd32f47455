// The largest cosine coefficients of each tile, on the device: a thread block transforms, selects and
// restores a tile.
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/block_largest.cuh"
#include "kernels/block_sums.cuh"
#include "kernels/dct_top_k.hpp"
#include "kernels/device.cuh"
#include "kernels/device_compressor.hpp"
#include "kernels/magnitude.hpp"

namespace kernels {
namespace {

constexpr std::int64_t most_values = cosine_tile * cosine_tile;
constexpr std::int64_t most_blocks = 65536;

/// A tile, its transforms and its part of the message.
struct PlannedTile {
  CosineTile tile;
  std::int64_t down = 0;    ///< begin of D of its rows among all transforms
  std::int64_t across = 0;  ///< begin of D of its columns
  std::int64_t first = 0;   ///< index of its first coefficient among those sent
  std::int64_t count = 0;   ///< sent
};

/// Input and output of the kernels.
struct CosineWork {
  const PlannedTile* tiles = nullptr;
  std::int64_t count = 0;  ///< number of tiles
  const float* bases = nullptr;
  const float* vector = nullptr;  ///< vector that is transformed
  float* coefficients = nullptr;  ///< room for a tile of each thread block
  Index* indices = nullptr;       ///< indices within the tile, one for each coefficient sent
  float* sent = nullptr;
  std::uint8_t* codes = nullptr;
  Energy* parts = nullptr;  ///< energies of each tile
};

struct CosineScratch {
  float half[most_values];
  BlockLargestScratch largest;
  WarpValues<double> sums;
};

/// Y = D T D^T, in the order of the CPU reference. All threads take part.
__device__ void transform(const CosineWork& work, const PlannedTile& planned, float* coefficients,
                          CosineScratch& scratch) {
  const CosineTile& tile = planned.tile;
  const float* values = work.vector + tile.first;
  const float* down = work.bases + planned.down;
  for (std::int64_t at = threadIdx.x; at < tile.values(); at += block_threads) {
    const std::int64_t k = at / tile.columns, j = at % tile.columns;
    float sum = 0;
    for (std::int64_t i = 0; i < tile.rows; ++i) sum += down[k * tile.rows + i] * values[i * tile.stride + j];
    scratch.half[at] = sum;
  }
  __syncthreads();
  const float* across = work.bases + planned.across;
  for (std::int64_t at = threadIdx.x; at < tile.values(); at += block_threads) {
    const std::int64_t k = at / tile.columns, l = at % tile.columns;
    coefficients[at] = dot_product(scratch.half + k * tile.columns, across + l * tile.columns, tile.columns);
  }
  __syncthreads();
}

__device__ void send_tile(const CosineWork& work, std::int64_t number, CosineScratch& scratch) {
  const PlannedTile planned = work.tiles[number];
  const CosineTile& tile = planned.tile;
  float* coefficients = work.coefficients + blockIdx.x * most_values;
  transform(work, planned, coefficients, scratch);
  Index* indices = work.indices + planned.first;
  list_largest(coefficients, tile.values(), planned.count, indices, scratch.largest);
  double given = 0, sent = 0;
  for (std::int64_t at = threadIdx.x; at < tile.values(); at += block_threads) {
    const auto value =
        static_cast<double>(work.vector[tile.first + at / tile.columns * tile.stride + at % tile.columns]);
    given += value * value;
  }
  for (std::int64_t i = threadIdx.x; i < planned.count; i += block_threads) {
    const Index index = indices[i];
    const float value = coefficients[index];
    work.sent[planned.first + i] = value;
    work.codes[2 * (planned.first + i)] = static_cast<std::uint8_t>(index & 0xff);
    work.codes[2 * (planned.first + i) + 1] = static_cast<std::uint8_t>(index >> 8);
    sent += static_cast<double>(value) * static_cast<double>(value);
  }
  given = block_sum(given, scratch.sums);
  __syncthreads();
  sent = block_sum(sent, scratch.sums);
  if (threadIdx.x != 0) return;
  work.parts[number].given = given;
  work.parts[number].sent = sent;
}

__global__ void __launch_bounds__(256) send_cosine_tiles(CosineWork work) {
  __shared__ CosineScratch scratch;
  for (std::int64_t number = blockIdx.x; number < work.count; number += gridDim.x) {
    send_tile(work, number, scratch);
    __syncthreads();
  }
}

struct RestoreScratch {
  float half[most_values];
  bool counts[cosine_tile];  ///< rows with a coefficient
};

/// Calls use(value of the vector, restored value) for each value of a tile. All threads take part.
template <class Use>
__device__ void restore_tile(const CosineWork& work, const PlannedTile& planned, float* vector,
                             RestoreScratch& scratch, Use use) {
  const CosineTile& tile = planned.tile;
  for (std::int64_t at = threadIdx.x; at < tile.values(); at += block_threads) scratch.half[at] = 0;
  if (threadIdx.x < cosine_tile) scratch.counts[threadIdx.x] = false;
  __syncthreads();
  // A column of every fourth row belongs to one thread, which adds coefficients in their order.
  constexpr unsigned turns = block_threads / cosine_tile;
  const std::int64_t j = threadIdx.x % cosine_tile;
  for (std::int64_t i = planned.first; i < planned.first + planned.count; ++i) {
    const std::int64_t index = work.codes[2 * i] | work.codes[2 * i + 1] << 8;
    const std::int64_t k = index / tile.columns;
    if (k % turns != threadIdx.x / cosine_tile || j >= tile.columns) continue;
    scratch.half[k * tile.columns + j] +=
        work.sent[i] * work.bases[planned.across + index % tile.columns * tile.columns + j];
    if (j == 0) scratch.counts[k] = true;
  }
  __syncthreads();
  for (std::int64_t at = threadIdx.x; at < tile.values(); at += block_threads) {
    const std::int64_t i = at / tile.columns, column = at % tile.columns;
    float sum = 0;
    for (std::int64_t k = 0; k < tile.rows; ++k) {
      if (scratch.counts[k])
        sum += work.bases[planned.down + k * tile.rows + i] * scratch.half[k * tile.columns + column];
    }
    float& value = vector[tile.first + i * tile.stride + column];
    value = use(value, sum);
  }
}

template <class Use>
__device__ void restore_tiles(const CosineWork& work, float* vector, Use use) {
  __shared__ RestoreScratch scratch;
  for (std::int64_t number = blockIdx.x; number < work.count; number += gridDim.x) {
    restore_tile(work, work.tiles[number], vector, scratch, use);
    __syncthreads();
  }
}

__global__ void __launch_bounds__(256) add_cosine_tiles(CosineWork work, float* vector) {
  restore_tiles(work, vector, [](float value, float restored) { return value + restored; });
}

__global__ void __launch_bounds__(256) subtract_cosine_tiles(CosineWork work, float* vector) {
  restore_tiles(work, vector, [](float value, float restored) {
    const float left = value - restored;
    return is_finite(left) ? left : 0.0F;
  });
}

/// The CUDA implementation of DctTopK, bit for bit: its sums go in the order of the CPU reference. The tiles
/// and transforms of a length of vector are uploaded by the first call with it.
class DeviceDctTopK : public DeviceCoder {
 public:
  explicit DeviceDctTopK(DctTopK::Settings settings) : settings_(std::move(settings)) {
    assert(settings_.ratio > 0 && settings_.ratio <= 1);
  }

  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override {
    const auto elements = static_cast<std::int64_t>(vector.size());
    plan(elements, stream);
    const auto tiles = static_cast<std::int64_t>(tiles_.size());
    CosineWork work;
    work.tiles = device_tiles_.data();
    work.count = tiles;
    work.bases = device_bases_.data();
    work.vector = vector.data();
    work.coefficients = coefficients_.reserve(std::min(tiles, most_blocks) * most_values);
    work.indices = indices_.reserve(sent_);
    work.sent = scales(sent_);
    work.codes = codes(2 * sent_);
    work.parts = parts(tiles);
    if (tiles > 0)
      launch("send_cosine_tiles", send_cosine_tiles, {std::min(tiles, most_blocks), block_threads}, stream,
             work);
    return summed(elements, sent_, 2 * sent_, tiles, stream);
  }

 protected:
  /// Applies a message that this compressor made last.
  void apply(const DeviceMessage& message, std::span<float> vector, Use use,
             StreamHandle stream) const override {
    assert(message.elements == elements_);
    const auto tiles = static_cast<std::int64_t>(tiles_.size());
    if (tiles == 0) return;
    CosineWork work;
    work.tiles = device_tiles_.data();
    work.count = tiles;
    work.bases = device_bases_.data();
    work.sent = const_cast<float*>(message.values.data());
    work.codes = const_cast<std::uint8_t*>(message.codes.data());
    const bool adding = use == Use::add;
    launch(adding ? "add_cosine_tiles" : "subtract_cosine_tiles",
           adding ? add_cosine_tiles : subtract_cosine_tiles, {std::min(tiles, most_blocks), block_threads},
           stream, work, vector.data());
  }

 private:
  void plan(std::int64_t elements, StreamHandle stream) {
    if (elements == elements_) return;
    if (elements_ >= 0) synchronise(stream);  // copies of the last plan may be under way
    const CosineLayout layout = cosine_layout(elements, settings_.matrices);
    elements_ = elements;
    bases_.clear();
    tiles_.clear();
    std::map<std::int64_t, std::int64_t> begin;  // begin of each size among all transforms
    for (const auto& [size, basis] : layout.bases) {
      begin[size] = static_cast<std::int64_t>(bases_.size());
      bases_.insert(bases_.end(), basis.begin(), basis.end());
    }
    sent_ = 0;
    for (const CosineTile& tile : layout.tiles) {
      const std::int64_t count = kept_of_tile(settings_.ratio, settings_.proportional_tiles, tile.values());
      tiles_.push_back({tile, begin[tile.rows], begin[tile.columns], sent_, count});
      sent_ += count;
    }
    copy_to_device(std::span<const float>(bases_),
                   device_bases_.reserve(static_cast<std::int64_t>(bases_.size())), stream);
    copy_to_device(std::span<const PlannedTile>(tiles_),
                   device_tiles_.reserve(static_cast<std::int64_t>(tiles_.size())), stream);
  }

  DctTopK::Settings settings_;
  std::int64_t elements_ = -1;
  std::int64_t sent_ = 0;
  std::vector<float> bases_;  // both are kept for the copy, which the stream makes later
  std::vector<PlannedTile> tiles_;
  DeviceWorkspace<float> device_bases_;
  DeviceWorkspace<PlannedTile> device_tiles_;
  DeviceWorkspace<float> coefficients_;
  DeviceWorkspace<Index> indices_;
};

}  // namespace

DeviceCompressorPtr DctTopK::make_on_device(const Settings& settings) {
  return std::make_unique<DeviceDctTopK>(settings);
}

}  // namespace kernels
