// What a million decisions cost: when to synchronise, by the gradients of sixteen workers, and how to
// compress; and what one search for the ratio costs.
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include <benchmark/benchmark.h>

#include "policies/catalogue.hpp"
#include "policies/pareto_ratio.hpp"
#include "policies/sparse_exchange.hpp"

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
      const auto decision = policy->decide({step, workers, squared_norms, {}});
      local += decision == policies::Synchronisation::stay_local ? 1 : 0;
    }
    benchmark::DoNotOptimize(local);
  }
  state.SetItemsProcessed(state.iterations() * kDecisions);
}

void selsync(benchmark::State& state) { million_decisions(state, *policies::make_selsync({})); }

void periodic(benchmark::State& state) {
  million_decisions(state, *policies::make_periodic(20, policies::Synchronisation::average_parameters));
}

BENCHMARK(selsync)->Unit(benchmark::kMillisecond);
BENCHMARK(periodic)->Unit(benchmark::kMillisecond);

/// Plan, choose and learn a million times, with gains that fall with the ratio and wander a little.
void million_compressions(benchmark::State& state, const policies::CompressionPolicy& fresh) {
  const policies::NetworkEstimate network{{1e-3}, {1.25e9}, {}};
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

constexpr policies::CompressionChoice kLow{"topk", 0.1};
constexpr policies::CompressionChoice kHigh{"topk", 0.001};

void fixed_compression(benchmark::State& state) {
  million_compressions(state, *policies::make_fixed_compression(kLow));
}
void warm_up(benchmark::State& state) {
  million_compressions(state, *policies::with_warm_up({}, kLow, policies::make_fixed_compression(kLow)));
}
void accordion(benchmark::State& state) {
  million_compressions(state, *policies::make_accordion({kLow, kHigh}));
}
void accordion_per_step(benchmark::State& state) {
  million_compressions(state, *policies::make_accordion_per_step({kLow, kHigh}));
}
void scadles(benchmark::State& state) {
  million_compressions(state, *policies::make_scadles_compression({}));
}
void gravac(benchmark::State& state) { million_compressions(state, *policies::make_gravac({})); }
void flexible(benchmark::State& state) {
  million_compressions(state, *policies::make_flexible_compression({}));
}

BENCHMARK(fixed_compression)->Unit(benchmark::kMillisecond);
BENCHMARK(warm_up)->Unit(benchmark::kMillisecond);
BENCHMARK(accordion)->Unit(benchmark::kMillisecond);
BENCHMARK(accordion_per_step)->Unit(benchmark::kMillisecond);
BENCHMARK(scadles)->Unit(benchmark::kMillisecond);
BENCHMARK(gravac)->Unit(benchmark::kMillisecond);
BENCHMARK(flexible)->Unit(benchmark::kMillisecond);

/// One search over exchange time, 1/gain and, for three objectives, compression time.
void ratio_search(benchmark::State& state, policies::ParetoSolver solver, std::size_t count) {
  const netmodels::Link link{{1e-3}, {1.25e9}};
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

}  // namespace
