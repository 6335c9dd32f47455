// Every key under `learner`.
#include "settings/type.hpp"
#include "sim/scenario/fields_scenario.hpp"

namespace sim::scenario {

using namespace settings;
using enum Capability;

void describe(Fields& fields, Target& target) {
  fields.field({.name = "accuracy",
                .doc = "Target accuracy on the test set.",
                .bounds = above_up_to(0, 1),
                .example = "94 %",
                .share = true},
               target.accuracy);
  fields.field(
      {.name = "loss",
       .doc = "Target loss on the test set: mean cross-entropy of a prediction, in nats (of a byte, for "
              "models of text).",
       .bounds = above_up_to(0, 1e6),
       .example = "1.8"},
      target.loss);
}

std::optional<Problem> problem_of(const Target& target) {
  if (target.accuracy.has_value() != target.loss.has_value()) return std::nullopt;
  return Problem{"", target.accuracy ? "the target is stated twice" : "the target is empty",
                 "write `target: 94 %` or `target: {loss: 1.8}`"};
}

void describe(Fields& fields, Learner& learner) {
  describe(fields, learner.kind);
  for (const learning::learners::LearnerRow& row : learning::learners::learners()) {
    if (!row.traits.learns) continue;
    fields.when(&row == &learner.kind.row(), row.name, [&](Fields& inner) {
      inner.field(
          {.name = "error_feedback",
           .doc = "Whether the residual of compression is added to the next gradient (error feedback), in "
                  "methods that support it.",
           .fallback = "true",
           .demands = {.uses = {unsent_values}, .denies = {residual}}},
          learner.error_feedback);
      if (row.traits.trains) {
        inner.field(
            {.name = "residual_decay",
             .doc = "What the residual is multiplied by before it is added to the next gradient or "
                    "change; 0.95 in SparseLoCo, 0.999 in DeMo, whose momentum it is, 1 keeps all of it.",
             .fallback = "1",
             .bounds = above_up_to(0, 1),
             .share = true,
             .demands = {.needs = {residual}, .uses = {unsent_values}, .denies = {whole_residual}}},
            learner.residual_decay);
      }
      inner.field({.name = "evaluate_every",
                   .doc = "Steps between two tests of the model.",
                   .fallback = "20",
                   .bounds = between(1, 1e12)},
                  learner.evaluate_every);
      inner.field({.name = "target", .doc = "Target accuracy or loss on the test set."}, learner.target);
    });
  }
}

}  // namespace sim::scenario
