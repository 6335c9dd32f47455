// How long compressing and restoring a gradient takes: as stated, as measured nearby, or the device's floor.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "netmodels/quantity.hpp"
#include "policies/compression_policy.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// The time to compress `values` of the gradient's values, all treated equally, from the first of:
///
///   `compression.time`, which is of the whole gradient, for any method;  or else
///   `compression.times` of this method, linear between its ratios over their logarithm, the nearest beyond;
///   or else the measurement of this method (`compression.kernel_times`), one call for these values;
///   or else the floor of the workload's device;  or else 0. An uncompressed gradient takes no time unless
///   one is stated.
netmodels::Seconds compression_time(const scenario::Scenario& scenario,
                                    const policies::CompressionChoice& choice, std::int64_t values);

/// Of restoring the messages that an all-gather brings of the same values from the other workers, besides the
/// one message that `compression_time` holds: as measured of this method (`compression.kernel_times`),
/// (workers - 1) times. 0 where a time is stated (it is taken as complete), where restoring was not measured,
/// and where the network or a server adds up what is sent.
/// @param workers  that take part, at least 1
netmodels::Seconds restoring_time(const scenario::Scenario& scenario,
                                  const policies::CompressionChoice& choice, std::int64_t values,
                                  std::uint32_t workers);

/// Whether `compression_time` of this method is known, and not just 0.
bool compression_time_known(const scenario::Scenario& scenario, std::string_view method);

/// Of the whole gradient, compressed in several ways one after another, each from what the one before kept
/// (multi-level compression): the time of each is taken in proportion to its input.
///
/// Source: that multi-level times are about so: Tyagi & Swany, "GraVAC: Adaptive Compression for
///         Communication-Efficient Distributed DL Training", IEEE CLOUD 2023, Table 3 (top-k 10x, then 1000x:
///         332 ms where both from the whole gradient take 606 ms).
netmodels::Seconds time_of_trials(const scenario::Scenario& scenario,
                                  std::span<const policies::CompressionChoice> trials);

/// Where these times come from, for the notes below a table.
std::string compression_time_origin(const scenario::Scenario& scenario);
/// The same for another method or ratio than the stated one.
std::string compression_time_origin(const scenario::Scenario& scenario,
                                    const policies::CompressionChoice& choice);

}  // namespace sim::engine
