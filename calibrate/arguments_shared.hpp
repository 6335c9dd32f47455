// Options that several commands of `calibrate` have.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace calibrate {

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
  command.add_flag("--force", options.force, "writes fits outside the band all the same");
  command.add_flag("--quiet", options.quiet, "says nothing but errors");
}

}  // namespace calibrate
