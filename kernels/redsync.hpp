// RedSync: a threshold searched between the mean and the largest magnitude until k to 2k values pass.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/sparsifier.hpp"

namespace kernels {

/// Sends between k and 2k values, k = kept(ratio, n): bisects thr(x) = mean|v| + x (max|v| - mean|v|), x in
/// [0, 1], until k <= count(|v| >= thr) <= 2k, at most `rounds` times; where fewer than k reach the mean, the
/// search goes from 0 to the mean instead. If the rounds run out, as with many equal values, the exact top k
/// of what passes the last threshold that at least k passed are sent.
///
/// One published implementation stops when the interval is 0.2 wide, that is after three rounds, and so may
/// miss k by far; it also raises the threshold when between k/2 and k values pass, though more are wanted.
/// Source: Fang et al., "RedSync: Reducing synchronization bandwidth for distributed deep learning training
///         system", J. Parallel Distrib. Comput. 133, 2019, threshold binary search.
class RedSync : public Sparsifier {
 public:
  struct Settings {
    double ratio = 0.01;  ///< c, kept / original, in (0, 1]
    int rounds = 25;      ///< bisections, at least 1
    int index_bytes = 4;  ///< per index on the wire, 4 or 8
  };

  explicit RedSync(const Settings& settings);

  /// Its CUDA implementation, of device_redsync.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device(const Settings& settings);

  Message compress(std::span<const float> vector) override;

 private:
  Settings settings_;
  Candidates candidates_;
};

}  // namespace kernels
