// Longest path through rounds of messages, over links whose capacity may change on the way.
#include "netmodels/path.hpp"

#include <algorithm>
#include <string>

#include "netmodels/link_history.hpp"

namespace netmodels {
namespace {

/// Two intervals that touch within rounding do not overlap.
constexpr double touching = 1e-12;

/// Whether the sender of a message goes on before it has arrived.
bool leaves_early(const auto& transfer) { return transfer.ahead || transfer.buffered > Bytes{}; }

/// Of a message that leaves early: what has left when its sender goes on.
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

/// How far each rank and each link has got. Links are tracked by when their last flow ends.
struct RoutedSchedule::Clock {
  std::vector<Seconds> ready;  ///< per rank: all earlier rounds are done, but for messages that leave early
  std::vector<Seconds> next;   ///< per rank: this round is done as well
  std::vector<Seconds> free;   ///< per rank: messages of earlier rounds that leave early have left
  std::vector<Seconds> next_free;  ///< per rank: those of this round as well
  std::vector<Seconds> busy;       ///< per link: end of its last flow
  const RoutedTransfer* met = nullptr;

  Clock(std::uint32_t ranks, std::size_t links)
      : ready(ranks), next(ranks), free(ranks), next_free(ranks), busy(links) {}

  [[nodiscard]] Seconds start(const RoutedTransfer& transfer) const {
    return transfer.ahead ? ready[transfer.from] : std::max(ready[transfer.from], ready[transfer.to]);
  }
  /// The first byte leaves no earlier, whenever its latency is paid.
  [[nodiscard]] Seconds held(const RoutedTransfer& transfer) const {
    return transfer.ahead ? free[transfer.from] : std::max(free[transfer.from], free[transfer.to]);
  }
  /// @param left  when what the sender of a message that leaves early waits for has left
  void occupy(const RoutedTransfer& transfer, std::span<const LinkId> route, Seconds begin, Seconds end,
              Seconds left) {
    for (const LinkId link : route) {
      if (begin.count < busy[link].count * (1 - touching)) met = &transfer;
      busy[link] = end;
    }
    Seconds& sender = leaves_early(transfer) ? next_free[transfer.from] : next[transfer.from];
    sender = std::max(sender, left);
    next[transfer.to] = std::max(next[transfer.to], end);
  }
  void close(const std::vector<RoutedTransfer>& round) {
    for (const RoutedTransfer& transfer : round) {
      ready[transfer.from] = next[transfer.from];
      ready[transfer.to] = next[transfer.to];
      free[transfer.from] = next_free[transfer.from];
    }
  }
  [[nodiscard]] Seconds last() const { return *std::ranges::max_element(ready); }
};

RoutedSchedule::RoutedSchedule(const Schedule& schedule, const Routes& routes) : ranks_(schedule.ranks) {
  for (const Phase& phase : schedule.phases) {
    RoutedPhase routed{{}, phase.repeat};
    for (const Round& round : phase.rounds) {
      std::vector<RoutedTransfer>& transfers = routed.rounds.emplace_back();
      transfers.reserve(round.size());
      for (const Transfer& transfer : round) {
        const Route& links = routes(transfer.from, transfer.to);
        transfers.push_back({transfer.from, transfer.to, static_cast<std::uint32_t>(links_.size()),
                             static_cast<std::uint32_t>(links.size()), transfer.size, transfer.buffered,
                             transfer.ahead});
        links_.insert(links_.end(), links.begin(), links.end());
      }
    }
    phases_.push_back(std::move(routed));
  }
}

Result<Evaluation> RoutedSchedule::evaluate(const NetworkState& state) const {
  if (!state.background.empty()) {
    return refuse("", "background traffic shares the links", "use `simgrid` or `auto`");
  }
  const Seconds horizon = state.horizon() - state.now;
  Clock steady(ranks_, state.links.size());
  const Seconds unchanged = play_constant(state, steady);
  if (unchanged <= horizon) {
    if (steady.met != nullptr) return tl::unexpected(meeting(steady.met->from, steady.met->to));
    return Evaluation{unchanged, true};
  }
  Clock varying(ranks_, state.links.size());
  const Seconds duration = play_varying(state, varying);
  if (!state.upcoming_background.empty() && state.upcoming_background.front().at - state.now < duration) {
    return refuse("", "background traffic begins before the operation ends", "use `simgrid` or `auto`");
  }
  if (varying.met != nullptr) return tl::unexpected(meeting(varying.met->from, varying.met->to));
  return Evaluation{duration, false};
}

Seconds RoutedSchedule::without_sharing(const NetworkState& state) const {
  Clock clock(ranks_, state.links.size());
  return play_constant(state, clock);
}

bool RoutedSchedule::messages_meet(const NetworkState& state) const {
  Clock clock(ranks_, state.links.size());
  static_cast<void>(play_constant(state, clock));
  return clock.met != nullptr;
}

Seconds RoutedSchedule::play_constant(const NetworkState& state, Clock& clock) const {
  struct Cost {
    Seconds latency;
    Seconds total;
    Seconds transfer;
    Seconds body;  ///< of `transfer`, until the sender goes on
  };
  std::vector<Cost> costs;
  for (const RoutedPhase& phase : phases_) {
    costs.clear();
    for (const auto& round : phase.rounds) {
      for (const RoutedTransfer& transfer : round) {
        const Seconds latency = latency_of(route(transfer), state.links);
        const Bandwidth bandwidth = narrowest(route(transfer), state.links);
        const Seconds carried = time_to_carry(transfer.size, bandwidth);
        const Seconds body =
            leaves_early(transfer) ? time_to_carry(sent_before_next(transfer), bandwidth) : carried;
        costs.push_back({latency, latency + carried, carried, body});
      }
    }
    for (std::uint32_t turn = 0; turn < phase.repeat; ++turn) {
      const Cost* cost = costs.data();
      for (const auto& round : phase.rounds) {
        for (const RoutedTransfer& transfer : round) {
          const Seconds start = clock.start(transfer);
          const Seconds held = clock.held(transfer);
          const Seconds paid = start + cost->latency;
          const Seconds begin = std::max(held, paid);
          const Seconds end = held > paid ? held + cost->transfer : start + cost->total;
          const Seconds left = transfer.buffered > Bytes{} ? begin + cost->body : end;
          clock.occupy(transfer, route(transfer), begin, end, left);
          ++cost;
        }
        clock.close(round);
      }
    }
  }
  return clock.last();
}

Seconds RoutedSchedule::play_varying(const NetworkState& state, Clock& clock) const {
  LinkHistory history(state);
  for (const RoutedPhase& phase : phases_) {
    for (std::uint32_t turn = 0; turn < phase.repeat; ++turn) {
      for (const auto& round : phase.rounds) {
        for (const RoutedTransfer& transfer : round) {
          const Seconds start = clock.start(transfer);
          const std::span<const LinkId> links = route(transfer);
          const Seconds latency = latency_of(links, history.links(history.stretch(start)));
          const Seconds begin = std::max(clock.held(transfer), start + latency);
          const Seconds end = history.arrival(transfer.size, begin, links);
          const Seconds left =
              leaves_early(transfer) ? history.arrival(sent_before_next(transfer), begin, links) : end;
          clock.occupy(transfer, links, begin, end, left);
        }
        clock.close(round);
      }
    }
  }
  return clock.last();
}

}  // namespace netmodels
