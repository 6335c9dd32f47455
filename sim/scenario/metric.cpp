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
    {"accuracy", MetricUnit::number, "accuracy on the test set, mean of the last five tests"},
    {"best_accuracy", MetricUnit::number, "accuracy of the best test"},
    {"target_time", MetricUnit::time, "time until a test first reached `learner.target`"},
    {"target_steps", MetricUnit::number, "steps until then"},
    {"target_bytes", MetricUnit::size, "bytes that all workers sent until then"},
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

netmodels::Result<double> parse_figure(const Metric& metric, std::string_view text) {
  switch (metric.unit) {
    case MetricUnit::time: return count<netmodels::Seconds>(text);
    case MetricUnit::size: return count<netmodels::Bytes>(text);
    case MetricUnit::number: return parse_number(text, true);
  }
  return 0;
}

}  // namespace sim::scenario
