// The cost of a million decisions: when to synchronise, by the gradients of sixteen workers, how to compress,
// how many samples each worker takes, what to profile next; and the cost of one search for the ratio or for a
// cluster costs.
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include <benchmark/benchmark.h>

#include "policies/adacomm.hpp"
#include "policies/bayesian_planner.hpp"
#include "policies/catalogue.hpp"
#include "policies/diloco.hpp"
#include "policies/dynamic_batch.hpp"
#include "policies/easgd.hpp"
#include "policies/flexible_compression.hpp"
#include "policies/goodput.hpp"
#include "policies/local_steps.hpp"
#include "policies/pareto_ratio.hpp"
#include "policies/planning_policy.hpp"
#include "policies/scavenger.hpp"
#include "policies/selsync.hpp"
#include "policies/sparse_exchange.hpp"
#include "tests/policies/planning_job.hpp"

namespace {

constexpr std::int64_t kDecisions = 1000000;

void million_decisions(benchmark::State& state, const policies::SynchronisationPolicy& fresh) {
  std::array<std::uint32_t, 16> workers{};
  std::iota(workers.begin(), workers.end(), 0U);
  std::array<double, 16> squared_norms{};
  for (auto _ : state) {
    const auto policy = fresh.copy();
    std::int64_t local = 0;
    for (std::int64_t step = 0; step < kDecisions; ++step) {
      squared_norms[static_cast<std::size_t>(step % 16)] = 1 + static_cast<double>(step % 7);
      const auto now = static_cast<double>(step);
      const auto decision = policy->decide({step, workers, squared_norms, 2 + 100 / (1 + now), now / 1000});
      local += decision == policies::Synchronisation::stay_local ? 1 : 0;
    }
    benchmark::DoNotOptimize(local);
  }
  state.SetItemsProcessed(state.iterations() * kDecisions);
}

void selsync(benchmark::State& state) {
  million_decisions(state,
                    *std::make_unique<policies::SelSync>(policies::SelSync::Settings{.threshold = 0.1}));
}

void selsync_quantile(benchmark::State& state) {
  million_decisions(state,
                    *std::make_unique<policies::SelSync>(policies::SelSync::Settings{.quantile = 0.8}));
}

void fedavg(benchmark::State& state) {
  million_decisions(state, *std::make_unique<policies::FedAvg>(
                               policies::FedAvg::Settings{.participants = 0.5, .every_epochs = 0.25}));
}

void adacomm(benchmark::State& state) {
  million_decisions(state, *std::make_unique<policies::AdaComm>(policies::AdaComm::Settings{.every = 20}));
}

void easgd(benchmark::State& state) {
  million_decisions(state, *std::make_unique<policies::Easgd>(policies::Easgd::Settings{.every = 20}));
}

void diloco(benchmark::State& state) {
  million_decisions(state, *std::make_unique<policies::DiLoCo>(policies::DiLoCo::Settings{.every = 100}));
}

void periodic(benchmark::State& state) {
  million_decisions(state, *std::make_unique<policies::Periodic>(policies::Periodic::Settings{.every = 20}));
}

BENCHMARK(selsync)->Unit(benchmark::kMillisecond);
BENCHMARK(selsync_quantile)->Unit(benchmark::kMillisecond);
BENCHMARK(fedavg)->Unit(benchmark::kMillisecond);
BENCHMARK(adacomm)->Unit(benchmark::kMillisecond);
BENCHMARK(easgd)->Unit(benchmark::kMillisecond);
BENCHMARK(diloco)->Unit(benchmark::kMillisecond);
BENCHMARK(periodic)->Unit(benchmark::kMillisecond);

/// Plan, choose and learn a million times, with gains that fall with the ratio and wander a little.
void million_compressions(benchmark::State& state, const policies::CompressionPolicy& fresh) {
  const policies::NetworkEstimate network{{{1e-3}, {1.25e9}}, {}};
  std::vector<std::optional<double>> gains;
  for (auto _ : state) {
    const auto policy = fresh.copy();
    double sent = 0;
    for (std::int64_t step = 0; step < kDecisions; ++step) {
      const auto plan = policy->plan({step, static_cast<double>(step) / 1000, 8, 25'557'032, network});
      const double wander = 0.05 * static_cast<double>(step % 7) / 7;
      gains.clear();
      for (const auto& trial : plan.trials) gains.emplace_back(1 + (0.1 + wander) * std::log10(trial.ratio));
      const auto chosen = policy->choose({gains});
      const auto choice = chosen ? plan.trials[*chosen] : policies::CompressionChoice{};
      policy->learn(
          {choice, chosen ? gains[*chosen] : 1, 1 + wander, {}, {1e-3}, {}, {0.1 + choice.ratio}, 256});
      sent += choice.ratio;
    }
    benchmark::DoNotOptimize(sent);
  }
  state.SetItemsProcessed(state.iterations() * kDecisions);
}

const policies::CompressionJob on_topk{.stated = {"topk", 0.1}};

/// The row's policy with its defaults, as a scenario gets it.
void compressions_by(benchmark::State& state, const char* row, const policies::CompressionJob& job) {
  const policies::CompressionPolicyChoice choice = *policies::find_compression(row);
  million_compressions(state, *choice->make(choice.settings(), job));
}

void fixed_compression(benchmark::State& state) { compressions_by(state, "fixed", on_topk); }
void warm_up(benchmark::State& state) {
  const policies::CompressionJob warming{.stated = {"topk", 0.1},
                                         .warm_up = {5, policies::RatioShape::linear}};
  million_compressions(state, *make_policy(policies::CompressionPolicyChoice(), warming));
}
void accordion(benchmark::State& state) { compressions_by(state, "accordion", on_topk); }
void accordion_per_step(benchmark::State& state) { compressions_by(state, "accordion_per_step", on_topk); }
void scadles(benchmark::State& state) { compressions_by(state, "scadles", on_topk); }
void gravac(benchmark::State& state) { compressions_by(state, "gravac", on_topk); }
void flexible(benchmark::State& state) {
  const policies::FlexibleCompression::Settings settings{.ratios = {0.1, 0.033, 0.011, 0.004, 0.001}};
  million_compressions(
      state, policies::FlexibleCompression(settings, {.warm_up = {5, policies::RatioShape::linear}}));
}

BENCHMARK(fixed_compression)->Unit(benchmark::kMillisecond);
BENCHMARK(warm_up)->Unit(benchmark::kMillisecond);
BENCHMARK(accordion)->Unit(benchmark::kMillisecond);
BENCHMARK(accordion_per_step)->Unit(benchmark::kMillisecond);
BENCHMARK(scadles)->Unit(benchmark::kMillisecond);
BENCHMARK(gravac)->Unit(benchmark::kMillisecond);
BENCHMARK(flexible)->Unit(benchmark::kMillisecond);

/// Sixteen workers whose speeds change every hundred steps, and whose times wander a little.
void million_batches(benchmark::State& state, const policies::BatchingPolicy& fresh) {
  for (auto _ : state) {
    const auto policy = fresh.copy();
    std::array<policies::WorkerObservation, 16> workers;
    for (std::uint32_t worker = 0; worker < 16; ++worker)
      workers[worker] = {worker, 64, {}, 1.0 + worker, {}};
    for (std::int64_t step = 0; step < kDecisions; ++step) {
      for (policies::WorkerObservation& one : workers) {
        const auto turn = static_cast<double>((one.worker + step / 100) % 5);
        const double wander = 1 + 0.01 * static_cast<double>(step % 7);
        one.compute = netmodels::Seconds{1e-3 * (5 + one.samples * (1 + turn)) * wander};
        one.arriving = 40 + 10 * turn;
      }
      const auto decided = policy->decide({step, static_cast<double>(step) / 100, workers});
      for (std::size_t i = 0; decided && i < workers.size(); ++i) workers[i].samples = (*decided)[i];
    }
    benchmark::DoNotOptimize(workers.front().samples);
  }
  state.SetItemsProcessed(state.iterations() * kDecisions);
}

void batches_by(benchmark::State& state, const policies::BatchingChoice& choice) {
  const policies::BatchChanges changes = changes_of(choice);
  million_batches(state, *choice->make(choice.settings(), {changes.min, changes.max, {}}));
}

void uniform_batch(benchmark::State& state) { batches_by(state, *policies::find_batching("uniform")); }
void proportional_batch(benchmark::State& state) {
  batches_by(state, *policies::find_batching("proportional"));
}
void dynamic_batch(benchmark::State& state) { batches_by(state, *policies::find_batching("dynamic")); }
void dynamic_batch_every_step(benchmark::State& state) {
  batches_by(state, policies::batching("dynamic", policies::DynamicBatch::Settings{.every = 1}));
}
void dbs_batch(benchmark::State& state) { batches_by(state, *policies::find_batching("dbs")); }
void lb_bsp_batch(benchmark::State& state) { batches_by(state, *policies::find_batching("lb_bsp")); }
void stream_rate_batch(benchmark::State& state) {
  batches_by(state, *policies::find_batching("stream_rate"));
}

BENCHMARK(uniform_batch)->Unit(benchmark::kMillisecond);
BENCHMARK(proportional_batch)->Unit(benchmark::kMillisecond);
BENCHMARK(dynamic_batch)->Unit(benchmark::kMillisecond);
BENCHMARK(dynamic_batch_every_step)->Unit(benchmark::kMillisecond);
BENCHMARK(dbs_batch)->Unit(benchmark::kMillisecond);
BENCHMARK(lb_bsp_batch)->Unit(benchmark::kMillisecond);
BENCHMARK(stream_rate_batch)->Unit(benchmark::kMillisecond);

/// One search over exchange time, 1/gain and, for three objectives, compression time.
void ratio_search(benchmark::State& state, policies::ParetoSolver solver, std::size_t count) {
  const netmodels::LinkState link{{1e-3}, {1.25e9}};
  const policies::RatioObjectives objectives = [&](double ratio) {
    const policies::SparseGradient kept{8, {4 * 25'557'032.0 * ratio}};
    std::vector<double> costs{exchange_time(cheapest_exchange(kept, link), kept, link).count,
                              1 / (1 + 0.2 * std::log10(ratio)), 0.01 - 0.001 * std::log10(ratio)};
    costs.resize(count);
    return costs;
  };
  const std::vector<double> weights{0.6, 0.4, 0.2};
  for (auto _ : state) {
    const auto front = pareto_front(solver, objectives, {0.001, 0.1}, 1);
    benchmark::DoNotOptimize(knee(front, weights).ratio);
  }
}

BENCHMARK_CAPTURE(ratio_search, exact_of_two, policies::ParetoSolver::exact, 2)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ratio_search, exact_of_three, policies::ParetoSolver::exact, 3)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ratio_search, nsga2_of_two, policies::ParetoSolver::nsga2, 2)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ratio_search, nsga2_of_three, policies::ParetoSolver::nsga2, 3)
    ->Unit(benchmark::kMillisecond);

std::unique_ptr<policies::PlanningPolicy> scavenger() {
  return std::make_unique<policies::Scavenger>(policies::Scavenger::Settings{}, policies::PlanningQuestion{});
}

/// A million choices of the next profile, by searches that restart when they end.
void planning_decisions(benchmark::State& state) {
  const policies::PlanningJob job = policies::resnet18_job();
  const auto fresh = scavenger();
  for (auto _ : state) {
    auto policy = fresh->copy();
    std::vector<policies::Profile> profiled;
    for (std::int64_t decision = 0; decision < kDecisions; ++decision) {
      const auto next = policy->explore(job.seen(profiled));
      if (next)
        profiled.push_back(job.all[*next]);
      else
        profiled.clear();
    }
    benchmark::DoNotOptimize(profiled.size());
  }
  state.SetItemsProcessed(state.iterations() * kDecisions);
}

/// A million configurations, predicted by the fitted models.
void planning_evaluations(benchmark::State& state) {
  const policies::PlanningJob job = policies::resnet18_job();
  const auto seen = job.seen(job.all);
  const policies::JobModel model = policies::JobModel::fit(seen);
  for (auto _ : state) {
    double dollars = 0;
    for (std::int64_t i = 0; i < kDecisions; ++i) {
      const policies::Configuration at{8 + static_cast<int>(i % 9), 384 + static_cast<int>(i % 641)};
      const auto predicted =
          predict_training(seen, at, model.statistical.epochs(at.batch), model.parallel.step(at));
      dollars += predicted.cost.count;
    }
    benchmark::DoNotOptimize(dollars);
  }
  state.SetItemsProcessed(state.iterations() * kDecisions);
}

BENCHMARK(planning_decisions)->Unit(benchmark::kMillisecond);
BENCHMARK(planning_evaluations)->Unit(benchmark::kMillisecond);

/// One whole search and choice on a grid of 12.
void planning_search(benchmark::State& state, const policies::PlanningPolicy& fresh) {
  const policies::PlanningJob job = policies::resnet18_job();
  for (auto _ : state) {
    const auto policy = fresh.copy();
    const auto profiled = job.search(*policy);
    const auto predicted = policy->predict(job.seen(profiled));
    benchmark::DoNotOptimize(choose_training(predicted, policies::PlanningObjective::knee));
  }
}

void search_scavenger(benchmark::State& state) { planning_search(state, *scavenger()); }
void search_bayesian(benchmark::State& state) {
  planning_search(state, *std::make_unique<policies::BayesianPlanner>(policies::BayesianPlanner::Settings{},
                                                                      policies::PlanningQuestion{}));
}
void search_goodput(benchmark::State& state) {
  planning_search(state, *std::make_unique<policies::Goodput>());
}

BENCHMARK(search_scavenger)->Unit(benchmark::kMicrosecond);
BENCHMARK(search_bayesian)->Unit(benchmark::kMicrosecond);
BENCHMARK(search_goodput)->Unit(benchmark::kMicrosecond);

}  // namespace
