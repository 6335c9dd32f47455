// Every key under `learner`.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

#include "settings/fields.hpp"
#include "sim/scenario/learner.hpp"

namespace sim::scenario {

constexpr auto names_of(DatasetKind) {
  return std::to_array<settings::Named<DatasetKind>>({
      {"optdigits", DatasetKind::optdigits},
      {"mnist", DatasetKind::mnist},
      {"fashion_mnist", DatasetKind::fashion_mnist},
      {"cifar10", DatasetKind::cifar10},
      {"csv", DatasetKind::csv},
      {"text", DatasetKind::text},
  });
}

constexpr auto names_of(LabelColumn) {
  return std::to_array<settings::Named<LabelColumn>>(
      {{"last", LabelColumn::last}, {"first", LabelColumn::first}});
}

constexpr auto names_of(OptimizerMethod) {
  return std::to_array<settings::Named<OptimizerMethod>>(
      {{"sgd", OptimizerMethod::sgd}, {"adam", OptimizerMethod::adam}});
}

constexpr auto names_of(ShardRule) {
  return std::to_array<settings::Named<ShardRule>>({
      {"contiguous", ShardRule::contiguous},
      {"circular", ShardRule::circular},
      {"label_skew", ShardRule::label_skew},
      {"dirichlet", ShardRule::dirichlet},
  });
}

constexpr auto names_of(EvaluatedModel) {
  return std::to_array<settings::Named<EvaluatedModel>>(
      {{"worker", EvaluatedModel::worker}, {"average", EvaluatedModel::average}});
}

constexpr auto names_of(LearnerKind) {
  return std::to_array<settings::Named<LearnerKind>>({
      {"none", LearnerKind::none},
      {"live", LearnerKind::live},
      {"replay", LearnerKind::replay},
      {"parametric", LearnerKind::parametric},
  });
}

constexpr std::string_view choice_key(std::type_identity<DatasetSource>) { return "name"; }

constexpr std::string_view choice_key(std::type_identity<Optimizer>) { return "method"; }

constexpr std::string_view choice_key(std::type_identity<Sharding>) { return "rule"; }

constexpr std::string_view choice_key(std::type_identity<Learner>) { return "kind"; }

void describe(settings::Fields& fields, DatasetSource& value);

void describe(settings::Fields& fields, Optimizer& value);

void describe(settings::Fields& fields, RateChange& value);

void describe(settings::Fields& fields, RateSchedule& value);

void describe(settings::Fields& fields, Sharding& value);

void describe(settings::Fields& fields, Injection& value);

void describe(settings::Fields& fields, Recording& value);

void describe(settings::Fields& fields, Learner& value);

}  // namespace sim::scenario
