// Optimizers: from a gradient to new parameters; one row for each, with its settings.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/matrix.hpp"
#include "learning/models/lamb.hpp"
#include "learning/models/onebit_adam.hpp"
#include "learning/models/optimizer_state.hpp"
#include "learning/models/zero_one_adam.hpp"
#include "settings/choice.hpp"
#include "settings/fields.hpp"

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

/// Adam with decoupled weight decay, as torch.optim.AdamW: first p = p - rate weight_decay p, then a step of
/// Adam whose g is the gradient alone.
///
/// Source: Loshchilov & Hutter, "Decoupled Weight Decay Regularization", ICLR 2019, algorithm 2; as in
/// PyTorch,
///         the learning rate multiplies the decay, too.
struct AdamW {
  double beta1 = 0.9;          ///< in [0, 1)
  double beta2 = 0.999;        ///< in [0, 1)
  double epsilon = 1e-8;       ///< above 0
  double weight_decay = 0.01;  ///< at least 0; of all parameters, biases too

  bool operator==(const AdamW&) const = default;
};

void describe(settings::Fields& fields, Sgd& settings);
/// Nesterov momentum without momentum.
std::optional<settings::Problem> problem_of(const Sgd& settings);
void describe(settings::Fields& fields, Adam& settings);
void describe(settings::Fields& fields, AdamW& settings);

/// The step of AdamW, for optimizers that use it for a part.
void take_step(const AdamW& settings, OptimizerState& state, std::span<float> parameters,
               std::span<const float> gradient, double learning_rate);

/// Momentum whose matrices are orthogonalised; vectors, and the first and the last of at least three matrices
/// (embedding and head), are AdamW's:
///
///   m = momentum m + g,   u = g + momentum m (Nesterov's) or m,   p = (1 - rate decay) p - rate s O(u),
///   s = 0.2 sqrt(max(rows, columns)), with which a step is as large as AdamW's and takes its rate
///
/// Source: Jordan et al., "Muon: An optimizer for hidden layers in neural networks", 2024; s and decay: Liu
/// et
///         al., "Muon is Scalable for LLM Training", arXiv:2502.16982, 2025. Inside DiLoCo it is MuLoCo:
///         Therien et al., arXiv:2505.23725, 2025.
struct Muon {
  double momentum = 0.95;  ///< in [0, 1)
  bool nesterov = true;
  int iterations = 5;  ///< Newton-Schulz, at least 1
  double weight_decay = 0.1;
  AdamW others = {.beta2 = 0.95, .weight_decay = 0.1};  ///< for what is no matrix; `weight_decay` as above

  bool operator==(const Muon&) const = default;
};

void describe(settings::Fields& fields, Muon& settings);

/// Steps of one length: p = (1 - rate decay) p - rate sign(g), where the sign of 0 is 0.
///
/// With gradients that are compressed by `dct_topk` whose residual decays, it is DeMo: the residual is the
/// momentum.
/// Source: Bernstein et al., "signSGD: Compressed Optimisation for Non-Convex Problems", ICML 2018, algorithm
///         1; with the decay: Peng, Quesnelle & Kingma, "DeMo: Decoupled Momentum Optimization",
///         arXiv:2411.19870, 2024, algorithm 1.
struct SignDescent {
  double weight_decay = 0;  ///< at least 0; decoupled

  bool operator==(const SignDescent&) const = default;
};

void describe(settings::Fields& fields, SignDescent& settings);

/// The learning rate that an optimizer takes where none is stated.
struct UsualRate {
  std::string_view text;  ///< as a file writes it, in (0, 1000]
  std::string_view doc;   ///< documentation of the key, with the source of the figure
};

/// Steps of an optimizer that accumulates momenta: those in which something else than whole gradients is
/// sent, and those in which nothing is.
struct MomentumSteps {
  /// Step with the mean of compressed gradients.
  void (*compressed)(const void* settings, OptimizerState& state, std::span<float> parameters,
                     std::span<const float> received, double learning_rate) = nullptr;
  /// Step with a worker's own gradient.
  void (*local)(const void* settings, OptimizerState& state, std::span<float> parameters,
                std::span<const float> gradient, double learning_rate) = nullptr;
  /// Finds what a worker sends of its steps since the last exchange.
  void (*accumulated)(const void* settings, const OptimizerState& state, std::span<float> sent) = nullptr;
  /// Step with the mean of such, from the parameters that all had last.
  void (*exchanged)(const void* settings, OptimizerState& state, std::span<float> parameters,
                    std::span<const float> received) = nullptr;
};

/// One row.
struct OptimizerRow : settings::Row {
  UsualRate usual_rate;
  std::string (*text)(const void* settings) = nullptr;
  double (*weight_decay)(const void* settings) = nullptr;
  void (*step)(const void* settings, OptimizerState& state, std::span<float> parameters,
               std::span<const float> gradient, double learning_rate) = nullptr;
  /// Finds what a worker sends in place of its gradient where the exchange is compressed; null: its gradient.
  void (*momentum)(const void* settings, const OptimizerState& state, std::span<const float> gradient,
                   std::span<float> sent) = nullptr;
  /// A step with the mean of such; null where `momentum` is.
  void (*momentum_step)(const void* settings, OptimizerState& state, std::span<float> parameters,
                        std::span<const float> received, double learning_rate) = nullptr;

  /// Null for optimizers without them.
  MomentumSteps momenta = {};

  /// Whether momenta are accumulated in local steps, where a policy says so.
  [[nodiscard]] constexpr bool accumulates_momentum() const { return momenta.local != nullptr; }
  /// Whether compressed momenta are exchanged, after a dense warm-up.
  [[nodiscard]] constexpr bool sends_momentum() const { return momentum != nullptr; }
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

/// The learning rate of a row where none is stated.
double usual_rate(const OptimizerRow& row) noexcept;

/// For labels: `SGD with momentum 0.9`.
inline std::string describe(const OptimizerChoice& choice) { return choice->text(choice.settings()); }

/// An optimizer and its learning rate: the map under `learner.optimizer`.
struct OptimizerSettings {
  OptimizerChoice method;
  double learning_rate = usual_rate(method.row());  ///< learning rate of a step, in (0, 1000]
  std::optional<double> max_norm = {};  ///< largest gradient norm, above 0; none: it is taken as it is

  bool operator==(const OptimizerSettings&) const = default;
};

void describe(settings::Fields& fields, OptimizerSettings& settings);
/// Clipping of a gradient that does not exist.
std::optional<settings::Problem> problem_of(const OptimizerSettings& settings);
constexpr std::string_view choice_key(std::type_identity<OptimizerSettings>) { return "method"; }

/// The choice with its state. A value: a copy continues independently.
class Optimizer {
 public:
  explicit Optimizer(OptimizerChoice choice) : choice_(std::move(choice)) {}
  explicit Optimizer(const OptimizerSettings& settings)
      : choice_(settings.method), max_norm_(settings.max_norm) {}
  /// @param matrices  that the parameters are, in their order; a vector has one row
  Optimizer(const OptimizerSettings& settings, std::vector<kernels::Shape> matrices) : Optimizer(settings) {
    state_.matrices = std::move(matrices);
  }

  /// Changes the parameters in place. A gradient of a norm above `max_norm` is taken times max_norm / norm.
  /// Allocates in the first step only.
  /// Source of the clipping: Pascanu, Mikolov & Bengio, "On the Difficulty of Training Recurrent Neural
  ///         Networks", ICML 2013, algorithm 1.
  /// @param parameters, gradient  of equal length, the same in every step
  /// @param learning_rate         at least 0
  void step(std::span<float> parameters, std::span<const float> gradient, double learning_rate);

  /// Finds what this worker sends in place of its gradient. The row sends momenta, and a dense step came
  /// before.
  void find_momentum(std::span<const float> gradient, std::span<float> sent) const {
    choice_->momentum(choice_.settings(), state_, gradient, sent);
  }
  /// A step with the mean of what the workers sent.
  void momentum_step(std::span<float> parameters, std::span<const float> received, double learning_rate) {
    choice_->momentum_step(choice_.settings(), state_, parameters, received, learning_rate);
  }

  /// A step with the mean of compressed gradients.
  void compressed_step(std::span<float> parameters, std::span<const float> received, double learning_rate) {
    if (!choice_->accumulates_momentum()) return step(parameters, received, learning_rate);
    choice_->momenta.compressed(choice_.settings(), state_, parameters, received, learning_rate);
  }
  /// A step of one worker with its own gradient.
  void local_step(std::span<float> parameters, std::span<const float> gradient, double learning_rate) {
    if (!choice_->accumulates_momentum()) return step(parameters, gradient, learning_rate);
    choice_->momenta.local(choice_.settings(), state_, parameters, gradient, learning_rate);
  }
  /// Finds what this worker sends of its own steps since the last exchange. The row accumulates momenta.
  void find_accumulated(std::span<float> sent) const {
    choice_->momenta.accumulated(choice_.settings(), state_, sent);
  }
  /// A step with the mean of such.
  /// @param parameters  that all workers had last
  void accumulated_step(std::span<float> parameters, std::span<const float> received) {
    choice_->momenta.exchanged(choice_.settings(), state_, parameters, received);
  }

  /// Takes the own steps since the last exchange as none.
  void forget_accumulated() { std::ranges::fill(state_.accumulated, 0.0F); }

  /// Forgets all steps.
  void reset() { state_ = {.matrices = std::move(state_.matrices)}; }

  [[nodiscard]] const OptimizerChoice& choice() const { return choice_; }

 private:
  OptimizerChoice choice_;
  std::optional<double> max_norm_ = {};
  OptimizerState state_;
  std::vector<float> clipped_;
};

}  // namespace learning::models
