// Who takes part in a round of training, where a policy draws some of the workers.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// ceil(share n) of n members, with equal probability, by the seed and the step that begins the round.
/// @param members  workers, or sites, that may be drawn
/// @param share    in (0, 1]
/// @returns them in ascending order
std::vector<std::uint32_t> drawn_members(std::vector<std::uint32_t> members, double share, std::uint64_t seed,
                                         std::int64_t step);

/// The workers that take part in a round: all where the policy draws none; of a site all or none.
/// @param present  in ascending order
std::vector<std::uint32_t> drawn_workers(const scenario::Scenario& scenario,
                                         const std::vector<std::uint32_t>& present, std::int64_t step);

}  // namespace sim::engine
