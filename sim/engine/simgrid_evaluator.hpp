// The reference evaluator: every message of a schedule is a SimGrid flow.
#pragma once

#include <memory>
#include <vector>

#include "netmodels/network.hpp"
#include "netmodels/schedule.hpp"
#include "sim/engine/platform.hpp"

namespace sim::engine {

/// Prices schedules by letting their messages share the platform's links max-min fairly, with background
/// flows, and with every change of bandwidth, latency and background while they are under way.
///
/// Latency is paid by a timer before a flow starts, because SimGrid 3.32 stalls flows whose link changes
/// during their latency phase and weighs shares by latency; bandwidths are read from a table of ours, because
/// it ignores increases in flight otherwise. Under the presets `tcp_wan` and `tcp_lv08` SimGrid's own
/// latencies hold instead, as they are when the operation starts: with them a flow is bounded by a window of
/// 4 MiB per round trip, flows share in inverse proportion to latency, and 5 % of a flow is charged to the
/// way back. Leaves out: packets, loss, slow start (except as LV08's latency factor); under a TCP preset,
/// changes of latency in the middle of an operation. Source of the model: Velho & Legrand 2009 (CM02, LV08);
/// Casanova et al., "Versatile, Scalable, and Accurate Simulation of Distributed Applications and Platforms",
/// J. Parallel Distrib. Comput. 74(10), 2014.
class SimGridEvaluator {
 public:
  explicit SimGridEvaluator(const Platform& platform);
  ~SimGridEvaluator();
  SimGridEvaluator(const SimGridEvaluator&) = delete;
  SimGridEvaluator& operator=(const SimGridEvaluator&) = delete;

  /// @param workers  the worker behind each rank of the schedule
  [[nodiscard]] netmodels::Evaluation evaluate(const netmodels::Schedule& schedule,
                                            const std::vector<std::uint32_t>& workers,
                                            const netmodels::NetworkState& state);

  /// SimGrid's own time, which goes on from one operation to the next.
  [[nodiscard]] static netmodels::Seconds clock();

 private:
  class Links;
  class Run;
  const Platform& platform_;
  std::unique_ptr<Links> links_;
};

}  // namespace sim::engine
