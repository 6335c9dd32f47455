// `calibrate fit`: measurements files become a file of fits.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace calibrate {

/// What was said on the command line.
struct FitOptions {
  std::vector<std::string> files{};
  std::string output = "-";
  std::string segments = "auto";  ///< auto, 1, 2 or 3
  double band_percent = 10;       ///< most mean held-out error of a fit that is written
  bool force = false;             ///< write it all the same
  bool quiet = false;
  std::string version{};  ///< of the program, for the provenance
};

/// Fits each file and writes all fits as one file, or nothing where one lies outside the band.
/// @param out  standard output, for `-o -`
/// @param log  refusals, and the held-out error of each fit unless `quiet`
/// @returns the exit code
int run_fit(const FitOptions& options, std::ostream& out, std::ostream& log);

}  // namespace calibrate
