// Which workers may leave and return, and what cannot be combined with that.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sim/language/place.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/parallelism.hpp"

namespace sim::scenario {
namespace {

using netmodels::Result;

Result<void> check_who(const Cluster& cluster, const language::Value& tree) {
  const auto check = [&](int worker, const std::string& path) -> Result<void> {
    if (worker < cluster.workers) return {};
    return language::refuse_at(tree, path, fmt::format("unknown worker {}", worker),
                               fmt::format("accepted: 0 to {}", cluster.workers - 1));
  };
  for (std::size_t i = 0; i < cluster.absences.size(); ++i) {
    if (auto checked = check(cluster.absences[i].worker, language::item("cluster.absences", i) + ".worker");
        !checked)
      return checked;
  }
  for (std::size_t i = 0; cluster.churn && i < cluster.churn->workers.size(); ++i) {
    if (auto checked = check(cluster.churn->workers[i], language::item("cluster.churn.workers", i)); !checked)
      return checked;
  }
  return {};
}

/// @param site  workers that leave together
Result<void> check_overlap(const std::vector<Absence>& absences, int site, const language::Value& tree) {
  for (std::size_t i = 0; i < absences.size(); ++i) {
    for (std::size_t before = 0; before < i; ++before) {
      const Absence& one = absences[before];
      const Absence& other = absences[i];
      const bool apart = (one.until && *one.until <= other.from) || (other.until && *other.until <= one.from);
      if (one.worker / site != other.worker / site || apart) continue;
      const std::string who = site == 1 ? fmt::format("worker {}", other.worker)
                                        : fmt::format("node {}, a site,", other.worker / site);
      return language::refuse_at(
          tree, language::item("cluster.absences", i), who + " leaves while it is away",
          "write one absence for both, or a `from` at or after the `until` of the other");
    }
  }
  return {};
}

Result<void> check_combination_of_absences(const Scenario& scenario, const std::string& key,
                                           const language::Value& tree) {
  if (is_asynchronous(scenario.synchronisation) && !merging_server_of(scenario.synchronisation)) {
    return language::refuse_at(
        tree, key,
        fmt::format("workers of `{}` share no step after which one could leave",
                    scenario.synchronisation.name()),
        "leave it out, or write for example `synchronisation: {method: diloco, every: 20}`");
  }
  if (is_sharded(scenario) && scenario.parallelism.site == SiteKind::none) {
    return language::refuse_at(
        tree, key, "a worker that leaves takes its shards along",
        "leave it out, leave out `parallelism.data`, or let whole nodes leave by `parallelism.site: node`");
  }
  if (records(scenario.learner.kind)) {
    return language::refuse_at(tree, "learner.record",
                               "a record needs the same workers during the whole training",
                               "leave out `" + key + "`");
  }
  if (scenario.batching->traits.decides) {
    return language::refuse_at(
        tree, key, fmt::format("`{}` shares samples among the workers that began", scenario.batching.name()),
        "leave it out, or leave out `batching`");
  }
  if (scenario.compression.policy->traits.decides) {
    return language::refuse_at(
        tree, key,
        fmt::format("`{}` compares compressions among the same workers", scenario.compression.policy.name()),
        "leave it out, or write `compression: {policy: fixed, ...}`");
  }
  if (!scenario.streams) return {};
  return language::refuse_at(tree, key, "how much a stream keeps for a worker that is away is not modelled",
                             "leave it out, or leave out `streams`");
}

}  // namespace

Result<void> check_membership(const Scenario& scenario, const language::Value& tree) {
  const Cluster& cluster = scenario.cluster;
  if (!cluster.workers_come_and_go()) return {};
  if (auto checked = check_who(cluster, tree); !checked) return checked;
  if (auto checked = check_overlap(cluster.absences, workers_of_site(scenario), tree); !checked)
    return checked;
  return check_combination_of_absences(scenario,
                                       cluster.absences.empty() ? "cluster.churn" : "cluster.absences", tree);
}

}  // namespace sim::scenario
