// The keys of a scenario, described part by part.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "netmodels/collective.hpp"
#include "settings/fields.hpp"
#include "sim/language/metric.hpp"
#include "sim/scenario/batching.hpp"
#include "sim/scenario/compression.hpp"
#include "sim/scenario/learner.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {

// Every key under `streams`, of batch limits, and of speeds that change.

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

// Every key under `compression`.

constexpr auto names_of(CostChoice) {
  return std::to_array<settings::Named<CostChoice>>({{"automatic", CostChoice::automatic},
                                                     {"floor", CostChoice::floor},
                                                     {"kernels", CostChoice::kernels},
                                                     {"framework", CostChoice::framework}});
}

constexpr auto names_of(Selection) {
  return std::to_array<settings::Named<Selection>>(
      {{"staleness", Selection::staleness}, {"variance", Selection::variance}});
}

constexpr auto names_of(TileTopK) {
  return std::to_array<settings::Named<TileTopK>>(
      {{"fixed", TileTopK::fixed}, {"proportional", TileTopK::proportional}});
}

void describe(settings::Fields& fields, CompressionTime& value);

void describe(settings::Fields& fields, Compression& value);
std::span<const settings::Condition> conditions_of(std::type_identity<Compression>);

// Every key under `learner`.

constexpr std::string_view choice_key(std::type_identity<Learner>) { return "kind"; }
constexpr std::string_view choice_key(std::type_identity<Target>) { return "accuracy"; }
void describe(settings::Fields& fields, Target& value);
std::optional<settings::Problem> problem_of(const Target& target);

void describe(settings::Fields& fields, Learner& value);

}  // namespace sim::scenario

namespace settings {

// Every key under `cluster`: name, meaning, accepted values.

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
std::span<const settings::Condition> conditions_of(std::type_identity<BackgroundTraffic>);

void describe(settings::Fields& fields, Failure& value);
std::optional<settings::Problem> problem_of(const Failure& value);
void describe(settings::Fields& fields, Absence& value);
std::optional<settings::Problem> problem_of(const Absence& value);
void describe(settings::Fields& fields, Churn& value);

void describe(settings::Fields& fields, WorkerLink& value);

void describe(settings::Fields& fields, Cluster& value);

// Every key under `training`, `compute`, `exchange`, `probe` and `output`.

constexpr auto names_of(JitterKind) {
  return std::to_array<settings::Named<JitterKind>>({{"none", JitterKind::none},
                                                     {"lognormal", JitterKind::lognormal},
                                                     {"exponential", JitterKind::exponential}});
}

constexpr auto names_of(Weights) {
  return std::to_array<settings::Named<Weights>>(
      {{"by_batch", Weights::by_batch},
       {"uniform", Weights::uniform, {.needs = {settings::Capability::weighted_mean}}}});
}

constexpr std::string_view choice_key(std::type_identity<Jitter>) { return "distribution"; }

void describe(settings::Fields& fields, Training& value);

void describe(settings::Fields& fields, Jitter& value);

void describe(settings::Fields& fields, Slowdown& value);
std::optional<settings::Problem> problem_of(const Slowdown& value);

void describe(settings::Fields& fields, Compute& value);

constexpr auto names_of(ThroughKind) {
  return std::to_array<settings::Named<ThroughKind>>(
      {{"server", ThroughKind::server}, {"object_store", ThroughKind::object_store}});
}

void describe(settings::Fields& fields, Through& value);

void describe(settings::Fields& fields, Exchange& value);
std::span<const settings::Condition> conditions_of(std::type_identity<Exchange>);

void describe(settings::Fields& fields, Probe& value);

void describe(settings::Fields& fields, Output& value);

// The top-level keys of one arm, and the rows under `expect`.

constexpr auto names_of(Evaluator) {
  using enum settings::Capability;
  return std::to_array<settings::Named<Evaluator>>(
      {{"auto", Evaluator::automatic},
       {"closed", Evaluator::closed, {.needs = {collectives}}},
       {"path", Evaluator::path, {.needs = {collectives}}},
       {"simgrid", Evaluator::simgrid, {.needs = {collectives}}},
       {"nccl", Evaluator::nccl, {.needs = {collectives, nccl_hardware}}}});
}

void describe(settings::Fields& fields, Scenario& value);
std::span<const settings::Condition> conditions_of(std::type_identity<Scenario>);

constexpr auto names_of(TimelineWorkers) {
  return std::to_array<settings::Named<TimelineWorkers>>(
      {{"brief", TimelineWorkers::brief}, {"full", TimelineWorkers::full}});
}
constexpr auto names_of(DrawnInputs) {
  return std::to_array<settings::Named<DrawnInputs>>(
      {{"all", DrawnInputs::all}, {"stated", DrawnInputs::stated}});
}

void describe(settings::Fields& fields, Uncertainty& value);

void describe(settings::Fields& fields, Expectation& value);

void describe(settings::Fields& fields, MeanErrorBound& value);

void describe(settings::Fields& fields, BestAlongAxis& value);

}  // namespace sim::scenario
