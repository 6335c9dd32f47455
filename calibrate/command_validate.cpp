// `calibrate validate`: predicted against measured, every entry of a ledger.
#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "calibrate/commands.hpp"
#include "calibrate/exit_code.hpp"
#include "calibrate/ledger/verdict.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"
#include "files/text_file.hpp"

namespace calibrate {
namespace {

using netmodels::Result;
namespace fs = std::filesystem;

std::vector<std::string> from_folder(const std::vector<std::string>& paths, const fs::path& folder) {
  std::vector<std::string> resolved;
  for (const std::string& path : paths) resolved.push_back((folder / path).lexically_normal().string());
  return resolved;
}

Result<std::vector<ledger::SourceText>> read_all(const std::vector<std::string>& paths) {
  std::vector<ledger::SourceText> sources;
  for (const std::string& path : paths) {
    GRADSIM_TRY(text, files::read_input(path));
    sources.push_back({path, std::move(*text)});
  }
  return sources;
}

Result<void> evaluate(ledger::LedgerEntry entry, const ValidateOptions& options, ledger::Outcome& outcome) {
  const fs::path folder = fs::path(options.ledger).parent_path();
  const bool is_elsewhere = entry.rule->from_results && !options.results.empty();
  entry.seen = from_folder(entry.seen, folder);
  entry.measurements = from_folder(entry.measurements, is_elsewhere ? fs::path(options.results) : folder);
  entry.machines = from_folder(entry.machines, folder);
  ledger::Skipped skipped{entry.name, 0, "", entry.line, entry.question};
  for (const auto* paths : {&entry.seen, &entry.measurements, &entry.machines}) {
    for (const std::string& path : *paths) {
      if (fs::exists(path)) continue;
      if (skipped.missing++ == 0) skipped.first = path;
    }
  }
  if (skipped.missing > 0) {
    outcome.skipped.push_back(std::move(skipped));
    return {};
  }
  GRADSIM_TRY(seen, read_all(entry.seen));
  GRADSIM_TRY(measured, read_all(entry.measurements));
  GRADSIM_TRY(machines, read_all(entry.machines));
  auto verdict = judge(entry, {std::move(*seen), std::move(*measured), std::move(*machines)});
  if (!verdict && verdict.error().where.empty())
    verdict.error().where = files::place(options.ledger, entry.line, 1);
  if (!verdict) return tl::unexpected(verdict.error());
  outcome.verdicts.push_back(std::move(*verdict));
  return {};
}

Result<ledger::Outcome> evaluate_all(const ValidateOptions& options) {
  GRADSIM_TRY(text, files::read_input(options.ledger));
  GRADSIM_TRY(entries, ledger::parse_ledger(*text, options.ledger));
  ledger::Outcome outcome;
  for (const ledger::LedgerEntry& entry : *entries) {
    if (auto done = evaluate(entry, options, outcome); !done) return tl::unexpected(done.error());
  }
  if (outcome.verdicts.empty())
    return netmodels::refuse(options.ledger, "no entry can be judged: the measurements are missing",
                             "the first missing file is " + outcome.skipped.front().first);
  return outcome;
}

}  // namespace

int run_validate(const ValidateOptions& options, std::ostream& out, std::ostream& log) {
  const auto refuse = [&log](const netmodels::Error& error) {
    log << error.text() << "\n";
    return exit_refused;
  };
  auto last = options.last.empty() ? Result<std::string>() : files::read_input(options.last);
  if (!last) return refuse(last.error());
  const auto outcome = evaluate_all(options);
  if (!outcome) return refuse(outcome.error());
  const std::string text =
      command_line::print(options.format, ledger::outcome_document(*outcome, std::move(*last)));
  if (const auto written = files::write_output(options.output, text, out); !written)
    return refuse(written.error());
  return outcome->not_worse() == outcome->verdicts.size() ? exit_done : exit_refused;
}

}  // namespace calibrate
