// `sim list`: prints the names that a scenario may use.
#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "command_line/error_output.hpp"
#include "command_line/known_words.hpp"
#include "command_line/output_format.hpp"
#include "sim/commands.hpp"
#include "sim/exit_code.hpp"
#include "sim/name_lists.hpp"
#include "sim/progress.hpp"
#include "sim/scenario_options.hpp"

namespace sim {
namespace {

using command_line::Table;
using netmodels::Result;

struct List {
  std::string_view name;
  Result<Table> (*make)();
};

constexpr std::array lists{List{"collectives", list_collectives},
                           List{"executions", list_executions},
                           List{"shardings", list_shardings},
                           List{"compressors", list_compressors},
                           List{"policies", list_policies},
                           List{"learners", list_learners},
                           List{"models", list_models},
                           List{"workloads", list_workloads},
                           List{"clusters", list_clusters},
                           List{"devices", list_devices},
                           List{"stacks", list_stacks},
                           List{"transports", list_transports},
                           List{"datasets", list_datasets},
                           List{"prices", list_prices},
                           List{"metrics", list_metrics},
                           List{"support", list_support},
                           List{"words", list_words}};

std::vector<std::string> list_names() {
  std::vector<std::string> names;
  for (const List& list : lists) names.emplace_back(list.name);
  return names;
}

struct ListOptions {
  std::string what;
  std::string format;
};

int print_list(const List& list, const std::string& format) {
  const auto table = list.make();
  if (!table) {
    command_line::print_error(std::cerr, table.error());
    return exit_refused;
  }
  std::cout << command_line::print(
      format, command_line::table_document(*table, std::string(list.name), table_width()));
  return exit_done;
}

/// Prints the lists and their contents, for a command without a name.
int print_overview() {
  for (const List& list : lists) {
    const auto table = list.make();
    std::cout << (list.name == lists.front().name ? "" : "\n") << list.name << "\n";
    if (list.make == list_support || list.make == list_words) continue;  // names of keys
    for (const auto& row : table ? table->rows : Table{}.rows) {
      const std::string* name = std::get_if<std::string>(&row[list.name == "policies" ? 1 : 0]);
      std::cout << "  " << (name == nullptr ? "" : *name) << "\n";
    }
  }
  return exit_done;
}

}  // namespace

void add_list(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand(
      "list", "lists what a scenario may name: " + fmt::format("{}", fmt::join(list_names(), ", ")));
  const auto options = std::make_shared<ListOptions>();
  command->add_option("WHAT", options->what, "one of the lists; without it, the names of all")
      ->type_name("")
      ->check(command_line::known_words(list_names()));
  command_line::add_format(*command, options->format, command_line::all_forms);
  command->footer("Examples:\n  sim list collectives\n  sim list workloads --format csv");
  command->callback([options, &exit_code] {
    const auto list = std::ranges::find(lists, options->what, &List::name);
    exit_code = list == lists.end() ? print_overview() : print_list(*list, options->format);
  });
}

}  // namespace sim
