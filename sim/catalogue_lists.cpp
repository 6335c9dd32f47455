// Lists of rows that are part of the program: collectives, policies, learners, metrics.
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/catalogue.hpp"
#include "learning/datasets/catalogue.hpp"
#include "learning/learners/learner_row.hpp"
#include "learning/models/catalogue.hpp"
#include "netmodels/collective.hpp"
#include "netmodels/execution.hpp"
#include "netmodels/shard_sending.hpp"
#include "netmodels/sharding.hpp"
#include "policies/catalogue.hpp"
#include "sim/list_cells.hpp"
#include "sim/name_lists.hpp"
#include "sim/report/metric.hpp"
#include "sim/scenario/support.hpp"
#include "sim/scenario/words_of_others.hpp"

namespace sim {

using command_line::Cell;
using command_line::ColumnOf;
using command_line::Measure;
using command_line::Table;
using netmodels::Result;

Result<Table> list_collectives() {
  using Row = netmodels::Collective;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text_cell(r.name); }},
      ColumnOf<Row>{"kind", "kind", Measure::none, [](const Row& r) { return text_cell(to_string(r.kind)); }},
      ColumnOf<Row>{"size", "M is", Measure::none, [](const Row& r) { return text_cell(to_string(r.size)); }},
      ColumnOf<Row>{"formula", "formula", Measure::none, [](const Row& r) { return text_cell(r.formula); }},
      ColumnOf<Row>{"schedule", "schedule", Measure::none,
                    [](const Row& r) { return yes_or_no(r.schedule != nullptr); }},
      ColumnOf<Row>{"summary", "summary", Measure::none, [](const Row& r) { return text_cell(r.summary); }},
      ColumnOf<Row>{"source", "source", Measure::none, [](const Row& r) { return text_cell(r.source); }},
  };
  return table_of(columns, netmodels::collectives());
}

namespace {

/// Limits of buckets, as a scenario writes them.
Cell buckets_cell(const netmodels::GradientParts& parts) {
  if (parts.per_tensor) return text_cell("a tensor each");
  if (parts.limits.first == netmodels::Bytes{}) return text_cell("whole gradient");
  if (parts.limits.first == parts.limits.later) return netmodels::print(parts.limits.first);
  return fmt::format("{}, then {}", netmodels::print(parts.limits.first),
                     netmodels::print(parts.limits.later));
}

}  // namespace

Result<Table> list_executions() {
  using Row = netmodels::ExecutionModel;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text_cell(r.name); }},
      ColumnOf<Row>{"buckets", "buckets", Measure::none, [](const Row& r) { return buckets_cell(r.parts); }},
      ColumnOf<Row>{"overlaps", "overlaps", Measure::none,
                    [](const Row& r) { return yes_or_no(r.overlaps); }},
      ColumnOf<Row>{"broadcasts_buffers", "broadcasts buffers", Measure::none,
                    [](const Row& r) { return yes_or_no(r.broadcasts_buffers); }},
      ColumnOf<Row>{"compresses", "compresses", Measure::none,
                    [](const Row& r) { return yes_or_no(r.compresses); }},
      ColumnOf<Row>{"summary", "summary", Measure::none, [](const Row& r) { return text_cell(r.summary); }},
      ColumnOf<Row>{"source", "source", Measure::none, [](const Row& r) { return text_cell(r.source); }},
  };
  return table_of(columns, netmodels::execution_models());
}

namespace {

/// A word of `parallelism.data` or of `parallelism.compress`.
struct ShardingLine {
  std::string_view key;
  std::string_view name;
  std::string_view summary;
  std::string_view source;
};

std::vector<ShardingLine> sharding_lines() {
  std::vector<ShardingLine> lines;
  for (const netmodels::ShardingKind& kind : netmodels::sharding_kinds)
    lines.push_back({"parallelism.data", kind.name, kind.summary, kind.source});
  for (const netmodels::ShardSendingRow& row : netmodels::shard_sendings())
    lines.push_back({"parallelism.compress", row.name, row.summary, row.source});
  return lines;
}

}  // namespace

Result<Table> list_shardings() {
  using Row = ShardingLine;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text_cell(r.name); }},
      ColumnOf<Row>{"key", "key", Measure::none, [](const Row& r) { return text_cell(r.key); }},
      ColumnOf<Row>{"summary", "summary", Measure::none, [](const Row& r) { return text_cell(r.summary); }},
      ColumnOf<Row>{"source", "source", Measure::none, [](const Row& r) { return text_cell(r.source); }},
  };
  const std::vector<Row> rows = sharding_lines();
  return table_of(columns, std::span<const Row>(rows));
}

Result<Table> list_compressors() {
  using Row = kernels::Entry;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text_cell(r.name); }},
      ColumnOf<Row>{"exchange", "exchange", Measure::none,
                    [](const Row& r) { return text_cell(to_string(r.exchange)); }},
      ColumnOf<Row>{"sparse", "sparse", Measure::none, [](const Row& r) { return yes_or_no(r.sparse); }},
      ColumnOf<Row>{"error_feedback", "error feedback", Measure::none,
                    [](const Row& r) { return yes_or_no(r.error_feedback); }},
      ColumnOf<Row>{"execution", "execution", Measure::none,
                    [](const Row& r) { return text_cell(r.execution); }},
      ColumnOf<Row>{"formula", "bytes per rank", Measure::none,
                    [](const Row& r) { return text_cell(r.formula); }},
      ColumnOf<Row>{"summary", "summary", Measure::none, [](const Row& r) { return text_cell(r.summary); }},
      ColumnOf<Row>{"source", "source", Measure::none, [](const Row& r) { return text_cell(r.source); }},
  };
  return table_of(columns, kernels::wire_formats());
}

Result<Table> list_policies() {
  using Row = policies::PolicyRow;
  static constexpr std::array columns{
      ColumnOf<Row>{"role", "role", Measure::none, [](const Row& r) { return text_cell(r.role); }},
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text_cell(r.name); }},
      ColumnOf<Row>{"summary", "summary", Measure::none, [](const Row& r) { return text_cell(r.summary); }},
      ColumnOf<Row>{"source", "source", Measure::none, [](const Row& r) { return text_cell(r.source); }},
  };
  const std::vector<Row> rows = policies::catalogue();
  return table_of(columns, std::span<const Row>(rows));
}

namespace {

template <class Row>
Result<Table> named_rows(std::span<const Row> rows) {
  std::vector<NamedLine> named;
  for (const Row& row : rows) named.push_back({std::string(row.name), std::string(row.summary)});
  return line_table(named);
}

}  // namespace

Result<Table> list_learners() { return named_rows(learning::learners::learners()); }
Result<Table> list_models() { return named_rows(learning::models::catalogue()); }

Result<Table> list_datasets() {
  using Row = learning::datasets::DatasetRow;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text_cell(r.name); }},
      ColumnOf<Row>{"summary", "summary", Measure::none, [](const Row& r) { return text_cell(r.summary); }},
      ColumnOf<Row>{"made_by", "made by", Measure::none, [](const Row& r) { return text_cell(r.source); }},
      ColumnOf<Row>{"licence", "licence", Measure::none, [](const Row& r) { return text_cell(r.licence); }},
      ColumnOf<Row>{"get", "files", Measure::none, [](const Row& r) { return text_cell(r.get); }},
  };
  return table_of(columns, learning::datasets::catalogue());
}

Result<Table> list_metrics() {
  using Row = report::Metric;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text_cell(r.name); }},
      ColumnOf<Row>{"key", "key in CSV and JSON", Measure::none,
                    [](const Row& r) { return text_cell(r.key); }},
      ColumnOf<Row>{"doc", "meaning", Measure::none, [](const Row& r) { return text_cell(r.doc); }},
  };
  std::vector<Row> rows;
  for (const Row& row : report::metrics()) {
    if (!row.name.empty()) rows.push_back(row);
  }
  return table_of(columns, std::span<const Row>(rows));
}

Result<Table> list_words() {
  using Row = scenario::KeyOfOthers;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text_cell(r.name); }},
      ColumnOf<Row>{"of", "of", Measure::none, [](const Row& r) { return text_cell(r.of); }},
      ColumnOf<Row>{"key", "key of a scenario", Measure::none,
                    [](const Row& r) { return text_cell(r.key.empty() ? "not modelled" : r.key); }},
      ColumnOf<Row>{"meaning", "meaning", Measure::none, [](const Row& r) { return text_cell(r.text); }},
  };
  return table_of(columns, scenario::keys_of_others());
}

Result<Table> list_support() {
  using Row = scenario::SupportRow;
  static constexpr std::array columns{
      ColumnOf<Row>{"setting", "setting", Measure::none, [](const Row& r) { return text_cell(r.setting); }},
      ColumnOf<Row>{"needs", "needs", Measure::none,
                    [](const Row& r) -> Cell { return fmt::format("{}", fmt::join(r.needs, "; ")); }},
      ColumnOf<Row>{"excludes", "cannot be combined with", Measure::none,
                    [](const Row& r) -> Cell { return fmt::format("{}", fmt::join(r.excludes, "; ")); }},
  };
  const std::vector<Row> rows = scenario::support_rows();
  return table_of(columns, std::span<const Row>(rows));
}

}  // namespace sim
