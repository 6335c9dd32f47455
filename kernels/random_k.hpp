// Random-k: k values at indices that all ranks draw from one seed.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/compressor.hpp"

namespace kernels {

/// Sends k = kept(ratio, n) values at random indices, in ascending order of index. Ranks with equal seed,
/// step and n draw the same indices, so no index travels and the values can be summed as they are.
///
/// Without replacement (default) the indices are distinct: the first k of a random permutation. With
/// replacement an index may be drawn again; the value is then sent once and 0 for each repetition.
/// With `scaled` each draw sends v n/k, which makes the sum that the receiver builds an unbiased estimate of
/// the vector; it is meant to be used without error feedback.
///
/// One published implementation draws from [0, n - 2], so that the last value is never sent, and each rank
/// with its own seed, so that sums by position mix different indices.
/// Source: Stich, Cordonnier & Jaggi, "Sparsified SGD with Memory", NeurIPS 2018.
class RandomK : public Sparsifier {
 public:
  struct Settings {
    double ratio = 0.01;       ///< c, kept / original, in (0, 1]
    bool replacement = false;  ///< whether an index may be drawn more than once
    bool scaled = false;       ///< whether values are multiplied by n/k
    std::uint64_t seed = 0;    ///< the same on all ranks
  };

  explicit RandomK(const Settings& settings);

  /// CUDA implementation, of device_random_k.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device(const Settings& settings);

  Message compress(std::span<const float> vector) override;

 private:
  void draw(std::int64_t elements, std::int64_t k);
  double read(std::span<const float> vector, std::int64_t k);

  Settings settings_;
  Workspace<Index> indices_;
  Workspace<float> drawn_;
};

}  // namespace kernels
