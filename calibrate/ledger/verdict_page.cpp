// Printing of the page of accuracy.
#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "calibrate/ledger/page_text.hpp"
#include "calibrate/ledger/verdict.hpp"

namespace calibrate::ledger {
namespace {

/// How many decisions, how many of them right, and the regret.
std::string decision_cells(const Verdict& verdict) {
  const auto& decisions = verdict.decisions;
  if (!decisions) return " |  | ";
  return fmt::format("{} | {} | {}", decisions->groups, decisions->right, percent_text(decisions->regret));
}

std::string_view goal_cell(const Verdict& verdict) {
  const auto met = verdict.meets_goal();
  if (!met) return "";
  return *met ? "met" : "**missed**";
}

std::string print_row(const Verdict& verdict) {
  const std::string cells = verdict.entry.band.right_side
                                ? fmt::format("{} | | | | | ", verdict.predictions.size())
                                : error_cells(verdict.predictions);
  const std::string side = verdict.entry.band.right_side ? percent_text(verdict.right_side) : "";
  const auto& goal = verdict.entry.goal;
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", verdict.entry.name,
                     goal ? print_band(*goal) : "", goal_cell(verdict), cells, side, decision_cells(verdict),
                     verdict.not_worse() ? "not worse" : "**worse**");
}

/// The predictions of each table, in the order in which the tables come.
std::vector<std::vector<Prediction>> by_table(const std::vector<Prediction>& predictions) {
  std::vector<std::vector<Prediction>> tables;
  for (const Prediction& each : predictions) {
    const auto same = [&](const std::vector<Prediction>& table) { return table.front().table == each.table; };
    auto table = std::ranges::find_if(tables, same);
    if (table == tables.end()) table = tables.insert(tables.end(), std::vector<Prediction>());
    table->push_back(each);
  }
  return tables;
}

std::string decision_text(const Decisions& decisions) {
  const std::string ranks =
      decisions.rank_correlation ? fmt::format("; rank correlation {:.2f}", *decisions.rank_correlation) : "";
  return fmt::format("Of {} decisions {} are right; regret {}, at worst {}{}.", decisions.groups,
                     decisions.right, percent_text(decisions.regret), percent_text(decisions.worst_regret),
                     ranks);
}

/// How many figures of a table were inputs, fitted and not judged, as cells.
std::string count_cells(const Verdict& verdict, const std::string& table) {
  const auto row = std::ranges::find(verdict.counts, table, &FigureCounts::table);
  if (row == verdict.counts.end()) return " | | | ";
  return fmt::format("{} | {} | {} | ", row->inputs, row->fitted, row->unjudged);
}

std::string print_tables(const Verdict& verdict) {
  const bool counted = !verdict.counts.empty();
  std::string text = fmt::format(
      "| table | {}figures | mean | median | p90 | worst | bias |\n|---|{}---|---|---|---|---|---|\n",
      counted ? "inputs | fitted | not judged | " : "", counted ? "---|---|---|" : "");
  for (const auto& table : by_table(verdict.predictions)) {
    const std::string& name = table.front().table;
    text +=
        fmt::format("| {} | {}{} |\n", name, counted ? count_cells(verdict, name) : "", error_cells(table));
  }
  return text;
}

std::string print_entry(const Verdict& verdict) {
  const LedgerEntry& entry = verdict.entry;
  const std::string about = fmt::format("Seen: {}. Predicted: {}.{}{}", entry.rule->seen,
                                        entry.rule->predicted, entry.note.empty() ? "" : " ", entry.note);
  std::string text = fmt::format("\n## {}\n\n{}\n", entry.name, paragraph(about));
  text += paragraph("Recorded: " + print_band(entry.band) + ".") + "\n";
  if (!entry.source.empty()) text += paragraph("Source: " + entry.source + ".") + "\n";
  if (entry.band.right_side) {
    return text + fmt::format("{} of {} figures lie on the predicted side of 1.\n",
                              std::ranges::count_if(verdict.predictions, &Prediction::on_right_side),
                              verdict.predictions.size());
  }
  if (const auto& decisions = verdict.decisions) text += fmt::format("{}\n\n", decision_text(*decisions));
  return text + print_tables(verdict);
}

/// The page's text for an entry: a row of its question's table, and a section.
struct EntryText {
  int line;
  const Question* question;
  std::string row;
  std::string section;
};

constexpr std::string_view header =
    "| entry | goal | | figures | mean | median | p90 | worst | bias | right side | decisions | right | "
    "regret | |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";

constexpr std::string_view not_played = " not run here |\n";

constexpr std::string_view page_mark = "<!-- page: ";

/// Text from `begin` on up to the first of `ends`, or to the end of the text; empty where `begin` is not
/// there.
std::string_view cut(std::string_view text, std::string_view begin,
                     std::initializer_list<std::string_view> ends) {
  const std::size_t first = text.find(begin);
  if (first == std::string_view::npos) return {};
  std::size_t last = text.size();
  for (const std::string_view end : ends) last = std::min(last, text.find(end, first + begin.size()));
  return text.substr(first, last - first);
}

/// The section with a line break at its end.
std::string finished(std::string_view section) {
  const bool ends = section.empty() || section.ends_with('\n');
  return std::string(section) + (ends ? "" : "\n");
}

/// The figures of an earlier page for an entry that is not evaluated now.
EntryText kept_entry(const Skipped& skipped, std::string_view last) {
  const bool same_columns = last.find(header) != std::string_view::npos;
  std::string_view row = same_columns ? cut(last, "\n| " + skipped.name + " |", {"\n"}) : "";
  std::string_view section = cut(last, "\n## " + skipped.name + "\n", {"\n## ", page_mark});
  if (row.empty())
    return {skipped.line, skipped.question,
            "| " + skipped.name + " | | | | | | | | | | | | |" + std::string(not_played), finished(section)};
  row.remove_prefix(1);
  row.remove_suffix(1);  // the last bar; the cell before it states whether the entry became worse
  std::string kept(row.substr(0, row.rfind('|') + 1));
  return {skipped.line, skipped.question, kept + std::string(not_played), finished(section)};
}

/// Texts in the order of the ledger.
std::vector<EntryText> entry_texts(const Outcome& outcome, std::string_view last) {
  std::vector<EntryText> entries;
  for (const Verdict& verdict : outcome.verdicts)
    entries.push_back({verdict.entry.line, verdict.entry.question, print_row(verdict), print_entry(verdict)});
  if (last.empty()) return entries;
  for (const Skipped& skipped : outcome.skipped) entries.push_back(kept_entry(skipped, last));
  std::ranges::stable_sort(entries, {}, &EntryText::line);
  return entries;
}

/// The table of a question's entries; empty where it has none.
std::string entry_table(const std::vector<EntryText>& entries, const Question* question) {
  std::string rows;
  for (const EntryText& each : entries) rows += each.question == question ? each.row : "";
  return rows.empty() ? "" : std::string(header) + rows;
}

std::string entry_sections(const std::vector<EntryText>& entries, const Question* question) {
  std::string text;
  for (const EntryText& each : entries) text += each.question == question ? each.section : "";
  return text;
}

/// The pages of questions, each below its mark.
std::string question_pages(const std::vector<EntryText>& entries) {
  std::string text;
  for (const Question& each : questions()) {
    const std::string table = entry_table(entries, &each);
    if (table.empty()) continue;
    text += fmt::format(
        "{}docs/accuracy/{}.md -->\n# {}\n\n"
        "Entries of the ledger behind a row of [ACCURACY.md](../../ACCURACY.md); "
        "[accuracy.md](../accuracy.md) says\n"
        "how to read them. This page is generated: `./dev ledger` writes it.\n\n{}{}",
        page_mark, each.key, each.title, table, entry_sections(entries, &each));
  }
  return text;
}

}  // namespace

std::string print_skipped(const Outcome& outcome) {
  std::string text;
  for (const Skipped& each : outcome.skipped)
    text += fmt::format("skipped: {} ({} {} missing, the first {})\n", each.name, each.missing,
                        each.missing == 1 ? "file is" : "files are", each.first);
  return text;
}

std::string print_overall(const Outcome& outcome) {
  std::string text =
      outcome.goals() > 0 ? fmt::format("{} of {} goals met; ", outcome.goals_met(), outcome.goals()) : "";
  text +=
      fmt::format("{} of {} entries not worse than recorded", outcome.not_worse(), outcome.verdicts.size());
  if (!outcome.skipped.empty()) text += fmt::format(", {} skipped", outcome.skipped.size());
  const auto times = distinct_times(outcome);
  if (times.empty()) return text + "\n";
  const measurements::RelativeErrors errors = errors_of(times);
  return text + fmt::format("; all {} times: mean {}, median {}, p90 {}, worst {}, bias {:+.1f} %\n",
                            times.size(), percent_text(errors.mean), percent_text(errors.median),
                            percent_text(errors.p90), percent_text(errors.worst), 100 * errors.bias);
}

std::string print_page(const Outcome& outcome, std::string_view last) {
  std::string text = "# How far predictions lie from measurements\n\n";
  text += paragraph(
      "Measured tables: each fit is judged on figures that it was not fitted to; each entry names what was "
      "fitted. Published figures: parameters come from the paper, and some were fitted to figures of it; "
      "such figures are inputs and left out, unless the entry's name or note says otherwise. An error is "
      "|predicted - measured| / measured; the bias keeps its sign. A goal is what is aimed at; `recorded` is "
      "what was measured when the entry was written, rounded up, and claims nothing more than that figures "
      "are not worse than then. Of figures that compete, a decision is right where the predicted winner is "
      "the measured one; the regret is what the predicted winner was measured to take beyond the best. "
      "`./dev ledger` runs every entry and writes this page; an entry whose data is missing keeps the "
      "figures of the last run and is marked as `not run here`. The test `ledger.bands` fails where a figure "
      "gets worse. The entries are in `tests/ledger.yaml`.");
  text += "\n" + print_questions(outcome);
  const std::vector<EntryText> entries = entry_texts(outcome, last);
  text += entry_table(entries, nullptr);
  text += (text.ends_with("\n\n") ? "" : "\n") + paragraph(print_overall(outcome));
  text += last.empty() ? print_skipped(outcome) : "";
  return text + entry_sections(entries, nullptr) + question_pages(entries);
}

}  // namespace calibrate::ledger
