// Finds measurements of the workload's device, and says what arms take from them.
#include "sim/scenario/measured_defaults.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include "files/input_file.hpp"
#include "netmodels/buckets.hpp"
#include "netmodels/nccl/time.hpp"
#include "netmodels/overlap.hpp"
#include "netmodels/percent.hpp"
#include "sim/inputs/device_file.hpp"
#include "sim/inputs/input_files.hpp"
#include "sim/inputs/workload_file.hpp"
#include "sim/language/text_file.hpp"
#include "sim/scenario/exchange_library.hpp"
#include "sim/scenario/execution.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/sharded_sending.hpp"

namespace sim::scenario {
namespace {

using netmodels::Result;

/// How well the device of a file fits.
enum class Fit { none, by_alias, by_name };

/// @param stated  device of a file of measurements
Result<Fit> fit_of(const std::string& stated, const netmodels::Workload& workload,
                   const std::filesystem::path& data_dir) {
  const std::string file = std::filesystem::path(workload.device_file).stem().string();
  if (inputs::is_same_name(stated, workload.device) || inputs::is_same_name(stated, file))
    return Fit::by_name;
  GRADSIM_TRY(same, inputs::is_same_device(stated, file.empty() ? workload.device : file, data_dir));
  return *same ? Fit::by_alias : Fit::none;
}

bool states_device(const netmodels::Workload& workload) {
  return !workload.device.empty() && workload.device != inputs::unstated_device;
}

/// Whether gradients are sent during the backward pass of steps that are not traced.
bool sends_in_backward(const Scenario& scenario) {
  return scenario.cluster.workers > 1 && !scenario.workload.traced && exchanges_gradients(scenario) &&
         execution_of(scenario).overlap;
}

/// @param device  with a measured overlap
OverlapDefault described(const netmodels::Device& device) {
  return {device.overlap->share, fmt::format("measured on {} ({})", device.name, device.overlap->source)};
}

/// Whether the times were taken while nothing else ran on the device. Shares of a peak are of whole training
/// runs, whose collectives run beside computing.
bool is_timed_alone(const netmodels::Workload& workload) {
  return workload.origin != netmodels::TimeOrigin::utilisation;
}

/// Of NCCL's kernels, for a whole bucket of PyTorch's DDP; nothing where the library or the hardware of the
/// exchange is another, or not described.
std::optional<int> exchange_channels(const Scenario& scenario) {
  const Cluster& cluster = scenario.cluster;
  if (!cluster.nccl || library_of(scenario) != "nccl") return std::nullopt;
  const auto ranks = static_cast<std::uint32_t>(cluster.workers);
  const auto per_node = static_cast<std::uint32_t>(cluster.workers_per_node);
  const std::uint32_t nodes = (ranks + per_node - 1) / per_node;
  const auto model =
      netmodels::nccl::Model::make(*cluster.nccl, {.ranks = ranks, .nodes = nodes, .gpus = {}});
  if (!model) return std::nullopt;
  const auto time = model->time(netmodels::nccl::Operation::all_reduce, netmodels::BucketLimits().later);
  if (!time || !time->choice) return std::nullopt;
  return time->choice->channels;
}

/// By the multiprocessors that kernels of a collective take from computing.
OverlapDefault predicted_overlap(const Scenario& scenario) {
  if (!is_timed_alone(scenario.workload) || !scenario.device || !scenario.device->multiprocessors) return {};
  const auto channels = exchange_channels(scenario);
  if (!channels) return {};
  const int all = *scenario.device->multiprocessors;
  return {
      netmodels::overlap_slowdown(all, *channels),
      fmt::format("predicted: NCCL's kernels hold {} of {} multiprocessors; published: {} of whole steps in "
                  "the mean, {} at most",
                  *channels, all, netmodels::short_percent(netmodels::published_overlap.mean, 3),
                  netmodels::short_percent(netmodels::published_overlap.most, 3)),
      netmodels::published_overlap.most};
}

bool has_all(const auto& rows, const std::vector<std::string>& methods, auto method_of) {
  return std::ranges::all_of(methods, [&](const std::string& method) {
    return std::ranges::find(rows, method, method_of) != rows.end();
  });
}

bool has_all(const MeasuredStack& stack, const std::vector<std::string>& methods) {
  return has_all(stack.methods, methods, std::identity{});
}

/// A key whose default may be measured.
struct DefaultKey {
  std::string_view path;
  std::string (*value)(const Scenario&);
  std::string (*origin)(const Scenario&);  ///< empty: the usual default
  bool (*is_read)(const Scenario&);        ///< of arms that do not read it any value will do
  bool (*has_range)(const Scenario&);      ///< it is predicted, so that it is found again in each run
};

constexpr std::array default_keys{
    DefaultKey{"compression.stack", [](const Scenario& arm) { return arm.compression.stack; },
               [](const Scenario& arm) { return arm.compression.stack_origin; },
               [](const Scenario& arm) { return !methods_from_stack(arm).empty(); },
               [](const Scenario&) { return false; }},
    DefaultKey{"exchange.overlap_slowdown",
               [](const Scenario& arm) { return fmt::format("{}", arm.exchange.overlap_slowdown); },
               [](const Scenario& arm) { return arm.exchange.overlap_slowdown_origin; }, sends_in_backward,
               [](const Scenario& arm) { return arm.exchange.overlap_slowdown_most > 0; }},
};

/// Arms that leave the key to its default.
std::vector<const Scenario*> arms_by_default(const DefaultKey& key, const std::vector<Scenario>& arms,
                                             const std::vector<language::Value>& trees) {
  std::vector<const Scenario*> found;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    if (language::find_path(trees[i], key.path) == nullptr && key.is_read(arms[i])) found.push_back(&arms[i]);
  }
  return found;
}

void write_default(const DefaultKey& key, language::Value& resolved,
                   const std::vector<const Scenario*>& arms) {
  const auto is_measured = [&](const Scenario* arm) { return !key.origin(*arm).empty(); };
  if (std::ranges::none_of(arms, is_measured)) return;
  const std::string value = key.value(*arms.front());
  const std::string_view map = key.path.substr(0, key.path.find('.'));
  const std::string_view name = key.path.substr(map.size() + 1);
  language::Value* keys = resolved.find(map);
  const bool same = std::ranges::all_of(arms, [&](const Scenario* arm) { return key.value(*arm) == value; });
  if (same && std::ranges::none_of(arms, [&](const Scenario* arm) { return key.has_range(*arm); })) {
    keys->set(name, language::Value::scalar(value, language::Origin(key.origin(*arms.front()))));
  } else {
    keys->erase(name);
  }
}

}  // namespace

const std::string& device_text(const netmodels::Workload& workload) {
  return workload.device_file.empty() ? workload.device : workload.device_file;
}

Result<bool> is_measured_on_device(const netmodels::KernelCosts& costs, const netmodels::Workload& workload,
                                   const std::filesystem::path& data_dir) {
  if (!costs.measured || !states_device(workload)) return false;
  GRADSIM_TRY(fit, fit_of(costs.device, workload, data_dir));
  return *fit != Fit::none;
}

Result<std::vector<MeasuredStack>> find_measured_stacks(const netmodels::Workload& workload,
                                                        const std::filesystem::path& data_dir) {
  std::vector<MeasuredStack> found, by_alias;
  if (!states_device(workload)) return found;
  const std::filesystem::path folder = data_dir / "kernel_times";
  for (const std::string& name : language::names_in(folder)) {
    const std::filesystem::path file = folder / (name + ".yaml");
    GRADSIM_TRY(text, files::read_input(file.string()));
    // Most files cannot: reading them as YAML would take longer than all else of a small scenario.
    if (text->find("measured:") == std::string::npos) continue;
    GRADSIM_TRY(costs, inputs::read_kernel_costs(file));
    if (!costs->measured) continue;
    GRADSIM_TRY(fit, fit_of(costs->device, workload, data_dir));
    if (*fit == Fit::none) continue;
    MeasuredStack stack{name, costs->device, {}};
    for (const netmodels::MeasuredKernel& row : costs->rows) stack.methods.push_back(row.method);
    (*fit == Fit::by_name ? found : by_alias).push_back(std::move(stack));
  }
  std::ranges::move(by_alias, std::back_inserter(found));
  return found;
}

std::vector<std::string> methods_from_stack(const Scenario& scenario) {
  std::vector<std::string> methods;
  if (scenario.compression.method != "none") methods.push_back(scenario.compression.method);
  for (const auto& form : sending_of(scenario.parallelism).forms()) {
    const std::string_view kernel = form ? kernel_of(*form) : "";
    if (!kernel.empty()) methods.emplace_back(kernel);
  }
  return methods;
}

StackDefault choose_stack(const std::vector<MeasuredStack>& stacks, const std::vector<std::string>& methods,
                          const std::string& usual, const netmodels::KernelCosts& published) {
  const auto fits = std::ranges::find_if(stacks, [&](const auto& stack) { return has_all(stack, methods); });
  const MeasuredStack& taken = fits == stacks.end() ? stacks.front() : *fits;
  if (fits == stacks.end() && has_all(published.rows, methods, &netmodels::MeasuredKernel::method)) {
    const auto lacks = [&](const std::string& method) { return !has_all(taken, {method}); };
    return {usual,
            fmt::format("published; `{}`, measured on {}, has no time of `{}`", taken.name, taken.device,
                        *std::ranges::find_if(methods, lacks)),
            false};
  }
  return {taken.name, "measured on " + taken.device, true};
}

std::optional<std::string> several_stacks_warning(const std::vector<MeasuredStack>& stacks,
                                                  const std::string& taken) {
  if (stacks.size() < 2) return std::nullopt;
  std::vector<std::string> names;
  for (const MeasuredStack& stack : stacks) names.push_back(stack.name);
  return fmt::format(
      "compression times of several files were measured on this device: `{}`; `{}` is taken; "
      "`compression.stack` states another",
      fmt::join(names, "`, `"), taken);
}

OverlapDefault default_overlap_slowdown(const Scenario& scenario, const OverlapDefault& elsewhere) {
  if (!sends_in_backward(scenario)) return {};
  if (scenario.device && scenario.device->overlap) return described(*scenario.device);
  return elsewhere.origin.empty() ? predicted_overlap(scenario) : elsewhere;
}

Result<OverlapDefault> find_measured_overlap(const netmodels::Workload& workload,
                                             const std::filesystem::path& data_dir) {
  if (!states_device(workload)) return OverlapDefault{};
  for (const std::string& name : inputs::list_devices(data_dir)) {
    const std::filesystem::path file = data_dir / "devices" / (name + ".yaml");
    GRADSIM_TRY(text, files::read_input(file.string()));
    if (text->find("overlap_slowdown:") == std::string::npos) continue;  // as for stacks
    GRADSIM_TRY(fit, fit_of(name, workload, data_dir));
    if (*fit == Fit::none) continue;
    GRADSIM_TRY(device,
                inputs::load_device(language::Value::scalar(name, language::Origin("workload")), data_dir));
    if (device->overlap) return described(*device);
  }
  return OverlapDefault{};
}

void write_measured_defaults(language::Value& resolved, const std::vector<Scenario>& arms,
                             const std::vector<language::Value>& trees) {
  for (const DefaultKey& key : default_keys) write_default(key, resolved, arms_by_default(key, arms, trees));
}

std::vector<std::string> describe_measured_defaults(const Scenario& arm) {
  std::vector<std::string> lines;
  for (const DefaultKey& key : default_keys) {
    if (key.is_read(arm) && !key.origin(arm).empty())
      lines.push_back(fmt::format("`{}: {}`: {}", key.path, key.value(arm), key.origin(arm)));
  }
  return lines;
}

}  // namespace sim::scenario
