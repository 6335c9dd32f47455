// The forms in which a played ledger is printed.
#include "calibrate/ledger/verdict_text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "calibrate/ledger/verdict_json.hpp"
#include "calibrate/ledger/verdict_page.hpp"

namespace calibrate::ledger {
namespace {

std::string print_line(const Verdict& verdict, std::size_t width) {
  const measurements::RelativeErrors& errors = verdict.errors;
  const std::string shares =
      verdict.entry.band.right_side
          ? fmt::format("{:.1f} % on the right side", 100 * verdict.right_side)
          : fmt::format("mean {:.1f} %, median {:.1f} %, p90 {:.1f} %, worst {:.1f} %, bias {:+.1f} %",
                        100 * errors.mean, 100 * errors.median, 100 * errors.p90, 100 * errors.worst,
                        100 * errors.bias);
  return fmt::format("{:<{}}  {:>5} figures: {}; band {}: {}{}\n", verdict.entry.name, width,
                     verdict.predictions.size(), shares, print_band(verdict.entry.band),
                     verdict.holds() ? "holds" : "BROKEN", verdict.in_sample() ? " (in sample)" : "");
}

std::string print_table(const Outcome& outcome) {
  std::size_t width = 0;
  for (const Verdict& verdict : outcome.verdicts) width = std::max(width, verdict.entry.name.size());
  std::string text;
  for (const Verdict& verdict : outcome.verdicts) text += print_line(verdict, width);
  return text + print_skipped(outcome) + print_overall(outcome);
}

/// In double quotes where it holds a comma or a quote.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string inside;
  for (const char c : text) inside += c == '"' ? "\"\"" : std::string(1, c);
  return '"' + inside + '"';
}

std::string print_csv(const Outcome& outcome) {
  std::string text = "entry,rule,table,figure,unit,measured,predicted,error_percent,in_sample\n";
  for (const Verdict& verdict : outcome.verdicts) {
    for (const Prediction& each : verdict.predictions) {
      text += fmt::format("{},{},{},{},{},{:.6g},{:.6g},{:.3f},{}\n", csv_cell(verdict.entry.name),
                          verdict.entry.rule->name, csv_cell(each.table), csv_cell(each.what), each.unit,
                          each.measured, each.predicted, 100 * each.error(), each.in_sample ? "yes" : "no");
    }
  }
  return text;
}

constexpr std::array table{
    Form{"table", "one line per entry", print_table}, Form{"csv", "one line per figure", print_csv},
    Form{"json", "entries and figures", print_json}, Form{"markdown", "the page of accuracy", print_page}};

}  // namespace

std::span<const Form> forms() { return table; }

}  // namespace calibrate::ledger
