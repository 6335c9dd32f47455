// A live learner's batches and gradients, computed in threads where that is worth it.
#include <algorithm>
#include <ctime>

#include "kernels/statistics.hpp"
#include "learning/learners/live_learner.hpp"
#include "learning/learners/threads.hpp"

namespace learning::learners {
namespace {

/// Seconds of CPU time: what it is used for must not depend on what else the machine does.
double seconds_of_this_thread() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

void LiveLearner::draw_batches() {
  std::optional<datasets::Injection> injection;
  if (training_.stated.injection) injection.emplace(*training_.stated.injection, training_.job.seed);
  numbers_.resize(shares_.size());
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    const int own =
        injection ? injection->own_samples(shares_[i].samples, shares_.size()) : shares_[i].samples;
    numbers_[i].clear();
    for (int sample = 0; sample < own; ++sample) numbers_[i].push_back(samplers_[shares_[i].worker].next());
  }
  if (injection) injection->share(static_cast<std::uint64_t>(step_), numbers_);
}

std::vector<LiveLearner::Lane> LiveLearner::make_lanes() const {
  std::vector<Lane> lanes;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, training_.job.threads); ++i) {
    lanes.push_back({training_.model->workspace()});
    lanes.back().batch.features = training_.dataset->train.features();
  }
  return lanes;
}

std::size_t LiveLearner::lanes_for(std::size_t samples) const {
  constexpr double least = 1e-3;  // seconds of work; to begin and join a thread takes about 3e-5
  const double work = seconds_per_sample_.value_or(0) * static_cast<double>(samples);
  return work < least ? 1 : lanes_.size();
}

models::Score LiveLearner::add_up(std::uint32_t worker, std::span<const std::uint32_t> numbers,
                                  std::span<float> gradient, Lane& lane) {
  const std::size_t parts = std::min(numbers.size(), static_cast<std::size_t>(training_.job.accumulation));
  const auto one = [&](std::size_t part, std::span<float> result) {
    lane.batch.clear();
    for (std::size_t i = part * numbers.size() / parts; i < (part + 1) * numbers.size() / parts; ++i)
      training_.dataset->train.append_to(lane.batch, numbers[i]);
    return training_.model->gradient(gathered_.empty() ? replicas_.parameters(worker) : gathered_,
                                     replicas_.state(worker), lane.batch, *lane.workspace, result);
  };
  if (parts == 1) return one(0, gradient);
  lane.part.resize(gradient.size());
  std::ranges::fill(gradient, 0.0F);
  models::Score score;
  for (std::size_t part = 0; part < parts; ++part) {
    score += one(part, lane.part);
    const float share = static_cast<float>(lane.batch.count()) / static_cast<float>(numbers.size());
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += share * lane.part[i];
  }
  return score;
}

Gradients LiveLearner::compute(std::span<const Share> shares) {
  shares_.assign(shares.begin(), shares.end());
  if (sharded_) gathered_ = sharded_->computed_with(replicas_.parameters(shares_.front().worker));
  draw_batches();
  if (gradients_.size() < shares_.size()) gradients_.resize(shares_.size());
  Gradients result;
  result.squared_norms.resize(shares_.size());
  std::vector<models::Score> scores(shares_.size());
  std::size_t samples = 0;
  for (const std::vector<std::uint32_t>& numbers : numbers_) samples += numbers.size();
  const double before = seconds_of_this_thread();
  run_in_lanes(shares_.size(), lanes_for(samples), [&](std::size_t i, std::size_t lane) {
    gradients_[i].resize(mean_.size());
    scores[i] = add_up(shares_[i].worker, numbers_[i], gradients_[i], lanes_[lane]);
    result.squared_norms[i] = kernels::energy(gradients_[i]);
  });
  if (!seconds_per_sample_)
    seconds_per_sample_ = (seconds_of_this_thread() - before) / static_cast<double>(samples);
  models::Score score;
  for (const models::Score& one : scores) score += one;
  result.loss = score.loss_sum / static_cast<double>(score.count);
  result.learning_rate = rate();
  result.warmed_up_rate = warmed_up_rate();
  last_ = result;
  return result;
}

}  // namespace learning::learners
