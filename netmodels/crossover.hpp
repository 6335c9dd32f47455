// The fastest of several candidates, over a range of bandwidths.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace netmodels {

/// Bandwidths that are tried: `low` and `high` and steps of equal ratio in between.
struct BandwidthSpan {
  Bandwidth low;
  Bandwidth high;
  int steps = 16;  ///< at least 1
};

/// A candidate that ties with the one that counts as the fastest.
struct Rival {
  std::size_t candidate = 0;
  bool ties_always = false;  ///< whether they tie at every tried bandwidth of the entry, not only at some
  bool is_faster = false;    ///< whether it is faster at one of them, by no more than the tie
  Bandwidth ties_from;       ///< bandwidth from which on it ties to the end of the span; 0: none

  bool operator==(const Rival&) const = default;
};

/// The fastest candidate from a bandwidth on, up to that of the next entry.
struct FastestFrom {
  std::size_t candidate = 0;
  Bandwidth from;      ///< begin: as slow as the candidate before it; of the first entry: `low`
  Bandwidth tie_from;  ///< begin of the tie, which ends at `tie_to`: they differ by at most `tie`; of the
                       ///< first entry: `low`
  Bandwidth tie_to;
  std::vector<Rival> rivals = {};  ///< candidates that tie with it at a tried bandwidth from `from` on

  bool operator==(const FastestFrom&) const = default;
};

/// Whether the same candidates are the fastest from the same bandwidths on, whoever ties with them.
bool same_winners(const std::vector<FastestFrom>& one, const std::vector<FastestFrom>& other);

/// The times of all candidates at a bandwidth, always in the same order; infinite for one that cannot win.
using TimesAt = std::function<Result<std::vector<Seconds>>(Bandwidth)>;

/// The fastest candidates from `span.low` to `span.high`. A candidate stays until another is faster by more
/// than `tie`, so that candidates that never differ by more do not alternate. The bandwidths of an entry are
/// found to 0.1 %, by false position where that narrows them faster than halves would.
/// @param tie  relative difference of two times that counts as none, at least 0
/// @returns one entry or more, in rising order of `from`; or the first Error of `times`
/// Leaves out: a candidate that is the fastest only between two neighbouring bandwidths of the span.
Result<std::vector<FastestFrom>> fastest_by_bandwidth(const BandwidthSpan& span, double tie,
                                                      const TimesAt& times);

}  // namespace netmodels
