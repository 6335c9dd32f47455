// Conditions on exchanges between sites: two levels, a server or an object store, and uneven links.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "kernels/catalogue.hpp"
#include "sim/language/place.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/parallelism.hpp"

namespace sim::scenario {
namespace {

using netmodels::Result;
using netmodels::Sharding;

constexpr std::string_view local_steps_hint =
    "write for example `synchronisation: {method: diloco, every: 20}`";

/// A key that is about all workers as one group, or about one of them; empty: none is.
std::string_view not_of_sites(const Scenario& scenario) {
  const Cluster& cluster = scenario.cluster;
  if (!cluster.failures.empty()) return "cluster.failures";
  if (!cluster.collective_times.empty()) return "cluster.collective_times";
  if (scenario.exchange.through) return "exchange.through";
  if (scenario.exchange.collective != "auto") return "exchange.collective";
  if (scenario.exchange.switch_cost > netmodels::Seconds{}) return "exchange.switch_cost";
  if (scenario.batching->traits.decides) return "batching";
  if (scenario.streams) return "streams";
  if (scenario.compression.policy->traits.decides) return "compression.policy";
  return injection_of(scenario.learner.kind) != nullptr ? "learner.injection" : "";
}

Result<void> check_site(const Scenario& scenario, const language::Value& tree) {
  const Cluster& cluster = scenario.cluster;
  const Parallelism& stated = scenario.parallelism;
  const std::string path = "parallelism.site";
  if (cluster.workers_per_node == 1 || cluster.workers_per_node == cluster.workers) {
    return language::refuse_at(
        tree, path,
        fmt::format("sites are nodes of several workers, and {} workers are on {} of {}", cluster.workers,
                    cluster.workers / cluster.workers_per_node, cluster.workers_per_node),
        "write `cluster.workers_per_node` of at least 2, and several nodes");
  }
  if (stated.inside().devices() > 1)
    return language::refuse_at(tree, path, "a site is made of single GPUs, not of replicas that span several",
                               "leave it out, or leave out `tensor` and `pipeline`");
  if (stated.data != Sharding::none && stated.sharding() != Sharding::hsdp)
    return language::refuse_at(tree, "parallelism.data",
                               fmt::format("inside a site states are whole or sharded by `fsdp`, not by `{}`",
                                           settings::name_of(stated.data)),
                               "write `data: fsdp`, or leave it out");
  if (stated.shard_within == ShardWithin::all)
    return language::refuse_at(tree, "parallelism.shard_within",
                               "inside a site states are shared by its own workers, not by all",
                               "leave it out, or leave out `site`");
  if (!exchanges_models(scenario.synchronisation))
    return language::refuse_at(
        tree, path,
        fmt::format("with `node` each node trains a model of its own, and all exchange their "
                    "models now and then; `{}` {}",
                    scenario.synchronisation.name(),
                    scenario.synchronisation->traits.every_step
                        ? "exchanges gradients among all workers in every step"
                        : "does not always exchange models"),
        std::string(local_steps_hint) +
            ", or leave out `site` (`data: hsdp` shards inside nodes and sums gradients between "
            "them)");
  if ((*kernels::find_wire_format(scenario.compression.method))->exchange ==
      netmodels::CollectiveKind::ar_topk)
    return language::refuse_at(tree, "compression.method", "AR-Topk is not modelled between sites",
                               "write for example `method: topk`");
  const std::string key(not_of_sites(scenario));
  if (key.empty()) return {};
  return language::refuse_at(
      tree, key, "it is not modelled together with `parallelism.site`, where a node is one site as a whole",
      "leave it out, or describe each site as one worker and leave out `site`");
}

Result<void> check_through(const Scenario& scenario, const language::Value& tree) {
  const std::string path = "exchange.through";
  const Cluster& cluster = scenario.cluster;
  if (is_asynchronous(scenario.synchronisation))
    return language::refuse_at(tree, path,
                               fmt::format("with `{}` each worker exchanges with a server of its own",
                                           scenario.synchronisation.name()),
                               std::string(local_steps_hint));
  if (!exchanges_models(scenario.synchronisation))
    return language::refuse_at(
        tree, path,
        fmt::format("it carries models and their changes, and `{}` does not always exchange them",
                    scenario.synchronisation.name()),
        std::string(local_steps_hint));
  if (scenario.synchronisation->traits.stays_apart)
    return language::refuse_at(tree, path,
                               fmt::format("`{}` sends no mean of models", scenario.synchronisation.name()),
                               std::string(local_steps_hint));
  if (!cluster.topology->traits.one_switch || cluster.workers_per_node > 1)
    return language::refuse_at(tree, path, "its host is on a star with one worker per node",
                               "write `topology: star` and one worker for each site");
  if (cluster.nccl)
    return language::refuse_at(tree, path, "NCCL connects workers with each other, not with a server",
                               "leave out `cluster.nccl`");
  constexpr std::string_view no_evaluator = "leave it out, or leave out `exchange.through`";
  if (cluster.preset != NetworkPreset::exact)
    return language::refuse_at(tree, "cluster.preset",
                               "`exchange.through` is evaluated without SimGrid's TCP models",
                               std::string(no_evaluator));
  if (scenario.evaluator != Evaluator::automatic || scenario.audit > 0)
    return language::refuse_at(tree, scenario.audit > 0 ? "audit" : "network",
                               "evaluators apply to collectives, and `exchange.through` is not a collective",
                               std::string(no_evaluator));
  if (scenario.exchange.collective != "auto")
    return language::refuse_at(tree, "exchange.collective",
                               "`exchange.through` replaces the collective of models",
                               "leave out one of the two");
  if ((*kernels::find_wire_format(scenario.compression.method))->two_rounds())
    return language::refuse_at(
        tree, "compression.method",
        fmt::format("`{}` needs two rounds among the workers", scenario.compression.method),
        "write for example `method: topk`");
  return {};
}

Result<void> check_upload(const Cluster& cluster, const language::Value& tree) {
  const bool special =
      std::ranges::any_of(cluster.worker_links, [](const WorkerLink& own) { return own.upload.has_value(); });
  if (!cluster.upload && !special) return {};
  const std::string path = cluster.upload ? "cluster.upload" : "cluster.worker_links";
  if (!cluster.topology->traits.takes_nodes)
    return language::refuse_at(tree, path,
                               fmt::format("a {} has no links of single workers", cluster.topology.name()),
                               "leave out `upload`, or choose star, racks or wan");
  if (cluster.nccl)
    return language::refuse_at(tree, path, "NCCL's model knows links that are alike in both directions",
                               "leave out `upload` or `cluster.nccl`");
  if (cluster.collective_times.empty()) return {};
  return language::refuse_at(tree, path, "measured times are those of the measured links",
                             "leave out `upload` or `cluster.collective_times`");
}

}  // namespace

Result<void> check_sites(const Scenario& scenario, const language::Value& tree) {
  if (auto checked = check_upload(scenario.cluster, tree); !checked) return checked;
  if (scenario.parallelism.site != SiteKind::none) {
    if (auto checked = check_site(scenario, tree); !checked) return checked;
  }
  return scenario.exchange.through ? check_through(scenario, tree) : Result<void>{};
}

}  // namespace sim::scenario
