// Optimizers: from a gradient to new parameters.
#pragma once

#include <span>
#include <variant>
#include <vector>

namespace learning::models {

/// Stochastic gradient descent, as torch.optim.SGD (dampening 0):
///
///   g = gradient + weight_decay p;  v = momentum v + g;  p = p - rate v, with Nesterov p - rate (g +
///   momentum v)
///
/// Source: Sutskever, Martens, Dahl & Hinton, "On the Importance of Initialization and Momentum in Deep
///         Learning", ICML 2013; here, as in PyTorch, the rate multiplies the velocity and is not kept in it.
struct Sgd {
  double momentum = 0;      ///< in [0, 1)
  bool nesterov = false;    ///< needs momentum
  double weight_decay = 0;  ///< at least 0; of all parameters, biases too

  bool operator==(const Sgd&) const = default;
};

/// Adam, as torch.optim.Adam, at step t = 1, 2, ...:
///
///   g = gradient + weight_decay p;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2
///   p = p - rate / (1 - beta1^t) m / (sqrt(v / (1 - beta2^t)) + epsilon)
///
/// Source: Kingma & Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015, algorithm 1.
struct Adam {
  double beta1 = 0.9;       ///< in [0, 1)
  double beta2 = 0.999;     ///< in [0, 1)
  double epsilon = 1e-8;    ///< above 0
  double weight_decay = 0;  ///< at least 0

  bool operator==(const Adam&) const = default;
};

using OptimizerSettings = std::variant<Sgd, Adam>;

/// The settings with what they remember from step to step. A value: a copy goes on by itself.
class Optimizer {
 public:
  explicit Optimizer(OptimizerSettings settings);

  /// Changes the parameters in place. Allocates in the first step only.
  /// @param parameters, gradient  of equal length, the same in every step
  /// @param learning_rate         at least 0
  void step(std::span<float> parameters, std::span<const float> gradient, double learning_rate);

  /// Forgets all steps.
  void reset();

  [[nodiscard]] const OptimizerSettings& settings() const { return settings_; }

 private:
  void apply(const Sgd& settings, std::span<float> parameters, std::span<const float> gradient, float rate);
  void apply(const Adam& settings, std::span<float> parameters, std::span<const float> gradient, double rate);

  OptimizerSettings settings_;
  std::vector<float> first_;   ///< velocity (SGD with momentum) or m (Adam)
  std::vector<float> second_;  ///< v (Adam)
  double power1_ = 1;          ///< beta1^t
  double power2_ = 1;          ///< beta2^t
};

}  // namespace learning::models
