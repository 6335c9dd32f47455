// Small clusters and workloads that engine tests share.
#pragma once

#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "netmodels/network.hpp"
#include "sim/engine/compression_cost.hpp"
#include "sim/engine/platform.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/report/compression_origin.hpp"
#include "sim/scenario/scenario.hpp"
#include "tests/source_tree.hpp"

namespace sim::engine::testing {

/// The tolerance of figures by hand: only rounding.
inline constexpr double kTiny = 1e-12;

/// The 16 MB of `four_layers` take 160 ms.
inline constexpr netmodels::Bandwidth kSlow{100e6};

inline scenario::Cluster star(int workers, netmodels::Seconds latency, netmodels::Bandwidth bandwidth) {
  scenario::Cluster cluster;
  cluster.workers = workers;
  cluster.link = {latency, bandwidth};
  return cluster;
}

inline CompressionCosts costs_of(const scenario::Scenario& scenario) {
  return {scenario.exchange.compression, scenario.work.workload, scenario.work.device};
}
inline std::string compressing_origin_of(const scenario::Scenario& scenario) {
  return report::compression_time_origin(costs_of(scenario), scenario.work.parallelism,
                                         scenario.exchange.synchronisation);
}

/// The links as the scenario states them, nothing to come.
inline netmodels::NetworkState nominal(const Platform& platform) {
  netmodels::NetworkState state;
  for (const PlatformLink& link : platform.links()) state.links.push_back(link.nominal);
  return state;
}

inline std::vector<std::uint32_t> everyone(std::uint32_t workers) {
  std::vector<std::uint32_t> list(workers);
  std::iota(list.begin(), list.end(), 0U);
  return list;
}

inline netmodels::Routes routes_of(const Platform& platform) {
  return [&platform](std::uint32_t from, std::uint32_t to) -> const netmodels::Route& {
    return platform.route(from, to);
  };
}

/// Four layers of a million values each: 10 ms forward and 20 ms backward each at batch 10, 1 ms optimizer.
inline netmodels::Workload four_layers() {
  netmodels::Workload workload;
  workload.name = "four layers";
  workload.device = "a device";
  workload.reference_batch = 10;
  workload.optimizer = {1e-3};
  for (int layer = 0; layer < 4; ++layer) {
    netmodels::Layer one;
    one.name = "layer" + std::to_string(layer);
    one.parameters = 1000000;
    one.forward = {{}, {1e-3}};
    one.backward = {{}, {2e-3}};
    workload.layers.push_back(one);
  }
  return workload;
}

/// Four layers on a star, ten samples a worker and step, the whole gradient in one ring all-reduce after the
/// backward pass: a step is 121 ms of computing and the exchange of 16 MB.
inline scenario::Scenario plain(int workers, netmodels::Seconds latency, netmodels::Bandwidth bandwidth,
                                std::int64_t steps) {
  scenario::Scenario scenario;
  scenario.name = "plain";
  scenario.work.workload = four_layers();
  scenario.cluster = star(workers, latency, bandwidth);
  scenario.work.training = {10, 1, 1000000, steps};
  scenario.exchange.collective = "ring_allreduce";
  scenario.exchange.overlap = false;
  scenario.exchange.probe.interval = {10};
  return scenario;
}

/// The same with a bucket for each layer: 4 MB each, ready 60, 80, 100 and 120 ms after the step began.
inline scenario::Scenario layer_by_layer(int workers, netmodels::Seconds latency,
                                         netmodels::Bandwidth bandwidth, std::int64_t steps) {
  scenario::Scenario scenario = plain(workers, latency, bandwidth, steps);
  scenario.exchange.first_bucket = {4e6};
  scenario.exchange.bucket = {4e6};
  return scenario;
}

/// An all-reduce that was measured from 1 to 8 MB: 10 us and 1 ms per megabyte, within 10 %.
inline netmodels::MeasuredCollective measured_all_reduce(std::uint32_t ranks, std::uint32_t nodes) {
  return {.kind = netmodels::CollectiveKind::all_reduce,
          .ranks = ranks,
          .nodes = nodes,
          .smallest = {1e6},
          .largest = {8e6},
          .p90_error = 0.1,
          .times = {{{{}, {1e-5}, {1e-9}}}}};
}

/// One method at one ratio, with indices of 4 bytes.
inline scenario::Compression sent_as(std::string method, double ratio,
                                     std::optional<netmodels::Seconds> time = {}) {
  scenario::Compression compression;
  compression.method = std::move(method);
  compression.ratio = ratio;
  compression.time = time;
  return compression;
}

/// Peak and memory at 1e12 per second, no launch time.
inline netmodels::Device simple_device() {
  netmodels::Device device;
  device.name = "simple device";
  device.peak = {1e12};
  device.memory_bandwidth = {1e12};
  return device;
}

/// A change of all links between nodes at a time of training.
inline scenario::LinkChange at_time(netmodels::Seconds at, std::optional<netmodels::Bandwidth> bandwidth,
                                    std::optional<netmodels::Seconds> latency = {}) {
  return {{scenario::Moment::Unit::time, at.count}, bandwidth, latency, {}, {}};
}

/// `simulate` with its own learner cache and cluster.
inline netmodels::Result<ArmResult> played(const scenario::Scenario& scenario, const Listeners& listeners) {
  LearnerShelf shelf(tests::source_dir() + "/scenarios");
  ClusterCache clusters;
  return simulate(scenario, listeners, shelf, clusters);
}

/// The result of a valid scenario; throws its Error otherwise.
inline ArmResult result_of(const scenario::Scenario& scenario) { return played(scenario, {}).value(); }

/// Every step of a valid scenario.
inline std::vector<StepRecord> steps_of(const scenario::Scenario& scenario) {
  std::vector<StepRecord> steps;
  Listeners listeners;
  listeners.step = [&](const StepRecord& step) { steps.push_back(step); };
  (void)played(scenario, listeners).value();
  return steps;
}

}  // namespace sim::engine::testing
