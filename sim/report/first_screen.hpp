// The answer of a study on one screen.
#pragma once

#include <string>

#include "sim/report/study_document.hpp"

namespace sim::report {

/// Up to 15 lines for six arms: the question; the whole run of each arm (of more than six, the first six),
/// the best first, in up to six columns in which the arms differ; the verdict; how it changes with bandwidth
/// and goodput; every warning; and what the numbers rest on.
std::string first_screen(const JudgedStudy& study, const Screen& screen);

}  // namespace sim::report
