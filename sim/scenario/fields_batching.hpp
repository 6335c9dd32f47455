// Every key under `streams`, of batch laws, and of speeds that change.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <type_traits>

#include "settings/fields.hpp"
#include "sim/scenario/batching.hpp"

namespace sim::scenario {

constexpr auto names_of(BeyondMemory) {
  return std::to_array<settings::Named<BeyondMemory>>(
      {{"slow", BeyondMemory::slow}, {"refuse", BeyondMemory::refuse}});
}

constexpr auto names_of(RateDistributionKind) {
  return std::to_array<settings::Named<RateDistributionKind>>(
      {{"uniform", RateDistributionKind::uniform}, {"normal", RateDistributionKind::normal}});
}

constexpr auto names_of(StreamBuffer) {
  return std::to_array<settings::Named<StreamBuffer>>(
      {{"persistence", StreamBuffer::persistence}, {"truncation", StreamBuffer::truncation}});
}

void describe(settings::Fields& fields, BatchLimits& value);

void describe(settings::Fields& fields, SpeedChange& value);

void describe(settings::Fields& fields, RateDistribution& value);

void describe(settings::Fields& fields, StreamRateChange& value);
std::optional<settings::Problem> problem_of(const StreamRateChange& value);

void describe(settings::Fields& fields, Streams& value);

}  // namespace sim::scenario
