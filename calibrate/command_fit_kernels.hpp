// `calibrate fit kernels`: times of compressors become what they cost over size and ratio.
#pragma once

#include <ostream>
#include <string>

namespace calibrate {

/// What was said on the command line.
struct FitKernelsOptions {
  std::string file{};
  std::string output = "-";
  std::string cache{};  ///< size as text; empty: one fit a compressor
  /// Most median held-out error of a fit that is written: of a step, and of one that restores many messages.
  double band_percent = 25;
  bool force = false;  ///< write it all the same
  bool quiet = false;
  std::string version{};  ///< of the program, for the provenance
};

/// Fits every compressor of the file and writes all fits, or nothing where one lies outside the band.
/// @param out  standard output, for `-o -`
/// @param log  refusals, and the held-out error of each fit unless `quiet`
/// @returns the exit code
int run_fit_kernels(const FitKernelsOptions& options, std::ostream& out, std::ostream& log);

}  // namespace calibrate
