// `calibrate probe nccl` as a program whose device and library are stubs: the command, its options and its
// probe are the real ones.
#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>

#include "calibrate/arguments.hpp"
#include "calibrate/exit_code.hpp"

int main(int argc, char** argv) {
  CLI::App program{"calibrate on a stub of NCCL"};
  program.require_subcommand(1);
  CLI::App* probe = program.add_subcommand("probe", "measures");
  int exit_code = calibrate::exit_done;
  calibrate::add_probe_nccl(*probe, exit_code);
  try {
    CLI11_PARSE(program, argc, argv)
    return exit_code;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stub_calibrate: %s\n", error.what());
    return calibrate::exit_broken;
  }
}
