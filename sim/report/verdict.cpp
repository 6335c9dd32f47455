// Which arm wins, by how much, and why: computed from the parts of the steps.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include <fmt/format.h>

#include "netmodels/percent.hpp"
#include "sim/report/exclusion.hpp"
#include "sim/report/study_document.hpp"
#include "sim/report/uncertain_verdict.hpp"
#include "sim/report/verdict_reason.hpp"
#include "sim/scenario/tie.hpp"

namespace sim::report {
namespace {

constexpr double equal = 1e-6;         // relative; below it a difference is not worth a name
constexpr std::size_t most_lines = 8;  // more comparisons are counted instead of listed

double samples(const Candidate& candidate) {
  return static_cast<double>(candidate.phase->steps) * candidate.step_time().count *
         candidate.phase->samples_per_second;
}

/// Whether the candidates train on as many samples in all, as where a lost worker's share falls to the
/// others.
bool same_work(const Comparison& comparison) {
  constexpr double almost = 0.01;
  const double first = samples(comparison.candidates.front());
  return std::ranges::all_of(comparison.candidates, [&](const Candidate& c) {
    return c.phase == &c.arm->result.whole && std::abs(samples(c) - first) <= almost * first;
  });
}

std::string time_text(const Candidate& candidate, const Comparison& comparison) {
  constexpr int digits = 4;
  if (!same_samples(comparison) && same_work(comparison))
    return netmodels::print(candidate.arm->result.time, digits) + " in all";
  if (!same_samples(comparison)) return netmodels::print(time_per_sample(candidate), digits) + " per sample";
  return netmodels::print(candidate.step_time() + candidate.outside(), digits) + " per step";
}

/// "12.3 % less time than", "2.4 times as fast as".
std::string gain(double fast, double slow) {
  constexpr double worth_a_factor = 1.5;
  if (slow > worth_a_factor * fast)
    return fmt::format("{:.{}f} times as fast as", slow / fast, slow > 10 * fast ? 0 : 1);
  return netmodels::short_percent(1 - fast / slow, 2) + " less time than";
}

bool uncompressed(const Candidate& candidate) {
  const auto& compression = candidate.arm->scenario->compression;
  return compression.method == "none" && !compression.policy->traits.decides;
}

bool has_both(const Comparison& comparison) {
  return std::ranges::any_of(comparison.candidates, &Candidate::dense) &&
         !std::ranges::all_of(comparison.candidates, &Candidate::dense);
}

/// Whatever its synchronisation is.
const Candidate* best_uncompressed(const Comparison& comparison) {
  const auto found = std::ranges::find_if(comparison.candidates, uncompressed);
  return found == comparison.candidates.end() ? nullptr : &*found;
}

/// Under which state of the network, and that accuracy is not in the verdict.
std::string place(const Comparison& comparison) {
  const bool learns = comparison.candidates.front().arm->result.learning.has_value();
  return (comparison.where.empty() ? "" : comparison.where + ": ") +
         (learns ? "by time per step alone, regardless of what is learned, " : "");
}

std::string opening(const Comparison& comparison) {
  const Candidate& winner = comparison.candidates.front();
  const std::string where = place(comparison);
  if (winner.dense() && has_both(comparison)) {
    return where + fmt::format("plain dense all-reduce wins, no compression pays off: `{}` takes {}",
                               winner.name(), time_text(winner, comparison));
  }
  return where + fmt::format("`{}` wins with {}", winner.name(), time_text(winner, comparison));
}

/// Of two arms that differ by less than predictions err.
std::string tied(const Comparison& comparison) {
  const Candidate& first = comparison.candidates[0];
  return place(comparison) + fmt::format("`{}` and `{}` tie: `{}` takes {}", first.name(),
                                         comparison.candidates[1].name(), first.name(),
                                         time_text(first, comparison));
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
      if (arm.arm->scenario->compression.measured_on_device) return "";
      return fmt::format("; the compression time of `{}` is a published one", arm.name());
    default: return "";
  }
}

/// That a worker may need more memory than its device has; empty where it does not, or it is not known.
std::string memory_doubt(const Candidate& arm) {
  const scenario::Scenario& scenario = *arm.arm->scenario;
  const auto memory = needed_memory(scenario);
  if (!memory || !scenario.device || !scenario.device->memory_size) return "";
  if (memory->total() <= *scenario.device->memory_size) return "";
  constexpr int digits = 3;
  return fmt::format("; `{}` may not fit: a worker needs {} of memory, and its device has {}", arm.name(),
                     netmodels::print(memory->total(), digits),
                     netmodels::print(*scenario.device->memory_size, digits));
}

/// What the user can do. Of a GPU without CUDA no kernels can be measured here.
std::string how_to_settle(const Candidate& arm) {
  const auto& device = arm.arm->scenario->device;
  if (!device || device->compute_capability)
    return "Measure it by `calibrate probe kernels`, or state `compression.time`.";
  return fmt::format(
      "Time it in the framework and state `compression.time`: `calibrate probe kernels` measures NVIDIA GPUs "
      "and processors, and `{}` states no `compute_capability` of CUDA.",
      device->name);
}

/// A winner that the time of compressing decides, and what would settle it.
std::string turning(const Comparison& comparison, const TurningVerdict& found) {
  const Candidate& first = comparison.candidates.front();
  const std::string assumed =
      &first == found.fast || &first == found.otherwise || has_least_time_only(first)
          ? ""
          : fmt::format("; with the assumed times of compressing, `{}` has the shortest step ({})",
                        first.name(), time_text(first, comparison));
  return place(comparison) + "the winner depends on how long compressing takes: " + turning_text(found) +
         fmt::format(" (`{}` takes {}){}. {}", found.otherwise->name(),
                     time_text(*found.otherwise, comparison), assumed, how_to_settle(*found.fast));
}

std::string judged_verdict(const Comparison& comparison);

/// The verdict without an arm whose compression time is a bound, and what that arm could gain.
std::string verdict_without(const Comparison& comparison, const Candidate& idle) {
  Comparison others = comparison;
  std::erase_if(others.candidates, [&](const Candidate& candidate) { return candidate.arm == idle.arm; });
  const std::string bound =
      fmt::format("`{}` gains no more than a tie ({}) even if compressing takes only {}", idle.name(),
                  scenario::tie_text, netmodels::print(idle.cost()->least, 4));
  if (others.candidates.size() > 1) {
    std::string text = judged_verdict(others);
    text.pop_back();  // the full stop
    return text + "; " + bound + ".";
  }
  const Candidate& winner = others.candidates.front();
  return place(comparison) +
         fmt::format("`{}` takes {}; {}.", winner.name(), time_text(winner, comparison), bound);
}

/// Of arms that can be judged, or of one with arms whose time of compressing is a bound.
std::string judged_verdict(const Comparison& comparison) {
  if (const Candidate* idle = idle_bound(comparison)) return verdict_without(comparison, *idle);
  if (const auto found = turning_verdict(comparison)) return turning(comparison, *found);
  const Candidate& winner = comparison.candidates.front();
  const Candidate& second = comparison.candidates[1];
  const double fast = time_per_sample(winner).count;
  const double slow = time_per_sample(second).count;
  if (slow <= fast * (1 + equal)) {
    return place(comparison) +
           fmt::format("`{}` and `{}` are equally fast: {}", winner.name(), second.name(),
                       time_text(winner, comparison)) +
           doubt(winner) + doubt(second) + ".";
  }
  const bool alike = slow <= fast * (1 + scenario::tie);
  std::string text = (alike ? tied(comparison) : opening(comparison)) +
                     fmt::format(", {} `{}` ({}), {}", gain(fast, slow), second.name(),
                                 time_text(second, comparison), reason(winner, second));
  if (alike)
    text += fmt::format("; differences up to {} are within the error of predictions", scenario::tie_text);
  const Candidate* plain = best_uncompressed(comparison);
  if (plain != nullptr && plain != &winner && plain != &second && has_both(comparison)) {
    text += fmt::format("; {} the best {} `{}` ({}), {}", gain(fast, time_per_sample(*plain).count),
                        plain->dense() ? "dense arm" : "arm without compression", plain->name(),
                        time_text(*plain, comparison), reason(winner, *plain));
  }
  return text + doubt(winner) + memory_doubt(winner) + ".";
}

bool names(std::string_view text, const Candidate& candidate) {
  return text.find("`" + candidate.name() + "`") != std::string_view::npos;
}

/// Of each arm that would take less time than the best of the others, and is not named yet: why it does not
/// win.
std::string unjudged_sentences(const Comparison& comparison, const Candidate& best, std::string_view text) {
  std::string sentences;
  std::string advice;
  for (const Candidate& candidate : comparison.candidates) {
    if (!has_least_time_only(candidate) || names(text, candidate)) continue;
    const auto clause = unjudged_text(candidate, best);
    if (!clause) continue;
    advice = how_to_settle(candidate);
    sentences += fmt::format(" Not judged: {} (`{}` takes at least {}).", *clause, candidate.name(),
                             time_text(candidate, comparison));
  }
  if (!advice.empty() && text.find(advice) == std::string_view::npos) sentences += " " + advice;
  return sentences;
}

/// Whether all arms compress by the same method at the same ratio in every step: then the time of
/// compressing, whatever it is, is the same, and their exchanges can be compared.
bool compress_alike(const Comparison& comparison) {
  const auto& first = comparison.candidates.front().arm->scenario->compression;
  return std::ranges::all_of(comparison.candidates, [&](const Candidate& candidate) {
    const auto& stated = candidate.arm->scenario->compression;
    return !decided_by_step(stated) && stated.method == first.method && stated.ratio == first.ratio;
  });
}

/// Of arms of which none can be judged: how much time each takes at least.
std::string undecided(const Comparison& comparison) {
  constexpr std::size_t most = 4;
  std::string text;
  for (const Candidate& candidate :
       std::span(comparison.candidates).first(std::min(most, comparison.candidates.size()))) {
    text += fmt::format("{}`{}` at least {}", text.empty() ? "" : ", ", candidate.name(),
                        time_text(candidate, comparison));
  }
  if (comparison.candidates.size() > most)
    text += fmt::format(", {} more", comparison.candidates.size() - most);
  return place(comparison) +
         fmt::format(
             "no arm can be named the winner: of none is it known how long compressing takes at most "
             "({}). {}",
             text, how_to_settle(comparison.candidates.front()));
}

/// Of the arms that can be judged; where that is one alone, of it and those that have a break-even with it or
/// lose to it even at their least time.
std::string verdict_on(const Comparison& comparison, const Comparison& judged) {
  if (judged.candidates.size() > 1) return judged_verdict(judged);
  if (judged.candidates.empty())
    return compress_alike(comparison) ? judged_verdict(comparison) : undecided(comparison);
  const Candidate& only = judged.candidates.front();
  Comparison others = comparison;
  std::erase_if(others.candidates, [&](const Candidate& candidate) {
    return candidate.cost() == nullptr && has_least_time_only(candidate) &&
           time_per_sample(candidate) < time_per_sample(only);
  });
  if (others.candidates.size() > 1) return judged_verdict(others);
  return place(comparison) +
         fmt::format("`{}` takes {}{}.", only.name(), time_text(only, comparison), doubt(only));
}

}  // namespace

std::string verdict(const Comparison& comparison) {
  const Comparison judged = judged_arms(comparison);
  const std::string text = verdict_on(comparison, judged);
  if (judged.candidates.empty()) return text;
  return text + unjudged_sentences(comparison, judged.candidates.front(), text);
}

std::string difference(const Comparison& comparison) {
  const Candidate& first = comparison.candidates[0];
  const Candidate& other = comparison.candidates[1];
  const double own = time_per_sample(other).count;
  const double reference = time_per_sample(first).count;
  const std::string figures =
      fmt::format("({} against {})", time_text(other, comparison), time_text(first, comparison));
  if (std::abs(own - reference) <= equal * reference) {
    return place(comparison) +
           fmt::format("`{}` takes as long as `{}` {}.", other.name(), first.name(), figures);
  }
  const double share = std::abs(own / reference - 1);
  const bool is_share = share < 1;
  const std::string much = is_share
                               ? netmodels::short_percent(share, 2) + (own < reference ? " less" : " more")
                               : fmt::format("{:.1f} times as much", own / reference);
  return place(comparison) + fmt::format("`{}` takes {} time {} `{}` {}, {}.", other.name(), much,
                                         is_share ? "than" : "as", first.name(), figures,
                                         reason(other, first));
}

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

std::vector<std::string> verdicts(const SimulatedStudy& study) {
  std::vector<std::string> sentences = left_out_sentences(study);
  const std::vector<Comparison> list = comparisons(study);
  if (list.size() <= most_lines || study.study->axes.empty()) {
    for (const Comparison& comparison : list) sentences.push_back(verdict(comparison));
    for (const Comparison& comparison : world_comparisons(study)) sentences.push_back(difference(comparison));
    return sentences;
  }
  std::map<std::string, int> wins;
  for (const Comparison& comparison : list) {
    const auto values = axis_values(comparison.candidates.front().name(), study.study->axes.size());
    if (!values.empty()) ++wins[values[compared_axis(*study.study)]];
  }
  std::string text;
  for (const auto& [name, count] : wins)
    text += fmt::format("{}`{}` in {}", text.empty() ? "" : ", ", name, count);
  sentences.push_back(fmt::format("shortest step along `{}`, of {} combinations: {}.",
                                  study.study->axes[compared_axis(*study.study)], list.size(), text));
  return sentences;
}

}  // namespace sim::report
