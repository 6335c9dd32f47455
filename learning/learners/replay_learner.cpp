// Replays a record.
#include "learning/learners/replay_learner.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include <fmt/format.h>

#include "learning/learners/record_curve.hpp"
#include "settings/type.hpp"

namespace learning::learners {
namespace {

std::optional<double> known(const Curve& curve, double at) {
  return curve.empty() ? std::nullopt : std::optional(value_clamped(curve, at));
}

double last_at(const Curve& curve) { return curve.empty() ? 0 : curve.back().at; }

double last_gradient_step(const Record& record) {
  double last = last_at(record.squared_norm);
  for (const Curve& curve : record.squared_norms) last = std::max(last, curve.back().at);
  return last;
}

/// The gains at one step, by ratio.
Curve gains_at(const Record& record, bool error_feedback, double step) {
  Curve by_ratio;
  for (const RecordedGain& gain : record.gains) {
    if (gain.error_feedback == error_feedback)
      by_ratio.push_back({gain.ratio, value_clamped(gain.by_step, step)});
  }
  return by_ratio;
}

/// Whether a name is in a list such as `topk, ar_topk`.
bool lists(std::string_view names, std::string_view name) {
  constexpr std::string_view comma = ", ";
  while (true) {
    const std::size_t end = names.find(comma);
    if (names.substr(0, end) == name) return true;
    if (end == std::string_view::npos) return false;
    names.remove_prefix(end + comma.size());
  }
}

bool same(const Compression& one, const Compression& other) {
  return one == other || (sends_all(one) && sends_all(other));
}

}  // namespace

ReplayLearner::ReplayLearner(std::shared_ptr<const Record> record, std::string name)
    : record_(std::move(record)),
      name_(std::move(name)),
      gains_fed_(gains_at(*record_, true, 1)),
      gains_raw_(gains_at(*record_, false, 1)),
      last_step_(last_gradient_step(*record_)) {}

bool ReplayLearner::has_gains(const Compression& compression) const {
  const bool measured = !(compression.error_feedback ? gains_fed_ : gains_raw_).empty();
  return measured && compression.ratio < 1 && lists(record_->gains_of, table_name(compression));
}

netmodels::Result<void> ReplayLearner::check(const Compression& compression) const {
  if (sends_all(compression) || has_gains(compression)) return {};
  if (compression.ratio == 1 && compression == record_->facts.compression) return {};  // no column holds it
  const std::string_view manner = compression.error_feedback ? "with" : "without";
  return netmodels::refuse(
      name_, fmt::format("no gains of `{}` {} error feedback were recorded", table_name(compression), manner),
      record_->gains.empty() ? "record them, or train live"
                             : fmt::format("recorded are gains of `{}`", record_->gains_of));
}

std::string ReplayLearner::label() const {
  std::string text = fmt::format("replay of {} (recorded, not trained: {} on {})", name_,
                                 record_->facts.model, record_->facts.data_set);
  if (ended_ > last_step_) text += fmt::format("; gradients stay as in step {:.0f}, its last", last_step_);
  if (!knows_accuracy()) return text + "; no accuracy was recorded";
  if (departed_) text += "; accuracy unknown: " + *departed_;
  if (!departed_ && ended_ > 0 && ended_ > last_at(record_->accuracy))
    text += fmt::format("; accuracy unknown beyond step {:.0f}", last_at(record_->accuracy));
  return text;
}

std::string ReplayLearner::note_on_norms() const {
  const Curve& norms =
      record_->squared_norms.empty() ? record_->squared_norm : record_->squared_norms.front();
  const double steps = norms.back().at - norms.front().at + 1;
  if (static_cast<double>(norms.size()) >= steps) return {};
  std::string text = fmt::format(
      "squared norms are known in {} of {:.0f} steps and lie on lines between them", norms.size(), steps);
  if (!record_->change_measure) return text;
  return text +
         fmt::format("; relative changes were recorded with window {} and smoothing {:g} of {} workers",
                     record_->change_measure->window, record_->change_measure->smoothing,
                     record_->facts.workers);
}

double ReplayLearner::squared_norm(std::uint32_t worker) const {
  const auto& by_worker = record_->squared_norms;
  return value_clamped(by_worker.empty() ? record_->squared_norm : by_worker[worker % by_worker.size()],
                       step_);
}

Gradients ReplayLearner::compute(std::span<const Share> shares) {
  assert(!shares.empty());
  shares_.assign(shares.begin(), shares.end());
  step_ = ended_ + 1;
  gains_fed_ = gains_at(*record_, true, step_);
  gains_raw_ = gains_at(*record_, false, step_);
  Gradients gradients;
  gradients.loss = known(record_->loss, step_);
  for (const Share& share : shares) gradients.squared_norms.push_back(squared_norm(share.worker));
  const auto change = value_within(record_->relative_change, step_);
  if (change && record_->change_measure && shares.size() == static_cast<std::size_t>(record_->facts.workers))
    gradients.measured_change = policies::MeasuredChange{*change, *record_->change_measure};
  return gradients;
}

std::optional<double> ReplayLearner::gain(const Compression& compression) const {
  if (sends_all(compression)) return 1;
  if (!has_gains(compression)) return std::nullopt;
  return value_at_ratio_clamped(compression.error_feedback ? gains_fed_ : gains_raw_, compression.ratio);
}

std::optional<std::string> ReplayLearner::departure(const Update& update) const {
  const RecordFacts& facts = record_->facts;
  const auto differs = [&](std::string_view did, const std::string& recorded) {
    return fmt::format("step {:.0f} {}, the record {}", step_, did, recorded);
  };
  if (update.exchange == Exchange::nothing) return differs("exchanged nothing", "gradients");
  if (update.exchange == Exchange::parameters) return differs("exchanged parameters", "gradients");
  if (!same(update.compression, facts.compression))
    return differs("sent " + print_compression(update.compression), print_compression(facts.compression));
  std::int64_t samples = 0;
  for (const Share& share : shares_) samples += share.samples;
  const std::int64_t recorded = static_cast<std::int64_t>(facts.workers) * facts.batch;
  if (samples != recorded) return differs(fmt::format("took {} samples", samples), std::to_string(recorded));
  const bool is_split_alike = std::ranges::all_of(
      shares_, [&](const Share& share) { return share.samples == facts.batch; });  // so by as many workers
  if (!sends_all(update.compression) && !is_split_alike)
    return differs("split the samples otherwise", fmt::format("{} by {}", facts.workers, facts.batch));
  const bool is_even = std::ranges::all_of(
      shares_, [this](const Share& share) { return share.samples == shares_.front().samples; });
  if (update.weights == Weights::uniform && !is_even)
    return differs("weighted uneven batches equally", "by batch");
  return std::nullopt;
}

Updated ReplayLearner::update(const Update& update) {
  assert(!shares_.empty());
  if (!departed_) departed_ = departure(update);
  ended_ = step_;
  Updated updated;
  updated.noise_scale = known(record_->noise_scale, step_);
  if (update.exchange != Exchange::gradients) return updated;
  updated.gain = gain(update.compression);
  if (same(update.compression, record_->facts.compression))
    updated.mean_squared_norm = known(record_->mean_squared_norm, step_);
  return updated;
}

bool ReplayLearner::knows_accuracy() const { return !record_->accuracy.empty(); }

std::optional<Evaluation> ReplayLearner::evaluate() {
  const auto accuracy = value_within(record_->accuracy, ended_);
  if (departed_ || !accuracy) return std::nullopt;
  return Evaluation{value_within(record_->test_loss, ended_), *accuracy};
}

std::unique_ptr<Learner> ReplayLearner::copy() const { return std::make_unique<ReplayLearner>(*this); }

void describe(settings::Fields& fields, ReplayLearner::Settings& settings) {
  fields.field({.name = "file",
                .doc = "Path of the record, written by `learner.record` and `--out`.",
                .example = "runs/record.csv"},
               settings.file);
}

}  // namespace learning::learners
