// The workers' models: one in memory while they are equal, one each once they part.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "learning/learners/learner.hpp"
#include "learning/models/model.hpp"
#include "learning/models/optimizer.hpp"

namespace learning::learners {

/// Parameters and optimizer of every worker, shared as long as they are equal and copied when one is changed
/// alone; running statistics of batch norm are always a worker's own. Copying all of it costs little: a copy
/// shares everything until one side changes.
class Replicas {
 public:
  Replicas(std::uint32_t workers, const models::Model& model, const models::Optimizer& optimizer,
           std::uint64_t seed);

  [[nodiscard]] std::uint32_t workers() const { return static_cast<std::uint32_t>(replicas_.size()); }
  [[nodiscard]] std::span<const float> parameters(std::uint32_t worker) const {
    return replicas_[worker]->parameters;
  }
  [[nodiscard]] std::span<float> state(std::uint32_t worker) { return states_[worker]; }

  /// All of these workers take the same gradient; each distinct replica is changed once.
  void step_together(std::span<const Share> shares, std::span<const float> gradient, double rate);
  /// The same with the mean of what `find_momentum` gave.
  void momentum_step_together(std::span<const Share> shares, std::span<const float> received, double rate);
  /// The same with the mean of compressed gradients.
  void compressed_step_together(std::span<const Share> shares, std::span<const float> received, double rate);
  /// Finds what this worker sends of its own steps, where its optimizer accumulates momenta.
  void find_accumulated(std::uint32_t worker, std::span<float> sent) const {
    replicas_[worker]->optimizer.find_accumulated(sent);
  }
  void forget_accumulated(std::uint32_t worker) { own(worker).optimizer.forget_accumulated(); }
  /// All of these workers take the step with the mean of such, from the parameters that all had last, and are
  /// equal then.
  void accumulated_step_together(std::span<const Share> shares, std::span<const float> common,
                                 std::span<const float> received);
  /// Finds what this worker sends in place of its gradient, where its optimizer sends momenta.
  void find_momentum(std::uint32_t worker, std::span<const float> gradient, std::span<float> sent) const {
    replicas_[worker]->optimizer.find_momentum(gradient, sent);
  }
  void step_alone(std::uint32_t worker, std::span<const float> gradient, double rate);
  /// All of these workers take the weighted mean of their parameters; their optimizers stay their own.
  /// @param weights  one per share, with sum 1
  void average(std::span<const Share> shares, std::span<const double> weights);
  /// The worker's parameters become a copy of these; its optimizer stays.
  void set(std::uint32_t worker, std::span<const float> parameters);
  /// The worker's parameters, optimizer and running statistics become those of another.
  void follow(std::uint32_t worker, std::uint32_t other);

  /// Mean over these workers, of parameters and of running statistics.
  void mean(std::span<const Share> shares, std::vector<float>& parameters, std::vector<float>& state) const;

 private:
  struct Replica {
    std::vector<float> parameters;
    models::Optimizer optimizer;
  };

  /// Changes each distinct replica of these workers once, by `change`.
  template <class Change>
  void change_together(std::span<const Share> shares, const Change& change);
  /// The worker's replica, shared with no other from now on.
  Replica& own(std::uint32_t worker);

  std::vector<std::shared_ptr<Replica>> replicas_;
  std::vector<std::vector<float>> states_;
};

}  // namespace learning::learners
