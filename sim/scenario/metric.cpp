// The figures a run can be held against, and how each is written.
#include "sim/scenario/metric.hpp"

#include <array>
#include <string>
#include <vector>

#include "netmodels/nearest.hpp"
#include "netmodels/quantity.hpp"
#include "sim/scenario/read_scalar.hpp"

namespace sim::scenario {
namespace {

constexpr auto table = std::to_array<Metric>({
    {"step_time", MetricUnit::time, "mean time of one step"},
    {"compute_time", MetricUnit::time, "mean time per step in forward, backward, optimizer and host"},
    {"compress_time", MetricUnit::time, "mean time per step to compress and restore"},
    {"exchange_time", MetricUnit::time, "mean time per step in which gradients travel"},
    {"wait_time", MetricUnit::time, "mean time per step that a worker waits for the others"},
    {"stream_wait_time", MetricUnit::time, "mean time per step that is waited for samples of streams"},
    {"exposed_time", MetricUnit::time, "mean time per step that the exchange adds beyond the backward pass"},
    {"total_time", MetricUnit::time, "time of the whole run, with probes and recoveries"},
    {"epoch_time", MetricUnit::time, "mean time of one epoch; over the whole run with probes and recoveries"},
    {"sent_bytes", MetricUnit::size, "bytes that one worker sends per step, on average"},
    {"total_bytes", MetricUnit::size, "bytes that all workers send in the whole run"},
    {"throughput", MetricUnit::number, "samples per second of all workers"},
    {"scaling_efficiency", MetricUnit::number,
     "throughput over that of as many workers of speed 1 that exchange nothing"},
    {"speedup", MetricUnit::number, "throughput over that of one worker"},
    {"steps", MetricUnit::number, "steps of the whole run"},
    {"local_step_share", MetricUnit::number, "steps without an exchange, as a share of all (LSSR)"},
    {"compressed_step_share", MetricUnit::number,
     "steps that sent compressed gradients, as a share of those that sent any (CNC)"},
    {"mean_ratio", MetricUnit::number, "compression ratio, mean over the steps that sent gradients"},
    {"collective_share", MetricUnit::number, "steps that used one collective, as a share of all",
     "a row of `sim list collectives`"},
    {"method_share", MetricUnit::number,
     "steps that sent gradients by one method, as a share of those that sent any",
     "a row of `sim list compressors`"},
    {"ratio_share", MetricUnit::number,
     "steps that sent gradients at such a ratio, as a share of those that sent any",
     "two ratios such as `1 % to 10 %`"},
    {"accuracy", MetricUnit::number, "accuracy on the test set, mean of the last five tests"},
    {"best_accuracy", MetricUnit::number, "accuracy of the best test"},
    {"target_time", MetricUnit::time, "time until a test first reached `learner.target`"},
    {"target_steps", MetricUnit::number, "steps until then"},
    {"target_bytes", MetricUnit::size, "bytes that all workers sent until then"},
    {"batch_changes", MetricUnit::number, "how often a policy changed batches once training had begun"},
    {"global_batch", MetricUnit::number, "samples of all workers in a step, in the end"},
    {"buffer_samples", MetricUnit::number,
     "samples that streams have brought and nobody has taken, in the end"},
    {"fullest_buffer_samples", MetricUnit::number, "the same, on the device that has most"},
    {"buffer_bytes", MetricUnit::size, "bytes of these samples, of all devices"},
    {"streamed_bytes", MetricUnit::size, "bytes that streams have brought in the whole run"},
    {"gain", MetricUnit::number, "compression gain, mean over the steps that sent gradients"},
    {"noise_scale", MetricUnit::number, "gradient noise scale at the end, samples"},
});

template <class Q>
netmodels::Result<double> count(std::string_view text) {
  return netmodels::parse<Q>(text).map([](Q value) { return value.count; });
}

}  // namespace

std::span<const Metric> metrics() { return table; }

netmodels::Result<const Metric*> find_metric(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Metric& row : table) {
    if (row.name == name) return &row;
    names.push_back(row.name);
  }
  return netmodels::refuse("", "`" + std::string(name) + "` is no known metric",
                           netmodels::accepted_names(name, names));
}

netmodels::Result<RatioRange> parse_ratio_range(std::string_view text) {
  constexpr std::string_view to = " to ";
  const std::size_t between = text.find(to);
  if (between != std::string_view::npos) {
    const auto least = parse_number(text.substr(0, between), true);
    const auto most = parse_number(text.substr(between + to.size()), true);
    if (least && most && *least >= 0 && *least <= *most) return RatioRange{*least, *most};
  }
  return netmodels::refuse("", "`" + std::string(text) + "` is no range of ratios",
                           "write for example `1 % to 10 %`");
}

netmodels::Result<double> parse_figure(const Metric& metric, std::string_view text) {
  switch (metric.unit) {
    case MetricUnit::time: return count<netmodels::Seconds>(text);
    case MetricUnit::size: return count<netmodels::Bytes>(text);
    case MetricUnit::number: return parse_number(text, true);
  }
  return 0;
}

}  // namespace sim::scenario
