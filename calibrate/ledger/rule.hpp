// The one table of rules: how the parameters of a prediction came about.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "calibrate/ledger/prediction.hpp"
#include "netmodels/result.hpp"

namespace calibrate::ledger {

/// One row of the table.
struct Rule {
  std::string_view name;
  std::string_view seen;       ///< what the parameters were fitted to, one clause
  std::string_view predicted;  ///< what is predicted from them, one clause
  bool needs_seen = false;     ///< whether the entry names files under `seen`
  /// @returns at least one prediction, or an Error with its place
  netmodels::Result<std::vector<Prediction>> (*predict)(const Evidence&);
  bool from_results = false;  ///< whether the measured files are results that the simulator wrote
};

/// Every rule, in a stable order.
std::span<const Rule> rules();

/// @returns the row, or an Error with an empty `where` that names the nearest known one
netmodels::Result<const Rule*> find_rule(std::string_view name);

}  // namespace calibrate::ledger
