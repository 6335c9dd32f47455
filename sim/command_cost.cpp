// `sim cost`: evaluates one collective on a star of equal links, or as NCCL would run it on described
// hardware.
#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/error_output.hpp"
#include "command_line/known_words.hpp"
#include "command_line/output_format.hpp"
#include "netmodels/collective.hpp"
#include "netmodels/nearest.hpp"
#include "sim/commands.hpp"
#include "sim/engine/cost_evaluator.hpp"
#include "sim/exit_code.hpp"
#include "sim/nccl_cost.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/nccl_keys.hpp"
#include "sim/scenario_options.hpp"

namespace sim {
namespace {

using netmodels::Result;
using netmodels::Seconds;

struct CostOptions {
  std::string collective;
  std::int64_t ranks = 0;
  std::string size;
  std::string latency;
  std::string bandwidth;
  std::string network = "auto";
  std::int64_t repeat = 1;
  std::int64_t chunks = 16;
  std::int64_t ranks_per_node = 1;
  bool states_ranks_per_node = false;
  std::string cluster;  ///< described hardware; empty: a star of equal links
  std::string format;
};

/// The collective to be evaluated, read and checked.
struct Question {
  const netmodels::Collective* collective;
  netmodels::Operation operation;
  netmodels::LinkState link;
  scenario::Evaluator evaluator;
  std::int64_t repeat;
};

struct Answer {
  Question question;
  Seconds total;
  engine::EvaluatedBy by;
  engine::EvaluatorCounts counts;
};

template <class Q>
Result<Q> read(const std::string& option, const std::string& text) {
  auto value = netmodels::parse<Q>(text);
  if (!value) value.error().where = option;
  return value;
}

Result<std::uint32_t> read_count(const std::string& option, std::int64_t value) {
  constexpr std::int64_t most = netmodels::most_ranks;
  if (value >= 1 && value <= most) return static_cast<std::uint32_t>(value);
  return netmodels::refuse(option, "`" + std::to_string(value) + "` is out of range",
                           "accepted: 1 to " + std::to_string(most));
}

/// @param name  one of `evaluator_names`, as the parser of options has checked
scenario::Evaluator evaluator_of(std::string_view name) {
  const auto& words = names_of(scenario::Evaluator{});
  return std::ranges::find(words, name, &settings::Named<scenario::Evaluator>::name)->value;
}

Result<netmodels::Operation> read_operation(const CostOptions& options) {
  const auto ranks = read_count("--ranks", options.ranks);
  const auto chunks = read_count("--chunks", options.chunks);
  const auto group = read_count("--ranks-per-node", options.ranks_per_node);
  for (const auto* count : {&ranks, &chunks, &group}) {
    if (!*count) return tl::unexpected(count->error());
  }
  GRADSIM_TRY(size, read<netmodels::Bytes>("--size", options.size));
  auto operation = netmodels::check({*ranks, *size, *group, *chunks, {}});
  if (!operation)
    operation.error().where = operation.error().what.starts_with("nodes") ? "--ranks-per-node" : "--size";
  return operation;
}

Result<Question> read_question(const CostOptions& options) {
  const auto collective = netmodels::find_collective(options.collective);
  if (!collective) return netmodels::refuse("COLLECTIVE", collective.error().what, collective.error().hint);
  GRADSIM_TRY(operation, read_operation(options));
  GRADSIM_TRY(latency, read<Seconds>("--latency", options.latency));
  GRADSIM_TRY(bandwidth, read<netmodels::Bandwidth>("--bandwidth", options.bandwidth));
  if (evaluator_of(options.network) == scenario::Evaluator::nccl)
    return netmodels::refuse("--network", "`nccl` needs described hardware", "name it by `--cluster`");
  if (bandwidth->count == 0)
    return netmodels::refuse("--bandwidth", "`" + options.bandwidth + "` is not a bandwidth",
                             "accepted: above 0");
  if (options.repeat < 1)
    return netmodels::refuse("--repeat", "`" + std::to_string(options.repeat) + "` is out of range",
                             "accepted: 1 or more");
  return Question{
      *collective, *operation, {*latency, *bandwidth}, evaluator_of(options.network), options.repeat};
}

/// The closed form needs no platform, which takes time to build.
Answer price_closed(const Question& question) {
  const Seconds each = question.collective->closed(question.operation, question.link);
  Answer answer{question, static_cast<double>(question.repeat) * each, engine::EvaluatedBy::closed, {}};
  answer.counts.closed = static_cast<std::uint64_t>(question.repeat);
  return answer;
}

Result<Answer> evaluate(const Question& question) {
  if (question.evaluator == scenario::Evaluator::closed) return price_closed(question);
  scenario::Cluster cluster;
  cluster.workers = static_cast<int>(question.operation.ranks);
  cluster.link = {question.link.latency, question.link.bandwidth};
  GRADSIM_TRY(platform, engine::Platform::make(cluster));
  engine::SharedCluster built(std::move(*platform));
  GRADSIM_TRY(network, engine::NetworkTimeline::make(cluster, built.platform(), built.numbers()));
  engine::CostEvaluator evaluator(built, {question.evaluator});
  std::vector<std::uint32_t> workers(question.operation.ranks);
  std::iota(workers.begin(), workers.end(), 0U);
  evaluator.set_workers(workers);
  const auto handle = evaluator.prepare(*question.collective, question.operation);
  Answer answer{question, {}, engine::EvaluatedBy::path, {}};
  for (std::int64_t round = 0; round < question.repeat; ++round) {
    network->advance(answer.total, 0, 0);
    const auto evaluated = evaluator.evaluate(handle, *network, answer.total);
    if (!evaluated) return netmodels::refuse("--network", evaluated.error().what, evaluated.error().hint);
    answer.total += evaluated->duration;
    answer.by = evaluated->by;
  }
  answer.counts = evaluator.counts();
  return answer;
}

using command_line::Cell;
using command_line::ColumnOf;
using command_line::Measure;

Cell count(std::uint64_t value) { return static_cast<std::int64_t>(value); }

/// Nothing for closed forms, which have no schedule.
template <class Get>
Cell of_schedule(const Answer& answer, Get get) {
  const auto make = answer.question.collective->schedule;
  return make == nullptr ? Cell() : get(make(answer.question.operation));
}

constexpr std::array columns{
    ColumnOf<Answer>{"collective", "collective", Measure::none,
                     [](const Answer& a) -> Cell { return std::string(a.question.collective->name); }},
    ColumnOf<Answer>{"ranks", "ranks", Measure::none,
                     [](const Answer& a) { return count(a.question.operation.ranks); }},
    ColumnOf<Answer>{"size_bytes", "size", Measure::size,
                     [](const Answer& a) -> Cell { return a.question.operation.size.count; }},
    ColumnOf<Answer>{"latency_s", "latency", Measure::time,
                     [](const Answer& a) -> Cell { return a.question.link.latency.count; }},
    ColumnOf<Answer>{"bandwidth_bytes_per_s", "bandwidth", Measure::rate,
                     [](const Answer& a) -> Cell { return a.question.link.bandwidth.count; }},
    ColumnOf<Answer>{
        "time_s", "time", Measure::time,
        [](const Answer& a) -> Cell { return a.total.count / static_cast<double>(a.question.repeat); }},
    ColumnOf<Answer>{"evaluator", "evaluated by", Measure::none,
                     [](const Answer& a) -> Cell { return std::string(to_string(a.by)); }},
    ColumnOf<Answer>{"repeat", "times", Measure::none,
                     [](const Answer& a) -> Cell { return a.question.repeat; }},
    ColumnOf<Answer>{"total_time_s", "total", Measure::time,
                     [](const Answer& a) -> Cell { return a.total.count; }},
    ColumnOf<Answer>{"priced_reused", "reused", Measure::none,
                     [](const Answer& a) { return count(a.counts.reused); }},
    ColumnOf<Answer>{
        "messages", "messages", Measure::none,
        [](const Answer& a) { return of_schedule(a, [](const auto& s) { return count(s.messages()); }); }},
    ColumnOf<Answer>{
        "rounds", "rounds", Measure::none,
        [](const Answer& a) { return of_schedule(a, [](const auto& s) { return count(s.rounds()); }); }},
    ColumnOf<Answer>{"sent_bytes", "sent by all", Measure::size,
                     [](const Answer& a) {
                       return of_schedule(a, [](const auto& s) -> Cell { return s.bytes().count; });
                     }},
    ColumnOf<Answer>{"formula", "formula", Measure::none,
                     [](const Answer& a) -> Cell { return std::string(a.question.collective->formula); }},
};

/// Prints NCCL's choice on the hardware of a cluster file, and its time.
int cost_of_nccl(const CostOptions& options) {
  const scenario::Evaluator evaluator = evaluator_of(options.network);
  if (evaluator != scenario::Evaluator::automatic && evaluator != scenario::Evaluator::nccl) {
    std::cerr << "--network: `" << options.network << "` evaluates links, and --cluster describes hardware; "
              << "accepted: auto, nccl\n";
    return exit_refused;
  }
  const auto ranks = read_count("--ranks", options.ranks);
  const auto group = read_count("--ranks-per-node", options.ranks_per_node);
  const auto size = read<netmodels::Bytes>("--size", options.size);
  for (const auto* count : {&ranks, &group}) {
    if (*count) continue;
    command_line::print_error(std::cerr, count->error());
    return exit_refused;
  }
  const auto answer =
      size ? evaluate_nccl({options.collective, *ranks, *size, options.cluster,
                            options.states_ranks_per_node ? std::optional(*group) : std::nullopt})
           : tl::unexpected(size.error());
  if (!answer) {
    command_line::print_error(std::cerr, answer.error());
    return exit_refused;
  }
  for (const std::string& warning : answer->warnings) std::cerr << "warning: " << warning << "\n";
  std::cout << command_line::print(options.format, nccl_document(*answer));
  return exit_done;
}

int cost(const CostOptions& options) {
  if (!options.cluster.empty()) return cost_of_nccl(options);
  const auto question = read_question(options);
  const auto answer = question ? evaluate(*question) : tl::unexpected(question.error());
  if (!answer) {
    command_line::print_error(std::cerr, answer.error());
    return exit_refused;
  }
  const auto table = command_line::fill(std::span<const ColumnOf<Answer>>(columns), std::span(&*answer, 1));
  std::cout << command_line::print(options.format, command_line::row_document(table));
  return exit_done;
}

}  // namespace

void add_cost(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("cost",
                                             "evaluates the cost of one collective on a star of "
                                             "equal links, or as NCCL would run it on described hardware");
  const auto options = std::make_shared<CostOptions>();
  command
      ->add_option("COLLECTIVE", options->collective,
                   "a name of `sim list collectives`; with --cluster " +
                       netmodels::join(settings::all_names<netmodels::nccl::Operation>()))
      ->required()
      ->type_name("");
  command->add_option("--ranks", options->ranks, "N")->required()->type_name("N");
  command
      ->add_option("--size", options->size,
                   "M, as the collective's row in `sim list collectives` "
                   "defines it: 100MB, 64MiB")
      ->required()
      ->type_name("SIZE");
  CLI::Option* latency =
      command->add_option("--latency", options->latency, "L, end to end: 500ns, 1ms")->type_name("TIME");
  CLI::Option* bandwidth =
      command->add_option("--bandwidth", options->bandwidth, "B, of each direction: 10Gbit/s, 50GB/s")
          ->type_name("RATE");
  CLI::Option* cluster =
      command
          ->add_option(
              "--cluster", options->cluster,
              "in place of --latency and --bandwidth: a file with the key `nccl`, or a name of `sim list "
              "clusters`")
          ->type_name("FILE")
          ->excludes(latency)
          ->excludes(bandwidth);
  command
      ->add_option("--network", options->network,
                   "evaluator: " + netmodels::join(settings::all_names<scenario::Evaluator>()))
      ->type_name("NAME")
      ->capture_default_str()
      ->check(command_line::known_words(evaluator_names()));
  CLI::Option* repeat = command
                            ->add_option("--repeat", options->repeat,
                                         "number of repeated evaluations; `auto` reuses the first result")
                            ->type_name("N")
                            ->capture_default_str();
  CLI::Option* chunks =
      command->add_option("--chunks", options->chunks, "number of chunks of pipelined collectives")
          ->type_name("N")
          ->capture_default_str();
  cluster->excludes(repeat)->excludes(chunks);
  const CLI::Option* per_node = command
                                    ->add_option("--ranks-per-node", options->ranks_per_node,
                                                 "of two-level collectives; with --cluster, without it, its "
                                                 "`workers_per_node`, else as many as a node has "
                                                 "GPUs")
                                    ->type_name("N")
                                    ->capture_default_str();
  command_line::add_format(*command, options->format);
  command->footer(
      "Examples:\n  sim cost ring_allreduce --ranks 8 --size 100MB --latency 500ns --bandwidth 50GB/s\n"
      "  sim cost double_binary_tree_allreduce --ranks 64 --size 100MB --latency 5us --bandwidth 100Gbit/s "
      "--network simgrid\n"
      "  sim cost all_reduce --cluster nvidia_dgx_h100 --ranks 16 --size 64MiB --format json");
  command->callback([options, per_node, &exit_code] {
    options->states_ranks_per_node = per_node->count() > 0;
    if (options->cluster.empty() && options->latency.empty()) throw CLI::RequiredError("--latency");
    if (options->cluster.empty() && options->bandwidth.empty()) throw CLI::RequiredError("--bandwidth");
    exit_code = cost(*options);
  });
}

}  // namespace sim
