// Applies the remedies of errors to a scenario until it is accepted.
#pragma once

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/language/document.hpp"
#include "sim/language/print.hpp"
#include "sim/language/value.hpp"
#include "sim/scenario/study.hpp"
#include "tests/source_tree.hpp"

namespace sim::scenario {

/// Outcome of repairing a scenario.
struct Repaired {
  bool accepted = false;
  int applications = 0;                  ///< how often remedies were applied
  std::vector<netmodels::Error> errors;  ///< errors of the first reading, one by one
  std::string last;                      ///< the text of the last errors; empty: accepted
};

namespace repairing {

using language::Value;

/// One part of a path: `changes[2]`.
struct Part {
  std::string key;
  int item = -1;  ///< index in the list; -1: the whole value
};

inline std::vector<Part> parts_of(const std::string& path) {
  std::vector<Part> parts;
  std::string_view rest = path;
  while (!rest.empty()) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    const std::string_view part = rest.substr(0, dot);
    const std::size_t bracket = part.find('[');
    Part found{std::string(part.substr(0, bracket))};
    if (bracket != std::string_view::npos)
      std::from_chars(part.data() + bracket + 1, part.data() + part.size(), found.item);
    parts.push_back(std::move(found));
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  return parts;
}

/// A name alone becomes a map that has it at the key by which it is chosen.
inline void open_name(Value& value, const std::string& key) {
  if (!value.is_scalar()) return;
  const std::string_view chosen = key == "cluster"                        ? "use"
                                  : key == "learner" || key == "topology" ? "kind"
                                  : key == "dataset"                      ? "name"
                                  : key == "batching"                     ? "policy"
                                  : key == "workload"                     ? "model"
                                                                          : "method";
  Value map = Value::map({}, value.origin());
  map.set(chosen, value);
  value = std::move(map);
}

inline Value* below(Value& map, const Part& part) {
  Value* value = map.find(part.key);
  if (value == nullptr) value = &map.set(part.key, Value::map({}, map.origin()));
  if (part.item < 0 || !value->is_list()) return value;
  return part.item < static_cast<int>(value->items().size())
             ? &value->items()[static_cast<std::size_t>(part.item)]
             : nullptr;
}

inline void apply(Value& root, const netmodels::Change& change) {
  const std::vector<Part> parts = parts_of(change.key);
  if (parts.empty()) return;
  Value* map = &root;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    map = below(*map, parts[i]);
    if (map == nullptr) return;
    open_name(*map, parts[i].key);
  }
  const Part& last = parts.back();
  if (change.value.empty()) {
    Value* list = map->find(last.key);
    if (last.item < 0 || list == nullptr || !list->is_list()) return map->erase(last.key);
    list->items().erase(list->items().begin() + last.item);
    if (list->items().empty()) map->erase(last.key);
    return;
  }
  auto value = language::parse_value(change.value, language::Origin("remedy"));
  if (!value) return;
  if (last.item < 0) {
    map->set(last.key, std::move(*value));
    return;
  }
  if (Value* item = below(*map, last)) *item = std::move(*value);
}

/// Whether a value or a key of the tree was written at the place.
inline bool has_place(const Value& value, const std::string& place) {
  if (value.origin().text() == place) return true;
  for (const language::Member& member : value.members())
    if (member.origin.text() == place || has_place(member.value, place)) return true;
  return std::ranges::any_of(value.items(), [&](const Value& item) { return has_place(item, place); });
}

/// The arm in which the error is, else the whole scenario.
inline Value& place_of_error(Value& root, const netmodels::Change& change, const std::string& place) {
  if (change.key.starts_with("compare")) return root;
  if (Value* arms = root.find("compare"); arms != nullptr) {
    for (language::Member& arm : arms->members())
      if (arm.value.is_map() && has_place(arm.value, place)) return arm.value;
  }
  return root;
}

inline std::vector<netmodels::Error> one_by_one(const netmodels::Error& error) {
  std::vector<netmodels::Error> errors{error};
  errors.insert(errors.end(), error.more.begin(), error.more.end());
  errors.front().more.clear();
  return errors;
}

}  // namespace repairing

/// Reads a scenario, and applies the remedies of all errors that have one, as often as `most`.
/// @param file  where the changed scenario is written
inline Repaired repair_text(const std::string& text, const std::filesystem::path& file, int most) {
  Repaired repaired;
  std::string now = text;
  for (;;) {
    std::ofstream(file) << now;
    const auto read = read_study(file, {}, tests::source_dir() + "/scenarios", {});
    if (read) {
      repaired.accepted = true;
      repaired.last.clear();
      return repaired;
    }
    const std::vector<netmodels::Error> errors = repairing::one_by_one(read.error());
    if (repaired.applications == 0) repaired.errors = errors;
    repaired.last = read.error().text();
    auto document = language::read_document(file);
    const auto has_none = [](const netmodels::Error& error) { return error.remedy.empty(); };
    if (!document || repaired.applications == most || std::ranges::all_of(errors, has_none)) return repaired;
    for (const netmodels::Error& error : errors)
      for (const netmodels::Change& change : error.remedy)
        repairing::apply(repairing::place_of_error(document->root, change, error.where), change);
    ++repaired.applications;
    now = "# repaired\n" + language::print_tree(document->root);
  }
}

/// The same for a tree.
inline Repaired repair(language::Value root, const std::filesystem::path& file, int most) {
  return repair_text("# a study\n" + language::print_tree(root), file, most);
}

}  // namespace sim::scenario
