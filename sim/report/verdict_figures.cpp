// Chooses the figure in which arms of equal or unequal work compare.
#include "sim/report/verdict_figures.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "netmodels/percent.hpp"
#include "sim/report/cost.hpp"
#include "sim/report/uncertain_verdict.hpp"

namespace sim::report {
namespace {

constexpr ObjectiveWords time_words{"time", "Faster", "fastest", "are equally fast", "as long as"};
constexpr ObjectiveWords cost_words{"cost", "Cheaper", "cheapest", "cost the same", "as much as"};

double samples_in_all(const Candidate& candidate) {
  return static_cast<double>(candidate.phase->steps) * samples_per_step(candidate);
}

/// Whether the candidates train on as many samples in all, as where a lost worker's share falls to the
/// others.
bool same_work(const Comparison& comparison) {
  constexpr double almost = 0.01;
  const double first = samples_in_all(comparison.candidates.front());
  return std::ranges::all_of(comparison.candidates, [&](const Candidate& c) {
    return c.phase == &c.arm->result.whole && std::abs(samples_in_all(c) - first) <= almost * first;
  });
}

std::string cost_text(const Candidate& candidate, const Comparison& comparison) {
  const double sample = spent_per_sample(candidate);
  if (!same_work(comparison)) return sample_cost_text(sample);
  return usd_text(sample * samples_in_all(candidate)) + " in all";
}

/// "2.2", rounded down.
std::string times_text(double times) {
  const double digit = times < 2 ? 0.01 : times < 10 ? 0.1 : 1;
  return fmt::format("{:.4g}", std::floor(times / digit) * digit);
}

std::string range_text(const std::string& low, const std::string& high) {
  return low == high ? low : low + " to " + high;
}

}  // namespace

const ObjectiveWords& words_of(const Comparison& comparison) {
  return decides_by_cost(*comparison.candidates.front().arm) ? cost_words : time_words;
}

std::string spent_text(const Candidate& candidate, const Comparison& comparison) {
  constexpr int digits = 4;
  if (decides_by_cost(*candidate.arm)) return cost_text(candidate, comparison);
  if (!same_samples(comparison) && same_work(comparison))
    return netmodels::print(candidate.arm->result.time, digits) + " in all";
  if (!same_samples(comparison)) return fmt::format("{:.4g} samples/s", 1 / time_per_sample(candidate).count);
  return netmodels::print(candidate.step_time() + candidate.outside(), digits) + " per step";
}

std::string takes_text(const Candidate& candidate, const Comparison& comparison) {
  const std::string spent = spent_text(candidate, comparison);
  const std::string_view verb = decides_by_cost(*candidate.arm) ? "costs"
                                : spent.ends_with("samples/s")  ? "trains"
                                                                : "takes";
  return fmt::format("`{}` {} {}", candidate.name(), verb, spent);
}

std::string gain_over(const Candidate& best, const Candidate& other) {
  constexpr double worth_a_factor = 1.5;
  const double fast = spent_per_sample(best);
  const double slow = spent_per_sample(other);
  const std::string share = netmodels::short_percent(1 - fast / slow, 2);
  if (decides_by_cost(*best.arm)) return share + " cheaper than";
  if (slow > worth_a_factor * fast)
    return fmt::format("{:.{}f} times as fast as", slow / fast, slow > 10 * fast ? 0 : 1);
  return share + " less time than";
}

std::string gain_range(const Candidate& arm, const Candidate& best) {
  const double spent = spent_per_sample(best);
  const auto [least, most] = range_per_sample(arm);
  if (!decides_by_cost(*arm.arm))
    return range_text(times_text(spent / most), times_text(spent / least)) + " times";
  const auto share = [&](double own) { return netmodels::short_percent(1 - own / spent, 2); };
  return "by " + range_text(share(most), share(least));
}

}  // namespace sim::report
