// Which workers, or sites of several, take part at a time: absences by schedule, and churn by rate.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "netmodels/quantity.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// Workers that leave and return in an orderly way. Under churn a worker that may leave stays for a time
/// with mean `stay` and is then away for a time with mean `away`, both exponentially distributed and drawn
/// from the seed, so that an arm's absences do not depend on its steps. In equilibrium a share
/// stay / (stay + away) takes part; all begin present.
///
/// Where nodes are sites, one leaves and returns as a whole, with any of its workers that is named, and all
/// numbers below are those of nodes.
///
/// A run asks when a step begins, so that an absence within one step is not noticed.
///
/// Leaves out: correlated departures of several; workers that never were there before.
class Membership {
 public:
  /// @param cluster  checked: absences of one worker, or site, do not overlap
  /// @param site     workers of a site, which divides those of the cluster; 1: none are sites
  Membership(const scenario::Cluster& cluster, int site, std::uint64_t seed);

  /// Whether anything ever changes.
  [[nodiscard]] bool changes() const { return changes_; }
  /// Whether the worker is away at `now`, which never goes back.
  bool is_away(std::uint32_t worker, netmodels::Seconds now);
  /// When the worker's last absence ended; 0 where it had none. Counts up to the last `is_away`.
  [[nodiscard]] netmodels::Seconds present_since(std::uint32_t worker) const {
    return workers_[worker].present_since;
  }
  /// The first return of any of these workers after the last `is_away`; nothing where none returns.
  [[nodiscard]] std::optional<netmodels::Seconds> next_return(
      const std::vector<std::uint32_t>& workers) const;

 private:
  /// [from, until) of an absence; without `until` it lasts.
  struct Interval {
    netmodels::Seconds from;
    std::optional<netmodels::Seconds> until;
  };
  struct Worker {
    std::vector<Interval> stated;  ///< in order of time
    std::size_t passed = 0;        ///< of the stated ones
    std::optional<Interval> drawn;
    std::uint64_t draws = 0;
    netmodels::Seconds present_since = {};
    std::optional<netmodels::Seconds> returns = {};  ///< while it is away
  };
  void draw_next(std::uint32_t worker, netmodels::Seconds after);

  std::vector<Worker> workers_;
  std::optional<scenario::Churn> churn_;  ///< of these workers
  std::uint64_t seed_;
  bool changes_;
};

}  // namespace sim::engine
