// `calibrate fit link`: messages, or a collective on several numbers of ranks, become a cluster file.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace calibrate {

/// What was said on the command line.
struct FitLinkOptions {
  std::vector<std::string> files{};
  std::string output = "-";
  double band_percent = 10;  ///< most mean held-out error of a link that is written
  bool force = false;        ///< write it all the same
  bool quiet = false;
  std::string version{};  ///< of the program, for the provenance
};

/// Fits one link to all files and writes it as a cluster, or nothing where its error lies outside the band.
/// @param out  standard output, for `-o -`
/// @param log  refusals, and the held-out error unless `quiet`
/// @returns the exit code
int run_fit_link(const FitLinkOptions& options, std::ostream& out, std::ostream& log);

}  // namespace calibrate
