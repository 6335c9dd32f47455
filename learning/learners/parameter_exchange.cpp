// Means, elastic moves, outer steps with momentum.
#include <algorithm>
#include <utility>

#include "learning/learners/gradient_exchange.hpp"
#include "learning/learners/outer_state.hpp"

namespace learning::learners {

bool meets_before_step(const Meeting& meeting) {
  if (const auto* mean = std::get_if<Mean>(&meeting)) return mean->before_step;
  return std::holds_alternative<ElasticMean>(meeting);
}

std::optional<double> ParameterExchange::meet(const Meeting& meeting, const SentParameters& sent,
                                              std::span<const Share> shares, std::span<const double> weights,
                                              Replicas& replicas) {
  const auto* outer = std::get_if<OuterStep>(&meeting);
  if (outer != nullptr && outer->eager) return meet_eagerly(*outer, sent, shares, weights, replicas);
  if (outer != nullptr && (outer->fragments > 1 || outer->delay > 0 || outer->mixing > 0)) {
    const auto gain = meet_in_fragments(*outer, sent, shares, weights, replicas);
    take_fragments(sent.step, shares, replicas);
    return gain;
  }
  if (std::holds_alternative<MomentumMean>(meeting)) return meet_by_momenta(sent, shares, weights, replicas);
  if (sent.compression.compresses() && !std::holds_alternative<ElasticMean>(meeting))
    return meet_by_changes(meeting, sent, shares, weights, replicas);
  if (std::holds_alternative<Mean>(meeting)) {
    replicas.average(shares, weights);
    begin_at(replicas.parameters(shares.front().worker));
  }
  if (const auto* elastic = std::get_if<ElasticMean>(&meeting)) draw_to_centre(*elastic, shares, replicas);
  if (outer != nullptr) move_centre(*outer, shares, weights, replicas);
  return std::nullopt;
}

void ParameterExchange::begin_at(std::span<const float> parameters) {
  centre_ = std::make_shared<const std::vector<float>>(parameters.begin(), parameters.end());
}

double ParameterExchange::meet_by_changes(const Meeting& meeting, const SentParameters& sent,
                                          std::span<const Share> shares, std::span<const double> weights,
                                          Replicas& replicas) {
  const std::vector<float>& before = *centre_;
  const auto taking_part = static_cast<double>(shares.size());
  std::vector<std::vector<float>> changes;
  std::vector<Contribution> given;
  changes.reserve(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const std::span<const float> own = replicas.parameters(shares[i].worker);
    std::vector<float>& change = changes.emplace_back(before.size());
    for (std::size_t place = 0; place < change.size(); ++place) change[place] = own[place] - before[place];
    given.push_back({shares[i].worker, change, static_cast<float>(weights[i] * taking_part)});
  }
  std::vector<float> change(before.size());
  const MeanGradient found = changes_.mean(sent.compression, sent.number, given, change);
  if (const auto* outer = std::get_if<OuterStep>(&meeting)) {
    step_outside(*outer, change);
  } else {
    for (std::size_t place = 0; place < change.size(); ++place) change[place] += before[place];
    begin_at(change);
  }
  for (const Share& share : shares) replicas.set(share.worker, *centre_);
  return found.gain;
}

double ParameterExchange::meet_by_momenta(const SentParameters& sent, std::span<const Share> shares,
                                          std::span<const double> weights, Replicas& replicas) {
  const auto workers = static_cast<double>(shares.size());
  std::vector<std::vector<float>> accumulated;
  std::vector<Contribution> given;
  accumulated.reserve(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    std::vector<float>& own = accumulated.emplace_back(centre_->size());
    replicas.find_accumulated(shares[i].worker, own);
    given.push_back({shares[i].worker, own, static_cast<float>(weights[i] * workers)});
  }
  std::vector<float> mean(centre_->size());
  const MeanGradient found = changes_.mean(sent.compression, sent.number, given, mean);
  replicas.accumulated_step_together(shares, *centre_, mean);
  begin_at(replicas.parameters(shares.front().worker));
  return found.gain;
}

void ParameterExchange::draw_to_centre(const ElasticMean& meeting, std::span<const Share> shares,
                                       Replicas& replicas) {
  const std::vector<float>& before = *centre_;
  std::vector<float> after = before;
  std::vector<float> moved(before.size());
  const auto rate = static_cast<float>(meeting.rate);
  for (const Share& share : shares) {
    const std::span<const float> own = replicas.parameters(share.worker);
    for (std::size_t place = 0; place < before.size(); ++place) {
      const float move = rate * (own[place] - before[place]);
      moved[place] = own[place] - move;
      after[place] += move;
    }
    replicas.set(share.worker, moved);
  }
  centre_ = std::make_shared<const std::vector<float>>(std::move(after));
  elastic_ = true;
}

void ParameterExchange::move_centre(const OuterStep& meeting, std::span<const Share> shares,
                                    std::span<const double> weights, Replicas& replicas) {
  replicas.average(shares, weights);
  const std::span<const float> mean = replicas.parameters(shares.front().worker);
  std::vector<float> change(mean.size());
  for (std::size_t place = 0; place < change.size(); ++place) change[place] = mean[place] - (*centre_)[place];
  step_outside(meeting, change);
  for (const Share& share : shares) replicas.set(share.worker, *centre_);
}

void ParameterExchange::step_outside(const OuterStep& meeting, std::span<const float> change,
                                     std::size_t first) {
  std::vector<float> centre = *centre_;
  std::vector<float> velocity = velocity_ ? *velocity_ : std::vector<float>(centre.size());
  std::vector<float> squares = squares_ ? *squares_ : std::vector<float>(centre.size());
  move_outside(meeting.rule(), change,
               {std::span(centre).subspan(first), std::span(velocity).subspan(first),
                std::span(squares).subspan(first)});
  centre_ = std::make_shared<const std::vector<float>>(std::move(centre));
  velocity_ = std::make_shared<const std::vector<float>>(std::move(velocity));
  squares_ = std::make_shared<const std::vector<float>>(std::move(squares));
}

std::optional<double> ParameterExchange::meet_in_fragments(const OuterStep& meeting,
                                                           const SentParameters& sent,
                                                           std::span<const Share> shares,
                                                           std::span<const double> weights,
                                                           const Replicas& replicas) {
  const auto values = static_cast<std::int64_t>(centre_->size());
  const auto first = static_cast<std::size_t>(values * meeting.fragment / meeting.fragments);
  const auto end = static_cast<std::size_t>(values * (meeting.fragment + 1) / meeting.fragments);
  const auto known = std::ranges::find(met_, meeting.fragment);
  const auto number = static_cast<std::size_t>(known - met_.begin());
  if (known == met_.end()) {
    met_.push_back(meeting.fragment);
    fragments_.emplace_back(changes_.of_part(first, end));
  }
  std::vector<std::vector<float>> changes;
  std::vector<Contribution> given;
  changes.reserve(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const std::span<const float> own = replicas.parameters(shares[i].worker);
    std::vector<float>& change = changes.emplace_back(end - first);
    for (std::size_t place = first; place < end; ++place)
      change[place - first] = own[place] - (*centre_)[place];
    given.push_back(
        {shares[i].worker, change, static_cast<float>(weights[i] * static_cast<double>(shares.size()))});
  }
  std::vector<float> change(end - first);
  const MeanGradient found = fragments_[number].mean(sent.compression, sent.number, given, change);
  step_outside(meeting, change, first);
  all_fragments_ = meeting.fragments;
  underway_.push_back({first, end, sent.step + meeting.delay, static_cast<float>(meeting.mixing)});
  if (!sent.compression.compresses()) return std::nullopt;
  return found.gain;
}

std::optional<double> ParameterExchange::meet_eagerly(const OuterStep& meeting, const SentParameters& sent,
                                                      std::span<const Share> shares,
                                                      std::span<const double> weights, Replicas& replicas) {
  const std::size_t values = centre_->size();
  if (own_.empty()) {
    late_.resize(values);
    const std::vector<float> zeros(values);
    for (const Share& share : shares) own_[share.worker] = {*centre_, zeros, zeros, zeros};
  }
  const auto workers = static_cast<float>(shares.size());
  std::vector<std::vector<float>> changes;
  std::vector<Contribution> given;
  changes.reserve(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const std::vector<float>& before = own_.at(shares[i].worker).centre;
    const std::span<const float> now = replicas.parameters(shares[i].worker);
    std::vector<float>& change = changes.emplace_back(values);
    for (std::size_t place = 0; place < values; ++place) change[place] = now[place] - before[place];
    given.push_back({shares[i].worker, change, static_cast<float>(weights[i]) * workers});
  }
  std::vector<float> mean(values);
  std::vector<std::vector<float>> parts(shares.size());
  const MeanGradient found = changes_.mean(sent.compression, sent.number, given, mean, parts);
  std::vector<float> middle(values);
  std::vector<float> taken(values);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    OwnCentre& own = own_.at(shares[i].worker);
    for (std::size_t place = 0; place < values; ++place) {
      const float part = parts[i][place] / workers;
      taken[place] = part + (late_[place] - own.sent[place]);
      own.sent[place] = part;
    }
    move_outside(meeting.rule(), taken, {own.centre, own.velocity, own.squares});
    replicas.set(shares[i].worker, own.centre);
    for (std::size_t place = 0; place < values; ++place) middle[place] += own.centre[place] / workers;
  }
  late_ = std::move(mean);
  begin_at(middle);
  if (!sent.compression.compresses()) return std::nullopt;
  return found.gain;
}

void ParameterExchange::take_fragments(std::int64_t step, std::span<const Share> shares, Replicas& replicas) {
  for (const Underway& part : underway_) {
    if (part.due > step) continue;
    for (const Share& share : shares) {
      const std::span<const float> own = replicas.parameters(share.worker);
      std::vector<float> taken(own.begin(), own.end());
      for (std::size_t place = part.first; place < part.end; ++place)
        taken[place] = part.mixing * taken[place] + (1 - part.mixing) * (*centre_)[place];
      replicas.set(share.worker, taken);
    }
  }
  std::erase_if(underway_, [step](const Underway& part) { return part.due <= step; });
}

std::optional<std::span<const float>> ParameterExchange::elastic_centre() const {
  if (!elastic_) return std::nullopt;
  return std::span<const float>(*centre_);
}

std::optional<std::span<const float>> ParameterExchange::outer_model() const {
  if (!own_.empty()) return std::span<const float>(*centre_);
  const bool complete = met_.empty() || std::cmp_equal(met_.size(), all_fragments_);
  if (!velocity_ || !complete) return std::nullopt;
  return std::span<const float>(*centre_);
}

}  // namespace learning::learners
