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

}  // namespace

Result<void> check_membership(const Cluster& cluster, int site, const language::Value& tree) {
  if (!cluster.workers_come_and_go()) return {};
  if (auto checked = check_who(cluster, tree); !checked) return checked;
  return check_overlap(cluster.absences, site, tree);
}

}  // namespace sim::scenario
