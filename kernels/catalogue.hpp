// The one table of gradient compressors: name, what it does, where it is from, and how one is made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/compressor.hpp"
#include "kernels/matrix.hpp"

namespace kernels {

/// What a compressor may be told; each row takes what it needs and ignores the rest.
struct Settings {
  double ratio = 0.01;                         ///< c, kept / original, in (0, 1]: all that select
  double first_ratio = 0.1;                    ///< multilevel: of the first level, in [ratio, 1]
  double threshold = 0;                        ///< threshold: in the gradient's unit, finite, at least 0
  int index_bytes = 4;                         ///< charged per index on the wire, 4 or 8
  std::uint64_t seed = 0;                      ///< all that draw; one for all ranks in randomk and powersgd
  bool replacement = false;                    ///< randomk: whether a place may be drawn twice
  bool scaled = false;                         ///< randomk: values times n/k, unbiased
  int levels = 127;                            ///< qsgd: in [1, 127]
  std::int64_t bucket = 128;                   ///< qsgd: values that share a norm, at least 1
  std::int64_t block = 4096;                   ///< int8: values that share a scale, at least 1
  std::optional<double> clip = {};             ///< terngrad: in standard deviations, above 0
  int rank = 1;                                ///< powersgd: at least 1
  Shape shape = {};                            ///< powersgd: of the vector; 0 x 0: as square as possible
  std::vector<std::int64_t> layer_sizes = {};  ///< lwtopk: each at least 0, n together; none: one layer
};

/// What stands against these settings in any row, as a sentence part with the value and what is accepted;
/// nothing when they are fine.
std::optional<std::string> fault(const Settings& settings);

/// One row of the table.
struct Entry {
  std::string_view name;  ///< as in scenarios and in the table of wire formats
  std::string_view summary;
  std::string_view source;
  bool error_feedback;  ///< meant to be used with a residual memory
  /// @param settings  without `fault`
  std::unique_ptr<Compressor> (*make)(const Settings& settings);
};

/// Every compressor, in a stable order.
std::span<const Entry> catalogue();

/// @returns the row, or nullptr when there is no such name
const Entry* find(std::string_view name);

}  // namespace kernels
