// Counting steps, naming phases.
#include "sim/engine/phases.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace sim::engine {
namespace {

using scenario::Moment;

constexpr std::size_t most_phases = 24;  // more would be a trace, not phases that a person compares

/// To three digits, so that a ratio that falls with every step does not fill the memory.
double rounded(double ratio) {
  if (ratio == 1) return ratio;
  const double digit = std::pow(10.0, std::floor(std::log10(ratio)) - 2);
  return std::round(ratio / digit) * digit;
}

}  // namespace

void PhaseSums::add(const StepRecord& step, double samples) {
  ++steps_;
  time_ += step.duration;
  parts_ += step.parts;
  exchange_busy_ += step.exchange_busy;
  margin_ += step.margin;
  if (step.sent && sent_) {
    *sent_ += *step.sent;
    *sent_by_all_ += *step.sent * step.workers;
  } else {
    sent_.reset();
    sent_by_all_.reset();
  }
  if (step.between_nodes && between_nodes_)
    *between_nodes_ += *step.between_nodes;
  else
    between_nodes_.reset();
  samples_ += samples;
  worker_time_ += step.duration * step.workers;
  count(collectives_, step.collective);
  if (step.method.empty()) return;
  count(methods_, step.method);
  count(ratios_, rounded(step.ratio));
  sum_of_ratios_ += step.ratio;
  ++steps_with_gradients_;
}

template <class T>
void PhaseSums::count(std::vector<Use<T>>& uses, const T& what) {
  if (uses.empty() || uses.back().what != what) {
    const auto known = std::ranges::find(uses, what, &Use<T>::what);
    if (known == uses.end())
      uses.push_back({what, 0});
    else
      std::iter_swap(known, uses.end() - 1);  // the next step most likely uses it again
  }
  ++uses.back().steps;
}

PhaseResult PhaseSums::result(double alone_samples_per_second) const {
  PhaseResult result;
  result.label = label_;
  result.steps = steps_;
  result.time = time_;
  if (steps_ == 0) return result;
  const auto steps = static_cast<double>(steps_);
  result.parts = parts_ / steps;
  result.exchange_busy = exchange_busy_ / steps;
  result.margin = margin_ / steps;
  if (sent_) result.sent = *sent_ / steps;
  result.sent_by_all = sent_by_all_;
  if (between_nodes_) result.between_nodes = *between_nodes_ / steps;
  result.samples_per_second = samples_ / time_.count;
  result.scaling_efficiency = samples_ / worker_time_.count / alone_samples_per_second;
  for (const auto& use : collectives_) result.collectives.emplace(std::string(use.what), use.steps);
  for (const auto& use : methods_) result.methods.emplace(std::string(use.what), use.steps);
  for (const auto& use : ratios_) result.ratios.emplace(use.what, use.steps);
  if (steps_with_gradients_ > 0)
    result.mean_ratio = sum_of_ratios_ / static_cast<double>(steps_with_gradients_);
  return result;
}

std::vector<Moment> phase_moments(const std::vector<scenario::LinkChange>& changes,
                                  const policies::RatioSchedule& warm_up) {
  std::vector<Moment> moments;
  for (const scenario::LinkChange& change : changes) moments.push_back(change.at);
  if (warm_up.is_dense()) {
    moments.push_back(warm_up.steps > 0 ? Moment{Moment::Unit::step, static_cast<double>(warm_up.steps)}
                                        : Moment{Moment::Unit::epoch, warm_up.epochs});
  }
  return moments;
}

void Phases::arrive(netmodels::Seconds now, std::int64_t step, double epoch,
                    const std::function<std::string()>& network) {
  if (to_come_ == 0 && !sums_.empty()) return;
  const Moment* latest = nullptr;
  for (std::size_t index = 0; index < moments_.size(); ++index) {
    if (passed_[index] || !has_come(moments_[index], now, step, epoch)) continue;
    passed_[index] = true;
    --to_come_;
    latest = &moments_[index];
  }
  const bool first = sums_.empty();
  if (!first && (latest == nullptr || sums_.size() > most_phases)) return;
  const std::string from =
      latest == nullptr ? "from the start" : "from " + scenario::describe_moment(*latest);
  const bool last = sums_.size() == most_phases;
  labels_.push_back(last ? from + " on: all later changes together" : from + ": " + network());
  sums_.emplace_back(labels_.back());
}

void Phases::add(const StepRecord& step, double samples) {
  sums_.back().add(step, samples);
  whole_.add(step, samples);
}

std::vector<PhaseResult> Phases::results(double alone_samples_per_second) const {
  std::vector<PhaseResult> results;
  for (const PhaseSums& sums : sums_) results.push_back(sums.result(alone_samples_per_second));
  return results;
}

}  // namespace sim::engine
