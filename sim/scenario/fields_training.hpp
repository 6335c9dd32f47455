// Every key under `training`, `compute`, `exchange`, `probe` and `output`.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <type_traits>

#include "settings/fields.hpp"
#include "sim/scenario/fields_batching.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {

constexpr auto names_of(JitterKind) {
  return std::to_array<settings::Named<JitterKind>>({{"none", JitterKind::none},
                                                     {"lognormal", JitterKind::lognormal},
                                                     {"exponential", JitterKind::exponential}});
}

constexpr auto names_of(Weights) {
  return std::to_array<settings::Named<Weights>>(
      {{"by_batch", Weights::by_batch}, {"uniform", Weights::uniform}});
}

constexpr std::string_view choice_key(std::type_identity<Jitter>) { return "distribution"; }

void describe(settings::Fields& fields, Training& value);

void describe(settings::Fields& fields, Jitter& value);

void describe(settings::Fields& fields, Slowdown& value);
std::optional<settings::Problem> problem_of(const Slowdown& value);

void describe(settings::Fields& fields, Compute& value);

void describe(settings::Fields& fields, Exchange& value);

void describe(settings::Fields& fields, Probe& value);

void describe(settings::Fields& fields, Output& value);

}  // namespace sim::scenario
