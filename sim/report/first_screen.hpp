// The answer of a study on one screen.
#pragma once

#include <string>

#include "sim/report/study_document.hpp"

namespace sim::report {

/// The question; the whole run of each arm in up to six columns in which the arms differ, in the order of the
/// answer, and of more than six arms the first six with the leading one; the verdict; how it changes with
/// bandwidth and goodput; every warning; and what the numbers rest on. About 15 lines for six arms.
std::string first_screen(const JudgedStudy& study, const Screen& screen);

}  // namespace sim::report
