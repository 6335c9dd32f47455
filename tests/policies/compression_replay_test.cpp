// Properties of every compression policy: the same past gives the same decisions, and a copy is independent.
#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "policies/accordion.hpp"
#include "policies/compression_row.hpp"
#include "policies/flexible_compression.hpp"
#include "policies/gravac.hpp"
#include "policies/scadles_compression.hpp"
#include "tests/policies/compression_job.hpp"

namespace policies {
namespace {

using Make = std::function<std::unique_ptr<CompressionPolicy>()>;

struct NamedCompression {
  std::string name;
  Make make;
};

void PrintTo(const NamedCompression& named, std::ostream* out) { *out << named.name; }

template <class S>
NamedCompression compressing_by(std::string name, std::string_view row, S settings,
                                CompressionJob job = on_topk) {
  return {std::move(name), [=] { return compression(row, settings)->make(&settings, job); }};
}

FlexibleCompression::Settings published_ratios(ParetoSolver solver) {
  return {.ratios = {0.1, 0.033, 0.011, 0.004, 0.001}, .solver = solver};
}

const std::vector<NamedCompression>& compression_policies() {
  static const CompressionJob warming{.stated = {"topk", 0.1}, .warm_up = {0.5, RatioShape::linear}};
  static const CompressionJob warming_long{.stated = {"topk", 0.1}, .warm_up = {2, RatioShape::exponential}};
  static const Gravac::Settings gravac{.window = 7};
  static const std::vector<NamedCompression> policies{
      compressing_by("fixed", "fixed", settings::None{}),
      compressing_by("accordion", "accordion", Accordion::Settings{{0.1, 0.001}, 0.1, 1}),
      compressing_by("accordion_per_step", "accordion_per_step",
                     AccordionPerStep::Settings{{0.1, 0.001}, 0.05, 0.5}),
      compressing_by("scadles", "scadles", ScadlesCompression::Settings{}),
      compressing_by("gravac", "gravac", gravac),
      compressing_by("flexible", "flexible", published_ratios(ParetoSolver::exact), warming),
      compressing_by("flexible_nsga2", "flexible", published_ratios(ParetoSolver::nsga2), warming),
      {"warm_up", [] { return make_policy(compression("gravac", gravac), warming_long); }},
  };
  return policies;
}

/// 300 steps of a job whose gains, norms, times and network wander; the same for the same seed.
std::vector<JobStep> recorded_steps(unsigned seed) {
  std::mt19937 random(seed);
  const auto draw = [&] { return static_cast<double>(random() % 1000) / 1000; };
  std::vector<JobStep> steps;
  double bandwidth = 1e9;
  for (int i = 0; i < 300; ++i) {
    if (random() % 40 == 0) bandwidth = 1e8 * (1 + 30 * draw());
    const double noise = 0.1 * draw();
    steps.push_back(
        {.epoch = i / 30.0,
         .workers = 8,
         .network = NetworkEstimate{{{1e-3}, {bandwidth}}, {}},
         .gain = [noise](const auto& choice) { return std::pow(choice.ratio, 0.1 + noise); },
         .duration = [noise](const auto& sent) { return netmodels::Seconds{0.1 + noise + sent.ratio}; },
         .squared_norm = 1 + draw(),
         .compress = {0.01 * draw()}});
  }
  return steps;
}

std::vector<Decided> decided_compression(CompressionPolicy& policy, std::span<const JobStep> steps) {
  std::vector<Decided> decided;
  for (const JobStep& step : steps) decided.push_back(play(policy, step));
  return decided;
}

class CompressionPolicies : public testing::TestWithParam<NamedCompression> {};

TEST_P(CompressionPolicies, DecideTheSameForTheSamePast) {
  const auto steps = recorded_steps(1);
  EXPECT_EQ(decided_compression(*GetParam().make(), steps), decided_compression(*GetParam().make(), steps));
}

TEST_P(CompressionPolicies, RememberInACopyWhatTheOriginalKnew) {
  const auto steps = recorded_steps(2);
  const std::span<const JobStep> all(steps);
  for (const std::size_t half : {0UL, 17UL, 40UL, 150UL}) {
    const auto policy = GetParam().make();
    (void)decided_compression(*policy, all.first(half));
    const auto original_copy = policy->copy();
    const auto elsewhere = policy->copy();
    (void)decided_compression(*elsewhere, recorded_steps(3));  // leaves the original untouched
    EXPECT_EQ(decided_compression(*policy, all.subspan(half)),
              decided_compression(*original_copy, all.subspan(half)))
        << half;
  }
}

TEST_P(CompressionPolicies, AskForRatiosAboveZeroAndUpToOne) {
  const auto policy = GetParam().make();
  for (const Decided& decided : decided_compression(*policy, recorded_steps(4))) {
    ASSERT_FALSE(decided.trials.empty());
    for (const CompressionChoice& trial : decided.trials) {
      EXPECT_GT(trial.ratio, 0);
      EXPECT_LE(trial.ratio, 1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, CompressionPolicies, testing::ValuesIn(compression_policies()),
                         [](const auto& policy) { return policy.param.name; });

}  // namespace
}  // namespace policies
