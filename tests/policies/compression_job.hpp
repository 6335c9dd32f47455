// A job that a compression policy leads, step by step, with gains, norms and times as a test states them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "policies/compression_policy.hpp"

namespace policies {

/// A job whose method is top-k.
inline const CompressionJob on_topk{.stated = {"topk", 0.1}};
/// Accordion's two choices on it.
inline const CompressionChoice low{"topk", 0.1};
inline const CompressionChoice high{"topk", 0.001};

/// The properties of one step.
struct JobStep {
  double epoch = 0;
  std::uint32_t workers = 100;  ///< N / 100 is 1: only the last gain counts
  std::int64_t values = 25'557'032;
  std::optional<NetworkEstimate> network = {};
  std::function<std::optional<double>(const CompressionChoice&)> gain = [](const auto&) { return 1.0; };
  std::function<netmodels::Seconds(const CompressionChoice&)> duration = [](const auto&) {
    return netmodels::Seconds{1};
  };
  std::optional<double> squared_norm = {};
  netmodels::Seconds compress = {};
  netmodels::Seconds compute = {};
};

/// Decisions of the policy.
struct Decided {
  std::vector<CompressionChoice> trials;
  std::optional<std::int64_t> experiment;
  CompressionChoice sent;

  bool operator==(const Decided&) const = default;
};

/// Plans, tries, sends and learns once, with 1000 samples.
inline Decided play(CompressionPolicy& policy, const JobStep& now, std::int64_t step = 0) {
  const CompressionPlan plan = policy.plan({step, now.epoch, now.workers, now.values, now.network});
  std::vector<std::optional<double>> gains;
  for (const CompressionChoice& trial : plan.trials) gains.push_back(now.gain(trial));
  const std::optional<std::size_t> chosen = policy.choose({gains});
  CompressionOutcome outcome;
  outcome.sent = chosen ? plan.trials[*chosen] : CompressionChoice{};
  outcome.gain = chosen ? gains[*chosen] : std::optional<double>(1);
  outcome.squared_norm = now.squared_norm;
  outcome.compress = now.compress;
  outcome.compute = now.compute;
  outcome.step = now.duration(outcome.sent);
  outcome.samples = 1000;
  policy.learn(outcome);
  return {plan.trials, plan.experiment, outcome.sent};
}

}  // namespace policies
