// The keys of a recording, and what is refused.
#include "learning/learners/recording.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "kernels/catalogue.hpp"
#include "settings/type.hpp"

namespace learning::learners {

void describe(settings::Fields& fields, Recording& recording) {
  fields.field({.name = "every",
                .doc = "Steps from one recorded step to the next.",
                .fallback = "20",
                .bounds = settings::between(1, 1e9)},
               recording.every);
  fields.field({.name = "method", .doc = "Compression whose gains are recorded.", .fallback = "topk"},
               recording.method);
  fields.field({.name = "ratios",
                .doc = "Compression ratios whose gains are recorded, with and without error feedback.",
                .bounds = {.min = 0, .max = 1, .open_below = true, .open_above = true},
                .example = "[10 %, 1 %, 0.1 %]",
                .share = true},
               recording.ratios);
}

std::optional<settings::Problem> problem_of(const Recording& recording) {
  for (std::size_t i = 0; i < recording.ratios.size(); ++i) {
    if (std::ranges::count(recording.ratios, recording.ratios[i]) > 1)
      return settings::Problem{fmt::format("ratios[{}]", i), "the ratio stands here twice",
                               "name each ratio once"};
  }
  const auto format = kernels::find_wire_format(recording.method);
  if (!format) return settings::Problem{"method", format.error().what, format.error().hint};
  if ((*format)->sparse && recording.method != "ar_topk" && recording.method != "threshold") return {};
  return settings::Problem{"method", "`" + recording.method + "` has no gain of its own at a ratio",
                           "write a sparse method such as `topk`"};
}

}  // namespace learning::learners
