// From a scenario's words to data set, model, optimizer and learner.
#include "sim/engine/learners.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "learning/datasets/catalogue.hpp"
#include "learning/learners/live_learner.hpp"
#include "learning/learners/parametric_law_file.hpp"
#include "learning/learners/parametric_learner.hpp"
#include "learning/learners/replay_learner.hpp"
#include "learning/models/catalogue.hpp"
#include "sim/scenario/fields_learner.hpp"

namespace sim::engine {
namespace {

namespace fs = std::filesystem;
using netmodels::Error;
using netmodels::Result;
using Made = Result<std::unique_ptr<learning::learners::Learner>>;

/// Errors name the key that they are about, so that its place in the scenario can be found.
tl::unexpected<Error> about(std::string key, Error error) {
  if (!error.where.empty() && error.where != key) error.what = error.where + ": " + error.what;
  error.where = std::move(key);
  return tl::unexpected<Error>(std::move(error));
}

learning::datasets::Source source_of(const scenario::Scenario& scenario) {
  const scenario::DatasetSource& stated = scenario.learner.dataset;
  learning::datasets::Source source;
  source.name = settings::name_of(stated.kind);
  source.path = stated.path;
  source.test_path = stated.test_path.value_or("");
  source.test_share = stated.test_share;
  source.label = stated.label == scenario::LabelColumn::last ? learning::datasets::LabelColumn::last
                                                             : learning::datasets::LabelColumn::first;
  source.window = stated.window;
  return source;
}

learning::models::OptimizerSettings optimizer_of(const scenario::Optimizer& stated) {
  if (stated.method == scenario::OptimizerMethod::adam)
    return learning::models::Adam{.weight_decay = stated.weight_decay};
  return learning::models::Sgd{stated.momentum, stated.nesterov, stated.weight_decay};
}

learning::models::LearningRate rate_of(const scenario::Learner& stated) {
  learning::models::LearningRate rate;
  rate.base = stated.optimizer.learning_rate;
  if (stated.rate.reference_batch) rate.of_batch = *stated.rate.reference_batch;
  rate.warm_up_epochs = stated.rate.warmup_epochs;
  for (const scenario::RateChange& change : stated.rate.changes) {
    const bool step = change.at.unit == scenario::Moment::Unit::step;
    rate.changes.push_back(
        {step ? learning::models::RateChange::Unit::step : learning::models::RateChange::Unit::epoch,
         change.at.value, change.factor});
  }
  return rate;
}

learning::datasets::Dealing dealing_of(const scenario::Scenario& scenario) {
  const scenario::Sharding& stated = scenario.learner.shards;
  learning::datasets::Dealing dealing;
  switch (stated.rule) {
    case scenario::ShardRule::contiguous: dealing.rule = learning::datasets::DealingRule::contiguous; break;
    case scenario::ShardRule::circular: dealing.rule = learning::datasets::DealingRule::circular; break;
    case scenario::ShardRule::label_skew: dealing.rule = learning::datasets::DealingRule::label_skew; break;
    case scenario::ShardRule::dirichlet: dealing.rule = learning::datasets::DealingRule::dirichlet; break;
  }
  dealing.workers = static_cast<std::uint32_t>(scenario.cluster.workers);
  dealing.labels_per_worker = static_cast<std::size_t>(stated.labels_per_worker);
  dealing.concentration = stated.concentration;
  dealing.seed = scenario.seed;
  return dealing;
}

fs::path learner_file(const std::string& name, const fs::path& data_dir) {
  std::error_code failed;
  const fs::path shipped = data_dir / "learners" / (name + ".csv");
  return name.find('/') == std::string::npos && fs::exists(shipped, failed) ? shipped : fs::path(name);
}

Made replay(const scenario::Scenario& scenario, const fs::path& data_dir) {
  auto record = learning::learners::read_record(learner_file(scenario.learner.file, data_dir));
  if (!record) return about("learner.file", record.error());
  auto learner = std::make_unique<learning::learners::ReplayLearner>(
      std::make_shared<const learning::learners::Record>(std::move(*record)),
      fs::path(scenario.learner.file).filename().string());
  if (auto fits = learner->check(stated_compression(scenario)); !fits)
    return about("compression.method", fits.error());
  return learner;
}

Made parametric(const scenario::Scenario& scenario, const fs::path& data_dir) {
  auto law = learning::learners::read_law(learner_file(scenario.learner.file, data_dir));
  if (!law) return about("learner.file", law.error());
  auto learner = std::make_unique<learning::learners::ParametricLearner>(
      std::make_shared<const learning::learners::ParametricLaw>(std::move(*law)),
      fs::path(scenario.learner.file).filename().string());
  if (auto fits = learner->check(stated_compression(scenario)); !fits)
    return about("compression.method", fits.error());
  return learner;
}

}  // namespace

learning::learners::Compression stated_compression(const scenario::Scenario& scenario) {
  return {scenario.compression.method, scenario.compression.ratio, scenario.learner.error_feedback,
          scenario.compression.selection == scenario::Selection::variance};
}

Result<std::shared_ptr<const learning::datasets::Dataset>> LearnerShelf::dataset(
    const scenario::Scenario& scenario) {
  const learning::datasets::Source source = source_of(scenario);
  auto kept_one = std::ranges::find(datasets_, source, &Kept::first);
  if (kept_one == datasets_.end()) kept_one = datasets_.insert(datasets_.end(), {source, nullptr});
  std::shared_ptr<const learning::datasets::Dataset>& kept = kept_one->second;
  if (!kept) {
    auto loaded = learning::datasets::load(source, data_dir_);
    if (!loaded) return about("learner.dataset", loaded.error());
    kept = std::move(*loaded);
  }
  return kept;
}

Made LearnerShelf::live(const scenario::Scenario& scenario) {
  if (auto fits = learning::learners::GradientExchange::check(stated_compression(scenario)); !fits)
    return about("compression.method", fits.error());
  auto dataset = this->dataset(scenario);
  if (!dataset) return tl::unexpected(dataset.error());
  auto model = learning::models::make(scenario.learner.model,
                                      {(*dataset)->kind, (*dataset)->shape, (*dataset)->classes});
  if (!model) return about("learner.model", model.error());
  learning::learners::LiveSettings settings;
  settings.dataset = std::move(*dataset);
  settings.model = std::move(*model);
  settings.optimizer = optimizer_of(scenario.learner.optimizer);
  settings.rate = rate_of(scenario.learner);
  settings.dealing = dealing_of(scenario);
  if (const auto& injection = scenario.learner.injection)
    settings.injection = {injection->workers, injection->batch, injection->corrected, scenario.seed};
  if (const auto& record = scenario.learner.record)
    settings.record = {record->every, record->ratios, record->method};
  settings.recorded_compression = stated_compression(scenario);
  settings.recorded_batch = scenario.training.batch;
  if (scenario.learner.test_samples)
    settings.most_test_samples = static_cast<std::size_t>(*scenario.learner.test_samples);
  settings.evaluate_average = scenario.learner.evaluate == scenario::EvaluatedModel::average;
  settings.seed = scenario.seed;
  auto learner = learning::learners::LiveLearner::make(settings);
  if (!learner) return about("learner.shards", learner.error());
  return std::move(*learner);
}

Made LearnerShelf::make(const scenario::Scenario& scenario) {
  switch (scenario.learner.kind) {
    case scenario::LearnerKind::none: return nullptr;
    case scenario::LearnerKind::live: return live(scenario);
    case scenario::LearnerKind::replay: return replay(scenario, data_dir_);
    case scenario::LearnerKind::parametric: return parametric(scenario, data_dir_);
  }
  return nullptr;
}

}  // namespace sim::engine
