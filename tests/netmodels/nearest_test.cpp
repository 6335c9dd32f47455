// The nearest known name: which edits count as a slip.
#include "netmodels/nearest.hpp"

#include <array>

#include <gtest/gtest.h>

namespace {

using netmodels::edit_distance;
using netmodels::nearest;
constexpr auto names =
    std::to_array<std::string_view>({"bandwidth", "latency", "ring_allreduce", "tree_allreduce", "ag"});

TEST(EditDistance, CountsASwapOfNeighboursAsOne) {
  EXPECT_EQ(edit_distance("bandwidth", "bandwitdh"), 1u);
  EXPECT_EQ(edit_distance("bandwidth", "bandwith"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
}

TEST(EditDistance, IgnoresLetterCase) { EXPECT_EQ(edit_distance("GBit/s", "Gbit/s"), 0u); }

TEST(Nearest, FindsAMistypedName) {
  EXPECT_EQ(nearest("bandwith", names), "bandwidth");
  EXPECT_EQ(nearest("rign_allreduce", names), "ring_allreduce");
}

TEST(Nearest, FindsANameFromAPartOfIt) { EXPECT_EQ(nearest("tree", names), "tree_allreduce"); }

TEST(Nearest, DoesNotGuessFarAway) {
  EXPECT_EQ(nearest("throughput", names), std::nullopt);
  EXPECT_EQ(nearest("", names), std::nullopt);
  EXPECT_EQ(nearest("x", names), std::nullopt);
  EXPECT_EQ(nearest(std::string(100000, 'a'), names), std::nullopt);
}

TEST(Nearest, ReadsAsASentence) {
  EXPECT_EQ(netmodels::accepted_names("latncy", names),
            "did you mean `latency`? accepted: bandwidth, latency, ring_allreduce, tree_allreduce, ag");
  EXPECT_EQ(netmodels::accepted_names("zzz", std::span(names).first(2)), "accepted: bandwidth, latency");
}

}  // namespace
