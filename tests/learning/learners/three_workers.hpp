// Replicas of a tiny model at three workers, and the parameters of each.
#pragma once

#include <cstdint>
#include <vector>

#include "learning/learners/replicas.hpp"
#include "learning/models/catalogue.hpp"

namespace learning::learners::testing {

/// Three workers with softmax regression from 2 features to 2 classes: 6 parameters.
inline Replicas three_workers(double momentum = 0) {
  const auto model = models::make("softmax", {datasets::SampleKind::vector, {1, 1, 2}, 2}).value();
  return {3, *model, models::Optimizer(models::optimizer("sgd", models::Sgd{.momentum = momentum})), 5};
}

inline std::vector<float> values(const Replicas& replicas, std::uint32_t worker) {
  const auto parameters = replicas.parameters(worker);
  return {parameters.begin(), parameters.end()};
}

}  // namespace learning::learners::testing
