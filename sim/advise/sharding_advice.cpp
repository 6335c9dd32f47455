// A step of each candidate, their ranks, and the answer in words and rows.
#include "sim/advise/sharding_advice.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_line/table_json.hpp"
#include "command_line/wrapped_table.hpp"
#include "sim/advise/steps_to_target.hpp"
#include "sim/engine/compression_cost.hpp"
#include "sim/engine/quantization.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/report/terminal_text.hpp"
#include "sim/scenario/fields_planning.hpp"
#include "sim/scenario/parallelism.hpp"

namespace sim::advise {
namespace {

using command_line::Cell;
using command_line::ColumnOf;
using command_line::Measure;
using command_line::Table;
using netmodels::Result;
using netmodels::Seconds;
using scenario::Scenario;
using scenario::ShardingCandidate;

/// Whether nothing but a least time of compressing is known.
bool is_bound(const engine::CompressionCosts& costs, const scenario::Parallelism& parallelism) {
  using scenario::CostLevel;
  if (parallelism.is_sharded()) return engine::quantizes_at_least(costs, parallelism);
  const policies::CompressionChoice sent = costs.stated().stated();
  if (!sent.compresses()) return false;
  const CostLevel level = costs.level(sent.method);
  return level == CostLevel::floor || level == CostLevel::unknown;
}

Result<AdvisedSharding> advised_sharding(const ShardingCandidate& candidate,
                                         const std::optional<policies::Rental>& rental,
                                         engine::ClusterCache& clusters) {
  const Scenario& scenario = *candidate.scenario;
  GRADSIM_TRY(steps, engine::explain(scenario, clusters, {.compression_worth = false}));
  const engine::StepRecord& step = steps->front().step;
  const engine::CompressionCosts costs(scenario.exchange.compression, scenario.work.workload,
                                       scenario.work.device);
  AdvisedSharding advised{&candidate,
                          step.duration,
                          step.parts,
                          *needed_memory(scenario.work, scenario.cluster, scenario.exchange),
                          {},
                          {},
                          is_bound(costs, scenario.work.parallelism)};
  const Seconds work = step.duration * stated_steps(scenario.work.training, scenario.cluster.workers,
                                                    scenario.exchange.synchronisation);
  const int workers = scenario.cluster.workers;
  advised.time = rental ? rental->expected_time(work, workers) : work;
  if (rental) advised.cost = rental->cost(advised.time, workers);
  return advised;
}

/// A candidate with its rank, or without.
struct ShardingRow {
  const ShardingCandidate* candidate;
  const AdvisedSharding* advised;  ///< null where it is refused
  std::int64_t rank;
};

template <class Get>
Cell of_advised(const ShardingRow& row, Get get) {
  return row.advised == nullptr ? Cell() : Cell(get(*row.advised));
}

constexpr std::array sharding_columns{
    ColumnOf<ShardingRow>{"rank", "rank", Measure::none,
                          [](const ShardingRow& r) -> Cell { return r.advised ? Cell(r.rank) : Cell(); }},
    ColumnOf<ShardingRow>{"sharding", "sharding", Measure::none,
                          [](const ShardingRow& r) -> Cell { return r.candidate->sharding; }},
    ColumnOf<ShardingRow>{"compression", "compression", Measure::none,
                          [](const ShardingRow& r) -> Cell { return r.candidate->compression; }},
    ColumnOf<ShardingRow>{
        "micro_batch", "micro-batch", Measure::none,
        [](const ShardingRow& r) -> Cell { return std::int64_t{r.candidate->micro_batch}; }},
    ColumnOf<ShardingRow>{
        "accumulation", "accumulation", Measure::none,
        [](const ShardingRow& r) -> Cell { return std::int64_t{r.candidate->accumulation}; }},
    ColumnOf<ShardingRow>{
        "time_s", "time", Measure::time,
        [](const ShardingRow& r) { return of_advised(r, [](const auto& a) { return a.time.count; }); }},
    ColumnOf<ShardingRow>{"cost_usd", "cost (USD)", Measure::none,
                          [](const ShardingRow& r) -> Cell {
                            return r.advised && r.advised->cost ? Cell(r.advised->cost->count) : Cell();
                          }},
    ColumnOf<ShardingRow>{
        "step_time_s", "step", Measure::time,
        [](const ShardingRow& r) { return of_advised(r, [](const auto& a) { return a.step.count; }); }},
    ColumnOf<ShardingRow>{"compute_s", "compute", Measure::time,
                          [](const ShardingRow& r) {
                            return of_advised(r, [](const auto& a) { return a.parts.compute.count; });
                          }},
    ColumnOf<ShardingRow>{"compress_s", "compress", Measure::time,
                          [](const ShardingRow& r) {
                            return of_advised(r, [](const auto& a) { return a.parts.compress.count; });
                          }},
    ColumnOf<ShardingRow>{"exchange_s", "exchange", Measure::time,
                          [](const ShardingRow& r) {
                            return of_advised(r, [](const auto& a) { return a.parts.exchange.count; });
                          }},
    ColumnOf<ShardingRow>{"worker_memory_bytes", "memory", Measure::size,
                          [](const ShardingRow& r) {
                            return of_advised(r, [](const auto& a) { return a.memory.total().count; });
                          }},
    ColumnOf<ShardingRow>{"step_is", "step is", Measure::none,
                          [](const ShardingRow& r) -> Cell {
                            if (r.advised == nullptr) return {};
                            return std::string(r.advised->bound ? "at least" : "about");
                          }},
    ColumnOf<ShardingRow>{
        "refused", "refused", Measure::none,
        [](const ShardingRow& r) -> Cell { return r.advised ? Cell() : Cell(r.candidate->refused); }},
};

std::vector<ShardingRow> rows_of_ranked(const AdvisedShardings& advised) {
  std::vector<ShardingRow> rows;
  for (const AdvisedSharding& one : advised.ranked)
    rows.push_back({one.candidate, &one, static_cast<std::int64_t>(rows.size()) + 1});
  return rows;
}

Table filled(const std::vector<ShardingRow>& rows) {
  return command_line::fill(std::span<const ColumnOf<ShardingRow>>(sharding_columns),
                            std::span<const ShardingRow>(rows));
}

/// The best of each sharding and compression.
std::vector<ShardingRow> best_of_kinds(const AdvisedShardings& advised) {
  std::vector<ShardingRow> rows;
  for (const ShardingRow& row : rows_of_ranked(advised)) {
    const auto same = [&](const ShardingRow& other) {
      return other.candidate->sharding == row.candidate->sharding &&
             other.candidate->compression == row.candidate->compression;
    };
    if (std::ranges::none_of(rows, same)) rows.push_back(row);
  }
  return rows;
}

/// Without columns that are empty.
Table shown_shardings(const AdvisedShardings& advised) {
  std::vector<std::string_view> idle{"refused"};
  if (!advised.question->rental) idle.emplace_back("cost_usd");
  return without(filled(best_of_kinds(advised)), idle);
}

/// "fsdp with qgz".
std::string kind_and_method(const ShardingCandidate& candidate) {
  return candidate.compresses() ? candidate.sharding + " with " + candidate.compression : candidate.sharding;
}

std::string name_of_candidate(const ShardingCandidate& candidate) {
  return fmt::format("{}, micro-batches of {} ({} a step)", kind_and_method(candidate), candidate.micro_batch,
                     candidate.accumulation);
}

/// The advice: the fastest whose step is not a bound; where all are, the fastest.
const AdvisedSharding& advice_of(const AdvisedShardings& advised) {
  return advised.ranked[advised.best_known < advised.ranked.size() ? advised.best_known : 0];
}

std::string sharding_sentence(const AdvisedShardings& advised) {
  constexpr int digits = 4;
  const AdvisedSharding& best = advice_of(advised);
  std::string text = fmt::format("take {}: {} {} a step", name_of_candidate(*best.candidate),
                                 best.bound ? "at least" : "about", netmodels::print(best.step, digits));
  if (best.cost) text += fmt::format(", {:.2f} USD for the training", best.cost->count);
  const auto& device = best.candidate->scenario->work.device;
  if (!device || !device->memory_size) text += "; whether it fits into the device's memory is unknown";
  const AdvisedSharding& first = advised.ranked.front();
  if (&first == &best) return text;
  return text +
         fmt::format("; if compressing takes no longer than its memory traffic, {} would take {} a step",
                     name_of_candidate(*first.candidate), netmodels::print(first.step, digits));
}

/// One line for each kind, with the reason of its smallest micro-batch.
std::vector<std::string> refusals(const AdvisedShardings& advised) {
  std::vector<std::pair<std::string, std::vector<const ShardingCandidate*>>> groups;
  for (const ShardingCandidate* candidate : advised.refused) {
    const std::string key = candidate->sharding + " " + candidate->compression;
    const auto same = [&](const auto& group) { return group.first == key; };
    const auto found = std::ranges::find_if(groups, same);
    if (found == groups.end())
      groups.push_back({key, {candidate}});
    else
      found->second.push_back(candidate);
  }
  std::vector<std::string> lines;
  for (const auto& [key, members] : groups) {
    std::string batches;
    for (const ShardingCandidate* member : members)
      batches += fmt::format("{}{}", batches.empty() ? "" : ", ", member->micro_batch);
    lines.push_back(fmt::format("left out: {} in micro-batches of {}: {}", kind_and_method(*members.front()),
                                batches, members.back()->refused));
  }
  return lines;
}

/// The kinds that are as good as the advised one, and no bounds either; empty where none is.
std::string tied_with_best(const AdvisedShardings& advised) {
  std::string names;
  const AdvisedSharding& best = advice_of(advised);
  for (const ShardingRow& row : best_of_kinds(advised)) {
    const bool near = row.advised->bound == best.bound &&
                      row.advised->time <= best.time * (1 + advised.question->advice.tie);
    if (row.advised == &best || !near) continue;
    names += (names.empty() ? "" : ", ") + kind_and_method(*row.candidate);
  }
  return names;
}

std::string sharding_text(const AdvisedShardings& advised, std::size_t width) {
  std::string text = report::wrap(advised.question->question) + "\n";
  if (advised.unfinished > 0)
    text += report::wrap(fmt::format("interrupted: {} of {} candidates were not simulated",
                                     advised.unfinished, advised.question->candidates.size()));
  text += report::wrap("advice: " + sharding_sentence(advised)) + "\n";
  if (const std::string tied = tied_with_best(advised); !tied.empty())
    text += report::wrap(
                fmt::format("tied with it, within {:.3g} %: {}", 100 * advised.question->advice.tie, tied)) +
            "\n";
  text += wrapped_table(shown_shardings(advised), width) + "\n";
  text += report::wrap(
      "each row has the best micro-batch of its kind; --format csv shows all. All candidates train on the "
      "same samples in a step; one step of each was simulated on the undisturbed network");
  for (const std::string& line : refusals(advised)) text += report::wrap(line);
  const auto& device = advised.ranked.front().candidate->scenario->work.device;
  const bool limited = device && device->memory_size;
  text += report::wrap(
      limited
          ? fmt::format("memory: of {} on {}, with a quarter of the rest for the framework and the libraries",
                        netmodels::print(*device->memory_size, 3), device->name)
          : "memory: the size of the device's memory is unknown, so nothing was left out for it");
  return text;
}

}  // namespace

Result<AdvisedShardings> advise_shardings(const scenario::ShardingQuestion& question,
                                          const std::atomic<bool>* stop) {
  AdvisedShardings advised;
  advised.question = &question;
  engine::ClusterCache clusters;
  for (const ShardingCandidate& candidate : question.candidates) {
    if (stop != nullptr && stop->load()) break;
    if (!candidate.scenario) {
      advised.refused.push_back(&candidate);
      continue;
    }
    auto one = advised_sharding(candidate, question.rental, clusters);
    if (!one && stop != nullptr && stop->load()) break;
    if (!one) return tl::unexpected(one.error());
    advised.ranked.push_back(std::move(*one));
  }
  advised.unfinished = question.candidates.size() - advised.ranked.size() - advised.refused.size();
  std::ranges::stable_sort(advised.ranked, {}, &AdvisedSharding::time);
  const auto known = std::ranges::find(advised.ranked, false, &AdvisedSharding::bound);
  advised.best_known = static_cast<std::size_t>(known - advised.ranked.begin());
  return advised;
}

Table sharding_table(const AdvisedShardings& advised) {
  std::vector<ShardingRow> rows = rows_of_ranked(advised);
  for (const ShardingCandidate* candidate : advised.refused) rows.push_back({candidate, nullptr, 0});
  return filled(rows);
}

command_line::Document sharding_document(const AdvisedShardings& advised, const std::string& file,
                                         std::size_t width) {
  return {.text = [&advised, width] { return sharding_text(advised, width); },
          .rows = [&advised] { return sharding_table(advised); },
          .put_json =
              [&advised, file](nlohmann::ordered_json& object) {
                object["scenario"] = file;
                object["question"] = advised.question->question;
                if (advised.unfinished > 0) object["unfinished_candidates"] = advised.unfinished;
                object["advice"] = sharding_sentence(advised);
                object["candidates"] = command_line::rows_json(sharding_table(advised));
              }};
}

}  // namespace sim::advise
