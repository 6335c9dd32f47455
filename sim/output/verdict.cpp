// Which arm wins, by how much, and why: computed from the parts of the steps.
#include "sim/output/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "sim/output/reason.hpp"

namespace sim::output {
namespace {

constexpr double equal = 1e-6;         // relative; below it a difference is not worth a name
constexpr std::size_t most_lines = 8;  // more contests are counted instead of listed

double samples(const Contender& contender) {
  return static_cast<double>(contender.phase->steps) * contender.step_time().count *
         contender.phase->samples_per_second;
}

/// Whether the contenders train on as many samples in all, as where a lost worker's share falls to the
/// others.
bool same_work(const Contest& contest) {
  constexpr double almost = 0.01;
  const double first = samples(contest.contenders.front());
  return std::ranges::all_of(contest.contenders, [&](const Contender& c) {
    return c.phase == &c.arm->result.whole && std::abs(samples(c) - first) <= almost * first;
  });
}

std::string time_text(const Contender& contender, const Contest& contest) {
  constexpr int digits = 4;
  if (!same_samples(contest) && same_work(contest))
    return netmodels::print(contender.arm->result.time, digits) + " in all";
  if (!same_samples(contest)) return netmodels::print(time_per_sample(contender), digits) + " per sample";
  return netmodels::print(contender.step_time() + contender.outside(), digits) + " per step";
}

/// "12.3 % less time than", "2.4 times as fast as".
std::string gain(double fast, double slow) {
  constexpr double worth_a_factor = 1.5;
  if (slow > worth_a_factor * fast)
    return fmt::format("{:.{}f} times as fast as", slow / fast, slow > 10 * fast ? 0 : 1);
  return fmt::format("{:.2g} % less time than", 100 * (1 - fast / slow));
}

bool has_both(const Contest& contest) {
  return std::ranges::any_of(contest.contenders, &Contender::dense) &&
         !std::ranges::all_of(contest.contenders, &Contender::dense);
}

const Contender* best_dense(const Contest& contest) {
  const auto found = std::ranges::find_if(contest.contenders, &Contender::dense);
  return found == contest.contenders.end() ? nullptr : &*found;
}

/// Under which state of the network, and that accuracy is not in the verdict.
std::string place(const Contest& contest) {
  const bool learns = contest.contenders.front().arm->result.learning.has_value();
  return (contest.where.empty() ? "" : contest.where + ": ") +
         (learns ? "by time per step alone, whatever is learned, " : "");
}

std::string opening(const Contest& contest) {
  const Contender& winner = contest.contenders.front();
  const std::string where = place(contest);
  if (winner.dense() && has_both(contest)) {
    return where + fmt::format("plain dense all-reduce wins, nothing that compresses pays: `{}` takes {}",
                               winner.name(), time_text(winner, contest));
  }
  return where + fmt::format("`{}` wins with {}", winner.name(), time_text(winner, contest));
}

/// What an arm was not charged for.
std::string doubt(const Contender& arm) {
  if (arm.dense() || arm.arm->result.compression_time_known) return "";
  return fmt::format("; how long `{}` compresses is not known and counts as 0", arm.name());
}

}  // namespace

std::string verdict(const Contest& contest) {
  const Contender& winner = contest.contenders.front();
  const Contender& second = contest.contenders[1];
  const double fast = time_per_sample(winner).count;
  const double slow = time_per_sample(second).count;
  if (slow <= fast * (1 + equal)) {
    return place(contest) +
           fmt::format("`{}` and `{}` are equally fast: {}", winner.name(), second.name(),
                       time_text(winner, contest)) +
           doubt(winner) + doubt(second) + ".";
  }
  std::string text = opening(contest) + fmt::format(", {} `{}` ({}), {}", gain(fast, slow), second.name(),
                                                    time_text(second, contest), reason(winner, second));
  const Contender* dense = best_dense(contest);
  if (dense != nullptr && dense != &winner && dense != &second && has_both(contest)) {
    text += fmt::format("; {} the best dense arm `{}` ({}), {}", gain(fast, time_per_sample(*dense).count),
                        dense->name(), time_text(*dense, contest), reason(winner, *dense));
  }
  return text + doubt(winner) + ".";
}

std::string difference(const Contest& comparison) {
  const Contender& first = comparison.contenders[0];
  const Contender& other = comparison.contenders[1];
  const double own = time_per_sample(other).count;
  const double reference = time_per_sample(first).count;
  const std::string figures =
      fmt::format("({} against {})", time_text(other, comparison), time_text(first, comparison));
  if (std::abs(own - reference) <= equal * reference) {
    return place(comparison) +
           fmt::format("`{}` takes as long as `{}` {}.", other.name(), first.name(), figures);
  }
  const double percent = 100 * std::abs(own / reference - 1);
  const std::string much = percent < 100
                               ? fmt::format("{:.2g} % {}", percent, own < reference ? "less" : "more")
                               : fmt::format("{:.1f} times as much", own / reference);
  return place(comparison) + fmt::format("`{}` takes {} time {} `{}` {}, {}.", other.name(), much,
                                         percent < 100 ? "than" : "as", first.name(), figures,
                                         reason(other, first));
}

std::vector<std::string> verdicts(const PlayedStudy& study) {
  std::vector<std::string> sentences;
  const std::vector<Contest> list = contests(study);
  if (list.size() <= most_lines || study.study->axes.empty()) {
    for (const Contest& contest : list) sentences.push_back(verdict(contest));
    for (const Contest& comparison : comparisons(study)) sentences.push_back(difference(comparison));
    return sentences;
  }
  std::map<std::string, int> wins;
  for (const Contest& contest : list) {
    const auto values = axis_values(contest.contenders.front().name(), study.study->axes.size());
    if (!values.empty()) ++wins[values[compared_axis(*study.study)]];
  }
  std::string text;
  for (const auto& [name, count] : wins)
    text += fmt::format("{}`{}` in {}", text.empty() ? "" : ", ", name, count);
  sentences.push_back(fmt::format("shortest step along `{}`, of {} combinations: {}.",
                                  study.study->axes[compared_axis(*study.study)], list.size(), text));
  return sentences;
}

}  // namespace sim::output
