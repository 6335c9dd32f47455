// Steps and rows of the optimizers.
#include "learning/models/optimizer.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "kernels/statistics.hpp"
#include "learning/models/orthogonal.hpp"
#include "settings/type.hpp"

namespace learning::models {
namespace {

/// p = p - rate v, with the velocity updated on the way; `nesterov` looks one step further.
template <bool nesterov>
void descend_with_momentum(std::span<float> parameters, std::span<const float> gradient,
                           std::span<float> velocity, float rate, float momentum, float decay) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const float slope = gradient[i] + decay * parameters[i];
    velocity[i] = momentum * velocity[i] + slope;
    parameters[i] -= rate * (nesterov ? slope + momentum * velocity[i] : velocity[i]);
  }
}

void take_step(const Sgd& settings, OptimizerState& state, std::span<float> parameters,
               std::span<const float> gradient, double learning_rate) {
  const auto rate = static_cast<float>(learning_rate);
  const auto momentum = static_cast<float>(settings.momentum);
  const auto decay = static_cast<float>(settings.weight_decay);
  if (settings.momentum == 0) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      parameters[i] -= rate * (gradient[i] + decay * parameters[i]);
    }
    return;
  }
  state.first.resize(parameters.size());
  if (settings.nesterov) {
    descend_with_momentum<true>(parameters, gradient, state.first, rate, momentum, decay);
  } else {
    descend_with_momentum<false>(parameters, gradient, state.first, rate, momentum, decay);
  }
}

void take_step(const Adam& settings, OptimizerState& state, std::span<float> parameters,
               std::span<const float> gradient, double learning_rate) {
  state.first.resize(parameters.size());
  state.second.resize(parameters.size());
  state.power1 *= settings.beta1;
  state.power2 *= settings.beta2;
  const auto step_size = static_cast<float>(learning_rate / (1 - state.power1));
  const auto correction = static_cast<float>(1 / std::sqrt(1 - state.power2));
  const auto keep1 = static_cast<float>(settings.beta1);
  const auto keep2 = static_cast<float>(settings.beta2);
  const auto take1 = static_cast<float>(1 - settings.beta1);
  const auto take2 = static_cast<float>(1 - settings.beta2);
  const auto epsilon = static_cast<float>(settings.epsilon);
  const auto decay = static_cast<float>(settings.weight_decay);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const float slope = gradient[i] + decay * parameters[i];
    state.first[i] = keep1 * state.first[i] + take1 * slope;
    state.second[i] = keep2 * state.second[i] + take2 * (slope * slope);
    parameters[i] -= step_size * state.first[i] / (std::sqrt(state.second[i]) * correction + epsilon);
  }
}

}  // namespace

void take_step(const AdamW& settings, OptimizerState& state, std::span<float> parameters,
               std::span<const float> gradient, double learning_rate) {
  const auto keep = static_cast<float>(1 - learning_rate * settings.weight_decay);
  if (settings.weight_decay > 0) {
    for (float& parameter : parameters) parameter *= keep;
  }
  take_step(Adam{settings.beta1, settings.beta2, settings.epsilon, 0}, state, parameters, gradient,
            learning_rate);
}

namespace {

void take_step(const SignDescent& settings, OptimizerState&, std::span<float> parameters,
               std::span<const float> gradient, double learning_rate) {
  const auto rate = static_cast<float>(learning_rate);
  const auto keep = static_cast<float>(1 - learning_rate * settings.weight_decay);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const float slope = gradient[i];
    const float sign = slope > 0 ? 1.0F : slope < 0 ? -1.0F : slope;  // NaN stays NaN: it does not get lost
    parameters[i] = keep * parameters[i] - rate * sign;
  }
}

/// Matrices that Muon orthogonalises.
bool is_hidden(const std::vector<kernels::Shape>& matrices, std::size_t number) {
  const auto is_matrix = [](const kernels::Shape& shape) { return shape.rows > 1 && shape.columns > 1; };
  if (!is_matrix(matrices[number])) return false;
  if (std::ranges::count_if(matrices, is_matrix) < 3) return true;
  const auto begin = matrices.begin() + static_cast<std::ptrdiff_t>(number);
  return std::any_of(matrices.begin(), begin, is_matrix) && std::any_of(begin + 1, matrices.end(), is_matrix);
}

void take_matrix_step(const Muon& settings, std::span<float> velocity, const kernels::Shape& shape,
                      std::span<float> parameters, std::span<const float> gradient, double learning_rate) {
  const auto momentum = static_cast<float>(settings.momentum);
  std::vector<float> update(parameters.size());
  for (std::size_t i = 0; i < update.size(); ++i) {
    velocity[i] = momentum * velocity[i] + gradient[i];
    update[i] = settings.nesterov ? gradient[i] + momentum * velocity[i] : velocity[i];
  }
  std::vector<float> room;
  orthogonalise(update, shape, settings.iterations, room);
  constexpr double as_adam = 0.2;
  const auto longest = static_cast<double>(std::max(shape.rows, shape.columns));
  const auto rate = static_cast<float>(learning_rate * as_adam * std::sqrt(longest));
  const auto keep = static_cast<float>(1 - learning_rate * settings.weight_decay);
  for (std::size_t i = 0; i < update.size(); ++i) parameters[i] = keep * parameters[i] - rate * update[i];
}

/// Matrix by matrix; vectors take AdamW's step.
void take_step(const Muon& settings, OptimizerState& state, std::span<float> parameters,
               std::span<const float> gradient, double learning_rate) {
  state.first.resize(parameters.size());
  state.second.resize(parameters.size());
  AdamW others = settings.others;
  others.weight_decay = settings.weight_decay;
  const double power1 = state.power1;
  const double power2 = state.power2;
  std::size_t begin = 0;
  const auto part = [&](std::size_t count, const auto& step) {
    step(std::span(state.first).subspan(begin, count), parameters.subspan(begin, count),
         gradient.subspan(begin, count));
    begin += count;
  };
  for (std::size_t number = 0; number < state.matrices.size(); ++number) {
    const kernels::Shape& shape = state.matrices[number];
    const auto count = static_cast<std::size_t>(shape.rows * shape.columns);
    if (is_hidden(state.matrices, number)) {
      part(count, [&](std::span<float> velocity, std::span<float> own, std::span<const float> slope) {
        take_matrix_step(settings, velocity, shape, own, slope, learning_rate);
      });
      continue;
    }
    part(count, [&](std::span<float> mean, std::span<float> own, std::span<const float> slope) {
      const auto squares = std::span(state.second).subspan(begin, count);
      OptimizerState some{{}, {mean.begin(), mean.end()}, {squares.begin(), squares.end()}, power1, power2};
      take_step(others, some, own, slope, learning_rate);
      std::ranges::copy(some.first, mean.begin());
      std::ranges::copy(some.second, squares.begin());
    });
  }
  assert(begin == parameters.size());
  state.power1 = power1 * others.beta1;
  state.power2 = power2 * others.beta2;
}

std::string label_of(const Sgd& settings) {
  return settings.momentum > 0 ? fmt::format("SGD with momentum {:g}", settings.momentum) : "SGD";
}

std::string label_of(const Adam& settings) {
  const Adam defaults{.weight_decay = settings.weight_decay};
  if (settings == defaults) return "Adam";
  return fmt::format("Adam with beta {:g} and {:g}, epsilon {:g}", settings.beta1, settings.beta2,
                     settings.epsilon);
}

std::string label_of(const AdamW& settings) {
  const std::string moments = label_of(Adam{settings.beta1, settings.beta2, settings.epsilon, 0});
  return fmt::format("AdamW{}, weight decay {:g}", moments.substr(std::string_view("Adam").size()),
                     settings.weight_decay);
}

std::string label_of(const Muon& settings) {
  return fmt::format("Muon with momentum {:g}, weight decay {:g}, AdamW for vectors, embedding and head",
                     settings.momentum, settings.weight_decay);
}

std::string label_of(const SignDescent& settings) {
  return settings.weight_decay > 0
             ? fmt::format("the sign of the gradient, weight decay {:g}", settings.weight_decay)
             : "the sign of the gradient";
}

std::string label_of(const OneBitAdam& settings) {
  const AdamW dense{settings.beta1, settings.beta2, settings.epsilon, settings.weight_decay};
  return "1-bit " + (settings.weight_decay > 0 ? label_of(dense)
                                               : label_of(Adam{dense.beta1, dense.beta2, dense.epsilon, 0}));
}

std::string label_of(const Lamb& settings) {
  return fmt::format("LAMB, weight decay {:g}", settings.weight_decay);
}

std::string label_of(const OneBitLamb& settings) { return "1-bit " + label_of(settings.lamb); }

std::string label_of(const ZeroOneAdam& settings) {
  const AdamW dense{settings.beta1, settings.beta2, settings.epsilon, settings.weight_decay};
  return "0/1 " + (settings.weight_decay > 0 ? label_of(dense)
                                             : label_of(Adam{dense.beta1, dense.beta2, dense.epsilon, 0}));
}

template <class S>
double weight_decay_of(const S& settings) {
  return settings.weight_decay;
}
double weight_decay_of(const OneBitLamb& settings) { return settings.lamb.weight_decay; }

template <class S>
consteval MomentumSteps momentum_steps() {
  MomentumSteps steps;
  steps.compressed = [](const void* settings, OptimizerState& state, std::span<float> parameters,
                        std::span<const float> received, double learning_rate) {
    take_compressed_step(*static_cast<const S*>(settings), state, parameters, received, learning_rate);
  };
  steps.local = [](const void* settings, OptimizerState& state, std::span<float> parameters,
                   std::span<const float> gradient, double learning_rate) {
    take_local_step(*static_cast<const S*>(settings), state, parameters, gradient, learning_rate);
  };
  steps.accumulated = [](const void* settings, const OptimizerState& state, std::span<float> sent) {
    find_accumulated(*static_cast<const S*>(settings), state, sent);
  };
  steps.exchanged = [](const void* settings, OptimizerState& state, std::span<float> parameters,
                       std::span<const float> received) {
    take_accumulated_step(*static_cast<const S*>(settings), state, parameters, received);
  };
  return steps;
}

consteval settings::Demands demands_of(const OptimizerRow& row) {
  using enum settings::Capability;
  settings::Demands demands;
  if (row.sends_momentum()) {
    demands.needs |= {gradients_every_step, compressed, one_compression, recoded_sum, dense_warm_up};
    demands.denies |= {plain_gradients};
  }
  if (row.accumulates_momentum())
    demands.needs |= {momentum_steps};
  else
    demands.denies |= {momentum_optimizer};
  return demands;
}

template <class S>
consteval OptimizerRow optimizer_row(const settings::Row& facts, const UsualRate& usual_rate) {
  OptimizerRow made{facts, usual_rate};
  made.settings = &settings::owned<S>;
  made.text = [](const void* settings) { return label_of(*static_cast<const S*>(settings)); };
  made.weight_decay = [](const void* settings) { return weight_decay_of(*static_cast<const S*>(settings)); };
  made.step = [](const void* settings, OptimizerState& state, std::span<float> parameters,
                 std::span<const float> gradient, double learning_rate) {
    take_step(*static_cast<const S*>(settings), state, parameters, gradient, learning_rate);
  };
  if constexpr (requires(const S& s, const OptimizerState& state) { find_momentum(s, state, {}, {}); }) {
    made.momentum = [](const void* settings, const OptimizerState& state, std::span<const float> gradient,
                       std::span<float> sent) {
      find_momentum(*static_cast<const S*>(settings), state, gradient, sent);
    };
    made.momentum_step = [](const void* settings, OptimizerState& state, std::span<float> parameters,
                            std::span<const float> received, double learning_rate) {
      take_momentum_step(*static_cast<const S*>(settings), state, parameters, received, learning_rate);
    };
  }
  if constexpr (requires(const S& s, const OptimizerState& state) { find_accumulated(s, state, {}); })
    made.momenta = momentum_steps<S>();
  made.demands = demands_of(made);
  return made;
}

constexpr std::array optimizer_table{
    optimizer_row<Sgd>(
        {"sgd", "stochastic gradient descent with momentum", "Sutskever et al., ICML 2013"},
        {"0.05",
         "Learning rate; the default suits the small models here with momentum 0.9, as tests measure."}),
    optimizer_row<Adam>(
        {"adam", "steps scaled by running moments of the gradient", "Kingma & Ba, ICLR 2015"},
        {"0.001", "Learning rate; the default is that of Kingma & Ba, ICLR 2015, algorithm 1."}),
    optimizer_row<AdamW>(
        {"adamw", "Adam with decoupled weight decay", "Loshchilov & Hutter, ICLR 2019"},
        {"0.001", "Learning rate; the default is that of Loshchilov & Hutter, ICLR 2019, algorithm 2."}),
    optimizer_row<Muon>(
        {"muon", "momentum whose matrices are orthogonalised; AdamW for the rest", "Jordan et al. 2024"},
        {"0.003",
         "Learning rate, scaled as AdamW's (Liu et al. 2025); the default suits the small models here, as "
         "tests "
         "measure."}),
    optimizer_row<SignDescent>(
        {"sign", "steps of one length along the sign of the gradient", "Bernstein et al., ICML 2018"},
        {"0.003",
         "Learning rate: the length of a step of each parameter; the default suits the small models here, as "
         "tests measure."}),
    optimizer_row<OneBitAdam>(
        {"onebit_adam", "Adam; after a dense warm-up v is frozen, and compressed momenta are exchanged",
         "Tang et al., ICML 2021"},
        {"0.001", "Learning rate; the default is Adam's."}),
    optimizer_row<Lamb>(
        {"lamb", "Adam whose step is as long as the matrix that it changes", "You et al., ICLR 2020"},
        {"0.01",
         "Learning rate: the share of its length by which a matrix changes; the default suits the "
         "small models here, as tests measure."}),
    optimizer_row<OneBitLamb>(
        {"onebit_lamb",
         "LAMB; after a dense warm-up v and lengths are frozen, and compressed momenta are exchanged",
         "Li et al., HiPC 2022"},
        {"0.01", "Learning rate; the default is that of `lamb`."}),
    optimizer_row<ZeroOneAdam>(
        {"zero_one_adam",
         "Adam with a variance that is rarely updated, then frozen, and momenta that are rarely exchanged",
         "Lu et al., ICLR 2023"},
        {"0.001", "Learning rate; the default is Adam's."}),
};

}  // namespace

std::span<const OptimizerRow> optimizers() { return optimizer_table; }

const OptimizerRow* find_optimizer(std::string_view name) { return settings::find_row(optimizers(), name); }

double usual_rate(const OptimizerRow& row) noexcept {
  const std::string_view text = row.usual_rate.text;
  double rate = 0;
  std::from_chars(text.data(), text.data() + text.size(), rate);
  return rate;
}

void Optimizer::step(std::span<float> parameters, std::span<const float> gradient, double learning_rate) {
  assert(parameters.size() == gradient.size());
  if (max_norm_) {
    const double norm = std::sqrt(kernels::energy(gradient));
    if (norm > *max_norm_) {
      const auto factor = static_cast<float>(*max_norm_ / norm);
      clipped_.resize(gradient.size());
      for (std::size_t i = 0; i < gradient.size(); ++i) clipped_[i] = factor * gradient[i];
      gradient = clipped_;
    }
  }
  choice_->step(choice_.settings(), state_, parameters, gradient, learning_rate);
}

}  // namespace learning::models
