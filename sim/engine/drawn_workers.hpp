// Who takes part in a round of training, where a policy draws some of the workers.
#pragma once

#include <cstdint>
#include <vector>

namespace sim::engine {

/// ceil(share n) of n members, with equal probability, by the seed and the step that begins the round.
/// @param members  workers, or sites, that may be drawn
/// @param share    in (0, 1]
/// @returns them in ascending order
std::vector<std::uint32_t> drawn_members(std::vector<std::uint32_t> members, double share, std::uint64_t seed,
                                         std::int64_t step);

/// How a policy draws the workers of a round.
struct RoundDraw {
  double share = 1;        ///< of the workers, or sites, in (0, 1]; 1: all take part
  std::uint32_t site = 1;  ///< workers of a site, of which all or none take part
  std::uint64_t seed = 1;
};

/// The workers that take part in a round.
/// @param present  in ascending order
/// @param step     that begins the round
std::vector<std::uint32_t> drawn_workers(const RoundDraw& draw, const std::vector<std::uint32_t>& present,
                                         std::int64_t step);

}  // namespace sim::engine
