// Copying on the first change.
#include "learning/learners/replicas.hpp"

#include <algorithm>
#include <utility>

namespace learning::learners {

Replicas::Replicas(std::uint32_t workers, const models::Model& model, const models::Optimizer& optimizer,
                   std::uint64_t seed)
    : states_(workers, std::vector<float>(model.state_count())) {
  const auto first =
      std::make_shared<Replica>(Replica{std::vector<float>(model.parameter_count()), optimizer});
  std::vector<float> state(model.state_count());
  model.initialise(seed, first->parameters, state);
  replicas_.assign(workers, first);
  std::ranges::fill(states_, state);
}

Replicas::Replica& Replicas::own(std::uint32_t worker) {
  std::shared_ptr<Replica>& replica = replicas_[worker];
  if (replica.use_count() > 1) replica = std::make_shared<Replica>(*replica);
  return *replica;
}

template <class Change>
void Replicas::change_together(std::span<const Share> shares, const Change& change) {
  std::vector<std::pair<std::shared_ptr<Replica>, std::shared_ptr<Replica>>> changed;  // before and after
  for (const Share& share : shares) {
    std::shared_ptr<Replica>& replica = replicas_[share.worker];
    const auto known = std::ranges::find_if(changed, [&](const auto& pair) { return pair.first == replica; });
    if (known != changed.end()) {
      replica = known->second;
      continue;
    }
    const bool only_these =
        std::cmp_less_equal(replica.use_count(), std::ranges::count_if(shares, [&](const Share& other) {
                              return replicas_[other.worker] == replica;
                            }));
    const auto before = replica;
    if (!only_these) replica = std::make_shared<Replica>(*before);
    change(*replica);
    changed.emplace_back(before, replica);
  }
}

void Replicas::step_together(std::span<const Share> shares, std::span<const float> gradient, double rate) {
  change_together(shares, [&](Replica& one) { one.optimizer.step(one.parameters, gradient, rate); });
}

void Replicas::momentum_step_together(std::span<const Share> shares, std::span<const float> received,
                                      double rate) {
  change_together(shares, [&](Replica& one) { one.optimizer.momentum_step(one.parameters, received, rate); });
}

void Replicas::compressed_step_together(std::span<const Share> shares, std::span<const float> received,
                                        double rate) {
  change_together(shares,
                  [&](Replica& one) { one.optimizer.compressed_step(one.parameters, received, rate); });
}

void Replicas::accumulated_step_together(std::span<const Share> shares, std::span<const float> common,
                                         std::span<const float> received) {
  const std::uint32_t first = shares.front().worker;
  set(first, common);
  Replica& one = own(first);
  one.optimizer.accumulated_step(one.parameters, received);
  for (const Share& share : shares) replicas_[share.worker] = replicas_[first];
}

void Replicas::step_alone(std::uint32_t worker, std::span<const float> gradient, double rate) {
  Replica& replica = own(worker);
  replica.optimizer.local_step(replica.parameters, gradient, rate);
}

void Replicas::average(std::span<const Share> shares, std::span<const double> weights) {
  std::vector<float> mean(parameters(shares.front().worker).size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (weights[i] == 0) continue;
    const std::span<const float> part = parameters(shares[i].worker);
    const auto weight = static_cast<float>(weights[i]);
    for (std::size_t place = 0; place < mean.size(); ++place) mean[place] += weight * part[place];
  }
  for (const Share& share : shares) set(share.worker, mean);
}

void Replicas::set(std::uint32_t worker, std::span<const float> parameters) {
  std::ranges::copy(parameters, own(worker).parameters.begin());
}

void Replicas::follow(std::uint32_t worker, std::uint32_t other) {
  replicas_[worker] = replicas_[other];
  states_[worker] = states_[other];
}

void Replicas::mean(std::span<const Share> shares, std::vector<float>& parameters,
                    std::vector<float>& state) const {
  parameters.assign(replicas_.front()->parameters.size(), 0);
  state.assign(states_.front().size(), 0);
  const float weight = 1.0F / static_cast<float>(shares.size());
  for (const Share& share : shares) {
    const std::vector<float>& part = replicas_[share.worker]->parameters;
    for (std::size_t place = 0; place < part.size(); ++place) parameters[place] += weight * part[place];
    for (std::size_t place = 0; place < state.size(); ++place)
      state[place] += weight * states_[share.worker][place];
  }
}

}  // namespace learning::learners
