// The ledger: which measurements are predicted by which fits, and how far off they may be.
#include "calibrate/ledger.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "calibrate/text_file.hpp"
#include "netmodels/nearest.hpp"

namespace calibrate {
namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr std::string_view ledger_header = "measurements,model,tolerance_percent";

/// Three cells, parted by commas.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t comma = line.find(','); comma != std::string_view::npos; comma = line.find(',')) {
    cells.push_back(trimmed(line.substr(0, comma)));
    line = line.substr(comma + 1);
  }
  cells.push_back(trimmed(line));
  return cells;
}

Result<LedgerRow> read_row(std::string_view text, const std::string& where, int line) {
  const auto cells = cells_of(text);
  if (cells.size() != 3 || cells[0].empty() || cells[1].empty())
    return refuse(where, fmt::format("`{}` is no row", text), "write " + std::string(ledger_header));
  const auto tolerance = read_number(cells[2]);
  if (!tolerance || !std::isfinite(*tolerance) || *tolerance < 0)
    return refuse(where, fmt::format("`{}` is no tolerance_percent", cells[2]),
                  "accepted: a number, 0 or above");
  return LedgerRow{std::string(cells[0]), std::string(cells[1]), *tolerance / 100, line};
}

/// The facts tell measurements apart; where they name no source, the file's name does.
bool was_fitted_to(const FitRecord& fit, const LedgerRow& row, const Measurements& measured) {
  Facts facts = measured.facts;
  facts.notes.clear();
  if (fit.facts != facts) return false;
  return facts.source || fit.measurements == std::filesystem::path(row.measurements).filename().string();
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string print_summary(const Verdict& verdict) {
  const RelativeErrors& errors = verdict.errors;
  return fmt::format("  mean {}, median {}, p90 {}, worst {}, bias {:+.1f} %; bound of the mean {}: {}{}\n",
                     percent(errors.mean), percent(errors.median), percent(errors.p90), percent(errors.worst),
                     100 * errors.bias, percent(verdict.row.tolerance), verdict.holds() ? "kept" : "MISSED",
                     verdict.seen ? " (fitted to these very times)" : "");
}

}  // namespace

Result<std::vector<LedgerRow>> parse_ledger(std::string_view text, std::string_view source) {
  std::vector<LedgerRow> rows;
  bool header_seen = false;
  int number = 0;
  for (const std::string_view line : lines_of(text)) {
    const std::string where = place(source, ++number, 1);
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    if (!header_seen && trimmed(line) != ledger_header)
      return refuse(where, fmt::format("`{}` is not the header", trimmed(line)),
                    "write " + std::string(ledger_header));
    if (header_seen) {
      auto row = read_row(line, where, number);
      if (!row) return tl::unexpected(row.error());
      rows.push_back(std::move(*row));
    }
    header_seen = true;
  }
  if (rows.empty())
    return refuse(std::string(source), "the ledger has no rows", "write " + std::string(ledger_header));
  return rows;
}

Result<Verdict> judge(const LedgerRow& row, const Measurements& measured,
                      const std::vector<FitRecord>& model) {
  const auto fit = std::ranges::find_if(model, [&](const FitRecord& each) {
    return each.operation == measured.operation && each.ranks == measured.ranks;
  });
  if (fit == model.end()) {
    std::vector<std::string> known;
    for (const FitRecord& each : model)
      known.push_back(fmt::format("{} on {} ranks", each.operation->name, each.ranks));
    const std::vector<std::string_view> names(known.begin(), known.end());
    return refuse(
        "",
        fmt::format("`{}` has no fit of {} on {} ranks", row.model, measured.operation->name, measured.ranks),
        "it has " + netmodels::join(names));
  }
  Verdict verdict{row, was_fitted_to(*fit, row, measured), {}, {}};
  std::vector<double> errors;
  for (const MeasuredPoint& point : measured.points) {
    verdict.predictions.push_back({point, predict(fit->fit.model, point.size)});
    errors.push_back(verdict.predictions.back().error());
  }
  verdict.errors = summarise(errors);
  return verdict;
}

std::string print_verdicts(const std::vector<Verdict>& verdicts) {
  std::string text;
  for (const Verdict& verdict : verdicts) {
    text += fmt::format("{} by {}\n  {:>12}  {:>13}  {:>14}  {:>9}\n", verdict.row.measurements,
                        verdict.row.model, "size (B)", "measured (us)", "predicted (us)", "error (%)");
    for (const Prediction& each : verdict.predictions) {
      text += fmt::format("  {:>12}  {:>13.2f}  {:>14.2f}  {:>+9.1f}\n", each.measured.size.count,
                          each.measured.time.count * 1e6, each.predicted.count * 1e6, 100 * each.error());
    }
    text += print_summary(verdict) + "\n";
  }
  const auto missed =
      std::ranges::count_if(verdicts, [](const Verdict& verdict) { return !verdict.holds(); });
  return text + fmt::format("{} of {} bounds kept\n", verdicts.size() - static_cast<std::size_t>(missed),
                            verdicts.size());
}

std::string print_predictions_csv(const std::vector<Verdict>& verdicts) {
  std::string text =
      "measurements,model,seen,size_bytes,measured_us,predicted_us,error_percent,mean_error_percent,"
      "tolerance_percent,kept\n";
  for (const Verdict& verdict : verdicts) {
    for (const Prediction& each : verdict.predictions) {
      text +=
          fmt::format("{},{},{},{},{:.6g},{:.6g},{:.3f},{:.3f},{:.6g},{}\n", verdict.row.measurements,
                      verdict.row.model, verdict.seen ? "yes" : "no", each.measured.size.count,
                      each.measured.time.count * 1e6, each.predicted.count * 1e6, 100 * each.error(),
                      100 * verdict.errors.mean, 100 * verdict.row.tolerance, verdict.holds() ? "yes" : "no");
    }
  }
  return text;
}

}  // namespace calibrate
