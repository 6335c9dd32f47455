// Measured times of one operation over sizes, and where they come from.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/measurements/operation.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace calibrate::measurements {

/// One measured size.
struct MeasuredPoint {
  netmodels::Bytes size;    ///< as the operation counts it; above 0
  netmodels::Seconds time;  ///< time of one call, mean over the tool's repetitions; above 0

  auto operator<=>(const MeasuredPoint&) const = default;
};

/// Facts about the machine, the tool and the origin. Text for people, on one line each.
struct Facts {
  std::optional<std::string> machine;    ///< devices and how many
  std::optional<std::string> network;    ///< links and transport
  std::optional<std::string> tool;       ///< tool that measured it, and its version
  std::optional<std::string> algorithm;  ///< algorithm of the collective, where it was pinned: Ring, Tree
  std::optional<std::string> protocol;   ///< protocol, where it was pinned: LL, LL128, Simple
  std::optional<std::string> source;     ///< address or file, with the line or commit
  std::optional<std::string> licence;
  std::vector<std::string> notes;

  bool operator==(const Facts&) const = default;
};

/// One operation on one set of ranks.
struct Measurements {
  const Operation* operation = nullptr;  ///< a row of `operations()`
  int ranks = 0;                         ///< N, at least 2
  std::optional<int> nodes;              ///< machines that the ranks share, 1 to N
  Facts facts;
  std::vector<MeasuredPoint> points;  ///< sizes rising

  bool operator==(const Measurements&) const = default;
};

/// size / time.
netmodels::Bandwidth algorithm_bandwidth(const MeasuredPoint& point);

/// Bandwidth of the slowest link, as nccl-tests counts it: algorithm bandwidth times `bus_factor`.
netmodels::Bandwidth bus_bandwidth(const Measurements& measured, const MeasuredPoint& point);

/// Refuses a point that cannot follow: a size or time that is not finite and above 0, a size that does not
/// rise. The Error's `where` is empty.
netmodels::Result<void> check_next(std::span<const MeasuredPoint> before, const MeasuredPoint& point);

/// Returns an Error for an invalid measurement: fewer than 2 ranks, more nodes than ranks, no points, or what
/// `check_next` refuses. The Error's `where` is empty.
netmodels::Result<void> check(const Measurements& measured);

/// Several logs of one operation on the same ranks as one: sizes of all; where a size is in more than one
/// log, the median of its times. Facts are those of the first, the sources joined.
/// @param sets  at least one
/// @returns an Error where operation, ranks or nodes differ
netmodels::Result<Measurements> merge(std::span<const Measurements> sets);

}  // namespace calibrate::measurements
