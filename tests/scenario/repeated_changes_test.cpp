// Changes that would replace each other at the same moment.
#include "sim/scenario/repeated_changes.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string with_changes(const std::string& changes) {
  return with_cluster("workers: 4, " + good_link + ", changes: [" + changes + "]");
}

TEST(RepeatedChanges, OfTheSameLinksAreRefused) {
  EXPECT_THAT(
      refusal(with_changes("{at: step 3, bandwidth: 1 Gbit/s}, {at: step 3, bandwidth: 2 Gbit/s}")),
      HasSubstr("`cluster.changes[1].at`: `cluster.changes[0]` sets the bandwidth at the same moment; "
                "leave one of them out, or state another moment"));
  EXPECT_THAT(refusal(with_changes("{at: 3 s, latency: 1 ms, workers: [1]}, "
                                   "{at: 4 s, latency: 2 ms, workers: [1]}, "
                                   "{at: 3000 ms, latency: 2 ms, workers: [1]}")),
              HasSubstr("`cluster.changes[2].at`: `cluster.changes[0]` sets the latency at the same moment"));
}

TEST(RepeatedChanges, OfOtherLinksFiguresOrMomentsAreAccepted) {
  for (const std::string other :
       {"{at: step 3, latency: 2 ms}", "{at: step 3, bandwidth: 2 Gbit/s, workers: [1]}",
        "{at: step 4, bandwidth: 2 Gbit/s}", "{at: 3 s, bandwidth: 2 Gbit/s}"})
    EXPECT_THAT(study(with_changes("{at: step 3, bandwidth: 1 Gbit/s}, " + other)).warnings, IsEmpty())
        << other;
}

TEST(RepeatedChanges, OfSpeedsAndStreamsAreRefused) {
  EXPECT_THAT(
      refusal(with_cluster("workers: 4, " + good_link +
                           ", speed_changes: [{at: 1 s, speeds: [1, 1, 1, 2]}, "
                           "{at: 1 s, speeds: [1, 1, 2, 1]}]")),
      HasSubstr("`cluster.speed_changes[1].at`: `cluster.speed_changes[0]` sets the speeds at the same "
                "moment"));
  EXPECT_THAT(refusal(with_cluster("workers: 4, " + good_link) +
                      "streams: {rates: [50, 50, 50, 50], changes: [{at: 1 s, factor: 2}, {at: 1 s, rate: "
                      "4}]}\n"),
              HasSubstr("`streams.changes[1].at`: `streams.changes[0]` sets the rates at the same moment"));
}

}  // namespace
}  // namespace sim::scenario
