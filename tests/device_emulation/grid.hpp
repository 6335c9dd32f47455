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

/// A warp intrinsic: the participating lanes and the result of each from all values.
struct Meeting {
  unsigned mask = 0;
  const char* name = "";
  std::uint64_t (*result)(const LaneValues& values, unsigned mask, int lane, int argument) = nullptr;
  int argument = 0;  ///< of shuffles: the lane or the distance
};

std::uint64_t lane_zero(const LaneValues& values, unsigned mask, int lane, int argument);
std::uint64_t lane_named(const LaneValues& values, unsigned mask, int lane, int argument);
std::uint64_t lane_below(const LaneValues& values, unsigned mask, int lane, int argument);
std::uint64_t lane_above(const LaneValues& values, unsigned mask, int lane, int argument);
std::uint64_t lane_across(const LaneValues& values, unsigned mask, int lane, int argument);
std::uint64_t ballot(const LaneValues& values, unsigned mask, int lane, int argument);
std::uint64_t match_any(const LaneValues& values, unsigned mask, int lane, int argument);

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
