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
bool sends_in_backward(const Work& work, const Cluster& cluster, const Exchange& exchange) {
  return cluster.workers > 1 && !work.workload.traced &&
         exchanges_gradients(exchange.synchronisation, workers_of_site(work.parallelism, cluster)) &&
         execution_of(exchange, exchange.compression).overlap;
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
std::optional<int> exchange_channels(const Cluster& cluster, std::string_view library) {
  if (!cluster.nccl || library != "nccl") return std::nullopt;
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
/// @param all       multiprocessors of the workload's device
/// @param channels  of the collective; nothing: unknown
OverlapDefault predicted_overlap(int all, std::optional<int> channels) {
  if (!channels) return {};
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

/// Value that an arm takes for a key whose default may be measured.
struct TakenDefault {
  std::string_view path;
  std::string value;
  std::string origin;      ///< empty: the usual default
  bool is_read = false;    ///< of arms that do not read it any value will do
  bool has_range = false;  ///< it is predicted, so that it is found again in each run
};

std::array<TakenDefault, 2> defaults_of(const Work& work, const Cluster& cluster, const Exchange& exchange) {
  return {{{.path = "compression.stack",
            .value = exchange.compression.stack,
            .origin = exchange.compression.stack_origin,
            .is_read = !methods_from_stack(exchange.compression, work.parallelism).empty()},
           {.path = "exchange.overlap_slowdown",
            .value = fmt::format("{}", exchange.overlap_slowdown),
            .origin = exchange.overlap_slowdown_origin,
            .is_read = sends_in_backward(work, cluster, exchange),
            .has_range = exchange.overlap_slowdown_most > 0}}};
}

/// @param taken  of one key, by the arms that leave it to its default and read it
void write_default(language::Value& resolved, const std::vector<TakenDefault>& taken) {
  const auto is_measured = [](const TakenDefault& one) { return !one.origin.empty(); };
  if (std::ranges::none_of(taken, is_measured)) return;
  const TakenDefault& first = taken.front();
  const std::string_view map = first.path.substr(0, first.path.find('.'));
  const std::string_view name = first.path.substr(map.size() + 1);
  language::Value* keys = resolved.find(map);
  const bool same =
      std::ranges::all_of(taken, [&](const TakenDefault& one) { return one.value == first.value; });
  if (same && std::ranges::none_of(taken, &TakenDefault::has_range)) {
    keys->set(name, language::Value::scalar(first.value, language::Origin(first.origin)));
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

std::vector<std::string> methods_from_stack(const Compression& compression, const Parallelism& parallelism) {
  std::vector<std::string> methods;
  if (compression.compresses()) methods.push_back(compression.method);
  for (const auto& form : sending_of(parallelism).forms()) {
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

OverlapDefault default_overlap_slowdown(const Work& work, const Cluster& cluster, const Exchange& exchange,
                                        const OverlapDefault& elsewhere) {
  if (!sends_in_backward(work, cluster, exchange)) return {};
  if (work.device && work.device->overlap) return described(*work.device);
  if (!elsewhere.origin.empty()) return elsewhere;
  if (!is_timed_alone(work.workload) || !work.device || !work.device->multiprocessors) return {};
  return predicted_overlap(*work.device->multiprocessors,
                           exchange_channels(cluster, library_of(exchange, cluster)));
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
  std::array<std::vector<TakenDefault>, 2> by_key;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    auto taken = defaults_of(arms[i].work, arms[i].cluster, arms[i].exchange);
    for (std::size_t key = 0; key < taken.size(); ++key) {
      const bool is_stated = language::find_path(trees[i], taken[key].path) != nullptr;
      if (!is_stated && taken[key].is_read) by_key[key].push_back(std::move(taken[key]));
    }
  }
  for (const std::vector<TakenDefault>& taken : by_key) write_default(resolved, taken);
}

std::vector<std::string> describe_measured_defaults(const Work& work, const Cluster& cluster,
                                                    const Exchange& exchange) {
  std::vector<std::string> lines;
  for (const TakenDefault& taken : defaults_of(work, cluster, exchange)) {
    if (taken.is_read && !taken.origin.empty())
      lines.push_back(fmt::format("`{}: {}`: {}", taken.path, taken.value, taken.origin));
  }
  return lines;
}

}  // namespace sim::scenario
