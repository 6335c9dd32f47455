// Writes advice on policies as sentences.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "netmodels/percent.hpp"
#include "sim/advise/policy_ranking.hpp"
#include "sim/advise/policy_text.hpp"
#include "sim/engine/compression_cost.hpp"
#include "sim/report/compression_origin.hpp"

namespace sim::advise {
namespace {

using netmodels::Seconds;
using policies::PlanningObjective;

constexpr int digits = 3;

std::string text(Seconds time) {
  return time.count >= netmodels::seconds_per_hour
             ? fmt::format("{:.4g} h", time.count / netmodels::seconds_per_hour)
             : print(time, 4);
}

/// "12 % faster", "3 % slower", or "as fast".
std::string compared(Seconds one, Seconds other) {
  constexpr double visible = 0.0005;
  const double ratio = one / other;
  if (std::abs(ratio - 1) < visible) return "as fast";
  if (ratio >= 2) return fmt::format("{:.3g} times as slow", ratio);
  return ratio < 1 ? fmt::format("{:.1f} % faster", 100 * (1 - ratio))
                   : fmt::format("{:.1f} % slower", 100 * (ratio - 1));
}

/// One part of a whole training: seconds of a step times steps.
struct Part {
  std::string_view name;
  Seconds (*of)(const SimulatedPolicy&);
};

Seconds outside(const SimulatedPolicy& played) { return played.step - played.parts.total(); }

constexpr std::array parts{
    Part{"exposed communication", [](const SimulatedPolicy& p) { return p.parts.exchange; }},
    Part{"exposed compression", [](const SimulatedPolicy& p) { return p.parts.compress; }},
    Part{"computing", [](const SimulatedPolicy& p) { return p.parts.compute; }},
    Part{"waiting for the slowest worker", [](const SimulatedPolicy& p) { return p.parts.wait; }},
    Part{"waiting for samples", [](const SimulatedPolicy& p) { return p.parts.stream_wait; }},
    Part{"probes and other time between steps", outside},
};

/// Two candidates, the described one first.
struct PolicyComparison {
  const AdvisedPolicy& first;
  const AdvisedPolicy& other;

  [[nodiscard]] bool first_is_slower() const { return first.at_worst().time > other.at_worst().time; }
  [[nodiscard]] const AdvisedPolicy& slower() const { return first_is_slower() ? first : other; }
  [[nodiscard]] const AdvisedPolicy& faster() const { return first_is_slower() ? other : first; }
  [[nodiscard]] bool same_batch() const { return first.candidate->batch == other.candidate->batch; }
};

double samples_of(const AdvisedPolicy& policy) { return policy.steps.steps * policy.candidate->batch; }

/// Parts of the slower exchange by its closed form; empty where neither latency nor an all-gather says much.
std::string closed_detail(const PolicyComparison& comparison) {
  const AdvisedPolicy& slower = comparison.slower();
  const AdvisedPolicy& faster = comparison.faster();
  if (!slower.closed || slower.closed->exchange_busy <= Seconds{}) return "";
  const double latency = slower.closed->latency / slower.closed->exchange_busy;
  const char* whose = comparison.first_is_slower() ? "its" : "the other's";
  if (latency > 0.5)
    return fmt::format("; {} of {} exchange is latency", netmodels::short_percent(latency, 3), whose);
  const netmodels::Bytes gathered = slower.closed->gathered;
  const bool other_gathers = faster.closed && faster.closed->gathered > gathered / 2;
  if (!comparison.first_is_slower() || gathered == netmodels::Bytes{} || other_gathers) return "";
  return fmt::format("; each worker receives {} by all-gather, which grows with the number of workers",
                     print(gathered, digits));
}

/// What the exchange of the slower one is made of.
std::string detail(const PolicyComparison& comparison) {
  if (std::string closed = closed_detail(comparison); !closed.empty()) return closed;
  const auto& first = comparison.first.at_worst().played.sent_by_all;
  const auto& other = comparison.other.at_worst().played.sent_by_all;
  constexpr double visible = 0.01;
  if (!first || !other || std::abs(*first / *other - 1) < visible) return "";
  if ((*first > *other) != comparison.first_is_slower()) return "";
  return fmt::format("; all workers send {} a step instead of {}", print(*first, digits),
                     print(*other, digits));
}

/// The cause of the difference: the number of samples of the training, or a part of the time per sample.
std::string because(const PolicyComparison& comparison) {
  const AdvisedPolicy& slower = comparison.slower();
  const AdvisedPolicy& faster = comparison.faster();
  const auto per_sample = [](const AdvisedPolicy& policy, const Part& part) {
    return part.of(policy.at_worst().played) / policy.candidate->batch;
  };
  const auto lost = [&](const Part& part) { return per_sample(slower, part) - per_sample(faster, part); };
  const Part& decisive = *std::ranges::max_element(parts, {}, lost);
  const double more = samples_of(slower) - samples_of(faster);
  const Seconds sample = (slower.at_worst().played.step / slower.candidate->batch +
                          faster.at_worst().played.step / faster.candidate->batch) /
                         2;
  if (sample * more >= lost(decisive) * ((samples_of(slower) + samples_of(faster)) / 2)) {
    if (comparison.same_batch())
      return fmt::format("{:.0f} steps ({}) instead of {:.0f}", comparison.first.steps.steps,
                         to_string(comparison.first.steps.known), comparison.other.steps.steps);
    return fmt::format(
        "a batch of {} takes {:.3g} times the samples of one of {}", comparison.first.candidate->batch,
        samples_of(comparison.first) / samples_of(comparison.other), comparison.other.candidate->batch);
  }
  const auto figure = [&](const AdvisedPolicy& policy) {
    return print(
        comparison.same_batch() ? decisive.of(policy.at_worst().played) : per_sample(policy, decisive),
        digits);
  };
  std::string clause =
      fmt::format("{}: {} instead of {} a {}", decisive.name, figure(comparison.first),
                  figure(comparison.other), comparison.same_batch() ? "step" : "worker's sample");
  if (&decisive == parts.data()) clause += detail(comparison);
  return clause;
}

std::string against(const AdvisedPolicy& one, const AdvisedPolicy& other, const std::string& who) {
  const Seconds own = one.at_worst().time;
  const Seconds others = other.at_worst().time;
  const std::string ratio = compared(own, others);
  const std::string than = ratio == "as fast" || ratio.ends_with("slow") ? " as " : " than ";
  if (ratio == "as fast") return ratio + than + who;
  return ratio + than + who + ": " + because({one, other});
}

std::string hidden(const AdvisedPolicy& policy) {
  const SimulatedPolicy& played = policy.at_worst().played;
  if (played.exchange_busy <= Seconds{}) return "";
  const double share = 1 - played.parts.exchange / played.exchange_busy;
  constexpr double worth_saying = 0.5;
  if (share < worth_saying) return "";
  return fmt::format("; {:.0f} % of its exchange is hidden behind the backward pass", 100 * share);
}

std::string objective_text(PlanningObjective objective, bool evaluated) {
  if (!evaluated || objective == PlanningObjective::time) return "shortest time";
  return objective == PlanningObjective::cost ? "lowest cost" : "knee of cost over time";
}

const AdvisedPolicy* fastest(const AdvisedPolicies& advised) {
  const auto best = best_policy(advised.played, PlanningObjective::time);
  return best ? &advised.played[*best] : nullptr;
}

std::string reason_of_advice(const AdvisedPolicies& advised) {
  const AdvisedPolicy& chosen = advised.played[*advised.chosen];
  const PlanningObjective objective = advised.question->advice.objective;
  const bool best = best_policy(advised.played, objective) == advised.chosen;
  const std::string why =
      best ? "the advice: " + objective_text(objective, advised.question->rental.has_value())
           : fmt::format("the advice: the simplest within {} of the best",
                         netmodels::short_percent(advised.question->advice.tie, 3));
  if (advised.best_dense && *advised.best_dense != *advised.chosen)
    return why + "; " + against(chosen, advised.played[*advised.best_dense], "the best dense") +
           hidden(chosen);
  return why + hidden(chosen);
}

std::string count_text(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string count_note(const AdvisedPolicies& advised) {
  const std::string all =
      count_text(advised.played.size() + advised.pruned.size(), "candidate", "candidates");
  if (!advised.closed_forms)
    return all +
           ", all simulated: closed forms, by which some could be left out, are valid only on free "
           "homogeneous networks";
  if (advised.pruned.empty()) return all + ", all simulated";
  return all +
         fmt::format(
             ": {} simulated, {} not, because by closed forms another is more than {} faster in every "
             "state of the network, at the assumed times of compressing ({} for what closed forms leave out, "
             "the rest for ties)",
             advised.played.size(), advised.pruned.size(),
             netmodels::short_percent(advised.pruning_margin, 3),
             netmodels::short_percent(pruning_margin, 3));
}

/// Which networks there are, and that the worst counts.
std::string worst_note(const AdvisedPolicies& advised) {
  std::string names;
  for (const std::string& name : advised.question->networks) names += (names.empty() ? "" : ", ") + name;
  return "every figure is of the network on which the candidate takes longest; networks: " + names;
}

std::string played_note(const AdvisedPolicies& advised) {
  const scenario::PolicyQuestion& question = *advised.question;
  if (question.candidates.front().worlds.front().learner.kind->traits.trains)
    return "every candidate was trained once, all from the same seed, and simulated to its target";
  double most = 0;
  for (const AdvisedPolicy& policy : advised.played) {
    for (const PolicyOutcome& outcome : policy.outcomes) most = std::max(most, outcome.played.steps);
  }
  const auto changes = [](const scenario::Cluster& cluster) {
    return !cluster.changes.empty() || !cluster.traces.empty() || !cluster.background.empty();
  };
  const bool any =
      std::ranges::any_of(question.candidates.front().worlds, changes, &scenario::Scenario::cluster);
  return fmt::format(
      "up to {:.0f} steps of each candidate were simulated{}; the whole training is their mean times "
      "its steps",
      most, any ? ", in which the network is in each of its states for the same share" : "");
}

std::string steps_note(const AdvisedPolicies& advised) {
  const auto any = [&](StepsKnown known) {
    return std::ranges::any_of(advised.played,
                               [&](const AdvisedPolicy& policy) { return policy.steps.known == known; });
  };
  std::string note;
  if (any(StepsKnown::gain))
    note = "steps by gain: steps without compression / its mean gain, as GraVAC compares them";
  if (any(StepsKnown::assumed)) {
    note += std::string(note.empty() ? "" : "; ") +
            "steps assumed: compression and local steps are taken to cost no extra steps, which is not shown "
            "for this training; `over dense` is the factor of steps at which dense becomes as fast";
  }
  return note;
}

/// Where times of compression come from; of the first candidate that compresses.
std::string compression_note(const AdvisedPolicies& advised) {
  for (const AdvisedPolicy& policy : advised.played) {
    const scenario::Scenario& world = policy.candidate->worlds.front();
    if (world.exchange.compression.compresses())
      return "compression times: " + report::compression_time_origin(
                                         {world.exchange.compression, world.work.workload, world.work.device},
                                         world.work.parallelism, world.exchange.synchronisation);
  }
  return "";
}

/// From which time of compressing on the advice is no better than the best dense one, where that time is only
/// published. Leaves out: compression hidden behind the backward pass, with which it may be longer.
std::string break_even_note(const AdvisedPolicies& advised) {
  if (!advised.chosen || !advised.best_dense) return "";
  const AdvisedPolicy& chosen = advised.played[*advised.chosen];
  const scenario::Scenario& world = chosen.candidate->worlds.front();
  if (chosen.dense || scenario::decided_by_step(world.exchange.compression)) return "";
  const policies::CompressionChoice sent = world.exchange.compression.stated();
  const engine::CompressionCosts costs(world.exchange.compression, world.work.workload, world.work.device);
  if (costs.level(sent.method) != scenario::CostLevel::framework) return "";
  const engine::CompressionCost cost = costs.whole(sent);
  const Seconds gain = advised.played[*advised.best_dense].at_worst().time - chosen.at_worst().time;
  const Seconds turn = cost.assumed + gain / chosen.steps.steps;
  const netmodels::KernelCosts& stack = world.exchange.compression.framework;
  const std::string close =
      *cost.most > turn
          ? fmt::format("; {} times reach beyond it: measure yours by `calibrate probe kernels`",
                        stack.measured ? "measured" : "published")
          : "";
  return fmt::format(
      "the advice is faster than the best dense one if compressing takes less than {}; {} are "
      "assumed, {} to {} were {}{}",
      print(turn, 2), print(cost.assumed, 2), print(*cost.least_published, 2), print(*cost.most, 2),
      report::describe_stack(stack), close);
}

std::string margin_note(const AdvisedPolicies& advised) {
  const bool measured = std::ranges::any_of(
      advised.played, [](const AdvisedPolicy& policy) { return policy.at_worst().margin > Seconds{}; });
  if (measured)
    return "+/-: from the errors of measured collectives on sizes that their fit has not seen; of nothing "
           "else";
  return "error bars: none, no collective was measured on this cluster; ACCURACY.md says how far such "
         "predictions were from measurements elsewhere";
}

}  // namespace

std::string name_of(const scenario::PolicyCandidate& candidate) {
  std::string name = candidate.compresses() ? candidate.compression : "dense";
  if (candidate.ratio) name += " at " + netmodels::short_percent(*candidate.ratio, 3);
  if (candidate.synchronisation != "bsp") name = candidate.synchronisation + ", " + name;
  return fmt::format("{} by {}, batch {}", name, candidate.collective, candidate.batch);
}

std::optional<double> over_dense(const AdvisedPolicies& advised, const AdvisedPolicy& policy) {
  if (!advised.best_dense) return std::nullopt;
  return advised.played[*advised.best_dense].at_worst().time / policy.at_worst().time;
}

std::string policy_reason(const AdvisedPolicies& advised, std::size_t index) {
  const AdvisedPolicy& policy = advised.played[index];
  if (!policy.reached) return "does not reach the target in the stated training";
  if (index == advised.chosen) return reason_of_advice(advised);
  return against(policy, advised.played[*advised.chosen], "the advice");
}

namespace {

std::string advice_sentence(const AdvisedPolicies& advised) {
  const AdvisedPolicy& chosen = advised.played[*advised.chosen];
  const PolicyOutcome& worst = chosen.at_worst();
  std::string sentence = fmt::format("use {}: about {}", name_of(*chosen.candidate), text(worst.time));
  if (worst.cost) sentence += fmt::format(" and {:.4g} USD", worst.cost->count);
  if (advised.question->networks.size() > 1)
    sentence += fmt::format(" on its worst network, {}", advised.question->networks[chosen.worst]);
  if (!advised.best_dense) return sentence;
  const AdvisedPolicy& dense = advised.played[*advised.best_dense];
  if (chosen.dense) {
    const AdvisedPolicy* best = fastest(advised);
    sentence += ". Plain dense all-reduce wins";
    if (best->dense) return sentence + ": nothing is faster";
    return sentence + fmt::format(": the fastest, {}, is only {}", name_of(*best->candidate),
                                  compared(best->at_worst().time, worst.time));
  }
  return sentence +
         fmt::format(". The best plain dense one, by {} with batch {}, takes {}: {:.3g} times as long",
                     dense.candidate->collective, dense.candidate->batch, text(dense.at_worst().time),
                     *over_dense(advised, chosen)) +
         (chosen.steps.known == StepsKnown::assumed ? ", if the advice needs no more steps" : "");
}

/// The advice for one end of the range of times of compressing, where it is another one.
std::string other_advice(const AdvisedPolicies& advised, std::optional<std::size_t> chosen,
                         std::string_view condition, std::optional<CompressingOutcome> PolicyOutcome::*end) {
  if (!chosen || chosen == advised.chosen) return "";
  const AdvisedPolicy& other = advised.played[*chosen];
  const auto& outcome = other.at_worst().*end;
  return fmt::format(". If compressing takes {}, use {}: {}", condition, name_of(*other.candidate),
                     text(outcome ? outcome->time : other.at_worst().time));
}

/// Where the winner changes with the time that compressing takes.
std::string compressing_text(const AdvisedPolicies& advised) {
  if (advised.played[*advised.chosen].bound_only())
    return ". Its time of compressing is a floor: nothing can be faster, and no longest time is known";
  return other_advice(advised, advised.chosen_if_least, "the least time that is possible",
                      &PolicyOutcome::least) +
         other_advice(advised, advised.chosen_if_most, "the most time that is possible",
                      &PolicyOutcome::most);
}

}  // namespace

std::string policy_sentence(const AdvisedPolicies& advised) {
  if (!advised.chosen) return "none of the candidates reaches the target";
  return advice_sentence(advised) + compressing_text(advised);
}

std::vector<std::string> policy_notes(const AdvisedPolicies& advised) {
  std::vector<std::string> notes;
  notes.push_back(count_note(advised));
  for (const scenario::LeftOut& left : advised.left_out) {
    notes.push_back(count_text(left.combinations, "combination", "combinations") + " left out" +
                    (left.combinations == 1 ? ": " : ", such as: ") + left.reason);
  }
  if (advised.question->networks.size() > 1) notes.push_back(worst_note(advised));
  notes.push_back(played_note(advised));
  for (const std::string& note : {compression_note(advised), break_even_note(advised), steps_note(advised)}) {
    if (!note.empty()) notes.push_back(note);
  }
  notes.push_back("accuracy: " + (advised.learner == "none"
                                      ? std::string("no learner, every batch is taken to need "
                                                    "the stated epochs")
                                      : advised.learner));
  if (advised.question->rental && !advised.question->advice.price_per_gigabyte)
    notes.push_back("cost is time times the price of the cluster, so time, cost and knee agree");
  notes.push_back(margin_note(advised));
  return notes;
}

}  // namespace sim::advise
