// Reads the arms of a study.
#include "sim/scenario/arm_reader.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "settings/type.hpp"
#include "sim/inputs/device_file.hpp"
#include "sim/inputs/workload_file.hpp"
#include "sim/language/place.hpp"
#include "sim/language/reader.hpp"
#include "sim/language/text_file.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/exchange_library.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/file_keys.hpp"
#include "sim/scenario/misplaced_keys.hpp"
#include "sim/scenario/nccl_keys.hpp"
#include "sim/scenario/overlay.hpp"
#include "sim/scenario/rental.hpp"
#include "sim/scenario/replicas.hpp"
#include "sim/scenario/resolving.hpp"
#include "sim/scenario/word_search.hpp"

namespace sim::scenario {
namespace {

using netmodels::Result;

/// A change whose key is still open is of the value at the error's place.
void fill_in_keys(netmodels::Error& error, const language::Value& tree) {
  for (netmodels::Change& change : error.remedy)
    if (change.key.empty()) change.key = language::path_at(tree, error.where);
  std::erase_if(error.remedy, [](const netmodels::Change& change) { return change.key.empty(); });
  for (netmodels::Error& other : error.more) fill_in_keys(other, tree);
}

/// An error and those that follow it, without those at places that are known to be wrong.
void add_at_other_places(std::vector<netmodels::Error>& errors, netmodels::Error error) {
  std::set<std::string> wrong;
  for (const netmodels::Error& known : errors) wrong.insert(known.where);
  std::vector<netmodels::Error> others = std::move(error.more);
  error.more.clear();
  others.insert(others.begin(), std::move(error));
  for (netmodels::Error& other : others)
    if (!wrong.contains(other.where)) errors.push_back(std::move(other));
}

/// The same without errors of files that were not found and whose place the error does not say: the keys that
/// name them are reported.
void add_placed(std::vector<netmodels::Error>& errors, netmodels::Error error, const language::Value& tree) {
  std::vector<netmodels::Error> all = std::move(error.more);
  error.more.clear();
  all.insert(all.begin(), std::move(error));
  std::erase_if(all, [&](const netmodels::Error& one) {
    return one.what == "file not found" && language::path_at(tree, one.where).empty();
  });
  for (netmodels::Error& one : all) add_at_other_places(errors, std::move(one));
}

/// Every key by itself: words of other programs, then what its type and bounds refuse.
Result<void> read_keys(Scenario& scenario, const language::Value& tree) {
  std::vector<netmodels::Error> errors = find_words_of_others(tree);
  language::Reader reader(tree, "");
  describe(reader, scenario);
  if (auto finished = reader.finish(); !finished) {
    name_right_places(finished.error(), tree);
    add_at_other_places(errors, std::move(finished.error()));
  }
  if (errors.empty()) return {};
  return tl::unexpected(netmodels::merge_errors(std::move(errors)));
}

/// A device that is stated and that no file describes.
/// @param text  device as the workload states it
std::vector<std::string> unknown_device_warnings(const std::string& text,
                                                 const std::filesystem::path& data_dir,
                                                 const language::Value& tree) {
  if (text.empty() || text == inputs::unstated_device) return {};
  std::vector<std::string> near = inputs::near_devices(text, data_dir);
  if (near.empty()) near = inputs::list_devices(data_dir);
  return {
      fmt::format("{}: `workload`: no device file describes `{}`, so that compression times have no lower "
                  "bound; near names: {}",
                  place_of(tree, "workload"), text, fmt::join(near, ", "))};
}

/// Moments after the end of the training.
std::vector<StatedMoment> late_moments(const Scenario& arm, std::vector<StatedMoment> moments) {
  std::erase_if(moments, [&](const StatedMoment& moment) { return !is_after_training(moment.at, arm); });
  return moments;
}

/// Moments of which only the run shows whether it reaches them.
std::vector<StatedMoment> open_moments(const Scenario& arm, std::vector<StatedMoment> moments) {
  std::erase_if(moments, [&](const StatedMoment& moment) { return is_after_training(moment.at, arm); });
  return moments;
}

std::vector<StatedKey> stated_keys(const language::Value& tree) {
  std::vector<StatedKey> stated;
  for (const std::string_view key : keys_that_may_idle) {
    if (const language::Value* value = tree.find(key))
      stated.push_back({std::string(key), value->origin().text()});
  }
  return stated;
}

/// Warnings of a resolved arm.
std::vector<std::string> arm_warnings(const Resolving& arm, const std::filesystem::path& data_dir) {
  const Scenario& scenario = arm.scenario;
  const language::Value& tree = arm.tree;
  const Training& training = scenario.work.training;
  const Cluster& cluster = scenario.cluster;
  std::vector<std::string> found;
  for (std::vector<std::string>& warnings : std::array{
           scenario.work.workload.warnings,
           cluster_warnings(cluster, scenario.work.workload.replica.has_value(),
                            library_of(scenario.exchange, cluster), tree),
           length_warnings(scenario, late_moments(scenario, moments_of(arm)), tree),
           scenario.work.device ? std::vector<std::string>{}
                                : unknown_device_warnings(scenario.work.workload.device, data_dir, tree),
           compression_warnings(scenario, tree),
           learner_warnings(scenario.learner, training, cluster.workers, tree),
           parallelism_warnings(scenario.work, scenario.cluster, *scenario.stated, scenario.exchange, tree),
           measured_warnings(scenario.work, scenario.cluster, scenario.exchange,
                             scenario.simulation.evaluator, tree),
           library_warnings(scenario.exchange, cluster, tree), nccl_warnings(scenario, tree),
           scenario.work.workload.traced ? sender_warnings(*scenario.work.workload.traced, cluster, tree)
                                         : std::vector<std::string>{},
           price_warnings(scenario.price, cluster_as_stated(*scenario.stated, cluster).workers_per_node, tree,
                          data_dir),
           cluster_device_warnings(scenario.work.device, scenario.stated->device, scenario.work.workload,
                                   cluster, tree)})
    std::ranges::move(warnings, std::back_inserter(found));
  const bool is_interrupted =
      scenario.availability || !cluster.failures.empty() || cluster.workers_come_and_go();
  if (scenario.price && scenario.price->spot && !is_interrupted) {
    found.push_back(uninterrupted_spot(tree, "price.spot",
                                       "availability: {mtbf: 5 h, checkpoint: {write: 60 s, every: 1 h}}"));
  }
  return found;
}

}  // namespace

namespace {

/// The workload and its device.
Result<void> load_work(Scenario& values, const language::Value& tree, ArmFiles& files) {
  const language::Value* stated = tree.find("workload");
  if (stated == nullptr) return {};  // the missing key is an error of its own
  const language::Value* own_device = language::find_path(tree, "cluster.device");
  GRADSIM_TRY(workload, files.load_workload(*stated, own_device, values.cluster.workers));
  Work& work = values.work;
  work.workload = std::move(*workload);
  work.training.sharers = static_cast<int>(work.workload.sharers);
  GRADSIM_TRY(device, files.find_device(work.workload));
  work.device = std::move(*device);
  return {};
}

/// The device that the cluster names.
Result<void> load_own_device(Scenario& values, const language::Value& tree, const ArmFiles& files) {
  const language::Value* own = language::find_path(tree, "cluster.device");
  if (own == nullptr || values.cluster.device.empty()) return {};
  GRADSIM_TRY(described, inputs::load_device_keys(*own, files.data_dir()));
  values.stated = std::make_shared<const Stated>(Stated{.device = std::move(*described)});
  return {};
}

/// Names of transports and machines.
std::vector<netmodels::Error> find_unknown_names(const Scenario& values, const language::Value& tree,
                                                 const std::filesystem::path& data_dir) {
  std::vector<netmodels::Error> found;
  for (const char* key : {"cluster.fabric.transport", "cluster.inner_fabric.transport"}) {
    const language::Value* transport = language::find_path(tree, key);
    if (transport == nullptr || !transport->is_scalar()) continue;
    if (auto named = language::find_named(*transport, data_dir / "transports", "transport"); !named)
      found.push_back(std::move(named.error()));
  }
  if (auto names = check_names(values.exchange, values.exchange.compression.method,
                               values.work.parallelism.compress, tree);
      !names)
    found.push_back(std::move(names.error()));
  const bool names_machine = values.price && !values.price->machine.empty() && !values.price->per_machine;
  if (!names_machine) return found;
  if (auto machine = rented_machine(*values.price, tree, "price", data_dir); !machine)
    found.push_back(std::move(machine.error()));
  return found;
}

}  // namespace

Result<Scenario> read_stated(const std::string& name, const language::Value& tree, ArmFiles& files) {
  Scenario values;
  values.name = name;
  std::vector<netmodels::Error> errors;
  const auto add = [&](Result<void> done) {
    if (!done) add_at_other_places(errors, std::move(done.error()));
  };
  add(read_keys(values, tree));
  const std::vector<netmodels::Error> missing = find_missing_files(tree, files.data_dir());
  const auto is_of_workload = [&](const netmodels::Error& error) {
    return language::path_at(tree, error.where).starts_with("workload");
  };
  for (const netmodels::Error& file : missing)
    if (is_of_workload(file)) add_at_other_places(errors, file);
  if (std::ranges::none_of(errors, is_of_workload)) add(load_work(values, tree, files));
  add(load_own_device(values, tree, files));
  for (netmodels::Error& unknown : find_unknown_names(values, tree, files.data_dir()))
    add_at_other_places(errors, std::move(unknown));
  if (errors.empty()) return values;
  for (const netmodels::Error& file : missing) add_at_other_places(errors, file);
  return tl::unexpected(netmodels::merge_errors(std::move(errors)));
}

Result<Scenario> ArmReader::read(const std::string& name, language::Value& tree) {
  if (language::Value* cluster = tree.find("cluster")) {
    GRADSIM_TRY(expanded, expand_cluster(*cluster, files_.data_dir()));
    *cluster = std::move(*expanded);
  }
  if (language::Value* workload = tree.find("workload")) {
    GRADSIM_TRY(expanded, expand_workload(*workload, files_.data_dir()));
    *workload = std::move(*expanded);
  }
  find_files(tree, files_.data_dir());
  if (auto settled = settle(name, tree); !settled) return tl::unexpected(settled.error());
  auto resolved = resolve_arm(name, tree);
  if (!resolved) fill_in_keys(resolved.error(), tree);
  return resolved;
}

Result<Scenario> ArmReader::resolve_arm(const std::string& name, const language::Value& tree) {
  GRADSIM_TRY(stated, read_stated(name, tree, files_));
  Resolving arm{.written = *stated, .tree = tree, .files = files_, .scenario = *stated};
  std::vector<netmodels::Error> errors;
  if (auto resolved = resolve(arm); !resolved) add_placed(errors, std::move(resolved.error()), tree);
  for (const netmodels::Error& missing : find_missing_files(tree, files_.data_dir()))
    add_at_other_places(errors, missing);
  if (!errors.empty()) return tl::unexpected(netmodels::merge_errors(std::move(errors)));
  arm.scenario.moments = open_moments(arm.scenario, moments_of(arm));
  arm.scenario.may_idle = stated_keys(tree);
  features_.push_back(std::move(arm.features));
  for (std::vector<std::string>& warnings :
       std::array{std::move(arm.warnings), arm_warnings(arm, files_.data_dir())})
    warnings_.insert(warnings.begin(), warnings.end());
  return std::move(arm.scenario);
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

}  // namespace sim::scenario
