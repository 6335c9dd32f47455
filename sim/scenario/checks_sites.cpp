// Which nodes can be sites.
#include <string>

#include <fmt/format.h>

#include "sim/language/place.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/parallelism.hpp"

namespace sim::scenario {
namespace {

using netmodels::Result;

Result<void> check_site(const Scenario& scenario, const language::Value& tree) {
  const Cluster& cluster = scenario.cluster;
  const std::string path = "parallelism.site";
  if (cluster.workers_per_node == 1 || cluster.workers_per_node == cluster.workers) {
    return language::refuse_at(
        tree, path,
        fmt::format("sites are nodes of several workers, and {} workers are on {} of {}", cluster.workers,
                    cluster.workers / cluster.workers_per_node, cluster.workers_per_node),
        "write `cluster.workers_per_node` of at least 2, and several nodes");
  }
  return {};
}

}  // namespace

Result<void> check_sites(const Scenario& scenario, const language::Value& tree) {
  return scenario.parallelism.site == SiteKind::none ? Result<void>{} : check_site(scenario, tree);
}

}  // namespace sim::scenario
