// The stated collective, and the cheapest one.
#include "policies/collective_choice.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/policies/collective_named.hpp"

namespace policies {

// The policy that never changes its mind.

namespace {

using namespace netmodels::literals;
using netmodels::Collective;

TEST(FixedCollective, TakesTheFirstCandidateWhateverTheNetworkDoes) {
  const std::array candidates{collective_named("tree_allreduce"), collective_named("ring_allreduce")};
  const std::array operations{netmodels::Operation{8, 100_MB}};
  FixedCollective policy;
  EXPECT_EQ(policy.choose({std::nullopt, operations, candidates})->name, "tree_allreduce");
  EXPECT_EQ(policy.choose({NetworkEstimate{{{}, 1_Gbps}, {}}, operations, candidates})->name,
            "tree_allreduce");
}

TEST(FixedCollective, ACopyChoosesTheSame) {
  const std::array candidates{collective_named("tree_allreduce"), collective_named("ring_allreduce")};
  EXPECT_EQ(FixedCollective().copy()->choose({{}, {}, candidates})->name, "tree_allreduce");
}

}  // namespace

// The policy that follows the closed forms: its beginning, changes of mind, hysteresis and replays.

namespace {

using namespace netmodels::literals;
using netmodels::Bandwidth;
using netmodels::Collective;
using netmodels::Operation;
using netmodels::Seconds;

// Eight ranks: the ring takes 14 L + 1.75 M/B, the binomial tree 6 L + 6 M/B; they meet at 8 L = 4.25 M/B.
const std::array kCandidates{collective_named("ring_allreduce"), collective_named("tree_allreduce")};
const std::array kOperations{Operation{8, 8_MB}};
constexpr Bandwidth kFast{100e9};  // M/B is 80 us: the tree's when latency is 1 ms
constexpr Bandwidth kSlow{100e6};  // M/B is 80 ms: the ring's

ExchangeObservation network_seen(Seconds latency, Bandwidth bandwidth) {
  return {NetworkEstimate{{latency, bandwidth}, {}}, kOperations, kCandidates};
}

/// The bandwidth at which the tree costs `share` of what the ring costs, at 1 ms.
/// 6 L + 6 x = share (14 L + 1.75 x), so that x = M/B = L (14 share - 6) / (6 - 1.75 share).
Bandwidth tree_at(double share) { return 8_MB / (1_ms * ((14 * share - 6) / (6 - 1.75 * share))); }

TEST(CheapestCollective, BeginsWithTheFirstCandidateWhenNothingIsKnown) {
  CheapestCollective policy(0);
  EXPECT_EQ(policy.choose({std::nullopt, kOperations, kCandidates})->name, "ring_allreduce");
}

TEST(CheapestCollective, TakesTheRingWhereBandwidthIsScarceAndTheTreeWhereLatencyWeighs) {
  EXPECT_EQ(CheapestCollective(0).choose(network_seen(1_ms, kSlow))->name, "ring_allreduce");
  EXPECT_EQ(CheapestCollective(0).choose(network_seen(1_ms, kFast))->name, "tree_allreduce");
}

TEST(CheapestCollective, ChangesItsMindWithTheNetwork) {
  CheapestCollective policy(0);
  EXPECT_EQ(policy.choose(network_seen(1_ms, kFast))->name, "tree_allreduce");
  EXPECT_EQ(policy.choose(network_seen(1_ms, kSlow))->name, "ring_allreduce");
  EXPECT_EQ(policy.choose(network_seen(1_ms, kFast))->name, "tree_allreduce");
}

TEST(CheapestCollective,
     CountsAllExchangesOfAStep) {  // 4 of 2 MB: 56 L + 1.75 M/B against 24 L + 6 M/B, M = 8 MB
  const std::vector<Operation> buckets(4, Operation{8, 2_MB});
  const Bandwidth between = 8_MB / 4_ms;  // 8 L < 4.25 M/B for one message, 32 L > 4.25 M/B for four
  CheapestCollective policy(0);
  EXPECT_EQ(policy.choose(network_seen(1_ms, between))->name, "ring_allreduce");
  EXPECT_EQ(policy.choose({NetworkEstimate{{1_ms, between}, {}}, buckets, kCandidates})->name,
            "tree_allreduce");
}

TEST(CheapestCollective, HysteresisKeepsAChoiceThatIsLittleWorse) {
  CheapestCollective policy(0.1);
  EXPECT_EQ(policy.choose(network_seen(1_ms, kSlow))->name, "ring_allreduce");
  EXPECT_EQ(policy.choose(network_seen(1_ms, tree_at(0.91)))->name, "ring_allreduce");
  EXPECT_EQ(policy.choose(network_seen(1_ms, tree_at(0.89)))->name, "tree_allreduce");
  EXPECT_EQ(policy.choose(network_seen(1_ms, tree_at(1.05)))->name,
            "tree_allreduce");  // the ring is only 5 % better
}

TEST(CheapestCollective, HysteresisDoesNotHoldBackTheFirstChoice) {
  EXPECT_EQ(CheapestCollective(0.5).choose(network_seen(1_ms, tree_at(0.95)))->name, "tree_allreduce");
}

TEST(CheapestCollective, TheFirstChoiceAfterAnUnknownBeginningMustBeatIt) {  // it already runs the ring
  CheapestCollective policy(0.1);
  (void)policy.choose({std::nullopt, kOperations, kCandidates});
  EXPECT_EQ(policy.choose(network_seen(1_ms, tree_at(0.95)))->name, "ring_allreduce");
}

TEST(CheapestCollective, AChoiceThatIsNoCandidateAnyMoreIsForgotten) {
  CheapestCollective policy(0.9);
  EXPECT_EQ(policy.choose(network_seen(1_ms, kFast))->name, "tree_allreduce");
  const std::array others{collective_named("parameter_server_allreduce"), collective_named("ring_allreduce")};
  EXPECT_EQ(policy.choose({NetworkEstimate{{1_ms, kSlow}, {}}, kOperations, others})->name, "ring_allreduce");
}

TEST(CheapestCollective, EqualCostsKeepTheCurrentChoice) {
  const std::array equals{collective_named("table_one_ring"), collective_named("ring_allreduce")};
  CheapestCollective policy(0);
  EXPECT_EQ(policy.choose({NetworkEstimate{{1_ms, kSlow}, {}}, kOperations, equals})->name, "table_one_ring");
}

TEST(CheapestCollective, TheSameObservationsTwiceGiveTheSameDecisions) {
  const std::vector<Bandwidth> weather{kSlow,         kFast,        tree_at(0.95), tree_at(0.85),
                                       tree_at(1.05), tree_at(1.2), kFast};
  const auto decide = [&] {
    CheapestCollective policy(0.1);
    std::vector<std::string_view> names;
    for (const Bandwidth bandwidth : weather)
      names.push_back(policy.choose(network_seen(1_ms, bandwidth))->name);
    return names;
  };
  EXPECT_EQ(decide(), decide());
}

TEST(CheapestCollective, ACopyRemembersAndThenGoesItsOwnWay) {
  CheapestCollective policy(0.1);
  (void)policy.choose(network_seen(1_ms, kFast));
  const auto fork = policy.copy();
  EXPECT_EQ(fork->choose(network_seen(1_ms, tree_at(1.05)))->name,
            "tree_allreduce");  // as the original would
  EXPECT_EQ(fork->choose(network_seen(1_ms, kSlow))->name, "ring_allreduce");
  EXPECT_EQ(policy.choose(network_seen(1_ms, tree_at(1.05)))->name,
            "tree_allreduce");  // untouched by its copy
}

// Evaluated times in place of closed forms.

/// Times by candidate; counts who was evaluated.
class StatedTimes final : public CandidateTimes {
 public:
  struct One {
    std::string_view name;
    Seconds at_least;
    Seconds time;
  };
  explicit StatedTimes(std::vector<One> all) : all_(std::move(all)) {}

  Seconds time(const Collective& row, Seconds) override {
    evaluated += std::string(row.name) + " ";
    return find(row).time;
  }
  Seconds at_least(const Collective& row) override { return find(row).at_least; }

  std::string evaluated;

 private:
  const One& find(const Collective& row) { return *std::ranges::find(all_, row.name, &One::name); }
  std::vector<One> all_;
};

ExchangeObservation evaluated(StatedTimes& times) {  // closed forms would take the ring
  ExchangeObservation seen = network_seen(1_ms, kSlow);
  seen.times = &times;
  return seen;
}

constexpr Seconds kNever{std::numeric_limits<double>::infinity()};

TEST(CheapestCollective, TakesEvaluatedTimesInPlaceOfClosedForms) {
  StatedTimes times({{"ring_allreduce", 0_s, 3_s}, {"tree_allreduce", 0_s, 2_s}});
  EXPECT_EQ(CheapestCollective(0).choose(evaluated(times))->name, "tree_allreduce");
}

TEST(CheapestCollective, EvaluatesNobodyWhoseBoundIsAboveTheShortestTime) {
  StatedTimes times({{"ring_allreduce", 1_s, 2_s}, {"tree_allreduce", 3_s, 4_s}});
  EXPECT_EQ(CheapestCollective(0).choose(evaluated(times))->name, "ring_allreduce");
  EXPECT_EQ(times.evaluated.find("tree"), std::string::npos);
}

TEST(CheapestCollective, TimesWithinRoundingAreEqual) {
  StatedTimes times({{"ring_allreduce", 0_s, {2}}, {"tree_allreduce", 0_s, {2 * (1 - 1e-10)}}});
  EXPECT_EQ(CheapestCollective(0).choose(evaluated(times))->name, "ring_allreduce");
}

TEST(CheapestCollective, NeverTakesWhatCannotBeEvaluated) {
  StatedTimes times({{"ring_allreduce", 0_s, kNever}, {"tree_allreduce", 1_s, 2_s}});
  EXPECT_EQ(CheapestCollective(0.5).choose(evaluated(times))->name, "tree_allreduce");
  StatedTimes none({{"ring_allreduce", 0_s, kNever}, {"tree_allreduce", 0_s, kNever}});
  EXPECT_EQ(CheapestCollective(0).choose(evaluated(none))->name, "ring_allreduce");
}

TEST(CheapestCollective, HysteresisHoldsForEvaluatedTimesToo) {
  CheapestCollective policy(0.1);
  StatedTimes tree({{"ring_allreduce", 0_s, 3_s}, {"tree_allreduce", 0_s, 2_s}});
  EXPECT_EQ(policy.choose(evaluated(tree))->name, "tree_allreduce");
  StatedTimes close({{"ring_allreduce", 0_s, {1.9}}, {"tree_allreduce", 0_s, 2_s}});
  EXPECT_EQ(policy.choose(evaluated(close))->name, "tree_allreduce");
  StatedTimes far({{"ring_allreduce", 0_s, {1.7}}, {"tree_allreduce", 0_s, 2_s}});
  EXPECT_EQ(policy.choose(evaluated(far))->name, "ring_allreduce");
}

}  // namespace
}  // namespace policies
