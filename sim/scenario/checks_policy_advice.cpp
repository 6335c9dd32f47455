// Validates `advice`.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "netmodels/collective.hpp"
#include "policies/exchange_policy.hpp"
#include "sim/language/place.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/rental.hpp"

namespace sim::scenario {
namespace {

using netmodels::Result;

/// Each entry of a list once, and at least one.
template <class T>
Result<void> check_list(const std::vector<T>& entries, const std::string& key, const language::Value& tree) {
  const std::string path = "advice." + key;
  if (entries.empty()) return language::refuse_at(tree, path, "nothing to choose from", "name at least one");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (std::ranges::count(entries, entries[i]) > 1)
      return language::refuse_at(tree, language::item(path, i), fmt::format("duplicate `{}`", entries[i]),
                                 "name each once");
  }
  return {};
}

/// Each entry of maps once: two of the same could not be distinguished.
Result<void> check_entries(const std::string& key, const language::Value& tree) {
  const std::string path = "advice." + key;
  const language::Value* list = language::find_path(tree, path);
  if (list == nullptr) return {};
  const std::vector<language::Value>& entries = list->items();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto same = [&](const language::Value& other) { return other.same_as(entries[i]); };
    if (std::any_of(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(i), same))
      return language::refuse_at(tree, language::item(path, i), "duplicate entry", "name each once");
  }
  return {};
}

Result<void> check_collectives(const std::vector<std::string>& names, const language::Value& tree) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (policies::chooses_collective(names[i])) continue;
    const auto known = netmodels::find_collective(names[i]);
    if (!known)
      return language::refuse_at(tree, language::item("advice.collectives", i), known.error().what,
                                 known.error().hint + "; or `auto`");
  }
  return {};
}

/// Something that happens once, at a time that a short run may never reach.
std::string once(const Work& work, const Cluster& cluster) {
  if (!cluster.failures.empty()) return "cluster.failures";
  if (!cluster.absences.empty()) return "cluster.absences";
  if (cluster.churn) return "cluster.churn";
  if (!cluster.speed_changes.empty()) return "cluster.speed_changes";
  if (!work.compute.slowdowns.empty()) return "compute.slowdowns";
  if (work.streams) return "streams";
  if (work.batching->traits.decides) return "batching";
  return "";
}

}  // namespace

Result<void> check_policy_advice(const PolicyAdvice& advice, const language::Value& tree) {
  if (advice.synchronisation.empty())
    return language::refuse_at(tree, "advice.synchronisation", "nothing to choose from", "name at least one");
  if (advice.compression.empty())
    return language::refuse_at(tree, "advice.compression", "nothing to choose from", "name at least one");
  for (const std::string key : {"synchronisation", "compression"}) {
    if (auto checked = check_entries(key, tree); !checked) return checked;
  }
  if (auto checked = check_list(advice.ratios, "ratios", tree); !checked) return checked;
  if (auto checked = check_list(advice.collectives, "collectives", tree); !checked) return checked;
  if (auto checked = check_collectives(advice.collectives, tree); !checked) return checked;
  if (auto checked = check_list(advice.batches, "batches", tree); !checked) return checked;
  if (advice.price) return check_price(*advice.price, tree, "advice.price");
  if (advice.price_per_gigabyte) {
    return language::refuse_at(tree, "advice.price_per_gigabyte",
                               "a price per gigabyte needs the price of a machine",
                               "write `price: {per_machine: 3 USD/h}` beside it");
  }
  if (advice.objective != policies::PlanningObjective::cost) return {};
  return language::refuse_at(tree, "advice.objective", "`cost` needs the price of a machine",
                             "write `price: {machine: NAME}` of `sim list prices`, or `objective: time`");
}

/// Refuses other batches of a training that is stated for one.
static Result<void> check_other_batches(const std::vector<int>& batches, const Training& training,
                                        const language::Value& tree) {
  if (batches == std::vector{training.batch}) return {};
  if (training.steps) {
    return language::refuse_at(tree, "advice.batches",
                               "a number of steps means another training for another batch",
                               "write `training.epochs` and `samples` in place of `steps`");
  }
  if (training.batches.empty()) return {};
  return language::refuse_at(tree, "advice.batches",
                             "`training.batches` states another batch for each worker",
                             "leave one of them out");
}

/// Refuses what is not plain data parallelism.
static Result<void> check_plain_workers(const Parallelism& parallelism, const netmodels::Workload& workload,
                                        int accumulation, const language::Value& tree) {
  if (workload.traced)
    return language::refuse_at(tree, "workload", "a traced step has one policy: the one it was traced with",
                               "import the trace with `--format workload`, or compare clusters by `sim run`");
  const bool parallel = parallelism.is_sharded() || workload.replica.has_value();
  if (!parallel && accumulation == 1) return {};
  return language::refuse_at(tree, parallel ? "parallelism" : "training.accumulation",
                             "advice compares policies of plain data parallelism",
                             "leave it out, or compare arms by `sim run`");
}

Result<void> check_advised(const PolicyAdvice& advice, const Work& work, const Cluster& cluster,
                           const Learner& learner, const language::Value& tree) {
  if (cluster.workers == 1) {
    return language::refuse_at(tree, "cluster.workers",
                               "a single worker exchanges nothing, so all policies are equal",
                               "write at least 2");
  }
  if (auto plain = check_plain_workers(work.parallelism, work.workload, work.training.accumulation, tree);
      !plain)
    return plain;
  if (auto checked = check_other_batches(advice.batches, work.training, tree); !checked) return checked;
  if (learner.kind->traits.learns && !learner.target) {
    return language::refuse_at(tree, "learner", "it has no target, so no training would ever finish",
                               "write `learner.target`, for example `target: 90 %`");
  }
  const std::string event = learner.kind->traits.trains ? "" : once(work, cluster);
  if (event.empty()) return {};
  return language::refuse_at(tree, event, "a sample of steps does not predict the whole of such a training",
                             "leave it out, or write `learner: live`, which simulates the whole training");
}

Result<void> check_simulated_in_part(const policies::SynchronisationChoice& method,
                                     const Compression& compression, const Learner& learner,
                                     const std::optional<std::int64_t>& steps) {
  const std::int64_t period = period_of(method);
  if (steps && *steps < period)
    return netmodels::refuse(
        "",
        fmt::format("the training ends after {} steps, before the first exchange, after {}", *steps, period),
        "write a smaller period");
  if (learner.kind->traits.trains) return {};
  if (decided_by_step(compression)) {
    const bool policy = compression.policy->traits.decides;
    return netmodels::refuse(
        "",
        fmt::format("{}, and a sample of steps does not predict the total sent",
                    policy ? fmt::format("`{}` decides by gradients what to send", compression.policy.name())
                           : "`warm_up` sends less from epoch to epoch"),
        "write `learner: live`");
  }
  if (merging_server_of(method)) {
    return netmodels::refuse("",
                             fmt::format("`{}` merges what arrives in time, and a sample of steps does not "
                                         "predict how much that is",
                                         method.name()),
                             "write `learner: live`");
  }
  if (method->traits.switches_to_models) {
    return netmodels::refuse("",
                             fmt::format("`{}` changes what it exchanges once in a training, and a sample of "
                                         "steps does not predict the whole",
                                         method.name()),
                             "write `learner: live`");
  }
  if (method->traits.steps_assumed) return {};
  return netmodels::refuse(
      "", fmt::format("the effect of `{}` on steps and accuracy needs a live learner", method.name()),
      "write `learner: live`");
}

}  // namespace sim::scenario
