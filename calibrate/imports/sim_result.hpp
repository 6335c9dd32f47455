// Published figures and the simulator's, from the JSON output of `sim run` and `sim advise`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"

namespace calibrate::imports {

/// One figure.
struct SimFigure {
  std::string scenario;  ///< name of its file, without folder
  std::string what;      ///< arm and metric, with the phase and the arm that it is relative to
  double theirs = 0;     ///< as published, in base units; not 0
  double ours = 0;
  bool is_input = false;   ///< the scenario started from this very figure, or a value of it was fitted to it
  std::string arm = {};    ///< arm's name, with which `what` begins
  bool is_fitted = false;  ///< whether a value was fitted to this input
  bool is_judged = true;   ///< a bound of the scenario counts it
};

/// The figures of `expectations` that have a published value (bounds on one side have none), and the times of
/// all configurations of an advice: those that were profiled are inputs. A figure with the
/// role `input` or `fitted`, or whose source ends in `(an input)`, is one, too.
/// @param source  named in errors
/// @returns perhaps no figure, or an Error for any other text
netmodels::Result<std::vector<SimFigure>> read_sim_result(std::string_view text, const std::string& source);

}  // namespace calibrate::imports
