// Where the numbers of a result come from, and what the model leaves out.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// "measured on Tesla V100-SXM2-32GB: PyTorch profiler trace ...".
std::string compute_origin(const netmodels::Workload& workload);

/// "nccl_tcp over 50 Gbit/s Ethernet usually yields 20 Gbit/s (4 Gbit/s to 35 Gbit/s; ...)"; empty where
/// nothing is known of the links' goodput.
std::string goodput_origin(const scenario::Scenario& scenario);

/// "nccl, to which the transport `nccl_tcp` belongs"; empty where no library runs the collectives, or times
/// are NCCL's on described hardware.
std::string library_origin(const scenario::Work& work, const scenario::Cluster& cluster,
                           const scenario::Exchange& exchange, scenario::Evaluator evaluator);

/// Lines for people: compute times, compression times, execution models, learner, network, evaluators,
/// events, what is left out. Arms of which the same is true share a line.
std::vector<std::string> origins(const SimulatedStudy& study);

/// Effects that no run models, one clause each.
std::span<const std::string_view> left_out();

}  // namespace sim::report
