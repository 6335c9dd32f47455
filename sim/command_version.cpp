// `sim version`: prints the versions of gradsim, SimGrid and the compiler.
#include <iostream>
#include <string_view>

#include "sim/commands.hpp"
#include "sim/engine/simgrid.hpp"
#include "sim/exit_code.hpp"

namespace sim {
namespace {

#ifdef __clang__
constexpr std::string_view compiler = "clang++ " __clang_version__;  // may end in a space
#else
constexpr std::string_view compiler = "g++ " __VERSION__;
#endif

}  // namespace

void add_version(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("version",
                                             "prints the versions of gradsim, SimGrid and the "
                                             "compiler");
  command->callback([&exit_code] {
    std::cout << "gradsim " GRADSIM_VERSION "\nSimGrid " << engine::simgrid_version() << "\ncompiler "
              << compiler.substr(0, compiler.find_last_not_of(' ') + 1) << "\n";
    exit_code = exit_done;
  });
}

}  // namespace sim
