// One launch on the CPU: block after block, each thread a fiber, and a fault where a device would hang or
// guess.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <stdexcept>

namespace emulation {

/// A kernel did something that devices leave undefined: threads of a block that wait at different barriers,
/// a warp intrinsic whose mask names a lane that does not come, memory touched outside an allocation.
class Fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A line of the source; `here()` as a default argument is the caller's.
struct SourceLine {
  const char* file = "";
  int line = 0;

  static constexpr SourceLine here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

using LaneValues = std::array<std::uint64_t, 32>;

/// Values that the lanes of a mask bring to a warp intrinsic; other lanes' values are 0.
struct Lanes {
  unsigned mask = 0;
  LaneValues values{};
  std::array<int, 32> arguments{};  ///< arguments of shuffles: the lane or the distance

  [[nodiscard]] bool has(unsigned lane) const { return (mask >> lane & 1U) != 0; }
};

/// A warp intrinsic: the participating lanes and the results of all from all values.
struct Meeting {
  unsigned mask = 0;
  const char* name = "";
  LaneValues (*results)(const Lanes& met) = nullptr;
  int argument = 0;  ///< the calling lane's
};

LaneValues only_meet(const Lanes& met);
LaneValues lane_named(const Lanes& met);
LaneValues lane_below(const Lanes& met);
LaneValues lane_above(const Lanes& met);
LaneValues lane_across(const Lanes& met);
LaneValues ballot(const Lanes& met);
LaneValues match_any(const Lanes& met);

/// The calling thread waits for all threads of its block at this place of the source.
void meet_block(SourceLine where);

/// The calling thread waits for the lanes of the mask at this place; returns its result.
std::uint64_t meet_warp(const Meeting& meeting, std::uint64_t value, SourceLine where);

/// Runs `kernel` once for every thread of `blocks` blocks of `threads` threads. Blocks run one after another,
/// and so do the warps of a block between two barriers and the lanes of a warp between two meetings, in
/// orders that change from block to block: code that depends on an order that a device does not promise shows
/// up as different results. Shared memory is spoilt before each block.
/// @throws Fault
void run_grid(unsigned blocks, unsigned threads, const std::function<void()>& kernel);

}  // namespace emulation
