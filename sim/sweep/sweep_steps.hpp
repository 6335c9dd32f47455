// The steps of a point in a sweep's file, where they are asked for.
#pragma once

#include <cstddef>
#include <string>

#include "sim/sweep/database.hpp"

namespace sim::sweep {

/// Adds lines as `sim run --out` writes them to steps.csv, header first, to the table `step`: the column
/// `point`, then those of the file; numbers are numbers, empty cells NULL. Makes the table where it is not
/// there.
void write_steps(const Database& database, std::size_t point, const std::string& csv);

}  // namespace sim::sweep
