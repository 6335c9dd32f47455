// Layer-wise top-k on the device: the largest values of each layer by itself, all layers at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/device_sparsifier.hpp"
#include "kernels/layerwise_top_k.hpp"
#include "kernels/magnitude.hpp"

namespace kernels {

/// A stretch of at most 8192 values of one layer, that one block reads and one warp sends.
struct LayerTile {
  std::int64_t first = 0;  ///< place in the vector
  std::int32_t size = 0;   ///< values, at least 1
  std::int32_t layer = 0;  ///< number among those that are not empty
};

/// A layer that is not empty, as its size alone decides.
struct LayerPlan {
  std::int64_t first_tile = 0;
  std::int64_t tiles = 0;
  std::int64_t wanted = 0;       ///< k, at least 1
  std::int64_t sent_before = 0;  ///< k of all layers before
};

/// What is found of a layer.
struct LayerFound {
  std::int64_t wanted = 0;  ///< which of the values with the known digits is sought; in the end how many
                            ///< equal to the last magnitude are sent
  Magnitude known = 0;      ///< digits found so far; in the end the last magnitude sent
};

/// What is found of a tile.
struct LayerTileFound {
  std::uint32_t listed = 0;             ///< values that may be sent
  std::uint32_t larger = 0, equal = 0;  ///< those above the layer's last magnitude sent, and equal to it
  std::uint32_t equal_sent = 0;         ///< how many of the equal ones are sent
  std::int64_t sent_before = 0;         ///< values sent from all tiles before
};

/// One selection as its kernels see it; lies in no memory but their parameters.
struct LayerwiseWork {
  const float* gradient = nullptr;
  float* residual = nullptr;      ///< null: without error feedback
  const float* values = nullptr;  ///< what is selected from: the residual, or the gradient itself
  const LayerTile* tiles = nullptr;
  const LayerPlan* layers = nullptr;
  LayerTileFound* tiles_found = nullptr;
  Energy* energies = nullptr;  ///< of each tile
  LayerFound* layers_found = nullptr;
  unsigned long long* counts = nullptr;  ///< 2048 for each layer, of values by their next digit
  std::uint16_t* listed = nullptr;       ///< from a tile's first place on: places in the tile, ascending
  float* sent_values = nullptr;
  Index* sent_indices = nullptr;
};

/// The CUDA twin of LayerwiseTopK, bit for bit.
///
/// All layers go through the same ten launches, however many there are; their tiles are listed once, from the
/// layers' sizes, and uploaded by the first call. The first pass over n reads the gradient (and residual),
/// writes the residual, sums the energy and counts the first 11 bits of the magnitudes, layer by layer. The
/// second reads the vector and lists, tile by tile, the places whose 11 bits reach those of their layer's
/// k-th largest, and counts the next 11 bits among the equal ones. All later passes read no more than these
/// lists (of gradients little more than k places; of equal values all n): the last 9 bits, the larger and the
/// equal of each tile, and the sending, in ascending order of place, of equal values those at the lowest
/// places. So 8 bytes are moved for each value, 16 with error feedback, beside what the lists cost.
///
/// Memory: 2 bytes for each value, 8 for each sent, 56 for each tile, and 16 KiB for each layer that is not
/// empty.
class DeviceLayerwiseTopK : public DeviceSparsifier {
 public:
  explicit DeviceLayerwiseTopK(const LayerwiseTopK::Settings& settings);

  /// @param vector  as long as all layers together
  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override;
  DeviceMessage compress_fed(std::span<const float> gradient, std::span<float> residual,
                             StreamHandle stream) override;

 private:
  void add_layer(std::int64_t size, std::int64_t k);
  void upload(StreamHandle stream);
  LayerwiseWork prepared(std::span<const float> gradient, float* residual, StreamHandle stream);
  DeviceMessage select(std::span<const float> gradient, float* residual, StreamHandle stream);

  std::int64_t pair_bytes_;
  std::int64_t elements_ = 0;
  std::int64_t kept_ = 0;
  std::vector<LayerTile> tiles_;  // both are kept for the copy, which the stream makes later
  std::vector<LayerPlan> layers_;
  bool uploaded_ = false;
  DeviceWorkspace<LayerTile> device_tiles_;
  DeviceWorkspace<LayerPlan> device_layers_;
  DeviceWorkspace<LayerTileFound> tiles_found_;
  DeviceWorkspace<Energy> energies_;
  DeviceWorkspace<LayerFound> layers_found_;
  DeviceWorkspace<unsigned long long> counts_;  // all zeros between calls
  DeviceWorkspace<std::uint16_t> listed_;
  DeviceWorkspace<float> sent_values_;
  DeviceWorkspace<Index> sent_indices_;
  DeviceWorkspace<DeviceTotals> totals_;
};

}  // namespace kernels
