// `sim schema`: prints every key of scenario files, as a JSON schema or as a page to read.
#include <array>
#include <iostream>
#include <memory>
#include <string>

#include "command_line/output_format.hpp"
#include "sim/commands.hpp"
#include "sim/exit_code.hpp"
#include "sim/report/metric.hpp"
#include "sim/scenario/reference.hpp"
#include "sim/scenario/study.hpp"

namespace sim {

void add_schema(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("schema",
                                             "prints the JSON schema of scenario files, for "
                                             "editors");
  const auto format = std::make_shared<std::string>();
  using command_line::Form;
  constexpr std::array forms{Form::json, Form::page};
  command_line::add_format(*command, *format, forms);
  command->footer(
      "Examples:\n  sim schema > gradsim.schema.json\n  sim schema --format markdown > reference.md");
  command->callback([format, &exit_code] {
    const bool is_page = command_line::output_format(*format).form == Form::page;
    const language::ExpectableMetrics metrics = report::expectable_metrics();
    std::cout << (is_page ? scenario::reference(metrics) : scenario::schema(metrics));
    exit_code = exit_done;
  });
}

}  // namespace sim
