// The columns of a record: how a name becomes a curve, and in which order they are written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "learning/learners/record_file.hpp"
#include "netmodels/result.hpp"

namespace learning::learners {

/// One column of a table and the curve it fills.
struct RecordColumn {
  std::string name;
  double most = 0;         ///< largest value that a cell may have
  Curve* curve = nullptr;  ///< within the record; nothing for `step`
};

/// Makes room in the record for what a header names.
/// @param record  without gains and squared norms; must not be copied or moved while the columns are in use
/// @returns the columns in the order of the header, or an Error with its place
netmodels::Result<std::vector<RecordColumn>> read_columns(const RecordLines& header, Record& record);

/// The columns that have knots, `step` first.
std::vector<RecordColumn> columns_of(Record& record);

}  // namespace learning::learners
