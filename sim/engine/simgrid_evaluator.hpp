// The reference evaluator: every message of a schedule is a SimGrid flow, and may start when its round may.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "netmodels/network.hpp"
#include "netmodels/result.hpp"
#include "netmodels/schedule.hpp"
#include "sim/engine/platform.hpp"

namespace sim::engine {

/// Evaluates schedules by letting their messages share the platform's links max-min fairly, with background
/// flows, and with every change of bandwidth, latency and background while they are under way.
///
/// Latency is paid by a timer before a flow starts, because SimGrid 3.32 stalls flows whose link changes
/// during their latency phase and weighs shares by latency; bandwidths are read from a table of ours, because
/// it ignores increases in flight otherwise. A message with `buffered` bytes is two flows: after the first,
/// without these bytes, its sender's next message starts; so it does after one that is received ahead. The
/// latency of such a next message passes while the one before is under way. Under the presets `tcp_wan` and
/// `tcp_lv08` SimGrid's own latencies hold instead, as they are when the operation starts: with them a flow
/// is bounded by a window of 4 MiB per round trip, flows share in inverse proportion to latency, and 5 % of a
/// flow is charged to the way back. Leaves out: packets, loss, slow start (except as LV08's latency factor);
/// under a TCP preset, changes of latency in the middle of an operation. Source of the model: Velho & Legrand
/// 2009 (CM02, LV08); Casanova et al., "Versatile, Scalable, and Accurate Simulation of Distributed
/// Applications and Platforms", J. Parallel Distrib. Comput. 74(10), 2014.
class SimGridEvaluator {
 public:
  /// @param stop  ends an evaluation when true; outlives this; may be null
  /// @throws std::runtime_error where SimGrid cannot be opened
  explicit SimGridEvaluator(const Platform& platform, const std::atomic<bool>* stop = nullptr);

  /// @param workers  the worker behind each rank of the schedule
  /// @returns an Error only where a stop was requested; the next evaluation is not affected
  [[nodiscard]] netmodels::Result<netmodels::Evaluation> evaluate(const netmodels::Schedule& schedule,
                                                                  const std::vector<std::uint32_t>& workers,
                                                                  const netmodels::NetworkState& state);

  /// SimGrid's own time, which continues from one operation to the next.
  [[nodiscard]] netmodels::Seconds clock() const;

 private:
  SimGridNetwork& network_;
  std::unique_ptr<SimGridTransfers> transfers_;
};

}  // namespace sim::engine
