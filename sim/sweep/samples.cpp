// Draws uncertain inputs, and runs each draw in a forked process.
#include "sim/sweep/samples.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <fmt/format.h>

#include "sim/engine/fitted_inputs.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/report/metric.hpp"
#include "sim/report/reason_text.hpp"
#include "sim/report/seed_figures.hpp"
#include "sim/scenario/study.hpp"
#include "sim/sweep/process_pool.hpp"
#include "sim/sweep/sweep.hpp"

namespace sim::sweep {
namespace {

using command_line::Table;
using netmodels::Result;
using report::DrawnInput;
using report::UncertainSamples;

/// An unknown, where it lies in each sample, and how it is shown.
struct SampledInput {
  std::string id;
  const scenario::UncertainInput* stated = nullptr;  ///< null: a fitted one
  std::vector<double> shares = {};
  DrawnInput shown = {};
};

/// Each unknown once, with the arms that have it.
std::vector<SampledInput> fitted_in(const scenario::Study& study) {
  std::vector<SampledInput> inputs;
  for (const scenario::Scenario& arm : study.arms) {
    for (const engine::FittedInput& input : engine::fitted_inputs(arm)) {
      const std::string range = report::reason_text(input.range);
      auto known = std::ranges::find(inputs, input.id, &SampledInput::id);
      if (known == inputs.end()) {
        known = inputs.insert(inputs.end(), SampledInput{.id = input.id});
        const report::InputText text = report::input_text(input.range);
        known->shown = {text.name, range, "", std::string(text.measure), {}, {}};
      } else if (("; " + known->shown.text + ";").find("; " + range + ";") == std::string::npos) {
        known->shown.text += "; " + range;  // another method has its own times
      }
      known->shown.arms.push_back(arm.name);
    }
  }
  return inputs;
}

std::vector<SampledInput> stated_in(const scenario::Study& study) {
  std::vector<SampledInput> inputs;
  for (const scenario::UncertainInput& input : study.uncertain) {
    SampledInput& added = inputs.emplace_back(SampledInput{.id = input.id, .stated = &input});
    added.shown = {input.key, input.text(), input.origin, std::string(input.measure), input.arms, {}};
  }
  return inputs;
}

/// Simulates a draw in a child process.
Result<Table> simulate_draw(const SampleRequest& request, const std::vector<SampledInput>& inputs,
                            std::size_t number, std::uint64_t first_seed) {
  scenario::Draws draws;
  for (const SampledInput& input : inputs)
    if (input.stated != nullptr) draws.emplace(input.id, input.shares[number]);
  std::vector<std::string> settings = request.settings;
  if (request.seeds > 1) settings.push_back(fmt::format("seed={}", first_seed + number % request.seeds));
  GRADSIM_TRY(reading, scenario::read_study(request.file, settings, request.data_dir,
                                            report::expectable_metrics(), draws));
  engine::LearnerShelf shelf(request.data_dir);
  engine::ClusterCache clusters;
  report::SimulatedStudy study;
  for (scenario::Scenario& arm : reading->study.arms) {
    for (const SampledInput& input : inputs)
      if (input.stated == nullptr) engine::draw_fitted(arm, input.id, input.shares[number]);
    GRADSIM_TRY(result, engine::simulate(arm, {}, shelf, clusters));
    if (result->whole.steps > 0) study.arms.push_back({&arm, std::move(*result)});
  }
  GRADSIM_TRY(finite, report::check_finite(study));
  return report::whole_run_rows(study);
}

/// "cluster.link.bandwidth = 3.4 Gbit/s", of the stated inputs.
std::string values_text(const std::vector<SampledInput>& inputs, std::size_t number) {
  std::string text;
  for (const SampledInput& input : inputs) {
    if (input.stated == nullptr) continue;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", input.stated->key,
                        input.stated->print(input.stated->quantile(input.shares[number])));
  }
  return text.empty() ? "" : " (" + text + ")";
}

/// The rows of the samples that ended, by number.
Result<std::map<std::size_t, Table>> run_samples(const SampleRequest& request,
                                                 const std::vector<SampledInput>& inputs,
                                                 std::uint64_t first_seed) {
  std::map<std::size_t, Table> rows;
  std::optional<std::string> failure;
  PooledWork all;
  all.pieces = pieces_below(static_cast<std::size_t>(request.asked.samples));
  all.jobs = request.jobs;
  all.stop = request.stop;
  all.work = [&](std::size_t number) {
    auto drawn = simulate_draw(request, inputs, number, first_seed);
    if (!drawn) throw std::runtime_error(drawn.error().text());
    return pack({"", std::move(*drawn), ""});
  };
  all.done = [&](std::size_t number, WorkOutcome ended) {
    if (ended.failure)
      failure = failure.value_or(
          fmt::format("sample {}{}: {}", number + 1, values_text(inputs, number), *ended.failure));
    else
      rows.emplace(number, unpack(ended.text).rows);
  };
  run_in_processes(all);
  if (failure) return netmodels::refuse("uncertainty", *failure, "narrow the range");
  return rows;
}

/// The inputs and rows of those samples.
UncertainSamples samples_of(std::vector<SampledInput> inputs, std::map<std::size_t, Table> rows) {
  UncertainSamples samples;
  for (SampledInput& input : inputs) {
    for (const auto& [number, table] : rows) {
      const double share = input.shares[number];
      input.shown.values.push_back(input.stated == nullptr ? share : input.stated->quantile(share));
    }
    samples.inputs.push_back(std::move(input.shown));
  }
  for (auto& [number, table] : rows) samples.rows.push_back(std::move(table));
  return samples;
}

std::vector<std::string> without_range(const scenario::Study& study) {
  std::vector<std::string> names;
  for (const scenario::Scenario& arm : study.arms) {
    for (const engine::Reason& input :
         engine::inputs_without_range(arm.work, arm.cluster, arm.exchange, arm.simulation.evaluator)) {
      std::string name = report::reason_text(input);
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace

std::vector<std::vector<double>> hypercube_shares(std::size_t inputs, std::size_t samples,
                                                  std::uint64_t seed) {
  boost::random::mt19937_64 random(seed);
  std::vector<std::vector<double>> shares(inputs, std::vector<double>(samples));
  std::vector<std::size_t> parts(samples);
  for (std::vector<double>& input : shares) {
    std::iota(parts.begin(), parts.end(), std::size_t{0});
    for (std::size_t i = samples; i-- > 1;)
      std::swap(parts[i], parts[boost::random::uniform_int_distribution<std::size_t>(0, i)(random)]);
    for (std::size_t i = 0; i < samples; ++i) {
      const double inside = (static_cast<double>(random() >> 11U) + 0.5) * 0x1p-53;
      input[i] = (static_cast<double>(parts[i]) + inside) / static_cast<double>(samples);
    }
  }
  return shares;
}

Result<UncertainSamples> simulate_samples(const SampleRequest& request, const scenario::Study& study) {
  std::vector<SampledInput> inputs = stated_in(study);
  std::vector<SampledInput> fitted = fitted_in(study);
  std::vector<std::string> not_drawn;
  for (SampledInput& input : fitted) {
    if (request.asked.inputs == scenario::DrawnInputs::all)
      inputs.push_back(std::move(input));
    else
      not_drawn.push_back(std::move(input.shown.name));
  }
  UncertainSamples samples;
  if (!inputs.empty()) {
    auto shares =
        hypercube_shares(inputs.size(), static_cast<std::size_t>(request.asked.samples), request.asked.seed);
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].shares = std::move(shares[i]);
    GRADSIM_TRY(rows, run_samples(request, inputs, study.arms.front().simulation.seed));
    samples = samples_of(std::move(inputs), std::move(*rows));
  }
  samples.seeds = samples.rows.empty() ? 1 : request.seeds;
  samples.not_drawn = std::move(not_drawn);
  samples.without_range = without_range(study);
  return samples;
}

}  // namespace sim::sweep
