// `sim cost --cluster`: choice, terms and usual error of one NCCL operation.
#include "sim/nccl_cost.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "sim/scenario/nccl_keys.hpp"
#include "sim/scenario_files.hpp"

namespace sim {

namespace nccl = netmodels::nccl;
using netmodels::Result;

namespace {

/// Group with as many ranks of each node as the option states, else as the cluster does, else as it has GPUs.
Result<nccl::Group> group_of(const NcclQuestion& question, const scenario::NcclDescription& described) {
  const auto gpus = static_cast<std::uint32_t>(nccl::most_ranks_of_node(described.hardware));
  const std::uint32_t stated = described.workers_per_node.value_or(gpus);
  const std::uint32_t per_node = question.ranks_per_node.value_or(std::min(stated, question.ranks));
  if (question.ranks % per_node != 0)
    return netmodels::refuse(
        question.ranks_per_node ? "--ranks-per-node" : "--ranks",
        fmt::format("nodes of {} ranks do not divide {} ranks", per_node, question.ranks),
        question.ranks_per_node ? "write a divisor of `--ranks`"
                                : fmt::format("write a multiple of {}, or fewer ranks of each node by "
                                              "`--ranks-per-node`",
                                              per_node));
  return nccl::Group{.ranks = question.ranks, .nodes = question.ranks / per_node};
}

/// Whether the tables that errors were measured on hold such operations: none has sends, and those of
/// all-to-alls are of other machines than meshes of NVLinks.
bool was_held_against_tables(nccl::Operation operation, const nccl::Hardware& hardware) {
  if (operation == nccl::Operation::send_recv) return false;
  return operation != nccl::Operation::alltoall || hardware.nvlink.fabric != nccl::Fabric::mesh;
}

}  // namespace

Result<NcclAnswer> evaluate_nccl(const NcclQuestion& question) {
  const auto operation = nccl::find_operation(question.operation);
  if (!operation) return netmodels::refuse("COLLECTIVE", operation.error().what, operation.error().hint);
  if (question.size <= netmodels::Bytes{})
    return netmodels::refuse("--size", fmt::format("a message of {}", netmodels::print(question.size)),
                             "accepted: a size above 0");
  GRADSIM_TRY(described, scenario::read_nccl(question.cluster, data_folder()));
  const nccl::Hardware* const hardware = &described->hardware;
  GRADSIM_TRY(group, group_of(question, *described));
  const auto model = nccl::Model::make(*hardware, *group);
  if (!model) {
    const netmodels::Error& error = model.error();
    return netmodels::refuse("--cluster", fmt::format("`nccl.{}`: {}", error.where, error.what), error.hint);
  }
  const auto time = model->time(*operation, question.size);
  if (!time) return netmodels::refuse("COLLECTIVE", time.error().what, time.error().hint);
  NcclAnswer answer{question, *group, *time, nccl::error_class(*hardware, *group), {}, described->warnings};
  if (was_held_against_tables(*operation, *hardware))
    answer.usual_error = nccl::usual_error(*hardware, *group, question.size);
  return answer;
}

namespace {

using command_line::Cell;
using command_line::ColumnOf;
using command_line::Measure;

/// Nothing where no algorithm was chosen.
template <class Get>
Cell of_choice(const NcclAnswer& answer, Get get) {
  return answer.time.choice ? get(*answer.time.choice) : Cell();
}

/// Rate in GB/s, as nccl-tests prints it; nothing for one rank.
Cell algorithm_rate(const NcclAnswer& answer, double share) {
  constexpr double giga = 1e9;
  const netmodels::Seconds time = answer.time.total();
  if (time <= netmodels::Seconds{}) return {};
  return (answer.question.size / time).count * share / giga;
}

/// Nothing where the usual error is unknown.
Cell usual_error(const NcclAnswer& answer, double nccl::Spread::*of) {
  return answer.usual_error ? Cell((*answer.usual_error).*of) : Cell();
}

constexpr std::array nccl_columns{
    ColumnOf<NcclAnswer>{"collective", "collective", Measure::none,
                         [](const NcclAnswer& a) -> Cell { return a.question.operation; }},
    ColumnOf<NcclAnswer>{"ranks", "ranks", Measure::none,
                         [](const NcclAnswer& a) -> Cell { return std::int64_t{a.group.ranks}; }},
    ColumnOf<NcclAnswer>{"nodes", "nodes", Measure::none,
                         [](const NcclAnswer& a) -> Cell { return std::int64_t{a.group.nodes}; }},
    ColumnOf<NcclAnswer>{"size_bytes", "size", Measure::size,
                         [](const NcclAnswer& a) -> Cell { return a.question.size.count; }},
    ColumnOf<NcclAnswer>{"time_s", "time", Measure::time,
                         [](const NcclAnswer& a) -> Cell { return a.time.total().count; }},
    ColumnOf<NcclAnswer>{"algorithm_bandwidth_gb_per_s", "algorithm bandwidth (GB/s)", Measure::none,
                         [](const NcclAnswer& a) { return algorithm_rate(a, 1); }},
    ColumnOf<NcclAnswer>{"bus_bandwidth_gb_per_s", "bus bandwidth (GB/s)", Measure::none,
                         [](const NcclAnswer& a) {
                           const auto operation = nccl::find_operation(a.question.operation);
                           return algorithm_rate(a, nccl::share_of(*operation, a.group.ranks));
                         }},
    ColumnOf<NcclAnswer>{"evaluator", "evaluated by", Measure::none,
                         [](const NcclAnswer&) -> Cell { return std::string("nccl"); }},
    ColumnOf<NcclAnswer>{"algorithm", "algorithm", Measure::none,
                         [](const NcclAnswer& a) {
                           return of_choice(a, [](const nccl::Choice& c) -> Cell {
                             return std::string(nccl::to_string(c.algorithm));
                           });
                         }},
    ColumnOf<NcclAnswer>{"protocol", "protocol", Measure::none,
                         [](const NcclAnswer& a) {
                           return of_choice(a, [](const nccl::Choice& c) -> Cell {
                             return std::string(nccl::to_string(c.protocol));
                           });
                         }},
    ColumnOf<NcclAnswer>{"channels", "channels", Measure::none,
                         [](const NcclAnswer& a) {
                           return of_choice(
                               a, [](const nccl::Choice& c) -> Cell { return std::int64_t{c.channels}; });
                         }},
    ColumnOf<NcclAnswer>{"threads", "threads", Measure::none,
                         [](const NcclAnswer& a) {
                           return of_choice(
                               a, [](const nccl::Choice& c) -> Cell { return std::int64_t{c.threads}; });
                         }},
    ColumnOf<NcclAnswer>{"chunk_bytes", "chunk", Measure::size,
                         [](const NcclAnswer& a) {
                           return of_choice(a, [](const nccl::Choice& c) -> Cell { return c.chunk.count; });
                         }},
    ColumnOf<NcclAnswer>{"launch_s", "launch", Measure::time,
                         [](const NcclAnswer& a) -> Cell { return a.time.launch.count; }},
    ColumnOf<NcclAnswer>{"base_s", "base", Measure::time,
                         [](const NcclAnswer& a) -> Cell { return a.time.base.count; }},
    ColumnOf<NcclAnswer>{"hops_s", "hops", Measure::time,
                         [](const NcclAnswer& a) -> Cell { return a.time.hops.count; }},
    ColumnOf<NcclAnswer>{"wire_s", "wire", Measure::time,
                         [](const NcclAnswer& a) -> Cell { return a.time.wire.count; }},
    ColumnOf<NcclAnswer>{"fill_s", "fill", Measure::time,
                         [](const NcclAnswer& a) -> Cell { return a.time.fill.count; }},
    ColumnOf<NcclAnswer>{"enqueue_s", "enqueue", Measure::time,
                         [](const NcclAnswer& a) -> Cell { return a.time.enqueue.count; }},
    ColumnOf<NcclAnswer>{"correction_s", "correction", Measure::time,
                         [](const NcclAnswer& a) -> Cell { return a.time.correction.count; }},
    ColumnOf<NcclAnswer>{"error_class", "error class", Measure::none,
                         [](const NcclAnswer& a) -> Cell { return std::string(a.error.name); }},
    ColumnOf<NcclAnswer>{"error_median", "usual error (share)", Measure::share,
                         [](const NcclAnswer& a) { return usual_error(a, &nccl::Spread::median); }},
    ColumnOf<NcclAnswer>{"error_p90", "error of 9 in 10 (share)", Measure::share,
                         [](const NcclAnswer& a) { return usual_error(a, &nccl::Spread::p90); }},
    ColumnOf<NcclAnswer>{"measure", "measure for a smaller one", Measure::none,
                         [](const NcclAnswer& a) -> Cell { return std::string(a.error.advice); }},
};

}  // namespace

command_line::Document nccl_document(const NcclAnswer& answer) {
  return command_line::row_document(
      command_line::fill(std::span<const ColumnOf<NcclAnswer>>(nccl_columns), std::span(&answer, 1)));
}

}  // namespace sim
