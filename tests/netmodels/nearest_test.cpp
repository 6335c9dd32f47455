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

TEST(EditDistance, IgnoresHowWordsAreSeparated) {
  EXPECT_EQ(edit_distance("ring-allreduce", "ring_allreduce"), 0u);
}

TEST(Nearest, FindsAMistypedName) {
  EXPECT_EQ(nearest("bandwith", names), "bandwidth");
  EXPECT_EQ(nearest("rign_allreduce", names), "ring_allreduce");
}

TEST(Nearest, FindsANameFromAPartOfIt) { EXPECT_EQ(nearest("tree", names), "tree_allreduce"); }

TEST(Nearest, FindsADeviceByTheNameThatItsDriverPrints) {
  constexpr auto devices = std::to_array<std::string_view>(
      {"a100_pcie_80gb_datasheet", "a100_sxm4_80gb_datasheet", "v100_sxm2_datasheet", "mode", "edge"});
  EXPECT_EQ(nearest("A100-SXM4-80GB", devices), "a100_sxm4_80gb_datasheet");
  EXPECT_EQ(nearest("NVIDIA A100-PCIE-80GB", devices), "a100_pcie_80gb_datasheet");
  EXPECT_EQ(nearest("V100-SXM2-32GB", devices), "v100_sxm2_datasheet");
  EXPECT_EQ(nearest("NVIDIA GeForce RTX 5090", devices), std::nullopt);
  EXPECT_EQ(nearest("my-edge-thing", devices), std::nullopt);  // a third of its words
}

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
