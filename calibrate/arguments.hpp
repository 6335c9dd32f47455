// The command lines of `calibrate`, one function a command, and the options that several of them have.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace calibrate {

// The command line of `calibrate fit`.

/// @param exit_code  what the command returns when it is called; outlives the parser
void add_fit(CLI::App& program, int& exit_code);

// The command line of `calibrate import`.

/// @param exit_code  what the command returns when it is called; outlives the parser
void add_import(CLI::App& program, int& exit_code);

// The command line of `calibrate probe`.

/// @param exit_code  what the command returns when it is called; outlives the parser
void add_probe(CLI::App& program, int& exit_code);
/// `nccl` of `probe`.
void add_probe_nccl(CLI::App& probe, int& exit_code);

// The command line of `calibrate validate`.

/// @param exit_code  what the command returns when it is called; outlives the parser
void add_validate(CLI::App& program, int& exit_code);

// Options that several commands of `calibrate` have.

inline void add_output(CLI::App& command, std::string& output, const std::string& what) {
  command.add_option("-o,--output", output, what + "; - is standard output")
      ->type_name("FILE")
      ->capture_default_str();
}

/// The options by which a fit with too large an error is held back.
template <class Options>
void add_band(CLI::App& command, Options& options, const std::string& what) {
  command.add_option("--band", options.band_percent, what)
      ->type_name("PERCENT")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command.add_flag("--force", options.force, "writes fits outside the band too");
  command.add_flag("--quiet", options.quiet, "prints only errors");
}

/// Options of all probes of gradient exchanges.
/// @param quiet  what `--quiet` leaves
template <class Options>
void add_exchanges(CLI::App& command, Options& options, const std::string& quiet) {
  command
      .add_option("-o,--output", options.output,
                  "folder: NAME.csv of each exchange, and samples.csv with every repetition")
      ->required()
      ->type_name("FOLDER");
  command.add_option("--sizes", options.sizes, "SIZE or FIRST..LAST (doubling), separated by commas")
      ->type_name("LIST")
      ->capture_default_str();
  command.add_option("--ratio", options.ratio, "of the sparse exchanges, kept / original")
      ->type_name("SHARE")
      ->capture_default_str();
  command.add_option("--network", options.network, "provenance: links and transport")->type_name("TEXT");
  command.add_flag("--quiet", options.quiet, quiet);
}

}  // namespace calibrate
