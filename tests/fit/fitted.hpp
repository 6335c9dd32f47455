// Scenarios and measured figures for tests of fits, read from files as the program reads them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/engine/simulate.hpp"
#include "sim/fit/step_fit_text.hpp"
#include "sim/report/metric.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_tree.hpp"

namespace sim::fit::testing {

inline const std::filesystem::path data_folder = tests::source_dir() + "/scenarios";

/// ResNet-50 on four machines whose goodput is anything from 5 to 9.5 Gbit/s.
inline const std::string assumed =
    "# How long does a step take?\n"
    "workload: resnet50_v100\n"
    "cluster: {workers: 4, fabric: {kind: ethernet, rate: 10 Gbit/s, transport: nccl_tcp}}\n"
    "training: {batch: 32, steps: 10}\n"
    "compare:\n"
    "  dense: {}\n"
    "  topk: {compression: {method: topk, ratio: 1 %}}\n";

/// The first step of an arm with these overrides, simulated.
inline netmodels::Seconds simulated(const std::string& text, const std::string& arm,
                                    const std::vector<std::string>& settings) {
  const tests::ScratchFolder scratch;
  const auto reading = scenario::read_study(scratch.write("s.yaml", text), settings, data_folder,
                                            report::expectable_metrics());
  EXPECT_TRUE(reading) << (reading ? "" : reading.error().text());
  for (const scenario::Scenario& each : reading->study.arms) {
    if (each.name != arm) continue;
    engine::ClusterCache clusters;
    const auto steps = engine::explain(each, clusters);
    EXPECT_TRUE(steps) << (steps ? "" : steps.error().text());
    return steps->front().step.duration;
  }
  ADD_FAILURE() << "no arm " << arm;
  return {};
}

/// "182.25 ms".
inline std::string text_of_time(netmodels::Seconds time) { return netmodels::print(time, 9); }

/// The fit of figures (`[{step: ...}]`) to a scenario in the same folder.
inline netmodels::Result<StepFit> fitted(const std::string& scenario, const std::string& measured,
                                         const std::string& more = "") {
  const tests::ScratchFolder scratch;
  scratch.write("s.yaml", scenario);
  const auto file =
      scratch.write("m.yaml", fmt::format("scenario: s.yaml\nmeasured: {}\n{}", measured, more));
  const auto figures = scenario::read_step_figures(file, data_folder);
  if (!figures) return tl::unexpected(figures.error());
  return fit_step(*figures, {}, data_folder);
}

/// The error's text from the file's name on, or "accepted".
inline std::string fit_error(const std::string& scenario, const std::string& measured,
                             const std::string& more = "") {
  const auto fit = fitted(scenario, measured, more);
  if (fit) return "accepted";
  const std::string text = fit.error().text();
  const std::size_t at = text.rfind("/m.yaml:");
  return at == std::string::npos ? text : text.substr(at + 1);
}

/// The unknown of this name, which there must be.
inline const FittedUnknown& unknown(const StepFit& fit, const std::string& name) {
  for (const FittedUnknown& each : fit.unknowns) {
    if (each.name() == name) return each;
  }
  ADD_FAILURE() << "no unknown " << name;
  return fit.unknowns.front();
}

}  // namespace sim::fit::testing
