// Finds each kind of unknown, and draws it.
#include "sim/engine/fitted_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <boost/math/distributions/normal.hpp>
#include <fmt/format.h>

#include "sim/engine/compression_cost.hpp"
#include "sim/scenario/nccl_keys.hpp"
#include "sim/scenario/replicas.hpp"

namespace sim::engine {
namespace {

using netmodels::LinkState;
using netmodels::Seconds;
using scenario::CostLevel;
using scenario::FabricRange;
using scenario::Scenario;

constexpr double nine_of_ten = 1.644854;  ///< standard deviations of a normal distribution, on each side

/// Without its folder.
std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Goodput of fabrics.

/// @param what  beginning of the identity
std::optional<FittedInput> goodput_input(const std::optional<FabricRange>& range, ReasonKind kind,
                                         std::string_view what) {
  if (!range || range->low == range->high) return std::nullopt;
  return FittedInput{
      fmt::format("{} {}", what, range->name),
      {kind,
       {Figure::named("of", range->name), Figure::rate("low", range->low.bandwidth, range->kind),
        Figure::rate("high", range->high.bandwidth, range->kind)}}};
}

/// The latency rises where the goodput falls.
LinkState drawn_link(const FabricRange& range, double share) {
  const double bandwidth = scenario::triangular_quantile(range.low.bandwidth.count, range.mid.bandwidth.count,
                                                         range.high.bandwidth.count, share);
  const double latency = scenario::triangular_quantile(range.high.latency.count, range.mid.latency.count,
                                                       range.low.latency.count, 1 - share);
  return {Seconds{latency}, netmodels::Bandwidth{bandwidth}};
}

void draw_outer(Scenario& arm, double share) {
  scenario::replace_link(arm, drawn_link(*arm.cluster.link_range, share));
}

void draw_inner(Scenario& arm, double share) {
  arm.cluster.inner_link = drawn_link(*arm.cluster.inner_link_range, share);
}

// Times of compressing.

/// What all methods of one source have in common.
std::string source_of(const scenario::Compression& stated, CostLevel level) {
  return level == CostLevel::kernels ? file_name(stated.kernel_times) : stated.framework.stack;
}

std::optional<FittedInput> compressing(const CompressionCosts& costs, int workers) {
  const scenario::Compression& stated = costs.stated();
  const auto cost = costs.unstated_whole(static_cast<std::uint32_t>(workers));
  if (!cost || !cost->most || !cost->uncertain()) return std::nullopt;
  const std::string source = source_of(stated, cost->level);
  Reason range{ReasonKind::compressing_time,
               {Figure::named("source", source), Figure::time("least", cost->least),
                Figure::time("most", *cost->most), Figure::named("method", stated.method)}};
  if (stated.ratio < 1) {
    range.kind = ReasonKind::compressing_time_at_ratio;
    range.figures.push_back(Figure::share("ratio", stated.ratio));
  }
  return FittedInput{"compressing " + source, std::move(range)};
}

void draw_compressing(Scenario& arm, double share) { arm.exchange.compression.drawn = share; }

// Measured collectives.

double largest_error(const scenario::Cluster& cluster) {
  double error = 0;
  for (const auto& row : cluster.measured) error = std::max(error, row.p90_error);
  return error;
}

std::optional<FittedInput> collectives(const scenario::Cluster& cluster) {
  const double error = largest_error(cluster);
  if (error == 0) return std::nullopt;
  return FittedInput{
      "collectives " + cluster.collective_times,
      {ReasonKind::collective_times,
       {Figure::named("file", file_name(cluster.collective_times)), Figure::share("error", error)}}};
}

void draw_collectives(Scenario& arm, double share) {
  constexpr double least = 0.05;
  const double deviations = boost::math::quantile(boost::math::normal(), share);
  for (auto& row : arm.cluster.measured) {
    const double factor = std::max(least, 1 + deviations * row.p90_error / nine_of_ten);
    for (auto& segment : row.times.segments) {
      segment.latency = segment.latency * factor;
      segment.per_byte = segment.per_byte * factor;
    }
    for (auto& point : row.times.points) point.time = point.time * factor;
  }
}

// What overlap costs, where it is predicted.

std::optional<FittedInput> overlap(const scenario::Exchange& exchange, const std::string& device) {
  const double most = std::max(exchange.overlap_slowdown_most, exchange.overlap_slowdown);
  if (exchange.overlap_slowdown_most == 0) return std::nullopt;
  return FittedInput{
      "overlap " + device,
      {ReasonKind::overlap_slowdown, {Figure::named("device", device), Figure::share("most", most)}}};
}

/// Triangular, the predicted value the most likely.
void draw_overlap(Scenario& arm, double share) {
  scenario::Exchange& exchange = arm.exchange;
  const double most = std::max(exchange.overlap_slowdown_most, exchange.overlap_slowdown);
  exchange.overlap_slowdown = scenario::triangular_quantile(0, exchange.overlap_slowdown, most, share);
}

// The utilisation of the peak, where it was published with an error.

/// Within the published error, or wider outside of what was published.
std::optional<FittedInput> utilisation(const std::optional<netmodels::UtilisationRange>& range) {
  if (!range) return std::nullopt;
  return FittedInput{"utilisation " + range->of,
                     {ReasonKind::utilisation,
                      {Figure::named("of", range->of), Figure::number("fastest", 100 / range->faster()),
                       Figure::share("slowest", range->slower())}}};
}

/// Of a device of a replica, the exchanges inside it keep their times, which are part of the passes.
double drawn_share(const netmodels::Workload& workload, double factor) {
  if (!workload.replica) return factor;
  const double batch = workload.reference_batch;
  const Seconds passes = workload.forward(batch) + workload.backward(batch);
  const double computing = 1 - workload.replica->exchanges.at(batch) / passes;
  return 1 + (factor - 1) * computing;
}

/// Log-normal on each side, nine of ten inside of the range.
void draw_utilisation(Scenario& arm, double share) {
  netmodels::Workload& workload = arm.work.workload;
  const double deviations = boost::math::quantile(boost::math::normal(), share);
  const auto& range = *workload.utilisation_range;
  const double end = std::log(deviations > 0 ? range.slower() : range.faster());
  const double factor = drawn_share(workload, std::exp(end * deviations / nine_of_ten));
  const auto scale = [&](netmodels::LinearTime& time) {
    time = {time.fixed * factor, time.per_sample * factor};
  };
  for (netmodels::Layer& layer : workload.layers) {
    scale(layer.forward);
    scale(layer.backward);
  }
  if (!workload.replica) return;
  const netmodels::LinearTime waited = workload.replica->bubble;
  scale(workload.replica->bubble);
  workload.host_overhead.fixed += workload.replica->bubble.fixed - waited.fixed;
  workload.host_overhead.per_sample += workload.replica->bubble.per_sample - waited.per_sample;
}

/// An unknown of one arm, and how the arm takes another value of it.
struct Unknown {
  FittedInput input;
  void (*draw)(Scenario& arm, double share);
};

std::vector<Unknown> unknowns_of(const Scenario& arm) {
  std::vector<Unknown> found;
  const auto add = [&found](std::optional<FittedInput> input, void (*draw)(Scenario&, double)) {
    if (input) found.push_back({std::move(*input), draw});
  };
  if (scenario::nccl_of(arm.work, arm.cluster, arm.exchange, arm.simulation.evaluator) ==
      nullptr) {  // NCCL computes times from its own description of the network
    add(goodput_input(arm.cluster.link_range, ReasonKind::goodput, "goodput"), draw_outer);
    add(goodput_input(arm.cluster.inner_link_range, ReasonKind::inner_goodput, "goodput inside a node"),
        draw_inner);
  }
  add(compressing(CompressionCosts(arm.exchange.compression, arm.work.workload, arm.work.device),
                  arm.cluster.workers),
      draw_compressing);
  add(collectives(arm.cluster), draw_collectives);
  add(overlap(arm.exchange, arm.work.workload.device), draw_overlap);
  add(utilisation(arm.work.workload.utilisation_range), draw_utilisation);
  return found;
}

}  // namespace

std::vector<FittedInput> fitted_inputs(const Scenario& scenario) {
  std::vector<FittedInput> inputs;
  for (Unknown& unknown : unknowns_of(scenario)) inputs.push_back(std::move(unknown.input));
  return inputs;
}

void draw_fitted(Scenario& scenario, std::string_view id, double share) {
  for (const Unknown& unknown : unknowns_of(scenario))
    if (unknown.input.id == id) unknown.draw(scenario, share);
}

std::vector<Reason> inputs_without_range(const scenario::Work& work, const scenario::Cluster& cluster,
                                         const scenario::Exchange& exchange, scenario::Evaluator evaluator) {
  std::vector<Reason> inputs;
  if (!work.workload.utilisation_range)
    inputs.push_back({ReasonKind::layer_times,
                      {Figure::named("workload", work.workload.name),
                       Figure::named("origin", netmodels::to_string(work.workload.origin))}});
  const auto cost = CompressionCosts(exchange.compression, work.workload, work.device)
                        .unstated_whole(static_cast<std::uint32_t>(cluster.workers));
  if (cost && !cost->most)
    inputs.push_back(
        {ReasonKind::compressing_without_end, {Figure::named("method", exchange.compression.method)}});
  if (scenario::nccl_of(work, cluster, exchange, evaluator) != nullptr)
    inputs.push_back({ReasonKind::nccl_times});
  if (work.workload.replica) inputs.push_back({ReasonKind::replica_exchanges});
  if (!cluster.measured.empty() && largest_error(cluster) == 0)
    inputs.push_back({ReasonKind::collectives_without_error,
                      {Figure::named("file", file_name(cluster.collective_times))}});
  return inputs;
}

}  // namespace sim::engine
