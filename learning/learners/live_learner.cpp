// Making a learner, exchanging gradients or parameters, and applying them.
#include "learning/learners/live_learner.hpp"

#include <algorithm>
#include <utility>

#include "learning/learners/live_words.hpp"
#include "learning/learners/model_shapes.hpp"
#include "learning/learners/random_streams.hpp"

namespace learning::learners {
namespace {

using netmodels::Result;

datasets::PartitionJob partition_job(const LearnerJob& job) { return {job.workers, job.seed}; }

}  // namespace

Result<std::unique_ptr<LiveLearner>> LiveLearner::make(const LiveTraining& training) {
  GRADSIM_TRY(shards, datasets::partition(training.dataset->train, training.stated.shards,
                                          partition_job(training.job)));
  return std::unique_ptr<LiveLearner>(
      new LiveLearner(training, std::make_shared<const datasets::Shards>(std::move(*shards))));
}

LiveLearner::LiveLearner(const LiveTraining& training, const std::shared_ptr<const datasets::Shards>& shards)
    : training_(training),
      replicas_(training.job.workers, *training.model,
                models::Optimizer(training.stated.optimizer, matrices_of(*training.model)),
                stream_seed(training.job.seed, parameters_stream)),
      exchange_(layer_sizes(*training.model), stream_seed(training.job.seed, compression_stream),
                matrices_of(*training.model)),
      meetings_(replicas_.parameters(0), exchange_),
      lanes_(make_lanes()),
      mean_(training.model->parameter_count()),
      pushed_batches_(training.job.workers) {
  if (training.job.sending.changes_values()) {
    sharded_.emplace(training.job.sending, training.job.node, tensors_of(*training.model),
                     exchange_.without_memory());
  }
  for (std::uint32_t worker = 0; worker < training.job.workers; ++worker)
    samplers_.emplace_back(shards, worker, training.job.seed);
  if (training.stated.record) {
    recorder_.emplace(*training.stated.record, facts_of(training), layer_sizes(*training.model),
                      stream_seed(training.job.seed, compression_stream));
  }
}

LiveLearner::LiveLearner(const LiveLearner& other)
    : training_(other.training_),
      replicas_(other.replicas_),
      samplers_(other.samplers_),
      exchange_(other.exchange_),
      sharded_(other.sharded_),
      meetings_(other.meetings_),
      noise_(other.noise_),
      lanes_(make_lanes()),
      seconds_per_sample_(other.seconds_per_sample_),
      shares_(other.shares_),
      last_(other.last_),
      gradients_(other.gradients_),
      mean_(other.mean_),
      step_(other.step_),
      seen_(other.seen_),
      exchanges_(other.exchanges_),
      stepped_together_(other.stepped_together_),
      recorder_(other.recorder_),
      server_(other.server_),
      pushed_batches_(other.pushed_batches_),
      merged_(other.merged_) {}

std::unique_ptr<Learner> LiveLearner::copy() const {
  return std::unique_ptr<Learner>(new LiveLearner(*this));
}

std::string LiveLearner::label() const { return label_of(training_); }

std::int64_t LiveLearner::samples() const {
  return static_cast<std::int64_t>(training_.dataset->train.count());
}

std::vector<double> LiveLearner::weights_of(Weights weights) const {
  double samples = 0;
  for (const Share& share : shares_) samples += share.samples;
  std::vector<double> result;
  for (const Share& share : shares_) {
    result.push_back(weights == Weights::uniform ? 1 / static_cast<double>(shares_.size())
                                                 : share.samples / samples);
  }
  return result;
}

std::vector<Contribution> LiveLearner::contributions(Weights weights) const {
  const std::vector<double> shares = weights_of(weights);
  std::vector<Contribution> result;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    const auto weight = static_cast<float>(shares[i] * static_cast<double>(shares_.size()));
    result.push_back({shares_[i].worker, gradients_[i], weight});
  }
  return result;
}

double LiveLearner::rate(std::int64_t steps, double batch) const {
  return learning_rate(training_.stated.optimizer.learning_rate, training_.stated.rate,
                       {steps, static_cast<double>(seen_) / static_cast<double>(samples()), batch});
}

double LiveLearner::samples_of_step() const {
  double batch = 0;
  for (const Share& share : shares_) batch += share.samples;
  return batch;
}

double LiveLearner::rate() const { return rate(step_, samples_of_step()); }

double LiveLearner::warmed_up_rate() const {
  const models::RateSchedule& schedule = training_.stated.rate;
  const double epoch = static_cast<double>(seen_) / static_cast<double>(samples());
  return learning_rate(
      training_.stated.optimizer.learning_rate, schedule,
      {std::max(step_, schedule.warmup_steps), std::max(epoch, schedule.warmup_epochs), samples_of_step()});
}

void LiveLearner::replace_by_momenta(std::vector<Contribution>& given,
                                     std::vector<std::vector<float>>& momenta) const {
  momenta.resize(std::max(momenta.size(), given.size()));
  for (std::size_t i = 0; i < given.size(); ++i) {
    momenta[i].resize(mean_.size());
    replicas_.find_momentum(given[i].worker, given[i].gradient, momenta[i]);
    given[i].gradient = momenta[i];
  }
}

std::optional<double> LiveLearner::gain(const Compression& compression) const {
  std::vector<Contribution> given = contributions(Weights::by_batch);
  std::vector<std::vector<float>> momenta;
  if (sends_momentum(compression)) replace_by_momenta(given, momenta);
  return exchange_.gain(compression, step_, given);
}

Updated LiveLearner::step_together(const Update& update) {
  std::vector<Contribution> given = contributions(update.weights);
  const bool momentum = sends_momentum(update.compression);
  if (momentum) replace_by_momenta(given, momenta_);
  const bool remembered =
      std::ranges::any_of(shares_, [this](const Share& share) { return exchange_.remembers(share.worker); });
  const bool independent =  // the workers' samples, and nothing but their gradients is sent
      !update.compression.compresses() && (update.dense || !remembered) && !training_.stated.injection &&
      !sharded_;
  const MeanGradient sent = update.dense ? exchange_.mean_of_whole(given, mean_)
                            : sharded_   ? sharded_->mean(update.compression, step_, given, mean_)
                                         : exchange_.mean(update.compression, step_, given, mean_);
  const double rate = this->rate();
  if (momentum)
    replicas_.momentum_step_together(shares_, mean_, rate);
  else if (update.dense || !update.compression.compresses())
    replicas_.step_together(shares_, mean_, rate);
  else
    replicas_.compressed_step_together(shares_, mean_, rate);
  stepped_together_ = true;
  Updated updated{sent.gain, sent.squared_norm, {}};
  if (independent) {
    noise_.add(shares_, last_.squared_norms, update.weights, sent.squared_norm);
    updated.noise_scale = noise_.value();
  }
  if (recorder_) recorder_->add({shares_, rate, &last_, &updated, given});
  return updated;
}

void LiveLearner::step_alone() {
  const double rate = this->rate();
  for (std::size_t i = 0; i < shares_.size(); ++i)
    replicas_.step_alone(shares_[i].worker, gradients_[i], rate);
}

std::vector<double> LiveLearner::squared_drifts() const {
  std::vector<double> drifts(shares_.size());
  if (stepped_together_) return drifts;
  const std::span<const float> common = meetings_.common_model();
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    const std::span<const float> own = replicas_.parameters(shares_[i].worker);
    for (std::size_t place = 0; place < own.size(); ++place) {
      const double moved = static_cast<double>(own[place]) - common[place];
      drifts[i] += moved * moved;
    }
  }
  return drifts;
}

std::optional<double> LiveLearner::meet(const Update& update) {
  return meetings_.meet(update.meeting, {update.compression, exchanges_++, step_}, shares_,
                        weights_of(update.weights), replicas_);
}

Updated LiveLearner::step_apart(const Update& update) {
  if (std::exchange(stepped_together_, false))
    meetings_.begin_at(replicas_.parameters(shares_.front().worker));
  const bool meets = update.exchange == Exchange::parameters;
  const bool meets_first = meets && meets_before_step(update.meeting);
  Updated updated;
  if (meets_first) updated.gain = meet(update);
  step_alone();
  if (meets && !meets_first) updated.gain = meet(update);
  meetings_.take_fragments(step_, shares_, replicas_);
  return updated;
}

Updated LiveLearner::update(const Update& update) {
  const bool together = update.exchange == Exchange::gradients;
  const Updated updated = together ? step_together(update) : step_apart(update);
  ++step_;
  for (const Share& share : shares_) seen_ += share.samples;
  return updated;
}

void LiveLearner::join(std::uint32_t worker, std::optional<std::uint32_t> source) {
  exchange_.forget(worker);
  meetings_.forget(worker);
  if (merged_) merged_->forget(worker);
  if (source) return replicas_.follow(worker, *source);
  if (shares_.empty()) return;
  replicas_.follow(worker, shares_.front().worker);
  if (stepped_together_) return;
  replicas_.set(worker, meetings_.common_model());
  replicas_.forget_accumulated(worker);  // the worker has taken no step from that model on
}

void LiveLearner::wake(std::uint32_t worker) { replicas_.set(worker, meetings_.common_model()); }

const Record* LiveLearner::record() const { return recorder_ ? &recorder_->record() : nullptr; }

}  // namespace learning::learners
