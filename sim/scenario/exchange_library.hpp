// The library that runs the collectives of an arm, and what says so.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "settings/demands.hpp"
#include "sim/language/value.hpp"

namespace sim::scenario {

struct Cluster;
struct Exchange;

/// The value of `exchange.library` by which no library is meant, whatever the transport.
inline constexpr std::string_view no_library = "none";

/// The words of `exchange.library` with what each declares: libraries whose constants are known, RCCL, whose
/// times must be measured, and none.
std::span<const settings::TableWord> library_words();

/// What runs collectives that are not named:
///   `exchange.library`;  or else
///   that of the transport of `cluster.fabric`, or of `cluster.inner_fabric` where that has none;  or else
///   `nccl` where `cluster.nccl` describes the hardware.
/// @returns a view into one of the two, or of a literal; empty: no library
std::string_view library_of(const Exchange& exchange, const Cluster& cluster);

/// "nccl, to which the transport `nccl_tcp` belongs": the library and its origin; for none, that `auto`
/// chooses among all algorithms.
std::string describe_library(const Exchange& exchange, const Cluster& cluster);

/// A warning where the transports inside and between nodes belong to different libraries.
std::vector<std::string> library_warnings(const Exchange& exchange, const Cluster& cluster,
                                          const language::Value& tree);

}  // namespace sim::scenario
