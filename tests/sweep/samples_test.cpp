// Draws of uncertain inputs, and the runs with them.
#include "sim/sweep/samples.hpp"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/seed_figures.hpp"
#include "sim/scenario/study.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_tree.hpp"

namespace sim::sweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string data_dir = tests::source_dir() + "/scenarios";

/// One exchange of 4 MB a step by a ring of four workers: 6 (1 ms + 1 MB / B), after 30 ms of computing.
const std::string uncertain_network =
    "# Does it pay?\n"
    "workload: {name: tiny, parameters: 1000000, compute: 30 ms, batch: 32}\n"
    "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: {value: 2 Gbit/s, range: [1 Gbit/s, 4 "
    "Gbit/s]}}}\n"
    "training: {batch: 32, steps: 2}\n"
    "exchange: {collective: ring_allreduce, execution: after_backward}\n";

netmodels::Result<report::UncertainSamples> draw(const std::string& text, scenario::Uncertainty asked,
                                                 std::size_t seeds = 1) {
  const tests::ScratchFolder scratch;
  const std::string file = scratch.write("s.yaml", text).string();
  const auto reading = scenario::read_study(file, {}, data_dir, {});
  EXPECT_TRUE(reading) << (reading ? "" : reading.error().text());
  return simulate_samples({file, {}, data_dir, asked, seeds, 2, nullptr}, reading->study);
}

/// Every one of ten parts is used once, by each input in another order, and never at its ends.
TEST(HypercubeShares, UseEveryPartOnce) {
  const auto shares = hypercube_shares(2, 10, 1);
  ASSERT_THAT(shares, SizeIs(2));
  for (std::vector<double> input : shares) {
    std::ranges::sort(input);
    for (std::size_t part = 0; part < 10; ++part) {
      EXPECT_GT(input[part], static_cast<double>(part) / 10);
      EXPECT_LT(input[part], static_cast<double>(part + 1) / 10);
    }
  }
  EXPECT_NE(shares[0], shares[1]);
  EXPECT_EQ(shares, hypercube_shares(2, 10, 1));
  EXPECT_NE(shares, hypercube_shares(2, 10, 2));
}

TEST(Samples, AreRunsWithTheDrawnValues) {
  const auto drawn = draw(uncertain_network, {.samples = 20});
  ASSERT_TRUE(drawn) << drawn.error().text();
  ASSERT_THAT(drawn->inputs, SizeIs(1));
  EXPECT_EQ(drawn->inputs[0].name, "cluster.link.bandwidth");
  ASSERT_THAT(drawn->rows, SizeIs(20));
  for (std::size_t sample = 0; sample < 20; ++sample) {
    const double bandwidth = drawn->inputs[0].values[sample];
    EXPECT_GT(bandwidth, 1e9 / 8);
    EXPECT_LT(bandwidth, 4e9 / 8);
    EXPECT_NEAR(*report::figure_in(drawn->rows[sample], "run", "exchange_time_s"),
                6 * (1e-3 + 1e6 / bandwidth), 1e-8);
  }
  EXPECT_THAT(drawn->without_range, ElementsAre(HasSubstr("times of the layers of `tiny`")));
}

/// Every other sample has the same seed, so that with a width of next to nothing all of them take the same
/// time.
TEST(Samples, TakeSeedsInTurn) {
  const std::string network = uncertain_network.substr(0, uncertain_network.find("[1 Gbit/s")) +
                              "[1.999999999999 Gbit/s, 2.000000000001 Gbit/s]}}}\n"
                              "training: {batch: 32, steps: 2}\n"
                              "compute: {jitter: {distribution: lognormal, sigma: 0.3}}\n";
  const auto drawn = draw(network, {.samples = 20}, 2);
  ASSERT_TRUE(drawn) << drawn.error().text();
  EXPECT_EQ(drawn->seeds, 2);
  const auto time = [&](std::size_t sample) {
    return *report::figure_in(drawn->rows[sample], "run", "total_time_s");
  };
  EXPECT_GT(std::abs(time(0) - time(1)), 1e-3);
  for (std::size_t sample = 2; sample < 20; ++sample) EXPECT_NEAR(time(sample), time(sample % 2), 1e-9);
}

/// Half of the published times lie below the assumed one.
TEST(Samples, DrawPublishedTimesOfCompressing) {
  const std::string text = uncertain_network.substr(0, uncertain_network.find("exchange:")) +
                           "compression: {method: topk, ratio: 1 %}\n";
  const auto drawn = draw(text, {.samples = 40});
  ASSERT_TRUE(drawn) << drawn.error().text();
  ASSERT_THAT(drawn->inputs, SizeIs(2));
  EXPECT_EQ(drawn->inputs[1].name, "time of compressing (PyTorch)");
  EXPECT_EQ(drawn->inputs[1].origin, "");
  std::vector<double> times;
  for (const auto& rows : drawn->rows) times.push_back(*report::figure_in(rows, "run", "compress_time_s"));
  std::ranges::sort(times);
  EXPECT_LT(times.front(), times[19]);
  EXPECT_GT(times.back(), 2 * times[20]);
}

TEST(Samples, NameTheTimesOfEachMethod) {
  const std::string text = uncertain_network.substr(0, uncertain_network.find("exchange:")) +
                           "compare:\n"
                           "  one: {compression: {method: topk, ratio: 1 %}}\n"
                           "  same: {compression: {method: topk, ratio: 1 %}}\n"
                           "  other: {compression: {method: randomk, ratio: 10 %}}\n";
  const auto drawn = draw(text, {.samples = 2});
  ASSERT_TRUE(drawn) << drawn.error().text();
  ASSERT_THAT(drawn->inputs, SizeIs(2));
  EXPECT_THAT(drawn->inputs[1].text,
              testing::MatchesRegex("[^;]* of `topk` at 1 %; [^;]* of `randomk` at 10 %"));
  EXPECT_THAT(drawn->inputs[1].arms, ElementsAre("one", "same", "other"));
}

TEST(Samples, LeaveOutWhatIsNotAskedFor) {
  const std::string text = uncertain_network.substr(0, uncertain_network.find("exchange:")) +
                           "compression: {method: topk, ratio: 1 %}\n";
  const auto drawn = draw(text, {.samples = 20, .inputs = scenario::DrawnInputs::stated});
  ASSERT_TRUE(drawn) << drawn.error().text();
  EXPECT_THAT(drawn->inputs, SizeIs(1));
  EXPECT_THAT(drawn->not_drawn, ElementsAre("time of compressing (PyTorch)"));
}

TEST(Samples, AreNoneWhereNothingHasARange) {
  std::string text = uncertain_network;
  text.replace(text.find("{value: 2"), std::string("{value: 2 Gbit/s, range: [1 Gbit/s, 4 Gbit/s]}").size(),
               "2 Gbit/s");
  const auto drawn = draw(text, {.samples = 20});
  ASSERT_TRUE(drawn) << drawn.error().text();
  EXPECT_THAT(drawn->inputs, IsEmpty());
  EXPECT_THAT(drawn->rows, IsEmpty());
}

/// Until 5 s of a failure is after it began, and 1 s of its range is not.
TEST(Samples, NameTheValuesOfOneThatIsRefused) {
  std::string text = uncertain_network;
  text.replace(text.find("link: {latency: 1 ms, "), 5,
               "failures: [{link: worker3, at: 3 s, until: {value: 5 s, "
               "range: [1 s, 9 s]}}], link:");
  const auto drawn = draw(text, {.samples = 20});
  ASSERT_FALSE(drawn);
  EXPECT_THAT(drawn.error().text(), HasSubstr("cluster.failures[0].until = "));
  EXPECT_THAT(drawn.error().text(), HasSubstr("the failure ends before it starts"));
}

}  // namespace
}  // namespace sim::sweep
