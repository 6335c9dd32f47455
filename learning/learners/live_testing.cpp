// Choice of the model of a live learner that is tested, and its score.
#include <algorithm>

#include "learning/learners/live_learner.hpp"
#include "learning/learners/threads.hpp"

namespace learning::learners {

models::Score LiveLearner::test(std::span<const float> parameters, std::span<const float> state) {
  constexpr std::size_t piece = 256;  // stays in the cache
  const datasets::Samples& samples = training_.dataset->test;
  const std::size_t apart = std::max<std::size_t>(1, samples.count() / training_.model->predictions());
  const std::optional<std::int64_t> stated = training_.stated.test_samples;
  const std::size_t count = stated ? std::min(samples.count(), static_cast<std::size_t>(*stated)) : apart;
  std::vector<models::Score> scores((count + piece - 1) / piece);
  run_in_lanes(scores.size(), lanes_for(count / 3), [&](std::size_t number, std::size_t lane) {
    datasets::Batch& batch = lanes_[lane].batch;
    batch.clear();
    for (std::size_t i = number * piece; i < std::min((number + 1) * piece, count); ++i)
      samples.append_to(batch, i * samples.count() / count);
    scores[number] = training_.model->evaluate(parameters, state, batch, *lanes_[lane].workspace);
  });
  models::Score score;
  for (const models::Score& one : scores) score += one;
  return score;
}

/// Equal models are not averaged: the mean would only round.
bool LiveLearner::tests_mean() const {
  if (training_.stated.evaluate == EvaluatedModel::worker) return false;
  if (training_.stated.evaluate == EvaluatedModel::average) return true;
  const std::span<const float> first = replicas_.parameters(shares_.front().worker);
  return std::ranges::any_of(shares_, [&](const Share& share) {
    return !std::ranges::equal(first, replicas_.parameters(share.worker));
  });
}

std::optional<std::span<const float>> LiveLearner::method_model() const {
  if (const auto centre = meetings_.elastic_centre()) return centre;
  if (training_.stated.evaluate == EvaluatedModel::method) {
    if (const auto outer = meetings_.outer_model()) return outer;
  }
  if (merged_ && training_.stated.evaluate != EvaluatedModel::worker) return merged_->parameters();
  if (server_) return server_->parameters(0);
  return std::nullopt;
}

std::optional<Evaluation> LiveLearner::evaluate() {
  const std::uint32_t first = shares_.empty() ? 0 : shares_.front().worker;  // the others may be lost
  const auto common = method_model();
  std::span<const float> tested = common ? *common : replicas_.parameters(first);
  std::span<const float> statistics = replicas_.state(first);
  std::vector<float> parameters;
  std::vector<float> state;
  if (!common && !shares_.empty() && tests_mean()) {
    replicas_.mean(shares_, parameters, state);
    tested = parameters;
    statistics = state;
  }
  const models::Score score = test(tested, statistics);
  const auto count = static_cast<double>(score.count);
  const Evaluation evaluation{score.loss_sum / count, static_cast<double>(score.correct) / count};
  if (recorder_) recorder_->add(evaluation);
  return evaluation;
}

}  // namespace learning::learners
