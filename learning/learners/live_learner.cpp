// Drawing batches, computing gradients, exchanging and applying them, testing.
#include "learning/learners/live_learner.hpp"

#include <algorithm>
#include <cassert>
#include <ctime>
#include <numeric>
#include <utility>

#include "kernels/statistics.hpp"
#include "learning/learners/live_words.hpp"
#include "learning/learners/threads.hpp"

namespace learning::learners {
namespace {

using netmodels::Result;

/// Streams of random numbers that must differ.
constexpr std::uint64_t parameters_stream = 1;
constexpr std::uint64_t compression_stream = 2;

std::uint64_t stream(std::uint64_t seed, std::uint64_t which) {
  return seed * 0x9e3779b97f4a7c15ULL + which * 0xbf58476d1ce4e5b9ULL;
}

std::vector<std::int64_t> layer_sizes(const models::Model& model) {
  std::vector<std::int64_t> sizes;
  for (const models::LayerRange& layer : model.layers())
    sizes.push_back(static_cast<std::int64_t>(layer.count));
  return sizes;
}

std::vector<kernels::Shape> matrices_of(const models::Model& model) {
  std::vector<kernels::Shape> matrices;
  for (const models::LayerRange& layer : model.layers())
    matrices.insert(matrices.end(), layer.matrices.begin(), layer.matrices.end());
  return matrices;
}

/// Values of each tensor.
std::vector<std::size_t> tensors_of(const models::Model& model) {
  std::vector<std::size_t> tensors;
  for (const kernels::Shape& tensor : matrices_of(model))
    tensors.push_back(static_cast<std::size_t>(tensor.rows * tensor.columns));
  return tensors;
}

/// Of CPU: what it is used for must not depend on what else the machine does.
double seconds_of_this_thread() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

datasets::DealingJob dealing_job(const LearnerJob& job) { return {job.workers, job.seed}; }

}  // namespace

Result<std::unique_ptr<LiveLearner>> LiveLearner::make(const LiveTraining& training) {
  GRADSIM_TRY(shards,
              datasets::deal(training.dataset->train, training.stated.shards, dealing_job(training.job)));
  return std::unique_ptr<LiveLearner>(
      new LiveLearner(training, std::make_shared<const datasets::Shards>(std::move(*shards))));
}

LiveLearner::LiveLearner(const LiveTraining& training, const std::shared_ptr<const datasets::Shards>& shards)
    : training_(training),
      replicas_(training.job.workers, *training.model,
                models::Optimizer(training.stated.optimizer, matrices_of(*training.model)),
                stream(training.job.seed, parameters_stream)),
      exchange_(layer_sizes(*training.model), stream(training.job.seed, compression_stream),
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
                      stream(training.job.seed, compression_stream));
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
      update.compression.method == "none" && (update.dense || !remembered) && !training_.stated.injection &&
      !sharded_;
  const MeanGradient sent = update.dense ? exchange_.mean_of_whole(given, mean_)
                            : sharded_   ? sharded_->mean(update.compression, step_, given, mean_)
                                         : exchange_.mean(update.compression, step_, given, mean_);
  const double rate = this->rate();
  if (momentum)
    replicas_.momentum_step_together(shares_, mean_, rate);
  else if (update.dense || update.compression.method == "none")
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
  replicas_.forget_accumulated(worker);  // from that model on it has taken no step
}

void LiveLearner::wake(std::uint32_t worker) { replicas_.set(worker, meetings_.common_model()); }

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

const Record* LiveLearner::record() const { return recorder_ ? &recorder_->record() : nullptr; }

void LiveLearner::pull(std::uint32_t worker) {
  if (!server_) {
    server_.emplace(1U, *training_.model,
                    models::Optimizer(training_.stated.optimizer, matrices_of(*training_.model)),
                    stream(training_.job.seed, parameters_stream));
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
