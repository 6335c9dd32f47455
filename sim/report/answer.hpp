// The answer to a study's question, in one sentence.
#pragma once

#include <string>

#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// The sentence that a reader in a hurry needs. It is who reaches the target accuracy first, where arms have
/// one; else who wins over the whole run (or, without such a comparison, the first verdict); else, of an arm
/// alone, its time and the part of its steps that takes most.
std::string answer(const SimulatedStudy& study);

}  // namespace sim::report
