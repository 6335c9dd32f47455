// Layer-wise top-k: the largest values of each layer by itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/compressor.hpp"
#include "kernels/largest.hpp"

namespace kernels {

/// Sends kept(ratio, n_l) values of each layer l, exactly, so at least one of each that is not empty; indices
/// count from the beginning of the whole vector.
///
/// Source: LWTopk in Tyagi & Swany, "Flexible Communication for Optimal Distributed Learning over
///         Unpredictable Networks", IEEE BigData 2023.
class LayerwiseTopK : public Sparsifier {
 public:
  struct Settings {
    double ratio = 0.01;                         ///< c, kept / original, in (0, 1]
    std::vector<std::int64_t> layer_sizes = {};  ///< sizes in order, each at least 0; their sum is n
    int index_bytes = 4;                         ///< per index on the wire, 4 or 8
  };

  explicit LayerwiseTopK(Settings settings);

  /// CUDA implementation, of device_layerwise_top_k.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device(const Settings& settings);

  /// @param vector  as long as all layers together
  Message compress(std::span<const float> vector) override;
  Message compress_fed(std::span<const float> gradient, std::span<float> residual) override;

 private:
  /// Selects in each layer by `select(first, size, k)`, which gives the layer's energy.
  template <class Select>
  double each_layer(Select select);

  Settings settings_;
  std::int64_t elements_ = 0;
  std::int64_t kept_ = 0;
  Largest largest_;
  Workspace<Index> indices_;
};

}  // namespace kernels
