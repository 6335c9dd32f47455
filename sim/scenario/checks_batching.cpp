// Invalid combinations with batching and streams, and why; converts cores to speeds.
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/language/place.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/fields_scenario.hpp"

namespace sim::scenario {
namespace {

using netmodels::Result;

Result<void> check_one_each(std::size_t given, int workers, std::string_view what,
                            const language::Value& tree, const std::string& path) {
  if (given == 0 || std::cmp_equal(given, workers)) return {};
  return language::refuse_at(tree, path, fmt::format("{} {} are given for {} workers", given, what, workers),
                             "give one for each worker");
}

Result<void> check_exists(const std::vector<int>& workers, int count, const language::Value& tree,
                          const std::string& path) {
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (workers[i] < count) continue;
    return language::refuse_at(tree, language::item(path, i), fmt::format("unknown worker {}", workers[i]),
                               fmt::format("accepted: 0 to {}", count - 1));
  }
  return {};
}

Result<void> check_speed_changes(const Cluster& cluster, const language::Value& tree) {
  for (std::size_t i = 0; i < cluster.speed_changes.size(); ++i) {
    const SpeedChange& change = cluster.speed_changes[i];
    const std::string path = language::item("cluster.speed_changes", i);
    if (change.speeds.empty() == change.cores.empty()) {
      return language::refuse_at(tree, path, "a change states either speeds or cores",
                                 "write `speeds` or `cores`, one for each worker");
    }
    if (!change.cores.empty() && cluster.cores.empty()) {
      return language::refuse_at(tree, path + ".cores", "the cluster states no cores to begin with",
                                 "write `cluster.cores` too, or `speeds` here");
    }
    const std::string key = change.speeds.empty() ? "cores" : "speeds";
    const std::size_t given = change.speeds.size() + change.cores.size();
    if (auto checked = check_one_each(given, cluster.workers, key, tree, path + "." + key); !checked)
      return checked;
  }
  return {};
}

}  // namespace

Result<void> check_cores(const Cluster& cluster, const language::Value& tree) {
  if (auto checked = check_one_each(cluster.cores.size(), cluster.workers, "cores", tree, "cluster.cores");
      !checked)
    return checked;
  return check_speed_changes(cluster, tree);
}

Result<void> check_batch_limits(const std::vector<BatchLimits>& laws, const Training& training, int workers,
                                const language::Value& tree) {
  for (std::size_t i = 0; i < laws.size(); ++i) {
    const BatchLimits& law = laws[i];
    const std::string path = language::item("compute.batch_limits", i);
    if (auto checked = check_exists(law.workers, workers, tree, path + ".workers"); !checked) return checked;
    if (!law.memory) continue;
    if (*law.memory < law.knee) {
      return language::refuse_at(
          tree, path + ".memory",
          fmt::format("the memory limit of {} samples is below the knee at {}", *law.memory, law.knee),
          "write a `knee` of at most `memory`");
    }
    for (int worker = 0; worker < workers; ++worker) {
      const int batch = batch_of(training, static_cast<std::uint32_t>(worker));
      if (law.beyond == BeyondMemory::slow || !holds_for(law, worker) || batch <= *law.memory) continue;
      return language::refuse_at(
          tree, path + ".memory",
          fmt::format("worker {} starts with {} samples, its memory holds {}", worker, batch, *law.memory),
          "start with smaller batches, or write `beyond: slow`");
    }
  }
  return {};
}

Result<void> check_batching(const policies::BatchingChoice& batching, const language::Value& tree) {
  if (!batching->traits.decides) return {};
  const policies::BatchChanges changes = policies::changes_of(batching);
  if (changes.max && *changes.max < changes.min) {
    return language::refuse_at(
        tree, "batching.max",
        fmt::format("`max` ({} samples) is below `min` ({})", *changes.max, changes.min),
        "write a `max` of at least `min`");
  }
  return {};
}

Result<void> check_streams(const Streams& streams, int workers, const language::Value& tree) {
  if (streams.rates.empty() == !streams.distribution) {
    return language::refuse_at(tree, "streams", "streams need either stated or drawn rates",
                               "write `rates`, one for each worker, or `drawn`");
  }
  const auto& drawn = streams.distribution;
  if (drawn && drawn->max && *drawn->max < drawn->min) {
    return language::refuse_at(tree, "streams.drawn.max",
                               fmt::format("`max` ({:g}) is below `min` ({:g})", *drawn->max, drawn->min),
                               "write a `max` of at least `min`");
  }
  if (auto checked = check_one_each(streams.rates.size(), workers, "rates", tree, "streams.rates"); !checked)
    return checked;
  for (std::size_t i = 0; i < streams.changes.size(); ++i) {
    const std::string path = language::item("streams.changes", i) + ".workers";
    if (auto checked = check_exists(streams.changes[i].workers, workers, tree, path); !checked)
      return checked;
    if (i == 0 || streams.changes[i - 1].at <= streams.changes[i].at) continue;
    return language::refuse_at(tree, language::item("streams.changes", i) + ".at",
                               "the change is earlier than the one above it",
                               "write changes in order of time");
  }
  return {};
}

}  // namespace sim::scenario
