// The cost of an exchange, from the cheapest evaluator that can give it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "netmodels/collective.hpp"
#include "netmodels/measured_collective.hpp"
#include "netmodels/nccl/hardware.hpp"
#include "netmodels/result.hpp"
#include "sim/engine/cluster_cache.hpp"
#include "sim/engine/nccl_flows.hpp"
#include "sim/engine/nccl_times.hpp"
#include "sim/engine/network_timeline.hpp"
#include "sim/engine/record.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// Evaluates collectives on the current network, with the evaluator of the scenario.
///
/// `automatic` takes the measured time of a collective where there is one, or else what NCCL would choose and
/// need on described hardware, its rings and trees as flows on the network as it is. It reuses an earlier
/// result while the network is in the same state and will be until the operation ends; otherwise it takes the
/// longest path, and SimGrid where messages share a link, other traffic runs, or a preset other than `exact`
/// is wanted. A share `audit` of all answers that SimGrid did not give, and that were not measured, is
/// evaluated again by it. Results for other runs on the same cluster are taken from there, and count as if it
/// had been evaluated here: results and counts do not depend on who else runs.
class CostEvaluator {
 public:
  struct Settings {
    scenario::Evaluator evaluator = scenario::Evaluator::automatic;
    double audit = 0;  ///< in [0, 1]
    std::uint64_t seed = 1;
    std::span<const netmodels::MeasuredCollective> measured{};  ///< outlives the evaluator
    std::uint32_t workers_per_node = 1;
    bool extrapolate = false;                         ///< allows measured times far beyond the measured sizes
    const netmodels::nccl::Hardware* nccl = nullptr;  ///< outlives the evaluator
    scenario::HopLatency in_hops{};                   ///< of all workers' links, for `nccl`
  };
  struct Cost {
    netmodels::Seconds duration;
    EvaluatedBy by = EvaluatedBy::path;
    double error = 0;  ///< relative: `MeasuredCollective::error_at`, or nine of ten times of NCCL; else 0
    std::optional<netmodels::nccl::Time> nccl = {};  ///< what NCCL would choose, term by term
  };
  /// A collective with its message, ready to be evaluated many times.
  using Handle = std::size_t;

  /// @param cluster  outlives this
  CostEvaluator(SharedCluster& cluster, const Settings& settings);

  /// Forgets everything and evaluates for these workers from now on; rank r is `workers[r]`.
  void set_workers(std::vector<std::uint32_t> workers);

  /// @param operation  accepted by netmodels::check, for as many ranks as there are workers
  Handle prepare(const netmodels::Collective& row, const netmodels::Operation& operation);

  /// @returns the cost at `now`, or an Error when the requested evaluator refuses (the closed form does when
  /// the
  ///          network changes before the operation ends), when an audit disagrees, when a measured time is
  ///          asked for a size too far beyond the measured ones, or when the cluster's `stop` is raised
  netmodels::Result<Cost> evaluate(Handle handle, NetworkTimeline& network, netmodels::Seconds now);

  /// Whether the time of each of these collectives is measured or NCCL's, so that it is the same for all.
  [[nodiscard]] bool measures(std::span<const netmodels::Collective* const> rows) const;
  /// What a collective takes on a network that stays as it is now, by the evaluator of the scenario; infinite
  /// where that refuses. Remembered by the number of the state; nothing is counted or audited.
  /// @param state  nothing is upcoming in it
  netmodels::Seconds lasting_time(const netmodels::Collective& row, const netmodels::Operation& operation,
                                  const netmodels::NetworkState& state);
  /// Never above `lasting_time`, and known without SimGrid.
  netmodels::Seconds least_time(const netmodels::Collective& row, const netmodels::Operation& operation,
                                const netmodels::NetworkState& state);

  /// What it would take on links of practically infinite bandwidth, where all else stays as it is now: by its
  /// longest chain of messages, by SimGrid under a TCP preset, whose windows stay; where it was measured, the
  /// time of no bytes.
  /// @returns at most `duration`, which it took
  netmodels::Seconds latency_of(Handle handle, const netmodels::NetworkState& state,
                                netmodels::Seconds duration);

  /// The bytes that one worker sends, on average over all; nothing for closed forms without a schedule.
  [[nodiscard]] std::optional<netmodels::Bytes> sent_per_worker(Handle handle) const;
  /// Those of them that go to other nodes.
  /// @param per_node  workers of a node, which are numbered node by node
  [[nodiscard]] std::optional<netmodels::Bytes> sent_between_nodes(Handle handle,
                                                                   std::uint32_t per_node) const;
  [[nodiscard]] const EvaluatorCounts& counts() const { return counts_; }

 private:
  struct Known {
    netmodels::Seconds duration;
    EvaluatedBy by;
  };
  /// What NCCL takes on a quiet network, and as flows.
  struct NcclOperation {
    netmodels::nccl::Time quiet;
    NcclFlows flows;
    std::unordered_map<std::uint64_t, netmodels::nccl::Time> known = {};  ///< by number of the network state
  };
  struct Prepared {
    std::shared_ptr<SharedCollective> shared;
    bool contended = false;  ///< messages share links even while nothing changes
    std::uint64_t last_number = 0;
    std::optional<Known> last;                                ///< at `last_number`
    std::unordered_map<std::uint64_t, Known> known;           ///< here, by number of the network state
    const netmodels::MeasuredCollective* measured = nullptr;  ///< null: not measured, or not asked for
    std::optional<NcclOperation> nccl = {};                   ///< made when first asked
  };

  CandidateTime& candidate(const netmodels::Collective& row, const netmodels::Operation& operation,
                           const netmodels::NetworkState& state);
  [[nodiscard]] CandidateTime bounded(const netmodels::Collective& row, const netmodels::Operation& operation,
                                      const netmodels::NetworkState& state) const;
  void count(EvaluatedBy evaluator);
  [[nodiscard]] const netmodels::MeasuredCollective* measured(const netmodels::Collective& row) const;
  netmodels::Result<Cost> by_measurement(const Prepared& prepared);
  /// Whether NCCL's times are asked for, and there are some for these workers.
  [[nodiscard]] bool uses_nccl() const;
  [[nodiscard]] netmodels::Result<NcclOperation> nccl_operation(const netmodels::Collective& row,
                                                                const netmodels::Operation& operation) const;
  netmodels::Result<Cost> by_nccl(Prepared& prepared, NetworkTimeline& network, netmodels::Seconds now);
  /// As flows on the network, by SimGrid where that is the evaluator of the scenario.
  [[nodiscard]] netmodels::Result<netmodels::nccl::ContendedTime> nccl_on(
      const NcclOperation& nccl, const netmodels::NetworkState& state) const;
  /// A time by NCCL on a network that stays as it is; nothing where it does not run the operation.
  [[nodiscard]] std::optional<netmodels::Seconds> nccl_time(const netmodels::Collective& row,
                                                            const netmodels::Operation& operation,
                                                            const netmodels::NetworkState& state) const;
  std::optional<Cost> reuse(Prepared& prepared, const netmodels::NetworkState& state);
  /// The result of another run, where it holds until the collective ends.
  std::optional<Cost> shared(Prepared& prepared, const netmodels::NetworkState& state);
  void keep(Prepared& prepared, const Cost& price, std::uint64_t number);
  /// Keeps a result for other runs on the cluster.
  /// @param was_contended  before it was evaluated
  static void share(const Prepared& prepared, const Cost& price, bool was_contended, std::uint64_t number);
  /// By the evaluator of the scenario or an earlier result.
  netmodels::Result<Cost> by_schedule(Prepared& prepared, NetworkTimeline& network, netmodels::Seconds now);
  netmodels::Result<Cost> evaluate(Prepared& prepared, const netmodels::NetworkState& state, bool& reusable);
  netmodels::Result<Cost> by_closed_form(const Prepared& prepared,
                                         const netmodels::NetworkState& state) const;
  /// The schedule of a collective that has one.
  netmodels::RoutedSchedule& routed(SharedCollective& collective) const;
  netmodels::Result<Cost> by_path(Prepared& prepared, const netmodels::NetworkState& state, bool& reusable);
  netmodels::Result<Cost> by_simgrid(const Prepared& prepared, const netmodels::NetworkState& state,
                                     bool& reusable);
  netmodels::Result<void> audit(const Prepared& prepared, const Cost& price,
                                const netmodels::NetworkState& state);
  /// @returns `price`, or an Error where an audit disagrees
  netmodels::Result<Cost> audited(const Prepared& prepared, const Cost& price,
                                  const netmodels::NetworkState& state);

  SharedCluster& cluster_;
  const Platform& platform_;
  Settings settings_;
  std::vector<std::uint32_t> workers_;
  std::vector<Prepared> prepared_;
  std::shared_ptr<CandidateMemo> candidates_;  ///< of these workers; null before any
  std::optional<NcclTimes> nccl_;              ///< of these workers
  EvaluatorCounts counts_;
};

/// The latency and bandwidth that the closed forms may use.
/// @returns them, or an Error when the network is not free and homogeneous
netmodels::Result<netmodels::LinkState> homogeneous_link(const Platform& platform,
                                                         const std::vector<std::uint32_t>& workers,
                                                         const netmodels::NetworkState& state);

}  // namespace sim::engine
