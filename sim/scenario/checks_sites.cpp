// Which nodes can be sites.
#include <string>

#include <fmt/format.h>

#include "sim/language/place.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/parallelism.hpp"

namespace sim::scenario {

using netmodels::Result;

Result<void> check_sites(const Parallelism& parallelism, const Cluster& cluster,
                         const language::Value& tree) {
  if (parallelism.site == SiteKind::none) return {};
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

}  // namespace sim::scenario
