// Reading keys: every kind of value, and the full text of each refusal.
#include "sim/language/reader.hpp"

#include <gtest/gtest.h>

#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

TEST(Reader, FillsInDefaults) {
  const Study read = study(least);
  ASSERT_EQ(read.arms.size(), 1u);
  const Scenario& arm = read.arms[0];
  EXPECT_EQ(arm.name, "run");
  EXPECT_EQ(arm.cluster.workers, 4);
  EXPECT_EQ(arm.cluster.link.bandwidth.count, 1.25e9);
  EXPECT_EQ(arm.cluster.link.latency.count, 1e-3);
  EXPECT_FALSE(arm.exchange.execution || arm.exchange.overlap || arm.exchange.broadcast_buffers);
  EXPECT_FALSE(arm.exchange.first_bucket || arm.exchange.bucket);
  EXPECT_EQ(arm.exchange.probe.interval.count, 10);
  EXPECT_EQ(arm.exchange.compression.method, "none");
  EXPECT_EQ(arm.simulation.seed, 1u);
  EXPECT_EQ(arm.work.workload.name, "tiny");
  EXPECT_EQ(read.question, "Does it pay?");
  EXPECT_TRUE(read.warnings.empty());
}

TEST(Reader, ReadsEveryKeyOfACluster) {
  const Study read = study(with_cluster(
      "workers: 4, workers_per_node: 2, inner_link: {latency: 5 us, bandwidth: 300 GB/s}, " + good_link +
      ", worker_links: [{workers: [2, 3], link: {latency: 2 ms, bandwidth: 1 Gbit/s}}], speeds: [1, 1, 0.5, "
      "1], "
      "topology: {kind: racks, workers_per_rack: 2, oversubscription: 4}, preset: tcp-wan, "
      "changes: [{at: epoch 0.5, bandwidth: 1 Gbit/s}, {at: step 10, latency: 2 ms, workers: [0, 1]}, {at: 3 "
      "s, latency: 1 ms, links: [up_0]}], "
      "background: [{from: 0, to: 1, rate: 1 Gbit/s, start: 1 s, end: 2 s, period: 5 s}], "
      "failures: [{worker: 1, at: 3 s}, {link: up_0, at: 1 s, until: 2 s}], on_failure: stop, recovery: 20 "
      "s"));
  const Cluster& cluster = read.arms.at(0).cluster;
  EXPECT_EQ(cluster.inner_link->bandwidth.count, 300e9);
  EXPECT_EQ(cluster.worker_links.at(0).workers, (std::vector<int>{2, 3}));
  EXPECT_EQ(cluster.speeds.at(2), 0.5);
  EXPECT_EQ(cluster.topology, topology("racks", Racks{2, 4}));
  EXPECT_EQ(cluster.preset, NetworkPreset::tcp_wan);
  EXPECT_EQ(cluster.changes.at(0).at.unit, Moment::Unit::epoch);
  EXPECT_EQ(cluster.changes.at(0).at.value, 0.5);
  EXPECT_EQ(cluster.changes.at(1).at.unit, Moment::Unit::step);
  EXPECT_EQ(cluster.changes.at(1).workers, (std::vector<int>{0, 1}));
  EXPECT_EQ(cluster.changes.at(2).at.value, 3);
  EXPECT_EQ(cluster.background.at(0).period->count, 5);
  EXPECT_EQ(cluster.failures.at(1).until->count, 2);
  EXPECT_EQ(cluster.on_failure, OnFailure::stop);
  EXPECT_EQ(cluster.recovery.count, 20);
}

TEST(Reader, ReadsWiredTopologies) {
  const auto topology = [](const std::string& text) {
    return study(with_cluster("workers: 4, " + good_link + ", topology: " + text))
        .arms.at(0)
        .cluster.topology;
  };
  EXPECT_EQ(topology("{kind: fat_tree, down: [2, 2], up: [1, 2], parallel: [1, 1]}").as<FatTree>().up,
            (std::vector<int>{1, 2}));
  EXPECT_EQ(topology("{kind: torus, dimensions: [2, 2]}").as<Torus>().dimensions, (std::vector<int>{2, 2}));
  EXPECT_EQ(topology("{kind: dragonfly, groups: 2, chassis: 1, routers: 2, nodes: 1}").as<Dragonfly>().groups,
            2);
}

TEST(Reader, ReadsSharesAsNumbersOrPercent) {
  const Study read =
      study(least + "compression: {method: topk, ratio: 1 %}\nprobe: {noise: 0.05}\naudit: 2.5 %\n");
  EXPECT_EQ(read.arms.at(0).exchange.compression.ratio, 0.01);
  EXPECT_EQ(read.arms.at(0).exchange.probe.noise, 0.05);
  EXPECT_EQ(read.arms.at(0).simulation.audit, 0.025);
}

TEST(Reader, ReadsJitterByItsKind) {
  EXPECT_EQ(study(least + "compute: {jitter: {distribution: lognormal, sigma: 0.1}}\n")
                .arms.at(0)
                .work.compute.jitter.sigma,
            0.1);
  EXPECT_EQ(study(least + "compute: {jitter: {distribution: exponential, scale: 5 %}}\n")
                .arms.at(0)
                .work.compute.jitter.scale,
            0.05);
  EXPECT_EQ(refusal(least + "compute: {jitter: {distribution: exponential, sigma: 0.1}}\n"),
            "s.yaml:5:47: unknown key `compute.jitter.sigma`; it is accepted where "
            "`compute.jitter.distribution` is lognormal: write that too, or leave this out");
}

TEST(Reader, SaysWhichChoicesKnowAKey) {
  EXPECT_EQ(refusal(least + "learner: {target: 0.9}\n"),
            "s.yaml:5:11: unknown key `learner.target`; it is accepted where `learner.kind` is live, replay, "
            "parametric: write that too, or leave this out");
  EXPECT_EQ(refusal(least + "learner: {tarmet: 0.9}\n"),
            "s.yaml:5:11: unknown key `learner.tarmet`; accepted: kind");
}

TEST(Reader, TakesAnAccuracyOrALossAsTarget) {
  const std::string live = least + "learner: {kind: live, target: ";
  EXPECT_EQ(study(live + "94 %}\n").arms.at(0).learner.target->accuracy, 0.94);
  EXPECT_EQ(study(live + "{accuracy: 94 %}}\n").arms.at(0).learner.target->accuracy, 0.94);
  EXPECT_EQ(study(live + "{loss: 1.8}}\n").arms.at(0).learner.target->loss, 1.8);
  const std::string hint = "; write `target: 94 %` or `target: {loss: 1.8}`";
  EXPECT_EQ(refusal(live + "{loss: 1.8, accuracy: 0.9}}\n"),
            "s.yaml:5:31: `learner.target`: the target is stated twice" + hint);
  EXPECT_EQ(refusal(live + "{}}\n"), "s.yaml:5:31: `learner.target`: the target is empty" + hint);
}

TEST(Reader, NamesTheNearestKey) {
  EXPECT_EQ(
      refusal(with_cluster("wokers: 4, " + good_link)),
      "s.yaml:3:11: unknown key `cluster.wokers`; did you mean `workers`? accepted: workers, "
      "workers_per_node, device, link, upload, fabric, inner_link, inner_fabric, worker_links, speeds, "
      "cores, core_exponent, "
      "speed_changes, topology, preset, collective_times, extrapolate, nccl, changes, traces, background, "
      "failures, absences, churn, "
      "on_failure, recovery");
  EXPECT_EQ(refusal(least + "exchnge: {}\n"),
            "s.yaml:5:1: unknown key `exchnge`; did you mean `exchange`? accepted: workload, cluster, "
            "training, synchronisation, learner, compute, batching, streams, compression, exchange, "
            "parallelism, availability, price, objective, probe, "
            "network, audit, output, seed, seeds, uncertainty");
}

TEST(Reader, NamesMissingKeysAndShowsHow) {
  EXPECT_EQ(refusal(with_cluster(good_link)),
            "s.yaml:3:10: the key `cluster.workers` is missing; write for example `workers: 8` (Number of "
            "workers, each with one device.)");
  EXPECT_EQ(
      refusal("seed: 1\n"),
      "s.yaml:1:1: the key `workload` is missing; write for example `workload: resnet50_v100` (The "
      "model to train: a file of "
      "scenarios/workloads, a path, or the model itself (which may take such a file as base by `use`).)\n"
      "s.yaml:1:1: the key `cluster` is missing; write for example `cluster: {workers: 8, link: {latency: 1 "
      "ms, bandwidth: 10 Gbit/s}}` (The cluster: a file of scenarios/clusters, or a map (which may take such "
      "a "
      "file as base by `use`).)\n"
      "s.yaml:1:1: the key `training` is missing; write for example `training: {batch: 32, epochs: 50, "
      "samples: 50000}` (Length of the training and its batch.)");
  EXPECT_EQ(refusal(with_cluster("workers: 4, link: {latency: 1 ms}")),
            "s.yaml:3:29: the key `cluster.link.bandwidth` is missing; write for example `bandwidth: 10 "
            "Gbit/s` (Capacity in each direction.)");
}

TEST(Reader, RefusesWrongUnitsWithPlaceKeyAndValue) {
  EXPECT_EQ(refusal(with_cluster("workers: 4, link: {latency: 1 ms, bandwidth: 5 ms}")),
            "s.yaml:3:56: `cluster.link.bandwidth`: `5 ms` is a time; expected a bandwidth; accepted "
            "units: bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s, B/s, kB/s, MB/s, GB/s, TB/s, MiB/s, GiB/s, Gbps");
  EXPECT_EQ(refusal(with_cluster("workers: 4, link: {latency: 1, bandwidth: 5 Gbit/s}")),
            "s.yaml:3:39: `cluster.link.latency`: `1` has no unit; expected a time; accepted units: s, ms, "
            "us, ns, min, h, day");
  EXPECT_EQ(refusal(with_cluster("workers: 4, link: {latency: -1 ms, bandwidth: 5 Gbit/s}")),
            "s.yaml:3:39: `cluster.link.latency`: `-1 ms` is negative; expected a time; write zero or "
            "more, in s, ms, us, ns, min, h, day");
  EXPECT_EQ(refusal(with_cluster("workers: 4, link: {latency: 1 ms, bandwidth: 0 Gbit/s}")),
            "s.yaml:3:56: `cluster.link.bandwidth`: `0 Gbit/s` is too small; accepted: above 0 bit/s");
}

TEST(Reader, RefusesNumbersOutOfRange) {
  EXPECT_EQ(refusal(with_cluster("workers: 0, " + good_link)),
            "s.yaml:3:20: `cluster.workers`: `0` is too small; accepted: at least 1 and at most 4096");
  EXPECT_EQ(refusal(with_cluster("workers: 5000, " + good_link)),
            "s.yaml:3:20: `cluster.workers`: `5000` is too large; accepted: at least 1 and at most 4096");
  EXPECT_EQ(refusal(with_cluster("workers: -4, " + good_link)),
            "s.yaml:3:20: `cluster.workers`: `-4` is too small; accepted: at least 1 and at most 4096");
  EXPECT_EQ(refusal(least + "compression: {method: topk, ratio: 0}\n"),
            "s.yaml:5:36: `compression.ratio`: `0` is too small; accepted: above 0 and at most 1");
  EXPECT_EQ(refusal(least + "compression: {method: topk, ratio: 150 %}\n"),
            "s.yaml:5:36: `compression.ratio`: `150 %` is too large; accepted: above 0 and at most 1");
  EXPECT_EQ(refusal(least + "exchange: {hysteresis: 1}\n"),
            "s.yaml:5:24: `exchange.hysteresis`: `1` is too large; accepted: at least 0 and below 1");
  EXPECT_EQ(refusal(least + "exchange: {hysteresis: 99 %}\n"), "accepted");
  EXPECT_EQ(refusal(least + "exchange: {chunks: 4097}\n"),
            "s.yaml:5:20: `exchange.chunks`: `4097` is too large; accepted: at least 1 and at most 4096");
  EXPECT_EQ(refusal(least + "seed: 99999999999999999999\n"),
            "s.yaml:5:7: `seed`: `99999999999999999999` is too large; accepted: at most 9223372036854775807");
}

TEST(Reader, RefusesWhatIsNoNumber) {
  EXPECT_EQ(
      refusal(with_cluster("workers: eight, " + good_link)),
      "s.yaml:3:20: `cluster.workers`: `eight` is not a whole number; write digits only, such as `50000`");
  EXPECT_EQ(
      refusal(with_cluster("workers: 8.5, " + good_link)),
      "s.yaml:3:20: `cluster.workers`: `8.5` is not a whole number; write digits only, such as `50000`");
  EXPECT_EQ(refusal(with_cluster("workers: \"8\", " + good_link)),
            "s.yaml:3:20: `cluster.workers`: `8` is quoted text; expected a whole number; leave out the "
            "quotes");
  EXPECT_EQ(refusal(least + "probe: {noise: .nan}\n"),
            "s.yaml:5:16: `probe.noise`: `.nan` is not a number; write a number such as `0.02`, or a share "
            "such as `2 %`");
  EXPECT_EQ(refusal(least + "probe: {noise: inf}\n"),
            "s.yaml:5:16: `probe.noise`: `inf` is not a number; write a number such as `0.02`, or a share "
            "such as `2 %`");
  EXPECT_EQ(refusal(least + "exchange: {overlap: yes}\n"),
            "s.yaml:5:21: `exchange.overlap`: `yes` is not a boolean; write `true` or `false`");
}

TEST(Reader, RefusesTheWrongShape) {
  EXPECT_EQ(
      refusal(least + "probe: 3\n"),
      "s.yaml:5:8: `probe`: expected a map of keys, found `3`; write for example `probe: {interval: 10 s}`");
  EXPECT_EQ(refusal(least + "seed: [1]\n"), "s.yaml:5:7: `seed`: expected a whole number, found a list");
  EXPECT_EQ(refusal(with_cluster("workers: 4, changes: 3, " + good_link)),
            "s.yaml:3:32: `cluster.changes`: expected a list, found `3`; write a list, or leave it out: "
            "Bandwidth or latency that changes "
            "during the run.");
  EXPECT_EQ(refusal("- a\n- b\n"),
            "s.yaml:1:1: expected a map of keys, found a list; write keys and values, such as `workload: "
            "resnet50_v100`");
  EXPECT_EQ(refusal("training:\n" + least.substr(0, least.find("training"))),
            "s.yaml:1:1: `training`: expected a map of keys, found nothing; write for example `training: "
            "{batch: 32, epochs: 50, samples: 50000}`");
}

TEST(Reader, RefusesUnknownWords) {
  EXPECT_EQ(refusal(least + "network: simgird\n"),
            "s.yaml:5:10: `network`: unknown value `simgird`; did you mean `simgrid`? accepted: auto, "
            "closed, path, simgrid, nccl");
  EXPECT_EQ(refusal(with_cluster("workers: 4, topology: fattree, " + good_link)),
            "s.yaml:3:33: `cluster.topology.kind`: unknown value `fattree`; did you mean `fat_tree`? "
            "accepted: star, fat_tree, dragonfly, torus, racks, wan, platform");
  EXPECT_EQ(refusal(with_cluster("workers: 4, topology: torus, " + good_link)),
            "s.yaml:3:33: the key `cluster.topology.dimensions` is missing; write for example `dimensions: "
            "[4, 4]` (Nodes along each "
            "dimension.)");
}

TEST(Reader, RefusesMomentsThatAreNone) {
  const auto at = [](const std::string& moment) {
    return refusal(with_cluster("workers: 4, changes: [{at: " + moment + ", latency: 1 ms}], " + good_link));
  };
  const std::string hint = "; write `epoch 12`, `step 100` or a time such as `30 s`";
  EXPECT_EQ(at("12"), "s.yaml:3:38: `cluster.changes[0].at`: `12` has no unit; expected a time" + hint);
  EXPECT_EQ(at("epoch twelve"),
            "s.yaml:3:38: `cluster.changes[0].at`: `epoch twelve` is not an epoch" + hint);
  EXPECT_EQ(at("step -1"), "s.yaml:3:38: `cluster.changes[0].at`: `step -1` is not a step" + hint);
  EXPECT_EQ(at("step 1.5"), "s.yaml:3:38: `cluster.changes[0].at`: `step 1.5` is not a whole step" + hint);
}

TEST(Reader, RefusesChangesThatChangeNothing) {
  EXPECT_EQ(refusal(with_cluster("workers: 4, changes: [{at: 1 s}], " + good_link)),
            "s.yaml:3:33: `cluster.changes[0]`: the change has neither bandwidth nor latency; write "
            "`bandwidth`, `latency`, or both");
}

TEST(Reader, RefusesEventsThatMakeNoSense) {
  const auto refused = [](const std::string& event) {
    return refusal(with_cluster("workers: 4, " + event + ", " + good_link));
  };
  EXPECT_EQ(refused("failures: [{at: 1 s}]"),
            "s.yaml:3:34: `cluster.failures[0]`: neither `worker` nor `link` is given; write `worker` or "
            "`link`");
  EXPECT_EQ(
      refused("failures: [{at: 1 s, worker: 1, link: x}]"),
      "s.yaml:3:34: `cluster.failures[0]`: both `worker` and `link` are given; write `worker` or `link`");
  EXPECT_EQ(refused("failures: [{at: 1 s, worker: 1, until: 2 s}]"),
            "s.yaml:3:34: `cluster.failures[0]`: a failed worker does not recover; leave out `until`, or "
            "write it in `cluster.absences`, from where workers return");
  EXPECT_EQ(
      refused("failures: [{at: 3 s, link: x, until: 2 s}]"),
      "s.yaml:3:34: `cluster.failures[0]`: the failure ends before it starts; write an `until` after `at`");
  EXPECT_EQ(refusal(least + "compute: {slowdowns: [{worker: 0, at: 2 s, until: 1 s, factor: 2}]}\n"),
            "s.yaml:5:23: `compute.slowdowns[0]`: the slow-down ends before it starts; write an `until` "
            "after `at`");
}

}  // namespace
}  // namespace sim::scenario
