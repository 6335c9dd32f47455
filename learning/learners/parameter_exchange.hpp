// How the workers' parameters meet: in their mean, at an elastic centre, or in an outer step.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "learning/learners/learner.hpp"
#include "learning/learners/replicas.hpp"

namespace learning::learners {

/// Whether they meet before each worker takes its own gradient.
bool meets_before_step(const Meeting& meeting);

/// Carries out meetings, and remembers the centre of those that have one. A copy goes on by itself; it shares
/// memory until one side changes.
class ParameterExchange {
 public:
  /// @param centre  the parameters with which everybody begins
  explicit ParameterExchange(std::span<const float> centre)
      : centre_(std::make_shared<const std::vector<float>>(centre.begin(), centre.end())) {}

  /// @param shares   the workers that meet
  /// @param weights  of a mean of all of them, one per share, 1 together; an elastic centre does without
  void meet(const Meeting& meeting, std::span<const Share> shares, std::span<const double> weights,
            Replicas& replicas);

  /// The model that elastically tied workers train together; nothing where they are not.
  [[nodiscard]] std::optional<std::span<const float>> elastic_centre() const;

 private:
  void draw_to_centre(const ElasticMean& meeting, std::span<const Share> shares, Replicas& replicas);
  void move_centre(const OuterStep& meeting, std::span<const Share> shares, std::span<const double> weights,
                   Replicas& replicas);

  std::shared_ptr<const std::vector<float>> centre_;
  std::shared_ptr<const std::vector<float>> velocity_;  ///< of the centre; null before the first outer step
  bool elastic_ = false;
};

}  // namespace learning::learners
