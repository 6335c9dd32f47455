// Which rows of a sweep a page draws.
#pragma once

#include <vector>

#include "sim/sweep/sweep_front.hpp"
#include "sim/sweep/sweep_table.hpp"

namespace sim::sweep {

/// Those objectives that differ from row to row.
std::vector<Objective> objectives_of(const SweepTable& table);

/// All rows, or where they are more than a page should hold: those on the front of any two objectives (of a
/// very long front its ends and every so many), those at an end of a column, and an even sample of the
/// others.
/// @param columns  how many of them are drawn
/// @returns the numbers of the rows, rising
std::vector<std::size_t> sample_rows(const SweepTable& table, std::size_t columns);

}  // namespace sim::sweep
