// Every key under `cluster`: what it is called, what it means, what it accepts.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <type_traits>

#include "netmodels/collective.hpp"
#include "settings/fields.hpp"
#include "sim/scenario/fields_batching.hpp"
#include "sim/scenario/scenario.hpp"

namespace settings {

/// Keys `latency` and `bandwidth` of a link.
void describe(Fields& fields, netmodels::LinkState& link);

}  // namespace settings

namespace sim::scenario {

inline constexpr double most_workers = netmodels::most_ranks;

constexpr auto names_of(OnFailure) {
  return std::to_array<settings::Named<OnFailure>>(
      {{"continue", OnFailure::go_on}, {"stop", OnFailure::stop}});
}

constexpr auto names_of(NetworkPreset) {
  return std::to_array<settings::Named<NetworkPreset>>({{"exact", NetworkPreset::exact},
                                                        {"tcp-wan", NetworkPreset::tcp_wan},
                                                        {"tcp-lv08", NetworkPreset::tcp_lv08}});
}

void describe(settings::Fields& fields, LinkChange& value);
std::optional<settings::Problem> problem_of(const LinkChange& value);

void describe(settings::Fields& fields, LinkTrace& value);

void describe(settings::Fields& fields, BackgroundTraffic& value);

void describe(settings::Fields& fields, Failure& value);
std::optional<settings::Problem> problem_of(const Failure& value);

void describe(settings::Fields& fields, WorkerLink& value);

void describe(settings::Fields& fields, Cluster& value);

}  // namespace sim::scenario
