// `sim schema`: prints the JSON schema of scenario files.
#include "sim/command_schema.hpp"

#include <iostream>

#include "sim/exit_code.hpp"
#include "sim/report/metric.hpp"
#include "sim/scenario/study.hpp"

namespace sim {

void add_schema(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("schema", "the JSON schema of scenario files, for editors");
  command->footer("Example:\n  sim schema > gradsim.schema.json");
  command->callback([&exit_code] {
    const std::string text = scenario::schema(report::expectable_metrics());
    std::cout << text << (text.ends_with('\n') ? "" : "\n");
    exit_code = exit_done;
  });
}

}  // namespace sim
