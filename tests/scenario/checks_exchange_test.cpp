// Which collective may carry what is sent, and which measured times it may have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/checks.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {

// Which collectives may carry what, and every refusal's text.

namespace {

using ::testing::HasSubstr;

TEST(CheckExchange, MethodAndCollectiveMustBeKnown) {
  EXPECT_EQ(refusal(least + "compression: {method: topkk, ratio: 0.1}\n").substr(0, 69),
            "s.yaml:5:23: `compression.method`: unknown compression method `topkk`");
  EXPECT_EQ(refusal(least + "exchange: {collective: rign_allreduce}\n").substr(0, 102),
            "s.yaml:5:24: `exchange.collective`: unknown collective `rign_allreduce`; did you mean "
            "`ring_allreduce`");
}

TEST(CheckExchange, TheRatioBelongsToSparseMethods) {
  EXPECT_EQ(refusal(least + "compression: {method: none, ratio: 0.1}\n"),
            "s.yaml:5:36: `compression.ratio: 0.1` needs a method that sends a share of the values; "
            "`compression.method: none` sends all; write `compression.method: topk` or `compression.method: "
            "powersgd`, or leave out `compression.ratio`");
  EXPECT_EQ(refusal(least + "compression: {method: topk}\n"),
            "s.yaml:5:14: the key `compression.ratio` is missing, although `topk` needs it; write for "
            "example `ratio: 0.01` (kept / original)");
  EXPECT_EQ(refusal(least + "compression: {method: topk, ratio: 0.1, index_bytes: 6}\n"),
            "s.yaml:5:54: `compression.index_bytes`: `6` is not a width of an index; accepted: 4 or 8");
}

TEST(CheckExchange, TheCollectiveMustCarryTheMethod) {
  const std::string text =
      refusal(least + "compression: {method: topk, ratio: 0.1}\nexchange: {collective: ring_allreduce}\n");
  EXPECT_EQ(text.substr(0, 163),
            "s.yaml:6:24: `exchange.collective`: `ring_allreduce` cannot carry what the method `topk` "
            "sends; accepted with this method: "
            "auto, ring_allgather, recursive_doubling");
  EXPECT_EQ(refusal(least + "exchange: {collective: ring_allgather}\n").substr(0, 85),
            "s.yaml:5:24: `exchange.collective`: `ring_allgather` cannot carry what the method `no");
  EXPECT_EQ(
      refusal(least + "compression: {method: ar_topk, ratio: 0.1}\nexchange: {collective: ring_allreduce}\n"),
      "accepted");
}

TEST(CheckExchange, ALibraryIsKnownAndLeavesNothingToChoose) {
  EXPECT_EQ(refusal(least + "exchange: {library: gloo}\n"), "accepted");
  EXPECT_EQ(refusal(least + "exchange: {library: glo}\n"),
            "s.yaml:5:21: `exchange.library`: unknown library `glo`; did you mean `gloo`? accepted: openmpi, "
            "mpich, gloo, nccl, none");
  EXPECT_EQ(refusal(least + "exchange: {library: none, among: [tree_allreduce]}\n"), "accepted");
  EXPECT_EQ(refusal(least + "exchange: {library: gloo, among: [tree_allreduce]}\n"),
            "s.yaml:5:21: `exchange.library: gloo` needs the choice of collectives to itself; "
            "`exchange.among` limits it; write `exchange.library: none`, or leave out `exchange.among`");
}

TEST(CheckExchange, AChoiceAmongCollectivesNeedsAChoiceAndTheirNames) {
  EXPECT_EQ(refusal(least + "exchange: {among: [ring_allreduce, tree_allreduce]}\n"), "accepted");
  EXPECT_EQ(refusal(least + "exchange: {collective: ring_allreduce, among: [tree_allreduce]}\n"),
            "s.yaml:5:47: `exchange.among` needs a choice among collectives; `exchange.collective: "
            "ring_allreduce` names one; write `exchange.collective: auto`, or leave out `exchange.among`");
  EXPECT_THAT(refusal(least + "exchange: {among: [ring_allreduc]}\n"),
              HasSubstr("s.yaml:5:20: `exchange.among[0]`: unknown collective `ring_allreduc`; did you mean "
                        "`ring_allreduce`?"));
}

}  // namespace

// Measured times of collectives: what they cannot be combined with, and what they do not cover.

namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;

const std::string measured = "collective_times: collective_times/aws_2x1_socket.yaml, ";

std::string with(const std::string& more) {
  return refusal(with_cluster("workers: 2, " + good_link + ", " + measured + more));
}

TEST(CheckMeasured, ANetworkThatChangesIsNotTheOneThatWasMeasured) {
  const auto refused = [](const std::string& label, const std::string& key) {
    return EndsWith("`cluster.collective_times` needs the network that was measured; `" + label +
                    "` makes it another; leave out `" + key + "` or `cluster.collective_times`");
  };
  for (const auto& [key, value] :
       {std::pair("changes", "[{at: 1 s, latency: 2 ms}]"), std::pair("background", "[{from: 0, to: 1}]"),
        std::pair("failures", "[{link: worker0, at: 1 s}]"),
        std::pair("failures", "[{worker: 0, at: 1 s}]")}) {
    const std::string path = std::string("cluster.") + key;
    EXPECT_THAT(with(std::string(key) + ": " + value), refused(path, path));
  }
  EXPECT_THAT(with("preset: tcp-wan"), refused("cluster.preset: tcp-wan", "cluster.preset"));
  EXPECT_THAT(with("upload: 1 Gbit/s"), refused("cluster.upload: 1 Gbit/s", "cluster.upload"));
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
      ElementsAre(EndsWith("has no all-gather on 2 ranks of 2 nodes: its times are computed from links")));
  EXPECT_THAT(
      study(file, {"cluster.workers=4"}).warnings,
      ElementsAre(EndsWith("has no all-reduce on 4 ranks of 4 nodes: its times are computed from links")));
  EXPECT_THAT(study(file, {"cluster.workers=4", "network=path"}).warnings, IsEmpty());
  EXPECT_THAT(
      study(file, {"workload.buffers=1 MB"}).warnings,
      ElementsAre(EndsWith("has no broadcast on 2 ranks of 2 nodes: its times are computed from links")));
  EXPECT_THAT(study(file, {"workload.buffers=1 MB", "exchange.overlap=false"}).warnings, IsEmpty());
  const std::string plain = "{name: tiny, parameters: 1000000, compute: 30 ms, batch: 32}";
  std::string described = file;
  described.replace(described.find(plain), plain.size(),
                    "{model: gpt2_medium, device: h100_sxm_datasheet, mfu: 40 %}");
  EXPECT_THAT(
      study(described, {"parallelism.data=zero2"}).warnings,
      ElementsAre(
          EndsWith("has no all-gather on 2 ranks of 2 nodes: its times are computed from links"),
          EndsWith("has no reduce-scatter on 2 ranks of 2 nodes: its times are computed from links")));
}

TEST(CheckMeasured, EightWorkersWithTimesOfFourRanksAreWarned) {
  const tests::ScratchFolder scratch;
  const auto fits = scratch.write(
      "four.yaml",
      "fits:\n  - {collective: all_reduce, ranks: 4, size: buffer, measured_sizes: 9, smallest_size: 1 kB, "
      "largest_size: 1 GB, mean_error: 2 %, median_error: 1 %, p90_error: 5 %, worst_error: 9 %, bias: 0 %, "
      "segments: [{latency: 1 us, time_per_megabyte: 1 ms}]}\n");
  const auto warned = [&](const std::string& workers) {
    return study(with_cluster("workers: " + workers + ", " + good_link +
                              ", collective_times: " + fits.string()))
        .warnings;
  };
  EXPECT_THAT(warned("4"), IsEmpty());
  EXPECT_THAT(
      warned("8"),
      ElementsAre(EndsWith("has no all-reduce on 8 ranks of 8 nodes: its times are computed from links")));
}

}  // namespace
}  // namespace sim::scenario
