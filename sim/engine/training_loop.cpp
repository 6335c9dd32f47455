// Asks learner and policy, and keeps the results.
#include "sim/engine/training_loop.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include "learning/learners/learner_row.hpp"
#include "learning/learners/record_file.hpp"
#include "policies/external_policy.hpp"
#include "sim/engine/communication_plan.hpp"
#include "sim/engine/learners.hpp"

namespace sim::engine {

namespace {

learning::learners::Weights weights_of(const scenario::Training& training) {
  return training.weights == scenario::Weights::by_batch ? learning::learners::Weights::by_batch
                                                         : learning::learners::Weights::uniform;
}

learning::learners::Exchange exchange_of(Traffic traffic) {
  switch (traffic) {
    case Traffic::gradients: return learning::learners::Exchange::gradients;
    case Traffic::parameters: return learning::learners::Exchange::parameters;
    case Traffic::nothing: return learning::learners::Exchange::nothing;
  }
  return learning::learners::Exchange::gradients;
}

/// Of the learning rate, for each push to a parameter server.
double push_share_of(const policies::SynchronisationChoice& stated, int workers) {
  const double of_all = 1.0 / workers;
  return stated->server != nullptr ? stated->server(stated.settings()).push_share.value_or(of_all) : of_all;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

TrainingLoop::TrainingLoop(const scenario::Work& work, const scenario::Cluster& cluster,
                           const scenario::Exchange& exchange, const scenario::Learner& settings,
                           std::unique_ptr<learning::learners::Learner> learner)
    : learner_(std::move(learner)),
      policy_(make_policy(exchange.synchronisation)),
      looks_at_norms_(looks_of(exchange.synchronisation) == policies::Looks::gradients),
      looks_at_models_(looks_of(exchange.synchronisation) == policies::Looks::models),
      streaming_(streaming_of(exchange.synchronisation)),
      training_(work.training),
      workers_(static_cast<std::size_t>(cluster.workers)),
      site_(static_cast<std::uint32_t>(workers_of_site(work.parallelism, cluster) * work.training.sharers)),
      update_{learning::learners::Exchange::gradients,
              stated_compression(exchange.compression, settings),
              weights_of(work.training),
              {}},
      push_share_(push_share_of(exchange.synchronisation, cluster.workers)),
      merging_(merging_server_of(exchange.synchronisation)),
      evaluate_every_(settings.evaluate_every),
      target_(settings.target) {}

void TrainingLoop::set_batch(std::uint32_t worker, int samples) {
  if (batch_of(training_, worker) == samples) return;
  if (training_.batches.empty()) training_.batches.assign(workers_, training_.batch);
  training_.batches[worker] = samples;
}

learning::learners::Meeting TrainingLoop::meeting(const policies::Decision& decision) const {
  using policies::Synchronisation;
  switch (decision.kind) {
    case Synchronisation::average_before_step: return learning::learners::Mean{.before_step = true};
    case Synchronisation::average_elastically: return learning::learners::ElasticMean{decision.moving_rate};
    case Synchronisation::outer_step:
      return learning::learners::OuterStep{decision.outer_rate,  decision.outer_momentum, decision.fragment,
                                           streaming_.fragments, streaming_.delay,        streaming_.mixing,
                                           streaming_.eager,     decision.outer};
    case Synchronisation::average_momenta: return learning::learners::MomentumMean{};
    case Synchronisation::stay_local:
    case Synchronisation::average_gradients:
    case Synchronisation::average_parameters: break;
  }
  return {};
}

std::vector<std::uint32_t> TrainingLoop::sites(const std::vector<std::uint32_t>& workers) const {
  std::vector<std::uint32_t> found;
  for (const std::uint32_t worker : workers) {
    if (worker % site_ == 0) found.push_back(worker / site_);
  }
  return found;
}

int TrainingLoop::batch_of_site(std::uint32_t site) const {
  int samples = 0;
  for (std::uint32_t member = 0; member < site_; ++member)
    samples += batch_of(training_, site * site_ + member);
  return samples / training_.sharers;
}

Traffic TrainingLoop::begin(std::int64_t step, const std::vector<std::uint32_t>& all, double epoch, bool last,
                            std::size_t present) {
  const std::vector<std::uint32_t> workers = sites(all);
  policies::SynchronisationObservation seen{step, workers, {}, {}, epoch};
  seen.last = last;
  seen.present = present / site_;
  std::vector<double> drifts;
  if (learner_) {
    shares_.clear();
    for (const std::uint32_t worker : workers) shares_.push_back({worker, batch_of_site(worker)});
    gradients_ = learner_->compute(shares_);
    seen.squared_norms = gradients_.squared_norms;
    seen.measured_change = gradients_.measured_change;
    seen.loss = gradients_.loss;
    seen.warmed_up_rate = gradients_.warmed_up_rate;
    if (looks_at_models_) drifts = learner_->squared_drifts();
    seen.squared_drifts = drifts;
  }
  const policies::Decision decision = policy_->decide(seen);
  const Traffic traffic = traffic_of(decision);
  update_.exchange = exchange_of(traffic);
  update_.meeting = meeting(decision);
  if (std::exchange(update_.dense, decision.dense)) update_.compression = before_dense_;
  if (decision.dense) {
    before_dense_ = update_.compression;
    update_.compression = chosen({});
  }
  return traffic;
}

learning::learners::Compression TrainingLoop::chosen(const policies::CompressionChoice& choice) const {
  learning::learners::Compression compression = update_.compression;
  compression.method = choice.method;
  compression.ratio = choice.ratio;
  return compression;
}

std::vector<std::optional<double>> TrainingLoop::gains(
    const std::vector<policies::CompressionChoice>& choices) const {
  std::vector<std::optional<double>> gains;
  for (const policies::CompressionChoice& choice : choices)
    gains.push_back(learner_ ? learner_->gain(chosen(choice)) : std::nullopt);
  return gains;
}

void TrainingLoop::compress(const policies::CompressionChoice& choice) {
  update_.compression = chosen(choice);
}

void TrainingLoop::set_checkpoint() {
  if (learner_) checkpoint_ = learner_->copy();
}

void TrainingLoop::return_to_checkpoint() {
  if (checkpoint_) learner_ = std::move(checkpoint_);
}

std::optional<LearningStep> TrainingLoop::finish_experiment() {
  if (!learner_) return std::nullopt;
  const learning::learners::Updated updated = learner_->update(update_);
  return LearningStep{gradients_.loss,           mean(gradients_.squared_norms),
                      updated.mean_squared_norm, updated.gain,
                      updated.noise_scale,       {}};
}

std::optional<LearningStep> TrainingLoop::finish(const Progress& progress) {
  auto finished = finish_experiment();
  if (!finished) return std::nullopt;
  LearningStep& step = *finished;
  see_loss();
  step.evaluated = evaluate(progress);
  account(step);
  return finished;
}

void TrainingLoop::join(std::uint32_t worker, std::optional<std::uint32_t> source) {
  if (learner_) learner_->join(worker, source);
}

void TrainingLoop::wake(std::uint32_t worker) {
  if (learner_) learner_->wake(worker);
}

void TrainingLoop::pull(std::uint32_t worker) {
  if (learner_) learner_->pull(worker);
}

std::optional<LearningStep> TrainingLoop::push(std::uint32_t worker,
                                               const std::optional<Progress>& progress) {
  if (!learner_) return std::nullopt;
  const learning::learners::Share share{worker, batch_of_site(worker)};
  gradients_ = learner_->compute(std::span(&share, 1));
  if (merging_)
    learner_->step_alone(worker);
  else
    learner_->push(worker, update_.compression, push_share_);
  see_loss();
  std::optional<double> gain;
  if (!merged_gains_.empty()) gain = mean(std::exchange(merged_gains_, {}));
  LearningStep step{gradients_.loss, gradients_.squared_norms.front(), {}, gain, {}, {}};
  if (progress) step.evaluated = evaluate(*progress);
  account(step);
  return step;
}

void TrainingLoop::offer(std::uint32_t worker, std::int64_t fragment) {
  if (learner_) learner_->offer(worker, {fragment, merging_->fragments}, update_.compression);
}

void TrainingLoop::merge(std::int64_t fragment, std::vector<learning::learners::Offered> offers) {
  if (!learner_) return;
  learning::learners::Merge merge{{fragment, merging_->fragments},
                                  std::move(offers),
                                  merging_->merging,
                                  {merging_->outer_rate, merging_->outer_momentum, merging_->outer}};
  if (const auto gain = learner_->merge(merge)) merged_gains_.push_back(*gain);
}

void TrainingLoop::answer(std::uint32_t worker, std::int64_t fragment) {
  if (learner_) learner_->answer(worker, {fragment, merging_->fragments});
}

void TrainingLoop::receive(std::uint32_t worker, std::int64_t fragment) {
  if (learner_) learner_->receive(worker, {fragment, merging_->fragments}, merging_->mixing);
}

void TrainingLoop::see_loss() {
  if (gradients_.loss && std::isnan(*gradients_.loss)) diverged_ = true;
}

std::optional<Evaluated> TrainingLoop::evaluate(const Progress& progress) {
  if (!progress.last && !diverged_ && progress.steps % evaluate_every_ != 0) return std::nullopt;
  const auto found = learner_->evaluate();
  if (!found) {
    if (!result_.curve.empty() && !result_.unknown_since) result_.unknown_since = progress.at;
    return std::nullopt;
  }
  const std::optional<double> loss = found->loss && std::isfinite(*found->loss) ? found->loss : std::nullopt;
  return Evaluated{progress.steps, progress.epoch, progress.at, progress.sent_by_all, loss, found->accuracy};
}

void TrainingLoop::account(const LearningStep& step) {
  if (step.gain && std::isfinite(*step.gain)) {  // of a training that diverges it is NaN
    gains_ += *step.gain;
    ++steps_with_gain_;
  }
  if (step.noise_scale && std::isfinite(*step.noise_scale)) result_.noise_scale = step.noise_scale;
  if (!step.evaluated) return;
  result_.curve.push_back(*step.evaluated);
  const double accuracy = step.evaluated->accuracy;
  result_.best_accuracy = std::max(accuracy, result_.best_accuracy.value_or(0));
  if (step.evaluated->loss)
    result_.best_loss = std::min(*step.evaluated->loss, result_.best_loss.value_or(*step.evaluated->loss));
  if (target_ && !result_.target && target_->reached_by(accuracy, step.evaluated->loss))
    result_.target = step.evaluated;
}

std::string TrainingLoop::label() const {
  if (learner_) {
    const std::string note = looks_at_norms_ ? learner_->note_on_norms() : "";
    return learner_->label() + (note.empty() ? "" : "; " + note);
  }
  const learning::learners::LearnerRow& none = learning::learners::learners().front();
  return fmt::format("{}: {}", none.name, none.summary);
}

std::optional<LearningResult> TrainingLoop::result() const {
  if (!learner_) return std::nullopt;
  LearningResult result = result_;
  constexpr std::size_t tail = 5;
  const std::size_t count = std::min(tail, result.curve.size());
  double sum = 0;
  for (std::size_t i = result.curve.size() - count; i < result.curve.size(); ++i)
    sum += result.curve[i].accuracy;
  if (count > 0 && !result.unknown_since) result.last_accuracy = sum / static_cast<double>(count);
  if (learner_->record() != nullptr)
    result.record = std::make_shared<const learning::learners::Record>(*learner_->record());
  if (steps_with_gain_ > 0) result.mean_gain = gains_ / static_cast<double>(steps_with_gain_);
  return result;
}

}  // namespace sim::engine
