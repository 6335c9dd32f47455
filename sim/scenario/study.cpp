// Reads a scenario file into the study that the engine simulates.
#include "sim/scenario/study.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sim/inputs/workload_file.hpp"
#include "sim/language/place.hpp"
#include "sim/language/print.hpp"
#include "sim/scenario/arm_errors.hpp"
#include "sim/scenario/arm_reader.hpp"
#include "sim/scenario/arms.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/exchange_library.hpp"
#include "sim/scenario/execution.hpp"
#include "sim/scenario/expectations.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/file_keys.hpp"
#include "sim/scenario/former_keys.hpp"
#include "sim/scenario/measured_defaults.hpp"
#include "sim/scenario/nccl_keys.hpp"
#include "sim/scenario/overlay.hpp"
#include "sim/scenario/planning_file.hpp"
#include "sim/scenario/policy_advice_file.hpp"
#include "sim/scenario/replicas.hpp"

namespace sim::scenario {
namespace {

namespace fs = std::filesystem;
using netmodels::Result;

/// A workload that a map describes, with its defaults; tokens of a sample that all arms take from the shape.
void write_workload_defaults(language::Value& tree, const std::vector<Scenario>& arms) {
  language::Value* workload = tree.find("workload");
  if (workload == nullptr || !workload->is_map()) return;
  *workload = language::with_defaults(*workload, inputs::workload_type(*workload));
  if (workload->find("sequence") != nullptr || workload->find("transformer") != nullptr) return;
  const auto tokens_of = [](const Work& one) {
    return one.workload.token_work ? one.workload.token_work->tokens : 0;
  };
  const auto tokens = tokens_of(arms.front().work);
  const auto same = [&](const Work& one) { return tokens_of(one) == tokens; };
  if (tokens > 0 && std::ranges::all_of(arms, same, &Scenario::work))
    workload->set("sequence",
                  language::Value::scalar(fmt::format("{:.0f}", tokens), language::Origin("of the model")));
}

/// Replaces a value by what it is expanded to. Remedies of an error are at `use`, or at the value itself.
void expand(language::Value& value, const std::string& key,
            Result<language::Value> (*expanded_by)(const language::Value&, const fs::path&),
            const fs::path& data_dir, std::vector<netmodels::Error>& errors) {
  auto expanded = expanded_by(value, data_dir);
  if (expanded) {
    value = std::move(*expanded);
    return;
  }
  for (netmodels::Change& change : expanded.error().remedy)
    change.key = value.is_scalar() ? key : key + ".use";
  errors.push_back(std::move(expanded.error()));
}

/// The cluster and the workload that names lead to, in their places; errors of both, in their order.
Result<void> expand_named(language::Value& root, const fs::path& data_dir) {
  std::vector<netmodels::Error> errors;
  for (language::Member& member : root.members()) {
    if (member.key == "cluster") expand(member.value, member.key, expand_cluster, data_dir, errors);
    if (member.key == "workload") expand(member.value, member.key, expand_workload, data_dir, errors);
  }
  if (errors.empty()) return {};
  return tl::unexpected(netmodels::merge_errors(std::move(errors)));
}

/// What the arms lay over the scenario.
std::vector<const language::Value*> laid_over(const language::Value& root) {
  std::vector<const language::Value*> found;
  if (const language::Value* compare = root.find("compare")) {
    for (const language::Member& arm : compare->members()) found.push_back(&arm.value);
  }
  if (const language::Value* axes = root.find("axes")) {
    for (const language::Member& axis : axes->members()) {
      for (const language::Member& value : axis.value.members()) found.push_back(&value.value);
    }
  }
  return found;
}

/// Whether the text opens with a brace, as JSON does, which has no comments.
bool is_json(const language::Value& root) {
  return !root.members().empty() && root.members().front().origin.text().ends_with(":1:2");
}

/// The tree as it is printed: defaults written out, followed by the keys of the study.
language::Value resolved_tree(const language::Value& root, const fs::path& data_dir) {
  language::Value scenario = root;
  for (const std::string_view key : study_keys) scenario.erase(key);
  write_out_files(scenario, data_dir);
  language::Value tree = language::with_defaults<Scenario>(scenario, laid_over(root));
  for (const std::string_view key : study_keys) {
    if (const language::Value* value = root.find(key)) tree.set(key, *value);
  }
  if (language::Value* planning = tree.find("planning")) *planning = resolved_planning(*planning, data_dir);
  if (language::Value* advice = tree.find("advice")) *advice = with_whole_paths(std::move(*advice), data_dir);
  if (language::Value* compare = tree.find("compare")) {
    for (language::Member& arm : compare->members()) write_out_files(arm.value, data_dir);
  }
  if (language::Value* axes = tree.find("axes")) {
    for (language::Member& axis : axes->members()) {
      for (language::Member& value : axis.value.members()) write_out_files(value.value, data_dir);
    }
  }
  return tree;
}

/// Refuses arms that are to be ordered by different figures.
Result<void> check_one_objective(const Reading& reading) {
  const std::vector<Scenario>& arms = reading.study.arms;
  const auto other = std::ranges::find_if(
      arms, [&](const Scenario& arm) { return arm.objective != arms.front().objective; });
  if (other == arms.end()) return {};
  const std::size_t place = static_cast<std::size_t>(other - arms.begin());
  return language::refuse_at(reading.arms[place], "objective",
                             fmt::format("arm `{}` is ordered by {}, and arm `{}` by {}", other->name,
                                         settings::name_of(other->objective), arms.front().name,
                                         settings::name_of(arms.front().objective)),
                             "write one `objective` at the top of the file");
}

/// Says how a setting that some arms refuse is written for the others.
/// @param read  arms that accept it
void name_arms_to_set(netmodels::Error& error, const std::vector<Scenario>& read, const Arms& arms) {
  constexpr std::string_view option = "--set ";
  for (netmodels::Error& other : error.more) name_arms_to_set(other, read, arms);
  const bool is_set = error.where.starts_with(option) && arms.axes.empty();
  if (!is_set || read.empty() || read.front().name == only_arm) return;
  const std::string key = error.where.substr(option.size());
  if (key.starts_with("compare")) return;
  error.hint += fmt::format("{}to set it in the arm `{}` alone, write `compare.{}.{}`",
                            error.hint.empty() ? "" : "; ", read.front().name, read.front().name, key);
}

/// Reads every arm, and finds the errors of all.
Result<void> read_arms(Arms& arms, ArmReader& reader, Reading& reading) {
  ArmErrors errors;
  std::size_t read = 0;
  for (ArmTree& arm : arms.arms) {
    if (errors.is_full()) break;
    ++read;
    auto scenario = reader.read(arm.name, arm.tree);
    if (!scenario) {
      errors.add(scenario.error(), arm.name);
      continue;
    }
    reading.study.arms.push_back(std::move(*scenario));
    reading.arms.push_back(std::move(arm.tree));
  }
  if (auto merged = errors.merged(read)) {
    name_arms_to_set(*merged, reading.study.arms, arms);
    return tl::unexpected(std::move(*merged));
  }
  for (std::size_t i = 0; i < reading.arms.size(); ++i) {
    if (auto checked = check_unread(i, reading.study.arms, reader.features(), reading.arms); !checked)
      errors.add_at_new_places(checked.error(), reading.study.arms[i].name);
  }
  if (auto merged = errors.merged(reading.arms.size())) return tl::unexpected(std::move(*merged));
  return check_one_objective(reading);
}

/// The memory of a worker as a comment; empty where unknown.
/// @param memory  as `describe_memory` says it
std::string memory_line(const std::string& memory) {
  return memory.empty() ? memory : "# memory of each worker: " + memory + "\n";
}

/// Where the times of a workload come from, as a comment.
std::string workload_line(const netmodels::Workload& workload) {
  std::string line =
      fmt::format("# workload {}: {} layers, {} parameters; times: {}", workload.name, workload.layers.size(),
                  workload.parameters(), netmodels::to_string(workload.origin));
  if (!workload.device.empty()) line += ", " + workload.device;
  if (!workload.provenance.empty()) line += " (" + workload.provenance + ")";
  std::ranges::replace(line, '\n', ' ');
  return line + "\n";
}

}  // namespace

Result<language::Document> read_root(const fs::path& file, std::span<const std::string> texts,
                                     const fs::path& data_dir) {
  auto document = read_with_bases(file, data_dir);
  if (!document) return document;
  GRADSIM_TRY(settings, read_settings(texts));
  std::ranges::move(repeated_settings(texts), std::back_inserter(document->warnings));
  std::ranges::move(rename_former_keys(*settings), std::back_inserter(document->warnings));
  if (auto known = check_settings(*settings, document->root); !known) return tl::unexpected(known.error());
  std::ranges::move(lay_over_warnings(document->root, *settings), std::back_inserter(document->warnings));
  GRADSIM_TRY(laid, lay_over(std::move(document->root), *settings, data_dir));
  language::Value root = settle_overrides(std::move(*laid), *settings);
  if (auto expanded = expand_named(root, data_dir); !expanded) return tl::unexpected(expanded.error());
  return language::Document{std::move(root), std::move(document->question), std::move(document->warnings)};
}

Result<void> check_asked_in_file(const language::Value& root, std::string_view key) {
  const language::Value* asked = root.find(key);
  if (asked == nullptr || !asked->origin().source().starts_with("--set")) return {};
  return netmodels::refuse(asked->origin().text(),
                           fmt::format("the file has no `{}`, which only `sim advise` reads", key),
                           fmt::format("write `{}` into the file, or leave this out", key));
}

Result<Reading> read_study(const fs::path& file, std::span<const std::string> settings,
                           const fs::path& data_dir, language::ExpectableMetrics metrics,
                           const Draws& draws) {
  GRADSIM_TRY(document, read_root(file, settings, data_dir));
  for (const std::string_view key : {"planning", "advice"}) {
    if (auto in_file = check_asked_in_file(document->root, key); !in_file)
      return tl::unexpected(in_file.error());
  }
  GRADSIM_TRY(arms, spread_arms(document->root, data_dir));
  Reading reading;
  reading.study.question = document->question;
  reading.study.axes = arms->axes;
  ArmReader reader(data_dir, draws);
  if (auto read = read_arms(*arms, reader, reading); !read) return tl::unexpected(read.error());
  reading.study.warnings = std::move(document->warnings);
  std::ranges::move(arms->warnings, std::back_inserter(reading.study.warnings));
  std::ranges::move(reader.take_warnings(), std::back_inserter(reading.study.warnings));
  reading.study.uncertain = reader.uncertain();
  if (document->question.empty() && !is_json(document->root)) {
    reading.study.warnings.insert(reading.study.warnings.begin(),
                                  file.string() + ":1:1: line 1 is not a comment; write the question there");
  }
  if (const language::Value* expect = document->root.find("expect")) {
    if (auto done = read_expectations(*expect, reading.study, metrics); !done)
      return tl::unexpected(done.error());
  }
  reading.resolved = resolved_tree(document->root, data_dir);
  write_workload_defaults(reading.resolved, reading.study.arms);
  write_measured_defaults(reading.resolved, reading.study.arms, reading.arms);
  return reading;
}

Result<Scenario> read_arm(const fs::path& file, std::span<const std::string> settings,
                          const fs::path& data_dir, std::string_view arm) {
  GRADSIM_TRY(document, read_root(file, settings, data_dir));
  GRADSIM_TRY(arms, spread_arms(document->root, data_dir));
  for (ArmTree& each : arms->arms) {
    if (each.name == arm) return ArmReader(data_dir).read(each.name, each.tree);
  }
  return netmodels::refuse(file.string(), fmt::format("unknown arm `{}`", arm), "");
}

std::string print_study(const Reading& reading) {
  // A comment on line 1 would be read as the question.
  std::string head = reading.study.question.empty() ? "\n" : "# " + reading.study.question + "\n";
  std::set<std::string> told;
  for (const Scenario& arm : reading.study.arms) {
    for (const std::string& line :
         {workload_line(arm.work.workload),
          "# execution: " + describe_execution(arm.work, arm.cluster, arm.exchange) + "\n",
          "# library of collectives: " + describe_library(arm.exchange, arm.cluster) + "\n",
          memory_line(describe_memory(arm.work, arm.cluster, arm.exchange))}) {
      if (told.insert(line).second) head += line;
    }
    for (const std::string& sentence :
         goodput_lines(cluster_as_stated(*arm.stated, arm.cluster),
                       nccl_of(arm.work, arm.cluster, arm.exchange, arm.simulation.evaluator) != nullptr)) {
      if (told.insert(sentence).second) head += "# network: " + sentence + "\n";
    }
    for (const std::string& line : describe_measured_defaults(arm.work, arm.cluster, arm.exchange)) {
      if (told.insert(line).second) head += "# default " + line + "\n";
    }
  }
  return head + language::print_tree(reading.resolved);
}

}  // namespace sim::scenario
