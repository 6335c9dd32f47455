// `sim diff`: what two scenarios state differently, key by key, and how far their figures are apart.
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "command_line/error_output.hpp"
#include "command_line/output_format.hpp"
#include "sim/commands.hpp"
#include "sim/exit_code.hpp"
#include "sim/language/print.hpp"
#include "sim/progress.hpp"
#include "sim/scenario_files.hpp"
#include "sim/scenario_options.hpp"
#include "sim/sweep/sweep.hpp"

namespace sim {
namespace {

using command_line::Cell;
using command_line::Measure;
using command_line::Table;
using netmodels::Result;

struct DiffOptions {
  std::string one;
  std::string other;
  std::string format;
  bool figures = false;
  ScenarioOptions scenario;
};

/// A key with a single value, or a list of such.
struct StatedKey {
  std::string path;
  std::string value;
};

bool has_maps(const language::Value& list) {
  return std::ranges::any_of(list.items(), [](const language::Value& item) { return item.is_map(); });
}

void flatten(const language::Value& value, const std::string& path, std::vector<StatedKey>& keys) {
  if (value.is_map() && !value.members().empty()) {
    for (const language::Member& member : value.members())
      flatten(member.value, path.empty() ? member.key : path + "." + member.key, keys);
    return;
  }
  if (value.is_list() && has_maps(value)) {
    for (std::size_t i = 0; i < value.items().size(); ++i)
      flatten(value.items()[i], fmt::format("{}[{}]", path, i), keys);
    return;
  }
  keys.push_back({path, language::print_on_one_line(value)});
}

const StatedKey* find_key(const std::vector<StatedKey>& keys, const std::string& path) {
  const auto found = std::ranges::find(keys, path, &StatedKey::path);
  return found == keys.end() ? nullptr : &*found;
}

Cell cell_of(const StatedKey* key) { return key == nullptr ? Cell() : Cell(key->value); }

Table empty_table(const DiffOptions& options) {
  return {.columns = {{"key", "key"}, {"one", options.one}, {"other", options.other}}, .rows = {}};
}

/// Keys whose values differ, in the order of the first scenario, then those that only the second one has.
void add_keys(Table& table, const language::Value& one, const language::Value& other) {
  std::vector<StatedKey> keys, others;
  flatten(one, "", keys);
  flatten(other, "", others);
  for (const StatedKey& key : keys) {
    const StatedKey* same = find_key(others, key.path);
    if (same == nullptr || same->value != key.value)
      table.rows.push_back({key.path, key.value, cell_of(same)});
  }
  for (const StatedKey& key : others)
    if (find_key(keys, key.path) == nullptr) table.rows.push_back({key.path, Cell(), key.value});
}

std::string cell_text(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto number = command_line::number_of(cell)) return fmt::format("{:.6g}", *number);
  return {};
}

/// The arm's row; nothing where there is none.
const std::vector<Cell>* row_of(const Table& rows, const std::string& arm) {
  const auto column = command_line::column_of(rows, "arm");
  const auto is_it = [&](const std::vector<Cell>& row) { return cell_text(row[*column]) == arm; };
  const auto found = column ? std::ranges::find_if(rows.rows, is_it) : rows.rows.end();
  return found == rows.rows.end() ? nullptr : &*found;
}

/// Figures of arms that both scenarios have.
void add_figures(Table& table, const Table& one, const Table& other) {
  const auto arms = command_line::column_of(one, "arm");
  for (const std::vector<Cell>& row : one.rows) {
    const std::string arm = arms ? cell_text(row[*arms]) : "";
    const std::vector<Cell>* same = row_of(other, arm);
    if (same == nullptr) continue;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto column = command_line::column_of(other, one.columns[i].key);
      if (!column || cell_text(row[i]) == cell_text((*same)[*column])) continue;
      table.rows.push_back(
          {fmt::format("{}: {}", arm, one.columns[i].key), cell_text(row[i]), cell_text((*same)[*column])});
    }
  }
}

Result<Table> diff(const DiffOptions& options) {
  GRADSIM_TRY(one, options.scenario.read(options.one));
  GRADSIM_TRY(other, options.scenario.read(options.other));
  Table table = empty_table(options);
  add_keys(table, one->resolved, other->resolved);
  if (!options.figures) return table;
  const std::vector<std::string> settings = options.scenario.settings();
  GRADSIM_TRY(first, sweep::simulate_point(options.one, settings, data_folder(), false));
  GRADSIM_TRY(second, sweep::simulate_point(options.other, settings, data_folder(), false));
  add_figures(table, first->rows, second->rows);
  return table;
}

int print_diff(const DiffOptions& options) {
  auto table = diff(options);
  if (!table) {
    command_line::print_error(std::cerr, table.error());
    return exit_refused;
  }
  std::cout << command_line::print(
      options.format, command_line::table_document(std::move(*table), "differences", table_width()));
  return exit_done;
}

}  // namespace

void add_diff(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand(
      "diff", "prints what two scenarios state differently, with defaults, key by key");
  const auto options = std::make_shared<DiffOptions>();
  command->add_option("ONE", options->one, "a scenario")
      ->transform(named_scenario)
      ->required()
      ->type_name("");
  command->add_option("OTHER", options->other, "another scenario")
      ->transform(named_scenario)
      ->required()
      ->type_name("");
  command->add_flag("--figures", options->figures,
                    "runs both, and prints the figures in which arms of the same name differ");
  command_line::add_format(*command, options->format);
  options->scenario.add_to(*command);
  command->footer(
      "Examples:\n  sim diff scenarios/quickstart.yaml mine.yaml\n"
      "  sim diff scenarios/quickstart.yaml mine.yaml --figures --format csv");
  command->callback([options, &exit_code] { exit_code = print_diff(*options); });
}

}  // namespace sim
