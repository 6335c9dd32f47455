// Advice on policies: candidates enumerated, evaluated, pruned, simulated on every network, and compared.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/collective.hpp"
#include "netmodels/result.hpp"
#include "sim/advise/closed_step.hpp"
#include "sim/advise/policy_simulation.hpp"
#include "sim/advise/steps_to_target.hpp"
#include "sim/scenario/policy_advice_file.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::advise {

// The states that a free homogeneous network goes through, as closed forms need them.

/// Latency and bandwidth between any two workers: as stated, and after each change or at each point of a
/// trace.
/// @returns nothing where closed forms do not hold: links that differ, that are shared by several workers or
///          by other traffic, any topology but a star, flows that SimGrid models as TCP, and changes beside
///          traces, whose order is not known before the simulation
std::optional<std::vector<netmodels::LinkState>> link_states(const scenario::Cluster& cluster);

/// A whole training with another time of compressing than the assumed one.
struct CompressingOutcome {
  netmodels::Seconds time;  ///< infinite where no longest time of compressing is known
  std::optional<netmodels::Dollars> cost;
};

/// A candidate on one network.
struct PolicyOutcome {
  netmodels::Seconds time;  ///< to the target, with the rework after interruptions
  std::optional<netmodels::Dollars> cost;
  std::optional<netmodels::Bytes> sent_by_all;
  netmodels::Seconds margin;  ///< of `time`, up and down; 0 where nothing was measured
  SimulatedPolicy played;
  std::optional<CompressingOutcome>
      least;                               ///< if compressing takes the least time possible; nothing: certain
  std::optional<CompressingOutcome> most;  ///< if it takes the most; there where `least` is
};

/// A simulated candidate.
struct AdvisedPolicy {
  const scenario::PolicyCandidate* candidate = nullptr;  ///< outlives it
  StepsToTarget steps;
  std::optional<ClosedStep> closed;  ///< on the slowest state of the worst network, where closed forms hold
  std::vector<PolicyOutcome> outcomes;  ///< one per network
  std::size_t worst = 0;                ///< the network on which it takes longest
  bool reached = true;                  ///< the target, on every network
  bool dense = false;                   ///< bulk-synchronous, and sends gradients as they are

  [[nodiscard]] const PolicyOutcome& at_worst() const { return outcomes[worst]; }
  /// Whether its time of compressing is only a bound: no longest one is known.
  [[nodiscard]] bool bound_only() const {
    return std::ranges::any_of(outcomes, [](const PolicyOutcome& o) { return !o.played.later; });
  }
};

/// A candidate that another beats in every state of every network, by closed forms.
struct PrunedPolicy {
  const scenario::PolicyCandidate* candidate = nullptr;
  StepsToTarget steps;
  netmodels::Seconds at_least;  ///< its time on the best state
};

/// The answer.
struct AdvisedPolicies {
  const scenario::PolicyQuestion* question = nullptr;  ///< outlives it
  std::vector<AdvisedPolicy> played;                   ///< in the order of the candidates; at least one
  std::vector<PrunedPolicy> pruned;
  double pruning_margin = 0;
  bool closed_forms = true;                    ///< whether they hold on these networks
  std::vector<scenario::LeftOut> left_out;     ///< by the scenario, its learner, or the engine
  std::string learner;                         ///< the source of accuracies
  std::optional<std::size_t> chosen;           ///< of `played`; nothing where none reaches the target
  std::optional<std::size_t> chosen_if_least;  ///< of `played`, if compressing takes the least time possible
  std::optional<std::size_t> chosen_if_most;   ///< if it takes the most
  std::optional<std::size_t> best_dense;       ///< of `played`; nothing where none was asked for
};

/// How it is done.
struct AdviceEffort {
  std::size_t jobs = 1;  ///< processes at a time
  const std::atomic<bool>* stop = nullptr;
  std::function<void(double share)> said = nullptr;  ///< called for each simulated candidate
};

/// Counts steps by the learner, evaluates all candidates by closed forms, keeps those within reach, and
/// simulates each of them on each network in its own process.
/// @param data_dir  the folder `scenarios`
/// @returns the answer, or an Error where no candidate can be simulated
/// @throws std::runtime_error where the system fails
netmodels::Result<AdvisedPolicies> advise_policies(const scenario::PolicyQuestion& question,
                                                   const std::filesystem::path& data_dir,
                                                   const AdviceEffort& effort);

}  // namespace sim::advise
