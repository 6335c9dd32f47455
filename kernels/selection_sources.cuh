// Sources of a selection's kernels: the list of candidates, or the vector itself.
#pragma once

#include <algorithm>

#include "kernels/device.cuh"
#include "kernels/device_selection.hpp"

namespace kernels {

/// Whether the candidates are not enough, or too many for the list; asked after the scan.
__device__ inline bool searches_vector(const Selecting& work) {
  const unsigned long long collected = work.state->collected;
  return collected < static_cast<unsigned long long>(work.enough) ||
         collected > static_cast<unsigned long long>(work.capacity);
}

/// The same for sending; asked when the cut is known.
__device__ inline bool sends_from_vector(const Selecting& work) {
  return searches_vector(work) || work.state->cut.low < work.state->listed;
}

/// A lane's value; `there` is false past the last one.
struct Found {
  bool there;
  Index index;
  float value;
};

/// Number `i` of all values or of all candidates.
__device__ inline Found found_at(const Selecting& work, bool from_vector, std::int64_t i,
                                 std::int64_t count) {
  if (i >= count) return {false, 0, 0};
  if (from_vector) return {true, static_cast<Index>(i), work.values[i]};
  const Candidate candidate = work.candidates[i];
  return {true, candidate.index, candidate.value};
}

/// A tile's stretch of either.
struct Stretch {
  std::int64_t first, end;
};

__device__ inline Stretch stretch_of(const Selecting& work, bool from_vector, std::int64_t tile) {
  if (from_vector) {
    const std::int64_t first = tile * selection_tile;
    return {first, std::min(first + selection_tile, work.elements)};
  }
  const auto first = static_cast<std::int64_t>(work.tiles[tile].first);
  return {first, first + work.tiles[tile].count};
}

}  // namespace kernels
