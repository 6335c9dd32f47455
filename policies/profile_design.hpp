// Which configurations of a grid are worth a profile: few of them, at its edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "policies/planning_policy.hpp"
#include "settings/key.hpp"

namespace policies {

enum class ProfileDesign : std::uint8_t {
  start,          ///< the smallest cluster with the smallest batch, alone
  three_corners,  ///< smallest cluster with both extreme batches, largest cluster with the largest batch
  corners,        ///< smallest and largest cluster, each with both extreme batches
  ends,           ///< every cluster size with both extreme batches
  all,            ///< every configuration
};

constexpr auto names_of(ProfileDesign) {
  return std::to_array<settings::Named<ProfileDesign>>({{"all", ProfileDesign::all},
                                                        {"ends", ProfileDesign::ends},
                                                        {"corners", ProfileDesign::corners},
                                                        {"three_corners", ProfileDesign::three_corners}});
}

/// Indices into the grid in the order in which they are profiled: clusters only grow, so that machines that
/// run already go on. Extreme batches are those of the same cluster size.
/// @param grid  not empty
std::vector<std::size_t> designed(ProfileDesign design, std::span<const Configuration> grid);

/// The first of `order` that has no profile yet.
std::optional<std::size_t> next_unprofiled(std::span<const std::size_t> order,
                                           std::span<const Profile> profiled);

}  // namespace policies
