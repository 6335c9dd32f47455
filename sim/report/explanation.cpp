// Why a step takes as long as it does: lines of formulas and numbers, and the same for programs.
#include "sim/report/explanation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_line/table_json.hpp"
#include "kernels/catalogue.hpp"
#include "netmodels/data_parallel_step.hpp"
#include "sim/report/compression_origin.hpp"
#include "sim/report/origins.hpp"
#include "sim/report/reason_text.hpp"
#include "sim/report/terminal_text.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/execution.hpp"
#include "sim/scenario/replicas.hpp"

namespace sim::report {
namespace {

using engine::ExplainedExchange;
using engine::ExplainedStep;

template <class Q>
std::string five_digits(Q value) {
  constexpr int digits = 5;
  return netmodels::print(value, digits);
}

std::string compute_lines(const netmodels::Workload& workload, int batch, const ExplainedStep& step) {
  if (workload.traced)
    return fmt::format("  compute = the traced step when exchanges take no time, batch {}\n          = {}\n",
                       batch, five_digits(workload.backward(batch)));
  const netmodels::Seconds sum = step.host_overhead + step.forward + step.backward + step.optimizer;
  return fmt::format(
      "  compute = host + forward + backward + optimizer, batch {}\n          = {} + {} + {} + {} = {}\n",
      batch, five_digits(step.host_overhead), five_digits(step.forward), five_digits(step.backward),
      five_digits(step.optimizer), five_digits(sum));
}

/// What this step exchanges, and when.
std::string execution_of_step(const scenario::Work& work, const scenario::Cluster& cluster,
                              const scenario::Exchange& exchange, const engine::StepRecord& step) {
  if (exchanges_models(exchange.synchronisation))
    return scenario::describe_execution(work, cluster, exchange);
  const bool alone = cluster.workers == 1;
  if (step.traffic == engine::Traffic::nothing && !alone) return "a local step exchanges nothing";
  if (step.traffic == engine::Traffic::parameters && exchange.synchronisation->traits.exchanges_momenta)
    return fmt::format("the whole momentum by `{}`, after the optimizer", exchange.compression.method);
  return scenario::describe_execution(work, cluster, exchange,
                                      step.method.empty() ? kernels::Method() : kernels::Method(step.method));
}

/// How long a bucket that is ready waits for the exchange before it; empty where it does not.
std::string turn(const ExplainedExchange& exchange) {
  return exchange.wait > netmodels::Seconds{}
             ? fmt::format("waits {} for its turn, ", five_digits(exchange.wait))
             : "";
}

/// Empty for buffers, which are sent as they are.
std::string compressed(const ExplainedExchange& exchange) {
  return exchange.bucket == netmodels::buffers_name
             ? ""
             : fmt::format("compressed in {}, ", five_digits(exchange.compress));
}

/// What NCCL would choose, and the terms of its time.
std::string nccl_lines(const ExplainedExchange& exchange) {
  const netmodels::nccl::Time& time = *exchange.nccl;
  const std::string chosen =
      time.choice
          ? fmt::format("NCCL chooses {} {}, {} channels of {} threads", to_string(time.choice->algorithm),
                        to_string(time.choice->protocol), time.choice->channels, time.choice->threads)
          : "NCCL has nothing to send";
  std::string lines =
      fmt::format("    {}; N = {}, M = {}\n", chosen, exchange.ranks, five_digits(exchange.size));
  const bool contended = time.contention != netmodels::Seconds{};
  if (contended)
    lines += fmt::format(
        "    contention: its {} are flows on links that are slower or shared\n",
        time.choice && time.choice->algorithm == netmodels::nccl::Algorithm::tree ? "trees" : "rings");
  lines += fmt::format("    T = launch + base + hops + wire + fill + enqueue + correction{}\n",
                       contended ? " + contention" : "");
  lines += fmt::format("      = {} + {} + {} + {} + {} + {} + {}{} = {} (evaluated by: {})\n",
                       five_digits(time.launch), five_digits(time.base), five_digits(time.hops),
                       five_digits(time.wire), five_digits(time.fill), five_digits(time.enqueue),
                       five_digits(time.correction), contended ? " + " + five_digits(time.contention) : "",
                       five_digits(exchange.duration), exchange.evaluator);
  return lines;
}

/// The first exchange of a step that takes the same time for the same reasons; itself where none is before
/// it.
const ExplainedExchange& first_alike(const ExplainedExchange& exchange, const ExplainedStep& step) {
  return *std::ranges::find_if(step.exchanges, [&](const ExplainedExchange& other) {
    return other.collective == exchange.collective && other.size == exchange.size &&
           other.ranks == exchange.ranks && other.duration == exchange.duration &&
           other.evaluator == exchange.evaluator && other.group == exchange.group;
  });
}

/// Ranks of a node and nodes, of two-level collectives.
std::string levels(const ExplainedExchange& exchange) {
  if (exchange.group == 1) return "";
  return fmt::format("g = {}, n = {}, ", exchange.group, exchange.ranks / exchange.group);
}

/// Whether the closed form gives its time, but for rounding, or says nothing of it.
bool is_by_formula(const ExplainedExchange& exchange) {
  constexpr double rounding = 1e-6;
  if (exchange.evaluator == to_string(engine::EvaluatedBy::measured)) return true;
  return std::abs((exchange.by_formula - exchange.duration).count) <= rounding * exchange.duration.count;
}

std::string exchange_lines(const ExplainedExchange& exchange, const ExplainedStep& step) {
  const std::string times =
      fmt::format("ready at {}, {}{}starts at {}, ends at {}\n", five_digits(exchange.ready), turn(exchange),
                  compressed(exchange), five_digits(exchange.start), five_digits(exchange.end));
  if (const auto& first = first_alike(exchange, step); &first != &exchange)
    return fmt::format("  {}, as {}: {}", exchange.bucket, first.bucket.substr(0, first.bucket.find(':')),
                       times);
  std::string lines =
      fmt::format("  {} by {}\n", exchange.bucket, exchange.nccl ? "NCCL" : exchange.collective);
  lines += "    " + times;
  if (exchange.nccl) return lines + nccl_lines(exchange);
  lines += fmt::format("    T = {}\n", exchange.formula);
  lines += fmt::format("      N = {}, {}M = {}, L = {}, B = {}\n", exchange.ranks, levels(exchange),
                       five_digits(exchange.size), five_digits(exchange.hop.latency),
                       five_digits(exchange.hop.bandwidth));
  lines += fmt::format("      = {} of latency + {} of bandwidth = {} (evaluated by: {})\n",
                       five_digits(exchange.latency_share),
                       five_digits(exchange.duration - exchange.latency_share),
                       five_digits(exchange.duration), exchange.evaluator);
  if (!is_by_formula(exchange))
    lines += fmt::format("      the formula, for equal links that nothing shares, gives {}\n",
                         five_digits(exchange.by_formula));
  return lines;
}

/// What hides an exchange that later steps overlap, and what does not; by the key that states it.
std::string overlap_lines(const policies::Streaming& streaming,
                          const engine::OverlappedExchange& overlapped) {
  const bool fewer = overlapped.steps < streaming.delay;
  std::string lines = fmt::format(
      "  `{}`: the exchange overlaps the {} after it, which take{} {}{}\n", scenario::overlap_key(streaming),
      overlapped.steps == 1 ? "step" : fmt::format("{} steps", overlapped.steps),
      overlapped.steps == 1 ? "s" : "", five_digits(overlapped.room),
      fewer ? fmt::format(" (the next exchange follows sooner than `delay: {}`)", streaming.delay) : "");
  if (overlapped.waited == netmodels::Seconds{})
    return lines + fmt::format("    all of its {} are hidden\n", five_digits(overlapped.hidden));
  lines += fmt::format("    {} of it are hidden, {} waited for at the end of {}\n",
                       five_digits(overlapped.hidden), five_digits(overlapped.waited),
                       overlapped.steps == 1 ? "this step" : "the last of these steps");
  return lines;
}

std::string sum_lines(const engine::StepRecord& step) {
  return fmt::format(
      "  step = compute + wait + compress + exposed communication\n       = {} + {} + {} + {} = {}\n",
      five_digits(step.parts.compute), five_digits(step.parts.wait), five_digits(step.parts.compress),
      five_digits(step.parts.exchange), five_digits(step.duration));
}

/// The mean step of a round.
std::string round_lines(const engine::Round& round) {
  const std::string local =
      round.steps == 2 ? "1 local step of " + five_digits(round.local)
                       : fmt::format("{} local steps of {} each", round.steps - 1, five_digits(round.local));
  return fmt::format("  round = {}, and this one\n        = {} in all, {} per step\n", local,
                     five_digits(round.whole),
                     five_digits(round.whole * (1 / static_cast<double>(round.steps))));
}

/// What compression is weighed: "ar_topk at 1 %".
std::string weighed(const engine::CompressionWorth& worth) {
  const policies::CompressionChoice& sent = worth.sent;
  const std::string name(sent.method.name());
  return sent.method->has_ratio() ? fmt::format("{} at {:g} %", name, 100 * sent.ratio) : name;
}

/// "pays if compressing takes less than 138 ms", "does not pay".
std::string judgement(const engine::CompressionWorth& worth) {
  using Level = scenario::CostLevel;
  const bool known = worth.level == Level::stated || worth.level == Level::kernels;
  const std::string pays = worth.pays() ? "pays" : "does not pay";
  if (known || worth.saved < netmodels::Seconds{}) return pays;
  return pays + (worth.pays() ? " if" : " unless") + " compressing takes less than " +
         five_digits(worth.saved);
}

/// Whether compression is worth it, in one sentence.
/// @param origin  of the time of compressing
std::string worth_line(const engine::CompressionWorth& worth, const std::string& origin) {
  const std::string exchange = worth.saved < netmodels::Seconds{}
                                   ? "adds " + five_digits(netmodels::Seconds{} - worth.saved)
                                   : "saves " + five_digits(worth.saved);
  return fmt::format(
      "  compression: {}: {} {} {} instead of {} dense; it {} of exchange for {} of compressing ({}); "
      "computing "
      "alone takes {}\n",
      judgement(worth), weighed(worth), worth.stated ? "takes" : "would take", five_digits(worth.compressed),
      five_digits(worth.dense), exchange, five_digits(worth.compress), origin, five_digits(worth.least));
}

/// The run is not simulated up to steps and epochs, so their time is unknown.
std::string time_line(const scenario::Cluster& cluster, const ExplainedStep& step) {
  using Unit = scenario::Moment::Unit;
  const auto timed = [](const scenario::LinkChange& change) { return change.at.unit == Unit::time; };
  const bool by_count = step.phase.starts_with("from step ") || step.phase.starts_with("from epoch ");
  const bool by_time =
      !cluster.traces.empty() || !cluster.background.empty() || std::ranges::any_of(cluster.changes, timed);
  if (!by_count || !by_time) return "";
  const std::string then = step.step.start == netmodels::Seconds{} ? "at the start of training"
                                                                   : "at " + five_digits(step.step.start);
  return "  with traces, timed changes and background traffic as they are " + then + "\n";
}

}  // namespace

std::string explanation(const scenario::Scenario& arm, const std::vector<ExplainedStep>& steps) {
  const engine::CompressionCosts costs(arm.exchange.compression, arm.work.workload, arm.work.device);
  std::string lines;
  for (const ExplainedStep& step : steps) {
    lines += fmt::format("{}, {}\n", arm.name, step.phase);
    lines += time_line(arm.cluster, step);
    for (const std::string& link : step.links) lines += fmt::format("  {}\n", link);
    lines += compute_lines(arm.work.workload, arm.work.training.batch, step);
    lines +=
        fmt::format("  execution: {}\n", execution_of_step(arm.work, arm.cluster, arm.exchange, step.step));
    if (const std::string inside = scenario::describe_replica(
            arm.work.workload, batch_of(arm.work.training, 0), arm.work.parallelism.inside());
        !inside.empty())
      lines += fmt::format("  {}\n", inside);
    for (const ExplainedExchange& exchange : step.exchanges) lines += exchange_lines(exchange, step);
    if (step.overlapped) lines += overlap_lines(streaming_of(arm.exchange.synchronisation), *step.overlapped);
    lines += sum_lines(step.step);
    if (step.round) lines += round_lines(*step.round);
    lines += fmt::format("  bound: {}\n", reason_text(step.bound));
    if (step.worth)
      lines += worth_line(*step.worth, compression_origin(costs, step.worth->sent,
                                                          is_asynchronous(arm.exchange.synchronisation)));
    lines += "\n";
  }
  lines += fmt::format("compute times of {}: {}\n", arm.name, compute_origin(arm.work.workload));
  if (const std::string goodput = goodput_origin(arm); !goodput.empty())
    lines += fmt::format("network of {}: {}\n", arm.name, goodput);
  if (const std::string library =
          library_origin(arm.work, arm.cluster, arm.exchange, arm.simulation.evaluator);
      !library.empty())
    lines += fmt::format("library of collectives of {}: {}\n", arm.name, library);
  return lines;
}

namespace {

/// "6 exchanges in 221.3 ms: 91 ms of latency, 130 ms of bandwidth"; empty where the step has none.
std::string exchanges_line(const ExplainedStep& step) {
  if (step.exchanges.empty()) return "";
  netmodels::Seconds busy;
  netmodels::Seconds latency;
  for (const ExplainedExchange& exchange : step.exchanges) {
    busy += exchange.duration;
    latency += exchange.latency_share;
  }
  return fmt::format("  {} exchange{} in {}: {} of latency, {} of bandwidth\n", step.exchanges.size(),
                     step.exchanges.size() == 1 ? "" : "s", five_digits(busy), five_digits(latency),
                     five_digits(busy - latency));
}

/// Lines that each begin with two blanks, or more where a sentence goes on.
std::string indented(std::string_view text) {
  constexpr std::size_t indent = 2;
  std::string lines = wrap(text, line_width - indent);
  for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1) {
    lines.insert(at, indent, ' ');
  }
  return lines;
}

/// A step without the lines of its exchanges.
std::string summary(const std::string& arm, const ExplainedStep& step) {
  const engine::Parts& parts = step.step.parts;
  std::string lines =
      fmt::format("{}, {}\n  {} + {} + {} + {} = {}\n", arm, step.phase, five_digits(parts.compute),
                  five_digits(parts.wait), five_digits(parts.compress), five_digits(parts.exchange),
                  five_digits(step.step.duration));
  lines += exchanges_line(step);
  if (step.round) lines += round_lines(*step.round);
  lines += indented("bound: " + reason_text(step.bound));
  if (!step.worth) return lines;
  return lines + indented(fmt::format("compression: {} ({})", judgement(*step.worth), weighed(*step.worth)));
}

/// Of all arms the first steps.
std::string summaries(const std::vector<ExplainedArm>& arms) {
  constexpr std::size_t most = 8;
  std::string text = "step = compute + wait + compress + exposed communication\n\n";
  std::size_t steps = 0;
  std::size_t left_out = 0;
  for (const ExplainedArm& arm : arms) {
    if (!arm.why_not.empty() && ++left_out <= most)
      text += wrap(fmt::format("{}, not explained: {}", arm.arm->name, arm.why_not));
    for (const ExplainedStep& step : arm.steps)
      if (++steps <= most) text += summary(arm.arm->name, step);
  }
  const std::string more = steps > most ? fmt::format("{} more steps, and f", steps - most) : "F";
  return text + fmt::format("\n{}ormulas, the times of each exchange and origins: --details\n", more);
}

using command_line::Cell;
using command_line::Measure;
using Json = nlohmann::ordered_json;

/// An exchange, and where it belongs.
struct ExchangeRow {
  const std::string* arm;  ///< name of the arm
  const ExplainedStep* step;
  const ExplainedExchange* exchange;
};

using ExchangeColumn = command_line::ColumnOf<ExchangeRow>;

constexpr std::array place_columns{
    ExchangeColumn{"arm", "arm", Measure::none, [](const ExchangeRow& row) -> Cell { return *row.arm; }},
    ExchangeColumn{"phase", "phase", Measure::none,
                   [](const ExchangeRow& row) -> Cell { return row.step->phase; }},
};

constexpr std::array exchange_columns{
    ExchangeColumn{"exchange", "exchange", Measure::none,
                   [](const ExchangeRow& row) -> Cell { return row.exchange->bucket; }},
    ExchangeColumn{"collective", "collective", Measure::none,
                   [](const ExchangeRow& row) -> Cell { return row.exchange->collective; }},
    ExchangeColumn{"formula", "formula", Measure::none,
                   [](const ExchangeRow& row) -> Cell { return row.exchange->formula; }},
    ExchangeColumn{"ranks", "ranks", Measure::none,
                   [](const ExchangeRow& row) -> Cell { return std::int64_t{row.exchange->ranks}; }},
    ExchangeColumn{"size_bytes", "size", Measure::size,
                   [](const ExchangeRow& row) -> Cell { return row.exchange->size.count; }},
    ExchangeColumn{"ready_s", "ready", Measure::time,
                   [](const ExchangeRow& row) -> Cell { return row.exchange->ready.count; }},
    ExchangeColumn{"wait_s", "wait", Measure::time,
                   [](const ExchangeRow& row) -> Cell { return row.exchange->wait.count; }},
    ExchangeColumn{"compress_s", "compress", Measure::time,
                   [](const ExchangeRow& row) -> Cell { return row.exchange->compress.count; }},
    ExchangeColumn{"start_s", "start", Measure::time,
                   [](const ExchangeRow& row) -> Cell { return row.exchange->start.count; }},
    ExchangeColumn{"duration_s", "duration", Measure::time,
                   [](const ExchangeRow& row) -> Cell { return row.exchange->duration.count; }},
    ExchangeColumn{"latency_s", "latency", Measure::time,
                   [](const ExchangeRow& row) -> Cell { return row.exchange->latency_share.count; }},
    ExchangeColumn{"evaluated_by", "evaluated by", Measure::none,
                   [](const ExchangeRow& row) -> Cell { return row.exchange->evaluator; }},
};

std::vector<ExchangeRow> rows_of(const std::string& arm, const ExplainedStep& step) {
  std::vector<ExchangeRow> rows;
  for (const ExplainedExchange& exchange : step.exchanges) rows.push_back({&arm, &step, &exchange});
  return rows;
}

command_line::Table exchange_table(const std::vector<ExplainedArm>& arms) {
  std::vector<ExchangeColumn> columns(place_columns.begin(), place_columns.end());
  columns.insert(columns.end(), exchange_columns.begin(), exchange_columns.end());
  std::vector<ExchangeRow> rows;
  for (const ExplainedArm& arm : arms) {
    for (const ExplainedStep& step : arm.steps) {
      const std::vector<ExchangeRow> more = rows_of(arm.arm->name, step);
      rows.insert(rows.end(), more.begin(), more.end());
    }
  }
  return command_line::fill<ExchangeRow>(columns, rows);
}

Json step_json(const std::string& arm, const ExplainedStep& step) {
  Json object{{"phase", step.phase},
              {"host_overhead_s", step.host_overhead.count},
              {"forward_s", step.forward.count},
              {"backward_s", step.backward.count},
              {"optimizer_s", step.optimizer.count},
              {"compute_time_s", step.step.parts.compute.count},
              {"wait_time_s", step.step.parts.wait.count},
              {"compress_time_s", step.step.parts.compress.count},
              {"exposed_time_s", step.step.parts.exchange.count},
              {"step_time_s", step.step.duration.count},
              {"bound", reason_text(step.bound)}};
  if (const auto& overlapped = step.overlapped)
    object["overlapped"] = {{"steps", overlapped->steps},
                            {"steps_time_s", overlapped->room.count},
                            {"hidden_time_s", overlapped->hidden.count},
                            {"waited_time_s", overlapped->waited.count}};
  if (const auto& round = step.round)
    object["round"] = {
        {"steps", round->steps}, {"local_step_time_s", round->local.count}, {"time_s", round->whole.count}};
  object["links"] = step.links;
  const std::vector<ExchangeRow> rows = rows_of(arm, step);
  object["exchanges"] =
      command_line::rows_json(command_line::fill<ExchangeRow>(std::span(exchange_columns), rows));
  return object;
}

std::string text_of(const ExplainedArm& arm) {
  return arm.why_not.empty() ? explanation(*arm.arm, arm.steps)
                             : fmt::format("{}, not explained: {}\n", arm.arm->name, arm.why_not);
}

}  // namespace

command_line::Document explanation_document(std::vector<ExplainedArm> arms, std::string file, bool details) {
  const auto shared = std::make_shared<const std::vector<ExplainedArm>>(std::move(arms));
  return {.text =
              [shared, details] {
                if (!details) return summaries(*shared);
                std::string text;
                for (const ExplainedArm& arm : *shared) text += (text.empty() ? "" : "\n") + text_of(arm);
                return text;
              },
          .rows = [shared] { return exchange_table(*shared); },
          .put_json =
              [shared, file = std::move(file)](Json& object) {
                object["scenario"] = file;
                Json& list = object["arms"] = Json::array();
                for (const ExplainedArm& arm : *shared) {
                  Json& one = list.emplace_back(Json::object({{"arm", arm.arm->name}}));
                  if (!arm.why_not.empty()) one["not_explained"] = arm.why_not;
                  Json& phases = one["phases"] = Json::array();
                  for (const ExplainedStep& step : arm.steps)
                    phases.push_back(step_json(arm.arm->name, step));
                }
              }};
}

}  // namespace sim::report
