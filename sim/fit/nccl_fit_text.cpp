// Table and overlay of a fitted correction of NCCL's times.
#include "sim/fit/nccl_fit_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_line/table_json.hpp"
#include "command_line/text_table.hpp"
#include "sim/language/print.hpp"
#include "sim/report/terminal_text.hpp"

namespace sim::fit {
namespace {

namespace nccl = netmodels::nccl;
using command_line::Cell;
using command_line::ColumnOf;
using command_line::Measure;
using command_line::Table;

constexpr std::array nccl_point_columns{
    ColumnOf<NcclFitPoint>{"size_bytes", "size", Measure::size,
                           [](const NcclFitPoint& p) -> Cell { return p.measured.size.count; }},
    ColumnOf<NcclFitPoint>{"model_s", "model", Measure::time,
                           [](const NcclFitPoint& p) -> Cell { return p.model.count; }},
    ColumnOf<NcclFitPoint>{"measured_s", "measured", Measure::time,
                           [](const NcclFitPoint& p) -> Cell { return p.measured.time.count; }},
    ColumnOf<NcclFitPoint>{"corrected_s", "corrected", Measure::time,
                           [](const NcclFitPoint& p) -> Cell { return p.corrected.count; }},
    ColumnOf<NcclFitPoint>{"model_error", "model's error", Measure::share,
                           [](const NcclFitPoint& p) -> Cell { return p.error(p.model); }},
    ColumnOf<NcclFitPoint>{"held_out_error", "held-out error", Measure::share,
                           [](const NcclFitPoint& p) -> Cell {
                             const auto error = p.held_out_error();
                             return error ? Cell(*error) : Cell();
                           }},
};

Table nccl_point_table(const NcclFit& fit) {
  return command_line::fill(std::span<const ColumnOf<NcclFitPoint>>(nccl_point_columns),
                            std::span<const NcclFitPoint>(fit.points));
}

/// Sizes with their units: they go over nine decades.
Table nccl_text_table(const NcclFit& fit) {
  Table table = nccl_point_table(fit);
  table.columns.front() = {"size", "size"};
  for (std::size_t i = 0; i < fit.points.size(); ++i)
    table.rows[i].front() = netmodels::print(fit.points[i].measured.size);
  return table;
}

/// Median of the absolute errors; nothing where no size was held out.
std::optional<double> held_out_median(const NcclFit& fit) {
  std::vector<double> errors;
  for (const NcclFitPoint& point : fit.points) {
    if (const auto error = point.held_out_error()) errors.push_back(std::abs(*error));
  }
  if (errors.empty()) return std::nullopt;
  std::ranges::sort(errors);
  const std::size_t half = errors.size() / 2;
  return errors.size() % 2 == 1 ? errors[half] : (errors[half - 1] + errors[half]) / 2;
}

std::string next_text(const NcclFit& fit) {
  if (fit.next.empty()) return "Every power of two between the measured sizes was measured.";
  std::string text = "To measure next: ";
  for (std::size_t i = 0; i < fit.next.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : " and ", netmodels::print(fit.next[i]));
  return text + ".";
}

/// Why no held-out error counts.
std::string not_judged_text(const NcclFit& fit) {
  const std::size_t sizes = fit.points.size();
  if (sizes < 3) return fmt::format("with {} size{}, none can be left out", sizes, sizes == 1 ? "" : "s");
  return "each size is more than 64 times above or below the others";
}

std::string error_text(const NcclFit& fit) {
  const auto judged = std::ranges::count_if(
      fit.points, [](const NcclFitPoint& point) { return point.held_out_error().has_value(); });
  if (const auto median = held_out_median(fit)) {
    const bool every = static_cast<std::size_t>(judged) == fit.points.size();
    return fmt::format("Held-out error: median {:.1f} %, {}.", 100 * *median,
                       every
                           ? "each size left out in turn"
                           : fmt::format("{} of {} sizes left out in turn; the others lie more than 64 times "
                                         "above or below the rest",
                                         judged, fit.points.size()));
  }
  const nccl::ErrorClass& known = fit.error_class;
  return fmt::format(
      "Held-out error not known: {}. On tables of other machines of the class {}, the model is off by {:.1f} "
      "% "
      "(median) alone, and by {:.1f} % with the smallest and the largest size measured.",
      not_judged_text(fit), known.name, 100 * known.alone.median, 100 * known.measured.median);
}

/// Which candidate predicts held-out sizes best; empty where too few were measured to say.
std::string candidates_text(const NcclFit& fit) {
  if (fit.candidates.empty()) return "";
  std::vector<std::string> errors;
  for (const NcclCandidate& candidate : fit.candidates)
    errors.push_back(fmt::format("{} {:.1f} %", candidate.name, 100 * candidate.held_out));
  const NcclCandidate& best = fit.candidates.front();
  std::string text =
      fmt::format("Held-out sizes, median error: {}. Best here: {}", fmt::join(errors, ", "), best.name);
  if (best.key == "table") text += "; name it as `cluster.collective_times`";
  return text + ".";
}

std::string nccl_fit_text(const NcclFit& fit, const std::string& file) {
  std::string text =
      report::wrap(fmt::format("{}: {} on {} ranks, {} node{}, of {}", file,
                               to_string(fit.measured.operation), *fit.measured.ranks, *fit.measured.nodes,
                               *fit.measured.nodes == 1 ? "" : "s", fit.cluster)) +
      "\n";
  if (!fit.points.empty()) text += command_line::text_table(nccl_text_table(fit)) + "\n";
  text += report::wrap(error_text(fit));
  if (!fit.candidates.empty()) text += report::wrap(candidates_text(fit));
  return text + report::wrap(next_text(fit));
}

}  // namespace

command_line::Document nccl_fit_document(const NcclFit& fit, const std::string& file) {
  return {.text = [fit, file] { return nccl_fit_text(fit, file); },
          .rows = [fit] { return nccl_point_table(fit); },
          .put_json =
              [fit, file](nlohmann::ordered_json& object) {
                object["measured_times"] = file;
                object["cluster"] = fit.cluster;
                object["collective"] = to_string(fit.measured.operation);
                object["ranks"] = *fit.measured.ranks;
                object["nodes"] = *fit.measured.nodes;
                object["sizes"] = command_line::rows_json(nccl_point_table(fit));
                const auto median = held_out_median(fit);
                object["held_out_median_error"] = median ? nlohmann::ordered_json(*median) : nullptr;
                object["candidates"] = nlohmann::ordered_json::array();
                for (const NcclCandidate& candidate : fit.candidates)
                  object["candidates"].push_back(
                      {{"candidate", candidate.key}, {"held_out_median_error", candidate.held_out}});
                object["warnings"] = fit.warnings;
                object["next_sizes_bytes"] = nlohmann::ordered_json::array();
                for (const netmodels::Bytes size : fit.next) object["next_sizes_bytes"].push_back(size.count);
              }};
}

netmodels::Result<std::string> nccl_overlay(const NcclFit& fit, const std::string& file) {
  constexpr int size_digits = 17;
  constexpr int time_digits = 6;
  if (fit.points.empty())
    return netmodels::refuse("--out", "no size was measured", "measure those that are named, and fit again");
  std::error_code failed;
  const bool is_file = std::filesystem::is_regular_file(fit.cluster, failed);
  const std::string base =
      is_file ? std::filesystem::absolute(fit.cluster).lexically_normal().string() : fit.cluster;
  std::string points;
  for (const NcclFitPoint& point : fit.points)
    points +=
        fmt::format("        - {{size: {}, time: {}}}\n", netmodels::print(point.measured.size, size_digits),
                    netmodels::print(point.measured.time, time_digits));
  return fmt::format(
      "# NCCL's times of {}, corrected by {}\ncluster:\n  use: {}\n  nccl:\n    measured:\n      operation: "
      "{}\n"
      "      ranks: {}\n      nodes: {}\n      points:\n{}",
      std::filesystem::path(fit.cluster).filename().string(), std::filesystem::path(file).filename().string(),
      language::yaml_scalar(base, false), to_string(fit.measured.operation), *fit.measured.ranks,
      *fit.measured.nodes, points);
}

}  // namespace sim::fit
