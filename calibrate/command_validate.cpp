// `calibrate validate`: predicted against measured, every row of a ledger.
#include "calibrate/command_validate.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "calibrate/exit_code.hpp"
#include "calibrate/fit_file.hpp"
#include "calibrate/ledger.hpp"
#include "calibrate/measurement_csv.hpp"
#include "calibrate/output_file.hpp"
#include "calibrate/text_file.hpp"

namespace calibrate {
namespace {

using netmodels::Result;

template <class Parse>
auto read_file(const std::string& path, Parse parse) -> decltype(parse("", path)) {
  const auto text = read_text(path);
  if (!text) return tl::unexpected(text.error());
  return parse(*text, path);
}

Result<Verdict> play(const LedgerRow& row, const std::string& ledger) {
  const std::filesystem::path folder = std::filesystem::path(ledger).parent_path();
  const auto measured = read_file((folder / row.measurements).lexically_normal().string(), parse_csv);
  if (!measured) return tl::unexpected(measured.error());
  const auto model = read_file((folder / row.model).lexically_normal().string(), parse_fits);
  if (!model) return tl::unexpected(model.error());
  auto verdict = judge(row, *measured, *model);
  if (!verdict) verdict.error().where = place(ledger, row.line, 1);
  return verdict;
}

Result<std::vector<Verdict>> play_all(const std::string& ledger) {
  const auto rows = read_file(ledger, parse_ledger);
  if (!rows) return tl::unexpected(rows.error());
  std::vector<Verdict> verdicts;
  for (const LedgerRow& row : *rows) {
    auto verdict = play(row, ledger);
    if (!verdict) return tl::unexpected(verdict.error());
    verdicts.push_back(std::move(*verdict));
  }
  return verdicts;
}

}  // namespace

int run_validate(const ValidateOptions& options, std::ostream& out, std::ostream& log) {
  const auto verdicts = play_all(options.ledger);
  const auto print = options.format == "csv" ? print_predictions_csv : print_verdicts;
  const auto written = verdicts ? write_output(options.output, print(*verdicts), out)
                                : Result<void>(tl::unexpected(verdicts.error()));
  if (!written) {
    log << written.error().text() << "\n";
    return exit_refused;
  }
  return std::ranges::all_of(*verdicts, &Verdict::holds) ? exit_done : exit_refused;
}

}  // namespace calibrate
