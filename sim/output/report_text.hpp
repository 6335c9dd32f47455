// A played study as text for people: tables, verdicts, published figures, origins.
#pragma once

#include <string>

#include "sim/output/expectations.hpp"
#include "sim/output/played_study.hpp"

namespace sim::output {

/// Everything that `sim run --format table` prints for one file.
std::string report_text(const PlayedStudy& study, const ExpectationReport& expectations);

}  // namespace sim::output
