// Which keys a method or a policy of compression needs, and which it cannot have.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kernels/catalogue.hpp"
#include "kernels/matrix.hpp"
#include "netmodels/buckets.hpp"
#include "sim/language/place.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/fields_scenario.hpp"

namespace sim::scenario {
namespace {

using netmodels::Result;

bool is_written(const language::Value& tree, const std::string& path) {
  return language::find_path(tree, path) != nullptr;
}

/// A method with a ratio states it, unless a policy chooses it.
Result<void> check_ratio(const Compression& compression, const language::Value& tree) {
  const bool sparse = compression.stated().method->has_ratio();
  if (!sparse || compression.policy->traits.chooses_ratio || is_written(tree, "compression.ratio") ||
      compression.rank)
    return {};
  return netmodels::refuse(
      place_of(tree, "compression"),
      "the key `compression.ratio` is missing, although `" + compression.method + "` needs it",
      "write for example `ratio: 0.01` (kept / original)", {{"compression.ratio", "0.01"}});
}

/// Values that a layer sends by factors of this rank, or whole where that is less.
std::int64_t values_of_rank(std::int64_t values, std::int64_t rank) {
  const kernels::Shape shape = kernels::nearly_square(values);
  return std::min(values, rank * (shape.rows + shape.columns));
}

Result<void> check_times(const Compression& compression, const language::Value& tree) {
  for (std::size_t i = 0; i < compression.times.size(); ++i) {
    const std::string path = language::item("compression.times", i);
    const auto format = kernels::find_wire_format(compression.times[i].method);
    if (!format) return language::refuse_at(tree, path + ".method", format.error().what, format.error().hint);
    for (std::size_t other = 0; other < i; ++other) {
      const CompressionTime& before = compression.times[other];
      if (before.method != compression.times[i].method || before.ratio != compression.times[i].ratio)
        continue;
      return language::refuse_at(tree, path, "duplicate time for this method and ratio",
                                 "give one time for each");
    }
  }
  return {};
}

/// The methods of some costs: "lwtopk, topk".
std::string methods_of(const netmodels::KernelCosts& costs) {
  std::string names;
  for (const netmodels::MeasuredKernel& row : costs.rows) names += (names.empty() ? "" : ", ") + row.method;
  return names;
}

bool has_method(const netmodels::KernelCosts& costs, const std::string& method) {
  return std::ranges::find(costs.rows, method, &netmodels::MeasuredKernel::method) != costs.rows.end();
}

}  // namespace

Result<void> check_rank(const Compression& compression, const language::Value& tree) {
  const bool states_both = is_written(tree, "compression.ratio") && compression.ratio != 1;
  if (!states_rank(compression) || !states_both) return {};
  return language::refuse_at(tree, "compression.rank",
                             "`compression.ratio` is stated as well, and follows from the rank",
                             "leave out one of them", {{"compression.ratio", {}}});
}

double ratio_of_rank(int rank, const netmodels::Workload& workload) {
  std::int64_t sent = 0;
  for (const netmodels::Layer& layer : workload.layers) sent += values_of_rank(layer.parameters, rank);
  const std::int64_t values = workload.parameters();
  if (sent == 0) sent = values_of_rank(values, rank);
  return std::clamp(static_cast<double>(sent) / static_cast<double>(values), 1e-12, 1.0);
}

Result<void> check_cost(const Compression& compression, const std::optional<netmodels::Device>& device,
                        const std::string& device_name, const language::Value& tree) {
  const std::string& method = compression.method;
  if (!compression.compresses() || decided_by_step(compression)) return {};
  if (compression.cost == CostChoice::floor && !device) {
    return language::refuse_at(
        tree, "compression.cost",
        "no file describes the device `" + device_name + "`, so that its floor is unknown",
        "state `compression.time`, or name a device of `sim list devices` in the workload");
  }
  if (compression.cost == CostChoice::kernels && !to_be_measured(compression) &&
      !has_method(compression.kernels, method)) {
    return language::refuse_at(tree, "compression.cost", "no measured time of `" + method + "` is stated",
                               "measure it by `calibrate probe kernels` and name the fit as `kernel_times`");
  }
  if (compression.cost == CostChoice::framework && !has_method(compression.framework, method)) {
    return language::refuse_at(
        tree, "compression.cost",
        "no published time of `" + method + "` in the stack `" + compression.stack + "`",
        "it has " + methods_of(compression.framework) + "; or state `compression.time`");
  }
  return {};
}

/// Times that are not measured yet, that nothing uses, or that are a processor's.
static std::optional<std::string> measuring_warning(const Compression& compression, const std::string& device,
                                                    const language::Value& tree) {
  const std::string where = place_of(tree, "compression.kernel_times") + ": `compression.kernel_times`: ";
  if (to_be_measured(compression))
    return where +
           "`sim run` and `sim explain` measure; here, compression takes the next known time. "
           "`scenario.resolved.yaml` of a run with --out holds what was measured";
  if (compression.measured && compression.kernel_times != measure_word && compression.compresses())
    return place_of(tree, "compression.measured") +
           ": `compression.measured` has no effect here: only `kernel_times: measure` uses it";
  if (!compression.measured || !compression.compresses() ||
      compression.measured->on == inputs::MeasuredOn::gpu)
    return std::nullopt;
  return where + fmt::format(
                     "compression times are measured on a processor, {}, and are used for the "
                     "workload's device, {}; a GPU's times differ",
                     compression.measured->device, device.empty() ? "not stated" : device);
}

/// Warning that the run ends before its warm-up does.
static std::optional<std::string> warm_up_warning(const Scenario& arm, const language::Value& tree) {
  const policies::RatioSchedule& warm_up = arm.exchange.compression.warm_up;
  if (!warm_up.any()) return std::nullopt;
  const Moment end = warm_up.steps > 0 ? Moment{Moment::Unit::step, static_cast<double>(warm_up.steps)}
                                       : Moment{Moment::Unit::epoch, warm_up.epochs};
  if (!is_after_training(end, arm)) return std::nullopt;
  return fmt::format("{}: the warm-up ends at {}, after the end of training: {}",
                     place_of(tree, "compression.warm_up"), describe_moment(end),
                     warm_up.is_dense() ? "nothing is compressed" : "the stated ratio is not reached");
}

std::vector<std::string> compression_warnings(const Scenario& arm, const language::Value& tree) {
  const Compression& compression = arm.exchange.compression;
  const netmodels::Workload& workload = arm.work.workload;
  std::vector<std::string> warnings;
  if (auto warning = measuring_warning(compression, workload.device, tree))
    warnings.push_back(std::move(*warning));
  if (auto warning = warm_up_warning(arm, tree)) warnings.push_back(std::move(*warning));
  const std::int64_t values = workload.parameters();
  if (!compression.compresses() || compression.policy->traits.decides || values == 0) return warnings;
  const kernels::Entry& format = *compression.stated().method;
  const netmodels::Bytes dense{netmodels::gradient_value_bytes * static_cast<double>(values)};
  const netmodels::Bytes sent =
      kernels::message_bytes(format, {values, compression.ratio, compression.index_bytes, false});
  if (sent <= dense || !format.has_ratio()) return warnings;
  warnings.push_back(
      fmt::format("{}: `{}` at the ratio {:g} sends {} of a gradient of {}; a ratio of 1 % is written "
                  "`0.01` or `1 %`",
                  place_of(tree, "compression.ratio"), compression.method, compression.ratio,
                  netmodels::print(sent, 3), netmodels::print(dense, 3)));
  return warnings;
}

Result<void> check_compression(const Compression& compression, const language::Value& tree) {
  if (compression.index_bytes != 4 && compression.index_bytes != 8) {
    return language::refuse_at(tree, "compression.index_bytes",
                               fmt::format("`{}` is not a width of an index", compression.index_bytes),
                               "accepted: 4 or 8");
  }
  if (auto checked = check_times(compression, tree); !checked) return checked;
  return check_ratio(compression, tree);
}

}  // namespace sim::scenario
