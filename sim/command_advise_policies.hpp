// `sim advise` on policies: which of them a training should take on its cluster.
#pragma once

#include <cstddef>

#include "sim/command_advise.hpp"

namespace sim {

/// Answers, on stdout, what the file asks about policies.
/// @param jobs  processes at a time
/// @returns the exit code
int advise_policies_of_file(const AdviseRequest& request, const ScenarioOptions& options, std::size_t jobs,
                            Progress& progress);

}  // namespace sim
