// Playing the same step dense and compressed.
#include "sim/engine/compression_worth.hpp"

#include <vector>

#include "kernels/catalogue.hpp"
#include "sim/engine/compression_time.hpp"
#include "sim/engine/step_simulator.hpp"

namespace sim::engine {
namespace {

using netmodels::Result;
using policies::CompressionChoice;

Result<netmodels::StepTimes> step_with(StepSimulator& simulator, const CompressionChoice& choice,
                                       netmodels::Seconds now, std::int64_t step) {
  const StepAction action{Traffic::gradients, ChosenCompression{choice, {choice}}};
  GRADSIM_TRY(played, simulator.step(now, step, false, action));
  netmodels::StepTimes times = simulator.times();
  simulator.abandon_step();
  return times;
}

/// What is held against the dense gradient.
std::vector<CompressionChoice> choices_of(const scenario::Compression& stated) {
  constexpr double example = 0.01;
  if (stated.method == "none") return {{"topk", example}, {"ar_topk", example}};
  return {{(*kernels::find_wire_format(stated.method))->name, stated.ratio}};
}

}  // namespace

Result<std::optional<CompressionWorth>> compression_worth(StepSimulator& simulator,
                                                          const scenario::Scenario& scenario,
                                                          netmodels::Seconds now, std::int64_t step) {
  if (simulator.workers().size() < 2) return std::nullopt;
  GRADSIM_TRY(dense, step_with(simulator, {}, now, step));
  std::optional<CompressionWorth> best;
  for (const CompressionChoice& choice : choices_of(scenario.compression)) {
    GRADSIM_TRY(compressed, step_with(simulator, choice, now, step));
    if (best && best->compressed <= compressed->duration) continue;
    best = CompressionWorth{std::string(choice.method),
                            choice.ratio,
                            scenario.compression.method != "none",
                            dense->duration,
                            compressed->duration,
                            compressed->parts.compress,
                            dense->parts.exchange - compressed->parts.exchange,
                            dense->parts.compute + dense->parts.wait,
                            compression_time_origin(scenario, choice)};
  }
  return best;
}

}  // namespace sim::engine
