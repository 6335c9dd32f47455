// Time that a step of several workers loses against one worker alone, and changes that make it shorter.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::fit {

/// The arm that is asked about, with further `KEY=VALUE`; an Error where it cannot have them. Called first
/// without any.
using ReadArm = std::function<netmodels::Result<scenario::Scenario>(std::span<const std::string> settings)>;

/// Known facts of a training that is slower than hoped.
struct StepLossQuestion {
  ReadArm read;
  std::optional<netmodels::Seconds> step;   ///< measured, of all workers; nothing: as predicted
  std::optional<netmodels::Seconds> alone;  ///< measured, of one worker; nothing: as predicted
};

/// A part of the time that a step loses.
struct LostTime {
  std::string_view key;   ///< key in CSV and JSON
  std::string_view what;  ///< text for people
  netmodels::Seconds time;
};

/// A step under other circumstances.
struct OtherStep {
  std::string what;  ///< "no exchange", "line rate of 25 Gbit/s", "exchange.overlap=true"
  netmodels::Seconds step;
  double samples_per_second = 0;  ///< rate of all workers
  double efficiency = 0;          ///< samples per second, over those of as many workers alone
};

/// How a change affects training.
enum class ChangeKind {
  exact,         ///< the same update of the model by each step
  approximated,  ///< gradients lose something on their way
  batch,         ///< each step uses more samples
  local,         ///< workers take steps by themselves
};

/// "the same update".
std::string_view describe(ChangeKind kind);

/// A change of the scenario that was simulated.
struct StepRemedy {
  ChangeKind kind = ChangeKind::exact;
  OtherStep result;          ///< `what` holds the settings, as `--set` takes them
  bool is_at_least = false;  ///< the time of compressing is a floor, so that the step may take longer
};

/// The network that explains a measured step.
struct ExplainingNetwork {
  std::string_view key;  ///< key that states it: `cluster.link.bandwidth`
  std::string value;     ///< "3.2 Gbit/s"
  std::string stated;
  bool is_faster = false;  ///< than the stated one
};

/// The answer.
struct StepLoss {
  std::string arm;  ///< empty: the scenario has one
  int workers = 1;  ///< workers, or replicas on several GPUs
  int gpus = 1;     ///< GPUs of each worker
  /// A step in which each worker computes by itself: of one worker alone, or, where their batches or speeds
  /// differ, of as many samples at the sum of their rates.
  netmodels::Seconds alone;
  bool is_uneven = false;  ///< whether batches or speeds differ
  bool is_alone_measured = false;
  netmodels::Seconds predicted;  ///< step of all workers, on the network that is stated
  netmodels::Seconds step;       ///< explained step: the measured one, else `predicted`
  /// A measured step that the stated network does not explain within the tie of predictions, and the one that
  /// does.
  std::optional<ExplainingNetwork> network;
  bool has_changes = false;    ///< whether later changes of the network are left out
  std::vector<LostTime> lost;  ///< the largest first; they add up to `step` less `alone`
  std::vector<OtherStep> ceilings;
  /// Efficiency at the lower and the upper end of the published range of the network's goodput.
  std::optional<std::pair<OtherStep, OtherStep>> range;
  /// Settings that were simulated; empty where the arm does not apply whole gradients in every step.
  std::vector<std::string> tried;
  /// The best change of each kind that is faster by more than the tie of predictions, those that change least
  /// of the training first; one that changes more is faster than those before it that are no bounds.
  std::vector<StepRemedy> remedies;

  [[nodiscard]] double efficiency() const { return alone / step; }
};

/// Simulates the step on the stated network and on others, and changes of the scenario.
///
/// A measured `alone` scales forward pass, backward pass and optimizer of every step, so that one worker
/// takes as long. A measured `step` that the prediction misses by more than `scenario::tie` replaces the
/// goodput of the network by the one that explains it, for everything but `predicted`; what no goodput
/// explains is a part of its own.
///
/// @returns an Error of the scenario; where steps have no typical one; where there is one worker; for
/// measured
///          times that contradict each other: a step shorter than that of one worker alone, `alone` shorter
///          than the host overhead
/// Leaves out: goodput where traces, links of single workers or measured tables set it, which stays as
///             stated; jitter and stragglers of the run; changes of the network after the first step.
netmodels::Result<StepLoss> step_loss(const StepLossQuestion& question);

}  // namespace sim::fit
