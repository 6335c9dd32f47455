// The rows of the learners, and how each is made.
#include <array>
#include <filesystem>
#include <system_error>

#include "learning/datasets/dataset.hpp"
#include "learning/datasets/dataset_cache.hpp"
#include "learning/learners/convergence_model.hpp"
#include "learning/learners/learner_row.hpp"
#include "learning/learners/live_learner.hpp"
#include "learning/learners/parametric_learner.hpp"
#include "learning/learners/record_file.hpp"
#include "learning/learners/replay_learner.hpp"
#include "learning/models/catalogue.hpp"
#include "settings/type.hpp"

namespace learning::learners {
namespace {

namespace fs = std::filesystem;
using datasets::DatasetCache;
using netmodels::Error;
using netmodels::Result;
using LearnerPtr = std::unique_ptr<Learner>;

/// An error about a key; a file that it names becomes part of the message.
tl::unexpected<Error> about(std::string key, Error error) {
  if (!error.where.empty()) error.what = error.where + ": " + error.what;
  error.where = std::move(key);
  return tl::unexpected<Error>(std::move(error));
}

/// A shipped file goes by its name.
fs::path learner_file(const std::string& name, const DatasetCache& datasets) {
  std::error_code failed;
  const fs::path shipped = fs::path(datasets.data_folder()) / "learners" / (name + ".csv");
  return name.find('/') == std::string::npos && fs::exists(shipped, failed) ? shipped : fs::path(name);
}

Result<LearnerPtr> make_from(const settings::None&, const LearnerJob&, DatasetCache&) { return nullptr; }

Result<LearnerPtr> make_from(const LiveSettings& stated, const LearnerJob& job, DatasetCache& datasets) {
  auto dataset = datasets.get(stated.dataset);
  if (!dataset) return about("dataset", dataset.error());
  auto model = models::make(stated.model, {(*dataset)->kind, (*dataset)->shape, (*dataset)->classes});
  if (!model) return about("model", model.error());
  auto made = LiveLearner::make({stated, std::move(*dataset), std::move(*model), job});
  if (!made) return about("shards", made.error());
  return std::move(*made);
}

Result<LearnerPtr> make_from(const ReplayLearner::Settings& stated, const LearnerJob&,
                             DatasetCache& datasets) {
  auto record = read_record(learner_file(stated.file, datasets));
  if (!record) return about("file", record.error());
  return std::make_unique<ReplayLearner>(std::make_shared<const Record>(std::move(*record)),
                                         fs::path(stated.file).filename().string());
}

Result<LearnerPtr> make_from(const ParametricLearner::Settings& stated, const LearnerJob&,
                             DatasetCache& datasets) {
  auto law = read_law(learner_file(stated.file, datasets));
  if (!law) return about("file", law.error());
  return std::make_unique<ParametricLearner>(std::make_shared<const ConvergenceModel>(std::move(*law)),
                                             fs::path(stated.file).filename().string());
}

consteval settings::Demands demands_of(const LearnerTraits& traits, bool has_optimizer) {
  using enum settings::Capability;
  settings::Demands demands;
  if (!traits.learns) return demands;
  demands.offers |= {gradients, losses};
  if (traits.trains)
    demands.offers |= {learning_rate, live_models};
  else
    demands.denies |= {trained_effects, rounding_effects};
  if (!traits.any_batch) demands.denies |= {known_batch_effect};
  if (!has_optimizer) demands.denies |= {momentum_optimizer};
  return demands;
}

/// The members of a learner's settings set further facts of its row.
template <class S>
consteval LearnerRow learner_row(const settings::Row& facts, const LearnerTraits& traits) {
  LearnerRow made{facts, traits};
  made.demands = demands_of(
      traits, requires(const S& s) { s.stated_optimizer(); });
  made.settings = &settings::owned<S>;
  made.make = [](const void* settings, const LearnerJob& job, DatasetCache& datasets) {
    return make_from(*static_cast<const S*>(settings), job, datasets);
  };
  if constexpr (requires(const S& s) { s.known_samples(); })
    made.known_samples = [](const void* settings) {
      return static_cast<const S*>(settings)->known_samples();
    };
  if constexpr (requires(const S& s) { s.shared_sample(); })
    made.shared_sample = [](const void* settings) {
      return static_cast<const S*>(settings)->shared_sample();
    };
  if constexpr (requires(const S& s) { s.injected(); })
    made.injection = [](const void* settings) { return static_cast<const S*>(settings)->injected(); };
  if constexpr (requires(const S& s) { s.records(); })
    made.records = [](const void* settings) { return static_cast<const S*>(settings)->records(); };
  if constexpr (requires(const S& s) { s.rate_schedule(); })
    made.rate = [](const void* settings) { return &static_cast<const S*>(settings)->rate_schedule(); };
  if constexpr (requires(const S& s) { s.stated_optimizer(); })
    made.optimizer = [](const void* settings) {
      return &static_cast<const S*>(settings)->stated_optimizer();
    };
  return made;
}

constexpr std::array learner_table{
    learner_row<settings::None>({"none", "times only, accuracy is not predicted"}, {.learns = false}),
    learner_row<LiveSettings>({"live", "trains a small model for real and compresses its real gradients"},
                              {.trains = true}),
    learner_row<ReplayLearner::Settings>(
        {"replay",
         "replays the recorded statistics of a training; accuracy only where the run does the same"},
        {.any_batch = false}),
    learner_row<ParametricLearner::Settings>(
        {"parametric",
         "a convergence model fitted to measured trainings: steps to a target by batch, "
         "gains, accuracy"},
        {}),
};

}  // namespace

std::span<const LearnerRow> learners() { return learner_table; }

const LearnerRow* find_learner(std::string_view name) { return settings::find_row(learners(), name); }

LearnerChoice live(std::string model) {
  LiveSettings settings;
  settings.model = std::move(model);
  return learner("live", std::move(settings));
}

void describe(settings::Fields& fields, LearnerChoice& choice) {
  choice.describe_choice(fields,
                         {.name = "kind", .doc = "Source of gradients and accuracy.", .fallback = "none"},
                         learners(), settings::Layout::beside);
}

}  // namespace learning::learners
