// Which arm wins, by how much, and why: computed from the parts of the steps.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <span>

#include <fmt/format.h>

#include "netmodels/percent.hpp"
#include "sim/report/exclusion.hpp"
#include "sim/report/study_document.hpp"
#include "sim/report/uncertain_verdict.hpp"
#include "sim/report/update_kind.hpp"
#include "sim/report/verdict_figures.hpp"
#include "sim/report/verdict_reason.hpp"
#include "sim/scenario/device_mismatch.hpp"
#include "sim/scenario/tie.hpp"

namespace sim::report {
namespace {

constexpr double equal = 1e-6;         // relative; below it a difference is not worth a name
constexpr std::size_t most_lines = 8;  // more comparisons are counted instead of listed

/// "if `h100` computed as fast as `a100`, "; empty where compute times are of the devices that the clusters
/// have.
std::string if_devices_were_alike(const Comparison& comparison) {
  for (const Candidate& candidate : comparison.candidates) {
    const scenario::Scenario& arm = *candidate.arm->scenario;
    const auto other = scenario::device_mismatch(arm.work.device, arm.stated->device);
    if (other) return fmt::format("if `{}` computed as `{}` does, ", other->cluster, other->timed);
  }
  return "";
}

/// Under which state of the network, on which condition, and that accuracy is not in the verdict.
std::string place(const Comparison& comparison) {
  const bool learns = comparison.candidates.front().arm->result.learning.has_value();
  return (comparison.where.empty() ? "" : comparison.where + ": ") + if_devices_were_alike(comparison) +
         (learns ? fmt::format("by {} per sample alone, regardless of what is learned, ",
                               words_of(comparison).spent)
                 : "");
}

/// What the time of an arm's compression rests on, where that is no measurement.
std::string doubt(const Candidate& arm) {
  const std::string assumed = assumed_text(arm);
  if (!assumed.empty()) return "; " + assumed;
  if (arm.dense()) return "";
  switch (arm.cost() == nullptr ? arm.arm->result.compression_level : arm.cost()->level) {
    case scenario::CostLevel::unknown:
      return fmt::format("; the compression time of `{}` is unknown and counts as 0", arm.name());
    case scenario::CostLevel::floor:
      return fmt::format("; the compression time of `{}` is a floor: nothing can be faster", arm.name());
    case scenario::CostLevel::framework:
      if (arm.arm->scenario->exchange.compression.measured_on_device) return "";
      return fmt::format("; the compression time of `{}` is a published one", arm.name());
    default: return "";
  }
}

/// That a worker may need more memory than its device has; empty where it does not, or it is not known.
std::string memory_doubt(const Candidate& arm) {
  const scenario::Scenario& scenario = *arm.arm->scenario;
  const auto memory = needed_memory(scenario.work, scenario.cluster, scenario.exchange);
  if (!memory || !scenario.work.device || !scenario.work.device->memory_size) return "";
  if (memory->total() <= *scenario.work.device->memory_size) return "";
  constexpr int digits = 3;
  return fmt::format("; `{}` may not fit: a worker needs {} of memory, and its device has {}", arm.name(),
                     netmodels::print(memory->total(), digits),
                     netmodels::print(*scenario.work.device->memory_size, digits));
}

/// What the user can do. Of a GPU without CUDA no kernels can be measured here.
std::string how_to_settle(const Candidate& arm) {
  const auto& device = arm.arm->scenario->work.device;
  if (!device || device->compute_capability)
    return "Measure it by `calibrate probe kernels`, or state `compression.time`.";
  return fmt::format(
      "Time it in the framework and state `compression.time`: `calibrate probe kernels` measures NVIDIA GPUs "
      "and processors, and `{}` states no `compute_capability` of CUDA.",
      device->name);
}

/// How much a verdict says.
enum class Detail : std::uint8_t { brief, whole };

/// How the others stand against the best of the leading arms.
class Rivals {
 public:
  Rivals(const ByUpdate& arms, const Comparison& comparison, Detail detail)
      : best_(arms.leading.front()), comparison_(comparison), detail_(detail) {
    for (const Candidate& other : arms.others) {
      const Standing stands = standing(other, best_);
      if (stands == Standing::better) better_.push_back(&other);
      if (stands == Standing::depends) depends_.push_back(&other);
      const bool judged = !has_least_time_only(other) || spent_per_sample(other) > spent_per_sample(best_);
      if (stands == Standing::no_better && next_ == nullptr && judged) next_ = &other;
      compress_ = compress_ || other.arm->scenario->exchange.compression.compresses();
    }
  }

  /// No other arm may be faster by more than a tie.
  [[nodiscard]] bool none() const { return better_.empty() && depends_.empty(); }
  /// Likewise, with as many samples per step, and some compress.
  [[nodiscard]] bool no_compression_pays() const { return none() && compress_ && same_samples(comparison_); }
  /// The fastest that is slower or ties for every time of compressing; null: there is none.
  [[nodiscard]] const Candidate* next() const { return next_; }

  /// Sentences, each behind a blank, on the arms that are faster, or may be.
  [[nodiscard]] std::string sentences() const { return better_sentence() + conditions(); }

 private:
  [[nodiscard]] std::string better_sentence() const {
    if (better_.empty()) return "";
    constexpr std::size_t most = 4;
    const bool learns = best_.arm->result.learning.has_value();
    const char* they_learn = better_.size() == 1 ? "it learns" : "they learn";
    const std::string_view better = words_of(comparison_).better;
    std::string text = learns ? fmt::format(" {}:", better)
                              : fmt::format(" {}, if {} as well per sample:", better, they_learn);
    for (const Candidate* arm : std::span(better_).first(std::min(most, better_.size()))) {
      const bool first = arm == better_.front();
      text += fmt::format("{} `{}` {} ({})", first ? "" : ";", arm->name(), gain_range(*arm, best_),
                          spent_text(*arm, comparison_));
      if (first && detail_ == Detail::whole) text += ", " + reason(*arm, best_) + doubt(*arm);
    }
    if (better_.size() > most) text += fmt::format("; {} more", better_.size() - most);
    return text + memory_doubt(*better_.front()) + ".";
  }

  /// On arms that are faster for some times of compressing.
  [[nodiscard]] std::string conditions() const {
    const std::size_t most = detail_ == Detail::whole ? 3 : 1;
    if (depends_.empty()) return "";
    std::string text;
    for (const Candidate* arm : std::span(depends_).first(std::min(most, depends_.size())))
      text += fmt::format(" Not judged: {}.", condition_text(*arm, best_));
    if (depends_.size() > most) text += fmt::format(" {} more likewise.", depends_.size() - most);
    return detail_ == Detail::whole ? text + " " + how_to_settle(*depends_.front()) : text;
  }

  const Candidate& best_;
  const Comparison& comparison_;
  Detail detail_;
  std::vector<const Candidate*> better_;
  std::vector<const Candidate*> depends_;
  const Candidate* next_ = nullptr;
  bool compress_ = false;
};

/// ", 12 % less time than `other` (113 ms per step)".
std::string lead(const Candidate& winner, const Candidate& other, const Comparison& comparison) {
  return fmt::format(", {} `{}` ({})", gain_over(winner, other), other.name(), spent_text(other, comparison));
}

bool ties_with(const Candidate& one, const Candidate& other) {
  const auto [fast, slow] = std::minmax({spent_per_sample(one), spent_per_sample(other)});
  return slow <= fast * (1 + scenario::tie);
}

/// "`a`, `b`, `c`".
std::string comma_names(std::span<const Candidate* const> arms) {
  std::string text;
  for (const Candidate* arm : arms) text += (text.empty() ? "`" : ", `") + arm->name() + "`";
  return text;
}

/// "`a`, `b` and `c`".
std::string quoted_names(std::span<const Candidate* const> arms) {
  std::string text;
  for (std::size_t i = 0; i < arms.size(); ++i)
    text += fmt::format("{}`{}`", i == 0 ? "" : i + 1 < arms.size() ? ", " : " and ", arms[i]->name());
  return text;
}

/// The winner and the arms that tie with it, those of its own update first.
std::string tied(const Candidate& winner, const std::vector<const Candidate*>& arms,
                 const Comparison& comparison, Detail detail) {
  constexpr std::size_t most = 4;
  const Candidate& second = *arms[1];
  const double own = spent_per_sample(winner);
  const double others = spent_per_sample(second);
  const bool all_equal = std::ranges::all_of(
      arms, [&](const Candidate* arm) { return std::abs(spent_per_sample(*arm) - own) <= equal * own; });
  const std::string names = arms.size() <= most
                                ? quoted_names(arms)
                                : fmt::format("{} and {} more", comma_names(std::span(arms).first(most - 1)),
                                              arms.size() - most + 1);
  if (all_equal)
    return fmt::format("{} {}: {}", names, words_of(comparison).equal, spent_text(winner, comparison));
  const bool as_fast = std::abs(others - own) <= equal * own;
  std::string figures = as_fast ? fmt::format(", {} `{}`", words_of(comparison).as_much, second.name())
                        : own <= others
                            ? lead(winner, second, comparison)
                            : fmt::format(", `{}` {}", second.name(), spent_text(second, comparison));
  if (!as_fast && own <= others && detail == Detail::whole) figures += ", " + reason(winner, second);
  return fmt::format("{} tie: {}{}; differences up to {} are within the error of predictions", names,
                     takes_text(winner, comparison), figures, scenario::tie_text);
}

/// The leading arms that tie with the first, and then the others that do.
std::vector<const Candidate*> tier_of(const ByUpdate& arms) {
  const Candidate& winner = arms.leading.front();
  std::vector<const Candidate*> tier;
  for (const auto* list : {&arms.leading, &arms.others}) {
    for (const Candidate& candidate : *list) {
      const bool ties = !has_least_time_only(candidate) && standing(candidate, winner) == Standing::no_better;
      if (&candidate == &winner || (ties_with(winner, candidate) && (list == &arms.leading || ties)))
        tier.push_back(&candidate);
    }
  }
  return tier;
}

/// The arm that the winner is compared with: the next of its update, or of all where no other may be faster;
/// null: there is none.
const Candidate* next_of(const ByUpdate& arms, const Rivals& rivals) {
  const Candidate* second = arms.leading.size() > 1 ? &arms.leading[1] : nullptr;
  const Candidate* other = rivals.none() ? rivals.next() : nullptr;
  if (second == nullptr || other == nullptr) return second == nullptr ? other : second;
  return spent_per_sample(*other) < spent_per_sample(*second) ? other : second;
}

/// The clause on the best of the leading arms: alone, ahead of the next, or in a tie.
std::string leading_clause(const ByUpdate& arms, const Rivals& rivals, const Comparison& comparison,
                           Detail detail) {
  const Candidate& winner = arms.leading.front();
  if (const auto tier = tier_of(arms); tier.size() > 1) return tied(winner, tier, comparison, detail);
  const std::string takes = takes_text(winner, comparison);
  const Candidate* second = next_of(arms, rivals);
  if (second == nullptr) return takes;
  const bool plain = winner.dense() && rivals.no_compression_pays();
  const std::string opening =
      plain ? "plain dense all-reduce wins, no compression pays off: " + takes
            : fmt::format("`{}` wins with {}", winner.name(), spent_text(winner, comparison));
  const bool explained = detail == Detail::whole || rivals.none();
  return opening + lead(winner, *second, comparison) + (explained ? ", " + reason(winner, *second) : "");
}

/// Times do not decide between arms that learn differently per sample.
std::string no_winner(const Comparison& comparison) {
  constexpr std::size_t most = 4;
  std::string text;
  for (const Candidate& candidate :
       std::span(comparison.candidates).first(std::min(most, comparison.candidates.size()))) {
    text += fmt::format("{}`{}` {}{}", text.empty() ? "" : ", ", candidate.name(),
                        has_least_time_only(candidate) ? "at least " : "", spent_text(candidate, comparison));
  }
  if (comparison.candidates.size() > most)
    text += fmt::format(", {} more", comparison.candidates.size() - most);
  const bool learns = comparison.candidates.front().arm->result.learning.has_value();
  const std::string_view why = learns ? "no winner, as the arms make different updates"
                                      : "no winner without a learner, as the arms make different updates";
  return fmt::format("{}{}: {}.", place(comparison), why, text);
}

std::string verdict_in(const Comparison& comparison, Detail detail) {
  const ByUpdate arms = by_update(comparison);
  if (arms.leading.empty()) return no_winner(comparison);
  const Candidate& winner = arms.leading.front();
  const Rivals rivals(arms, comparison, detail);
  return place(comparison) + leading_clause(arms, rivals, comparison, detail) + doubt(winner) +
         memory_doubt(winner) + "." + rivals.sentences();
}

}  // namespace

std::string verdict(const Comparison& comparison) { return verdict_in(comparison, Detail::whole); }

std::string short_verdict(const Comparison& comparison) { return verdict_in(comparison, Detail::brief); }

namespace {

/// Arms that train models apart from each other, or nearly so, are no choice.
std::vector<std::string> left_out_sentences(const SimulatedStudy& study) {
  std::vector<std::string> sentences;
  for (const SimulatedArm& arm : study.arms) {
    if (const std::string why = figures_of_exclusion(arm); !why.empty())
      sentences.push_back(fmt::format("`{}` is not compared: {}.", arm.result.name, why));
  }
  if (sentences.size() <= most_lines) return sentences;
  return {fmt::format("{} arms are not compared: their workers hardly exchange.", sentences.size())};
}

}  // namespace

namespace {

/// How often each arm of the compared axis spends the least per sample.
std::string counted(const SimulatedStudy& study, const std::vector<Comparison>& list) {
  std::map<std::string, int> wins;
  bool learn_alike = true;
  for (const Comparison& comparison : list) {
    learn_alike = learn_alike && by_update(comparison).others.empty();
    const auto known = std::ranges::find_if_not(comparison.candidates, has_least_time_only);
    const Candidate& fastest = known == comparison.candidates.end() ? comparison.candidates.front() : *known;
    const auto values = axis_values(fastest.name(), study.study->axes.size());
    if (!values.empty()) ++wins[values[compared_axis(*study.study)]];
  }
  std::string text;
  for (const auto& [name, count] : wins)
    text += fmt::format("{}`{}` in {}", text.empty() ? "" : ", ", name, count);
  return fmt::format("{} per sample along `{}`, of {} combinations: {}{}.", words_of(list.front()).best,
                     study.study->axes[compared_axis(*study.study)], list.size(), text,
                     learn_alike ? "" : ", regardless of what is learned");
}

}  // namespace

std::vector<std::string> verdicts(const SimulatedStudy& study) {
  std::vector<std::string> sentences;
  const std::vector<Comparison> list = comparisons(study);
  if (list.size() > most_lines && !study.study->axes.empty())
    sentences.push_back(counted(study, list));
  else
    for (const Comparison& comparison : list) sentences.push_back(verdict(comparison));
  std::ranges::move(left_out_sentences(study), std::back_inserter(sentences));
  return sentences;
}

std::vector<std::string> short_verdicts(const SimulatedStudy& study) {
  constexpr std::size_t most = 3;
  const bool axes = !study.study->axes.empty();
  std::vector<Comparison> list = comparisons(study);
  if (!axes) std::erase_if(list, [](const Comparison& comparison) { return !comparison.all; });
  std::vector<std::string> sentences;
  if (list.size() > most && axes)
    sentences.push_back(counted(study, list));
  else
    for (const Comparison& comparison : list) sentences.push_back(short_verdict(comparison));
  std::ranges::move(left_out_sentences(study), std::back_inserter(sentences));
  return sentences;
}

}  // namespace sim::report
