// The bars that a step leaves on a timeline.
#pragma once

#include <functional>

#include "sim/engine/record.hpp"
#include "sim/engine/step_simulator.hpp"

namespace sim::engine {

/// Hands out one bar per worker for forward, backward and optimizer, and per bucket for compression and
/// exchange.
void draw_step(const StepSimulator& simulator, netmodels::Seconds begin, std::int64_t step,
               const std::function<void(const Span&)>& draw);

}  // namespace sim::engine
