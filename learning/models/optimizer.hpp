// Optimizers: from a gradient to new parameters; one row for each, with its settings.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "settings/choice.hpp"

namespace learning::models {

/// Stochastic gradient descent, as torch.optim.SGD (dampening 0):
///
///   g = gradient + weight_decay p;  v = momentum v + g;  p = p - rate v, with Nesterov p - rate (g +
///   momentum v)
///
/// Source: Sutskever, Martens, Dahl & Hinton, "On the Importance of Initialization and Momentum in Deep
///         Learning", ICML 2013; here, as in PyTorch, the rate multiplies the velocity and is not kept in it.
struct Sgd {
  double momentum = 0.9;    ///< in [0, 1)
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

void describe(settings::Fields& fields, Sgd& settings);
void describe(settings::Fields& fields, Adam& settings);

/// What an optimizer remembers from step to step.
struct OptimizerState {
  std::vector<float> first;   ///< velocity (SGD with momentum) or m (Adam)
  std::vector<float> second;  ///< v (Adam)
  double power1 = 1;          ///< beta1^t
  double power2 = 1;          ///< beta2^t
};

/// One row.
struct OptimizerRow : settings::Row {
  std::string (*text)(const void* settings) = nullptr;
  double (*weight_decay)(const void* settings) = nullptr;
  void (*step)(const void* settings, OptimizerState& state, std::span<float> parameters,
               std::span<const float> gradient, double learning_rate) = nullptr;
};

/// Every optimizer, in a stable order; the first is the default.
std::span<const OptimizerRow> optimizers();
inline const OptimizerRow& default_row(std::type_identity<OptimizerRow>) { return optimizers().front(); }

/// An optimizer with its settings.
using OptimizerChoice = settings::RowChoice<OptimizerRow>;

void describe(settings::Fields& fields, OptimizerChoice& choice);

/// @returns the row, or nullptr when there is no such name
const OptimizerRow* find_optimizer(std::string_view name);

/// A choice by name, for code and tests that state one: `optimizer("sgd", Sgd{.momentum = 0})`.
/// @param name  of a row whose settings are of type `S`
template <class S>
OptimizerChoice optimizer(std::string_view name, S settings) {
  return {*find_optimizer(name), std::move(settings)};
}

/// For labels: `SGD with momentum 0.9`.
inline std::string text_of(const OptimizerChoice& choice) { return choice->text(choice.settings()); }

/// An optimizer and its learning rate: the map under `learner.optimizer`.
struct OptimizerSettings {
  OptimizerChoice method;
  double learning_rate = 0.05;  ///< of a step, in (0, 1000]

  bool operator==(const OptimizerSettings&) const = default;
};

void describe(settings::Fields& fields, OptimizerSettings& settings);
constexpr std::string_view choice_key(std::type_identity<OptimizerSettings>) { return "method"; }

/// The choice with what it remembers from step to step. A value: a copy goes on by itself.
class Optimizer {
 public:
  explicit Optimizer(OptimizerChoice choice) : choice_(std::move(choice)) {}

  /// Changes the parameters in place. Allocates in the first step only.
  /// @param parameters, gradient  of equal length, the same in every step
  /// @param learning_rate         at least 0
  void step(std::span<float> parameters, std::span<const float> gradient, double learning_rate);

  /// Forgets all steps.
  void reset() { state_ = {}; }

  [[nodiscard]] const OptimizerChoice& choice() const { return choice_; }

 private:
  OptimizerChoice choice_;
  OptimizerState state_;
};

}  // namespace learning::models
