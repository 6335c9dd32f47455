// The program `sim`: runs its command line, and returns the exit code.
#include <exception>
#include <iostream>
#include <new>

#include "command_line/interruption.hpp"
#include "command_line/memory_limit.hpp"
#include "sim/exit_code.hpp"
#include "sim/program.hpp"

int main(int argc, char** argv) {
  command_line::survive_file_limits();
  try {
    const int exit_code = sim::run_command_line({argv + 1, argv + argc});
    std::cout.flush();
    if (std::cout) return exit_code;
    std::cerr << "sim: standard output cannot be written\n";
  } catch (const std::bad_alloc&) {
    std::cerr << "sim: " << command_line::memory_message() << "\n";
  } catch (const std::exception& error) {
    std::cerr << "sim: " << error.what() << "\n";
  }
  return sim::exit_broken;
}
