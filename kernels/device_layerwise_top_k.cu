// Layer-wise top-k on the device: a radix selection in all layers at once, over tiles of one layer each.
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/device_compressor.hpp"
#include "kernels/layerwise_passes.cuh"
#include "kernels/layerwise_top_k.hpp"
#include "kernels/magnitude.hpp"
#include "kernels/radix_digits.cuh"

namespace kernels {
namespace {

/// The CUDA implementation of LayerwiseTopK, bit for bit.
///
/// All layers go through the same ten launches, however many there are; their tiles are listed once, from the
/// layers' sizes, and uploaded by the first call. The first pass over n reads the gradient (and residual),
/// writes the residual, sums the energy and counts the first 11 bits of the magnitudes, layer by layer. The
/// second reads the vector and lists, tile by tile, the indices whose 11 bits reach those of their layer's
/// k-th largest, and counts the next 11 bits among the equal ones. All later passes read no more than these
/// lists (of gradients little more than k indices; of equal values all n): the last 9 bits, the larger and
/// the equal of each tile, and the sending, in ascending order of index, of equal values those at the lowest
/// indices. So 8 bytes are moved for each value, 16 with error feedback, besides the cost of the lists.
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

DeviceLayerwiseTopK::DeviceLayerwiseTopK(const LayerwiseTopK::Settings& settings)
    : pair_bytes_(static_cast<std::int64_t>(sizeof(float)) + settings.index_bytes) {
  assert(settings.ratio > 0 && settings.ratio <= 1);
  for (const std::int64_t size : settings.layer_sizes) add_layer(size, kept(settings.ratio, size));
  assert(elements_ <= most_elements);
}

/// Tiles of a layer that follows those added before.
void DeviceLayerwiseTopK::add_layer(std::int64_t size, std::int64_t k) {
  assert(size >= 0);
  if (size == 0) return;
  const auto number = static_cast<std::int32_t>(layers_.size());
  layers_.push_back({static_cast<std::int64_t>(tiles_.size()), divided_up(size, layer_tile), k, kept_});
  for (std::int64_t first = 0; first < size; first += layer_tile) {
    const auto values = static_cast<std::int32_t>(std::min(layer_tile, size - first));
    tiles_.push_back({elements_ + first, values, number});
  }
  elements_ += size;
  kept_ += k;
}

void DeviceLayerwiseTopK::upload(StreamHandle stream) {
  if (uploaded_) return;
  const auto tiles = static_cast<std::int64_t>(tiles_.size());
  const auto layers = static_cast<std::int64_t>(layers_.size());
  copy_to_device(std::span<const LayerTile>(tiles_), device_tiles_.reserve(tiles), stream);
  copy_to_device(std::span<const LayerPlan>(layers_), device_layers_.reserve(layers), stream);
  clear_bytes(counts_.reserve(layers * bins), layers_.size() * bins * sizeof(unsigned long long), stream);
  uploaded_ = true;
}

LayerwiseWork DeviceLayerwiseTopK::prepared(std::span<const float> gradient, float* residual,
                                            StreamHandle stream) {
  upload(stream);
  LayerwiseWork work;
  work.gradient = gradient.data();
  work.residual = residual;
  work.values = residual == nullptr ? gradient.data() : residual;
  work.tiles = device_tiles_.data();
  work.layers = device_layers_.data();
  work.tiles_found = tiles_found_.reserve(static_cast<std::int64_t>(tiles_.size()));
  work.energies = energies_.reserve(static_cast<std::int64_t>(tiles_.size()));
  work.layers_found = layers_found_.reserve(static_cast<std::int64_t>(layers_.size()));
  work.counts = counts_.data();
  work.listed = listed_.reserve(elements_);
  work.sent_values = sent_values_.reserve(kept_);
  work.sent_indices = sent_indices_.reserve(kept_);
  return work;
}

DeviceMessage DeviceLayerwiseTopK::select(std::span<const float> gradient, float* residual,
                                          StreamHandle stream) {
  assert(static_cast<std::int64_t>(gradient.size()) == elements_);
  const LayerwiseWork work = prepared(gradient, residual, stream);
  const auto tiles = static_cast<std::int64_t>(tiles_.size());
  if (tiles > 0) {
    const LaunchShape tile_each{tiles, block_threads};
    const LaunchShape layer_each{static_cast<std::int64_t>(layers_.size()), block_threads};
    residual == nullptr ? launch("count_first_digit", count_first_digit, tile_each, stream, work)
                        : launch("count_first_digit_fed", count_first_digit_fed, tile_each, stream, work);
    launch("find_layer_digit", find_layer_digit, layer_each, stream, work, 0);
    launch("list_indices", list_indices, tile_each, stream, work);
    launch("find_layer_digit", find_layer_digit, layer_each, stream, work, 1);
    launch("count_last_digit", count_last_digit, tile_each, stream, work);
    launch("find_layer_digit", find_layer_digit, layer_each, stream, work, 2);
    launch("count_layer_sent", count_layer_sent, warp_each(tiles), stream, work, tiles);
    launch("place_layer", place_layer, layer_each, stream, work);
    launch("send_layers", send_layers, warp_each(tiles), stream, work, tiles);
  }
  const DeviceTotals sizes{{}, kept_, kept_ * pair_bytes_};
  sum_energies(energies_.first(tiles), sizes, totals_.reserve(1), stream);
  return {elements_, sent_values_.first(kept_), sent_indices_.first(kept_), {}, totals_.data()};
}

DeviceMessage DeviceLayerwiseTopK::compress(std::span<const float> vector, StreamHandle stream) {
  return select(vector, nullptr, stream);
}

DeviceMessage DeviceLayerwiseTopK::compress_fed(std::span<const float> gradient, std::span<float> residual,
                                                StreamHandle stream) {
  assert(gradient.size() == residual.size());
  return select(gradient, residual.data(), stream);
}

}  // namespace

DeviceCompressorPtr LayerwiseTopK::make_on_device(const Settings& settings) {
  return std::make_unique<DeviceLayerwiseTopK>(settings);
}

}  // namespace kernels
