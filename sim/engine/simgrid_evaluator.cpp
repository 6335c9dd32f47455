// Hands schedules to SimGrid, with the routes and the links of the platform.
#include "sim/engine/simgrid_evaluator.hpp"

namespace sim::engine {
namespace {

SimGridFlowModel flow_model(const Platform& platform, const std::atomic<bool>* stop) {
  SimGridFlowModel model;
  model.tcp = platform.preset() != scenario::NetworkPreset::exact;
  for (const PlatformLink& link : platform.links()) model.nominal.push_back(link.nominal.bandwidth);
  model.routes = [&platform](std::uint32_t from, std::uint32_t to) -> const netmodels::Route& {
    return platform.route(from, to);
  };
  model.stop = stop;
  return model;
}

}  // namespace

SimGridEvaluator::SimGridEvaluator(const Platform& platform, const std::atomic<bool>* stop)
    : network_(platform.simgrid_network()), transfers_(network_.transfers(flow_model(platform, stop))) {}

netmodels::Result<netmodels::Evaluation> SimGridEvaluator::evaluate(const netmodels::Schedule& schedule,
                                                                    const std::vector<std::uint32_t>& workers,
                                                                    const netmodels::NetworkState& state) {
  return transfers_->evaluate(schedule, workers, state);
}

netmodels::Seconds SimGridEvaluator::clock() const { return network_.clock(); }

}  // namespace sim::engine
