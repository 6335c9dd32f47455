// The catalogue row of a learner, and the choice of one with its settings.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "learning/datasets/injection.hpp"
#include "learning/learners/learner.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "netmodels/shard_sending.hpp"
#include "settings/choice.hpp"

namespace learning::datasets {
class DatasetCache;
}

namespace learning::models {
struct OptimizerSettings;
struct RateSchedule;
}  // namespace learning::models

namespace learning::learners {

/// The training that a learner takes part in.
struct LearnerJob {
  Compression compression;  ///< compression of what the workers exchange as stated, for the record's facts
  std::uint32_t workers = 1;
  int batch = 1;  ///< samples per worker, for the record's facts
  std::uint64_t seed = 1;
  int accumulation = 1;     ///< micro-batches whose gradients are added up to that of a batch, at least 1
  std::size_t threads = 1;  ///< threads that may compute workers' gradients at the same time, at least 1;
                            ///< results are the same bits for any number
  netmodels::ShardSending sending = {};  ///< sending of sharded steps
  std::uint32_t node = 1;                ///< workers of a node, which sums first in sharded steps
};

/// Properties of a learner that other code tests instead of its name.
struct LearnerTraits {
  bool learns = true;     ///< knows gradients and losses or accuracies; false: times only
  bool trains = false;    ///< computes real gradients, which show the effect of any policy on accuracy
  bool any_batch = true;  ///< knows the effect on accuracy of batches other than the recorded ones
};

/// One row. A function that is null means that the learner does not have it.
struct LearnerRow : settings::Row {
  LearnerTraits traits;
  std::optional<std::int64_t> (*known_samples)(const void* settings) = nullptr;
  std::optional<netmodels::Bytes> (*shared_sample)(const void* settings) = nullptr;
  const datasets::Injection::Settings* (*injection)(const void* settings) = nullptr;
  bool (*records)(const void* settings) = nullptr;
  const models::RateSchedule* (*rate)(const void* settings) = nullptr;
  const models::OptimizerSettings* (*optimizer)(const void* settings) = nullptr;
  netmodels::Result<std::unique_ptr<Learner>> (*make)(const void* settings, const LearnerJob& job,
                                                      datasets::DatasetCache& datasets) = nullptr;
};

/// Every learner, in a stable order; the first, which is the default, learns nothing.
std::span<const LearnerRow> learners();
inline const LearnerRow& default_row(std::type_identity<LearnerRow>) { return learners().front(); }

/// A learner with its settings: most of the map under `learner`.
using LearnerChoice = settings::RowChoice<LearnerRow>;

void describe(settings::Fields& fields, LearnerChoice& choice);

/// @returns the row, or nullptr when there is no such name
const LearnerRow* find_learner(std::string_view name);

/// A choice by name, for code and tests that state one: `learner("replay", ReplayLearner::Settings{file})`.
/// @param name  of a row whose settings are of type `S`
template <class S>
LearnerChoice learner(std::string_view name, S settings) {
  return {*find_learner(name), std::move(settings)};
}

/// A live learner of this model with the defaults of everything else.
LearnerChoice live(std::string model = "mlp_128");

/// Samples of an epoch, where they are known without reading a file.
inline std::optional<std::int64_t> known_samples(const LearnerChoice& choice) {
  return choice->known_samples == nullptr ? std::nullopt : choice->known_samples(choice.settings());
}
/// Bytes of a sample that workers share by injection, where they are stated or known without reading a file.
inline std::optional<netmodels::Bytes> shared_sample(const LearnerChoice& choice) {
  return choice->shared_sample == nullptr ? std::nullopt : choice->shared_sample(choice.settings());
}
/// How workers share samples; null where they do not.
inline const datasets::Injection::Settings* injection_of(const LearnerChoice& choice) {
  return choice->injection == nullptr ? nullptr : choice->injection(choice.settings());
}
/// Whether statistics are kept for a replay.
inline bool records(const LearnerChoice& choice) {
  return choice->records != nullptr && choice->records(choice.settings());
}
/// How the learning rate changes; null where there is none.
inline const models::RateSchedule* rate_schedule_of(const LearnerChoice& choice) {
  return choice->rate == nullptr ? nullptr : choice->rate(choice.settings());
}

/// Optimizer that takes steps; null where nothing does.
inline const models::OptimizerSettings* optimizer_of(const LearnerChoice& choice) {
  return choice->optimizer == nullptr ? nullptr : choice->optimizer(choice.settings());
}

/// @param datasets  keeps the data sets that learners name, and the paths of shipped records and models
/// @returns a learner in its first state, null for one that learns nothing, or an Error whose `where` is the
///          key that it is about: a data set or record that cannot be read, a model that cannot take such
///          samples, samples that cannot be partitioned
inline netmodels::Result<std::unique_ptr<Learner>> make_learner(const LearnerChoice& choice,
                                                                const LearnerJob& job,
                                                                datasets::DatasetCache& datasets) {
  return choice->make(choice.settings(), job, datasets);
}

}  // namespace learning::learners
