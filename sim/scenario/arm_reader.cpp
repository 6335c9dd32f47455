// Reads the arms of a study.
#include "sim/scenario/arm_reader.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "settings/type.hpp"
#include "sim/inputs/device_file.hpp"
#include "sim/inputs/input_files.hpp"
#include "sim/inputs/workload_file.hpp"
#include "sim/language/place.hpp"
#include "sim/language/reader.hpp"
#include "sim/language/text_file.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/conflicts.hpp"
#include "sim/scenario/exchange_library.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/file_keys.hpp"
#include "sim/scenario/nccl_keys.hpp"
#include "sim/scenario/overlay.hpp"
#include "sim/scenario/replicas.hpp"
#include "sim/scenario/resolved_facts.hpp"
#include "sim/scenario/trace_files.hpp"
#include "sim/scenario/words_of_others.hpp"

namespace sim::scenario {
namespace {

using netmodels::Result;

/// @param key  that names the file, for errors of a file as a whole
template <class T>
Result<void> keep(Result<T> read, const std::string& file, T& target, const language::Value& tree,
                  const std::string& key) {
  if (!read && read.error().where == file)
    return language::refuse_at(tree, key, "`" + file + "`: " + read.error().what, read.error().hint);
  if (!read) return tl::unexpected(read.error());
  target = std::move(*read);
  return {};
}

/// A run that states only its steps is one epoch.
void settle_training(Scenario& scenario, const language::Value& tree) {
  Training& training = scenario.training;
  if (language::find_path(tree, "training.samples") || known_samples(scenario.learner.kind)) return;
  double step = 0;
  for (int worker = 0; worker < scenario.cluster.workers; ++worker)
    step += batch_of(training, static_cast<std::uint32_t>(worker));
  training.samples = static_cast<std::int64_t>(step * static_cast<double>(*training.steps));
  training.epochs = 1;
}

Result<void> load_stream_trace(Scenario& scenario, const language::Value& tree) {
  if (!scenario.streams || scenario.streams->trace.empty()) return {};
  Streams& streams = *scenario.streams;
  std::vector<StreamRateChange> changes;
  auto kept = keep(read_stream_trace(streams.trace, scenario.cluster.workers), streams.trace, changes, tree,
                   "streams.trace");
  if (!kept) return kept;
  std::ranges::move(changes, std::back_inserter(streams.changes));
  std::ranges::stable_sort(streams.changes, {}, &StreamRateChange::at);
  return {};
}

/// Of a file, or measured for this run; what was measured for another arm is left alone.
Result<void> load_kernel_times(Compression& compression, const language::Value& tree) {
  const std::string& file = compression.kernel_times;
  if (compression.measured && file == measure_word) {
    GRADSIM_TRY(costs, measured_costs(*compression.measured, tree));
    compression.kernels = std::move(*costs);
  }
  if (file.empty() || file == measure_word) return {};
  netmodels::KernelCosts& costs = compression.kernels;
  if (auto kept = keep(inputs::read_kernel_costs(file), file, costs, tree, "compression.kernel_times"); !kept)
    return kept;
  if (costs.stack.empty()) return {};
  return language::refuse_at(
      tree, "compression.kernel_times",
      "`" + file + "` has times that were published for " + costs.stack + ", not measured here",
      "name it as `compression.stack`");
}

Result<void> load_measured_times(Scenario& scenario, const language::Value& tree) {
  Cluster& cluster = scenario.cluster;
  if (const std::string& file = cluster.collective_times; !file.empty()) {
    auto kept =
        keep(inputs::read_collective_times(file), file, cluster.measured, tree, "cluster.collective_times");
    if (!kept) return kept;
  }
  return load_kernel_times(scenario.compression, tree);
}

constexpr const char* stack_role = "stack of published compression times";

Result<void> load_traces(Cluster& cluster, const language::Value& tree) {
  for (std::size_t i = 0; i < cluster.traces.size(); ++i) {
    LinkTrace& trace = cluster.traces[i];
    const std::string key = language::item("cluster.traces", i);
    if (auto kept = keep(read_trace(trace.file), trace.file, trace.points, tree, key + ".file"); !kept)
      return kept;
    if (trace.period && trace.points.back().at >= *trace.period) {
      return language::refuse_at(tree, key + ".period", "the trace is longer than its period",
                                 "write a period above " + netmodels::print(trace.points.back().at));
    }
  }
  return {};
}

/// A change whose key is still open is of the value at the error's place.
void fill_in_keys(netmodels::Error& error, const language::Value& tree) {
  for (netmodels::Change& change : error.remedy)
    if (change.key.empty()) change.key = language::path_at(tree, error.where);
  std::erase_if(error.remedy, [](const netmodels::Change& change) { return change.key.empty(); });
  for (netmodels::Error& other : error.more) fill_in_keys(other, tree);
}

}  // namespace

Result<Scenario> ArmReader::read(const std::string& name, language::Value& tree) {
  if (language::Value* cluster = tree.find("cluster")) {
    GRADSIM_TRY(expanded, expand_cluster(*cluster, data_dir_));
    *cluster = std::move(*expanded);
  }
  find_files(tree, data_dir_);
  if (auto settled = settle(name, tree); !settled) return tl::unexpected(settled.error());
  Scenario scenario;
  scenario.name = name;
  if (auto done = fill(scenario, tree); !done) {
    fill_in_keys(done.error(), tree);
    return tl::unexpected(std::move(done.error()));
  }
  for (const std::string& warning : scenario.workload.warnings) warnings_.insert(warning);
  for (std::string& warning : cluster_warnings(scenario, tree)) warnings_.insert(std::move(warning));
  for (std::string& warning : device_warnings(scenario, tree)) warnings_.insert(std::move(warning));
  for (std::string& warning :
       compression_warnings(scenario.compression, scenario.workload, scenario.training, tree))
    warnings_.insert(std::move(warning));
  for (std::string& warning :
       learner_warnings(scenario.learner, scenario.training, scenario.cluster.workers, tree))
    warnings_.insert(std::move(warning));
  for (std::string& warning : parallelism_warnings(scenario, tree)) warnings_.insert(std::move(warning));
  for (std::string& warning : measured_warnings(scenario, tree)) warnings_.insert(std::move(warning));
  for (std::string& warning : library_warnings(scenario.exchange, scenario.cluster, tree))
    warnings_.insert(std::move(warning));
  for (std::string& warning : nccl_warnings(scenario, tree)) warnings_.insert(std::move(warning));
  for (std::string& warning : cluster_device_warnings(scenario.device, scenario.cluster_device,
                                                      scenario.workload, scenario.cluster, tree))
    warnings_.insert(std::move(warning));
  return scenario;
}

/// Uncertain quantities become single values.
Result<void> ArmReader::settle(const std::string& name, language::Value& tree) {
  GRADSIM_TRY(found, settle_uncertain(tree, settings::type_of<Scenario>(), "", draws_));
  language::Value* workload = tree.find("workload");
  if (workload != nullptr && workload->is_map()) {
    GRADSIM_TRY(more, settle_uncertain(*workload, inputs::workload_type(*workload), "workload", draws_));
    std::ranges::move(*more, std::back_inserter(*found));
  }
  for (UncertainInput& input : *found) {
    auto known = std::ranges::find(uncertain_, input.id, &UncertainInput::id);
    if (known == uncertain_.end()) known = uncertain_.insert(uncertain_.end(), std::move(input));
    known->arms.push_back(name);
  }
  return {};
}

/// The first error, with those of the others.
static Result<void> merge(const std::vector<Result<void>>& results) {
  std::vector<netmodels::Error> errors;
  for (const Result<void>& result : results)
    if (!result) errors.push_back(result.error());
  if (errors.empty()) return {};
  return tl::unexpected(netmodels::merge_errors(std::move(errors)));
}

/// Every key by itself: words of other programs, then what its type and bounds refuse.
static Result<void> read_keys(Scenario& scenario, const language::Value& tree) {
  std::vector<netmodels::Error> errors = find_words_of_others(tree);
  language::Reader reader(tree, "");
  describe(reader, scenario);
  if (auto finished = reader.finish(); !finished) errors.push_back(finished.error());
  if (errors.empty()) return {};
  return tl::unexpected(netmodels::merge_errors(std::move(errors)));
}

/// Links between workers, and what must fit them.
Result<void> ArmReader::settle_network(Scenario& scenario, const language::Value& tree) {
  if (auto settled = settle_fabrics(scenario.cluster, tree, transports_); !settled) return settled;
  if (auto settled = settle_nccl_links(scenario, tree); !settled) return settled;
  if (auto checked = check_cluster(scenario.cluster, tree); !checked) return checked;
  return check_nccl(scenario, tree);
}

/// Checks of what training, learner and batches state of workers, once replicas are one of them.
static Result<void> check_workers(const Scenario& scenario, const language::Value& tree) {
  const Training& training = scenario.training;
  const Cluster& cluster = scenario.cluster;
  const int workers = cluster.workers;
  if (auto checked = check_batches(training.batches, workers, tree); !checked) return checked;
  if (auto checked = check_synchronisation(scenario.synchronisation, scenario.workload, workers, tree);
      !checked)
    return checked;
  if (auto checked = check_learner(scenario.learner, training, workers, tree); !checked) return checked;
  if (auto checked = check_membership(cluster, workers_of_site(scenario), tree); !checked) return checked;
  if (auto checked = check_cores(cluster, tree); !checked) return checked;
  if (auto checked = check_batch_limits(scenario.compute.batch_limits, training, workers, tree); !checked)
    return checked;
  if (auto checked = check_batching(scenario.batching, tree); !checked) return checked;
  return scenario.streams ? check_streams(*scenario.streams, workers, tree) : Result<void>{};
}

Result<void> ArmReader::fill(Scenario& scenario, const language::Value& tree) {
  if (auto read = read_keys(scenario, tree); !read) return read;
  Parallelism& parallelism = scenario.parallelism;
  parallelism.states.gradient = parallelism.gradient_bytes.value_or(parallelism.states.gradient);
  if (auto loaded =
          load(*tree.find("workload"), language::find_path(tree, "cluster.device"), scenario.workload);
      !loaded)
    return loaded;
  if (auto settled = settle_rank(scenario.compression, scenario.workload, tree); !settled) return settled;
  if (scenario.compute.host_overhead) scenario.workload.host_overhead = {*scenario.compute.host_overhead, {}};
  if (auto found = find_device(scenario); !found) return found;
  if (auto found = find_cluster_device(scenario, tree); !found) return found;
  if (auto checked = check_names(scenario.exchange, scenario.compression.method, parallelism.compress, tree);
      !checked)
    return checked;
  features_.push_back(features_of(scenario, tree));
  std::vector<Result<void>> checks;
  if (!conflicts_of(features_.back()).empty())
    checks.push_back(check_conflicts(features_of(scenario, tree, OtherWords::listed), tree));
  checks.push_back(settle_network(scenario, tree));
  checks.push_back(
      check_training(scenario.training, scenario.learner, scenario.compression, scenario.cluster, tree));
  checks.push_back(check_slowdowns(scenario.compute.slowdowns, scenario.cluster.workers, tree));
  if (auto merged = merge(checks); !merged) return merged;
  if (auto checked = check_exchange(scenario.exchange, scenario.compression, tree); !checked) return checked;
  if (auto checked = check_sites(parallelism, scenario.cluster, tree); !checked) return checked;
  if (auto checked = check_traced(scenario.workload, scenario.training, scenario.cluster, tree); !checked)
    return checked;
  settle_waiting(scenario);  // of all GPUs, before replicas leave one group of them
  if (auto settled = settle_replicas(scenario, tree); !settled) return settled;
  if (auto checked = check_parallelism(scenario, tree); !checked) return checked;
  scenario.workload.accumulate(static_cast<std::uint32_t>(scenario.training.accumulation));
  settle_pipeline(scenario);
  if (auto checked = check_workers(scenario, tree); !checked) return checked;
  settle_training(scenario, tree);
  settle_speeds(scenario.cluster);
  settle_samples(scenario.training, scenario.learner, tree);
  if (auto loaded = load_stream_trace(scenario, tree); !loaded) return loaded;
  if (auto loaded = load_measured_times(scenario, tree); !loaded) return loaded;
  if (auto found = find_stack(scenario, tree); !found) return found;
  if (auto taken = take_overlap_slowdown(scenario, tree); !taken) return taken;
  if (auto checked = check_cost(scenario.compression, scenario.device, scenario.workload.device, tree);
      !checked)
    return checked;
  std::ranges::move(resolved_features(scenario), std::back_inserter(features_.back()));
  return load_traces(scenario.cluster, tree);
}

Result<void> ArmReader::load(const language::Value& value, const language::Value* cluster_device,
                             netmodels::Workload& workload) {
  const std::string key = fmt::format("{} {}", value.is_scalar() ? value.text() : value.origin().text(),
                                      cluster_device != nullptr ? cluster_device->text() : "");
  auto known = workloads_.find(key);
  if (known == workloads_.end() || !value.is_scalar()) {
    GRADSIM_TRY(loaded, inputs::load_workload(value, data_dir_, cluster_device));
    known = workloads_.insert_or_assign(key, std::move(*loaded)).first;
  }
  workload = known->second;
  return {};
}

/// The workload's device sets the floor of compression times, where a file describes it.
Result<void> ArmReader::find_device(Scenario& scenario) {
  const netmodels::Workload& workload = scenario.workload;
  const std::string& text = workload.device_file.empty() ? workload.device : workload.device_file;
  if (!devices_.contains(text)) {
    const bool is_file = !workload.device_file.empty();
    GRADSIM_TRY(name,
                is_file ? Result<std::optional<std::string>>(text) : inputs::match_device(text, data_dir_));
    std::optional<netmodels::Device>& device = devices_[text];
    if (*name) {
      GRADSIM_TRY(loaded, inputs::load_device(language::Value::scalar(**name, language::Origin("workload")),
                                              data_dir_));
      device = std::move(*loaded);
    }
  }
  scenario.device = devices_[text];
  return {};
}

/// That of the cluster is only compared with others.
Result<void> ArmReader::find_cluster_device(Scenario& scenario, const language::Value& tree) const {
  if (scenario.cluster.device.empty()) return {};
  GRADSIM_TRY(loaded, inputs::load_device_keys(*language::find_path(tree, "cluster.device"), data_dir_));
  scenario.cluster_device = std::move(*loaded);
  return {};
}

/// A device that is stated and that no file describes.
std::vector<std::string> ArmReader::device_warnings(const Scenario& scenario,
                                                    const language::Value& tree) const {
  const std::string& text = scenario.workload.device;
  if (scenario.device || text.empty() || text == inputs::unstated_device) return {};
  std::vector<std::string> near = inputs::near_devices(text, data_dir_);
  if (near.empty()) near = inputs::list_devices(data_dir_);
  return {
      fmt::format("{}: `workload`: no device file describes `{}`, so that compression times have no lower "
                  "bound; near names: {}",
                  place_of(tree, "workload"), text, fmt::join(near, ", "))};
}

/// Where none is stated.
Result<void> ArmReader::take_overlap_slowdown(Scenario& scenario, const language::Value& tree) {
  if (language::find_path(tree, "exchange.overlap_slowdown") != nullptr) return {};
  const std::string& device = device_text(scenario.workload);
  if (!overlaps_.contains(device)) {
    GRADSIM_TRY(elsewhere, find_measured_overlap(scenario.workload, data_dir_));
    overlaps_[device] = std::move(*elsewhere);
  }
  OverlapDefault found = default_overlap_slowdown(scenario, overlaps_[device]);
  scenario.exchange.overlap_slowdown = found.share;
  scenario.exchange.overlap_slowdown_origin = std::move(found.origin);
  scenario.exchange.overlap_slowdown_most = found.most;
  return {};
}

/// Read once.
Result<const netmodels::KernelCosts*> ArmReader::stack_costs(const std::string& file) {
  if (!stacks_.contains(file)) {
    GRADSIM_TRY(costs, inputs::read_kernel_costs(file));
    stacks_[file] = std::move(*costs);
  }
  return &stacks_[file];
}

/// Where no stack is stated, that which was measured on the workload's device, if it has the arm's methods.
Result<void> ArmReader::take_measured_stack(Scenario& scenario, const language::Value& tree) {
  const std::string& device = device_text(scenario.workload);
  if (!measured_.contains(device)) {
    GRADSIM_TRY(found, find_measured_stacks(scenario.workload, data_dir_));
    measured_[device] = std::move(*found);
  }
  const std::vector<MeasuredStack>& stacks = measured_[device];
  if (stacks.empty()) return {};
  Compression& compression = scenario.compression;
  const language::Value usual =
      language::Value::scalar(compression.stack, language::Origin("compression.stack"));
  netmodels::KernelCosts published;  // the usual stack may be absent
  if (auto file = language::find_named(usual, data_dir_ / "kernel_times", stack_role)) {
    GRADSIM_TRY(costs, stack_costs(file->string()));
    published = **costs;
  }
  const StackDefault taken = choose_stack(stacks, methods_from_stack(compression, scenario.parallelism),
                                          compression.stack, published);
  compression.stack = taken.name;
  compression.stack_origin = taken.origin;
  if (!taken.measured)
    warnings_.insert(fmt::format("{}: `compression.stack: {}`: {}", place_of(tree, "compression"), taken.name,
                                 taken.origin));
  else if (auto warning = several_stacks_warning(stacks, taken.name))
    warnings_.insert(place_of(tree, "workload") + ": `workload`: " + *warning);
  return {};
}

/// The default stack may be absent, as in a folder of one's own.
Result<void> ArmReader::find_stack(Scenario& scenario, const language::Value& tree) {
  Compression& compression = scenario.compression;
  const language::Value* stated = language::find_path(tree, "compression.stack");
  if (stated == nullptr) {
    if (auto taken = take_measured_stack(scenario, tree); !taken) return taken;
  }
  const language::Value asked =
      stated != nullptr ? *stated
                        : language::Value::scalar(compression.stack, language::Origin("compression.stack"));
  auto file = language::find_named(asked, data_dir_ / "kernel_times", stack_role);
  if (!file && stated == nullptr) return {};
  if (!file) return tl::unexpected(file.error());
  GRADSIM_TRY(costs, stack_costs(file->string()));
  compression.framework = **costs;
  if (compression.framework.stack.empty()) {
    return language::refuse_at(
        tree, "compression.stack", "`" + file->filename().string() + "` does not state its `stack`",
        "name a file of published times, or write `kernel_times: " + file->filename().string() + "`");
  }
  GRADSIM_TRY(same, is_measured_on_device(compression.framework, scenario.workload, data_dir_));
  compression.measured_on_device = *same;
  return {};
}

}  // namespace sim::scenario
