// The keys of both ratios.
#include "policies/two_ratios.hpp"

#include "settings/type.hpp"

namespace policies {

void describe_two_ratios(settings::Fields& fields, TwoRatios& ratios) {
  fields.field({.name = "low_ratio",
                .doc = "Compression ratio while the gradient's norm changes fast.",
                .fallback = "10 %",
                .bounds = settings::above_up_to(0, 1),
                .share = true},
               ratios.low);
  fields.field({.name = "high_ratio",
                .doc = "Compression ratio otherwise.",
                .fallback = "1 %",
                .bounds = settings::above_up_to(0, 1),
                .share = true},
               ratios.high);
}

}  // namespace policies
