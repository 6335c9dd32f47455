// Longest path through rounds of messages, over links whose capacity may change on the way.
#include "netmodels/path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "netmodels/link_history.hpp"
#include "netmodels/steady_turns.hpp"

namespace netmodels {
namespace {

/// Two intervals that touch within rounding do not overlap.
constexpr double touching = 1e-12;

/// This number of turns is followed one by one: that costs little, and rounds as it always has.
constexpr std::uint32_t followed = 64;

constexpr Seconds forever{std::numeric_limits<double>::infinity()};

/// Whether the sender of a message goes on before it has arrived.
bool leaves_early(const auto& transfer) { return transfer.ahead || transfer.buffered > Bytes{}; }

/// Bytes of a message that have left when its sender goes on, where it leaves early.
Bytes sent_before_next(const auto& transfer) {
  return transfer.size - std::min(transfer.size, transfer.buffered);
}

Error meeting(std::uint32_t from, std::uint32_t to) {
  return {"",
          "messages share a link on the path from rank " + std::to_string(from) + " to rank " +
              std::to_string(to),
          "the path evaluator supports one flow per link at a time; use `simgrid` or `auto`"};
}

}  // namespace

/// When a message begins and ends.
struct RoutedSchedule::Flight {
  Seconds begin;  ///< the first byte leaves
  Seconds end;    ///< the last byte has arrived
  Seconds left;   ///< time at which the part that its sender waits for has left
};

/// Cost of a message on a network that does not change.
struct RoutedSchedule::Cost {
  Seconds latency;
  Seconds total;
  Seconds transfer;
  Seconds body;  ///< part of `transfer` until the sender goes on
};

/// How far each rank and each link has got.
struct RoutedSchedule::Clock {
  /// Per rank: when all earlier rounds are done, but for messages that leave early; per rank: when messages
  /// of earlier rounds that leave early have left; of several streams, per rank of all of them: when those
  /// that leave in order have; per link: the end of its last flow, or the ends of the last two, the earlier
  /// first, where flows take half of it.
  std::vector<Seconds> times;
  std::vector<Seconds> next;  ///< the times of ranks when this round is done as well
  Seconds latest;             ///< the end of the last message so far
  std::uint32_t ranks;
  std::uint32_t lanes;
  bool lines;  ///< whether ranks have clocks of all their streams; else a message's line is that of its rank
  const RoutedTransfer* met = nullptr;

  Clock(const RoutedSchedule& schedule, std::size_t links)
      : times(schedule.link_clock(0) + links * schedule.lanes_),
        next(schedule.link_clock(0)),
        ranks(schedule.ranks_),
        lanes(schedule.lanes_),
        lines(schedule.ranks_ > schedule.stream_ranks_) {}

  [[nodiscard]] Seconds ready(std::uint32_t rank) const { return times[rank]; }
  [[nodiscard]] Seconds free(std::uint32_t rank) const { return times[std::size_t{ranks} + rank]; }
  [[nodiscard]] Seconds start(const RoutedTransfer& transfer) const {
    return transfer.ahead ? ready(transfer.from) : std::max(ready(transfer.from), ready(transfer.to));
  }
  /// The first byte leaves no earlier, whenever its latency is paid.
  [[nodiscard]] Seconds held(const RoutedTransfer& transfer) const {
    const Seconds own = free(transfer.from);
    if (!transfer.ahead) return std::max(own, free(transfer.to));
    return lines ? std::max(own, times[transfer.line]) : own;
  }
  void occupy(const RoutedTransfer& transfer, std::span<const LinkId> route, const Flight& flight) {
    if (transfer.size > Bytes{}) occupy_links(transfer, route, flight);
    const auto pass = [&](std::size_t clock, Seconds at) { next[clock] = std::max(next[clock], at); };
    if (leaves_early(transfer)) {
      pass(std::size_t{ranks} + transfer.from, flight.left);
      if (lines) pass(transfer.line, flight.left);
    } else {
      pass(transfer.from, flight.left);
    }
    pass(transfer.to, flight.end);
    latest = std::max(latest, flight.end);
  }
  void occupy_links(const RoutedTransfer& transfer, std::span<const LinkId> route, const Flight& flight) {
    Seconds* busy = times.data() + next.size();
    for (const LinkId link : route) {
      if (lanes > 1) {
        occupy_half(transfer, busy + std::size_t{2} * link, flight);
        continue;
      }
      if (flight.begin.count < busy[link].count * (1 - touching)) met = &transfer;
      busy[link] = flight.end;
    }
  }
  /// @param busy  both clocks of a link that carries two streams
  void occupy_half(const RoutedTransfer& transfer, Seconds* busy, const Flight& flight) {
    const auto is_free = [&](Seconds until) { return flight.begin.count >= until.count * (1 - touching); };
    if (transfer.half_rate && !is_free(busy[1])) {  // the other stream has the half that is free later
      if (!is_free(busy[0])) met = &transfer;
      busy[0] = flight.end;
    } else {
      if (!is_free(busy[1])) met = &transfer;
      busy[1] = flight.end;
      if (!transfer.half_rate) busy[0] = flight.end;
    }
    if (busy[0] > busy[1]) std::swap(busy[0], busy[1]);
  }
  void close(const std::vector<RoutedTransfer>& round) {
    for (const RoutedTransfer& transfer : round) {
      times[transfer.from] = next[transfer.from];
      times[transfer.to] = next[transfer.to];
      times[std::size_t{ranks} + transfer.from] = next[std::size_t{ranks} + transfer.from];
      if (lines) times[transfer.line] = next[transfer.line];
    }
  }
  /// Moves the clocks that a phase sets, as many of its turns would.
  void shift(const RoutedPhase& phase, Seconds by) {
    for (const std::uint32_t clock : phase.set) {
      times[clock] += by;
      if (clock < next.size()) next[clock] = times[clock];
      latest = std::max(latest, times[clock]);
    }
  }
  /// The first time at which a message of the phase's next turn can start, whose ends it sets.
  [[nodiscard]] Seconds earliest(const RoutedPhase& phase) const {
    Seconds first = forever;
    for (const std::uint32_t clock : phase.set) {
      if (clock < next.size()) first = std::min(first, times[clock]);
    }
    return first;
  }
};

/// The turn that is evaluated next.
struct RoutedSchedule::Position {
  std::size_t phase = 0;
  std::uint32_t turn = 0;

  /// Goes on by up to `turns` turns of length `by`, as many as surely end within `time`.
  /// @returns by how much that moves the clocks
  Seconds skip(Seconds by, Seconds time, std::uint32_t turns) {
    const double fit = std::max(0.0, std::floor(time / by) - 1);  // one less, for rounding
    const auto skipped = fit < turns ? static_cast<std::uint32_t>(fit) : turns;
    turn += skipped;
    return by * skipped;
  }
};

RoutedSchedule::RoutedSchedule(const Schedule& schedule, const Routes& routes)
    : stream_ranks_(schedule.ranks),
      ranks_(schedule.ranks * schedule.streams),
      first_link_(2 * ranks_ + (schedule.streams > 1 ? stream_ranks_ : 0)),
      lanes_(halves_links(schedule) ? 2 : 1) {
  for (const Phase& phase : schedule.phases) {
    RoutedPhase routed{{}, phase.repeat, {}};
    for (const Round& round : phase.rounds) {
      std::vector<RoutedTransfer>& transfers = routed.rounds.emplace_back();
      transfers.reserve(round.size());
      for (const Transfer& transfer : round) {
        const Route& links = routes(schedule.rank_of(transfer.from), schedule.rank_of(transfer.to));
        const double share = transfer.half_rate ? .5 : 1;
        const bool in_line = schedule.streams > 1 && leaves_in_order(transfer);
        const std::uint32_t line =
            in_line ? 2 * ranks_ + schedule.rank_of(transfer.from) : ranks_ + transfer.from;
        transfers.push_back({transfer.from, transfer.to, static_cast<std::uint32_t>(links_.size()),
                             static_cast<std::uint32_t>(links.size()), line, transfer.size / share,
                             transfer.buffered / share, transfer.ahead, transfer.half_rate});
        links_.insert(links_.end(), links.begin(), links.end());
      }
    }
    if (phase.repeat > followed) routed.set = clocks_set_by(routed);
    phases_.push_back(std::move(routed));
  }
}

std::vector<std::uint32_t> RoutedSchedule::clocks_set_by(const RoutedPhase& phase) const {
  std::vector<bool> is_set(link_clock(0));
  const auto set = [&](std::size_t clock) {
    if (clock >= is_set.size()) is_set.resize(clock + 1);
    is_set[clock] = true;
  };
  for (const auto& round : phase.rounds) {
    for (const RoutedTransfer& transfer : round) {
      if (leaves_early(transfer)) {
        set(std::size_t{ranks_} + transfer.from);
        set(transfer.line);
      } else {
        set(transfer.from);
      }
      set(transfer.to);
      if (!(transfer.size > Bytes{})) continue;
      for (const LinkId link : route(transfer)) {
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) set(link_clock(link) + lane);
      }
    }
  }
  std::vector<std::uint32_t> clocks;
  for (std::size_t clock = 0; clock < is_set.size(); ++clock) {
    if (is_set[clock]) clocks.push_back(static_cast<std::uint32_t>(clock));
  }
  return clocks;
}

Result<Evaluation> RoutedSchedule::evaluate(const NetworkState& state) const {
  if (!state.background.empty()) {
    return refuse("", "background traffic shares the links", "use `simgrid` or `auto`");
  }
  const Seconds horizon = state.horizon() - state.now;
  Clock clock(*this, state.links.size());
  evaluate_varying(state, clock, evaluate_constant(state, horizon, clock));
  const Seconds duration = clock.latest;
  const bool is_unchanged = duration <= horizon;
  if (!is_unchanged && !state.upcoming_background.empty() &&
      state.upcoming_background.front().at - state.now < duration) {
    return refuse("", "background traffic begins before the operation ends", "use `simgrid` or `auto`");
  }
  if (clock.met != nullptr)
    return tl::unexpected(meeting(clock.met->from % stream_ranks_, clock.met->to % stream_ranks_));
  return Evaluation{duration, is_unchanged};
}

Seconds RoutedSchedule::without_sharing(const NetworkState& state) const {
  Clock clock(*this, state.links.size());
  evaluate_constant(state, forever, clock);
  return clock.latest;
}

bool RoutedSchedule::messages_meet(const NetworkState& state) const {
  Clock clock(*this, state.links.size());
  evaluate_constant(state, forever, clock);
  return clock.met != nullptr;
}

void RoutedSchedule::evaluate_turn(const RoutedPhase& phase, Clock& clock, auto&& flight) const {
  for (const auto& round : phase.rounds) {
    for (const RoutedTransfer& transfer : round) clock.occupy(transfer, route(transfer), flight(transfer));
    clock.close(round);
  }
}

Seconds RoutedSchedule::find_costs(const RoutedPhase& phase, const std::vector<LinkState>& links,
                                   std::vector<Cost>& costs) const {
  costs.clear();
  Seconds longest_turn;
  for (const auto& round : phase.rounds) {
    Seconds longest;
    for (const RoutedTransfer& transfer : round) {
      const Seconds latency = latency_of(route(transfer), links);
      const Bandwidth bandwidth = narrowest(route(transfer), links);
      const Seconds carried = time_to_carry(transfer.size, bandwidth);
      const Seconds body =
          leaves_early(transfer) ? time_to_carry(sent_before_next(transfer), bandwidth) : carried;
      costs.push_back({latency, latency + carried, carried, body});
      longest = std::max(longest, costs.back().total);
    }
    longest_turn += longest;
  }
  return longest_turn;
}

RoutedSchedule::Position RoutedSchedule::evaluate_constant(const NetworkState& state, Seconds until,
                                                           Clock& clock) const {
  std::vector<Cost> costs;
  Position at;
  for (; at.phase < phases_.size(); ++at.phase, at.turn = 0) {
    const RoutedPhase& phase = phases_[at.phase];
    const Seconds longest_turn = find_costs(phase, state.links, costs);
    SteadyTurns steady(phase.set, phase.rounds.size());
    while (at.turn < phase.repeat) {
      if (clock.latest + longest_turn > until) return at;
      evaluate_turn(phase, clock, [&, cost = costs.begin()](const RoutedTransfer& transfer) mutable {
        const Seconds start = clock.start(transfer);
        const Seconds held = clock.held(transfer);
        const Seconds paid = start + cost->latency;
        const Seconds begin = std::max(held, paid);
        const Seconds end = held > paid ? held + cost->transfer : start + cost->total;
        const Seconds left = transfer.buffered > Bytes{} ? begin + cost->body : end;
        ++cost;
        return Flight{begin, end, left};
      });
      ++at.turn;
      if (const auto by = steady.shift(clock.times))
        clock.shift(phase, at.skip(*by, until - clock.latest, phase.repeat - at.turn));
    }
  }
  return at;
}

void RoutedSchedule::evaluate_varying(const NetworkState& state, Clock& clock, Position at) const {
  if (at.phase == phases_.size()) return;
  LinkHistory history(state);
  const auto flight = [&](const RoutedTransfer& transfer) {
    const Seconds start = clock.start(transfer);
    const std::span<const LinkId> links = route(transfer);
    const Seconds latency = latency_of(links, history.links(history.stretch(start)));
    const Seconds begin = std::max(clock.held(transfer), start + latency);
    const Seconds end = history.arrival(transfer.size, begin, links);
    const Seconds left =
        leaves_early(transfer) ? history.arrival(sent_before_next(transfer), begin, links) : end;
    return Flight{begin, end, left};
  };
  for (; at.phase < phases_.size(); ++at.phase, at.turn = 0) {
    const RoutedPhase& phase = phases_[at.phase];
    SteadyTurns steady(phase.set, phase.rounds.size());
    Seconds change;  // the first one after the latest turn
    while (at.turn < phase.repeat) {
      evaluate_turn(phase, clock, flight);
      ++at.turn;
      if (phase.set.empty()) continue;
      if (clock.latest > change) {
        change = history.end(history.stretch(clock.latest));
        steady.restart();
        continue;
      }
      const auto by = steady.shift(clock.times);
      // Both turns that were compared have begun since the last change, and, for rounding, one more.
      if (by && clock.earliest(phase) - *by * 3 >= history.begin(history.stretch(clock.latest)))
        clock.shift(phase, at.skip(*by, change - clock.latest, phase.repeat - at.turn));
    }
  }
}

}  // namespace netmodels
