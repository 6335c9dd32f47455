// Options of `calibrate probe nccl`.
#include <cstdlib>
#include <iostream>
#include <memory>

#include "calibrate/arguments.hpp"
#include "calibrate/commands.hpp"
#include "calibrate/exit_code.hpp"
#include "command_line/interruption.hpp"

namespace calibrate {

void add_probe_nccl(CLI::App& probe, int& exit_code) {
  CLI::App* command =
      probe.add_subcommand("nccl", "exchanges of gradients over NCCL, on many GPUs or on one");
  const auto options = std::make_shared<ProbeNcclOptions>();
  CLI::Option* ranks =
      command
          ->add_option("--ranks", options->ranks, "number of ranks; they share devices where there are fewer")
          ->type_name("N")
          ->capture_default_str();
  command->add_option("--operations", options->operations, "names separated by commas")
      ->delimiter(',')
      ->type_name("LIST")
      ->capture_default_str();
  command->add_option("--calls", options->calls, "between two readings of the clock")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--repetitions", options->repetitions, "samples of each size")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command
      ->add_option(
          "--limit", options->limit_seconds,
          "of one size of an operation, twice that after setting up; what takes longer has failed, is "
          "named, and the next follows")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command
      ->add_option(
          "--id", options->id,
          "one process per rank, started by torchrun, mpirun or srun: where they get NCCL's id, a new "
          "file that all see, or HOST:PORT of rank 0")
      ->type_name("PLACE");
  options->variable = [](const char* name) { return std::getenv(name); };
  command
      ->add_option(
          "--library", options->library,
          "file of NCCL, or its name; default: libnccl.so.2 in lib or lib64 of the folder NCCL_HOME, "
          "else the system's")
      ->type_name("FILE");
  command->add_option("--algorithm", options->algorithm, "pins NCCL_ALGO: Ring, Tree, ...")
      ->type_name("NAME");
  command->add_option("--protocol", options->protocol, "pins NCCL_PROTO: LL, LL128, Simple")
      ->type_name("NAME");
  command
      ->add_option("--namespaces", options->namespaces,
                   "network namespaces separated by commas, one for each rank: ranks are threads that enter "
                   "them, each with a private copy of NCCL, which takes eth0 there (as root)")
      ->delimiter(',')
      ->type_name("LIST");
  add_exchanges(*command, *options, "prints only errors and warnings");
  options->version = GRADSIM_VERSION;
  command->footer("Example:\n  calibrate probe nccl --ranks 4 --sizes 64KiB..64MiB -o measured");
  command->callback([options, ranks, &exit_code] {
    options->ranks_stated = ranks->count() > 0;
    options->stop = &command_line::catch_interruptions(command_line::Grace::unlimited);
    exit_code = run_probe_nccl(*options, std::cerr);
    if (exit_code == exit_done) exit_code = command_line::interrupted().value_or(exit_code);
  });
}

}  // namespace calibrate
