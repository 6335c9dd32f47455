// Tests all pairs of arms on common seeds.
#include "sim/report/seed_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "sim/report/comparison.hpp"
#include "sim/report/cost.hpp"
#include "sim/report/exclusion.hpp"

namespace sim::report {
namespace {

constexpr SeedQuestion target_question{&target_figure, "time to the target", "less", 1, true, "5 %", 0.05};
constexpr SeedQuestion accuracy_question{
    &accuracy_figure, "accuracy (mean of the last five tests)", "more", -1, false, "1 point", 0.01};
constexpr SeedQuestion time_question{&sample_figure, "time per sample", "less", 1, true, "5 %", 0.05};
constexpr SeedQuestion target_cost_question{
    &target_cost_figure, "cost to the target", "less", 1, true, "5 %", 0.05};
constexpr SeedQuestion cost_question{&sample_cost_figure, "cost per sample", "less", 1, true, "5 %", 0.05};

const SeedQuestion& target_question_of(const SimulatedStudy& study) {
  return &target_figure_of(study) == &target_cost_figure ? target_cost_question : target_question;
}

const SeedQuestion& sample_question_of(const SimulatedStudy& study) {
  return &sample_figure_of(study) == &sample_cost_figure ? cost_question : time_question;
}

std::string group_of(const SimulatedStudy& study, const SimulatedArm& arm) {
  const std::size_t axes = study.study->axes.size();
  return axes == 0 ? "" : along(arm.result.name, axes, compared_axis(*study.study));
}

/// Best mean first; arms without a value in every seed are left out, and where the question is about speed,
/// arms that are not compared, or train another model than the first.
std::vector<SeedArm> ranked(const SimulatedStudy& study, const SeedGroup& group,
                            const SeedQuestion& question) {
  std::vector<SeedArm> arms;
  const SimulatedArm* first = nullptr;  // that is compared
  for (const SimulatedArm* arm : group.arms) {
    if (question.figure == &sample_figure_of(study)) {
      if (!why_not_compared(*arm).empty()) continue;
      if (first == nullptr) first = arm;
      if (!same_model(*first, *arm)) continue;
    }
    SeedArm candidate{arm, values_of(study, arm->result.name, *question.figure)};
    if (candidate.in_every_seed()) arms.push_back(std::move(candidate));
  }
  std::ranges::stable_sort(arms, {},
                           [&](const SeedArm& arm) { return question.sign * mean_value(known(arm.values)); });
  return arms;
}

/// Arms that reach the target most often, then soonest, first; none where no arm reaches it.
std::vector<SeedArm> ranked_by_target(const SimulatedStudy& study, const SeedGroup& group) {
  std::vector<SeedArm> arms;
  for (const SimulatedArm* arm : group.arms)
    if (arm->scenario->learner.target && !costs_without_end(*arm))
      arms.push_back({arm, values_of(study, arm->result.name, target_figure_of(study))});
  const auto order = [](const SeedArm& arm) {
    const std::vector<double> list = known(arm.values);
    const double time = list.empty() ? 0 : arm.in_every_seed() ? mean_value(list) : median(list);
    return std::pair(-std::ssize(list), time);
  };
  std::ranges::stable_sort(arms, {}, order);
  if (arms.empty() || known(arms.front().values).empty()) return {};
  return arms;
}

/// Whether `one` reaches its target before `other`: 1, or -1 for after; 0 where neither reaches it.
int sooner(const std::optional<double>& one, const std::optional<double>& other) {
  if (!one && !other) return 0;
  if (!one || !other) return one ? 1 : -1;
  return *one < *other ? 1 : *one > *other ? -1 : 0;
}

/// Moves the places of arms into a new order.
void reorder(SeedComparison& comparison, const std::vector<std::size_t>& order) {
  SeedComparison moved = comparison;
  for (std::size_t one = 0; one < order.size(); ++one) {
    moved.arms[one] = comparison.arms[order[one]];
    for (std::size_t other = 0; other < order.size(); ++other) {
      moved.p[one][other] = comparison.p[order[one]][order[other]];
      moved.better[one][other] = comparison.better[order[one]][order[other]];
    }
  }
  comparison = std::move(moved);
}

/// Places of arms in order of their tiers.
void sort_into_tiers(SeedComparison& comparison) {
  comparison.tiers = tiers_of(comparison.better);
  std::vector<std::size_t> order;
  for (std::vector<std::size_t>& tier : comparison.tiers)
    for (std::size_t& place : tier) {
      order.push_back(place);
      place = order.size() - 1;
    }
  reorder(comparison, order);
}

/// Tests every pair of every comparison of one question, as one family.
void test_pairs(std::vector<SeedComparison>& comparisons, const SeedQuestion& question, std::size_t seeds) {
  struct Place {
    SeedComparison* comparison;
    std::size_t one;
    std::size_t other;
    bool one_leads;
  };
  std::vector<Place> places;
  std::vector<double> p_values;
  for (SeedComparison& comparison : comparisons) {
    if (comparison.question != &question) continue;
    for (std::size_t one = 0; one < comparison.arms.size(); ++one)
      for (std::size_t other = one + 1; other < comparison.arms.size(); ++other) {
        const SeedPair pair = pair_of(comparison.arms[one], comparison.arms[other], question);
        places.push_back({&comparison, one, other, pair.one_leads});
        p_values.push_back(pair.p);
      }
  }
  const std::vector<double> corrected = holm(p_values);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto [comparison, one, other, one_leads] = places[i];
    comparison->pairs = places.size();
    comparison->p[one][other] = comparison->p[other][one] = corrected[i];
    if (seeds < seeds_for_verdict || corrected[i] > verdict_level) continue;
    comparison->better[one_leads ? one : other][one_leads ? other : one] = true;
  }
}

}  // namespace

bool SeedArm::in_every_seed() const { return std::ranges::all_of(values, &std::optional<double>::has_value); }

std::vector<SeedGroup> groups_of(const SimulatedStudy& study) {
  std::vector<SeedGroup> groups;
  for (const SimulatedArm& arm : study.arms) {
    const std::string where = group_of(study, arm);
    auto place = std::ranges::find(groups, where, &SeedGroup::where);
    if (place == groups.end()) place = groups.insert(groups.end(), {where, {}});
    place->arms.push_back(&arm);
  }
  return groups;
}

SeedPair pair_of(const SeedArm& one, const SeedArm& other, const SeedQuestion& question) {
  SeedPair pair;
  if (!one.in_every_seed() || !other.in_every_seed()) {
    for (std::size_t seed = 0; seed < one.values.size(); ++seed) {
      const int first = sooner(one.values[seed], other.values[seed]);
      pair.ahead += first > 0 ? 1 : 0;
      pair.decided += first != 0 ? 1 : 0;
    }
    pair.p = sign_test(pair.ahead, pair.decided);
    pair.one_leads = 2 * pair.ahead > pair.decided;
    return pair;
  }
  const double unit = question.relative ? mean_value(known(other.values)) : 1;
  for (std::size_t seed = 0; seed < one.values.size(); ++seed)
    pair.gains.push_back(question.sign * (*other.values[seed] - *one.values[seed]) / unit);
  constexpr double rounding = 1e-9;
  const auto rounds = [](double gain) { return std::abs(gain) < rounding; };
  pair.p = std::ranges::all_of(pair.gains, rounds) ? 1 : paired_test(pair.gains);
  pair.one_leads = mean_value(pair.gains) > 0;
  return pair;
}

std::vector<SeedComparison> seed_comparisons(const SimulatedStudy& study) {
  std::vector<SeedComparison> found;
  const SeedQuestion& sample_question = sample_question_of(study);
  for (const SeedGroup& group : groups_of(study)) {
    const auto add = [&](const SeedQuestion& question, std::vector<SeedArm> arms) {
      const std::size_t count = arms.size();
      if (count < 2) return false;
      found.push_back({group.where,
                       group.arms.front(),
                       &question,
                       std::move(arms),
                       std::vector(count, std::vector<double>(count, 1)),
                       0,
                       BetterThan(count, std::vector<bool>(count)),
                       {}});
      return true;
    };
    const bool to_target = add(target_question_of(study), ranked_by_target(study, group));
    const bool learns = add(accuracy_question, ranked(study, group, accuracy_question));
    if (!to_target && !learns) add(sample_question, ranked(study, group, sample_question));
  }
  for (const SeedQuestion* question : {&target_question_of(study), &accuracy_question, &sample_question})
    test_pairs(found, *question, study.seeds.size());
  for (SeedComparison& comparison : found) sort_into_tiers(comparison);
  return found;
}

}  // namespace sim::report
