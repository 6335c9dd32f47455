// Groups arms by world, asks the engine for their steps, and puts the winners into words.
#include "sim/report/crossover_verdict.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/engine/bandwidth_steps.hpp"
#include "sim/engine/goodput_steps.hpp"
#include "sim/report/comparison.hpp"
#include "sim/scenario/tie.hpp"

namespace sim::report {
namespace {

using engine::StepRange;
using engine::StepsByBandwidth;
using netmodels::Bandwidth;
using netmodels::FastestFrom;
using netmodels::Result;
using netmodels::Seconds;

/// Arms of one world, as indices into the study.
using World = std::vector<std::size_t>;

std::vector<World> worlds_of(const SimulatedStudy& study) {
  std::vector<World> worlds;
  for (std::size_t i = 0; i < study.arms.size(); ++i) {
    const auto same = [&](const World& world) {
      return same_world(study.arms[world.front()], study.arms[i]);
    };
    const auto found = std::ranges::find_if(worlds, same);
    if (found == worlds.end())
      worlds.push_back({i});
    else
      found->push_back(i);
  }
  return worlds;
}

bool takes_simgrid(const SimulatedStudy& study, const World& world) {
  return std::ranges::any_of(world,
                             [&](std::size_t i) { return study.arms[i].result.evaluators.simgrid > 0; });
}

bool may_cross(const SimulatedStudy& study, const World& world) {
  const auto depends = [&](std::size_t i) {
    return engine::depends_on_bandwidth(study.arms[i].scenario->work, study.arms[i].scenario->cluster,
                                        study.arms[i].scenario->exchange);
  };
  return world.size() >= 2 && std::ranges::all_of(world, depends);
}

/// The number of workers times arms up to which other bandwidths are computed.
std::size_t most_workers_and_arms(const SimulatedStudy& study, const World& world) {
  constexpr std::size_t most = 1024;
  constexpr std::size_t most_in_simgrid = 128;  // whose flows take a hundred times as long
  return takes_simgrid(study, world) ? most_in_simgrid : most;
}

std::size_t workers_and_arms(const SimulatedStudy& study, const World& world) {
  return static_cast<std::size_t>(study.arms[world.front()].scenario->cluster.workers) * world.size();
}

bool has_crossovers(const SimulatedStudy& study, const World& world) {
  return may_cross(study, world) && workers_and_arms(study, world) <= most_workers_and_arms(study, world);
}

/// What sets the times of collectives in place of the links' bandwidth, and what to do; empty where links do.
std::string_view other_times(const scenario::Cluster& cluster) {
  if (cluster.workers <= cluster.workers_per_node) return "";
  if (!cluster.measured.empty())
    return "times of collectives are measured on one network; leave out `cluster.collective_times`";
  if (!cluster.nccl || cluster.nccl->network) return "";
  return "`cluster.nccl` describes no network; state `cluster.nccl.network`";
}

/// An arm whose exchanges use the links as they are stated, in steps that are not all alike; null: there is
/// none.
const SimulatedArm* arm_of_unlike_steps(const SimulatedStudy& study, const World& world) {
  for (const std::size_t i : world) {
    const scenario::Scenario& arm = *study.arms[i].scenario;
    const bool links = arm.cluster.workers > arm.cluster.workers_per_node &&
                       arm.cluster.topology->traits.links_as_stated &&
                       arm.cluster.link.bandwidth > Bandwidth{};
    if (links && !engine::has_like_steps(arm.exchange.synchronisation, arm.exchange.compression,
                                         arm.work.batching, arm.work.streams))
      return &study.arms[i];
  }
  return nullptr;
}

/// "goodput of each node"
std::string goodput_name(const SimulatedStudy& study, const World& world) {
  return fmt::format("goodput of each {}", owner_of_goodput(study, world));
}

/// Why other bandwidths were not computed; empty where they were, or would not matter.
std::string left_out_text(const SimulatedStudy& study, const World& world) {
  if (has_crossovers(study, world)) return "";
  if (!may_cross(study, world)) {
    const std::string_view reason = other_times(study.arms[world.front()].scenario->cluster);
    if (world.size() < 2) return "";
    if (!reason.empty()) return fmt::format("by {}: left out, as {}.", goodput_name(study, world), reason);
    const SimulatedArm* unlike = arm_of_unlike_steps(study, world);
    if (unlike == nullptr) return "";
    return fmt::format(
        "by {}: left out, as steps of `{}` differ from each other; sweep `cluster.link.bandwidth`.",
        goodput_name(study, world), unlike->result.name);
  }
  const auto workers = static_cast<std::size_t>(study.arms[world.front()].scenario->cluster.workers);
  const std::size_t arms = most_workers_and_arms(study, world) / workers;
  const std::string fewer = arms < 2 ? "" : fmt::format("compare at most {} arms, or ", arms);
  return fmt::format(
      "by {}: left out, as {} arms of {} workers would take long; {}sweep `cluster.link.bandwidth`.",
      goodput_name(study, world), world.size(), workers, fewer);
}

/// An arm of which only a least time of compressing is known wins only where that is asked for, or where no
/// other arm is known better.
std::vector<Seconds> times_at_level(const std::vector<StepRange>& ranges, Seconds StepRange::*level) {
  const auto judged = [](const StepRange& range) { return std::isfinite(range.most.count); };
  const bool any_judged = std::ranges::any_of(ranges, judged);
  std::vector<Seconds> times;
  for (const StepRange& range : ranges)
    times.push_back(level == &StepRange::assumed && any_judged && !judged(range) ? range.most : range.*level);
  return times;
}

Result<std::vector<FastestFrom>> winners_at(StepsByBandwidth& steps, const netmodels::BandwidthSpan& span,
                                            Seconds StepRange::*level) {
  return netmodels::fastest_by_bandwidth(span, scenario::tie,
                                         [&](Bandwidth bandwidth) -> Result<std::vector<Seconds>> {
                                           GRADSIM_TRY(ranges, steps.at(bandwidth));
                                           return times_at_level(*ranges, level);
                                         });
}

Result<BandwidthWinners> winners_of(const SimulatedStudy& study, const World& world,
                                    engine::ClusterCache& clusters) {
  std::vector<const scenario::Scenario*> arms;
  for (const std::size_t i : world) arms.push_back(study.arms[i].scenario);
  StepsByBandwidth steps(arms, clusters);
  constexpr double factor = 100;
  constexpr int steps_in_simgrid = 8;
  netmodels::BandwidthSpan span{steps.stated() / factor, std::min(steps.stated() * factor, steps.most())};
  if (takes_simgrid(study, world)) span.steps = steps_in_simgrid;
  BandwidthWinners winners{world, steps.stated(), span.low, span.high, {}, {}, {}, {}};
  for (const auto& [found, level] :
       {std::pair{&winners.assumed, &StepRange::assumed}, std::pair{&winners.least, &StepRange::least},
        std::pair{&winners.most, &StepRange::most}}) {
    GRADSIM_TRY(list, winners_at(steps, span, level));
    *found = std::move(*list);
  }
  for (const auto& [bandwidth, times] : steps.known()) winners.curve.push_back({Bandwidth{bandwidth}, times});
  return winners;
}

std::string rate(Bandwidth bandwidth) {
  constexpr int digits = 2;
  return netmodels::print(bandwidth, digits);
}

/// " (a tie from 2.9 Gbit/s to 3.4 Gbit/s)"
std::string ties_text(const std::vector<FastestFrom>& list) {
  std::string text;
  for (std::size_t i = 1; i < list.size(); ++i)
    text += fmt::format("{}from {} to {}", text.empty() ? "" : ", ", rate(list[i].tie_from),
                        rate(list[i].tie_to));
  return text.empty() ? "" : fmt::format(" (a tie {})", text);
}

/// "`topk`, `int8` and 2 more", of candidates that tie, from the fastest on.
std::string tied_names(const std::vector<std::string>& names, const std::vector<std::size_t>& candidates) {
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, candidates.size()); ++i)
    text += fmt::format("{}`{}`", i == 0 ? "" : ", ", names[candidates[i]]);
  if (candidates.size() > most) text += fmt::format(" and {} more", candidates.size() - most);
  return text;
}

/// One entry for all bandwidths: "`dense` at all of them"; "`dense`, with ties at some of them (`int8`)"; "no
/// single arm: `dense`, `topk` tie throughout (`int8` at some of them)".
std::string throughout_text(const std::vector<std::string>& names, const FastestFrom& entry) {
  std::vector<std::size_t> always{entry.candidate};
  std::vector<std::size_t> sometimes;
  for (const netmodels::Rival& rival : entry.rivals)
    (rival.ties_always ? always : sometimes).push_back(rival.candidate);
  const std::string some = tied_names(names, sometimes);
  if (always.size() > 1)
    return fmt::format("no single arm: {} tie throughout{}", tied_names(names, always),
                       some.empty() ? "" : fmt::format(" ({} at some of them)", some));
  return fmt::format(
      "`{}`{}", names[entry.candidate],
      some.empty() ? " at all of them" : fmt::format(", with ties at some of them ({})", some));
}

/// "; `dense` ties from 28 Gbit/s on, `int8` from 30 Gbit/s on", of rivals that tie with the last entry from
/// some bandwidth on to the end; empty where there is none.
std::string lasting_ties_text(const std::vector<std::string>& names, const FastestFrom& last) {
  std::vector<netmodels::Rival> rivals;
  std::ranges::copy_if(last.rivals, std::back_inserter(rivals), [](const netmodels::Rival& rival) {
    return !rival.ties_always && rival.ties_from > Bandwidth{};
  });
  std::ranges::stable_sort(rivals, {}, &netmodels::Rival::ties_from);
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, rivals.size()); ++i)
    text += fmt::format("{} `{}`{} from {} on", i == 0 ? ";" : ",", names[rivals[i].candidate],
                        i == 0 ? " ties" : "", rate(rivals[i].ties_from));
  if (rivals.size() > most) text += fmt::format(", and {} more later", rivals.size() - most);
  return text;
}

bool has_no_longest_time(const SimulatedArm& arm) {
  return !arm.explained.empty() && arm.explained.front().dependence &&
         !arm.explained.front().dependence->cost.most;
}

bool none_is_judged(const SimulatedStudy& study, const BandwidthWinners& found) {
  return std::ranges::all_of(found.arms,
                             [&](std::size_t arm) { return has_no_longest_time(study.arms[arm]); });
}

/// Arms that are left out where others can be judged.
std::vector<std::string> unjudged_names(const SimulatedStudy& study, const BandwidthWinners& found) {
  std::vector<std::string> unjudged;
  for (const std::size_t arm : found.arms)
    if (has_no_longest_time(study.arms[arm])) unjudged.push_back("`" + study.arms[arm].result.name + "`");
  return unjudged.size() < found.arms.size() ? unjudged : std::vector<std::string>{};
}

std::vector<std::string> names_of(const SimulatedStudy& study, const BandwidthWinners& found) {
  std::vector<std::string> names;
  for (const std::size_t arm : found.arms) names.push_back(study.arms[arm].result.name);
  return names;
}

/// "here 35 Gbit/s", or "here 35 Gbit/s: nccl_tcp over 50 Gbit/s Ethernet" where a fabric is stated.
std::string stated_text(const SimulatedStudy& study, const BandwidthWinners& found) {
  const scenario::Cluster& cluster = study.arms[found.arms.front()].scenario->cluster;
  const std::string of = cluster.link_range ? ": " + cluster.link_range->name : "";
  return fmt::format("here {}{}", rate(found.stated), of);
}

std::string crossover_sentence(const SimulatedStudy& study, const BandwidthWinners& found) {
  const std::vector<std::string> names = names_of(study, found);
  const std::string_view condition =
      none_is_judged(study, found) ? "if compressing takes the least that is possible, as no other time "
                                     "of it is known, "
                                   : "";
  std::string text =
      fmt::format("by {} ({}), {} to {}, unchanged over the run: {}the least time per sample has {}",
                  goodput_name(study, found.arms), stated_text(study, found), rate(found.low),
                  rate(found.high), condition, fastest_text(names, found.assumed));
  for (const auto& [list, extreme] :
       {std::pair{&found.least, "the least"}, std::pair{&found.most, "the most"}}) {
    if (condition.empty() && !netmodels::same_winners(*list, found.assumed))
      text +=
          fmt::format("; if compressing takes {} that is possible, {}", extreme, fastest_text(names, *list));
  }
  text += fmt::format(". An arm is named until another is shorter by more than {}", scenario::tie_text);
  if (const auto unjudged = unjudged_names(study, found); !unjudged.empty())
    text += fmt::format("; left out but for the least time of compressing, as no other is known: {}",
                        fmt::join(unjudged, ", "));
  return text + ".";
}

}  // namespace

Result<std::vector<BandwidthWinners>> winners_by_bandwidth(const SimulatedStudy& study,
                                                           engine::ClusterCache& clusters,
                                                           const std::atomic<bool>* stop) {
  std::vector<BandwidthWinners> list;
  if (!study.study->axes.empty()) return list;
  for (const World& world : worlds_of(study)) {
    if (stop != nullptr && stop->load()) return std::vector<BandwidthWinners>{};
    if (!has_crossovers(study, world)) continue;
    auto winners = winners_of(study, world, clusters);
    if (stop != nullptr && stop->load()) return std::vector<BandwidthWinners>{};
    if (!winners) return tl::unexpected(winners.error());
    list.push_back(std::move(*winners));
  }
  return list;
}

std::string_view owner_of_goodput(const SimulatedStudy& study, const std::vector<std::size_t>& arms) {
  return study.arms[arms.front()].scenario->cluster.workers_per_node > 1 ? "node" : "worker";
}

std::string fastest_text(const std::vector<std::string>& names, const std::vector<FastestFrom>& list) {
  const auto name = [&](const FastestFrom& entry) { return fmt::format("`{}`", names[entry.candidate]); };
  if (list.size() == 1) return throughout_text(names, list.front());
  std::string text;
  for (std::size_t i = 0; i + 1 < list.size(); ++i)
    text += fmt::format("{} up to {}, ", name(list[i]), rate(list[i + 1].from));
  return text + name(list.back()) + " from there on" + ties_text(list) +
         lasting_ties_text(names, list.back());
}

std::string short_crossover(const SimulatedStudy& study, const BandwidthWinners& found) {
  const std::vector<std::string> names = names_of(study, found);
  const std::string ties = lasting_ties_text(names, found.assumed.back());
  if (found.assumed.size() < 2 && ties.empty()) return "";
  std::string text = fmt::format("By {} ({}), whatever is learned: ", goodput_name(study, found.arms),
                                 stated_text(study, found));
  for (std::size_t i = 0; i < found.assumed.size(); ++i) {
    const bool last = i + 1 == found.assumed.size();
    const std::string end = last ? "from there on" : "up to " + rate(found.assumed[i + 1].from);
    text += fmt::format("{}`{}`{}{}", i == 0 ? "" : ", ", names[found.assumed[i].candidate],
                        i == 0 ? " is the fastest" : "", found.assumed.size() == 1 ? "" : " " + end);
  }
  text += ties_text(found.assumed) + ties;
  const bool moves = !netmodels::same_winners(found.least, found.assumed) ||
                     !netmodels::same_winners(found.most, found.assumed);
  return text + (moves ? "; at the assumed time of compressing." : ".");
}

std::vector<std::string> crossover_verdicts(const SimulatedStudy& study) {
  std::vector<std::string> sentences;
  for (const BandwidthWinners& found : study.by_bandwidth)
    sentences.push_back(crossover_sentence(study, found));
  if (!study.study->axes.empty()) return sentences;
  for (const World& world : worlds_of(study)) {
    if (std::string text = left_out_text(study, world); !text.empty()) sentences.push_back(std::move(text));
  }
  return sentences;
}

}  // namespace sim::report
