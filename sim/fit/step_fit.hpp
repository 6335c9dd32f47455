// Finds what a scenario states wrongly about a step from a few measured figures.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/fits/unknowns.hpp"
#include "netmodels/result.hpp"
#include "sim/fit/step_cases.hpp"
#include "sim/fit/step_unknowns.hpp"
#include "sim/scenario/step_figures.hpp"

namespace sim::fit {

/// An unknown with what was found.
struct FittedUnknown {
  const UnknownRow* row = nullptr;
  std::string arm;  ///< whose it is; empty: of all arms
  Prior prior;
  std::optional<double> stated;  ///< by the scenario, in base units
  calibrate::fits::FoundUnknown found;

  [[nodiscard]] std::string name() const;                   ///< "goodput", "compression of `topk`"
  [[nodiscard]] double low() const { return found.low; }    ///< of 95 %
  [[nodiscard]] double high() const { return found.high; }  ///< of 95 %
};

/// A measured figure beside what the scenario gives with the found values.
struct ExplainedFigure {
  StepCase measured;
  netmodels::Seconds explained;
};

struct StepFit {
  std::string scenario;  ///< the file
  std::vector<FittedUnknown> unknowns;
  std::vector<ExplainedFigure> figures;

  /// The figures that tell an unknown, the most telling first; those that say less than a tenth of it are
  /// left out.
  [[nodiscard]] std::vector<std::string> rests_on(const FittedUnknown& unknown) const;
  /// A sentence on each unknown that is not identified, with what would tell it from another, and on each
  /// found beyond its published range.
  [[nodiscard]] std::vector<std::string> notes() const;
};

/// Every run is one that `sim explain` makes, with the unknowns in the scenario; see `fit_unknowns` for how
/// they are found. An unknown of all arms must be stated alike by all measured arms.
///
/// @param settings  `KEY=VALUE` of each `--set` on the scenario
/// @returns the fit, or an Error: of the scenario; of a figure that no scenario can have, because its
/// computing
///          alone takes longer; of figures that contradict each other
/// Leaves out: links inside nodes and of single workers, latencies, and the times of layers, which stay as
///             stated; jitter and stragglers.
netmodels::Result<StepFit> fit_step(const scenario::StepFigures& figures,
                                    std::span<const std::string> settings,
                                    const std::filesystem::path& data_dir);

}  // namespace sim::fit
