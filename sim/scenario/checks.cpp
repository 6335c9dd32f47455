// Conditions that join several keys of one arm: invalid combinations, and why.
#include "sim/scenario/checks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sim/language/place.hpp"
#include "sim/language/print.hpp"
#include "sim/scenario/exchange_library.hpp"
#include "sim/scenario/fabric.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/nccl_keys.hpp"

namespace sim::scenario {
namespace {

using netmodels::Result;

/// Every worker in the list exists.
Result<void> check_workers(const std::vector<int>& workers, int count, const language::Value& tree,
                           const std::string& path) {
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (workers[i] < count) continue;
    const std::string item = language::item(path, i);
    return language::refuse_at(tree, item, fmt::format("unknown worker {}", workers[i]),
                               fmt::format("accepted: 0 to {}", count - 1),
                               {{item, std::to_string(count - 1)}});
  }
  return {};
}

Result<void> check_worker(int worker, int count, const language::Value& tree, const std::string& path) {
  if (worker < count) return {};
  return language::refuse_at(tree, path, fmt::format("unknown worker {}", worker),
                             fmt::format("accepted: 0 to {}", count - 1),
                             {{path, std::to_string(count - 1)}});
}

/// A platform fits in memory.
Result<void> check_size(const TopologyChoice& topology, const language::Value& tree) {
  constexpr std::int64_t most_hosts = 10'000;
  constexpr double most_links = 1e6;
  const std::string hint = fmt::format("at most {} nodes and {:.0f} links", most_hosts, most_links);
  if (topology->hosts != nullptr && topology->hosts(topology.settings()) > most_hosts)
    return language::refuse_at(tree, "cluster.topology", fmt::format("the {} is too large", topology.name()),
                               hint);
  if (topology->links != nullptr && topology->links(topology.settings()) > most_links)
    return language::refuse_at(tree, "cluster.topology",
                               fmt::format("the {} has too many links", topology.name()), hint);
  return {};
}

Result<void> check_topology(const Cluster& cluster, const language::Value& tree) {
  const TopologyChoice& topology = cluster.topology;
  const int nodes = cluster.workers / cluster.workers_per_node;
  if (topology->hosts != nullptr && topology->hosts(topology.settings()) < nodes) {
    return language::refuse_at(tree, "cluster.topology",
                               fmt::format("the {} has {} nodes, {} are needed", topology.name(),
                                           topology->hosts(topology.settings()), nodes),
                               "make it larger, or write fewer workers");
  }
  if (auto checked = check_size(topology, tree); !checked) return checked;
  if (topology->problem_with == nullptr) return {};
  const auto problem =
      topology->problem_with(topology.settings(), {cluster.workers, cluster.workers_per_node});
  if (!problem) return {};
  return language::refuse_at(tree, "cluster.topology." + problem->key, problem->what, problem->hint);
}

/// The workers of a node share its link, so that they get another one together or not at all.
Result<void> check_whole_nodes(const std::vector<int>& workers, int per_node, const language::Value& tree,
                               const std::string& path) {
  for (const int worker : workers) {
    const int first = worker - worker % per_node;
    for (int member = first; member < first + per_node; ++member) {
      if (std::ranges::find(workers, member) != workers.end()) continue;
      return language::refuse_at(
          tree, path,
          fmt::format("worker {} shares the link of its node with worker {}, which is not named", worker,
                      member),
          fmt::format("name whole nodes: {} to {}", first, first + per_node - 1));
    }
  }
  return {};
}

Result<void> check_worker_links(const Cluster& cluster, const language::Value& tree) {
  std::set<int> own;
  for (std::size_t i = 0; i < cluster.worker_links.size(); ++i) {
    const std::string path = language::item("cluster.worker_links", i) + ".workers";
    const std::vector<int>& workers = cluster.worker_links[i].workers;
    if (auto checked = check_workers(workers, cluster.workers, tree, path); !checked) return checked;
    for (const int worker : workers) {
      if (own.insert(worker).second) continue;
      return language::refuse_at(tree, path, fmt::format("worker {} gets a second link of its own", worker),
                                 "name each worker once");
    }
    if (auto checked = check_whole_nodes(workers, cluster.workers_per_node, tree, path); !checked)
      return checked;
  }
  return {};
}

Result<void> check_links(const Cluster& cluster, const language::Value& tree) {
  if (!states_network_between_nodes(cluster, tree) && !is_one_node(cluster)) {
    return netmodels::refuse(
        place_of(tree, "cluster"), "the key `cluster.link` is missing",
        "write for example `link: {latency: 1 ms, bandwidth: 10 Gbit/s}`, or `fabric: {kind: "
        "ethernet, rate: 10 Gbit/s, transport: nccl_tcp}`",
        {{"cluster.link", "{latency: 1 ms, bandwidth: 10 Gbit/s}"}});
  }
  if (cluster.workers_per_node > 1 && !cluster.inner_link) {
    return netmodels::refuse(place_of(tree, "cluster.workers_per_node"),
                             "the key `cluster.inner_link` is missing, although workers share nodes",
                             "write for example `inner_link: {latency: 5 us, bandwidth: 300 GB/s}`, or "
                             "`inner_fabric: {kind: nvlink, rate: 300 GB/s, transport: nvlink}`",
                             {{"cluster.inner_link", "{latency: 5 us, bandwidth: 300 GB/s}"}});
  }
  return check_worker_links(cluster, tree);
}

Result<void> check_background(const BackgroundTraffic& traffic, int count, const language::Value& tree,
                              const std::string& path) {
  if (auto checked = check_worker(traffic.from, count, tree, path + ".from"); !checked) return checked;
  if (auto checked = check_worker(traffic.to, count, tree, path + ".to"); !checked) return checked;
  if (traffic.from == traffic.to) {
    return language::refuse_at(
        tree, path + ".to", fmt::format("traffic from worker {} to itself uses no link", traffic.from),
        "name two different workers", {{path + ".to", std::to_string((traffic.from + 1) % count)}});
  }
  if (!traffic.end) {
    if (!traffic.period) return {};
    return language::refuse_at(tree, path + ".period", "traffic without an end cannot repeat",
                               "write `end` too, or leave this out", {{path + ".period", {}}});
  }
  if (*traffic.end <= traffic.start)
    return language::refuse_at(tree, path + ".end", "the traffic ends before it starts",
                               "write a time after `start`");
  if (traffic.period && *traffic.period < *traffic.end - traffic.start) {
    return language::refuse_at(tree, path + ".period", "the traffic repeats before it has ended",
                               "write a period of at least `end` - `start`");
  }
  return {};
}

/// Workers that each item of a list names.
template <class T>
Result<void> check_workers_of_each(const std::vector<T>& items, int count, const language::Value& tree,
                                   const std::string& list) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (auto checked = check_workers(items[i].workers, count, tree, language::item(list, i) + ".workers");
        !checked)
      return checked;
  }
  return {};
}

Result<void> check_failures(const std::vector<Failure>& failures, int count, const language::Value& tree) {
  std::set<int> lost;
  for (std::size_t i = 0; i < failures.size(); ++i) {
    const auto worker = failures[i].worker;
    if (!worker) continue;
    const std::string path = language::item("cluster.failures", i) + ".worker";
    if (auto checked = check_worker(*worker, count, tree, path); !checked) return checked;
    if (!lost.insert(*worker).second)
      return language::refuse_at(tree, path, fmt::format("duplicate failure of worker {}", *worker),
                                 "name each worker once");
    if (static_cast<int>(lost.size()) == count)
      return language::refuse_at(tree, path, "no worker is left after this failure",
                                 "keep at least one worker");
  }
  return {};
}

Result<void> check_events(const Cluster& cluster, const language::Value& tree) {
  const int count = cluster.workers;
  if (auto checked = check_workers_of_each(cluster.changes, count, tree, "cluster.changes"); !checked)
    return checked;
  if (auto checked = check_workers_of_each(cluster.traces, count, tree, "cluster.traces"); !checked)
    return checked;
  for (std::size_t i = 0; i < cluster.background.size(); ++i) {
    if (auto checked =
            check_background(cluster.background[i], count, tree, language::item("cluster.background", i));
        !checked)
      return checked;
  }
  return check_failures(cluster.failures, count, tree);
}

/// The longest run that is sensible; far beyond it counters of samples overflow.
Result<void> check_length(const Training& training, int workers, const language::Value& tree) {
  constexpr double most = 1e15;  // samples, as many as `training.samples` accepts
  const double per_step = static_cast<double>(training.batch) * workers;
  const double samples = training.steps ? static_cast<double>(*training.steps) * per_step
                                        : training.epochs * static_cast<double>(training.samples);
  if (samples <= most && per_step <= most) return {};
  return language::refuse_at(
      tree, training.steps ? "training.steps" : "training.epochs",
      fmt::format("the run would train on {:.3g} samples", std::max(samples, per_step)),
      "accepted: at most 1e15, which is steps x batch x workers, or epochs x samples");
}

/// Event of the run that is stated by epochs, whose length must then be known; empty: none.
std::string_view user_of_epochs(const Scenario& written) {
  const auto is_epoch = [](const Moment& at) { return at.unit == Moment::Unit::epoch; };
  const Cluster& cluster = written.cluster;
  if (std::ranges::any_of(cluster.changes, is_epoch, &LinkChange::at) ||
      std::ranges::any_of(cluster.speed_changes, is_epoch, &SpeedChange::at))
    return "the cluster changes at an epoch";
  const auto local_from = policies::local_from(written.exchange.synchronisation);
  if (local_from && is_epoch(*local_from)) return "local steps begin at an epoch";
  return written.exchange.compression.warm_up.epochs > 0 ? "compression warms up by epochs" : "";
}

}  // namespace

static int largest_divisor(int number, int most) {
  int divisor = std::min(number, most);
  while (number % divisor != 0) --divisor;
  return divisor;
}

Result<void> check_cluster(const Cluster& cluster, const language::Value& tree) {
  if (cluster.workers % cluster.workers_per_node != 0) {
    return language::refuse_at(
        tree, "cluster.workers_per_node",
        fmt::format("nodes of {} do not divide {} workers", cluster.workers_per_node, cluster.workers),
        cluster.workers < cluster.workers_per_node
            ? fmt::format("write `workers_per_node: {}` beside it for a part of one node", cluster.workers)
            : "write a divisor of `workers`",
        {{"cluster.workers_per_node",
          std::to_string(largest_divisor(cluster.workers, cluster.workers_per_node))}});
  }
  if (!cluster.speeds.empty() && cluster.speeds.size() != static_cast<std::size_t>(cluster.workers)) {
    return language::refuse_at(
        tree, "cluster.speeds",
        fmt::format("{} speeds are given for {} workers", cluster.speeds.size(), cluster.workers),
        "give one for each worker, or leave them out", {{"cluster.speeds", {}}});
  }
  if (auto checked = check_links(cluster, tree); !checked) return checked;
  if (auto checked = check_topology(cluster, tree); !checked) return checked;
  return check_events(cluster, tree);
}

Result<void> check_single_run(int seeds, const std::optional<Uncertainty>& uncertainty,
                              const language::Value& tree, const std::string& what) {
  if (seeds > 1) {
    return language::refuse_at(
        tree, "seeds", fmt::format("{} runs each arm once, with one seed, not {}", what, seeds),
        "leave it out, or `--set seeds=1`; `sim run --seeds N` runs several seeds of the arms that matter, "
        "and `sim sweep --axis seed=1,2,3` tabulates them",
        {{"seeds", {}}});
  }
  if (!uncertainty) return {};
  return language::refuse_at(
      tree, "uncertainty",
      fmt::format("{} runs each arm once, with stated values, not {} samples", what, uncertainty->samples),
      "leave it out; `sim run` draws samples", {{"uncertainty", {}}});
}

Result<void> check_training(const Scenario& written, const language::Value& tree) {
  const Training& training = written.work.training;
  const bool samples = language::find_path(tree, "training.samples") != nullptr ||
                       known_samples(written.learner.kind).has_value();
  const bool epochs = language::find_path(tree, "training.epochs") != nullptr;
  const auto missing = [&](const std::string& key, const std::string& why, std::string hint) {
    const bool may_count = hint.find("`steps: 1000`") != std::string::npos;
    return netmodels::refuse(place_of(tree, "training"), "the key `training." + key + "` is missing" + why,
                             std::move(hint),
                             {may_count ? netmodels::Change{"training.steps", "1000"}
                                        : netmodels::Change{"training.samples", "50000"}});
  };
  if (!training.steps && !epochs) return missing("epochs", "", "write `epochs: 50`, or `steps: 1000`");
  if (!training.steps && !samples)
    return missing("samples", "", "write `samples: 50000`, or `steps: 1000` in place of epochs");
  if (const std::string_view user = user_of_epochs(written); !samples && !user.empty())
    return missing("samples", fmt::format(", although {}", user), "write `samples: 50000`");
  return check_length(training, written.cluster.workers, tree);
}

Result<void> check_slowdowns(const std::vector<Slowdown>& slowdowns, int workers,
                             const language::Value& tree) {
  for (std::size_t i = 0; i < slowdowns.size(); ++i) {
    const std::string path = language::item("compute.slowdowns", i) + ".worker";
    if (auto checked = check_worker(slowdowns[i].worker, workers, tree, path); !checked) return checked;
  }
  return {};
}

namespace {

using Warn = std::function<void(const std::string& path, const std::string& what)>;

/// Adds warnings with the places of their keys.
Warn warn_into(std::vector<std::string>& found, const language::Value& tree) {
  return [&](const std::string& path, const std::string& what) {
    found.push_back(place_of(tree, path) + ": `" + path + "` " + what);
  };
}

/// Rates that the links cannot carry.
void warn_of_rates(const Cluster& cluster, const Warn& warn) {
  const auto node = [&](int worker) { return worker / cluster.workers_per_node; };
  for (std::size_t i = 0; i < cluster.background.size(); ++i) {
    const BackgroundTraffic& traffic = cluster.background[i];
    const bool inside = node(traffic.from) == node(traffic.to) && cluster.inner_link;
    const netmodels::Bandwidth link = (inside ? *cluster.inner_link : cluster.link).bandwidth;
    if (traffic.rate && *traffic.rate >= link)
      warn(language::item("cluster.background", i) + ".rate",
           fmt::format("is all that a link of {} carries: the exchanges keep 1 % of it",
                       netmodels::print(link, 3)));
  }
  if (nccl_of(cluster) == nullptr) return;
  for (std::size_t i = 0; i < cluster.changes.size(); ++i) {
    const auto& bandwidth = cluster.changes[i].bandwidth;
    if (bandwidth && *bandwidth > cluster.link.bandwidth)
      warn(language::item("cluster.changes", i) + ".bandwidth",
           fmt::format("is above {}, beyond which times of `cluster.nccl` stay as they are",
                       netmodels::print(cluster.link.bandwidth, 3)));
  }
}

/// A line rate that no interface has: bytes were written where bits were meant.
void warn_of_line_rate(const Cluster& cluster, const Warn& warn) {
  constexpr netmodels::Bandwidth fastest_port{1.6e12 / 8};  // Ethernet of IEEE P802.3dj, on its way
  if (!cluster.fabric || cluster.fabric->kind == inputs::FabricKind::nvlink ||
      cluster.fabric->rate <= fastest_port)
    return;
  warn("cluster.fabric.rate",
       fmt::format("is {}, more than an interface carries: `GB/s` counts bytes, and `Gbit/s` bits",
                   rate_text(cluster.fabric->kind, cluster.fabric->rate)));
}

/// Whether a library whose work is done by the processors of hosts exchanges between faster and slower ones.
bool exchanges_on_slow_hosts(const std::vector<double>& speeds, std::string_view library) {
  const bool on_processors = !library.empty() && library != "nccl";
  return on_processors && !speeds.empty() && std::ranges::min(speeds) < std::ranges::max(speeds);
}

}  // namespace

std::vector<std::string> cluster_warnings(const Cluster& cluster, bool replicas, std::string_view library,
                                          const language::Value& tree) {
  std::vector<std::string> found;
  const Warn warn = warn_into(found, tree);
  if (platform_file(cluster.topology) == nullptr) warn_of_rates(cluster, warn);
  warn_of_line_rate(cluster, warn);
  if (platform_file(cluster.topology) != nullptr) {
    for (const char* key : {"cluster.link", "cluster.fabric"}) {
      if (language::find_path(tree, key)) warn(key, "is not used: the platform file defines the links");
    }
  }
  if (cluster.inner_link && cluster.workers_per_node == 1 && !replicas)
    warn(cluster.inner_fabric ? "cluster.inner_fabric" : "cluster.inner_link",
         "is not used: no workers share a node");
  if (exchanges_on_slow_hosts(cluster.speeds, library))
    warn("cluster.speeds",
         "slows computing only: all-reduces of Open MPI with one slow host of 4 took up to 40 % longer than "
         "predicted (median 11 %), for a reason that is unknown");
  return found;
}

std::vector<std::string> length_warnings(const Scenario& arm, const std::vector<StatedMoment>& late,
                                         const language::Value& tree) {
  std::vector<std::string> found;
  const policies::SynchronisationChoice& method = arm.exchange.synchronisation;
  for (const StatedMoment& moment : late)
    found.push_back(fmt::format("{}: `{}`, {}, is after the end of training: it has no effect", moment.place,
                                moment.key, describe_moment(moment.at)));
  if (arm.cluster.workers == 1) return found;
  const std::int64_t period = period_of(method);
  if (const auto steps = arm.work.training.steps; steps && *steps < period)
    found.push_back(fmt::format("{}: `training` ends after {} steps, before the first exchange, after {}",
                                place_of(tree, "training"), *steps, period));
  return found;
}

}  // namespace sim::scenario
