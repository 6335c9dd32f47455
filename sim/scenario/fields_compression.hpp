// Every key under `compression`.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

#include "settings/fields.hpp"
#include "sim/scenario/compression.hpp"

namespace sim::scenario {

constexpr auto names_of(Selection) {
  return std::to_array<settings::Named<Selection>>(
      {{"staleness", Selection::staleness}, {"variance", Selection::variance}});
}

constexpr auto names_of(CompressionPolicyName) {
  return std::to_array<settings::Named<CompressionPolicyName>>({
      {"fixed", CompressionPolicyName::fixed},
      {"gravac", CompressionPolicyName::gravac},
      {"accordion", CompressionPolicyName::accordion},
      {"accordion_per_step", CompressionPolicyName::accordion_per_step},
      {"scadles", CompressionPolicyName::scadles},
      {"flexible", CompressionPolicyName::flexible},
  });
}

constexpr auto names_of(GravacScaling) {
  return std::to_array<settings::Named<GravacScaling>>(
      {{"exponential", GravacScaling::exponential}, {"geometric", GravacScaling::geometric}});
}

constexpr auto names_of(WarmUpShape) {
  return std::to_array<settings::Named<WarmUpShape>>(
      {{"linear", WarmUpShape::linear}, {"exponential", WarmUpShape::exponential}});
}

constexpr auto names_of(GainTrigger) {
  return std::to_array<settings::Named<GainTrigger>>(
      {{"step", GainTrigger::step}, {"drift", GainTrigger::drift}});
}

constexpr auto names_of(RatioRule) {
  return std::to_array<settings::Named<RatioRule>>(
      {{"knee", RatioRule::knee}, {"fastest", RatioRule::fastest}});
}

constexpr auto names_of(FrontSolver) {
  return std::to_array<settings::Named<FrontSolver>>(
      {{"exact", FrontSolver::exact}, {"nsga2", FrontSolver::nsga2}});
}

void describe(settings::Fields& fields, CompressionTime& value);

void describe(settings::Fields& fields, Gravac& value);

void describe(settings::Fields& fields, Accordion& value);

void describe(settings::Fields& fields, AccordionPerStep& value);

void describe(settings::Fields& fields, Scadles& value);

void describe(settings::Fields& fields, CompressionWarmUp& value);

void describe(settings::Fields& fields, Flexible& value);

void describe(settings::Fields& fields, Compression& value);

}  // namespace sim::scenario
