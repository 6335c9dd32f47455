// Files, options and arms merged.
#include "sim/scenario/overlay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

std::string without_folder(std::string text, const tests::ScratchFolder& scratch) {
  const std::string folder = scratch.path().string() + "/";
  for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder))
    text.erase(at, folder.size());
  return text;
}

TEST(Overlay, ALengthInStepsReplacesOneInEpochsAndTheOtherWayRound) {
  const std::string other = "compare: {a: {training: {steps: 7}}, b: {training: {epochs: 3}}}\n";
  const Study in_epochs = study(least + other);
  EXPECT_EQ(in_epochs.arms.at(0).work.training.steps, 7);
  EXPECT_EQ(in_epochs.arms.at(1).work.training.epochs, 3);
  EXPECT_FALSE(in_epochs.arms.at(1).work.training.steps);
  const Study in_steps = study(least + other, {"training.steps=5"});
  EXPECT_EQ(in_steps.arms.at(0).work.training.steps, 5);
  EXPECT_FALSE(study(least, {"training.epochs=4"}).arms.at(0).work.training.steps);
}

TEST(Settings, ANameOfAClusterAndKeysOfItActBothInAnyOrder) {
  const std::vector<std::string> name_first{"cluster=aws_p3_16xlarge", "cluster.workers=8"};
  const std::vector<std::string> name_last{"cluster.workers=8", "cluster=aws_p3_16xlarge"};
  const std::vector<std::string> by_use{"cluster.use=aws_p3_16xlarge", "cluster.workers=8"};
  const Cluster expected = study(least, by_use).arms.at(0).cluster;
  EXPECT_EQ(expected.workers_per_node, 8);
  EXPECT_EQ(study(least, name_first).arms.at(0).cluster, expected);
  EXPECT_EQ(study(least, name_last).arms.at(0).cluster, expected);
}

TEST(Settings, AKeyInsideATextThatWasSetBeforeIsRefused) {
  const std::vector<std::string> settings{"synchronisation=local_sgd", "synchronisation.period=4"};
  EXPECT_EQ(
      read_settings(settings).error().text(),
      "--set synchronisation.period: `--set synchronisation=local_sgd` is set as well, and has no keys; "
      "leave out one of them, or set keys of `synchronisation` only");
}

TEST(Use, TheFileOverridesItsBase) {
  const tests::ScratchFolder scratch;
  scratch.write("base.yaml", least);
  const auto reading = read(scratch, "# Another?\nuse: base.yaml\ncluster: {workers: 8}\n");
  ASSERT_TRUE(reading) << reading.error().text();
  EXPECT_EQ(reading->study.arms[0].cluster.workers, 8);
  EXPECT_EQ(reading->study.arms[0].cluster.link.bandwidth.count, 1.25e9);
  EXPECT_EQ(reading->study.question, "Another?");
  EXPECT_EQ(without_folder(language::find_path(reading->resolved, "cluster.link.latency")->origin().text(),
                           scratch),
            "base.yaml:3:39");
}

TEST(Use, AWorkloadOverridesKeysOfAShippedOne) {
  const auto workload = [](const std::string& text) {
    const tests::ScratchFolder scratch;
    const auto reading =
        read(scratch, "# Faster?\nworkload: " + text +
                          "\ncluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\n"
                          "training: {batch: 32, steps: 10}\n");
    EXPECT_TRUE(reading) << reading.error().text();
    return reading->study.arms.at(0).work.workload;
  };
  const std::string on_a100 = "{use: resnet50, times: {roofline: a100_sxm4_80gb_datasheet, precision: ";
  const netmodels::Workload single = workload(on_a100 + "fp32}}");
  const netmodels::Workload tensor_cores = workload(on_a100 + "tf32}}");
  EXPECT_EQ(single.parameters(), workload("resnet50").parameters());
  EXPECT_EQ(single.device, "a100_sxm4_80gb_datasheet");
  EXPECT_LT(tensor_cores.compute(32), single.compute(32));
  EXPECT_THAT(single.provenance, testing::EndsWith("; the scenario changes `times`"));
  EXPECT_EQ(workload("{use: resnet50}").provenance, workload("resnet50").provenance);
}

TEST(Use, TimesOfAWorkloadKeepTheirSourceOrGetAnother) {
  const auto reading_of = [](const std::string& text) {
    const tests::ScratchFolder scratch;
    auto reading = read(scratch, "# Faster?\nworkload: " + text +
                                     "\ncluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\n"
                                     "training: {batch: 32, steps: 10}\n");
    return reading ? reading->study.arms.at(0).work.workload.device
                   : without_folder(reading.error().text(), scratch);
  };
  EXPECT_EQ(
      reading_of("{use: resnet50_v100, times: {device: h100_sxm_datasheet}}"),
      "s.yaml:2:48: `workload.times.device` says how the times of the base came about, and would not change "
      "them; leave it out, or state times of your own by `measured`, `total` or `roofline` beside it");
  EXPECT_THAT(reading_of("{use: resnet50_v100, times: {batch: 64}}"),
              testing::HasSubstr("`workload.times.batch` says how the times of the base came about"));
  EXPECT_EQ(reading_of("{use: resnet50_v100, times: {roofline: h100_sxm_datasheet, batch: 32}}"),
            "h100_sxm_datasheet");
  EXPECT_EQ(reading_of("{use: resnet50_v100, times: {total: 100 ms, device: t4_datasheet, batch: 32}}"),
            "t4_datasheet");
  EXPECT_EQ(reading_of("{use: llama3_8b, mfu: 40 %}"), reading_of("{use: llama3_8b}"));
}

TEST(Use, ArmsOverrideKeysOfAWorkloadAndReplaceIt) {
  const Study changed = study(least, {"workload.use=resnet50"});
  EXPECT_EQ(changed.arms.at(0).work.workload.name, "resnet50");
  const tests::ScratchFolder scratch;
  const auto reading = read(
      scratch,
      "# Faster?\nworkload: {use: resnet50}\n"
      "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\n"
      "training: {batch: 32, steps: 10}\n"
      "compare:\n  own: {workload: {times: {batch: 64}}}\n  other: {workload: {use: vgg16, name: mine}}\n");
  ASSERT_TRUE(reading) << reading.error().text();
  EXPECT_EQ(reading->study.arms.at(0).work.workload.reference_batch, 64);
  EXPECT_EQ(reading->study.arms.at(1).work.workload.name, "mine");
  EXPECT_EQ(reading->study.arms.at(1).work.workload.parameters(), 138357544);
}

TEST(Use, AnUnknownWorkloadIsRefused) {
  const tests::ScratchFolder scratch;
  const auto reading = read(scratch,
                            "# Faster?\nworkload: {use: resnet51}\n"
                            "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\n"
                            "training: {batch: 32, steps: 10}\n");
  ASSERT_FALSE(reading);
  EXPECT_THAT(without_folder(reading.error().text(), scratch),
              testing::StartsWith("s.yaml:2:17: unknown workload file `resnet51`; did you mean `resnet50`?"));
}

TEST(Use, CirclesAreShown) {
  const tests::ScratchFolder scratch;
  scratch.write("b.yaml", "use: c.yaml\n");
  scratch.write("c.yaml", "seed: 1\nuse: s.yaml\n");
  EXPECT_EQ(without_folder(read(scratch, "use: b.yaml\n").error().text(), scratch),
            "c.yaml:2:6: circular `use`: s.yaml -> b.yaml -> c.yaml -> s.yaml; remove `use` from one of "
            "them");
  EXPECT_EQ(without_folder(read(scratch, "use: ./s.yaml\n").error().text(), scratch),
            "s.yaml:1:6: circular `use`: s.yaml -> s.yaml; remove `use` from one of them");
}

TEST(Use, AMissingBaseIsRefused) {
  const tests::ScratchFolder scratch;
  const std::string text = without_folder(read(scratch, "use: bass.yaml\n").error().text(), scratch);
  EXPECT_EQ(text.substr(0, 45), "s.yaml:1:6: unknown scenario file `bass.yaml`");
  EXPECT_EQ(without_folder(read(scratch, "use: [a]\n").error().text(), scratch),
            "s.yaml:1:6: expected the name of a scenario file, found a list; write for example `use: "
            "base.yaml`");
}

class NamedCluster : public testing::Test {
 protected:
  NamedCluster() {
    scratch.write("data/clusters/lab.yaml",
                  "# The lab.\nworkers: 16\nlink: {latency: 2 ms, bandwidth: 1 Gbit/s}\n");
    scratch.write(
        "data/clusters/wide.yaml",
        "# The wide one.\nworkers: 32\nlink: {latency: 9 ms, bandwidth: 5 Gbit/s}\npreset: tcp-wan\n");
  }
  netmodels::Result<Reading> read_in(const std::string& rest,
                                     const std::vector<std::string>& settings = {}) const {
    const std::string text =
        "# Q?\nworkload: {name: tiny, parameters: 1000000, compute: 30 ms, batch: 32}\n"
        "training: {batch: 32, epochs: 2, samples: 12800}\n" +
        rest;
    return read_study(scratch.write("s.yaml", text), settings, scratch / "data", some_metrics);
  }
  tests::ScratchFolder scratch;
};

TEST_F(NamedCluster, IsReadByNameAndByUse) {
  EXPECT_EQ(read_in("cluster: lab\n")->study.arms.at(0).cluster.workers, 16);
  const auto reading = read_in("cluster: {use: lab, workers: 4}\n");
  ASSERT_TRUE(reading) << reading.error().text();
  EXPECT_EQ(reading->study.arms[0].cluster.workers, 4);
  EXPECT_EQ(reading->study.arms[0].cluster.link.latency.count, 2e-3);
}

TEST_F(NamedCluster, AnUnknownNameIsRefusedWithTheNearest) {
  EXPECT_EQ(without_folder(read_in("cluster: lap\n").error().text(), scratch),
            "s.yaml:4:10: unknown cluster file `lap`; did you mean `lab`? accepted: lab, wide");
}

TEST_F(NamedCluster, AnArmMayOverrideOrReplaceIt) {
  const auto reading =
      read_in("cluster: wide\ncompare: {a: {cluster: {workers: 4}}, b: {cluster: lab}, c: {}}\n");
  ASSERT_TRUE(reading) << reading.error().text();
  const auto& arms = reading->study.arms;
  EXPECT_EQ(arms.at(0).cluster.workers, 4);
  EXPECT_EQ(arms.at(0).cluster.preset, NetworkPreset::tcp_wan);
  EXPECT_EQ(arms.at(1).cluster.workers, 16);
  EXPECT_EQ(arms.at(1).cluster.preset, NetworkPreset::exact);
  EXPECT_EQ(arms.at(2).cluster.workers, 32);
}

TEST_F(NamedCluster, SettingsReachIntoItAndIntoArms) {
  const auto reading = read_in("cluster: wide\ncompare: {a: {cluster: {workers: 4}}, b: {cluster: lab}}\n",
                               {"cluster.workers=2", "cluster.link.latency=5 us"});
  ASSERT_TRUE(reading) << reading.error().text();
  for (const Scenario& arm : reading->study.arms) {
    EXPECT_EQ(arm.cluster.workers, 2) << arm.name;
    EXPECT_EQ(arm.cluster.link.latency.count, 5e-6) << arm.name;
  }
  EXPECT_EQ(reading->study.arms.at(1).cluster.link.bandwidth.count, 1.25e8);
}

TEST(Settings, WinOverTheFileAndBearTheirOrigin) {
  const Study read =
      study(least, {"cluster.link.bandwidth=5 Gbit/s", "seed=7", "cluster.speeds=[1, 1, 1, 0.5]"});
  EXPECT_EQ(read.arms.at(0).cluster.link.bandwidth.count, 6.25e8);
  EXPECT_EQ(read.arms.at(0).simulation.seed, 7u);
  EXPECT_EQ(read.arms.at(0).cluster.speeds.at(3), 0.5);
  EXPECT_EQ(refusal(least, {"seed=many"}),
            "--set seed: `seed`: `many` is not a whole number; write digits only, such as `50000`");
  EXPECT_EQ(refusal(least, {"sed=1"}),
            "--set sed: unknown key `sed`; did you mean `seed`? accepted: workload, cluster, training, "
            "synchronisation, learner, compute, batching, streams, compression, exchange, parallelism, "
            "availability, price, objective, probe, network, "
            "audit, output, seed, seeds, uncertainty");
}

TEST(Settings, OverrideArmsAndAddNone) {
  const std::string arms = least + "compare: {dense: {seed: 2}, sparse: {}}\n";
  EXPECT_EQ(study(arms, {"compare.dense.seed=5"}).arms.at(0).simulation.seed, 5u);
  EXPECT_EQ(study(arms, {"compare.sparse.seed=6"}).arms.at(1).simulation.seed, 6u);
  EXPECT_EQ(refusal(arms, {"compare.dens.seed=5"}),
            "--set compare.dens.seed: unknown arm `dens`; did you mean `dense`? accepted: dense, sparse; a "
            "new arm is "
            "set as a whole, such as `compare={new: {seed: 2}}`");
  EXPECT_EQ(refusal(least, {"compare.dense.seed=5"}),
            "--set compare.dense.seed: unknown arm `dense`; the file has no `compare`; a new arm is set as "
            "a whole, such as `compare={new: {seed: 2}}`");
  const std::string axes = least + "axes: {speed: {slow: {seed: 1}, fast: {}}}\n";
  EXPECT_EQ(study(axes, {"axes.speed.fast.seed=7"}).arms.at(1).simulation.seed, 7u);
  EXPECT_EQ(refusal(axes, {"axes.sped.fast.seed=7"}),
            "--set axes.sped.fast.seed: unknown axis `sped`; did you mean `speed`? accepted: speed");
  EXPECT_EQ(refusal(axes, {"axes.speed.fat.seed=7"}),
            "--set axes.speed.fat.seed: unknown value of the axis `speed` `fat`; did you mean `fast`? "
            "accepted: slow, fast");
}

TEST(Settings, MalformedOnesAreRefused) {
  EXPECT_EQ(refusal(least, {"seed"}),
            "--set: `seed` does not give both a key and a value; write `--set KEY=VALUE`, such as `--set "
            "cluster.workers=16`");
  EXPECT_EQ(refusal(least, {"=1"}),
            "--set: `=1` does not give both a key and a value; write `--set KEY=VALUE`, such as `--set "
            "cluster.workers=16`");
  EXPECT_EQ(refusal(least, {"a..b=1"}),
            "--set a..b: `a..b` is not a path of keys; write keys joined by dots, such as "
            "`cluster.link.bandwidth`");
  EXPECT_EQ(refusal(least, {"seed="}),
            "--set: `seed=` does not give both a key and a value; write `--set KEY=VALUE`, such as `--set "
            "cluster.workers=16`");
  EXPECT_EQ(refusal(least, {"seed=null"}),
            "--set seed: `null` leaves the key without a value; write a value");
  EXPECT_EQ(refusal(least, {"use=x"}), "--set use: `use` cannot be set; write `use` into the file");
}

TEST(Compression, AnotherMethodForgetsWhatBelongedToTheFirst) {
  const Study read = study(
      least +
      "compression: {method: topk, ratio: 0.01, time: 12 ms}\n"
      "compare: {dense: {compression: {method: none}}, ar: {compression: {method: ar_topk}}, same: {}}\n");
  EXPECT_EQ(read.arms.at(0).exchange.compression.ratio, 1);
  EXPECT_EQ(read.arms.at(0).exchange.compression.time, std::nullopt);
  EXPECT_EQ(read.arms.at(1).exchange.compression.ratio, 0.01);
  EXPECT_EQ(read.arms.at(1).exchange.compression.time, std::nullopt);
  EXPECT_EQ(read.arms.at(2).exchange.compression.time->count, 0.012);
  EXPECT_THAT(read.warnings,
              testing::Contains(testing::EndsWith(
                  ": `compression.time` is of `topk` and is left out for `ar_topk`; write `time` "
                  "beside that method where it is its time, too")));
  EXPECT_THAT(read.warnings, testing::Not(testing::Contains(testing::HasSubstr("for `none`"))));
}

TEST(RepeatedSettings, AreWarnedOfWithTheValueThatCounts) {
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  EXPECT_THAT(repeated_settings(std::vector<std::string>{"a.b=1", "c=2", "a.b=3"}),
              ElementsAre("--set a.b: set to `1` and to `3`; the last one counts"));
  EXPECT_THAT(repeated_settings(std::vector<std::string>{"a.b=1", "a.b=1", "a.c=2"}), IsEmpty());
}

}  // namespace
}  // namespace sim::scenario
