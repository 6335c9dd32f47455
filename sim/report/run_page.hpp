// The report on a run, made of what `sim run --out` leaves in a folder.
#pragma once

#include <filesystem>
#include <istream>
#include <string>

#include "netmodels/result.hpp"
#include "sim/report/page.hpp"

namespace sim::report {

/// The texts of a run's folder.
struct RunTexts {
  std::string summary;            ///< summary.json
  std::string resolved_scenario;  ///< scenario.resolved.yaml
  std::istream& steps;            ///< steps.csv
  std::string folder;             ///< for messages
};

/// Question, answer, arms, parts of a step, accuracy, compression, collectives, network and buffers over
/// time, published figures. What a run does not have is left out.
/// @returns an Error with its place for files that `sim run --out` did not write
netmodels::Result<Page> run_page(const RunTexts& run);

/// Reads them from a folder.
/// @returns an Error also for a file that is not there
netmodels::Result<Page> run_page(const std::filesystem::path& folder);

}  // namespace sim::report
