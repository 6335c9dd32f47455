// The key of compression in every other step.
#include "policies/every_other.hpp"

#include "settings/type.hpp"

namespace policies {

void describe(settings::Fields& fields, EveryOther::Settings& settings) {
  fields.field({.name = "ratio",
                .doc = "Compression ratio of every other step.",
                .fallback = "10 %",
                .bounds = settings::above_up_to(0, 1),
                .share = true},
               settings.ratio);
}

}  // namespace policies
