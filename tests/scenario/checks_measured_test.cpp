// Measured times of collectives: what they cannot be combined with, and what they do not cover.
#include "sim/scenario/checks_measured.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;

const std::string measured = "collective_times: collective_times/aws_2x1_socket.yaml, ";

std::string with(const std::string& more) {
  return refusal(with_cluster("workers: 2, " + good_link + ", " + measured + more));
}

TEST(CheckMeasured, ANetworkThatChangesIsNotTheOneThatWasMeasured) {
  const std::string why =
      "`cluster.collective_times` holds for the network that was measured, and this changes it; leave one of "
      "the two "
      "out";
  EXPECT_THAT(with("changes: [{at: 1 s, latency: 2 ms}]"), EndsWith("`cluster.changes`: " + why));
  EXPECT_THAT(with("background: [{from: 0, to: 1}]"), EndsWith("`cluster.background`: " + why));
  EXPECT_THAT(with("failures: [{link: worker0, at: 1 s}]"), EndsWith("`cluster.failures`: " + why));
  EXPECT_THAT(with("preset: tcp-wan"), EndsWith("`cluster.preset`: " + why));
  EXPECT_THAT(with("failures: [{worker: 0, at: 1 s}]"), EndsWith("`cluster.failures`: " + why));
}

TEST(CheckMeasured, AFileThatIsNotThereIsNamed) {
  EXPECT_THAT(refusal(with_cluster("workers: 2, " + good_link + ", collective_times: none.yaml")),
              ::testing::HasSubstr("none.yaml"));
}

TEST(CheckMeasured, KindsThatWereNotMeasuredAreNamed) {
  const std::string file = with_cluster("workers: 2, " + good_link + ", " + measured);
  EXPECT_THAT(study(file).warnings, IsEmpty());
  EXPECT_THAT(
      study(file, {"compression.method=topk", "compression.ratio=0.1"}).warnings,
      ElementsAre(EndsWith("knows no all-gather on 2 ranks of 2 nodes: its times are computed from links")));
  EXPECT_THAT(
      study(file, {"cluster.workers=4"}).warnings,
      ElementsAre(EndsWith("knows no all-reduce on 4 ranks of 4 nodes: its times are computed from links")));
  EXPECT_THAT(study(file, {"cluster.workers=4", "network=path"}).warnings, IsEmpty());
}

}  // namespace
}  // namespace sim::scenario
