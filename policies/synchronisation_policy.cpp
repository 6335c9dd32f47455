// Keys that several synchronisation policies have.
#include "policies/synchronisation_policy.hpp"

namespace policies {

void describe_averaged(settings::Fields& fields, Averaged& averaged) {
  fields.field({.name = "averaged",
                .doc = "What is exchanged: parameters after the local step, or gradients.",
                .fallback = "parameters"},
               averaged);
}

void describe_every(settings::Fields& fields, std::int64_t& every, std::string_view doc) {
  fields.field({.name = "every", .doc = doc, .bounds = settings::between(1, 1e12), .example = "20"}, every);
}

}  // namespace policies
