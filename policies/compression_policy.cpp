// The ratio of the first epochs.
#include "policies/compression_policy.hpp"

#include "settings/type.hpp"

namespace policies {

void describe(settings::Fields& fields, RatioSchedule& schedule) {
  fields.field({.name = "epochs",
                .doc = "Epochs over which the ratio falls from 1 to the policy's first ratio.",
                .fallback = "0",
                .bounds = settings::between(0, 1e6),
                .example = "4",
                .demands = {.offers = {settings::Capability::warm_up_length}}},
               schedule.epochs);
  fields.field(
      {.name = "shape",
       .doc =
           "Whether it falls per step (`linear`) or per epoch (`exponential`), or whole gradients are sent "
           "until the end (`dense`, which methods without a ratio know, too).",
       .fallback = "exponential",
       .demands = {.uses = {settings::Capability::warm_up_length}}},
      schedule.shape);
  fields.field({.name = "steps",
                .doc = "Steps of a dense warm-up, in place of epochs: `freeze_step` of DeepSpeed's 1-bit "
                       "optimizers.",
                .fallback = "0",
                .bounds = settings::between(0, 1e12),
                .example = "23000",
                .demands = {.offers = {settings::Capability::warm_up_length}}},
               schedule.steps);
}

std::optional<settings::Problem> problem_of(const RatioSchedule& schedule) {
  if (schedule.epochs > 0 && schedule.steps > 0)
    return settings::Problem{"steps", "the warm-up has two lengths", "write `epochs` or `steps`"};
  if (schedule.steps == 0 || schedule.shape == RatioShape::dense) return std::nullopt;
  return settings::Problem{"steps", "a ratio falls over epochs, not over steps",
                           "write `epochs`, or `shape: dense`"};
}

}  // namespace policies
