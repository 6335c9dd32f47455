// The label of a live training, and the facts that its record states.
#include "learning/learners/live_words.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

namespace learning::learners {
namespace {

/// alpha/beta.
std::string injection_text(const datasets::Injection::Settings& injection) {
  return fmt::format("{:g}/{:g}{}", injection.workers, injection.batch,
                     injection.corrected ? "" : " on top of the batch");
}

/// The differences from a constant rate; empty where there are none.
std::string schedule_text(const models::RateSchedule& rate) {
  std::vector<std::string> parts;
  if (rate.reference_batch) {
    parts.push_back(
        fmt::format("for a batch of {:g}, in proportion", static_cast<double>(*rate.reference_batch)));
  }
  if (rate.warmup_epochs > 0) {
    parts.push_back(
        fmt::format("warm-up over {:g} epochs from {:g} of it", rate.warmup_epochs, rate.warmup_from));
  }
  if (rate.warmup_steps > 0) {
    parts.push_back(
        fmt::format("warm-up over {} steps from {:g} of it", rate.warmup_steps, rate.warmup_from));
  }
  if (rate.decay) {
    const bool by_epoch = rate.decay->until.unit == settings::Moment::Unit::epoch;
    parts.push_back(fmt::format("{} decay to {:g} of it at {} {:g}",
                                rate.decay->shape == models::DecayShape::cosine ? "cosine" : "linear",
                                rate.decay->to, by_epoch ? "epoch" : "step", rate.decay->until.value));
  }
  for (const models::RateChange& change : rate.changes) {
    const bool by_epoch = change.at.unit == settings::Moment::Unit::epoch;
    parts.push_back(
        fmt::format("times {:g} from {} {:g}", change.factor, by_epoch ? "epoch" : "step", change.at.value));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// How the training was set up, as far as it is not by default.
std::vector<Fact> choices_of(const LiveSettings& stated) {
  std::vector<Fact> facts;
  const models::OptimizerChoice& optimizer = stated.optimizer.method;
  const double weight_decay = optimizer->weight_decay(optimizer.settings());
  if (weight_decay > 0) facts.push_back({"weight_decay", fmt::format("{:g}", weight_decay)});
  if (stated.optimizer.max_norm)
    facts.push_back({"gradient_clipping", fmt::format("{:g}", *stated.optimizer.max_norm)});
  const std::string schedule = schedule_text(stated.rate);
  if (!schedule.empty()) facts.push_back({"learning_rate_schedule", schedule});
  if (stated.shards.name() != datasets::PartitionChoice().name())
    facts.push_back({"shards", describe(stated.shards)});
  if (stated.injection) facts.push_back({"injection", injection_text(*stated.injection)});
  if (stated.evaluate == EvaluatedModel::average) facts.push_back({"evaluate", "average"});
  if (stated.evaluate == EvaluatedModel::worker) facts.push_back({"evaluate", "worker"});
  return facts;
}

}  // namespace

std::string label_of(const LiveTraining& training) {
  std::string text =
      fmt::format("live: {} ({} parameters) trained on {} by {} at {:g}", training.model->name(),
                  training.model->parameter_count(), training.dataset->name,
                  describe(training.stated.optimizer.method), training.stated.optimizer.learning_rate);
  if (training.stated.shards->traits.skewed) text += ", shards " + describe(training.stated.shards);
  if (training.stated.injection) text += ", injection " + injection_text(*training.stated.injection);
  if (training.stated.evaluate == EvaluatedModel::worker) text += ", the first worker's model tested";
  if (training.stated.evaluate == EvaluatedModel::average) text += ", the mean of the workers' models tested";
  return text;
}

RecordFacts facts_of(const LiveTraining& training) {
  RecordFacts facts;
  facts.model = training.model->name();
  facts.data_set = training.dataset->name;
  facts.data_set_samples = static_cast<std::int64_t>(training.dataset->train.count());
  facts.workers = static_cast<int>(training.job.workers);
  facts.batch = training.job.batch;
  facts.compression = training.job.compression;
  facts.source = "a live run of gradsim";
  facts.licence = "that of its data set: " + training.dataset->provenance;
  const models::OptimizerSettings& optimizer = training.stated.optimizer;
  facts.others = {{"optimizer", describe(optimizer.method)},
                  {"learning_rate", fmt::format("{:g}", optimizer.learning_rate)},
                  {"seed", std::to_string(training.job.seed)}};
  for (Fact& choice : choices_of(training.stated)) facts.others.push_back(std::move(choice));
  return facts;
}

}  // namespace learning::learners
