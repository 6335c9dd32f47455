// Inputs whose range was published or measured with them: what they are, and how a run takes another value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/engine/reason.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// One unknown of a scenario that does not state it.
struct FittedInput {
  std::string id;  ///< the same in every arm with the same unknown
  Reason range;
};

/// The goodput of `cluster.fabric` and `cluster.inner_fabric` (triangular between the lowest and the highest
/// reported one, the usual one the most likely; the latency goes along), the times of compressing
/// (`quantile_of`; one unknown for all methods of one source) and the times of `cluster.collective_times`
/// (all by one factor, normal, nine of ten within the error of sizes that were held out); the slowdown of
/// computing by overlap where it is predicted (triangular between 0 and the largest published one, the
/// predicted one the most likely); the utilisation of the peak, where it was published with an error
/// (log-normal, nine of ten within `UtilisationRange`).
std::vector<FittedInput> fitted_inputs(const scenario::Scenario& scenario);

/// Gives the scenario the value of an unknown below which a share of its distribution lies.
/// @param id     of `fitted_inputs(scenario)`; an unknown that the scenario does not have changes nothing
/// @param share  in (0, 1)
void draw_fitted(scenario::Scenario& scenario, std::string_view id, double share);

/// What is uncertain without a known range, so that no value of it can be drawn.
std::vector<Reason> inputs_without_range(const scenario::Work& work, const scenario::Cluster& cluster,
                                         const scenario::Exchange& exchange, scenario::Evaluator evaluator);

}  // namespace sim::engine
