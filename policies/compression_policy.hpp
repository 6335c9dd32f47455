// The compression role: which method at which ratio now, and what is to be tried before anything is sent.
// there.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/method.hpp"
#include "netmodels/quantity.hpp"
#include "policies/exchange_policy.hpp"
#include "settings/fields.hpp"

namespace policies {

// The compression ratio of the first epochs, on its way from everything to what is wanted.

/// How a ratio falls: in each step, from epoch to epoch, or at once in the end.
enum class RatioShape : std::uint8_t { linear, exponential, dense };

constexpr auto names_of(RatioShape) {
  return std::to_array<settings::Named<RatioShape>>({{"linear", RatioShape::linear},
                                                     {"exponential", RatioShape::exponential},
                                                     {"dense", RatioShape::dense}});
}

/// How the ratio falls. With E epochs of warm-up and the wanted ratio c, at epoch e:
///
///   linear:       1 - (1 - c) e / E              changes with every step
///   exponential:  c^((floor(e) + 1) / (E + 1))   changes with every epoch
///   dense:        1                              for E epochs, or for a number of steps
///
/// Source: linear: the released code of Tyagi & Swany, "Flexible Communication for Optimal Distributed
///         Learning over Unpredictable Networks", IEEE BigData 2023 (E = 5); exponential: Lin et al., "Deep
///         Gradient Compression", ICLR 2018 (E = 4 and c = 0.001: 25 %, 6.3 %, 1.6 %, 0.4 %, then 0.1 %);
///         dense: Tang et al., "1-bit Adam: Communication Efficient Large-Scale Training with Adam's
///         Convergence Speed", ICML 2021 (`freeze_step` of DeepSpeed).
struct RatioSchedule {
  double epochs = 0;  ///< E, at least 0; 0: no warm-up
  RatioShape shape = RatioShape::exponential;
  std::int64_t steps = 0;  ///< length of a dense warm-up, at least 0; one of the two lengths is 0

  bool operator==(const RatioSchedule&) const = default;

  [[nodiscard]] bool any() const { return epochs > 0 || steps > 0; }
  /// Whether whole gradients are sent first.
  [[nodiscard]] bool is_dense() const { return shape == RatioShape::dense && any(); }
  /// @param done  steps of the training
  [[nodiscard]] bool over(std::int64_t done, double epoch) const { return done >= steps && epoch >= epochs; }
  /// @param wanted  c, in (0, 1]
  /// @param epoch   e, in [0, E)
  /// @returns a ratio in [c, 1]
  [[nodiscard]] double at(double epoch, double wanted) const {
    if (shape == RatioShape::dense) return 1;
    if (shape == RatioShape::linear) return 1 - (1 - wanted) * epoch / epochs;
    return std::pow(wanted, (std::floor(epoch) + 1) / (epochs + 1));
  }
};

void describe(settings::Fields& fields, RatioSchedule& schedule);
/// Two lengths, and steps of a ratio that falls.
std::optional<settings::Problem> problem_of(const RatioSchedule& schedule);

// The compression role: which method at which ratio now, and what is to be tried before anything is sent.

/// One way to compress.
struct CompressionChoice {
  kernels::Method method;  ///< a row of the wire formats
  double ratio = 1;        ///< kept / original, in (0, 1]; 1 for dense

  /// Whether something else than the gradient as it is is sent.
  [[nodiscard]] bool compresses() const { return method.compresses(); }

  bool operator==(const CompressionChoice&) const = default;
};

/// The settings of a job besides those of its policy.
struct CompressionJob {
  CompressionChoice stated = {};  ///< method and ratio, for policies that do not choose them
  RatioSchedule warm_up = {};     ///< before the policy begins
  double hysteresis = 0;          ///< another method must be cheaper by this share, in [0, 1)
  std::uint32_t seed = 1;         ///< seed of all random numbers of a policy
};

/// Everything that a compression policy may see before a step.
struct CompressionObservation {
  std::int64_t step = 0;  ///< from 0; counts on while candidates are explored
  double epoch = 0;
  std::uint32_t workers = 1;
  std::int64_t values = 1;                 ///< number of values of the gradient
  std::optional<NetworkEstimate> network;  ///< as last probed
  std::int64_t done = 0;                   ///< steps of the training, without those that explore
};

/// The decision of a policy for the next step.
struct CompressionPlan {
  /// Compressed one after another, each from the result of the one before (multi-level), their gains found;
  /// at least one. What is sent is chosen among them, or is dense.
  std::vector<CompressionChoice> trials;
  /// The step is an experiment: model, optimizer and residuals are put back to where they were before the
  /// first step of an unbroken row of experiments with the same `experiment` number; its time and bytes are
  /// spent.
  std::optional<std::int64_t> experiment;
};

/// Measurements of the trials of a step, in their order.
struct CompressionTrials {
  /// ||g_c||^2 / ||g_e||^2 of each, mean over the workers; nothing where no learner knows it.
  std::span<const std::optional<double>> gains;
};

/// The outcome of a step, as the job itself could time it.
struct CompressionOutcome {
  CompressionChoice sent;
  std::optional<double> gain;          ///< gain of the message
  std::optional<double> squared_norm;  ///< mean over the workers of ||g||^2, uncompressed
  netmodels::Seconds compute;          ///< until the slowest worker had its gradient
  netmodels::Seconds compress;         ///< compression time of all trials
  netmodels::Seconds exchange;         ///< the network at work
  netmodels::Seconds step;             ///< all of it
  std::int64_t samples = 1;            ///< samples of all workers
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
