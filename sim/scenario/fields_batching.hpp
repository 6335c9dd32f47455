// Every key under `batching` and `streams`, of batch laws, and of speeds that change.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <type_traits>

#include "settings/fields.hpp"
#include "sim/scenario/batching.hpp"

namespace sim::scenario {

inline constexpr double most_samples = 1e9;  // of one worker's batch

constexpr auto names_of(BatchingPolicyName) {
  return std::to_array<settings::Named<BatchingPolicyName>>({
      {"uniform", BatchingPolicyName::uniform},
      {"proportional", BatchingPolicyName::proportional},
      {"dynamic", BatchingPolicyName::dynamic},
      {"dbs", BatchingPolicyName::dbs},
      {"lb_bsp", BatchingPolicyName::lb_bsp},
      {"stream_rate", BatchingPolicyName::stream_rate},
  });
}

constexpr auto names_of(DeadBandRule) {
  return std::to_array<settings::Named<DeadBandRule>>(
      {{"any_worker", DeadBandRule::any_worker}, {"each_worker", DeadBandRule::each_worker}});
}

constexpr auto names_of(BeyondMemory) {
  return std::to_array<settings::Named<BeyondMemory>>(
      {{"slow", BeyondMemory::slow}, {"refuse", BeyondMemory::refuse}});
}

constexpr auto names_of(RateLaw) {
  return std::to_array<settings::Named<RateLaw>>(
      {{"uniform", RateLaw::uniform}, {"normal", RateLaw::normal}});
}

constexpr auto names_of(StreamBuffer) {
  return std::to_array<settings::Named<StreamBuffer>>(
      {{"persistence", StreamBuffer::persistence}, {"truncation", StreamBuffer::truncation}});
}

constexpr std::string_view choice_key(std::type_identity<Batching>) { return "policy"; }

void describe(settings::Fields& fields, Batching& value);

void describe(settings::Fields& fields, BatchLaw& value);

void describe(settings::Fields& fields, SpeedChange& value);

void describe(settings::Fields& fields, RateDistribution& value);

void describe(settings::Fields& fields, StreamRateChange& value);
std::optional<settings::Problem> problem_of(const StreamRateChange& value);

void describe(settings::Fields& fields, Streams& value);

}  // namespace sim::scenario
