// Sources of the times of compressing, for the notes below a table.
#pragma once

#include <string>
#include <string_view>

#include "netmodels/kernel_cost.hpp"
#include "policies/compression_policy.hpp"
#include "sim/engine/compression_cost.hpp"
#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// Origin where nothing is compressed.
inline constexpr std::string_view no_compression = "none";

/// "published for PyTorch", "measured in PyTorch".
std::string describe_stack(const netmodels::KernelCosts& costs);

/// Source of the time of one way to compress: "as stated", "a floor: memory traffic on V100".
/// @param asynchronous  whether a server answers each worker by itself, so that none restores the messages
///                      of others
std::string compression_origin(const engine::CompressionCosts& costs,
                               const policies::CompressionChoice& choice, bool asynchronous);

/// Source of the times of an arm: of what sharded steps quantise, or of the stated method.
std::string compression_time_origin(const engine::CompressionCosts& costs,
                                    const scenario::Parallelism& parallelism,
                                    const policies::SynchronisationChoice& synchronisation);
std::string compression_time_origin(const SimulatedArm& arm);

}  // namespace sim::report
