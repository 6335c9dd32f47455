// Invalid combinations: the full text of each error.
#include "sim/scenario/checks.hpp"

#include <gtest/gtest.h>

#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

TEST(CheckCluster, APartOfANodeIsNamed) {
  EXPECT_EQ(cluster_error("workers_per_node: 8"),
            "s.yaml:3:86: `cluster.workers_per_node`: nodes of 8 do not divide 4 workers; write "
            "`workers_per_node: 4` "
            "beside it for a part of one node");
}

TEST(CheckCluster, WorkersPerNodeMustDivideAndNeedAnInnerLink) {
  EXPECT_EQ(cluster_error("workers_per_node: 3"),
            "s.yaml:3:86: `cluster.workers_per_node`: nodes of 3 do not divide 4 workers; write a divisor of "
            "`workers`");
  EXPECT_EQ(
      cluster_error("workers_per_node: 2"),
      "s.yaml:3:86: the key `cluster.inner_link` is missing, although workers share nodes; write for "
      "example `inner_link: {latency: "
      "5 us, bandwidth: 300 GB/s}`, or `inner_fabric: {kind: nvlink, rate: 300 GB/s, transport: nvlink}`");
}

TEST(CheckCluster, SpeedsMustBeOnePerWorker) {
  EXPECT_EQ(cluster_error("speeds: [1, 2]"),
            "s.yaml:3:76: `cluster.speeds`: 2 speeds are given for 4 workers; give one for each worker, or "
            "leave them out");
}

TEST(CheckCluster, TheLinkMustBeThere) {
  EXPECT_EQ(refusal(with_cluster("workers: 4")),
            "s.yaml:3:10: the key `cluster.link` is missing; write for example `link: {latency: 1 ms, "
            "bandwidth: 10 Gbit/s}`, or `fabric: {kind: ethernet, rate: 10 Gbit/s, transport: nccl_tcp}`");
}

TEST(CheckCluster, TopologiesMustHoldTheNodes) {
  EXPECT_EQ(cluster_error("topology: {kind: fat_tree, down: [3], up: [1], parallel: [1]}"),
            "s.yaml:3:78: `cluster.topology`: the fat_tree has 3 nodes, 4 are needed; make it larger, or "
            "write fewer workers");
  EXPECT_EQ(cluster_error("topology: {kind: fat_tree, down: [2, 2], up: [1], parallel: [1, 1]}"),
            "s.yaml:3:78: `cluster.topology`: `down`, `up` and `parallel` have 2, 1 and 2 levels; give each "
            "one number per level");
  EXPECT_EQ(cluster_error("topology: {kind: torus, dimensions: [3]}"),
            "s.yaml:3:78: `cluster.topology`: the torus has 3 nodes, 4 are needed; make it larger, or "
            "write fewer workers");
  EXPECT_EQ(cluster_error("topology: {kind: dragonfly, groups: 1, chassis: 1, routers: 1, nodes: 3}"),
            "s.yaml:3:78: `cluster.topology`: the dragonfly has 3 nodes, 4 are needed; make it larger, or "
            "write fewer workers");
  EXPECT_EQ(
      cluster_error("topology: {kind: dragonfly, groups: 60, chassis: 60, routers: 60, nodes: 60}"),
      "s.yaml:3:78: `cluster.topology`: the dragonfly is too large; at most 10000 nodes and 1000000 links");
  EXPECT_EQ(
      cluster_error("topology: {kind: fat_tree, down: [4], up: [4096], parallel: [4096]}"),
      "s.yaml:3:78: `cluster.topology`: the fat_tree has too many links; at most 10000 nodes and 1000000 "
      "links");
  EXPECT_EQ(cluster_error("topology: {kind: dragonfly, groups: 4, chassis: 1, routers: 2, nodes: 3}"),
            "s.yaml:3:78: `cluster.topology`: 4 groups need more than the 2 routers of a chassis; SimGrid "
            "3.32 crashes on it; write at most "
            "as many `groups` as `routers`");
  EXPECT_EQ(cluster_error("topology: {kind: racks, workers_per_rack: 3, oversubscription: 2}"),
            "s.yaml:3:110: `cluster.topology.workers_per_rack`: racks of 3 do not divide 4 workers; write a "
            "divisor of `workers`");
  EXPECT_EQ(cluster_error("topology: {kind: platform, file: p.xml, hosts: [a, b]}"),
            "s.yaml:3:101: `cluster.topology.file`: `p.xml`: file not found; check the path\n"
            "s.yaml:3:115: `cluster.topology.hosts`: 2 hosts are named, 4 nodes are needed; name more hosts");
}

TEST(CheckCluster, SitesMustHoldTheWorkers) {
  const std::string site = "{name: a, workers: 2, bandwidth: 1 Gbit/s, latency: 20 ms}";
  EXPECT_EQ(
      cluster_error("topology: {kind: wan, sites: [" + site + "]}"),
      "s.yaml:3:97: `cluster.topology.sites`: the sites hold 2 workers, the cluster 4; let both be equal");
  EXPECT_EQ(cluster_error("topology: {kind: wan, sites: [" + site + ", " + site + "]}"),
            "s.yaml:3:165: `cluster.topology.sites[1].name`: duplicate site `a`; give each site its own "
            "name");
}

TEST(CheckCluster, SitesLeaveThePlatformItsNames) {
  const auto named = [](const std::string& name) {
    return cluster_error("topology: {kind: wan, sites: [{name: " + name +
                         ", workers: 4, bandwidth: 1 Gbit/s, latency: 20 ms}]}");
  };
  EXPECT_EQ(named("worker0"),
            "s.yaml:3:105: `cluster.topology.sites[0].name`: the platform itself uses names such as "
            "`worker0`; write a "
            "name of the place, such as `amsterdam`; not `backbone`, `worker0`, `node0`, and nothing that "
            "ends in _UP, "
            "_DOWN, _zone, _router or _gate");
  for (const std::string name :
       {"node1", "backbone", "a_zone", "a_router", "a_gate", "a_UP", "a_DOWN", "__loopback__"})
    EXPECT_NE(named(name).find("the platform itself uses names such as `" + name + "`"), std::string::npos)
        << name;
  for (const std::string name : {"amsterdam", "node", "worker", "nodes1", "worker1b", "zone", "cluster"})
    EXPECT_EQ(named(name), "accepted") << name;
}

TEST(CheckCluster, OnlyStarsRacksAndSitesHaveLinksOfSingleWorkers) {
  const std::string own = ", worker_links: [{workers: [1], link: {latency: 1 ms, bandwidth: 1 Gbit/s}}]";
  EXPECT_EQ(cluster_error("topology: {kind: torus, dimensions: [4]}" + own),
            "s.yaml:3:124: `cluster.worker_links` needs links of single workers; `cluster.topology: torus` "
            "has none; write `cluster.topology: star` or `cluster.topology: racks`, or leave out "
            "`cluster.worker_links`");
  for (const std::string topology :
       {"{kind: fat_tree, down: [4], up: [1], parallel: [1]}",
        "{kind: dragonfly, groups: 1, chassis: 1, routers: 2, nodes: 2}", "{kind: platform, file: p.xml}"})
    EXPECT_NE(cluster_error("topology: " + topology + own).find("needs links of single workers"),
              std::string::npos)
        << topology;
  EXPECT_EQ(cluster_error("topology: {kind: racks, workers_per_rack: 2, oversubscription: 2}" + own),
            "accepted");
}

TEST(CheckCluster, WorkersOfANodeGetAnotherLinkTogether) {
  const auto own = [](const std::string& workers) {
    return cluster_error(
        "workers_per_node: 2, inner_link: {latency: 1 us, bandwidth: 10 GB/s}, worker_links: [{workers: " +
        workers + ", link: {latency: 1 ms, bandwidth: 1 Gbit/s}}]");
  };
  EXPECT_EQ(own("[3]"),
            "s.yaml:3:163: `cluster.worker_links[0].workers`: worker 3 shares the link of its node with "
            "worker 2, which "
            "is not named; name whole nodes: 2 to 3");
  EXPECT_EQ(own("[1, 2, 3]"),
            "s.yaml:3:163: `cluster.worker_links[0].workers`: worker 1 shares the link of its node with "
            "worker 0, which "
            "is not named; name whole nodes: 0 to 1");
  EXPECT_EQ(own("[2, 3]"), "accepted");
}

TEST(CheckCluster, WorkersMustExist) {
  EXPECT_EQ(cluster_error("changes: [{at: 1 s, latency: 1 ms, workers: [0, 4]}]"),
            "s.yaml:3:116: `cluster.changes[0].workers[1]`: unknown worker 4; accepted: 0 to 3");
  EXPECT_EQ(cluster_error("background: [{from: 0, to: 9}]"),
            "s.yaml:3:95: `cluster.background[0].to`: unknown worker 9; accepted: 0 to 3");
  EXPECT_EQ(cluster_error("failures: [{worker: 4, at: 1 s}]"),
            "s.yaml:3:88: `cluster.failures[0].worker`: unknown worker 4; accepted: 0 to 3");
  EXPECT_EQ(cluster_error("failures: [{worker: 1, at: 1 s}, {worker: 1, at: 2 s}]"),
            "s.yaml:3:110: `cluster.failures[1].worker`: duplicate failure of worker 1; name each worker "
            "once");
  EXPECT_EQ(cluster_error("worker_links: [{workers: [1, 1], link: {latency: 1 ms, bandwidth: 1 Gbit/s}}]"),
            "s.yaml:3:93: `cluster.worker_links[0].workers`: worker 1 gets a second link of its own; name "
            "each worker once");
  EXPECT_EQ(refusal(least + "compute: {slowdowns: [{worker: 7, at: 2 s, factor: 2}]}\n"),
            "s.yaml:5:32: `compute.slowdowns[0].worker`: unknown worker 7; accepted: 0 to 3");
}

TEST(CheckCluster, SomeWorkerMustSurvive) {
  EXPECT_EQ(refusal(with_cluster("workers: 1, " + good_link + ", failures: [{worker: 0, at: 1 s}]")),
            "s.yaml:3:88: `cluster.failures[0].worker`: no worker is left after this failure; keep at "
            "least one worker");
}

TEST(CheckTraining, LengthMustBeGiven) {
  const std::string head = least.substr(0, least.find("training"));
  EXPECT_EQ(refusal(head + "training: {batch: 32}\n"),
            "s.yaml:4:11: the key `training.epochs` is missing; write `epochs: 50`, or `steps: 1000`");
  EXPECT_EQ(refusal(head + "training: {batch: 32, epochs: 3}\n"),
            "s.yaml:4:11: the key `training.samples` is missing; write `samples: 50000`, or `steps: 1000` in "
            "place of epochs");
}

TEST(CheckTraining, TheNumberOfSamplesMustBeCountable) {
  const std::string head = least.substr(0, least.find("training"));
  EXPECT_EQ(refusal(head + "training: {batch: 1000000000, steps: 1000000000000}\n"),
            "s.yaml:4:38: `training.steps`: the run would train on 4e+21 samples; accepted: at most 1e15, "
            "which is steps "
            "x batch x workers, or epochs x samples");
  EXPECT_EQ(refusal(head + "training: {batch: 1, epochs: 1e9, samples: 1000000000000}\n"),
            "s.yaml:4:30: `training.epochs`: the run would train on 1e+21 samples; accepted: at most 1e15, "
            "which is steps "
            "x batch x workers, or epochs x samples");
  EXPECT_EQ(refusal(head + "training: {batch: 1, steps: 250000000000000}\n"),
            "s.yaml:4:29: `training.steps`: `250000000000000` is too large; accepted: at least 1 and at most "
            "1000000000000");
  EXPECT_EQ(refusal(head + "training: {batch: 250, steps: 1000000000000}\n"), "accepted");
}

TEST(CheckTraining, StepsAloneAreOneEpoch) {
  const std::string head = least.substr(0, least.find("training"));
  const Training training = study(head + "training: {batch: 32, steps: 10}\n").arms.at(0).work.training;
  EXPECT_EQ(training.samples, 32 * 4 * 10);
  EXPECT_EQ(training.epochs, 1);
  EXPECT_EQ(training.steps, 10);
}

TEST(Warnings, NameBackgroundTrafficThatTakesAllOfALink) {
  const std::string full =
      with_cluster("workers: 4, " + good_link + ", background: [{from: 0, to: 1, rate: 30 Tbit/s}]");
  const std::vector<std::string> warnings = study(full).warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("`cluster.background[0].rate` is all that a link of "), std::string::npos)
      << warnings[0];
}

TEST(Warnings, AreNoErrors) {
  const std::string late = with_cluster(
      "workers: 4, " + good_link +
      ", inner_link: {latency: 1 us, bandwidth: 1 GB/s}, changes: [{at: epoch 9, latency: 1 ms}]");
  const std::vector<std::string> warnings = study(late).warnings;
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_NE(warnings[0].find("`cluster.changes[0].at`, epoch 9, is after the end of training"),
            std::string::npos);
  EXPECT_NE(warnings[1].find("`cluster.inner_link` is not used: no workers share a node"), std::string::npos);
}

TEST(Warnings, SayThatSlowHostsSlowCollectivesOfProcessorsToo) {
  const auto warnings_of = [](const std::string& transport, const std::string& speeds) {
    return study(with_cluster(
                     "workers: 4, fabric: {kind: ethernet, rate: 10 Gbit/s, latency: 50 us, transport: " +
                     transport + "}, speeds: [" + speeds + "]"))
        .warnings;
  };
  for (const char* transport : {"openmpi_tcp", "gloo"}) {
    const std::vector<std::string> warnings = warnings_of(transport, "1, 1, 1, 0.2");
    ASSERT_EQ(warnings.size(), 1u) << transport;
    EXPECT_NE(
        warnings[0].find("`cluster.speeds` slows computing only: all-reduces of Open MPI with one slow host "
                         "of 4 took up to 40 % longer than predicted (median 11 %), for a reason that is "
                         "unknown"),
        std::string::npos)
        << warnings[0];
  }
  EXPECT_TRUE(warnings_of("openmpi_tcp", "0.5, 0.5, 0.5, 0.5").empty());
  EXPECT_TRUE(warnings_of("nccl_tcp", "1, 1, 1, 0.2").empty());
}

TEST(CheckCluster, OnlyStarsRacksAndSitesTakeNodesOfSeveralWorkers) {
  EXPECT_TRUE(
      cluster_error("workers_per_node: 2, inner_link: {latency: 1 us, bandwidth: 10 GB/s}, "
                    "topology: {kind: torus, dimensions: [4]}")
          .ends_with("`cluster.workers_per_node: 2` needs hosts that several workers share; "
                     "`cluster.topology: torus` has one worker on each; write `cluster.topology: star` or "
                     "`cluster.topology: racks`, or leave out `cluster.workers_per_node`"));
}

TEST(CheckCluster, BackgroundTrafficGoesSomewhereAndEndsBeforeItComesAgain) {
  EXPECT_TRUE(
      cluster_error("background: [{from: 1, to: 1}]")
          .ends_with("`cluster.background[0].to`: traffic from worker 1 to itself uses no link; name two "
                     "different workers"));
  EXPECT_TRUE(cluster_error("background: [{from: 0, to: 1, period: 5 s}]")
                  .ends_with("`cluster.background[0].period`: traffic without an end cannot repeat; write "
                             "`end` too, or leave this out"));
  EXPECT_TRUE(
      cluster_error("background: [{from: 0, to: 1, start: 3 s, end: 2 s}]")
          .ends_with("`cluster.background[0].end`: the traffic ends before it starts; write a time after "
                     "`start`"));
  EXPECT_TRUE(
      cluster_error("background: [{from: 0, to: 1, start: 1 s, end: 9 s, period: 5 s}]")
          .ends_with("`cluster.background[0].period`: the traffic repeats before it has ended; write a "
                     "period of at least `end` - `start`"));
}

}  // namespace
}  // namespace sim::scenario
