// DGC: top-k by a threshold taken from a sample of the values.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/compressor.hpp"
#include "kernels/magnitude.hpp"

namespace kernels {

// DGC's lowering of a sampled threshold as questions and answers: both implementations ask the same.

/// Asks how many values pass the threshold, and lowers it while fewer than `fewest` do; in the end all pass.
/// For "more than `most`" any number above will do.
struct DgcSearch {
  Magnitude limit = 0;  ///< first that of the sample
  std::int64_t k = 0;
  double fewest = 0, most = 0;
  double factor = 1;  ///< factor by which a threshold is lowered
  int rounds_left = 0;
  bool enough = false;
  std::int64_t passing_it = 0;

  [[nodiscard]] constexpr bool done() const { return enough; }
  [[nodiscard]] constexpr Magnitude requested() const { return limit; }

  constexpr void hear(std::int64_t passing) {
    enough = static_cast<double>(passing) >= fewest || limit == 0;
    passing_it = passing;
    if (enough) return;
    const Magnitude finite = limit < infinite_magnitude ? limit : infinite_magnitude - 1;
    limit = rounds_left > 0 ? at_least(factor * static_cast<double>(absolute(finite))) : 0;
    --rounds_left;
  }

  /// The values that pass, or the k largest where too many do.
  [[nodiscard]] constexpr Cut cut() const {
    return static_cast<double>(passing_it) > most ? Cut::of_largest(k) : Cut::from(limit);
  }
};

/// Sends between `lower` k and `upper` k values, k = kept(ratio, n). The threshold is the value of rank
/// round(s c) in a uniform sample of s = max(sample_ratio n, 2 / c) values, drawn with replacement (all
/// values where s >= n). If fewer than `lower` k pass, the threshold is multiplied by `lower`, at most
/// `rounds` times and then dropped; if more than `upper` k pass, the exact top k among them are sent.
///
/// One published implementation also raises a threshold that passes too many and can then swing for ever
/// between two; another samples round(0.01 n) values, none of which may be among the k of a small layer.
/// Leaves out: momentum correction and factor masking, gradient clipping, warm-up.
/// Source: Lin et al., "Deep Gradient Compression", ICLR 2018, section 5 (hierarchical selection).
class Dgc : public Sparsifier {
 public:
  struct Settings {
    double ratio = 0.01;         ///< c, kept / original, in (0, 1]
    double sample_ratio = 0.01;  ///< share of the values in the sample, in (0, 1]
    double lower = 0.8;          ///< in (0, 1)
    double upper = 1.3;          ///< at least 1
    int rounds = 10;             ///< at least 0
    std::uint64_t seed = 0;      ///< seed of the sample
    int index_bytes = 4;         ///< per index on the wire, 4 or 8
  };

  explicit Dgc(const Settings& settings);

  /// CUDA implementation, of device_dgc.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device(const Settings& settings);

  Message compress(std::span<const float> vector) override;

  /// s of a vector of n values; n: all values, each once.
  static std::int64_t sampled(const Settings& settings, std::int64_t elements);

  /// The search for k values, but for the limit that it begins with.
  static DgcSearch search(const Settings& settings, std::int64_t k);

 private:
  Magnitude sampled_threshold(std::span<const float> vector);

  Settings settings_;
  Workspace<Magnitude> sample_;
  Candidates candidates_;
};

}  // namespace kernels
