// Means over some, elastic moves, outer steps with momentum.
#include <algorithm>
#include <numeric>
#include <utility>

#include "learning/learners/gradient_exchange.hpp"

namespace learning::learners {
namespace {

/// The weights of the named workers, normalised to a sum of 1; of all where none is named.
std::vector<double> weights_among(const std::vector<std::uint32_t>& named, std::span<const Share> shares,
                                  std::span<const double> weights) {
  std::vector<double> among(weights.begin(), weights.end());
  if (named.empty()) return among;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (std::ranges::find(named, shares[i].worker) == named.end()) among[i] = 0;
  }
  const double sum = std::accumulate(among.begin(), among.end(), 0.0);
  for (double& weight : among) weight /= sum;
  return among;
}

}  // namespace

bool meets_before_step(const Meeting& meeting) {
  if (const auto* mean = std::get_if<Mean>(&meeting)) return mean->before_step;
  return std::holds_alternative<ElasticMean>(meeting);
}

void ParameterExchange::meet(const Meeting& meeting, std::span<const Share> shares,
                             std::span<const double> weights, Replicas& replicas) {
  if (const auto* mean = std::get_if<Mean>(&meeting))
    replicas.average(shares, weights_among(mean->of, shares, weights));
  if (const auto* elastic = std::get_if<ElasticMean>(&meeting)) draw_to_centre(*elastic, shares, replicas);
  if (const auto* outer = std::get_if<OuterStep>(&meeting)) move_centre(*outer, shares, weights, replicas);
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
  std::vector<float> centre = *centre_;
  std::vector<float> velocity = velocity_ ? *velocity_ : std::vector<float>(centre.size());
  const auto rate = static_cast<float>(meeting.rate);
  const auto momentum = static_cast<float>(meeting.momentum);
  for (std::size_t place = 0; place < centre.size(); ++place) {
    const float change = centre[place] - mean[place];
    velocity[place] = momentum * velocity[place] + change;
    centre[place] -= rate * (change + momentum * velocity[place]);
  }
  for (const Share& share : shares) replicas.set(share.worker, centre);
  centre_ = std::make_shared<const std::vector<float>>(std::move(centre));
  velocity_ = std::make_shared<const std::vector<float>>(std::move(velocity));
}

std::optional<std::span<const float>> ParameterExchange::elastic_centre() const {
  if (!elastic_) return std::nullopt;
  return std::span<const float>(*centre_);
}

std::optional<std::span<const float>> ParameterExchange::outer_model() const {
  if (!velocity_) return std::nullopt;
  return std::span<const float>(*centre_);
}

}  // namespace learning::learners
