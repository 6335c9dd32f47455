// NCCL's operations on the links of a cluster whose network is shared, uneven, or changes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "netmodels/collective.hpp"
#include "netmodels/link_state.hpp"
#include "netmodels/nccl/contention.hpp"
#include "netmodels/network.hpp"
#include "netmodels/result.hpp"
#include "netmodels/schedule.hpp"
#include "sim/engine/nccl_times.hpp"
#include "sim/engine/platform.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// One operation as flows on the platform's links, as they are: the slower of a link and the described
/// hardware counts, and latency of links that NCCL's own hops do not contain adds to them.
class NcclFlows {
 public:
  /// @param row       that `NcclTimes::runs` accepts
  /// @param quiet     its time by `times`
  /// @param platform  outlives this
  /// @param workers   by rank
  NcclFlows(const netmodels::Collective& row, const NcclTimes& times, const netmodels::nccl::Time& quiet,
            const Platform& platform, std::span<const std::uint32_t> workers,
            const scenario::HopLatency& in_hops);

  [[nodiscard]] netmodels::nccl::ContendedTime evaluate(const netmodels::NetworkState& state) const;

  using RoundsEvaluator = std::function<netmodels::Result<netmodels::Evaluation>(
      const netmodels::Schedule&, const netmodels::NetworkState&)>;
  /// The same with every edge's bytes as messages without latency, one after the other, in place of one flow:
  /// the bytes of a protocol that does not use its links in full are fewer, and take no less than on a quiet
  /// network.
  /// @param evaluator  of messages between the workers by rank
  /// @returns the evaluator's Error where it has one
  [[nodiscard]] netmodels::Result<netmodels::nccl::ContendedTime> evaluate_rounds(
      const netmodels::NetworkState& state, const RoundsEvaluator& evaluator) const;

 private:
  void write_rounds(const std::vector<std::vector<std::uint32_t>>& communicators,
                    std::span<const std::uint32_t> workers);
  [[nodiscard]] netmodels::LinkState without_latency(netmodels::LinkId link,
                                                     const netmodels::LinkState& state) const;
  void find_links(const netmodels::nccl::Model& model, double communicators,
                  const scenario::HopLatency& in_hops);
  void add_routes(std::span<const std::uint32_t> workers);

  const Platform& platform_;
  netmodels::nccl::Time quiet_;
  netmodels::nccl::Pattern pattern_;
  netmodels::nccl::ModelLinks links_;
  netmodels::nccl::Flows flows_;
  netmodels::Schedule rounds_;
};

}  // namespace sim::engine
