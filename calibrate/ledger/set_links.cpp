// Collectives on links whose delay and bandwidth were set, predicted from these two figures alone.
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "calibrate/ledger/rules.hpp"
#include "files/csv_rows.hpp"
#include "netmodels/collective.hpp"

namespace calibrate::ledger {
namespace {

using netmodels::LinkState;
using netmodels::Result;
using netmodels::Seconds;

/// A row of a table on set links, with the settings of `tc`.
struct SetLink {
  std::string_view collective;
  std::string_view library;
  netmodels::Operation operation;
  LinkState link;
  Seconds time;
};

/// @returns nothing where delay or bandwidth were not set
Result<std::optional<SetLink>> read_row(const files::CsvRow& row, const std::string& path) {
  enum : std::size_t { collective, library, nodes, delay, bandwidth, size, time };
  if (row.cells[delay].empty() || row.cells[bandwidth].empty()) return std::nullopt;
  GRADSIM_TRY(ranks, files::count_in(row, nodes, path));
  GRADSIM_TRY(milliseconds, files::number_in(row, delay, 0, path));
  GRADSIM_TRY(gigabits, files::number_in(row, bandwidth, 0, path));
  GRADSIM_TRY(bytes, files::number_in(row, size, 1, path));
  GRADSIM_TRY(seconds, files::number_in(row, time, 0, path));
  constexpr double bytes_of_gigabit = 1e9 / 8;
  return SetLink{row.cells[collective],
                 row.cells[library],
                 {.ranks = static_cast<std::uint32_t>(*ranks), .size = {*bytes}},
                 {{*milliseconds * 1e-3}, {*gigabits * bytes_of_gigabit}},
                 {*seconds}};
}

/// The row of netmodels by which a library runs a collective; empty: a single message.
struct SetForm {
  std::string_view library;
  std::string_view collective;
  std::string_view row;
};

constexpr std::array nccl_rings{SetForm{"nccl", "all_reduce", "ring_allreduce"}};
constexpr std::array nccl_chains{SetForm{"nccl", "broadcast", "nccl.broadcast"},
                                 SetForm{"nccl", "reduce", "nccl.reduce"}};
constexpr std::array nccl_messages{SetForm{"nccl", "send_recv", ""}};
constexpr std::array gloo{SetForm{"gloo", "all_reduce", "gloo.allreduce"},
                          SetForm{"gloo", "broadcast", "gloo.broadcast"},
                          SetForm{"gloo", "reduce", "gloo.reduce"}};

std::optional<Seconds> predicted_time(const SetLink& row, std::span<const SetForm> forms) {
  for (const SetForm& form : forms) {
    if (form.library != row.library || form.collective != row.collective) continue;
    if (form.row.empty()) return row.link.time(row.operation.size);
    return netmodels::collective_row(form.row).closed(row.operation, row.link);
  }
  return std::nullopt;
}

Result<std::vector<Prediction>> predict_by(const Evidence& evidence, std::span<const SetForm> forms) {
  constexpr std::array<std::string_view, 7> columns{"collective",     "library",    "nodes", "delay_ms",
                                                    "bandwidth_gbit", "size_bytes", "time_s"};
  std::vector<Prediction> predictions;
  for (const SourceText& source : evidence.measured) {
    GRADSIM_TRY(rows, files::read_csv_rows(source.text, columns, source.path));
    for (const files::CsvRow& line : *rows) {
      GRADSIM_TRY(row, read_row(line, source.path));
      if (!*row) continue;
      const SetLink& set = **row;
      const auto predicted = predicted_time(set, forms);
      if (!predicted) continue;
      predictions.push_back(
          {file_name(source.path),
           fmt::format("{} {} of {} on {} nodes, {} and {}", set.library, set.collective,
                       netmodels::print(set.operation.size), set.operation.ranks,
                       netmodels::print(set.link.latency), netmodels::print(set.link.bandwidth)),
           "s", set.operation.size, set.time.count, predicted->count});
    }
    if (predictions.empty())
      return netmodels::refuse(source.path, "no row has a delay, a bandwidth and a collective of the rule");
  }
  return predictions;
}

}  // namespace

Result<std::vector<Prediction>> predict_nccl_rings_on_set_links(const Evidence& evidence) {
  return predict_by(evidence, nccl_rings);
}

Result<std::vector<Prediction>> predict_nccl_chains_on_set_links(const Evidence& evidence) {
  return predict_by(evidence, nccl_chains);
}

Result<std::vector<Prediction>> predict_nccl_messages_on_set_links(const Evidence& evidence) {
  return predict_by(evidence, nccl_messages);
}

Result<std::vector<Prediction>> predict_gloo_on_set_links(const Evidence& evidence) {
  return predict_by(evidence, gloo);
}

}  // namespace calibrate::ledger
