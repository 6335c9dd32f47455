// State shared by runs on the same cluster: the built platform, and the times of its collectives.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "netmodels/collective.hpp"
#include "netmodels/path.hpp"
#include "netmodels/result.hpp"
#include "sim/engine/network_state_numbers.hpp"
#include "sim/engine/platform.hpp"
#include "sim/engine/simgrid_evaluator.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// How the time of a collective came about.
enum class EvaluatedBy { closed, path, simgrid, measured, nccl };

std::string_view to_string(EvaluatedBy evaluator);

/// A collective of some workers on one platform, and its times on the states of the network in which it was
/// evaluated, each valid for as long as that state lasts.
struct SharedCollective {
  struct Known {
    netmodels::Seconds duration;
    EvaluatedBy by;
    bool contended;  ///< messages were found to share links
  };

  const netmodels::Collective* row;
  netmodels::Operation operation;
  std::vector<std::uint32_t> workers;                 ///< by rank
  std::optional<netmodels::Schedule> schedule;        ///< nothing for closed forms without one
  std::unique_ptr<netmodels::RoutedSchedule> routed;  ///< made when the path evaluator is first asked
  /// By number of the network state; the second where messages are already known to share links.
  std::array<std::unordered_map<std::uint64_t, Known>, 2> known;
};

/// What a candidate of `collective: auto` would take on some workers, while the network stays as it is.
struct CandidateTime {
  netmodels::Seconds at_least;
  std::optional<netmodels::Seconds> time = {};  ///< nothing: not evaluated yet; infinite: refused
};

/// An operation by its row, bytes, group and chunks, and the number of the network state.
using CandidateKey =
    std::tuple<const netmodels::Collective*, double, std::uint32_t, std::uint32_t, std::uint64_t>;
using CandidateMemo = std::map<CandidateKey, CandidateTime>;

/// A built platform with everything that is found out on it.
class SharedCluster {
 public:
  /// @param stop  ends an evaluation by SimGrid when true; outlives this; may be null
  explicit SharedCluster(std::unique_ptr<Platform> platform, const std::atomic<bool>* stop = nullptr);

  [[nodiscard]] const Platform& platform() const { return *platform_; }
  /// By which results for a state of the network are known to all runs.
  [[nodiscard]] ClusterStateNumbers& numbers() { return numbers_; }
  /// Made when first asked.
  SimGridEvaluator& simgrid();
  /// Of the last ones that were asked for: at most 1024, whose schedules take at most 64 MiB unless one alone
  /// takes more. Whoever holds another goes on reading it.
  /// @param workers  by rank
  std::shared_ptr<SharedCollective> collective(const netmodels::Collective& row,
                                               const netmodels::Operation& operation,
                                               const std::vector<std::uint32_t>& workers);
  /// What `collective: auto` has found out with this evaluator. Of the last sets of workers alone: some
  /// policies draw others in each exchange.
  /// @param workers  by rank
  std::shared_ptr<CandidateMemo> candidates(scenario::Evaluator evaluator,
                                            const std::vector<std::uint32_t>& workers) {
    constexpr std::size_t most_kept = 64;
    if (candidates_.size() >= most_kept) candidates_.clear();
    std::shared_ptr<CandidateMemo>& known = candidates_[{evaluator, workers}];
    if (!known) known = std::make_shared<CandidateMemo>();
    return known;
  }

 private:
  std::unique_ptr<Platform> platform_;
  ClusterStateNumbers numbers_;
  const std::atomic<bool>* stop_;
  std::unique_ptr<SimGridEvaluator> simgrid_;
  std::vector<std::shared_ptr<SharedCollective>> collectives_;  ///< the oldest first
  std::size_t kept_bytes_ = 0;                                  ///< of their schedules
  std::map<std::pair<scenario::Evaluator, std::vector<std::uint32_t>>, std::shared_ptr<CandidateMemo>>
      candidates_;
};

/// Keeps the last cluster from one run to the next, so that arms with equal clusters, their explanations and
/// their verdict build and evaluate everything once. A process has one platform at a time: none may be in use
/// when another is asked for.
class ClusterCache {
 public:
  /// @param stop  ends what is evaluated on the clusters in the middle when true; outlives them; may be null
  explicit ClusterCache(const std::atomic<bool>* stop = nullptr) : stop_(stop) {}

  /// @returns the cluster, or an Error when it cannot be built as stated
  netmodels::Result<std::shared_ptr<SharedCluster>> find(const scenario::Cluster& stated);
  /// Forgets the cluster, so that others may build one.
  void clear() { last_.reset(); }

 private:
  const std::atomic<bool>* stop_;
  scenario::Cluster stated_;
  std::shared_ptr<SharedCluster> last_;
};

}  // namespace sim::engine
