// Puts tiers of arms, and the differences of the best, into words.
#include "sim/report/seed_verdict.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sim/report/comparison.hpp"
#include "sim/report/seed_comparison.hpp"
#include "sim/report/seed_figures.hpp"
#include "sim/report/seed_statistics.hpp"

namespace sim::report {
namespace {

constexpr std::size_t most_groups = 12;  ///< that have sentences of their own
constexpr std::size_t names_shown = 12;  ///< of arms in a list

// One pair.

std::string size_text(double difference, const SeedQuestion& question) {
  return fmt::format("{:.2g} {}", 100 * difference, question.relative ? "%" : "points");
}

/// "95 % interval 47 % to 49 %", and the p-value where it is corrected for other pairs.
std::string interval_text(const SeedPair& pair, const SeedComparison& comparison, double p) {
  const SeedMean gain = mean_over_seeds(pair.gains);
  const SeedQuestion& question = *comparison.question;
  std::string text =
      fmt::format("95 % interval {} to {}", size_text(gain.low, question), size_text(gain.high, question));
  if (comparison.pairs > 1 && pair.gains.size() >= seeds_for_verdict)
    text += fmt::format("; p = {:.2g} corrected for {} pairs", p, comparison.pairs);
  return text;
}

/// "; about 86 seeds would show one of 5 %"
std::string power_text(const SeedPair& pair, const SeedComparison& comparison) {
  const SeedQuestion& question = *comparison.question;
  const std::size_t seeds = pair.gains.size();
  const double level = verdict_level / static_cast<double>(comparison.pairs);
  const std::size_t needed = seeds_to_show(pair.gains, question.worth_size, level);
  return fmt::format("; {}{} seeds would show one of {}", needed <= seeds ? "" : "about ",
                     std::max(needed, seeds), question.worth);
}

/// Two arms of a comparison, `one` before `other`.
struct ShownPair {
  const SeedArm& one;
  const SeedArm& other;
  SeedPair pair;
  double p;         ///< corrected
  bool told_apart;  ///< the one is better
};

ShownPair shown_pair(const SeedComparison& comparison, std::size_t one, std::size_t other) {
  const SeedArm& first = comparison.arms[one];
  const SeedArm& second = comparison.arms[other];
  return {first, second, pair_of(first, second, *comparison.question), comparison.p[one][other],
          comparison.better[one][other]};
}

/// "`dense` reaches the target before `topk` in 7 of 7 seeds (sign test: p = 0.016)"
std::string ahead_text(const ShownPair& shown, const SeedComparison& comparison) {
  std::string text = fmt::format("`{}` reaches the target before `{}` in {} of {} seeds", shown.one.name(),
                                 shown.other.name(), shown.pair.ahead, shown.pair.decided);
  if (shown.one.values.size() < seeds_for_verdict) return text;
  const std::string pairs =
      comparison.pairs > 1 ? fmt::format(" corrected for {} pairs", comparison.pairs) : "";
  return text + fmt::format(" (sign test: p = {:.2g}{})", shown.p, pairs);
}

std::string arm_mean_text(const SeedArm& arm, const SeedQuestion& question) {
  return question.figure->print(mean_value(known(arm.values)));
}

/// The only two arms of a comparison, with their verdict.
std::string two_arms(const SeedComparison& comparison) {
  const ShownPair shown = shown_pair(comparison, 0, 1);
  const SeedQuestion& question = *comparison.question;
  if (shown.pair.gains.empty())
    return ahead_text(shown, comparison) + (shown.told_apart ? "." : ": not told apart.");
  const std::size_t seeds = shown.pair.gains.size();
  const std::string verdict = shown.told_apart
                                  ? fmt::format("`{}` has {} {} than `{}` in {} seeds", shown.one.name(),
                                                question.better, question.what, shown.other.name(), seeds)
                                  : fmt::format("`{}` and `{}` are not told apart in {} by {} seeds",
                                                shown.one.name(), shown.other.name(), question.what, seeds);
  return fmt::format("{}: {} against {}, {} ({}){}.", verdict, arm_mean_text(shown.one, question),
                     arm_mean_text(shown.other, question), size_text(mean_value(shown.pair.gains), question),
                     interval_text(shown.pair, comparison, shown.p),
                     shown.told_apart ? "" : power_text(shown.pair, comparison));
}

/// "time per sample: `topk` 1 ms, `dense` 1.05 ms, 4.8 % less (95 % interval ...)"
std::string difference_text(const SeedComparison& comparison, std::size_t one, std::size_t other) {
  const ShownPair shown = shown_pair(comparison, one, other);
  const SeedQuestion& question = *comparison.question;
  if (shown.pair.gains.empty()) return ahead_text(shown, comparison) + ".";
  const bool open = !shown.told_apart && shown.pair.gains.size() >= seeds_for_verdict;
  return fmt::format("{}: `{}` {}, `{}` {}, {} {} ({}){}.", question.what, shown.one.name(),
                     arm_mean_text(shown.one, question), shown.other.name(),
                     arm_mean_text(shown.other, question), size_text(mean_value(shown.pair.gains), question),
                     question.better, interval_text(shown.pair, comparison, shown.p),
                     open ? power_text(shown.pair, comparison) : "");
}

/// The best arm against the next, and against the first of the group, which is what others are compared with.
std::vector<std::string> differences_of_best(const SeedComparison& comparison) {
  std::vector<std::string> sentences;
  for (std::size_t other = 1; other < comparison.arms.size(); ++other)
    if (other == 1 || comparison.arms[other].arm == comparison.baseline)
      sentences.push_back(difference_text(comparison, 0, other));
  return sentences;
}

// Tiers.

/// "`a`, `b` and `c`"
std::string names_text(const SeedComparison& comparison, const std::vector<std::size_t>& places) {
  const std::size_t count = places.size();
  const std::size_t shown = count > names_shown ? names_shown : count;
  std::string text;
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("{}`{}`",
                        i == 0           ? ""
                        : i + 1 == count ? " and "
                                         : ", ",
                        comparison.arms[places[i]].name());
  return shown == count ? text : text + fmt::format(" and {} more", count - shown);
}

/// "`a` has less than `c`": pairs that are told apart in a tier.
std::string told_apart_within(const SeedComparison& comparison, const std::vector<std::size_t>& tier) {
  std::vector<std::string> parts;
  for (const std::size_t one : tier) {
    std::vector<std::size_t> worse;
    std::ranges::copy_if(tier, std::back_inserter(worse),
                         [&](std::size_t other) { return comparison.better[one][other]; });
    if (worse.empty()) continue;
    parts.push_back(fmt::format("`{}` has {} than {}", comparison.arms[one].name(),
                                comparison.question->better, names_text(comparison, worse)));
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

/// "are not told apart", or "are not all told apart (`a` has less than `c`)".
std::string unity_text(const SeedComparison& comparison, const std::vector<std::size_t>& tier,
                       const std::string& clause) {
  const std::string within = told_apart_within(comparison, tier);
  if (within.empty()) return "are not told apart" + clause;
  return fmt::format("are not all told apart{} ({})", clause, within);
}

/// "`a` and `b` are not told apart in time per sample by 5 seeds; both have less than `c`, which has less
/// than `d` and `e`, which are not told apart."
std::string tiers_text(const SeedComparison& comparison) {
  const SeedQuestion& question = *comparison.question;
  const std::size_t seeds = comparison.arms.front().values.size();
  const auto& tiers = comparison.tiers;
  std::string text = names_text(comparison, tiers.front());
  const std::size_t best = tiers.front().size();
  if (best == 1)
    text += fmt::format(" has {} {} in {} seeds", question.better, question.what, seeds);
  else
    text +=
        " " + unity_text(comparison, tiers.front(), fmt::format(" in {} by {} seeds", question.what, seeds));
  if (best > 1 && tiers.size() > 1)
    text += fmt::format("; {} have {}", best == 2 ? "both" : "all", question.better);
  for (std::size_t place = 1; place < tiers.size(); ++place) {
    const std::vector<std::size_t>& tier = tiers[place];
    const bool last = place + 1 == tiers.size();
    text += " than " + names_text(comparison, tier);
    if (tier.size() > 1) text += ", which " + unity_text(comparison, tier, "");
    if (last) continue;
    text += tier.size() > 1 ? fmt::format(" and have {}", question.better)
                            : fmt::format(", which has {}", question.better);
  }
  return text + ".";
}

std::vector<std::string> sentences_on(const SeedComparison& comparison) {
  if (comparison.arms.front().values.size() < seeds_for_verdict) return differences_of_best(comparison);
  if (comparison.arms.size() == 2) return {two_arms(comparison)};
  std::vector<std::string> sentences{tiers_text(comparison)};
  std::ranges::move(differences_of_best(comparison), std::back_inserter(sentences));
  return sentences;
}

// Many groups.

/// Of one question, how often each value of the compared axis is better than all others.
struct SeedWins {
  std::map<std::string, std::size_t> of;
  std::size_t judged = 0;
  std::size_t none = 0;
};

/// By question, in the order in which they are asked.
std::vector<std::pair<std::string_view, SeedWins>> seed_wins_of(
    const SimulatedStudy& study, const std::vector<SeedComparison>& comparisons) {
  const std::size_t axis = compared_axis(*study.study);
  std::vector<std::pair<std::string_view, SeedWins>> found;
  for (const SeedComparison& comparison : comparisons) {
    const std::string_view what = comparison.question->what;
    auto place = std::ranges::find(found, what, &std::pair<std::string_view, SeedWins>::first);
    if (place == found.end()) place = found.insert(found.end(), {what, {}});
    SeedWins& wins = place->second;
    ++wins.judged;
    if (comparison.tiers.front().size() > 1)
      ++wins.none;
    else
      ++wins.of[axis_values(comparison.arms.front().name(), study.study->axes.size())[axis]];
  }
  return found;
}

/// A sentence for each question.
std::vector<std::string> summaries(const SimulatedStudy& study,
                                   const std::vector<SeedComparison>& comparisons) {
  std::vector<std::string> sentences;
  for (const auto& [what, wins] : seed_wins_of(study, comparisons)) {
    std::string text;
    for (const auto& [value, count] : wins.of) text += fmt::format("`{}` in {}, ", value, count);
    sentences.push_back(fmt::format(
        "better than chance in {} along `{}`, of {} combinations with {} seeds: {}none in {}.", what,
        study.study->axes[compared_axis(*study.study)], wins.judged, study.seeds.size(), text, wins.none));
  }
  return sentences;
}

}  // namespace

std::vector<std::string> seed_verdicts(const SimulatedStudy& study) {
  std::vector<std::string> sentences;
  if (study.seeds_agree)
    sentences.emplace_back(
        "The next seed gives the same figures in every column: nothing random shows in this study, and one "
        "seed is reported.");
  if (study.seeds.empty()) return sentences;
  const std::vector<SeedComparison> comparisons = seed_comparisons(study);
  const bool few = study.seeds.size() < seeds_for_verdict;
  if (few && !comparisons.empty())
    sentences.push_back(fmt::format("{} seeds: no verdict; {} and more compare the arms.", study.seeds.size(),
                                    seeds_for_verdict));
  if (groups_of(study).size() > most_groups) {
    if (!few) std::ranges::move(summaries(study, comparisons), std::back_inserter(sentences));
    return sentences;
  }
  for (const SeedComparison& comparison : comparisons)
    for (const std::string& sentence : sentences_on(comparison))
      sentences.push_back((comparison.where.empty() ? "" : comparison.where + ": ") + sentence);
  return sentences;
}

}  // namespace sim::report
