// The table of the unknowns of a step.
#include "sim/fit/step_unknowns.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "netmodels/nccl/time.hpp"
#include "netmodels/percent.hpp"
#include "sim/engine/compression_cost.hpp"
#include "sim/report/compression_origin.hpp"
#include "sim/scenario/nccl_keys.hpp"
#include "sim/scenario/replicas.hpp"

namespace sim::fit {
namespace {

using netmodels::Bandwidth;
using netmodels::Seconds;
using scenario::Scenario;
using scenario::StepUnknown;

constexpr double factor_without_range = 10;
constexpr int value_digits = 4;

/// A range without a width says nothing about errors.
Prior prior_of(double expected, double low, double high, std::string source) {
  const double factor = std::max(high / expected, expected / low);
  if (!std::isfinite(factor) || factor <= 1) return {expected, factor_without_range, "", 0, 0};
  return {expected, factor, std::move(source), low, high};
}

/// Of a time that nobody published: about the stated one, or about a small part of a step.
Prior unpublished_time(Seconds stated, Seconds fastest) {
  constexpr double small_part = 0.05;
  return {stated > Seconds{} ? stated.count : small_part * fastest.count, factor_without_range, "", 0, 0};
}

// Goodput.

/// A network described by SimGrid has links of its own; where NCCL's times are computed, links have no say.
bool has_links(const Scenario& arm) {
  return arm.cluster.link.bandwidth > Bandwidth{} &&
         scenario::nccl_of(arm.work, arm.cluster, arm.exchange, arm.simulation.evaluator) == nullptr;
}

/// The bandwidth that the scenario states, of which GPUs of a tensor group have a share each.
/// @param share  of a worker
double link_of_node(const netmodels::LinkState& link, double share) { return link.bandwidth.count / share; }

/// Nothing above the line rate of a fabric.
Prior goodput_prior(const Scenario& arm, Seconds) {
  const scenario::Cluster& cluster = arm.cluster;
  const double share = scenario::share_of_link(*arm.stated, arm.work.parallelism);
  Prior prior{link_of_node(cluster.link, share), factor_without_range, "", 0, 0};
  if (cluster.link_range) {
    const scenario::FabricRange& range = *cluster.link_range;
    prior = prior_of(link_of_node(range.mid, share), link_of_node(range.low, share),
                     link_of_node(range.high, share), "range of " + range.name);
  }
  if (cluster.fabric) prior.most = cluster.fabric->rate.count * cluster.fabric->nics;
  return prior;
}

/// @param own  of the GPUs of one group
void put_link(Scenario& arm, Bandwidth own) {
  scenario::replace_link(arm, {arm.cluster.link.latency, own});
  arm.cluster.link_range.reset();
  arm.cluster.fabric.reset();
}

void put_goodput(Scenario& arm, double value) {
  put_link(arm, Bandwidth{value} * scenario::share_of_link(*arm.stated, arm.work.parallelism));
}

// Goodput of one interface, where NCCL's times are computed.

bool has_interfaces(const Scenario& arm) {
  const netmodels::nccl::Hardware* hardware =
      scenario::nccl_of(arm.work, arm.cluster, arm.exchange, arm.simulation.evaluator);
  return hardware != nullptr && hardware->network && arm.cluster.workers > arm.cluster.workers_per_node;
}

/// Share of an interface that one GPU of each tensor group has: where a node has fewer interfaces than a
/// group has GPUs, they share one.
double share_of_interface(const scenario::Work& work, const scenario::Stated& stated) {
  if (!stated.cluster) return 1;
  const int interfaces = stated.cluster->nccl->network->nics_per_node;
  return std::min(1.0, static_cast<double>(interfaces) / work.parallelism.tensor);
}

std::optional<double> stated_rate(const Scenario& arm) {
  if (!has_interfaces(arm)) return std::nullopt;
  const auto& rate = scenario::cluster_as_stated(*arm.stated, arm.cluster).nccl->network->measured_rate;
  return rate ? std::optional(rate->count) : std::nullopt;
}

/// About what is stated, or what the description takes without; nothing above the line rate.
Prior rate_prior(const Scenario& arm, Seconds) {
  const netmodels::nccl::Hardware& hardware =
      *scenario::nccl_of(arm.work, arm.cluster, arm.exchange, arm.simulation.evaluator);
  const netmodels::nccl::Network& network = *hardware.network;
  double expected = network.rate.count;
  const auto ranks = static_cast<std::uint32_t>(arm.cluster.workers);
  const auto per_node = static_cast<std::uint32_t>(arm.cluster.workers_per_node);
  const auto model = netmodels::nccl::Model::make(hardware, {.ranks = ranks, .nodes = ranks / per_node});
  if (model && model->rates().node > Bandwidth{})
    expected = model->rates().node.count / network.nics_per_node;
  const double share = share_of_interface(arm.work, *arm.stated);
  return {expected / share, factor_without_range, "", 0, 0, network.rate.count / share};
}

/// Links follow, as where they are left out.
void put_rate(Scenario& arm, double value) {
  netmodels::nccl::Network& network = *arm.cluster.nccl->network;
  network.measured_rate =
      std::min(Bandwidth{value} * share_of_interface(arm.work, *arm.stated), network.rate);
  put_link(arm, *network.measured_rate * network.nics_per_node);
}

// Host overhead, of each micro-batch, as scenarios state it.

Seconds host_of(const scenario::Work& work) {
  const netmodels::Workload& workload = work.workload;
  return workload.host_overhead.at(work.training.batch) / static_cast<double>(workload.micro_batches);
}

Prior host_prior(const Scenario& arm, Seconds fastest) {
  return unpublished_time(host_of(arm.work), fastest);
}

// Overlap.

/// Source: of ResNet-50's kernels with and without NCCL in one trace of 2 A100, the time-weighted mean
/// is 1.08;
///         the worst of GPT and LLaMA on A100, H100, MI210 and MI250 is 1.40 (arXiv 2507.03114).
constexpr double usual_slowdown = 0.08;
constexpr double worst_slowdown = 0.40;

Prior slowdown_prior(const Scenario& arm, Seconds) {
  const double stated = arm.exchange.overlap_slowdown;
  return {stated > 0 ? stated : usual_slowdown, worst_slowdown / usual_slowdown,
          "published: usually 8 %, 40 % at worst", 0, worst_slowdown};
}

// Compression.

bool compresses(const Scenario& arm) {
  return arm.exchange.compression.compresses() && !scenario::decided_by_step(arm.exchange.compression);
}

Prior compression_prior(const Scenario& arm, Seconds fastest) {
  const policies::CompressionChoice sent = arm.exchange.compression.stated();
  if (arm.exchange.compression.time) return unpublished_time(*arm.exchange.compression.time, fastest);
  const engine::CompressionCosts costs(arm.exchange.compression, arm.work.workload, arm.work.device);
  const engine::CompressionCost cost = costs.whole(sent);
  if (!cost.most || cost.assumed == Seconds{}) return unpublished_time(cost.assumed, fastest);
  return prior_of(cost.assumed.count, cost.least_published.value_or(cost.least).count, cost.most->count,
                  report::compression_time_origin(costs, arm.work.parallelism, arm.exchange.synchronisation));
}

std::optional<double> stated_compression(const Scenario& arm) {
  const auto& time = arm.exchange.compression.time;
  return time ? std::optional(time->count) : std::nullopt;
}

std::string print_rate(double value) { return netmodels::print(Bandwidth{value}, value_digits); }

std::string print_time(double value) { return netmodels::print(Seconds{value}, value_digits); }

constexpr std::array rows{
    UnknownRow{StepUnknown::goodput, "cluster.link.bandwidth", "B/s", false, has_links,
               [](const Scenario& arm) -> std::optional<double> {
                 return link_of_node(arm.cluster.link,
                                     scenario::share_of_link(*arm.stated, arm.work.parallelism));
               },
               goodput_prior, put_goodput, print_rate, TellingFigure::allreduce},
    UnknownRow{StepUnknown::goodput, "cluster.nccl.network.measured_rate", "B/s", false, has_interfaces,
               stated_rate, rate_prior, put_rate, print_rate, TellingFigure::allreduce, "interface goodput"},
    UnknownRow{
        StepUnknown::host_overhead, "compute.host_overhead", "s", false, [](const Scenario&) { return true; },
        [](const Scenario& arm) -> std::optional<double> { return host_of(arm.work).count; }, host_prior,
        [](Scenario& arm, double value) {
          arm.work.workload.host_overhead = {Seconds{value} * arm.work.workload.micro_batches, {}};
        },
        print_time, TellingFigure::alone},
    UnknownRow{StepUnknown::overlap_slowdown, "exchange.overlap_slowdown", "1", false,
               [](const Scenario&) { return true; },
               [](const Scenario& arm) -> std::optional<double> { return arm.exchange.overlap_slowdown; },
               slowdown_prior, [](Scenario& arm, double value) { arm.exchange.overlap_slowdown = value; },
               [](double value) { return netmodels::short_percent(value, 4); }},
    UnknownRow{StepUnknown::compression, "compression.time", "s", true, compresses, stated_compression,
               compression_prior,
               [](Scenario& arm, double value) { arm.exchange.compression.time = Seconds{value}; },
               print_time, TellingFigure::uncompressed},
};

}  // namespace

std::span<const UnknownRow> unknown_rows() { return rows; }

}  // namespace sim::fit
