// Which keys a method or a policy of compression needs, and which it cannot have.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kernels/catalogue.hpp"
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

Result<void> check_ratio(const Compression& compression, const language::Value& tree) {
  const bool sparse = (*kernels::find_wire_format(compression.method))->has_ratio();
  const bool written = is_written(tree, "compression.ratio");
  if (written && compression.ratio != 1 && !sparse) {
    return language::refuse_at(tree, "compression.ratio",
                               "the method `" + compression.method + "` sends every value and has no ratio",
                               "leave out `ratio`, or choose a sparse method such as `topk`");
  }
  if (!written && sparse) {
    return netmodels::refuse(
        place_of(tree, "compression"),
        "the key `compression.ratio` is missing, although `" + compression.method + "` needs it",
        "write for example `ratio: 0.01` (kept / original)");
  }
  return {};
}

/// Keys whose values the policy decides.
Result<void> check_undecided(const Compression& compression, const language::Value& tree) {
  const std::string policy(compression.policy.name());
  const bool own_ratio = compression.policy->traits.chooses_ratio;
  if (own_ratio && is_written(tree, "compression.ratio") && compression.ratio != 1) {
    return language::refuse_at(tree, "compression.ratio", "`" + policy + "` chooses the ratio itself",
                               "leave out `ratio`; set its bounds under `" + policy + "`");
  }
  if (compression.time) {
    return language::refuse_at(
        tree, "compression.time", "one time cannot apply to every ratio that `" + policy + "` may choose",
        "write `times`, a list of method, ratio and time; or nothing, for the device's floor");
  }
  if (compression.policy->traits.chooses_method()) {
    if (compression.method == "none") return {};
    return language::refuse_at(tree, "compression.method", "`" + policy + "` chooses the method itself",
                               "leave out `method`");
  }
  if (!(*kernels::find_wire_format(compression.method))->has_ratio()) {
    return netmodels::refuse(
        place_of(tree, "compression"),
        "`" + policy + "` needs a sparse method; `" + compression.method + "` is not sparse",
        "write for example `method: topk`");
  }
  return own_ratio ? Result<void>{} : check_ratio(compression, tree);
}

/// Keys that change from step to step change the exchange of every step.
Result<void> check_every_step(const Scenario& scenario, const language::Value& tree, std::string_view key,
                              std::string_view hint) {
  if (scenario.synchronisation->traits.every_step) return {};
  const bool warm_up = key == "warm_up";
  if (warm_up && scenario.synchronisation->traits.of_momenta) {
    return language::refuse_at(tree, "compression.warm_up",
                               fmt::format("`{}` decides itself in which steps whole gradients are exchanged",
                                           scenario.synchronisation.name()),
                               "leave it out");
  }
  return language::refuse_at(
      tree, "compression." + std::string(key),
      fmt::format("`{}` needs gradients exchanged in every step; `{}` does not exchange them in every step",
                  warm_up ? key : scenario.compression.policy.name(), scenario.synchronisation.name()),
      std::string(hint));
}

Result<void> check_compression_policy(const Scenario& scenario, const language::Value& tree) {
  const Compression& compression = scenario.compression;
  const std::string policy(compression.policy.name());
  if (auto checked = check_undecided(compression, tree); !checked) return checked;
  if (!scenario.learner.kind->traits.learns) {
    return language::refuse_at(tree, "compression.policy", "`" + policy + "` needs gradients",
                               "add a `learner`, for example `learner: live`");
  }
  return check_every_step(scenario, tree, "policy", "write `synchronisation: bsp`, or `policy: fixed`");
}

Result<void> check_warm_up(const Scenario& scenario, const language::Value& tree) {
  const Compression& compression = scenario.compression;
  if (!compression.warm_up.any() || compression.policy->traits.decides) return {};
  const bool dense = compression.warm_up.shape == policies::RatioShape::dense && compression.method != "none";
  if (!dense && !(*kernels::find_wire_format(compression.method))->has_ratio()) {
    return language::refuse_at(
        tree, "compression.warm_up", "`" + compression.method + "` has no ratio that could decrease",
        compression.method == "none"
            ? "choose a sparse method such as `topk`, or leave out `warm_up`"
            : "write `shape: dense`, choose a sparse method such as `topk`, or leave out "
              "`warm_up`");
  }
  return check_every_step(scenario, tree, "warm_up", "write `synchronisation: bsp`, or leave out `warm_up`");
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

/// Whether the change of a model since the last exchange can be sent so.
Result<void> check_changes(const Scenario& scenario, const language::Value& tree) {
  const std::string& method = scenario.compression.method;
  const policies::SynchronisationChoice& stated = scenario.synchronisation;
  const bool models = exchanges_models(stated) || stated->traits.models_later;
  if (method == "none" || !models) return {};
  if (stated->traits.stays_apart) {
    return language::refuse_at(
        tree, "compression.method",
        fmt::format("with `{}` the workers' models differ after an exchange too; only the change "
                    "since a common model can be compressed",
                    stated.name()),
        "leave out `compression`, or write for example `synchronisation: {method: diloco, "
        "every: 20}`");
  }
  const bool two_rounds = (*kernels::find_wire_format(method))->two_rounds();
  if (is_asynchronous(stated) && two_rounds) {
    return language::refuse_at(
        tree, "compression.method",
        fmt::format("`{}` needs two rounds among the workers, and with `{}` each sends by itself", method,
                    stated.name()),
        "write for example `method: block_topk`");
  }
  if (streaming_of(stated).eager && two_rounds) {
    return language::refuse_at(
        tree, "compression.method",
        fmt::format("`{}` needs two rounds among the workers, and with eager updates a worker "
                    "takes its own change before the first",
                    method),
        "write for example `method: block_topk`, or `eager: false`");
  }
  if (!(*kernels::find_wire_format(method))->unscaled) return {};
  return language::refuse_at(
      tree, "compression.method",
      fmt::format("`{}` sends signs without a scale, for the learning rate to multiply; `{}` "
                  "exchanges changes of the model, which need one",
                  method, stated.name()),
      "write for example `method: block_1bit`");
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

Result<void> check_cost(const Scenario& scenario, const language::Value& tree) {
  const Compression& compression = scenario.compression;
  const std::string& method = compression.method;
  if (method == "none" || decided_by_step(compression)) return {};
  if (compression.cost == CostChoice::floor && !scenario.device) {
    return language::refuse_at(
        tree, "compression.cost",
        "no file describes the device `" + scenario.workload.device + "`, so that its floor is unknown",
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
static std::optional<std::string> measuring_warning(const Scenario& scenario, const language::Value& tree) {
  const Compression& compression = scenario.compression;
  const std::string where = place_of(tree, "compression.kernel_times") + ": `compression.kernel_times`: ";
  if (to_be_measured(compression))
    return where +
           "`sim run` and `sim explain` measure; here, compression takes the next known time. "
           "`scenario.resolved.yaml` of a run with --out holds what was measured";
  if (compression.measured && compression.kernel_times != measure_word && compression.method != "none")
    return place_of(tree, "compression.measured") +
           ": `compression.measured` has no effect here: only `kernel_times: measure` uses it";
  if (!compression.measured || compression.method == "none" ||
      compression.measured->on == inputs::MeasuredOn::gpu)
    return std::nullopt;
  return where + fmt::format(
                     "compression times are measured on a processor, {}, and are used for the "
                     "workload's device, {}; a GPU's times differ",
                     compression.measured->device,
                     scenario.workload.device.empty() ? "not stated" : scenario.workload.device);
}

/// That the run ends before its dense warm-up does.
static std::optional<std::string> dense_run_warning(const Scenario& scenario, const language::Value& tree) {
  const policies::RatioSchedule& warm_up = scenario.compression.warm_up;
  const Training& training = scenario.training;
  if (warm_up.shape != policies::RatioShape::dense) return std::nullopt;
  const bool by_steps = warm_up.steps > 0 && training.steps && *training.steps <= warm_up.steps;
  const bool by_epochs = warm_up.epochs > 0 && !training.steps && training.epochs <= warm_up.epochs;
  if (!by_steps && !by_epochs) return std::nullopt;
  return fmt::format("{}: nothing is compressed: the run ends after {:g} {}, the dense warm-up after {:g}",
                     place_of(tree, "compression.warm_up"),
                     by_steps ? static_cast<double>(*training.steps) : training.epochs,
                     by_steps ? "steps" : "epochs",
                     by_steps ? static_cast<double>(warm_up.steps) : warm_up.epochs);
}

std::vector<std::string> compression_warnings(const Scenario& scenario, const language::Value& tree) {
  const Compression& compression = scenario.compression;
  std::vector<std::string> warnings;
  if (auto warning = measuring_warning(scenario, tree)) warnings.push_back(std::move(*warning));
  if (auto warning = dense_run_warning(scenario, tree)) warnings.push_back(std::move(*warning));
  const std::int64_t values = scenario.workload.parameters();
  if (compression.method == "none" || compression.policy->traits.decides || values == 0) return warnings;
  const kernels::Entry& format = **kernels::find_wire_format(compression.method);
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

Result<void> check_compression(const Scenario& scenario, const language::Value& tree) {
  const Compression& compression = scenario.compression;
  if (compression.index_bytes != 4 && compression.index_bytes != 8) {
    return language::refuse_at(tree, "compression.index_bytes",
                               fmt::format("`{}` is not a width of an index", compression.index_bytes),
                               "accepted: 4 or 8");
  }
  if (auto checked = check_times(compression, tree); !checked) return checked;
  if (compression.policy->traits.decides) return check_compression_policy(scenario, tree);
  if (auto checked = check_warm_up(scenario, tree); !checked) return checked;
  if (auto checked = check_changes(scenario, tree); !checked) return checked;
  return check_ratio(compression, tree);
}

}  // namespace sim::scenario
