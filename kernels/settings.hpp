// The settings of all compressors together, and their validation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/matrix.hpp"

namespace kernels {

/// The settings of compressors; each row of the catalogue takes those it needs and ignores the rest.
struct Settings {
  double ratio = 0.01;                          ///< c, kept / original, in (0, 1]: all that select
  double first_ratio = 0.1;                     ///< multilevel: of the first level, in [ratio, 1]
  double threshold = 0;                         ///< threshold: in the gradient's unit, finite, at least 0
  int index_bytes = 4;                          ///< charged per index on the wire, 4 or 8
  std::uint64_t seed = 0;                       ///< all that draw; one for all ranks in randomk and powersgd
  bool replacement = false;                     ///< randomk: whether an index may be drawn twice
  bool scaled = false;                          ///< randomk: values times n/k, unbiased
  int levels = 127;                             ///< qsgd: in [1, 127]
  std::int64_t bucket = 128;                    ///< qsgd: values that share a norm, at least 1
  std::int64_t block = 4096;                    ///< int8, block_topk: values of a block, at least 1
  std::optional<double> clip = {};              ///< terngrad: in standard deviations, above 0
  bool proportional_tiles = false;              ///< dct_topk: smaller tiles send fewer coefficients
  int rank = 1;                                 ///< powersgd: at least 1
  Shape shape = {};                             ///< powersgd: of the vector; 0 x 0: as square as possible
  std::vector<std::int64_t> layer_sizes = {};   ///< lwtopk: each at least 0, n together; none: one layer
  std::vector<std::int64_t> tensor_sizes = {};  ///< tensor_*: each at least 0, n together; none: one tensor
  std::vector<Shape> matrices = {};             ///< dct_topk: of the vector, n values together; none: unknown
};

/// @returns what is wrong with these settings, as a sentence part with the value and what is accepted;
/// nothing
///          when they are fine
std::optional<std::string> validate(const Settings& settings);

}  // namespace kernels
