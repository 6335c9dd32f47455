// The keys of post-local SGD.
#include "policies/dense_first.hpp"

#include "settings/type.hpp"

namespace policies {

void describe(settings::Fields& fields, DenseFirst::Settings& settings) {
  fields.field({.name = "dense_steps",
                .doc = "Steps at the beginning that all exchange gradients.",
                .fallback = "100",
                .bounds = settings::at_least(0)},
               settings.dense_steps);
  describe_every(fields, settings.every);
}

}  // namespace policies
