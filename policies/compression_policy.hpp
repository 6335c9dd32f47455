// The compression role: which method at which ratio now, and what is to be tried before anything is sent.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/quantity.hpp"
#include "policies/exchange_policy.hpp"
#include "policies/ratio_schedule.hpp"

namespace policies {

/// One way to compress.
struct CompressionChoice {
  std::string_view method = "none";  ///< a row of the wire formats; outlives the policy
  double ratio = 1;                  ///< kept / original, in (0, 1]; 1 for dense

  bool operator==(const CompressionChoice&) const = default;
};

/// What a job states beside the settings of its policy.
struct CompressionJob {
  CompressionChoice stated = {};  ///< method and ratio, for policies that do not choose them
  RatioSchedule warm_up = {};     ///< before the policy begins
  double hysteresis = 0;          ///< another method must be cheaper by this share, in [0, 1)
  std::uint32_t seed = 1;         ///< of whatever a policy draws
};

/// Everything that a compression policy may see before a step.
struct CompressionObservation {
  std::int64_t step = 0;  ///< from 0; goes on while candidates are explored
  double epoch = 0;
  std::uint32_t workers = 1;
  std::int64_t values = 1;                 ///< of the gradient
  std::optional<NetworkEstimate> network;  ///< as last probed
};

/// What a policy wants of the next step.
struct CompressionPlan {
  /// Compressed one after another, each from the result of the one before (multi-level), their gains found;
  /// at least one. What is sent is chosen among them, or is dense.
  std::vector<CompressionChoice> trials;
  /// The step is an experiment: model, optimizer and residuals are put back to where they were before the
  /// first step of an unbroken row of experiments with the same `experiment` number; its time and bytes are
  /// spent.
  std::optional<std::int64_t> experiment;
};

/// What the trials of a step showed, in their order.
struct CompressionTrials {
  /// ||g_c||^2 / ||g_e||^2 of each, mean over the workers; nothing where no learner knows it.
  std::span<const std::optional<double>> gains;
};

/// What came of a step, as the job itself could time it.
struct CompressionOutcome {
  CompressionChoice sent;
  std::optional<double> gain;          ///< of what was sent
  std::optional<double> squared_norm;  ///< mean over the workers of ||g||^2, uncompressed
  netmodels::Seconds compute;          ///< until the slowest worker had its gradient
  netmodels::Seconds compress;         ///< of all trials
  netmodels::Seconds exchange;         ///< the network at work
  netmodels::Seconds step;             ///< all of it
  std::int64_t samples = 1;            ///< of all workers
};

/// Decides in each step: `plan`, then `choose`, then `learn`. Holds its own memory and nothing else: no
/// clock, no randomness but from a seed of its settings; a copy forks a what-if.
class CompressionPolicy {
 public:
  virtual ~CompressionPolicy() = default;
  [[nodiscard]] virtual std::unique_ptr<CompressionPolicy> copy() const = 0;
  virtual CompressionPlan plan(const CompressionObservation& seen) = 0;
  /// @returns the index of one of the trials, or nothing for the dense gradient
  virtual std::optional<std::size_t> choose(const CompressionTrials& shown) = 0;
  virtual void learn(const CompressionOutcome& outcome) = 0;
};

}  // namespace policies
