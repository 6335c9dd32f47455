// Two levels, servers, stores and uploads that cannot be: the full text of each error.
#include <gtest/gtest.h>

#include "sim/scenario/checks.hpp"
#include "sim/scenario/execution.hpp"
#include "sim/scenario/scenario.hpp"
#include "tests/arm_parts.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

const std::string sited = with_cluster(
    "workers: 4, " + good_link + ", workers_per_node: 2, inner_link: {latency: 1 us, bandwidth: 10 GB/s}");
const std::string with_diloco = "synchronisation: {method: diloco, every: 20}\n";

TEST(CheckSites, SitesAreNodesThatExchangeModels) {
  EXPECT_EQ(refusal(sited + "parallelism: {site: node}\n" + with_diloco), "accepted");
  EXPECT_EQ(
      refusal(least + "parallelism: {site: node}\n" + with_diloco),
      "s.yaml:5:21: `parallelism.site`: sites are nodes of several workers, and 4 workers are on 4 of 1; "
      "write `cluster.workers_per_node` of at least 2, and several nodes");
  EXPECT_EQ(refusal(sited + "parallelism: {site: node}\n"),
            "s.yaml:5:21: `parallelism.site: node` needs an exchange of models, always; `synchronisation: "
            "bsp` does not always exchange them; write `synchronisation: {method: fedavg, every_epochs: "
            "0.25}`, `synchronisation: {method: easgd, every: 20}` or `parallelism.site: none`");
  EXPECT_EQ(
      refusal(sited +
              "parallelism: {site: node}\n"
              "synchronisation: {method: selsync, threshold: 0.1, averaged: gradients}\nlearner: live\n"),
      "s.yaml:5:21: `parallelism.site: node` needs an exchange of models, always; `synchronisation: selsync` "
      "does not always exchange them; write `synchronisation.averaged: parameters`, `synchronisation: "
      "{method: fedavg, every_epochs: 0.25}` or `parallelism.site: none`");
  EXPECT_EQ(refusal(sited + "parallelism: {site: node, data: zero2}\n" + with_diloco),
            "s.yaml:5:33: `parallelism.data: zero2` needs all workers in one group; `parallelism.site: node` "
            "makes each node a site; write `parallelism.site: none`, `parallelism.data: none` or "
            "`parallelism.data: fsdp`");
  EXPECT_EQ(
      refusal(sited + "parallelism: {site: node, shard_within: all}\n" + with_diloco),
      "s.yaml:5:41: `parallelism.shard_within: all` needs states that workers share; `parallelism.data: "
      "none` shares none; leave it out, or write `parallelism.data: fsdp`");
  EXPECT_EQ(
      refusal(sited + "parallelism: {site: node}\nexchange: {collective: ring_allreduce}\n" + with_diloco),
      "s.yaml:6:24: `exchange.collective: ring_allreduce` needs all workers in one group; `parallelism.site: "
      "node` makes each node a site; write `parallelism.site: none`, or leave out `exchange.collective`");
}

TEST(CheckSites, ExchangesOfSitesMayOverlapSteps) {
  for (const std::string overlap : {"delay: 2", "eager: true"})
    EXPECT_EQ(refusal(sited + "parallelism: {site: node}\nsynchronisation: {method: diloco, every: 20, " +
                      overlap + "}\n"),
              "accepted");
}

TEST(CheckSites, ASiteMayLeaveAndReturnAsAWhole) {
  const auto of = [](const std::string& key, const std::string& method) {
    return refusal(with_cluster(key + ", workers: 4, " + good_link +
                                ", workers_per_node: 2, inner_link: {latency: 1 us, bandwidth: 10 GB/s}") +
                   "parallelism: {site: node}\nsynchronisation: {method: " + method + ", every: 20}\n");
  };
  for (const std::string method : {"diloco", "decoupled_diloco"}) {
    EXPECT_EQ(of("churn: {stay: 20 s, away: 10 s}", method), "accepted");
    EXPECT_EQ(of("absences: [{worker: 1, from: 2 s}]", method), "accepted");
    EXPECT_EQ(
        of("absences: [{worker: 2, from: 1 s, until: 3 s}, {worker: 3, from: 2 s}]", method),
        "s.yaml:3:58: `cluster.absences[1]`: node 1, a site, leaves while it is away; write one absence "
        "for both, or a `from` at or after the `until` of the other");
  }
}

std::string described(const std::string& text) {
  const tests::ScratchFolder scratch;
  return describe_execution(read(scratch, text)->study.arms.front());
}

TEST(CheckSites, ASiteIsDescribedOnBothLevels) {
  EXPECT_EQ(
      described(sited + "parallelism: {site: node}\n" + with_diloco),
      "the whole model at once, after the optimizer, between nodes; inside a node, in every step, whole "
      "gradients");
  EXPECT_EQ(described(least +
                      "exchange: {through: {kind: object_store, link: {latency: 1 ms, bandwidth: 1 "
                      "Gbit/s}}}\ncompression: {method: block_4bit}\n" +
                      with_diloco),
            "the change of the whole model at once by `block_4bit`, after the optimizer, through an object "
            "store");
}

TEST(CheckSites, AServerOrStoreCarriesModelsOnAStar) {
  const std::string through =
      "exchange: {through: {kind: server, link: {latency: 1 ms, bandwidth: 1 Gbit/s}}}\n";
  EXPECT_EQ(refusal(least + through + with_diloco), "accepted");
  EXPECT_EQ(refusal(least + through),
            "s.yaml:5:21: `exchange.through` needs an exchange of models, always; `synchronisation: bsp` "
            "does not always exchange them; write `synchronisation: {method: fedavg, every_epochs: 0.25}`, "
            "or leave out `exchange.through`");
  EXPECT_EQ(refusal(sited + through + with_diloco),
            "s.yaml:5:21: `exchange.through` needs one worker on each host; `cluster.workers_per_node: 2` "
            "puts several on one; leave out `cluster.workers_per_node` or `exchange.through`");
  EXPECT_EQ(refusal(least + through + "synchronisation: {method: easgd, every: 20}\n"),
            "s.yaml:5:21: `exchange.through` needs one model on all workers after an exchange; "
            "`synchronisation: easgd` leaves each worker its own; write `synchronisation: {method: fedavg, "
            "every_epochs: 0.25}`, or leave out `exchange.through`");
  EXPECT_EQ(
      refusal(least + through + "compression: {method: ar_topk, ratio: 0.1}\n" + with_diloco),
      "s.yaml:6:23: `compression.method: ar_topk` needs two rounds among the workers; `exchange.through` "
      "allows one; write `compression.method: topk`, or leave out `exchange.through`");
  EXPECT_EQ(refusal(with_cluster("workers: 4, " + good_link + ", preset: tcp-wan") + through + with_diloco),
            "s.yaml:3:76: `cluster.preset: tcp-wan` needs collectives; `exchange.through` uses none; leave "
            "out `exchange.through` or `cluster.preset`");
  EXPECT_EQ(
      refusal(least + through + with_diloco + "network: simgrid\n"),
      "s.yaml:7:10: `network: simgrid` needs collectives; `exchange.through` uses none; write `network: "
      "auto`, or leave out `exchange.through`");
  EXPECT_EQ(refusal(least + through + with_diloco + "audit: 1 %\n"),
            "s.yaml:7:8: `audit: 1 %` needs collectives; `exchange.through` uses none; leave out "
            "`exchange.through` or `audit`");
}

TEST(CheckSites, OnlyOwnLinksHaveAnUpload) {
  EXPECT_EQ(cluster_error("upload: 1 Gbit/s"), "accepted");
  EXPECT_EQ(cluster_error("upload: 1 Gbit/s, topology: {kind: torus, dimensions: [4]}"),
            "s.yaml:3:76: `cluster.upload: 1 Gbit/s` needs links of single workers; `cluster.topology: "
            "torus` has none; "
            "write `cluster.topology: star` or `cluster.topology: racks`, or leave out `cluster.upload`");
}

TEST(CheckSites, ModelsOfSitesAreMergedAtTheirOwnPace) {
  const std::string decoupled = "synchronisation: {method: decoupled_diloco, every: 24, fragments: 24}\n";
  EXPECT_EQ(refusal(sited + "parallelism: {site: node}\n" + decoupled), "accepted");
  EXPECT_EQ(described(sited + "parallelism: {site: node}\n" + decoupled),
            "each node exchanges 24 fragments of its model with a server by itself; inside a node, in every "
            "step, whole gradients");
}

}  // namespace
}  // namespace sim::scenario
