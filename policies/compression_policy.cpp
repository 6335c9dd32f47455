// The ratio of the first epochs.
#include "policies/compression_policy.hpp"

#include "settings/type.hpp"

namespace policies {

void describe(settings::Fields& fields, RatioSchedule& schedule) {
  fields.field({.name = "epochs",
                .doc = "Epochs over which the ratio falls from 1 to the policy's first ratio.",
                .fallback = "0",
                .bounds = settings::between(0, 1e6),
                .example = "4"},
               schedule.epochs);
  fields.field({.name = "shape", .doc = "Whether it falls per step or per epoch.", .fallback = "exponential"},
               schedule.shape);
}

}  // namespace policies
