// `sim version`: prints the versions of gradsim, SimGrid and the compiler.
#include <iostream>

#include "sim/commands.hpp"
#include "sim/engine/simgrid_engine.hpp"
#include "sim/exit_code.hpp"

namespace sim {
namespace {

#ifdef __clang__
constexpr const char* compiler = "clang++ " __clang_version__;
#else
constexpr const char* compiler = "g++ " __VERSION__;
#endif

}  // namespace

void add_version(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("version",
                                             "prints the versions of gradsim, SimGrid and the "
                                             "compiler");
  command->callback([&exit_code] {
    std::cout << "gradsim " GRADSIM_VERSION "\nSimGrid " << engine::simgrid_version() << "\ncompiler "
              << compiler << "\n";
    exit_code = exit_done;
  });
}

}  // namespace sim
