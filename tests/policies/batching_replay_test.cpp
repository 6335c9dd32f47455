// Properties of every batching policy: the same past gives the same decisions, and a copy is independent.
#include <functional>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "policies/batch_shares.hpp"
#include "policies/batching_row.hpp"
#include "policies/dynamic_batch.hpp"
#include "policies/lb_bsp_batch.hpp"

namespace policies {
namespace {

struct NamedBatching {
  std::string name;
  std::function<std::unique_ptr<BatchingPolicy>()> make;
};

void PrintTo(const NamedBatching& named, std::ostream* out) { *out << named.name; }

constexpr int kLeast = 4;
constexpr int kMost = 200;

constexpr BatchChanges within{.min = kLeast, .max = kMost};

template <class S>
NamedBatching batching_by(std::string name, std::string_view row, S settings) {
  return {std::move(name), [=] {
            const BatchingChoice choice = batching(row, settings);
            return choice->make(choice.settings(), {kLeast, kMost, {}});
          }};
}

DynamicBatch::Settings dynamic(DeadBand rule, bool normalise) {
  return {.changes = within,
          .dead_band_of = rule,
          .every = 3,
          .normalise = normalise,
          .integral = 0.1,
          .derivative = 0.1};
}

const std::vector<NamedBatching>& batching_policies() {
  static const std::vector<NamedBatching> policies{
      batching_by("uniform", "uniform", settings::None{}),
      batching_by("proportional", "proportional", within),
      batching_by("dynamic", "dynamic", dynamic(DeadBand::any_worker, true)),
      batching_by("dynamic_as_omnilearn", "dynamic", dynamic(DeadBand::each_worker, true)),
      batching_by("dynamic_as_printed", "dynamic", dynamic(DeadBand::any_worker, false)),
      batching_by("dbs", "dbs", within),
      batching_by("lb_bsp", "lb_bsp", LbBspBatch::Settings{.changes = within, .every = 4}),
      batching_by("stream_rate", "stream_rate", StreamRateBatch::Settings{within}),
  };
  return policies;
}

/// The workers' times per sample in one step, and the arrivals.
struct Step {
  std::vector<double> per_sample;
  std::vector<double> arriving;
};

std::vector<Step> recorded_speeds(unsigned seed) {
  std::mt19937 random(seed);
  const auto draw = [&] { return 1 + static_cast<double>(random() % 1000) / 100; };
  std::vector<double> speeds{draw(), draw(), draw(), draw()};
  std::vector<Step> steps;
  for (int i = 0; i < 300; ++i) {
    if (random() % 30 == 0) speeds[random() % 4] = draw();
    Step step;
    for (const double speed : speeds) {
      step.per_sample.push_back(speed * (1 + draw() / 100));
      step.arriving.push_back(30 * speed);
    }
    steps.push_back(step);
  }
  return steps;
}

/// Batches after every step; `samples` is where they begin and end.
std::vector<std::vector<int>> decided_batches(BatchingPolicy& policy, std::span<const Step> steps,
                                              std::vector<int>& samples, std::int64_t first = 0) {
  std::vector<std::vector<int>> decided;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::vector<WorkerObservation> seen;
    for (std::uint32_t worker = 0; worker < samples.size(); ++worker) {
      seen.push_back({worker, samples[worker],
                      netmodels::Seconds{1e-3 * steps[i].per_sample[worker] * (5 + samples[worker])},
                      1.0 + worker, steps[i].arriving[worker]});
    }
    const std::int64_t step = first + static_cast<std::int64_t>(i);
    if (const auto changed = policy.decide({step, static_cast<double>(step) / 20, seen})) samples = *changed;
    decided.push_back(samples);
  }
  return decided;
}

const std::vector<int> kBegin{50, 50, 50, 50};

class BatchingPolicies : public testing::TestWithParam<NamedBatching> {};

TEST_P(BatchingPolicies, DecideTheSameForTheSamePast) {
  const auto steps = recorded_speeds(1);
  auto first = kBegin;
  auto second = kBegin;
  EXPECT_EQ(decided_batches(*GetParam().make(), steps, first),
            decided_batches(*GetParam().make(), steps, second));
}

TEST_P(BatchingPolicies, RememberInACopyWhatTheOriginalKnew) {
  const auto steps = recorded_speeds(2);
  const std::span<const Step> all(steps);
  for (const std::size_t half : {0UL, 17UL, 40UL, 150UL}) {
    const auto policy = GetParam().make();
    auto samples = kBegin;
    (void)decided_batches(*policy, all.first(half), samples);
    const auto original_copy = policy->copy();
    const auto elsewhere = policy->copy();
    auto mine = samples;
    auto theirs = samples;
    (void)decided_batches(*elsewhere, recorded_speeds(3), samples);  // leaves the original untouched
    const auto at = static_cast<std::int64_t>(half);
    EXPECT_EQ(decided_batches(*policy, all.subspan(half), mine, at),
              decided_batches(*original_copy, all.subspan(half), theirs, at))
        << half;
  }
}

TEST_P(BatchingPolicies, KeepTheBounds) {
  auto samples = kBegin;
  const auto policy = GetParam().make();
  for (const auto& batches : decided_batches(*policy, recorded_speeds(4), samples)) {
    for (const int one : batches) {
      EXPECT_GE(one, kLeast);
      EXPECT_LE(one, kMost);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, BatchingPolicies, testing::ValuesIn(batching_policies()),
                         [](const auto& policy) { return policy.param.name; });

}  // namespace
}  // namespace policies
