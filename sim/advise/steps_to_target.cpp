// Runs learners to their targets without simulating time.
#include "sim/advise/steps_to_target.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "learning/learners/record_curve.hpp"
#include "sim/advise/closed_step.hpp"
#include "sim/engine/training_loop.hpp"

namespace sim::advise {
namespace {

using netmodels::Result;
using scenario::Scenario;

double samples_per_step(const scenario::Training& training, int workers,
                        const policies::SynchronisationChoice& synchronisation) {
  return static_cast<double>(samples_of_step(training, workers)) * drawn_share(synchronisation);
}

}  // namespace

std::string_view to_string(StepsKnown known) {
  switch (known) {
    case StepsKnown::learned: return "known";
    case StepsKnown::stated: return "stated";
    case StepsKnown::gain: return "by gain";
    case StepsKnown::assumed: return "assumed";
  }
  return "";
}

double stated_steps(const scenario::Training& training, int workers,
                    const policies::SynchronisationChoice& synchronisation) {
  if (training.steps) return static_cast<double>(*training.steps);
  return std::ceil(training.epochs * static_cast<double>(training.samples) /
                   samples_per_step(training, workers, synchronisation));
}

Result<StepsCounter::Walk> StepsCounter::walk(const Scenario& training, std::int64_t most) const {
  GRADSIM_TRY(learner, shelf_->make(training));
  Walk walk;
  walk.knows_accuracy = *learner && (*learner)->knows_accuracy();
  engine::TrainingLoop loop(training.work, training.cluster, training.exchange, training.learner,
                            std::move(*learner));
  std::vector<std::uint32_t> workers(static_cast<std::size_t>(training.cluster.workers));
  std::iota(workers.begin(), workers.end(), 0U);
  const double samples =
      samples_per_step(training.work.training, training.cluster.workers, training.exchange.synchronisation);
  const double epoch = samples / static_cast<double>(training.work.training.samples);
  const scenario::Target target = training.learner.target.value_or(scenario::Target());
  for (std::int64_t step = 1; step <= most && !walk.target; ++step) {
    const double reached = static_cast<double>(step) * epoch;
    loop.begin(step - 1, workers, reached);
    const auto learned = loop.finish({step, reached, {}, {}, step == most});
    if (!learned->evaluated) continue;
    walk.tested = true;
    if (target.reached_by(learned->evaluated->accuracy, learned->evaluated->loss))
      walk.target = {static_cast<double>(step), StepsKnown::learned, learned->evaluated->accuracy};
  }
  walk.mean_gain = loop.result()->mean_gain;
  walk.label = loop.label();
  return walk;
}

Result<StepsToTarget> StepsCounter::count_dense(const Scenario& training) {
  const double stated =
      stated_steps(training.work.training, training.cluster.workers, training.exchange.synchronisation);
  if (!training.learner.kind->traits.learns) return StepsToTarget{stated, StepsKnown::stated, {}};
  GRADSIM_TRY(walked, walk(dense_of(training), static_cast<std::int64_t>(stated)));
  learner_ = walked->label;
  if (walked->target) return *walked->target;
  if (!walked->knows_accuracy) return StepsToTarget{stated, StepsKnown::stated, {}};
  return netmodels::refuse(
      "", walked->tested
              ? fmt::format("a batch of `{}` per worker does not reach the target in `{:g}` epochs",
                            training.work.training.batch, training.work.training.epochs)
              : fmt::format("the learner does not cover a batch of `{}` per worker",
                            training.work.training.batch));
}

Result<StepsToTarget> StepsCounter::count(const Scenario& training) {
  const int batch = training.work.training.batch;
  auto known = dense_.find(batch);
  if (known == dense_.end()) {
    auto counted = count_dense(training);
    known = dense_.emplace(batch, std::move(counted)).first;
  }
  if (!known->second || is_dense(training.exchange.synchronisation, training.exchange.compression))
    return known->second;
  const StepsToTarget& dense = *known->second;
  const bool meets = training.exchange.synchronisation->traits.every_step;
  // As many samples.
  const StepsToTarget assumed{
      dense.steps / drawn_share(training.exchange.synchronisation), StepsKnown::assumed, {}};
  if (!meets || !training.learner.kind->traits.learns) return assumed;
  const std::pair key{batch, learning::learners::print_compression(engine::stated_compression(
                                 training.exchange.compression, training.learner))};
  if (const auto counted = compressed_.find(key); counted != compressed_.end()) return counted->second;
  const StepsToTarget counted = count_compressed(training, dense).value_or(assumed);
  compressed_.emplace(key, counted);
  return counted;
}

std::optional<StepsToTarget> StepsCounter::count_compressed(const Scenario& training,
                                                            const StepsToTarget& dense) {
  // A learner without a result when the dense training is done has no accuracy for this compression.
  auto walked = walk(training, static_cast<std::int64_t>(dense.steps));
  if (walked && walked->tested && !walked->target)
    walked = walk(training,
                  static_cast<std::int64_t>(stated_steps(training.work.training, training.cluster.workers,
                                                         training.exchange.synchronisation)));
  if (!walked) return std::nullopt;
  if (walked->target) return *walked->target;
  if (!walked->mean_gain || *walked->mean_gain <= 0) return std::nullopt;
  return StepsToTarget{dense.steps / *walked->mean_gain, StepsKnown::gain, {}};
}

}  // namespace sim::advise
