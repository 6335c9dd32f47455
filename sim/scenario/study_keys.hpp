// The keys that belong to a study and to no arm, for the schema and the reference.
#pragma once

#include "settings/key.hpp"

namespace sim::scenario {

/// Another file that a scenario or a cluster overrides, and lists whose items are read by rules of their own.
/// Their shapes differ too much from a described struct for `settings::Fields`.
namespace keys_of_study {

using settings::Key;

inline constexpr Key use{.name = "use",
                         .doc = "Another scenario that this one overrides; a path beside this file.",
                         .example = "quickstart.yaml"};
inline constexpr Key compare{.name = "compare",
                             .doc = "Arms, run side by side: each a set of overrides.",
                             .example = "{dense: {}, topk: {compression: {method: topk, ratio: 1 %}}}"};
inline constexpr Key axes{
    .name = "axes",
    .doc = "Arms as a product: AXIS: {VALUE: {overrides}}.",
    .example = "{batch: {small: {training: {batch: 32}}, large: {training: {batch: 64}}}}"};
inline constexpr Key expect{.name = "expect",
                            .doc = "Published or measured figures, and bounds on how well ours agree."};
inline constexpr Key planning{.name = "planning",
                              .doc = "What `sim advise` is asked: which cluster to rent, with which batch."};
inline constexpr Key planning_compare{.name = "compare",
                                      .doc = "Arms: each a set of overrides of `planning`."};
inline constexpr Key planning_expect{.name = "expect",
                                     .doc = "Bounds on errors and on what the search costs."};
inline constexpr Key advice{.name = "advice",
                            .doc = "What `sim advise` is asked: which policies to take on this cluster."};
inline constexpr Key advice_networks{
    .name = "networks",
    .doc =
        "Networks, of which the worst case counts: each a map of what changes in `cluster`, or "
        "the file of a trace."};
inline constexpr Key advice_expect{.name = "expect", .doc = "Bounds on what comes of it."};
inline constexpr Key cluster_use{
    .name = "use", .doc = "A file of scenarios/clusters, or a path; the keys beside it override it."};

}  // namespace keys_of_study
}  // namespace sim::scenario
