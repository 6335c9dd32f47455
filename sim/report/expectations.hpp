// Our figures compared with published or measured ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command_line/table.hpp"
#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// One published figure and ours.
struct ExpectedFigure {
  const scenario::Expectation* expected;
  std::optional<double> ours;  ///< base units; nothing where the run has no such figure
  std::string missing{};       ///< why not
  bool with_others = false;    ///< a bound on a mean error, or on the number of best arms, counts it
  /// (ours - theirs) / theirs, which is above 0; nothing where either has no such figure.
  [[nodiscard]] std::optional<double> relative_error() const;
  [[nodiscard]] bool is(scenario::FigureRole role) const { return expected->role == role; }
  /// Whether it is a prediction that is not judged.
  [[nodiscard]] bool unjudged_prediction() const {
    return is(scenario::FigureRole::predicted) && !judged() && !with_others;
  }
  [[nodiscard]] bool judged() const { return expected->judged && has_bound(); }
  [[nodiscard]] bool has_bound() const { return expected->within || expected->at_least || expected->at_most; }
  /// Whether its bounds are kept; nothing where it is not judged.
  [[nodiscard]] std::optional<bool> met() const {
    return judged() ? std::optional(within_bounds()) : std::nullopt;
  }
  [[nodiscard]] bool within_bounds() const;
};

/// Mean of |relative error| over several figures.
struct MeanError {
  const scenario::MeanErrorBound* bound;
  double mean = 0;
  int figures = 0;
  [[nodiscard]] bool met() const { return figures > 0 && mean <= bound->within; }
};

/// In how many combinations of the other axes the best arm is the published one.
struct BestAgreement {
  const scenario::BestAlongAxis* bound;
  int right = 0;
  int combinations = 0;
  std::vector<std::string> wrong{};  ///< "resnet50/0.01/1 Gbps: ours ring, theirs ag"
  [[nodiscard]] bool met() const { return right >= bound->at_least; }
};

/// Everything under `expect`, judged.
struct ExpectationReport {
  std::vector<ExpectedFigure> figures;
  std::vector<MeanError> mean_errors;
  std::vector<BestAgreement> best;
  std::size_t seeds = 1;  ///< figures are means over so many
  [[nodiscard]] bool empty() const { return figures.empty() && mean_errors.empty() && best.empty(); }
  /// Whether all that is judged is met, the condition of --strict; nothing where nothing is judged.
  [[nodiscard]] std::optional<bool> met() const;
};

/// With several seeds, a figure is the mean over them; one that is not of the whole run, or that some seed
/// does not have, is missing.
ExpectationReport judge(const SimulatedStudy& study);

/// The figure that a metric means, in base units.
/// @param whole  the phase is the whole run, so that time outside the steps counts
/// @param of     the whole of a share, for metrics that are shares
/// @returns nothing for an unknown metric, and for bytes where a closed form, which has no messages, is used
/// for the exchange
std::optional<double> figure_of(const std::string& metric, const SimulatedArm& arm,
                                const engine::PhaseResult& phase, bool whole, const std::string& of = "");

/// The figures side by side: arm, phase (only where some figure is of one), metric, theirs, ours, error,
/// bound and judgement.
command_line::Table expectations_table(const ExpectationReport& report);

/// The lines below that table: sources, the number of figures within their bound, means and best arms.
std::vector<std::string> expectations_notes(const ExpectationReport& report);

/// For people: a table of figures, then the counts, then whether all is as expected.
std::string expectations_text(const ExpectationReport& report);

/// Each bound that is not kept, with its place in the file; empty when all are.
std::vector<std::string> missed(const ExpectationReport& report);

}  // namespace sim::report
