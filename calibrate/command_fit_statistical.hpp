// `calibrate fit statistical`: whole trainings become a law of steps, accuracy and noise over progress.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace calibrate {

/// What was said on the command line.
struct FitStatisticalOptions {
  std::vector<std::string> files{};  ///< validation files of AdaptDL, or records; not both
  std::string output = "-";
  double target = 0;                      ///< of the metric, in its own unit
  bool percent = false;                   ///< the metric is in percent
  std::string steps_to = "smoothed";      ///< smoothed or first
  std::optional<double> initial_batch{};  ///< AdaptDL's B_0; nothing: found in the files
  std::optional<std::string> model{};     ///< provenance; nothing: as the first record says
  std::optional<std::string> data_set{};
  std::optional<std::int64_t> samples{};  ///< of the training set
  std::optional<std::string> source{};
  std::optional<std::string> licence{};
  double band_percent = 10;  ///< most mean error of the steps, held out from three batches on
  bool force = false;        ///< write it all the same
  bool quiet = false;
  std::string version{};  ///< of the program, for the provenance
};

/// Fits and writes the law, or nothing where it lies outside the band.
/// @param out  standard output, for `-o -`
/// @param log  refusals, and the table of errors unless `quiet`
/// @returns the exit code
int run_fit_statistical(const FitStatisticalOptions& options, std::ostream& out, std::ostream& log);

}  // namespace calibrate
