// Which arm wins, by how much, and why: computed from the parts of the steps.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "netmodels/percent.hpp"
#include "sim/report/replica_parts.hpp"
#include "sim/report/study_document.hpp"
#include "sim/report/uncertain_verdict.hpp"
#include "sim/scenario/tie.hpp"

namespace sim::report {
namespace {

using netmodels::Seconds;

template <class Q>
std::string four_digits(Q value) {
  constexpr int digits = 4;
  return netmodels::print(value, digits);
}

template <class Q>
std::string instead(Q one, Q other) {
  return fmt::format("{} instead of {}", four_digits(one), four_digits(other));
}

/// How many hops in a row the latency is; nothing where links differ.
std::optional<double> rounds(const ExchangeTimes& times) {
  if (times.hop.count == 0) return std::nullopt;
  const double count = times.latency / times.hop;
  if (std::abs(count - std::round(count)) > 1e-6) return std::nullopt;
  return std::round(count);
}

std::string because_of_latency(const ExchangeTimes& one, const ExchangeTimes& other) {
  const auto own = rounds(one);
  const auto others = rounds(other);
  const std::string times = instead(one.latency, other.latency);
  if (!own || !others || one.hop != other.hop) return "because latency, not bandwidth, decides: " + times;
  return fmt::format("because latency, not bandwidth, decides: {:.0f} rounds instead of {:.0f} ({})", *own,
                     *others, times);
}

/// Where a step has exchanges inside nodes and between them, and the bytes between nodes are what differs.
std::optional<std::string> because_of_bytes_between_nodes(const Candidate& one, const Candidate& other) {
  const bool known = one.exchange && other.exchange && one.exchange->between_nodes &&
                     other.exchange->between_nodes && one.phase->sent && other.phase->sent;
  if (!known) return std::nullopt;
  const netmodels::Bytes own = *one.exchange->between_nodes;
  const netmodels::Bytes others = *other.exchange->between_nodes;
  const bool explains = (own < others) == (one.phase->exchange_busy < other.phase->exchange_busy);
  const double differs = std::abs((own - others) / std::max(own, others));
  const double all_differ =
      std::abs((*one.phase->sent - *other.phase->sent) / std::max(*one.phase->sent, *other.phase->sent));
  if (own == others || !explains || differs <= all_differ) return std::nullopt;
  return "because its exchange sends " + instead(own, others) + " between nodes per worker and step";
}

std::string because_of_bytes(const Candidate& one, const Candidate& other) {
  if (auto between = because_of_bytes_between_nodes(one, other)) return *between;
  constexpr double as_much = 0.01;
  const std::string by_time =
      "because its exchange takes " + instead(one.phase->exchange_busy, other.phase->exchange_busy);
  if (!one.phase->sent || !other.phase->sent) return by_time;  // a closed form
  const double own = one.phase->sent->count;
  const double others = other.phase->sent->count;
  const bool sends_as_much = std::abs(own - others) <= as_much * others;
  const bool explains = (own < others) == (one.phase->exchange_busy < other.phase->exchange_busy);
  const auto& single = one.exchange;
  const auto& second = other.exchange;
  if ((!sends_as_much && explains) || !single || !second) {
    if (sends_as_much || !explains) return by_time;
    return "because its exchange sends " + instead(*one.phase->sent, *other.phase->sent) +
           " per worker and step";
  }
  const std::string chain = "because the longest chain of its messages needs " +
                            instead(single->bandwidth, second->bandwidth) + " of bandwidth";
  if (sends_as_much) return chain + ", although a worker sends as much";
  return fmt::format("{}, although a worker sends {}", chain, instead(*one.phase->sent, *other.phase->sent));
}

bool overlaps_later_steps(const Candidate& candidate) {
  const policies::SynchronisationChoice& stated = candidate.arm->scenario->synchronisation;
  return streaming_of(stated).delay > 0 || merging_server_of(stated).has_value();
}

netmodels::Seconds hidden_exchange(const Candidate& candidate) {
  return candidate.phase->exchange_busy - candidate.phase->parts.exchange;
}

std::string because_of_overlap(const Candidate& one, const Candidate& other) {
  const Candidate& hides_more = hidden_exchange(one) > hidden_exchange(other) ? one : other;
  return fmt::format("because of overlap with {}: {} of {} of exchange is exposed, against {} of {}",
                     overlaps_later_steps(hides_more) ? "later steps" : "the backward pass",
                     four_digits(one.phase->parts.exchange), four_digits(one.phase->exchange_busy),
                     four_digits(other.phase->parts.exchange), four_digits(other.phase->exchange_busy));
}

/// @param sign  1 where `one` is the faster, -1 where it is the slower
std::string because_of_exchange(const Candidate& one, const Candidate& other, double sign) {
  const auto& single = one.exchange;
  const auto& second = other.exchange;
  if (!single || !second) {
    const double by_network = sign * (other.phase->exchange_busy - one.phase->exchange_busy).count;
    const double by_overlap = sign * (hidden_exchange(one) - hidden_exchange(other)).count;
    return by_network > 0 && by_network >= by_overlap ? because_of_bytes(one, other)
                                                      : because_of_overlap(one, other);
  }
  const Seconds by_latency = sign * (second->latency - single->latency);
  const Seconds by_bandwidth = sign * (second->bandwidth - single->bandwidth);
  if ((by_latency + by_bandwidth).count <= 0) return because_of_overlap(one, other);
  return by_bandwidth >= by_latency ? because_of_bytes(one, other) : because_of_latency(*single, *second);
}

/// One part of the time per step, and how to say that it decided, or that it went the other way.
struct Part {
  Seconds (*of)(const Candidate&);
  std::string_view decided;  ///< empty for the exchange, which is described in more detail
  std::string_view against;
};

constexpr std::array parts{
    Part{[](const Candidate& c) {
           return c.phase->parts.compute - replica_exchanges(*c.arm) - replica_bubble(*c.arm);
         },
         "because its workers compute for", "computing"},
    Part{[](const Candidate& c) { return replica_exchanges(*c.arm); },
         "because exchanges inside its replicas take", "exchanges inside replicas"},
    Part{[](const Candidate& c) { return replica_bubble(*c.arm); },
         "because its devices wait for the pipeline for", "waiting for the pipeline"},
    Part{[](const Candidate& c) { return c.phase->parts.wait; },
         "because its workers wait for the slowest for", "waiting for the slowest worker"},
    Part{[](const Candidate& c) { return c.phase->parts.stream_wait; },
         "because it waits for samples of streams for", "waiting for samples of streams"},
    Part{[](const Candidate& c) { return c.phase->parts.compress; },
         "because the exposed part of compressing takes", "exposed compressing"},
    Part{[](const Candidate& c) { return c.phase->parts.exchange; }, "", "exchanging"},
    Part{[](const Candidate& c) { return c.outside(); },
         "because probes, lost work and recoveries cost, spread over the steps,",
         "probes, lost work and recoveries"},
};

/// How the difference in time per sample splits exactly: T/S is a product, and each factor's change counts at
/// the mean of the other.
struct Split {
  double sign;  ///< 1 where `one` is the faster, -1 where it is the slower: all gains below are then of the
                ///< faster
  double per_sample;    ///< seconds per sample for a second per step
  double from_samples;  ///< the gain of steps with more samples
};

Split split(const Candidate& one, const Candidate& other) {
  const double sign = time_per_sample(one) < time_per_sample(other) ? 1 : -1;
  const double own = 1 / samples_per_step(one);
  const double others = 1 / samples_per_step(other);
  const double mean_time = (one.step_time() + one.outside() + other.step_time() + other.outside()).count / 2;
  return {sign, (own + others) / 2, sign * (others - own) * mean_time};
}

bool differ(double one, double other) { return std::abs(one - other) > 1e-6 * other; }

/// A clause that begins with "because" and holds the figures of `one`, then those of `other`, for the part of
/// the time per step in which most of the difference lies; with "although" where another part goes the other
/// way.
std::string reason(const Candidate& one, const Candidate& other) {
  const Split part_of = split(one, other);
  const auto gain = [&](const Part& part) { return part_of.sign * (part.of(other) - part.of(one)); };
  const Part& decisive = *std::ranges::max_element(parts, {}, gain);
  const Part& contrary = *std::ranges::min_element(parts, {}, gain);
  const double from_part = gain(decisive).count * part_of.per_sample;
  if (part_of.from_samples >= from_part) {
    return fmt::format("because a step trains on {:.4g} samples instead of {:.4g}", samples_per_step(one),
                       samples_per_step(other));
  }
  std::string clause = decisive.decided.empty() ? because_of_exchange(one, other, part_of.sign)
                                                : fmt::format("{} {}", decisive.decided,
                                                              instead(decisive.of(one), decisive.of(other)));
  if (differ(samples_per_step(one), samples_per_step(other)))
    clause += fmt::format(", in steps of {:.4g} samples instead of {:.4g}", samples_per_step(one),
                          samples_per_step(other));
  constexpr double worth_saying = 0.1;  // of the gain
  if (-gain(contrary).count > worth_saying * gain(decisive).count) {
    clause += fmt::format(", although it spends {} {} on {}", four_digits(-1.0 * gain(contrary)),
                          part_of.sign > 0 ? "more" : "less", contrary.against);
  }
  return clause;
}

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
      return fmt::format("; the compression time of `{}` is a published one", arm.name());
    default: return "";
  }
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
                  scenario::tie_text, four_digits(idle.cost()->least));
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
  return text + doubt(winner) + ".";
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

/// Why an arm is no choice; empty where it may be one.
std::string why_left_out(const SimulatedArm& arm) {
  if (falls_behind(arm)) {
    const engine::MergingResult& found = *arm.result.merging;
    const std::string apart =
        found.steps_apart ? fmt::format(
                                "a worker makes {:.4g} steps between two merges of the same values, {} "
                                "are stated",
                                *found.steps_apart, merging_server_of(arm.scenario->synchronisation)->every)
                          : std::string("nothing is merged");
    return fmt::format(
        "{}, a merge has {:.3g} of {} workers, and {} messages come too late; a larger `every` or a "
        "`compression` needs less bandwidth, and a quorum waits for those who are away",
        apart, found.workers, arm.scenario->cluster.workers / workers_of_site(*arm.scenario), found.late);
  }
  if (!exchanges_nothing(arm)) return {};
  return fmt::format("all of its {} steps are local, so that its workers never exchange",
                     arm.result.whole.steps);
}

/// Arms that train models apart from each other, or nearly so, are no choice.
std::vector<std::string> left_out_sentences(const SimulatedStudy& study) {
  std::vector<std::string> sentences;
  for (const SimulatedArm& arm : study.arms) {
    if (const std::string why = why_left_out(arm); !why.empty())
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
