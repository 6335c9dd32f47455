// The page of accuracy: what was predicted from what, how far off it was, and where a goal is missed.
#pragma once

#include <string>
#include <string_view>

#include "calibrate/ledger/verdict.hpp"

namespace calibrate::ledger {

/// Markdown: one table of entries, then each entry with its rule, goal, note and the errors of its tables.
/// @param last  an earlier page, whose figures of skipped entries are kept and marked as "not played here";
/// empty:
///              skipped entries are only listed
std::string print_page(const Outcome& outcome, std::string_view last = {});

/// `skipped: NAME (N files are not there, the first FILE)`, a line each.
std::string print_skipped(const Outcome& outcome);

/// One line: how many entries hold, and the errors of all times together.
std::string print_overall(const Outcome& outcome);

}  // namespace calibrate::ledger
