// The report on a sweep, and which of its rows it draws.
#pragma once

#include <filesystem>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/report/page.hpp"
#include "sim/sweep/sweep_store.hpp"
#include "sim/sweep/sweep_table.hpp"

namespace sim::sweep {

// Which rows of a sweep a page draws.

/// All rows, or where they are more than a page should hold: those on the front of any two objectives (of a
/// very long front its ends and every n-th), those at an end of a column, and an even sample of the
/// others.
/// @param columns  how many of them are drawn
/// @returns the numbers of the rows, rising
std::vector<std::size_t> sample_rows(const SweepTable& table, std::size_t columns);

// The report on a sweep.

/// Question, axes, the best point of each arm, every figure against every other one, fronts of two
/// objectives, points that failed. Points of unequal work are compared per sample. Of more rows than a page
/// should hold, those are drawn that are on the front of any two objectives or at an end of a column, and an
/// even sample of the others, as stated there.
/// @param file  of the store, for the title and for messages
/// @returns an Error at the file where it is damaged
netmodels::Result<report::Page> sweep_page(const SweepStore& store, const std::filesystem::path& file);

}  // namespace sim::sweep
