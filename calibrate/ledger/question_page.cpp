// Printing of the first page of accuracy: a row and a section for each question.
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "calibrate/ledger/page_text.hpp"
#include "calibrate/ledger/questions.hpp"
#include "calibrate/ledger/verdict.hpp"

namespace calibrate::ledger {
namespace {

constexpr std::size_t most_worst = 3;

/// A figure, and the entry that has it.
struct FigureOfEntry {
  const Prediction* figure;
  const Verdict* verdict;
};

/// The entries of a question. A figure that several of them have from the same input counts once.
struct Answer {
  const Question* question;
  std::vector<const Verdict*> verdicts;
  std::vector<FigureOfEntry> figures;  ///< figures whose errors count, the largest first
  std::size_t choices = 0;             ///< figures that predict a side, and decisions
  std::size_t right = 0;               ///< choices that are as measured
  std::size_t skipped = 0;             ///< entries
};

double error_size(const FigureOfEntry& each) { return std::abs(each.figure->error()); }

Answer answer_of(const Outcome& outcome, const Question& question) {
  Answer answer{&question, {}, {}};
  std::set<std::tuple<std::string, std::string, double>> known;
  for (const Verdict& verdict : outcome.verdicts) {
    if (verdict.entry.question != &question) continue;
    answer.verdicts.push_back(&verdict);
    const bool is_choice = verdict.entry.band.right_side.has_value();
    for (const Prediction& each : verdict.predictions) {
      if (!known.insert({each.table, each.what, each.predicted}).second) continue;
      if (!is_choice) answer.figures.push_back({&each, &verdict});
      answer.choices += is_choice ? 1 : 0;
      answer.right += is_choice && each.on_right_side() ? 1 : 0;
    }
    if (verdict.decisions) {
      answer.choices += static_cast<std::size_t>(verdict.decisions->groups);
      answer.right += static_cast<std::size_t>(verdict.decisions->right);
    }
  }
  std::ranges::stable_sort(answer.figures, std::ranges::greater{}, error_size);
  answer.skipped =
      static_cast<std::size_t>(std::ranges::count(outcome.skipped, &question, &Skipped::question));
  return answer;
}

std::vector<Prediction> predictions_of(const Answer& answer) {
  std::vector<Prediction> predictions;
  for (const FigureOfEntry& each : answer.figures) predictions.push_back(*each.figure);
  return predictions;
}

/// The largest errors, of different measured figures.
std::vector<FigureOfEntry> worst_of(const Answer& answer) {
  std::vector<FigureOfEntry> worst;
  for (const FigureOfEntry& each : answer.figures) {
    const auto is_same = [&](const FigureOfEntry& other) {
      return other.figure->table == each.figure->table && other.figure->what == each.figure->what;
    };
    if (worst.size() < most_worst && std::ranges::none_of(worst, is_same)) worst.push_back(each);
  }
  return worst;
}

std::vector<const Verdict*> missed_goals(const Answer& answer) {
  std::vector<const Verdict*> missed;
  for (const Verdict* each : answer.verdicts) {
    if (each->meets_goal() == false) missed.push_back(each);
  }
  return missed;
}

std::size_t goals_of(const Answer& answer) {
  return static_cast<std::size_t>(std::ranges::count_if(
      answer.verdicts, [](const Verdict* each) { return each->entry.goal.has_value(); }));
}

std::string signed_percent(double share) { return fmt::format("{:+.1f} %", 100 * share); }

std::string worst_cell(const Answer& answer) {
  std::string cell;
  for (const FigureOfEntry& each : worst_of(answer))
    cell += (cell.empty() ? "" : ", ") + signed_percent(each.figure->error());
  return cell;
}

std::string question_row(const Answer& answer) {
  std::string errors = " | | | ";
  if (!answer.figures.empty()) {
    const measurements::RelativeErrors all = errors_of(predictions_of(answer));
    errors = fmt::format("{} | {} | {} | {}", answer.figures.size(), percent_text(all.median),
                         percent_text(all.p90), worst_cell(answer));
  }
  const std::string choices =
      answer.choices > 0 ? fmt::format("{} of {}", answer.right, answer.choices) : std::string();
  const std::size_t goals = goals_of(answer);
  const std::string missed =
      goals > 0 ? fmt::format("{} of {}", missed_goals(answer).size(), goals) : "no goal";
  return fmt::format("| [{}](ACCURACY.md#{}) | {} | {} | {} |\n", answer.question->title,
                     anchor_of(answer.question->title), errors, choices, missed);
}

std::string entry_link(const Answer& answer, const LedgerEntry& entry) {
  return fmt::format("[{}](docs/accuracy/{}.md#{})", entry.name, answer.question->key, anchor_of(entry.name));
}

/// `0.0395 s predicted, 0.0412 s measured`; figures of papers are in the papers' units.
std::string figures_text(const Prediction& figure) {
  if (figure.unit == published_unit)
    return fmt::format("{:.4g} predicted, {:.4g} published", figure.predicted, figure.measured);
  return fmt::format("{:.4g} {} predicted, {:.4g} {} measured", figure.predicted, figure.unit,
                     figure.measured, figure.unit);
}

std::string worst_list(const Answer& answer) {
  std::string text = "\nWorst:\n\n";
  for (const FigureOfEntry& each : worst_of(answer)) {
    const Prediction& figure = *each.figure;
    text +=
        paragraph(fmt::format("- {}: `{}`, {}: {}; entry {}", signed_percent(figure.error()), figure.table,
                              figure.what, figures_text(figure), entry_link(answer, each.verdict->entry)),
                  "  ");
  }
  return text;
}

std::string missed_list(const Answer& answer) {
  const auto missed = missed_goals(answer);
  if (missed.empty()) return "";
  std::string text = "\nMissed goals:\n\n";
  for (const Verdict* each : missed)
    text += paragraph(fmt::format("- {}: {}", entry_link(answer, each->entry), print_band(*each->entry.goal)),
                      "  ");
  return text;
}

std::string question_section(const Answer& answer) {
  std::string text = fmt::format("\n## {}\n\n", answer.question->title);
  std::string summary = fmt::format("[{} {}](docs/accuracy/{}.md)", answer.verdicts.size(),
                                    answer.verdicts.size() == 1 ? "entry" : "entries", answer.question->key);
  if (!answer.figures.empty()) {
    const measurements::RelativeErrors all = errors_of(predictions_of(answer));
    summary += fmt::format("; {} figures: mean {}, median {}, nine of ten within {}, bias {}",
                           answer.figures.size(), percent_text(all.mean), percent_text(all.median),
                           percent_text(all.p90), signed_percent(all.bias));
  }
  if (answer.choices > 0)
    summary += fmt::format("; {} of {} choices as measured", answer.right, answer.choices);
  if (answer.skipped > 0) summary += fmt::format("; {} more not run here", answer.skipped);
  text += paragraph(summary + ".");
  if (!answer.figures.empty()) text += worst_list(answer);
  return text + missed_list(answer);
}

std::vector<Answer> answers_of(const Outcome& outcome) {
  std::vector<Answer> answers;
  for (const Question& question : questions()) {
    Answer answer = answer_of(outcome, question);
    if (!answer.verdicts.empty() || answer.skipped > 0) answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace

std::string print_questions(const Outcome& outcome) {
  const std::vector<Answer> answers = answers_of(outcome);
  if (answers.empty()) return "";
  std::string text =
      "<!-- accuracy: begin -->\n"
      "| predicted | figures | median error | nine of ten | three worst | choices as measured | goals missed "
      "|\n"
      "|---|--:|--:|--:|---|---|---|\n";
  for (const Answer& each : answers) text += question_row(each);
  text += "<!-- accuracy: end -->\n";
  for (const Answer& each : answers) text += question_section(each);
  return text + "\n## All\n\n";
}

}  // namespace calibrate::ledger
