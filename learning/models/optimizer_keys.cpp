// Keys of the optimizers, and what they refuse.
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "learning/models/optimizer.hpp"
#include "settings/type.hpp"

namespace learning::models {

using settings::Fields;

namespace {

void describe_weight_decay(Fields& fields, double& weight_decay) {
  fields.field({.name = "weight_decay",
                .doc = "Weight decay: share of each parameter that is added to its gradient.",
                .fallback = "0",
                .bounds = settings::between(0, 10)},
               weight_decay);
}

void describe_decoupled_decay(Fields& fields, double& weight_decay, std::string_view fallback) {
  fields.field(
      {.name = "weight_decay",
       .doc = "Decoupled weight decay: share of each parameter, times the learning rate, that is taken "
              "away in a step.",
       .fallback = fallback,
       .bounds = ::settings::between(0, 10)},
      weight_decay);
}

/// The keys that Adam and its kin share.
template <class Moments>
void describe_moments(Fields& fields, Moments& settings, std::string_view epsilon = "1e-8") {
  fields.field({.name = "beta1",
                .doc = "Share of the running mean of gradients that is kept in a step.",
                .fallback = "0.9",
                .bounds = ::settings::from_to_below(0, 1)},
               settings.beta1);
  fields.field({.name = "beta2",
                .doc = "Share of the running mean of squared gradients that is kept in a step.",
                .fallback = "0.999",
                .bounds = ::settings::from_to_below(0, 1)},
               settings.beta2);
  fields.field({.name = "epsilon",
                .doc = "Added to the root mean square for numerical stability.",
                .fallback = epsilon,
                .bounds = ::settings::above_up_to(0, 1)},
               settings.epsilon);
}

}  // namespace

void describe(Fields& fields, Sgd& settings) {
  fields.field({.name = "momentum",
                .doc = "Momentum: share of the last change that is kept.",
                .fallback = "0.9",
                .bounds = ::settings::from_to_below(0, 1)},
               settings.momentum);
  fields.field({.name = "nesterov", .doc = "Whether to use Nesterov momentum.", .fallback = "false"},
               settings.nesterov);
  describe_weight_decay(fields, settings.weight_decay);
}

std::optional<settings::Problem> problem_of(const Sgd& settings) {
  if (!settings.nesterov || settings.momentum > 0) return std::nullopt;
  return settings::Problem{"nesterov", "Nesterov momentum needs a momentum above 0, and `momentum` is 0",
                           "write for example `momentum: 0.9`, or leave it out"};
}

void describe(Fields& fields, Adam& settings) {
  describe_moments(fields, settings);
  describe_weight_decay(fields, settings.weight_decay);
}

void describe(Fields& fields, AdamW& settings) {
  describe_moments(fields, settings);
  describe_decoupled_decay(fields, settings.weight_decay, "0.01");
}

void describe(Fields& fields, Muon& settings) {
  fields.field({.name = "momentum",
                .doc = "Momentum: share of the last change that is kept.",
                .fallback = "0.95",
                .bounds = ::settings::from_to_below(0, 1)},
               settings.momentum);
  fields.field({.name = "nesterov", .doc = "Whether to use Nesterov momentum.", .fallback = "true"},
               settings.nesterov);
  fields.field({.name = "iterations",
                .doc = "Newton-Schulz iterations of a step.",
                .fallback = "5",
                .bounds = ::settings::between(1, 100)},
               settings.iterations);
  describe_decoupled_decay(fields, settings.weight_decay, "0.1");
}

void describe(Fields& fields, SignDescent& settings) {
  describe_decoupled_decay(fields, settings.weight_decay, "0");
}

void describe(Fields& fields, OneBitAdam& settings) {
  describe_moments(fields, settings);
  describe_decoupled_decay(fields, settings.weight_decay, "0");
}

void describe(Fields& fields, ZeroOneAdam& settings) {
  describe_moments(fields, settings);
  describe_decoupled_decay(fields, settings.weight_decay, "0");
}

void describe(Fields& fields, Lamb& settings) {
  describe_moments(fields, settings, "1e-6");
  fields.field({.name = "weight_decay",
                .doc = "Decoupled weight decay: share of each parameter that is added to its update.",
                .fallback = "0.01",
                .bounds = ::settings::between(0, 10)},
               settings.weight_decay);
  fields.field({.name = "min_trust",
                .doc = "Lower bound of the trust ratio, a matrix's norm over that of its update.",
                .fallback = "0.01",
                .bounds = ::settings::above_up_to(0, 1e6)},
               settings.min_trust);
  fields.field({.name = "max_trust",
                .doc = "Upper bound of the trust ratio.",
                .fallback = "10",
                .bounds = ::settings::above_up_to(0, 1e6)},
               settings.max_trust);
}

std::optional<settings::Problem> problem_of(const Lamb& settings) {
  if (settings.min_trust <= settings.max_trust) return std::nullopt;
  return settings::Problem{
      "min_trust",
      fmt::format("the lower bound of the trust ratio is above the upper one, {:g}", settings.max_trust),
      fmt::format("accepted: at most {:g}", settings.max_trust)};
}

void describe(Fields& fields, OneBitLamb& settings) {
  describe(fields, settings.lamb);
  fields.field(
      {.name = "trust_beta",
       .doc = "Share of the mean trust ratio that is kept in a dense step: `coeff_beta` of DeepSpeed.",
       .fallback = "0.9",
       .bounds = ::settings::from_to_below(0, 1)},
      settings.trust_beta);
  fields.field({.name = "min_factor",
                .doc = "Lower bound of the factor of the frozen trust ratio.",
                .fallback = "0.5",
                .bounds = ::settings::above_up_to(0, 1)},
               settings.min_factor);
  fields.field({.name = "max_factor",
                .doc = "Upper bound of the factor of the frozen trust ratio.",
                .fallback = "4",
                .bounds = ::settings::between(1, 1e6)},
               settings.max_factor);
  fields.field({.name = "factor_threshold",
                .doc = "Share by which the factor changes in a step at most.",
                .fallback = "0.1",
                .bounds = ::settings::above_up_to(0, 1),
                .share = true},
               settings.factor_threshold);
}

std::optional<settings::Problem> problem_of(const OneBitLamb& settings) { return problem_of(settings.lamb); }

void describe(Fields& fields, OptimizerChoice& choice) {
  choice.describe_choice(fields,
                         {.name = "method", .doc = "Update rule of the parameters.", .fallback = "sgd"},
                         optimizers(), settings::Layout::beside);
}

void describe(Fields& fields, OptimizerSettings& settings) {
  const OptimizerRow* const before = &settings.method.row();
  describe(fields, settings.method);
  const OptimizerRow* const chosen = &settings.method.row();
  if (chosen != before) settings.learning_rate = usual_rate(*chosen);  // a key of its own may follow
  for (const OptimizerRow& row : optimizers()) {
    double other = usual_rate(row);
    fields.when(&row == chosen, row.name, [&](Fields& inner) {
      inner.field({.name = "learning_rate",
                   .doc = row.usual_rate.doc,
                   .fallback = row.usual_rate.text,
                   .bounds = ::settings::above_up_to(0, 1000)},
                  &row == chosen ? settings.learning_rate : other);
    });
  }
  fields.field(
      {.name = "max_norm",
       .doc = "Largest norm of the gradient that a step takes, after the exchange; a larger one is scaled "
              "down to it (gradient clipping).",
       .bounds = ::settings::above_up_to(0, 1e12),
       .example = "1"},
      settings.max_norm);
}

std::optional<settings::Problem> problem_of(const OptimizerSettings& settings) {
  const bool momenta = settings.method->sends_momentum() || settings.method->accumulates_momentum();
  if (!settings.max_norm || !momenta) return std::nullopt;
  return settings::Problem{
      "max_norm",
      fmt::format("`{}` exchanges momenta, so no worker has the mean gradient that would be clipped",
                  settings.method.name()),
      "leave it out"};
}

}  // namespace learning::models
