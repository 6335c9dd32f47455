// Checks the contents of an nccl-tests log and turns them into a measurement.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "calibrate/imports/nccl_tests.hpp"
#include "calibrate/measurements/measurement_csv.hpp"
#include "files/text_file.hpp"
#include "netmodels/nearest.hpp"

namespace calibrate::imports {
namespace {

using netmodels::refuse;
using netmodels::Result;

using Half = std::optional<NcclTestsHalf> NcclTestsRow::*;

/// The half of the rows that is taken: the out-of-place one as long as any row has it.
Half chosen_half(const NcclTestsLog& log) {
  const bool any =
      std::ranges::any_of(log.rows, [](const auto& row) { return row.out_of_place.has_value(); });
  return any ? &NcclTestsRow::out_of_place : &NcclTestsRow::in_place;
}

Result<int> ranks_of(const NcclTestsLog& log, const LogHints& hints) {
  std::set<int> seen;
  for (const NcclTestsRank& rank : log.ranks) seen.insert(rank.rank);
  const auto listed = static_cast<int>(seen.size());
  if (listed != static_cast<int>(log.ranks.size()))
    return refuse(log.source, "mixed ranks: duplicate rank", "use a separate file for each run of the tool");
  if (listed > 0 && (*seen.begin() != 0 || *seen.rbegin() != listed - 1))
    return refuse(log.source, fmt::format("{} ranks are listed, the last one as {}", listed, *seen.rbegin()),
                  "the list of ranks is incomplete");
  if (listed == 0 && !hints.ranks)
    return refuse(log.source, "the log does not list its ranks", "state their number by --ranks");
  if (listed > 0 && hints.ranks && *hints.ranks != listed)
    return refuse(log.source,
                  fmt::format("mixed ranks: the log lists {}, but --ranks is {}", listed, *hints.ranks));
  const int ranks = listed > 0 ? listed : *hints.ranks;
  if (ranks < 2) return refuse(log.source, "one rank exchanges nothing", "accepted: 2 ranks or more");
  return ranks;
}

std::optional<int> nodes_of(const NcclTestsLog& log, const LogHints& hints) {
  std::set<std::string> hosts;
  for (const NcclTestsRank& rank : log.ranks) hosts.insert(rank.host);
  if (hints.nodes || hosts.empty()) return hints.nodes;
  return static_cast<int>(hosts.size());
}

/// Whether the two printed bandwidths can belong to this operation.
bool bandwidths_fit(const NcclTestsHalf& half, double size, const measurements::Operation& operation,
                    int ranks) {
  const double exact = size / half.time_us / 1e3;
  const double factor = measurements::bus_factor(operation, ranks);
  const bool old_form = operation.size == measurements::SizeMeaning::total &&
                        measurements::agrees(half.algorithm_gbs, exact * (ranks - 1) / ranks);
  return (measurements::agrees(half.algorithm_gbs, exact) &&
          measurements::agrees(half.bus_gbs, exact * factor)) ||
         (old_form && measurements::agrees(half.bus_gbs, half.algorithm_gbs));
}

/// Whether a row can be one of this operation, by its reduction, root, count and bandwidths.
bool can_be(const NcclTestsRow& row, Half half, const measurements::Operation& operation, int ranks) {
  if (row.reduces && *row.reduces != operation.reduces) return false;
  if (row.root && (*row.root >= 0) != operation.rooted) return false;
  if (!row.root && operation.rooted) return false;
  const double parts = operation.size == measurements::SizeMeaning::total ? ranks : 1;
  if (std::abs(row.count * row.element_bytes * parts - row.size) > 0.001 * row.size) return false;
  const bool has_time = row.*half && std::isfinite((row.*half)->time_us) && (row.*half)->time_us > 0;
  return !has_time || bandwidths_fit(*(row.*half), row.size, operation, ranks);
}

Result<const measurements::Operation*> implied_operation(const NcclTestsLog& log, Half half, int ranks) {
  std::vector<const measurements::Operation*> possible;
  std::vector<std::string_view> names;
  for (const measurements::Operation& operation : measurements::operations()) {
    if (!operation.nccl_tests) continue;
    const auto fits = [&](const NcclTestsRow& row) {
      return row.size == 0 || can_be(row, half, operation, ranks);
    };
    if (!std::ranges::all_of(log.rows, fits)) continue;
    possible.push_back(&operation);
    names.push_back(operation.name);
  }
  if (possible.size() == 1) return possible.front();
  if (possible.empty())
    return refuse(log.source,
                  fmt::format("the log names no collective, and its rows fit none on {} ranks", ranks),
                  "name it by --collective, and check --ranks");
  return refuse(log.source,
                "the log names no collective, and its rows fit " + netmodels::join(names, " and "),
                "name it by --collective");
}

Result<const measurements::Operation*> operation_of(const NcclTestsLog& log, const LogHints& hints, Half half,
                                                    int ranks) {
  if (!log.program) {
    return hints.operation != nullptr ? Result<const measurements::Operation*>(hints.operation)
                                      : implied_operation(log, half, ranks);
  }
  const auto named = measurements::find_operation(*log.program);
  if (!named) return refuse(log.source, named.error().what, named.error().hint);
  if (hints.operation == nullptr || hints.operation == *named) return *named;
  return refuse(log.source, fmt::format("the log is of {}, but --collective is {}", (*named)->name,
                                        hints.operation->name));
}

/// `8x NVIDIA H100, 1x Tesla T4`, in the order of the ranks.
std::optional<std::string> machine_of(const NcclTestsLog& log) {
  std::vector<std::pair<std::string, int>> counts;
  for (const NcclTestsRank& rank : log.ranks) {
    const auto known = std::ranges::find(counts, rank.device, &std::pair<std::string, int>::first);
    if (known == counts.end())
      counts.emplace_back(rank.device, 1);
    else
      ++known->second;
  }
  std::string text;
  for (const auto& [device, count] : counts)
    text += fmt::format("{}{}x {}", text.empty() ? "" : ", ", count, device);
  return text.empty() ? std::nullopt : std::optional(text);
}

measurements::Facts facts_of(const NcclTestsLog& log, Half half, bool implied, std::string_view operation) {
  measurements::Facts facts;
  facts.machine = machine_of(log);
  facts.network = log.network;
  facts.algorithm = log.algorithm;
  facts.protocol = log.protocol;
  const std::string library = log.tool == "rccl-tests" ? ", RCCL " : ", NCCL ";
  facts.tool = log.tool + (log.version ? " " + *log.version : "") + (log.nccl ? library + *log.nccl : "");
  facts.source = files::file_name(log.source);
  if (half == &NcclTestsRow::in_place)
    facts.notes.emplace_back("in-place times: the log has no out-of-place ones");
  if (implied)
    facts.notes.push_back(
        fmt::format("the log does not name its collective; its rows fit {} only", operation));
  return facts;
}

/// Rows that are left out, by the reason.
struct LeftOutRows {
  int of_size_0 = 0;
  int without_half = 0;
  int wrong = 0;

  [[nodiscard]] std::vector<std::string> sentences() const {
    std::vector<std::string> said;
    if (of_size_0 > 0) said.push_back(counted_rows(of_size_0) + " skipped: size 0");
    if (without_half > 0) said.push_back(counted_rows(without_half) + " skipped: no out-of-place time");
    if (wrong > 0) said.push_back(counted_rows(wrong) + " skipped: wrong results");
    return said;
  }
};

/// Sizes that fall or repeat: another operation, type or root began, or another test.
netmodels::Error falling_sizes(const NcclTestsRow& before, const NcclTestsRow& row, netmodels::Error plain) {
  const bool other_type = before.type != row.type;
  const bool other_reduction = before.reduction != row.reduction;
  const bool other_root = before.root != row.root;
  plain.where = row.where;
  if (!other_type && !other_reduction && !other_root) return plain;
  const auto described = [](const NcclTestsRow& one) {
    return fmt::format("{}{}{}{}", one.type, one.reduction.empty() ? "" : " ", one.reduction,
                       one.root.value_or(-1) >= 0 ? fmt::format(" of root {}", *one.root) : "");
  };
  plain.what +=
      fmt::format("; the log holds several tests, of `{}` and of `{}`", described(before), described(row));
  plain.hint = "use a separate file for each operation, type and root, as `-o sum -d float -r 0` prints";
  return plain;
}

Result<void> check_bandwidths(const NcclTestsRow& row, const NcclTestsHalf& values,
                              const measurements::Measurements& measured) {
  if (bandwidths_fit(values, row.size, *measured.operation, measured.ranks)) return {};
  return refuse(row.where,
                fmt::format("the bandwidths {} and {} GB/s do not match {} of {} bytes in {} us on {} ranks",
                            values.algorithm_gbs, values.bus_gbs, measured.operation->name, row.size,
                            values.time_us, measured.ranks),
                "check the collective, the ranks and the row");
}

/// Fills the points; counts what is left out.
Result<void> add_points(const NcclTestsLog& log, Half half, Imported& imported) {
  LeftOutRows left_out;
  const NcclTestsRow* before = nullptr;
  measurements::Measurements& measured = imported.measured;
  for (const NcclTestsRow& row : log.rows) {
    if (row.size == 0 || !(row.*half)) {
      ++(row.size == 0 ? left_out.of_size_0 : left_out.without_half);
      continue;
    }
    const NcclTestsHalf& values = *(row.*half);
    const measurements::MeasuredPoint point{{row.size}, {values.time_us / 1e6}};
    if (auto next = measurements::check_next(measured.points, point); !next)
      return tl::unexpected(falling_sizes(before == nullptr ? row : *before, row, next.error()));
    if (auto fits = check_bandwidths(row, values, measured); !fits) return fits;
    before = &row;
    if (values.wrong.value_or(0) != 0)
      ++left_out.wrong;
    else
      measured.points.push_back(point);
  }
  imported.skipped = left_out.sentences();
  if (measured.points.empty()) return refuse(log.source, "no row is left: " + imported.skipped.back());
  return {};
}

/// Notes that the run failed, or that the log lacks its end: rows beyond the last are missing.
void note_end(const NcclTestsLog& log, Imported& imported) {
  std::string note;
  if (log.failure)
    note = fmt::format("the run failed, and sizes may be missing ({})", *log.failure);
  else if (log.wrong_results)
    note = fmt::format("the tool reports wrong results ({})", *log.wrong_results);
  else if (log.has_begin && !log.has_end)
    note = "the log ends before the tool's last lines: the run may have failed, and sizes may be missing";
  if (note.empty()) return;
  imported.skipped.push_back(note);
  imported.measured.facts.notes.push_back(std::move(note));
}

}  // namespace

std::optional<int> element_bytes(std::string_view type) {
  using Type = std::pair<std::string_view, int>;
  constexpr std::array types{Type{"int8", 1},   Type{"uint8", 1},  Type{"char", 1},     Type{"int32", 4},
                             Type{"uint32", 4}, Type{"int", 4},    Type{"int64", 8},    Type{"uint64", 8},
                             Type{"half", 2},   Type{"float", 4},  Type{"double", 8},   Type{"bfloat16", 2},
                             Type{"f8e4m3", 1}, Type{"f8e5m2", 1}, Type{"fp8_e4m3", 1}, Type{"fp8_e5m2", 1}};
  const auto* row = std::ranges::find(types, type, &Type::first);
  return row == types.end() ? std::nullopt : std::optional(row->second);
}

Result<Imported> to_measurements(const NcclTestsLog& log, const LogHints& hints) {
  if (log.rows.empty())
    return refuse(log.source, "no rows of nccl-tests found", "use the output of the tool");
  GRADSIM_TRY(ranks, ranks_of(log, hints));
  const Half half = chosen_half(log);
  GRADSIM_TRY(operation, operation_of(log, hints, half, *ranks));
  const bool implied = !log.program && hints.operation == nullptr;
  Imported imported;
  imported.measured = {
      *operation, *ranks, nodes_of(log, hints), facts_of(log, half, implied, (*operation)->name), {}};
  if (const auto added = add_points(log, half, imported); !added) return tl::unexpected(added.error());
  note_end(log, imported);
  if (const auto checked = check(imported.measured); !checked)
    return refuse(log.source, checked.error().what, checked.error().hint);
  return imported;
}

}  // namespace calibrate::imports
