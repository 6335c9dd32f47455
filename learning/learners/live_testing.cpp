// Which model of a live learner is tested, and its score.
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

std::optional<Evaluation> LiveLearner::evaluate() {
  const std::uint32_t first = shares_.empty() ? 0 : shares_.front().worker;  // the others may be lost
  std::vector<float> parameters;
  std::vector<float> state;
  std::span<const float> tested = server_ ? server_->parameters(0) : replicas_.parameters(first);
  const bool tests_worker = training_.stated.evaluate == EvaluatedModel::worker;
  if (merged_ && !tests_worker) tested = merged_->parameters();
  std::span<const float> statistics = replicas_.state(first);
  const auto centre = meetings_.elastic_centre();
  const auto outer =
      training_.stated.evaluate == EvaluatedModel::method ? meetings_.outer_model() : std::nullopt;
  if (centre || outer) tested = centre ? *centre : *outer;
  const bool one_model = server_ || merged_ || centre || outer || shares_.empty();
  if (!one_model && tests_mean()) {
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
