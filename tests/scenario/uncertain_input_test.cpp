// Quantities that state how certain they are.
#include "sim/scenario/uncertain_input.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/policy_advice_file.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using netmodels::Bandwidth;
using netmodels::Seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr double gbit = 1e9 / 8;

std::string with_bandwidth(const std::string& bandwidth) {
  return with_cluster("workers: 4, link: {latency: 1 ms, bandwidth: " + bandwidth + "}");
}

const std::string ranged = "{value: 4 Gbit/s, range: [3 Gbit/s, 5 Gbit/s]}";

TEST(UncertainInput, IsTheStatedValueWhereNothingIsDrawn) {
  const Study read = study(with_bandwidth(ranged));
  EXPECT_DOUBLE_EQ(read.arms.at(0).cluster.link.bandwidth.count, 4 * gbit);
  ASSERT_EQ(read.uncertain.size(), 1U);
  const UncertainInput& input = read.uncertain.front();
  EXPECT_EQ(input.key, "cluster.link.bandwidth");
  EXPECT_EQ(input.text(), "3 Gbit/s to 5 Gbit/s");
  EXPECT_THAT(input.origin, HasSubstr("s.yaml:3:"));
  EXPECT_THAT(std::string(input.measure), HasSubstr("calibrate probe"));
  EXPECT_THAT(input.arms, ElementsAre("run"));
}

TEST(UncertainInput, TakesItsMeanWhereItIsNormal) {
  const Study read = study(with_bandwidth("{mean: 4 Gbit/s, sd: 0.5 Gbit/s}"));
  EXPECT_DOUBLE_EQ(read.arms.at(0).cluster.link.bandwidth.count, 4 * gbit);
  EXPECT_EQ(read.uncertain.at(0).text(), "4 Gbit/s, sd 500 Mbit/s");
}

/// The certain value is written as a scalar: nothing is uncertain then.
TEST(UncertainInput, IsNotFoundInCertainScenarios) { EXPECT_THAT(study(least).uncertain, IsEmpty()); }

/// Of 3 to 5 with the mode 4 half lies below 4, and an eighth below 3.5: (0.5)^2 / (2 * 1).
TEST(UncertainInput, TriangularQuantilesAreThoseByHand) {
  EXPECT_DOUBLE_EQ(triangular_quantile(3, 4, 5, 0.5), 4);
  EXPECT_DOUBLE_EQ(triangular_quantile(3, 4, 5, 0.125), 3.5);
  EXPECT_DOUBLE_EQ(triangular_quantile(3, 4, 5, 0.875), 4.5);
  EXPECT_DOUBLE_EQ(triangular_quantile(3, 3, 5, 0), 3);
  EXPECT_DOUBLE_EQ(triangular_quantile(3, 3, 5, 0.75), 4);
  EXPECT_DOUBLE_EQ(triangular_quantile(3, 5, 5, 1), 5);
  EXPECT_DOUBLE_EQ(triangular_quantile(4, 4, 4, 0.3), 4);
}

/// The 97.5th percentile of a normal value is 1.96 deviations above its mean.
TEST(UncertainInput, NormalQuantilesAreThoseOfTheTable) {
  const UncertainInput input = study(with_bandwidth("{mean: 400 Gbit/s, sd: 1 Gbit/s}")).uncertain.at(0);
  EXPECT_NEAR(input.quantile(0.5) / gbit, 400, 1e-9);
  EXPECT_NEAR(input.quantile(0.975) / gbit, 401.959964, 1e-5);
}

/// Of a normal value with mean 1 and deviation 1, cut off at 0, half lies below the quantile
/// (0.1587 + 0.8413 / 2 = 0.5793) of the whole: 1.2002.
TEST(UncertainInput, NormalValuesAreCutOffAtZero) {
  const UncertainInput input = study(with_bandwidth("{mean: 1 Gbit/s, sd: 1 Gbit/s}")).uncertain.at(0);
  EXPECT_NEAR(input.quantile(0.5) / gbit, 1.2002, 1e-4);
  for (const double share : {1e-9, 0.01, 0.1}) EXPECT_GT(input.quantile(share), 0);
}

/// The value that a draw says is what the scenario has, everywhere that it is read.
TEST(UncertainInput, IsDrawnByItsIdentity) {
  const tests::ScratchFolder scratch;
  const auto file = scratch.write("s.yaml", with_bandwidth(ranged));
  const auto stated = read_study(file, {}, data_dir, some_metrics);
  ASSERT_TRUE(stated) << stated.error().text();
  const auto drawn =
      read_study(file, {}, data_dir, some_metrics, {{stated->study.uncertain.at(0).id, 0.875}});
  ASSERT_TRUE(drawn) << drawn.error().text();
  EXPECT_NEAR(drawn->study.arms.at(0).cluster.link.bandwidth.count, 4.5 * gbit, 1e-3);
}

/// One unknown of both arms, and one that an arm states by itself.
TEST(UncertainInput, IsOneUnknownForAllArmsThatStateItAlike) {
  const Study read =
      study(with_bandwidth(ranged) +
            "compare:\n  a: {}\n  b: {}\n"
            "  c: {cluster: {link: {bandwidth: {value: 4 Gbit/s, range: [1 Gbit/s, 5 Gbit/s]}}}}\n");
  ASSERT_EQ(read.uncertain.size(), 2U);
  EXPECT_THAT(read.uncertain[0].arms, ElementsAre("a", "b"));
  EXPECT_THAT(read.uncertain[1].arms, ElementsAre("c"));
}

TEST(UncertainInput, MayBeAnyQuantity) {
  const Study read = study(
      "# Does it pay?\n"
      "workload: {name: tiny, parameters: 1000000, compute: {mean: 30 ms, sd: 3 ms}, batch: 32,\n"
      "           host_overhead: {value: 1 ms, range: [0 ms, 4 ms]}}\n"
      "cluster:\n"
      "  workers: 4\n"
      "  link: {latency: {value: 1 ms, range: [0.5 ms, 2 ms]}, bandwidth: 10 Gbit/s}\n"
      "  changes: [{at: epoch 1, bandwidth: {value: 1 Gbit/s, range: [0.5 Gbit/s, 2 Gbit/s]}}]\n"
      "training: {batch: 32, epochs: 2, samples: 12800}\n"
      "compression: {method: topk, ratio: 1 %, time: {value: 5 ms, range: [1 ms, 9 ms]}}\n");
  std::vector<std::string> keys;
  for (const UncertainInput& input : read.uncertain) keys.push_back(input.key);
  EXPECT_THAT(keys, ElementsAre("cluster.link.latency", "cluster.changes[0].bandwidth", "compression.time",
                                "workload.compute", "workload.host_overhead.fixed"));
  EXPECT_EQ(read.arms.at(0).cluster.changes.at(0).bandwidth, Bandwidth{gbit});
}

TEST(UncertainInput, IsReplacedByACertainValueOfAnOption) {
  const Study read = study(with_bandwidth(ranged), {"cluster.link.bandwidth=2 Gbit/s"});
  EXPECT_DOUBLE_EQ(read.arms.at(0).cluster.link.bandwidth.count, 2 * gbit);
  EXPECT_THAT(read.uncertain, IsEmpty());
}

TEST(UncertainInput, MayBeAnOption) {
  const Study read = study(least, {"cluster.link.bandwidth={mean: 2 Gbit/s, sd: 1 Gbit/s}"});
  EXPECT_EQ(read.uncertain.size(), 1U);
  const Study other =
      study(with_bandwidth(ranged), {"cluster.link.bandwidth={mean: 2 Gbit/s, sd: 1 Gbit/s}"});
  EXPECT_EQ(other.uncertain.at(0).text(), "2 Gbit/s, sd 1 Gbit/s, cut off at 0 bit/s (2.3 % of it)");
}

TEST(UncertainInput, SaysWhatIsCutOffOfANormalDistribution) {  // 16 % lie below the mean less one deviation
  const Study wide = study(least, {"cluster.link.bandwidth={mean: 2 Gbit/s, sd: 2 Gbit/s}"});
  EXPECT_EQ(wide.uncertain.at(0).text(), "2 Gbit/s, sd 2 Gbit/s, cut off at 0 bit/s (16 % of it)");
  const Study narrow = study(least, {"cluster.link.bandwidth={mean: 2 Gbit/s, sd: 0.8 Gbit/s}"});
  EXPECT_EQ(narrow.uncertain.at(0).text(), "2 Gbit/s, sd 800 Mbit/s");
}

/// A resolved scenario keeps the range, so that it plays again as it did.
TEST(UncertainInput, StaysInTheResolvedScenario) {
  const tests::ScratchFolder scratch;
  const auto first = read(scratch, with_bandwidth(ranged));
  ASSERT_TRUE(first);
  const auto second = read(scratch, print_study(*first));
  ASSERT_TRUE(second) << second.error().text();
  ASSERT_EQ(second->study.uncertain.size(), 1U);
  EXPECT_EQ(second->study.uncertain[0].id, first->study.uncertain[0].id);
}

TEST(UncertainInput, RefusesWrongRanges) {
  EXPECT_EQ(
      refusal(with_bandwidth("{value: 4 Gbit/s, range: [5 Gbit/s, 3 Gbit/s]}")),
      "s.yaml:3:81: `cluster.link.bandwidth.range`: the lower end 5 Gbit/s is not below the upper end 3 "
      "Gbit/s; write the lower end first");
  EXPECT_THAT(
      refusal(with_bandwidth("{value: 4 Gbit/s, range: [4 Gbit/s, 4 Gbit/s]}")),
      HasSubstr("the lower end 4 Gbit/s is not below the upper end 4 Gbit/s; write the value alone where "
                "it is certain"));
  EXPECT_THAT(refusal(with_bandwidth("{value: 6 Gbit/s, range: [3 Gbit/s, 5 Gbit/s]}")),
              HasSubstr("the value 6 Gbit/s is outside its range, 3 Gbit/s to 5 Gbit/s; widen the range, or "
                        "correct the value"));
  EXPECT_THAT(refusal(with_bandwidth("{value: 4 Gbit/s, range: [3 ms, 5 Gbit/s]}")),
              HasSubstr("`cluster.link.bandwidth.range[0]`: `3 ms`"));
  EXPECT_THAT(refusal(with_bandwidth("{value: 4 Gbit/s, range: 5 Gbit/s}")),
              HasSubstr("`cluster.link.bandwidth.range`: expected a list of the lower and the upper end"));
  EXPECT_THAT(refusal(with_bandwidth("{value: 4 Gbit/s, range: [0 Gbit/s, 5 Gbit/s]}")),
              HasSubstr("`cluster.link.bandwidth.range[0]`: `0 Gbit/s` is too small; accepted: above 0"));
}

TEST(UncertainInput, RefusesWrongDeviations) {
  EXPECT_THAT(
      refusal(with_bandwidth("{mean: 4 Gbit/s, sd: 0 Gbit/s}")),
      HasSubstr("`cluster.link.bandwidth.sd`: the deviation 0 bit/s of the mean 4 Gbit/s is not above 0; "
                "accepted: above 0; write the value alone where it is certain"));
  EXPECT_THAT(refusal(with_bandwidth("{mean: 4 Gbit/s, sd: -1 Gbit/s}")),
              HasSubstr("`cluster.link.bandwidth.sd`: `-1 Gbit/s`"));
  EXPECT_THAT(refusal(with_bandwidth("{mean: 4 Gbit/s, sd: 1 ms}")),
              HasSubstr("`cluster.link.bandwidth.sd`: `1 ms`"));
}

TEST(UncertainInput, RefusesOtherKeys) {
  for (const char* text : {"{value: 4 Gbit/s}", "{mean: 4 Gbit/s, range: [3 Gbit/s, 5 Gbit/s]}",
                           "{value: 4 Gbit/s, range: [3 Gbit/s, 5 Gbit/s], sd: 1 Gbit/s}"})
    EXPECT_THAT(refusal(with_bandwidth(text)),
                HasSubstr("`cluster.link.bandwidth`: expected one value, or a value with its range; write "
                          "`{value: 4 "))
        << text;
}

TEST(UncertainInput, MayBeANumber) {
  const std::string workers = "workers: 4, cores: [1, 1, 1, 2], " + good_link + ", core_exponent: ";
  const Study read = study(with_cluster(workers + "{mean: 0.9, sd: 0.1}") +
                           "compression: {method: topk, ratio: {value: 1 %, range: [0.5 %, 2 %]}}\n");
  EXPECT_EQ(read.arms.at(0).cluster.core_exponent, 0.9);
  EXPECT_EQ(read.arms.at(0).exchange.compression.ratio, 0.01);
  ASSERT_EQ(read.uncertain.size(), 2U);
  EXPECT_EQ(read.uncertain[0].text(), "0.9, sd 0.1");
  EXPECT_EQ(read.uncertain[1].text(), "0.5 % to 2 %");
  EXPECT_NEAR(read.uncertain[0].quantile(0.975), 1.096, 1e-3);
  EXPECT_THAT(refusal(with_cluster(workers + "{value: 1, range: [2, 0.5]}")),
              HasSubstr("the lower end 2 is not below the upper end 0.5; write the lower end first"));
  EXPECT_THAT(refusal(with_cluster(workers + "{value: 1}")),
              HasSubstr("expected one value, or a value with its range; write `{value: 4, range: [3, 5]}` or "
                        "`{mean: 4, sd: 1}`"));
  EXPECT_THAT(
      refusal(least + "compression: {method: topk, ratio: {value: 1 %, range: [0.5 %, 200 %]}}\n"),
      HasSubstr("`compression.ratio.range[1]`: `200 %` is too large; accepted: above 0 % and at most 100 %"));
}

TEST(UncertainInput, IsNotAWholeNumber) {
  EXPECT_THAT(refusal(least + "seed: {value: 4, range: [3, 5]}\n"), HasSubstr("`seed`: expected"));
}

TEST(UncertainInput, SamplesHaveBounds) {
  const Study read = study(least + "uncertainty: {samples: 50, seed: 3, inputs: stated}\n");
  EXPECT_EQ(read.arms.at(0).simulation.uncertainty, (Uncertainty{50, 3, DrawnInputs::stated}));
  EXPECT_THAT(refusal(least + "uncertainty: {samples: 19}\n"),
              HasSubstr("`uncertainty.samples`: `19` is too small; accepted: at least 20"));
}

/// Advice runs every candidate once.
TEST(UncertainInput, AdviceRefusesSamplesAndSeedsAndWarnsOfRanges) {
  const tests::ScratchFolder scratch;
  const std::string advice = "advice: {synchronisation: [bsp]}\n";
  const auto ask = [&](const std::string& text) {
    return read_policy_question(scratch.write("s.yaml", text + advice), {}, data_dir);
  };
  const auto seeds = ask(least + "seeds: 5\n");
  ASSERT_FALSE(seeds);
  EXPECT_THAT(
      seeds.error().text(),
      HasSubstr("s.yaml:5:8: `seeds`: advice runs each arm once, with one seed, not 5; leave "
                "it out, or `--set seeds=1`; `sim run --seeds N` runs several seeds of the arms that matter, "
                "and `sim sweep --axis seed=1,2,3` tabulates them"));
  const auto samples = ask(least + "uncertainty: {samples: 50}\n");
  ASSERT_FALSE(samples);
  EXPECT_THAT(
      samples.error().text(),
      HasSubstr("advice runs each arm once, with stated values, not 50 samples; leave it out; `sim run` "
                "draws samples"));
  const auto warned = ask(with_bandwidth(ranged));
  ASSERT_TRUE(warned) << warned.error().text();
  EXPECT_THAT(
      warned->warnings,
      Contains(HasSubstr("`cluster.link.bandwidth`: the stated value is used; only `sim run --samples N` "
                         "draws from a range")));
}

}  // namespace
}  // namespace sim::scenario
