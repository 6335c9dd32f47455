// Arms: in order, by name, as a product; and what is refused.
#include "sim/scenario/arms.hpp"

#include <gtest/gtest.h>

#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

std::vector<std::string> names(const Study& study) {
  std::vector<std::string> result;
  for (const Scenario& arm : study.arms) result.push_back(arm.name);
  return result;
}

TEST(Compare, ArmsStandInTheOrderWritten) {
  EXPECT_EQ(names(study(least + "compare: {z: {seed: 2}, a: {seed: 3}, m: }\n")),
            (std::vector<std::string>{"z", "a", "m"}));
}

TEST(Axes, AreMultipliedTheLastOneFastest) {
  const Study read = study(least +
                           "axes:\n  speed: {slow: {cluster: {link: {bandwidth: 1 Gbit/s}}}, fast: {}}\n"
                           "  seed: {one: {seed: 1}, two: {seed: 2}}\n");
  EXPECT_EQ(names(read), (std::vector<std::string>{"slow/one", "slow/two", "fast/one", "fast/two"}));
  EXPECT_EQ(read.axes, (std::vector<std::string>{"speed", "seed"}));
  EXPECT_EQ(read.arms.at(1).cluster.link.bandwidth.count, 1.25e8);
  EXPECT_EQ(read.arms.at(1).cluster.link.latency.count, 1e-3);
  EXPECT_EQ(read.arms.at(1).simulation.seed, 2u);
}

TEST(Arms, AreRefusedWithTheirPlace) {
  EXPECT_EQ(refusal(least + "compare: {a: {}}\naxes: {x: {y: {}}}\n"),
            "s.yaml:6:7: both `compare` and `axes` are given; keep one: `compare` lists arms, `axes` "
            "multiplies them");
  EXPECT_EQ(refusal(least + "compare: {}\n"),
            "s.yaml:5:10: `compare`: expected a map with at least one entry, found a map; write `compare: "
            "{ARM: {overrides}}`");
  EXPECT_EQ(refusal(least + "compare: {a: 3}\n"),
            "s.yaml:5:14: `compare.a`: expected a map of overrides, found a single value; write for "
            "example `{exchange: {collective: ring_allreduce}}`");
  EXPECT_EQ(refusal(least + "compare: {a: {expect: []}}\n"),
            "s.yaml:5:23: `compare.a.expect`: an arm cannot have `expect`; move it to the top of the file, "
            "or leave it out");
  EXPECT_EQ(refusal(least + "compare: {a: {seed: 1, sed: 2}}\n"),
            "s.yaml:5:24: unknown key `sed` (in the arm `a`); did you mean `seed`? accepted: workload, "
            "cluster, training, synchronisation, learner, compute, batching, streams, compression, "
            "exchange, parallelism, availability, price, objective, probe, network, audit, output, seed, "
            "seeds, uncertainty");
}

TEST(Arms, NamesAreNoFormulas) {
  EXPECT_EQ(refusal(least + "compare: {=1+1: {}}\n"),
            "s.yaml:5:11: `compare`: the name `=1+1` begins with `=`, which spreadsheets take for a formula; "
            "begin it with another character");
  EXPECT_EQ(refusal(least + "compare: {'@sum': {}}\n"),
            "s.yaml:5:11: `compare`: the name `@sum` begins with `@`, which spreadsheets take for a formula; "
            "begin it with another character");
}

TEST(Arms, NamesHoldNoSlash) {
  EXPECT_EQ(refusal(least + "axes: {rate: {10 Gbit/s: {}}}\n"),
            "s.yaml:5:15: `axes.rate`: the name `10 Gbit/s` contains `/`, which joins the names of arms "
            "along axes; use another character, such as `-`");
  EXPECT_EQ(refusal(least + "axes: {a/b: {c: {}}}\n"),
            "s.yaml:5:8: `axes`: the name `a/b` contains `/`, which joins the names of arms along axes; "
            "use another character, such as `-`");
  EXPECT_EQ(refusal(least + "compare: {a/b: {}}\n"),
            "s.yaml:5:11: `compare`: the name `a/b` contains `/`, which joins the names of arms along "
            "axes; use another character, such as `-`");
  EXPECT_EQ(refusal(least + "compare: {\" \": {}}\n"),
            "s.yaml:5:11: `compare`: a name is empty; give each entry a name");
}

TEST(Arms, AProductThatIsTooLargeIsRefused) {
  std::string axes = "axes:\n";
  for (int axis = 0; axis < 4; ++axis) {
    axes += "  x" + std::to_string(axis) + ": {";
    for (int value = 0; value < 10; ++value)
      axes += (value > 0 ? ", v" : "v") + std::to_string(value) + ": {}";
    axes += "}\n";
  }
  EXPECT_EQ(refusal(least + axes),
            "s.yaml:9:3: `axes`: the product of the axes has more than 2000 arms; leave out values or axes");
}

}  // namespace
}  // namespace sim::scenario
