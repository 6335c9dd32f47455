// The report on a sweep.
#pragma once

#include <filesystem>

#include "netmodels/result.hpp"
#include "sim/report/page.hpp"
#include "sim/sweep/sweep_store.hpp"

namespace sim::sweep {

/// Question, axes, the best point of each arm, every figure against every other one, fronts of two
/// objectives, points that failed. Of more rows than a page should hold, those are drawn that are on the
/// front of any two objectives or at an end of a column, and an even sample of the others; the page says so.
/// @param file  of the store, for the title and for messages
/// @returns an Error at the file where it is damaged
netmodels::Result<report::Page> sweep_page(const SweepStore& store, const std::filesystem::path& file);

}  // namespace sim::sweep
