// The unknowns of a step: the key that states each, what is known of it before, and how a scenario takes it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "netmodels/quantity.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/step_figures.hpp"

namespace sim::fit {

/// What is known of an unknown before anything is measured.
struct Prior {
  double expected = 1;  ///< base units, above 0
  double factor = 10;   ///< expected / factor to expected x factor hold 95 % of it; above 1
  std::string source;   ///< of the range; empty: none was published, and the factor is 10
  double low = 0;       ///< lower end of the published range, whose middle need not be `expected`
  double high = 0;      ///< upper end of the published range
  double most = std::numeric_limits<double>::infinity();  ///< no scenario can state more
};

/// Ways to measure that tell one unknown, whatever the others are.
enum class TellingFigure : std::uint8_t { none, allreduce, alone, uncompressed };

/// One row of the table of unknowns. Rows of one kind are for different clusters.
struct UnknownRow {
  scenario::StepUnknown kind;
  std::string_view key;   ///< key of the scenario
  std::string_view unit;  ///< of values in CSV and JSON: B/s, s, or 1 for a share
  bool per_arm;           ///< each arm has its own
  bool (*applies)(const scenario::Scenario&);
  /// What the scenario states, in base units; nothing where it leaves the key to other knowledge.
  std::optional<double> (*stated)(const scenario::Scenario&);
  /// @param fastest  the smallest measured time
  Prior (*prior)(const scenario::Scenario&, netmodels::Seconds fastest);
  void (*put)(scenario::Scenario&, double value);
  std::string (*print)(double value);  ///< with its unit, as a scenario may state it
  TellingFigure told_by = TellingFigure::none;
  std::string_view title = {};  ///< for people; empty: the name

  [[nodiscard]] std::string_view name() const { return settings::name_of(kind); }
};

/// Every unknown, in the order of `scenario::StepUnknown`.
std::span<const UnknownRow> unknown_rows();

}  // namespace sim::fit
