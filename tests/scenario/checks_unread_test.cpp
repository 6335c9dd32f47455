// Keys that no arm reads are refused, each with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/catalogue.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

std::string with_method(const std::string& method, const std::string& more) {
  return least + "synchronisation: " + method + "\n" + more;
}

/// @param setting  "exchange.overlap: true"
std::string unread(const std::string& place, const std::string& setting, const std::string& method,
                   const std::string& arm = "") {
  return place + ": `" + setting + "` needs collectives, at least inside nodes; `synchronisation: " + method +
         "` has none: each worker exchanges with a server by itself" + arm +
         "; leave it out, or write `synchronisation: bsp`";
}

TEST(CheckUnread, EveryKeyOfTheExchangeIsRefusedWhereNoArmHasCollectives) {
  for (const std::string key : {"overlap: true", "execution: ddp_hook", "bucket: 1 MB", "first_bucket: 1 MB",
                                "library: nccl", "chunks: 4", "hysteresis: 0.1", "switch_cost: 1 s",
                                "broadcast_buffers: true", "overlap_slowdown: 0.1"}) {
    const std::string name = key.substr(0, key.find(':'));
    for (const std::string method :
         {"asp", "{method: ssp, staleness: 3}", "{method: decoupled_diloco, every: 20}"}) {
      const std::size_t from = method.starts_with('{') ? 9 : 0;
      const std::string name_of_method = method.substr(from, method.find(',') - from);
      EXPECT_EQ(
          refusal(with_method(method, "exchange: {" + key + "}\n")),
          unread("s.yaml:6:" + std::to_string(12 + name.size() + 2), "exchange." + key, name_of_method));
    }
    const bool of_buffers = name == "broadcast_buffers";  // which this workload does not have
    EXPECT_EQ(refusal(with_method("bsp", "exchange: {" + key + "}\n")) == "accepted", !of_buffers);
  }
}

TEST(CheckUnread, KeysAboutGradientsAreRefusedWhereOnlyModelsAreExchanged) {
  for (const std::string key : {"overlap: true", "execution: ddp_hook", "bucket: 1 MB", "first_bucket: 1 MB",
                                "broadcast_buffers: true", "overlap_slowdown: 0.1"}) {
    const std::string name = key.substr(0, key.find(':'));
    const std::string stated = "exchange: {" + key + "}\n";
    for (const std::string method : {"diloco", "periodic"}) {
      EXPECT_EQ(refusal(with_method("{method: " + method + ", every: 20}", stated)),
                "s.yaml:6:" + std::to_string(14 + name.size()) + ": `exchange." + key +
                    "` needs collectives that exchange gradients; `synchronisation: " + method +
                    "` has none; leave it out, or write `synchronisation: bsp`");
    }
    const bool of_buffers = name == "broadcast_buffers";  // which this workload does not have
    const std::string later = with_method("{method: post_local, local_from: epoch 1, every: 4}", stated);
    EXPECT_EQ(refusal(later) == "accepted", !of_buffers) << name;
  }
  const std::string diloco = "{method: diloco, every: 20}";
  EXPECT_EQ(refusal(with_method(diloco, "exchange: {library: nccl}\n")), "accepted");
  EXPECT_EQ(refusal(with_method(diloco, "exchange: {chunks: 4}\n")), "accepted");
  EXPECT_EQ(
      refusal(with_method(diloco, "exchange: {library: nccl, chunks: 4}\n")),
      "s.yaml:6:35: `exchange.chunks: 4` needs a collective that is cut into a stated number of chunks; the "
      "collective is not, or is one of a library with rules of its own; leave it out, or write a collective "
      "such as `pipelined_binary_tree_allreduce`, or `exchange.library: none`");
}

TEST(CheckUnread, ProbesOfTheNetworkAreReadByNobodyEither) {
  EXPECT_EQ(refusal(with_method("asp", "probe: {interval: 1 s}\n")),
            unread("s.yaml:6:19", "probe.interval: 1 s", "asp"));
}

TEST(CheckUnread, ASettingIsRefusedAsAKeyOfTheFileIs) {
  EXPECT_EQ(refusal(with_method("asp", ""), {"exchange.overlap=false"}),
            unread("--set exchange.overlap", "exchange.overlap: false", "asp"));
}

TEST(CheckUnread, DefaultsMayBeStatedAsAResolvedScenarioDoes) {
  EXPECT_EQ(refusal(with_method("asp", "exchange: {collective: auto}\n")), "accepted");
  const tests::ScratchFolder scratch;
  const std::string resolved = print_study(*read(scratch, with_method("asp", "")));
  EXPECT_NE(resolved.find("chunks: 16"), std::string::npos);
  EXPECT_EQ(refusal(resolved), "accepted");
}

TEST(CheckUnread, AKeyThatAnotherArmReadsIsSharedAtTheTopOfTheFile) {
  EXPECT_EQ(refusal(least + "exchange: {overlap: false}\n"
                            "compare: {a: {synchronisation: bsp}, b: {synchronisation: asp}}\n"),
            "accepted");
  EXPECT_EQ(
      refusal(least + "axes:\n"
                      "  how: {together: {synchronisation: bsp}, apart: {synchronisation: asp}}\n"
                      "  overlap: {yes: {exchange: {overlap: true}}, no: {exchange: {overlap: false}}}\n"),
      "accepted");
}

TEST(CheckUnread, AKeyThatOnlyTheArmItselfStatesIsRefused) {
  EXPECT_EQ(refusal(least + "exchange: {overlap: false}\n"
                            "compare:\n"
                            "  a: {synchronisation: bsp}\n"
                            "  b: {synchronisation: asp, exchange: {bucket: 1 MB}}\n"),
            unread("s.yaml:8:48", "exchange.bucket: 1 MB", "asp", " (in the arm `b`)"));
  EXPECT_EQ(refusal(least + "exchange: {overlap: false}\n"
                            "compare:\n"
                            "  a: {synchronisation: bsp, exchange: {overlap: true}}\n"
                            "  b: {synchronisation: asp}\n"),
            unread("s.yaml:5:21", "exchange.overlap: false", "asp", " (in the arm `b`)"));
}

TEST(CheckUnread, AMethodOfTheCommandLineMayLeaveKeysOfTheFileUnread) {
  const std::string file = least + "exchange: {overlap: false}\n";
  EXPECT_EQ(refusal(file, {"synchronisation=asp"}), "accepted");
  EXPECT_EQ(refusal(file + "synchronisation: {method: bsp}\n", {"synchronisation.method=asp"}), "accepted");
  EXPECT_EQ(refusal(file + "synchronisation: asp\n"),
            unread("s.yaml:5:21", "exchange.overlap: false", "asp"));
}

/// A key of a feature that is off, and what turns it on.
struct OffKey {
  std::string path;     ///< of the key, as `--set` takes it
  std::string value;    ///< other than the default
  std::string refusal;  ///< a part of it
  std::string on;       ///< a setting with which the key is read
};

const std::vector<OffKey>& off_keys() {
  const std::string nothing =
      "needs compression; `compression.method: none` compresses nothing; leave it out, or write "
      "`compression.method: ";
  const std::string topk = "compression.method=topk";
  const std::string fixed =
      "needs a choice of collectives during training; `exchange.collective` names one for the whole run";
  const std::string chosen = "exchange.collective=auto";
  static const std::vector<OffKey> keys{
      {"cluster.core_exponent", "0.5",
       "needs stated cores, and nothing provides it; leave it out, or write `cluster.cores",
       "cluster.cores=[1, 2, 1, 2]"},
      {"cluster.on_failure", "stop",
       "needs stated failures, and nothing provides it; leave it out, or write `cluster.failures`",
       "cluster.failures=[{worker: 1, at: 1 s}]"},
      {"cluster.recovery", "3 s",
       "needs failures, stated or expected, and nothing provides it; leave it out, or write ",
       "cluster.failures=[{worker: 1, at: 1 s}]"},
      {"training.weights", "uniform", "needs batches of different sizes",
       "training.batches=[32, 16, 32, 16]"},
      {"compression.index_bytes", "8", nothing, topk},
      {"compression.time", "3 ms", nothing, topk},
      {"compression.kernel_times", "kernel_times/epyc_thread.yaml", nothing, topk},
      {"compression.cost", "floor", nothing, topk},
      {"compression.stack", "fused", nothing, topk},
      {"compression.selection", "variance",
       "needs a worker that selects the values of all; `compression.method: none` has none; leave it out, or "
       "write `compression.method: ar_topk`",
       "compression={method: ar_topk, ratio: 0.1}"},
      {"compression.topk_per_tile", "proportional",
       "needs coefficients of tiles; `compression.method: none` sends none; leave it out, or write "
       "`compression.method: dct_topk`",
       "compression={method: dct_topk, ratio: 0.1}"},
      {"exchange.hysteresis", "0.1", fixed, chosen},
      {"exchange.switch_cost", "1 s", fixed, chosen},
      {"exchange.chunks", "4", "needs a collective that is cut into a stated number of chunks; ",
       "exchange.collective=pipelined_binary_tree_allreduce"},
      {"exchange.overlap_slowdown", "0.1", "needs exchanges during the backward pass; they begin after it",
       "exchange.overlap=true"},
      {"probe.interval", "1 s", fixed, chosen},
      {"probe.noise", "0.1", fixed, chosen},
      {"probe.oracle", "true", fixed, chosen},
      {"parallelism.shard_within", "node",
       "needs states that workers share; `parallelism.data: none` shares none", "parallelism.data=fsdp"},
      {"parallelism.prefetch", "3",
       "needs parameters that are gathered; `parallelism.data: none` gathers none", "parallelism.data=fsdp"},
      {"parallelism.parameter_bytes", "4", "the memory that the workload keeps is unknown",
       "parallelism.data=fsdp"},
      {"parallelism.optimizer_bytes", "8", "the memory that the workload keeps is unknown",
       "parallelism.data=fsdp"},
      {"exchange.library", "openmpi",
       "needs exchanges whose algorithm a library may choose; `exchange.collective` names", chosen},
      {"exchange.broadcast_buffers", "true",
       "needs buffers of the model; the workload has none; leave it out, or write `workload.buffers`",
       "workload.buffers=1 kB"},
      {"compression.warm_up.shape", "dense",
       "needs a warm-up with a length, and nothing provides it; leave it out, or write "
       "`compression.warm_up.epochs: 4`",
       "compression={method: topk, ratio: 0.1, warm_up: {steps: 2, shape: dense}}"},
      {"parallelism.sequence_parallel", "false", "needs GPUs that share each layer", ""},
  };
  return keys;
}

TEST(CheckUnread, KeysOfAFeatureThatIsOffAreRefusedAndReadWhereItIsOn) {
  for (const OffKey& key : off_keys()) {
    const bool is_exchange = key.path.starts_with("exchange") || key.path.starts_with("probe");
    const std::string text =
        least + (is_exchange ? "exchange: {collective: ring_allreduce, overlap: false}\n" : "");
    const std::string set = key.path + "=" + key.value;
    EXPECT_THAT(refusal(text, {set}), ::testing::HasSubstr("`" + key.path)) << set;
    EXPECT_THAT(refusal(text, {set}), ::testing::HasSubstr(key.refusal)) << set;
    if (key.on.empty()) continue;
    const std::string with = key.on == "parallelism.data=fsdp" ? "cluster.workers_per_node=1" : key.on;
    EXPECT_THAT(refusal(text, {set, key.on, with}), ::testing::Not(::testing::HasSubstr(key.refusal)))
        << set << ", " << key.on;
  }
}

TEST(CheckUnread, ResidualsAreReadWhereSomethingIsLeftUnsentOrRecorded) {
  const std::string live = least + "learner: {kind: live, error_feedback: false}\n";
  EXPECT_THAT(refusal(live),
              ::testing::HasSubstr("`learner.error_feedback: false` needs values that are left unsent; "
                                   "`compression.method: none` leaves none"));
  EXPECT_EQ(refusal(live, {"compression={method: topk, ratio: 0.1}"}), "accepted");
  EXPECT_EQ(refusal(live, {"learner.record={ratios: [10 %]}"}), "accepted");
}

TEST(CheckUnread, TheHintOfErrorFeedbackNamesAMethodThatHasIt) {
  for (const std::string method : {"", "compression: {method: fp16}\n"}) {
    const std::string text = refusal(least + method + "learner: {kind: live, error_feedback: false}\n");
    const std::string begin = "leaves none; leave it out, or write `compression.method: ";
    ASSERT_THAT(text, ::testing::HasSubstr(begin));
    const std::string hint = text.substr(text.find(begin) + begin.size());
    const auto named = kernels::find_wire_format(hint.substr(0, hint.find('`')));
    ASSERT_TRUE(named) << hint;
    EXPECT_TRUE((*named)->error_feedback) << hint;
  }
}

TEST(CheckUnread, ACollectiveToChooseFromCarriesWhatIsSent) {
  const std::string among = least + "exchange: {among: [tree_allreduce]}\n";
  EXPECT_EQ(refusal(among), "accepted");
  EXPECT_THAT(refusal(among, {"compression={method: topk, ratio: 0.1}"}), ::testing::HasSubstr("accepted"));
  EXPECT_THAT(
      refusal(least + "exchange: {among: [tree_allreduce]}\n"
                      "compression: {method: topk, ratio: 0.1}\n"),
      ::testing::HasSubstr("`exchange.among` needs a collective that carries what is sent; none of those "
                           "named does; leave it out, or name one that does"));
}

TEST(CheckUnread, ConnectionsAndPlacementGroupsCountWhereATransportCapsEachFlow) {
  const auto fabric = [](const std::string& transport, const std::string& key) {
    return "workload: resnet50_v100\ntraining: {batch: 32, steps: 2}\n"
           "cluster: {workers: 4, fabric: {kind: ethernet, rate: 50 Gbit/s, transport: " +
           transport + ", " + key + "}}\n";
  };
  for (const std::string key : {"connections: 2", "placement_group: true"}) {
    EXPECT_THAT(refusal(fabric("nccl_tcp", key)),
                ::testing::HasSubstr("; the transport has none; leave it out, or name a transport that has "
                                     "one, such as `nccl_tcp_aws`"));
    EXPECT_EQ(refusal(fabric("nccl_tcp_aws", key)), "accepted");
  }
}

TEST(CheckUnread, NobodyChoosesAmongCollectivesOfALibrary) {
  const std::string fabric =
      "workload: resnet50_v100\ntraining: {batch: 32, steps: 2}\n"
      "cluster: {workers: 4, fabric: {kind: ethernet, rate: 50 Gbit/s, transport: nccl_tcp}}\n"
      "probe: {interval: 1 s}\n";
  EXPECT_THAT(
      refusal(fabric),
      ::testing::HasSubstr("`probe.interval: 1 s` needs a choice of collectives during training; a library "
                           "chooses by rules of its own; leave it out, or write `exchange.library: none`"));
  EXPECT_EQ(refusal(fabric + "exchange: {library: none}\n"), "accepted");
}

TEST(CheckUnread, AKeyThatIsSetBesideWhatDecidesIsRefusedAsInAFile) {
  EXPECT_THAT(refusal(least, {"synchronisation={method: diloco, every: 4}", "exchange.bucket=1 MB"}),
              ::testing::HasSubstr("`exchange.bucket: 1 MB` needs collectives that exchange gradients; "
                                   "`synchronisation: diloco` has none"));
}

TEST(CheckUnread, EpochsBesideStepsAreRefused) {
  EXPECT_THAT(
      refusal("# Does it pay?\n"
              "workload: {name: tiny, parameters: 1000000, compute: 30 ms, batch: 32}\n"
              "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\n"
              "training: {batch: 32, steps: 10, epochs: 3}\n"),
      ::testing::HasSubstr("`training.epochs: 3` needs a length in epochs; `training.steps: 10` states it in "
                           "steps; leave it out, or leave out `training.steps`"));
}

TEST(CheckUnread, SitesHaveCollectivesInside) {
  const std::string sites =
      "# Does it pay?\n"
      "workload: {name: tiny, parameters: 1000000, compute: 30 ms, batch: 32}\n"
      "cluster: {workers: 4, workers_per_node: 2, inner_link: {latency: 5 us, bandwidth: 100 Gbit/s}, " +
      good_link +
      "}\n"
      "training: {batch: 32, steps: 100}\n"
      "synchronisation: {method: decoupled_diloco, every: 20}\n"
      "exchange: {overlap: false}\n";
  EXPECT_EQ(refusal(sites), unread("s.yaml:6:21", "exchange.overlap: false", "decoupled_diloco"));
  EXPECT_EQ(refusal(sites + "parallelism: {site: node}\n"), "accepted");
}

/// GPT-2 on two nodes of four.
std::string gpt2(const std::string& more) {
  return "# Question?\n"
         "workload: gpt2_small\n"
         "cluster: {workers: 8, workers_per_node: 4, link: {latency: 10 us, bandwidth: 10 Gbit/s}, "
         "inner_link: "
         "{latency: 3 us, bandwidth: 100 GB/s}}\n"
         "training: {batch: 4, steps: 10}\n" +
         more;
}

TEST(CheckUnread, KeysOfGatheringAreRefusedWhereNothingIsGathered) {
  const auto of = [](const std::string& keys) { return refusal(gpt2("parallelism: {" + keys + "}\n")); };
  const std::string needs = "needs parameters that are gathered; `parallelism.data: ";
  const std::string gathered = "` gathers none; leave it out, or write `parallelism.data: fsdp`";
  EXPECT_EQ(of("data: zero1, prefetch: 2"),
            "s.yaml:5:38: `parallelism.prefetch: 2` " + needs + "zero1" + gathered);
  EXPECT_EQ(of("reshard_after_forward: false"),
            "s.yaml:5:38: `parallelism.reshard_after_forward: false` " + needs + "none" + gathered);
  EXPECT_EQ(
      of("data: zero1, accumulate: whole"),
      "s.yaml:5:40: `parallelism.accumulate: whole` needs shards of gradients; `parallelism.data: zero1` "
      "makes none; leave it out, or write `parallelism.data: zero2`");
  EXPECT_EQ(of("data: fsdp, prefetch: 2, accumulate: whole"), "accepted");
  EXPECT_EQ(of("prefetch: 1"), "accepted");
}

TEST(CheckUnread, KeysOfShardingAreSharedByArmsWithoutIt) {
  for (const std::string key : {"shard_within: node", "accumulate: node_shards"}) {
    const std::string top = gpt2("parallelism: {" + key + "}\n");
    EXPECT_EQ(refusal(top + "compare: {a: {parallelism: {data: hsdp}}, b: {seed: 2}}\n"), "accepted") << key;
    EXPECT_EQ(refusal(gpt2("parallelism: {data: hsdp, " + key + "}\n"), {"parallelism.data=none"}),
              "accepted")
        << key;
  }
}

TEST(CheckUnread, OfSeveralThingsThatAKeyNeedsOneDecidedExcusesNoOther) {
  EXPECT_THAT(refusal(least + "exchange: {library: openmpi, chunks: 4}\n", {"synchronisation=asp"}),
              ::testing::HasSubstr("`exchange.chunks: 4` needs a collective that is cut"));
}

TEST(CheckUnread, OtherSettingsOfTheCommandLineDecideNothing) {
  EXPECT_EQ(refusal(with_method("{method: diloco, every: 20}", "exchange: {overlap: true}\n"),
                    {"synchronisation.every=10"})
                .substr(0, 30),
            "s.yaml:6:21: `exchange.overlap");
  EXPECT_EQ(refusal(gpt2("parallelism: {prefetch: 2}\n"), {"parallelism.tensor=1"}).substr(0, 34),
            "s.yaml:5:25: `parallelism.prefetch");
}

TEST(CheckUnread, AMethodWithoutCollectivesIsToldFromOneWithoutGradients) {
  EXPECT_EQ(
      refusal(least + "exchange: {bucket: 1 MB}\n"
                      "compare: {a: {synchronisation: asp}, b: {synchronisation: {method: diloco, every: "
                      "20}}}\n"),
      unread("s.yaml:5:20", "exchange.bucket: 1 MB", "asp", " (in the arm `a`)"));
}

TEST(CheckUnread, WhatTheCommandLineDecidesLeavesKeysOfTheFileUnread) {
  const std::string file = gpt2("parallelism: {data: fsdp, prefetch: 2}\n");
  EXPECT_EQ(refusal(file, {"parallelism.data=zero1"}), "accepted");
  EXPECT_EQ(refusal(gpt2("parallelism: {prefetch: 2}\n"
                         "axes: {sharding: {fsdp: {parallelism: {data: fsdp}}, zero1: {parallelism: {data: "
                         "zero1}}}}\n")),
            "accepted");
}

}  // namespace
}  // namespace sim::scenario
