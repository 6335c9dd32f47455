// A live learner whose workers step at their own pace: a server's model, or models that a server merges.
#include <algorithm>
#include <cassert>

#include "learning/learners/live_learner.hpp"
#include "learning/learners/model_shapes.hpp"
#include "learning/learners/random_streams.hpp"

namespace learning::learners {

void LiveLearner::pull(std::uint32_t worker) {
  if (!server_) {
    server_.emplace(1U, *training_.model,
                    models::Optimizer(training_.stated.optimizer, matrices_of(*training_.model)),
                    stream_seed(training_.job.seed, parameters_stream));
  }
  replicas_.set(worker, server_->parameters(0));
}

const std::vector<float>& LiveLearner::gradient_of(std::uint32_t worker) const {
  const auto computed = std::ranges::find(shares_, worker, &Share::worker);
  assert(computed != shares_.end());
  return gradients_[static_cast<std::size_t>(computed - shares_.begin())];
}

double LiveLearner::own_rate(std::uint32_t worker) {
  const int own = std::ranges::find(shares_, worker, &Share::worker)->samples;
  pushed_batches_[worker] = own;
  double batch = 0;
  for (const std::optional<int>& samples : pushed_batches_) batch += samples.value_or(own);
  return rate(step_ / training_.job.workers, batch);
}

void LiveLearner::count_own_step(std::uint32_t worker) {
  ++step_;
  seen_ += *pushed_batches_[worker];
}

void LiveLearner::push(std::uint32_t worker, const Compression& compression, double share) {
  assert(server_);
  exchange_.send(compression, step_, {worker, gradient_of(worker)}, mean_);
  server_->step_alone(0, mean_, share * own_rate(worker));
  count_own_step(worker);
}

void LiveLearner::step_alone(std::uint32_t worker) {
  if (!merged_) {
    merged_.emplace(replicas_.parameters(worker), tensors_of(*training_.model), exchange_.without_memory());
  }
  replicas_.step_alone(worker, gradient_of(worker), own_rate(worker));
  count_own_step(worker);
}

void LiveLearner::offer(std::uint32_t worker, const Fragment& fragment, const Compression& compression) {
  merged_->offer(fragment, worker, compression, exchanges_++, replicas_);
}

std::optional<double> LiveLearner::merge(const Merge& merge) { return merged_->merge(merge); }

void LiveLearner::answer(std::uint32_t worker, const Fragment& fragment) {
  merged_->answer(fragment, worker);
}

void LiveLearner::receive(std::uint32_t worker, const Fragment& fragment, double mixing) {
  merged_->receive(fragment, worker, mixing, replicas_);
}

}  // namespace learning::learners
