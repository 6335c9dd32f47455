// Pieces of the pages of accuracy: links, percentages and lines of a bounded length.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "calibrate/ledger/prediction.hpp"

namespace calibrate::ledger {

/// `1.6 %`.
std::string percent_text(double share);

/// The anchor that GitHub gives to a heading: small letters, digits, `-` and `_`; blanks become `-`.
std::string anchor_of(std::string_view heading);

/// A paragraph in lines of at most 120 letters, as far as words allow, a number beside its `%`; ends with a
/// line break.
/// @param indent  before each line but the first, as below `- ` of a list
std::string paragraph(std::string_view text, std::string_view indent = "");

/// Number of figures, mean, median, p90, worst and bias of their errors, as cells of a table.
/// @param predictions  at least one
std::string error_cells(std::span<const Prediction> predictions);

}  // namespace calibrate::ledger
