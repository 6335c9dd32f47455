// What a live learner trains on what, and how, as a scenario states it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "learning/datasets/catalogue.hpp"
#include "learning/datasets/injection.hpp"
#include "learning/datasets/shards.hpp"
#include "learning/learners/recording.hpp"
#include "learning/models/learning_rate.hpp"
#include "learning/models/optimizer.hpp"
#include "netmodels/quantity.hpp"

namespace learning::learners {

/// Whose model is tested.
enum class EvaluatedModel : std::uint8_t {
  worker,   ///< that of the first worker that took the last step
  average,  ///< the mean of the models of all who took it
};

constexpr auto names_of(EvaluatedModel) {
  return std::to_array<settings::Named<EvaluatedModel>>(
      {{"worker", EvaluatedModel::worker}, {"average", EvaluatedModel::average}});
}

/// The keys of `kind: live`.
struct LiveSettings {
  std::string model = "mlp_128";  ///< a row of the models, or `mlp_A_B_...`
  datasets::DatasetChoice dataset = {};
  models::OptimizerSettings optimizer = {};
  models::RateSchedule rate = {};
  datasets::DealingChoice shards = {};
  std::optional<datasets::Injection::Settings> injection = {};
  std::optional<Recording> record = {};           ///< bulk-synchronous training with batches of one size only
  std::optional<std::int64_t> test_samples = {};  ///< at least 1: so many are tested, evenly spread over the
                                                  ///< test set; nothing: all
  EvaluatedModel evaluate = EvaluatedModel::worker;

  /// Samples of an epoch, where they are known without reading the data set.
  [[nodiscard]] std::optional<std::int64_t> known_samples() const { return dataset->known.samples; }
  [[nodiscard]] const datasets::Injection::Settings* injected() const {
    return injection ? &*injection : nullptr;
  }
  /// A shared sample on the network, where it is stated or known without reading the data set.
  [[nodiscard]] std::optional<netmodels::Bytes> shared_sample() const {
    return injection && injection->sample_size ? injection->sample_size : dataset->known.sample;
  }
  [[nodiscard]] bool records() const { return record.has_value(); }
  [[nodiscard]] bool tests_average() const { return evaluate == EvaluatedModel::average; }

  bool operator==(const LiveSettings&) const = default;
};

void describe(settings::Fields& fields, LiveSettings& settings);

}  // namespace learning::learners
