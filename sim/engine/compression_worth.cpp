// Playing the same step dense and compressed.
#include "sim/engine/compression_worth.hpp"

#include <vector>

#include "kernels/catalogue.hpp"
#include "sim/engine/compression_time.hpp"
#include "sim/engine/training.hpp"

namespace sim::engine {
namespace {

using netmodels::Result;
using policies::CompressionChoice;

Result<StepTimes> step_with(Training& training, const CompressionChoice& choice, netmodels::Seconds now,
                            std::int64_t step) {
  const StepEnd end{Traffic::gradients, ChosenCompression{choice, {choice}}};
  const auto played = training.step(now, step, false, end);
  if (!played) return tl::unexpected(played.error());
  StepTimes times = training.times();
  training.abandon_step();
  return times;
}

/// What is held against the dense gradient.
std::vector<CompressionChoice> choices_of(const scenario::Compression& stated) {
  constexpr double example = 0.01;
  if (stated.method == "none") return {{"topk", example}, {"ar_topk", example}};
  return {{(*kernels::find_wire_format(stated.method))->name, stated.ratio}};
}

std::string origin_of(const scenario::Scenario& scenario, const CompressionChoice& choice) {
  scenario::Scenario compressed = scenario;
  compressed.compression.method = choice.method;
  return compression_time_origin(compressed);
}

}  // namespace

Result<std::optional<CompressionWorth>> compression_worth(Training& training,
                                                          const scenario::Scenario& scenario,
                                                          netmodels::Seconds now, std::int64_t step) {
  if (training.workers().size() < 2) return std::nullopt;
  const auto dense = step_with(training, {}, now, step);
  if (!dense) return tl::unexpected(dense.error());
  std::optional<CompressionWorth> best;
  for (const CompressionChoice& choice : choices_of(scenario.compression)) {
    const auto compressed = step_with(training, choice, now, step);
    if (!compressed) return tl::unexpected(compressed.error());
    if (best && best->compressed <= compressed->duration) continue;
    best = CompressionWorth{std::string(choice.method),
                            choice.ratio,
                            scenario.compression.method != "none",
                            dense->duration,
                            compressed->duration,
                            compressed->parts.compress,
                            dense->parts.exchange - compressed->parts.exchange,
                            dense->parts.compute + dense->parts.wait,
                            origin_of(scenario, choice)};
  }
  return best;
}

}  // namespace sim::engine
