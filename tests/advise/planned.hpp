// Plans for tests, read from files as the program reads them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/advise/advice.hpp"
#include "sim/advise/profiles.hpp"
#include "sim/engine/learners.hpp"
#include "sim/report/metric.hpp"
#include "sim/scenario/planning_file.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_tree.hpp"

namespace sim::advise {

inline const std::filesystem::path data_dir = tests::source_dir() + "/scenarios";

/// The plan of a shipped file, which must be readable.
inline scenario::Plan shipped(const std::string& file, const std::vector<std::string>& settings = {}) {
  auto plan = scenario::read_plan(data_dir / file, settings, data_dir, report::expectable_metrics());
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().text());
  return plan ? std::move(*plan) : scenario::Plan{};
}

/// A small job that is simulated, with more keys under `planning`.
inline scenario::Plan small(const std::string& more = "", const std::vector<std::string>& settings = {}) {
  const tests::ScratchFolder scratch;
  const std::string text =
      "# Does it pay?\n"
      "workload: {name: tiny, parameters: 1000000, compute: 30 ms, batch: 32}\n"
      "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\n"
      "training: {batch: 32, epochs: 2, samples: 12800}\n"
      "planning:\n"
      "  workers: [2, 4, 8]\n"
      "  batches: [64, 128, 256, 512]\n"
      "  price: {per_machine: 1 USD/h}\n" +
      more;
  auto plan =
      scenario::read_plan(scratch.write("s.yaml", text), settings, data_dir, report::expectable_metrics());
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().text());
  return plan ? std::move(*plan) : scenario::Plan{};
}

/// The arm of a plan by its name, which must be there.
inline const scenario::PlanArm& arm_of(const scenario::Plan& plan, const std::string& name) {
  for (const scenario::PlanArm& arm : plan.arms) {
    if (arm.name == name) return arm;
  }
  ADD_FAILURE() << "no arm " << name;
  return plan.arms.front();
}

/// Advice by the table of the arm.
inline Advised advised_by_table(const scenario::PlanArm& arm) {
  const auto profiles = profiles_of_table(arm);
  auto advised = advise(arm, *profiles);
  EXPECT_TRUE(advised) << (advised ? "" : advised.error().text());
  return advised ? std::move(*advised) : Advised{};
}

}  // namespace sim::advise
