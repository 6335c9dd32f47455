// Measured collectives: time over size in straight pieces, or between neighbouring measured sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "netmodels/collective.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace netmodels {

// Time over size in one to three straight pieces, as measured collectives show it.

/// Time that one more byte takes (beta): the inverse of a bandwidth, and 0 where size does not matter.
using TimePerByte = Quantity<1, -1>;

/// One piece: t = latency + size * per_byte, for sizes up to and including `up_to`.
struct Segment {
  Bytes up_to;           ///< end of the segment; without meaning in the last segment, which has no end
  Seconds latency;       ///< alpha, at least 0
  TimePerByte per_byte;  ///< beta, at least 0

  auto operator<=>(const Segment&) const = default;
};

/// How times between two neighbouring measured sizes are predicted.
enum class Interpolation : std::uint8_t {
  segments,   ///< the segments, as everywhere else
  lines,      ///< straight line of time over size between the two
  log_lines,  ///< straight line of log time over log size between the two: t = a * size^b
};

/// Word in files of fits: segments, lines, log_lines.
std::string_view to_string(Interpolation interpolation);

/// @returns an Error with an empty `where` for an unknown word
Result<Interpolation> find_interpolation(std::string_view word);

/// A measured size and its time.
struct MeasuredTime {
  Bytes size;    ///< above 0
  Seconds time;  ///< above 0

  auto operator<=>(const MeasuredTime&) const = default;
};

/// Time over size in pieces, as NCCL's protocols and TCP's windows make it. Inside a piece a larger message
/// never takes less time; from one piece to the next, where a library changes its protocol, it may.
struct SegmentModel {
  std::vector<Segment> segments;                          ///< at least 1, ends rising
  Interpolation interpolation = Interpolation::segments;  ///< interpolation between the `points`
  std::vector<MeasuredTime> points{};  ///< sizes rising, at least 2; empty where `segments` interpolate

  bool operator==(const SegmentModel&) const = default;
};

/// Nothing where `points` and `interpolation` go together; otherwise an Error with an empty `where`: points
/// that nothing uses, fewer than 2 points to interpolate between, or sizes that do not rise.
std::optional<Error> problem_with_points(const SegmentModel& model);

/// The time that the model gives to any size above 0. Beyond the last end, the last piece is extended. With
/// `points`, sizes between two of them are interpolated; sizes beyond them follow the pieces, multiplied by
/// one factor that makes them pass through the outermost point.
Seconds predict(const SegmentModel& model, Bytes size);

// Collectives whose times were measured: fitted over size, with the error on sizes that the fit has not seen.

/// One kind of collective on one set of ranks, by the algorithm that the library chose.
struct MeasuredCollective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::uint32_t ranks = 2;             ///< N
  std::optional<std::uint32_t> nodes;  ///< nodes that the ranks shared; nothing where unknown
  Bytes smallest;                      ///< measured size, counted as `Operation::size` of this kind
  Bytes largest;
  double p90_error = 0;  ///< relative; nine of ten sizes that were held out of the fit lay within it
  SegmentModel times;

  /// Whether times of this size were measured, or at least between two that were.
  [[nodiscard]] bool covers(Bytes size) const { return smallest <= size && size <= largest; }
  /// How many times the size is larger than the largest or smaller than the smallest measured one; 1 between
  /// them. Sizes below 1 byte count as 1 byte.
  [[nodiscard]] double factor_beyond(Bytes size) const;
  /// p90_error * (1 + log2(factor_beyond(size))): the held-out error, and as much again for each doubling
  /// beyond the measured sizes. Leaves out: a bound; the growth is a rule of thumb, not a measurement.
  [[nodiscard]] double error_at(Bytes size) const;
  bool operator==(const MeasuredCollective&) const = default;
};

/// Largest extrapolation: beyond this factor from the measured sizes a time is refused unless it is asked
/// for.
constexpr double max_extrapolation = 100;

/// Refuses a size more than `max_extrapolation` times above the largest or below the smallest measured one.
/// @returns an Error at `cluster.collective_times` that names the size, the range and the key that allows it
Result<void> check_extrapolation(const MeasuredCollective& measured, Bytes size);

/// The first row for this kind on this number of ranks and nodes; null where there is none. A row that does
/// not say on how many nodes it was measured fits any number.
const MeasuredCollective* find_measured(std::span<const MeasuredCollective> rows, CollectiveKind kind,
                                        std::uint32_t ranks, std::uint32_t nodes);

/// The measurement of a collective: of all ranks for a row of the table, and of the ranks of one
/// node for gathers and sums within nodes, which share no link. Null for all others: all-to-alls, and groups
/// that share links with others at work.
/// @param ranks  those of all nodes
const MeasuredCollective* find_measured(std::span<const MeasuredCollective> rows,
                                        const Collective& collective, std::uint32_t ranks,
                                        std::uint32_t nodes);

}  // namespace netmodels
