// Keys that batching policies share.
#include "policies/batching_policy.hpp"

#include <string>

#include "settings/type.hpp"

namespace policies {

void describe_changes(settings::Fields& fields, BatchChanges& changes, const BatchChanges& defaults) {
  const std::string min = std::to_string(defaults.min);
  const std::string max = defaults.max ? std::to_string(*defaults.max) : "";
  fields.field({.name = "min",
                .doc = "Minimum number of samples of a worker.",
                .fallback = min,
                .bounds = settings::between(1, most_samples),
                .former = "least"},
               changes.min);
  settings::Key key{.name = "max",
                    .doc = "Maximum number of samples of a worker.",
                    .bounds = settings::between(1, most_samples),
                    .example = "1024",
                    .former = "most"};
  if (defaults.max) key.fallback = max;
  fields.field(key, changes.max);
  fields.field({.name = "restart",
                .doc = "Time for which training stalls for each change of batches.",
                .fallback = "0 s",
                .bounds = settings::at_least(0),
                .demands = {.needs = {settings::Capability::common_step}}},
               changes.restart);
}

void describe(settings::Fields& fields, BatchChanges& changes) { describe_changes(fields, changes, {}); }

void describe_looks(settings::Fields& fields, std::int64_t& every, double& smoothing) {
  fields.field({.name = "every",
                .doc = "Steps between two evaluations of the workers' times.",
                .fallback = "10",
                .bounds = settings::between(1, 1e12)},
               every);
  fields.field({.name = "smoothing",
                .doc = "Weight of a new time or speed in its moving average.",
                .fallback = "0.3",
                .bounds = settings::above_up_to(0, 1)},
               smoothing);
}

}  // namespace policies
