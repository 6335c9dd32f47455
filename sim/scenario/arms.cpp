// The arms of a study: the scenario itself, one per entry of `compare`, or the product of `axes`.
#include "sim/scenario/arms.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "netmodels/nearest.hpp"
#include "sim/scenario/overlay.hpp"

namespace sim::scenario {
namespace {

namespace fs = std::filesystem;
using netmodels::refuse;
using netmodels::Result;

/// A list of names as arms without overrides.
std::vector<netmodels::Change> arms_of_names(const language::Value& list, const std::string& key) {
  std::string arms;
  for (const language::Value& name : list.items())
    if (name.is_scalar()) arms += fmt::format("{}{}: {{}}", arms.empty() ? "" : ", ", name.text());
  if (arms.empty()) return {};
  return {{key, "{" + arms + "}"}};
}

tl::unexpected<netmodels::Error> refuse_value(const language::Value& value, const std::string& key,
                                              const std::string& expected, std::string hint) {
  return refuse(value.origin().text(),
                "`" + key + "`: expected " + expected + ", found " + std::string(value.kind_text()),
                std::move(hint), arms_of_names(value, key));
}

/// The overrides of one arm or of one value of an axis.
Result<void> check_overrides(const language::Value& overrides, const std::string& key) {
  if (overrides.kind() == language::Value::Kind::nothing) return {};
  if (!overrides.is_map())
    return refuse_value(overrides, key, "a map of overrides",
                        "write for example `{exchange: {collective: ring_allreduce}}`");
  for (const std::string_view banned : study_keys) {
    if (const language::Value* found = overrides.find(banned)) {
      const std::string path = key + "." + std::string(banned);
      return refuse(found->origin().text(),
                    "`" + path + "`: an arm cannot have `" + std::string(banned) + "`",
                    "move it to the top of the file, or leave it out", {{path, {}}});
    }
  }
  return {};
}

/// Names of arms appear in tables and patterns, and `/` joins the values of axes.
Result<void> check_name(const language::Member& entry, const std::string& key) {
  if (entry.key.find_first_not_of(" \t\r\n") == std::string::npos)
    return refuse(entry.origin.text(), "`" + key + "`: a name is empty", "give each entry a name");
  if (entry.key.front() == '=' || entry.key.front() == '@')
    return refuse(entry.origin.text(),
                  fmt::format("`{}`: the name `{}` begins with `{}`, which spreadsheets take for a formula",
                              key, entry.key, entry.key.front()),
                  "begin it with another character");
  if (entry.key.find('/') == std::string::npos) return {};
  return refuse(
      entry.origin.text(),
      "`" + key + "`: the name `" + entry.key + "` contains `/`, which joins the names of arms along axes",
      "use another character, such as `-`");
}

Result<void> check_table(const language::Value& table, const std::string& key, const std::string& hint) {
  if (!table.is_map() || table.members().empty())
    return refuse_value(table, key, "a map with at least one entry", hint);
  for (const language::Member& entry : table.members()) {
    if (auto checked = check_name(entry, key); !checked) return checked;
    if (auto checked = check_overrides(entry.value, key + "." + entry.key); !checked) return checked;
  }
  return {};
}

/// The part of `settings` whose first key `overrides` has too.
language::Value touched(const language::Value& settings, const language::Value& overrides) {
  language::Value part = language::Value::map({}, settings.origin());
  for (const language::Member& member : settings.members()) {
    if (overrides.find(member.key)) part.set(member.key, member.value);
  }
  return part;
}

language::Value settle(const language::Value& overrides, const language::Value& settings) {
  if (!overrides.is_map()) return overrides;
  const language::Value part = touched(settings, overrides);
  language::Value settled = overrides;
  language::Value* cluster = settled.find("cluster");
  if (cluster && cluster->is_scalar() && part.find("cluster") && part.find("cluster")->is_map()) {
    language::Value map = language::Value::map({}, cluster->origin());
    map.set("use", *cluster);
    *cluster = std::move(map);
  }
  return merge(std::move(settled), part);
}

/// @param arms  gets the warnings
Result<language::Value> lay_arm(const language::Value& scenario, const language::Value& overrides,
                                const fs::path& data_dir, Arms& arms) {
  if (overrides.kind() == language::Value::Kind::nothing) return scenario;
  for (std::string& warning : lay_over_warnings(scenario, overrides)) {
    if (std::ranges::find(arms.warnings, warning) == arms.warnings.end())
      arms.warnings.push_back(std::move(warning));
  }
  return lay_over(scenario, overrides, data_dir);
}

Result<void> multiply(Arms& arms, const language::Member& axis, const fs::path& data_dir) {
  if (arms.arms.size() * axis.value.members().size() > most_arms) {
    return refuse(axis.origin.text(),
                  "`axes`: the product of the axes has more than " + std::to_string(most_arms) + " arms",
                  "leave out values or axes");
  }
  std::vector<ArmTree> product;
  for (const ArmTree& arm : arms.arms) {
    for (const language::Member& value : axis.value.members()) {
      GRADSIM_TRY(tree, lay_arm(arm.tree, value.value, data_dir, arms));
      product.push_back({arm.name.empty() ? value.key : arm.name + "/" + value.key, std::move(*tree)});
    }
  }
  arms.arms = std::move(product);
  arms.axes.push_back(axis.key);
  return {};
}

Result<Arms> spread_axes(const language::Value& scenario, const language::Value& axes,
                         const fs::path& data_dir) {
  if (!axes.is_map() || axes.members().empty())
    return refuse_value(axes, "axes", "a map of axes", "write `axes: {AXIS: {VALUE: {overrides}}}`");
  Arms arms{{{"", scenario}}};
  for (const language::Member& axis : axes.members()) {
    if (auto checked = check_name(axis, "axes"); !checked) return tl::unexpected(checked.error());
    if (auto checked = check_table(axis.value, "axes." + axis.key, "write `{VALUE: {overrides}}`"); !checked)
      return tl::unexpected(checked.error());
    if (auto done = multiply(arms, axis, data_dir); !done) return tl::unexpected(done.error());
  }
  return arms;
}

Result<Arms> spread_compare(const language::Value& scenario, const language::Value& compare,
                            const fs::path& data_dir) {
  if (auto checked = check_table(compare, "compare", "write `compare: {ARM: {overrides}}`"); !checked)
    return tl::unexpected(checked.error());
  if (compare.members().size() > most_arms) {
    return refuse(compare.origin().text(), "`compare` has more than " + std::to_string(most_arms) + " arms",
                  "leave some out");
  }
  Arms arms;
  for (const language::Member& arm : compare.members()) {
    GRADSIM_TRY(tree, lay_arm(scenario, arm.value, data_dir, arms));
    arms.arms.push_back({arm.key, std::move(*tree)});
  }
  return arms;
}

/// Each name under `settings` is one under `written`.
Result<void> check_known(const language::Value* settings, const language::Value* written,
                         const std::string& key, const std::string& what) {
  if (!settings || !settings->is_map()) return {};
  std::vector<std::string_view> known;
  if (written) {
    for (const language::Member& member : written->members()) known.push_back(member.key);
  }
  for (const language::Member& member : settings->members()) {
    if (std::ranges::find(known, member.key) != known.end()) continue;
    return refuse(
        member.origin.text(), "unknown " + what + " `" + member.key + "`",
        known.empty() ? "the file has no `" + key + "`" : netmodels::accepted_names(member.key, known));
  }
  return {};
}

}  // namespace

/// Arms of a setting are those of the file, unless it states `compare` as a whole, and so adds some.
static Result<void> check_set_arms(const language::Value& settings, const language::Value& root) {
  const language::Value* compare = settings.find("compare");
  if (compare == nullptr || compare->origin().text() == "--set compare") return {};
  auto known = check_known(compare, root.find("compare"), "compare", "arm");
  if (!known) known.error().hint += "; a new arm is set as a whole, such as `compare={new: {seed: 2}}`";
  return known;
}

Result<void> check_settings(const language::Value& settings, const language::Value& root) {
  if (auto known = check_set_arms(settings, root); !known) return known;
  const language::Value* axes = settings.find("axes");
  const language::Value* written = root.find("axes");
  if (auto known = check_known(axes, written, "axes", "axis"); !known) return known;
  if (!axes) return {};
  for (const language::Member& axis : axes->members()) {
    const std::string key = "axes." + axis.key;
    if (auto known =
            check_known(&axis.value, written->find(axis.key), key, "value of the axis `" + axis.key + "`");
        !known)
      return known;
  }
  return {};
}

language::Value settle_overrides(language::Value root, const language::Value& settings) {
  if (language::Value* compare = root.find("compare")) {
    for (language::Member& arm : compare->members()) arm.value = settle(arm.value, settings);
  }
  language::Value* axes = root.find("axes");
  if (!axes) return root;
  for (language::Member& axis : axes->members()) {
    for (language::Member& value : axis.value.members()) value.value = settle(value.value, settings);
  }
  return root;
}

Result<Arms> spread_arms(const language::Value& root, const fs::path& data_dir) {
  const language::Value* compare = root.find("compare");
  const language::Value* axes = root.find("axes");
  if (compare && axes) {
    return refuse(axes->origin().text(), "both `compare` and `axes` are given",
                  "keep one: `compare` lists arms, `axes` multiplies them");
  }
  language::Value scenario = root;
  for (const std::string_view key : study_keys) scenario.erase(key);
  if (axes) return spread_axes(scenario, *axes, data_dir);
  if (compare) return spread_compare(scenario, *compare, data_dir);
  return Arms{{{std::string(only_arm), std::move(scenario)}}};
}

}  // namespace sim::scenario
