// Runs seeds in forked processes, and collects their whole runs.
#include "sim/sweep/seeds.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "sim/report/seed_figures.hpp"
#include "sim/sweep/process_pool.hpp"
#include "sim/sweep/sweep.hpp"

namespace sim::sweep {
namespace {

using report::SeedResult;

/// Simulates a seed in a child process.
std::string simulate_seed(const SeedRequest& request, std::uint64_t seed) {
  std::vector<std::string> settings = request.settings;
  settings.push_back(fmt::format("seed={}", seed));
  auto point = simulate_point(request.file, settings, request.data_dir, false);
  if (!point) throw std::runtime_error(point.error().text());
  return pack(*point);
}

/// The seeds from `first + begin` to `first + end - 1`.
netmodels::Result<std::vector<SeedResult>> run_seeds(const SeedRequest& request, std::size_t begin,
                                                     std::size_t end) {
  std::map<std::size_t, SeedResult> done;
  std::optional<std::string> failure;
  PooledWork all;
  all.pieces.resize(end - begin);
  std::iota(all.pieces.begin(), all.pieces.end(), begin);
  all.jobs = request.jobs;
  all.stop = request.stop;
  all.work = [&](std::size_t number) { return simulate_seed(request, request.first + number); };
  all.done = [&](std::size_t number, WorkOutcome ended) {
    const std::uint64_t seed = request.first + number;
    if (ended.failure)
      failure = failure.value_or(fmt::format("seed {}: {}", seed, *ended.failure));
    else
      done.emplace(number, SeedResult{seed, unpack(ended.text).rows});
  };
  run_in_processes(all);
  if (failure) return netmodels::refuse("seeds", *failure, "run that seed alone by `--seed`");
  std::vector<SeedResult> results;
  for (auto& [number, result] : done) results.push_back(std::move(result));
  return results;
}

}  // namespace

netmodels::Result<std::vector<SeedResult>> simulate_seeds(const SeedRequest& request,
                                                          const report::SimulatedStudy& study) {
  std::vector<SeedResult> results{{request.first, report::whole_run_rows(study)}};
  const std::size_t at_once = std::min(request.count, 1 + request.jobs);
  GRADSIM_TRY(next, run_seeds(request, 1, at_once));
  if (next->empty()) return results;  // stopped
  if (next->front().rows.rows == results.front().rows.rows) return std::vector<SeedResult>{};
  std::ranges::move(*next, std::back_inserter(results));
  if (at_once == request.count) return results;
  GRADSIM_TRY(others, run_seeds(request, at_once, request.count));
  std::ranges::move(*others, std::back_inserter(results));
  return results;
}

}  // namespace sim::sweep
