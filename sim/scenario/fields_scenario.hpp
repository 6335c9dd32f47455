// The top-level keys of one arm, and the rows under `expect`.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

#include "settings/fields.hpp"
#include "sim/scenario/fields_batching.hpp"
#include "sim/scenario/fields_cluster.hpp"
#include "sim/scenario/fields_compression.hpp"
#include "sim/scenario/fields_learner.hpp"
#include "sim/scenario/fields_training.hpp"
#include "sim/scenario/metric.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {

constexpr auto names_of(Evaluator) {
  return std::to_array<settings::Named<Evaluator>>({{"auto", Evaluator::automatic},
                                                    {"closed", Evaluator::closed},
                                                    {"path", Evaluator::path},
                                                    {"simgrid", Evaluator::simgrid}});
}

void describe(settings::Fields& fields, Scenario& value);

void describe(settings::Fields& fields, Expectation& value);

void describe(settings::Fields& fields, MeanErrorBound& value);

void describe(settings::Fields& fields, BestAlongAxis& value);

}  // namespace sim::scenario
