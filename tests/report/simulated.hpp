// Small simulated studies, made by hand, for the tests of outputs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// The figures of one arm of a test in one phase, per step.
struct Figures {
  double compute_ms = 100;
  double exchange_ms = 0;
  double compress_ms = 0;
  double wait_ms = 0;
  double sent_mb = 0;
};

inline netmodels::Seconds ms(double value) { return {value / 1e3}; }

inline engine::PhaseResult phase(const std::string& label, const Figures& f, std::int64_t steps = 10) {
  constexpr double samples_per_step = 256;
  engine::PhaseResult result;
  result.label = label;
  result.steps = steps;
  result.parts = {ms(f.compute_ms), ms(f.wait_ms), ms(f.compress_ms), ms(f.exchange_ms)};
  result.time = static_cast<double>(steps) * result.parts.total();
  result.exchange_busy = ms(f.exchange_ms);
  result.sent = netmodels::Bytes{f.sent_mb * 1e6};
  result.sent_by_all = netmodels::Bytes{f.sent_mb * 1e6 * 8 * static_cast<double>(steps)};
  result.samples_per_second = samples_per_step / result.parts.total().count;
  result.scaling_efficiency = ms(f.compute_ms) / result.parts.total();
  result.collectives["ring_allreduce"] = steps;
  return result;
}

/// One exchange per step of so much latency and bandwidth; a hop takes 1 ms.
inline engine::ExplainedStep explained(const std::string& label, double latency_ms, double bandwidth_ms) {
  engine::ExplainedStep step;
  step.phase = label;
  step.latency = ms(1);
  engine::ExplainedExchange exchange;
  exchange.duration = exchange.end = ms(latency_ms + bandwidth_ms);
  exchange.latency_share = ms(latency_ms);
  step.exchanges.push_back(exchange);
  step.bound = {engine::ReasonKind::computing, {engine::Figure::share("share", 0.8)}};
  return step;
}

/// A study whose arms are added one by one; `played` holds them.
class TestStudy {
 public:
  explicit TestStudy(std::string question = "Which one?") {
    study_.question = std::move(question);
    study_.arms.reserve(200);  // simulated arms point into it
    played.file = "test.yaml";
    played.study = &study_;
  }
  TestStudy(const TestStudy&) = delete;
  TestStudy& operator=(const TestStudy&) = delete;

  /// @param method  of compression; "none" makes a dense arm
  SimulatedArm& add(const std::string& name, const std::string& method,
                    std::vector<engine::PhaseResult> phases) {
    scenario::Scenario& arm = study_.arms.emplace_back();
    arm.name = name;
    arm.exchange.compression.method = method;
    arm.exchange.compression.framework.stack = "PyTorch";
    if (method != "none") arm.exchange.compression.time = ms(1);
    arm.cluster.workers = 8;
    arm.work.training.batch = 32;
    arm.work.training.samples = 2560;
    arm.work.workload.name = "small";
    arm.work.workload.provenance = "made up for a test";
    engine::ArmResult result;
    result.name = name;
    result.whole = phases.front();
    result.whole.label = "whole run";
    for (std::size_t i = 1; i < phases.size(); ++i) {
      result.whole.steps += phases[i].steps;
      result.whole.time += phases[i].time;
    }
    result.time = result.whole.time;
    result.phases = std::move(phases);
    result.compute_alone = ms(100);
    result.learner = "none: times only";
    played.arms.push_back({&arm, std::move(result), {}});
    return played.arms.back();
  }

  [[nodiscard]] scenario::Study& study() { return study_; }
  /// The arm that was added last.
  [[nodiscard]] scenario::Scenario& scenario() { return study_.arms.back(); }

  SimulatedStudy played;

 private:
  scenario::Study study_;
};

}  // namespace sim::report
