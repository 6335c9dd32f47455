// Invalid questions to a planner, and why.
#include <algorithm>

#include <fmt/format.h>

#include "sim/language/place.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/rental.hpp"

namespace sim::scenario {
namespace {

using netmodels::Result;

Result<void> check_each_once(const std::vector<int>& numbers, const std::string& path,
                             const language::Value& tree) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::ranges::count(numbers, numbers[i]) > 1)
      return language::refuse_at(tree, language::item(path, i), fmt::format("duplicate {}", numbers[i]),
                                 "name each once");
  }
  return {};
}

Result<void> check_search(const Planning& planning, const language::Value& tree) {
  if (planning.profiles.kind == ProfileSourceKind::table) return {};
  const auto check = [&](const policies::PlannerChoice& planner, const std::string& key) -> Result<void> {
    if (stored_jobs(planner).empty()) return {};
    return language::refuse_at(tree, key + ".stored", "models of other jobs need a table",
                               "leave it out, or write `profiles: {source: table, ...}`");
  };
  for (std::size_t i = 0; i < planning.baselines.size(); ++i) {
    if (auto checked = check(planning.baselines[i], language::item("planning.baselines", i)); !checked)
      return checked;
  }
  return check(planning.search.planner, "planning.search");
}

/// Whether something is stated for single workers, of which another size has none or more.
bool names_workers(const Cluster& cluster) {
  const bool links =
      std::ranges::any_of(cluster.changes, [](const LinkChange& row) { return !row.workers.empty(); });
  return links || cluster.upload || !cluster.speeds.empty() || !cluster.worker_links.empty() ||
         !cluster.speed_changes.empty() || !cluster.traces.empty() || !cluster.background.empty() ||
         !cluster.failures.empty() || cluster.workers_come_and_go();
}

bool names_workers(const Compute& compute) {
  const auto some = [](const BatchLimits& row) { return !row.workers.empty(); };
  return std::ranges::any_of(compute.batch_limits, some) || !compute.slowdowns.empty();
}

bool names_workers(const Streams& streams) { return !streams.rates.empty() || !streams.changes.empty(); }

/// Whole nodes, and batches that the workers' memory holds.
Result<void> check_sizes(const Planning& planning, int per_node, const std::vector<BatchLimits>& limits,
                         const language::Value& tree) {
  for (std::size_t i = 0; i < planning.workers.size(); ++i) {
    if (planning.workers[i] % per_node == 0) continue;
    return language::refuse_at(
        tree, language::item("planning.workers", i),
        fmt::format("{} workers do not fill whole nodes of {}", planning.workers[i], per_node),
        fmt::format("a multiple of {}", per_node));
  }
  const int largest = std::ranges::max(planning.batches) / std::ranges::min(planning.workers);
  for (const BatchLimits& law : limits) {
    if (law.beyond != BeyondMemory::refuse || !law.memory || largest <= *law.memory) continue;
    return language::refuse_at(
        tree, "planning.batches",
        fmt::format("a worker would take {} samples, but its memory holds {}", largest, *law.memory),
        "smaller batches, more workers, or `beyond: slow`");
  }
  return {};
}

}  // namespace

Result<void> check_planning(const Planning& planning, const language::Value& tree) {
  if (auto checked = check_each_once(planning.workers, "planning.workers", tree); !checked) return checked;
  if (auto checked = check_each_once(planning.batches, "planning.batches", tree); !checked) return checked;
  if (auto checked = check_price(planning.price, tree, "planning.price"); !checked) return checked;
  return check_search(planning, tree);
}

/// Whether something is stated for single workers.
static bool names_workers(const Work& work, const Cluster& cluster) {
  return names_workers(cluster) || names_workers(work.compute) || !work.training.batches.empty() ||
         (work.streams && names_workers(*work.streams));
}

/// Refuses batches that a number of workers does not divide.
static Result<void> check_divisible(const Planning& planning, const language::Value& tree) {
  for (std::size_t i = 0; i < planning.batches.size(); ++i) {
    for (const int workers : planning.workers) {
      if (planning.batches[i] % workers == 0) continue;
      return language::refuse_at(
          tree, language::item("planning.batches", i),
          fmt::format("{} samples do not divide among {} workers", planning.batches[i], workers),
          "batches that every number of workers divides");
    }
  }
  return {};
}

Result<void> check_played(const Planning& planning, const Study& study, const language::Value& tree) {
  if (study.arms.size() != 1) {
    return language::refuse_at(tree, "planning",
                               "a planner plans one training, but this file compares several",
                               "leave out `compare` and `axes`");
  }
  const Scenario& job = study.arms.front();
  if (job.learner.kind->traits.learns && !job.learner.target) {
    return language::refuse_at(tree, "planning",
                               "the learner has no target, so no training would ever finish",
                               "write `learner.target`, for example `target: 90 %`");
  }
  if (names_workers(job.work, job.cluster)) {
    return language::refuse_at(
        tree, "planning", "settings of single workers cannot be used with a variable number of workers",
        "leave out what is stated for single workers: `training.batches`, `cluster.speeds`, `cores`, "
        "`worker_links`, `speed_changes`, `traces`, `background`, `failures`, `absences` and `churn`, "
        "`compute.slowdowns`, `streams.rates` and `changes`");
  }
  if (!job.cluster.topology->traits.one_switch) {
    return language::refuse_at(tree, "planning", "only a star grows with its number of workers",
                               "write `topology: star`, or leave `cluster.topology` out");
  }
  if (auto checked = check_sizes(planning, job.cluster.workers_per_node, job.work.compute.batch_limits, tree);
      !checked)
    return checked;
  return check_divisible(planning, tree);
}

}  // namespace sim::scenario
