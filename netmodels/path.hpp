// Evaluates a schedule by its longest path: exact while no link carries two flows at once, and refused
// otherwise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "netmodels/network.hpp"
#include "netmodels/result.hpp"
#include "netmodels/schedule.hpp"

namespace netmodels {

/// A schedule with the route of each of its transfers looked up once.
class RoutedSchedule {
 public:
  RoutedSchedule(const Schedule& schedule, const Routes& routes);

  /// Longest chain of messages through the schedule, starting at `state.now` with all ranks ready.
  ///
  /// A message takes the sum of the latencies of its route, as they are when it starts, and then runs at the
  /// bandwidth of the narrowest link on it, following every change of `state.upcoming` while it is under way.
  /// A message with bytes occupies its links, or half of each, from the end of its latency to its end. Turns
  /// of a phase that only shift all times, as most of a ring's do, are not followed one by one: the answer is
  /// the same but for rounding.
  ///
  /// @returns the duration, or an Error when two messages share a link (then fair sharing decides, which
  /// only
  ///          SimGrid evaluates) or when background traffic runs or begins before the end
  /// Leaves out: contention, packets, TCP.
  [[nodiscard]] Result<Evaluation> evaluate(const NetworkState& state) const;

  /// The longest chain of messages while everything stays as it is now and no two share a link: no fair
  /// sharing of links and no background traffic makes the schedule shorter.
  [[nodiscard]] Seconds without_sharing(const NetworkState& state) const;

  /// Whether two messages share a link while everything stays as it is now.
  [[nodiscard]] bool messages_meet(const NetworkState& state) const;

 private:
  struct RoutedTransfer {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t first_link;  ///< index into `links_`
    std::uint32_t link_count;
    std::uint32_t line;  ///< clock of the messages that leave the sender in order
    Bytes size;          ///< bytes to send; at half rate, twice the bytes: they take as long at the full one
    Bytes buffered;
    bool ahead;
    bool half_rate;
  };
  struct RoutedPhase {
    std::vector<std::vector<RoutedTransfer>> rounds;
    std::uint32_t repeat;
    std::vector<std::uint32_t> set;  ///< clocks that each turn sets; none where the turns are too few to skip
  };
  struct Flight;
  struct Cost;
  struct Clock;
  struct Position;

  [[nodiscard]] std::vector<std::uint32_t> clocks_set_by(const RoutedPhase& phase) const;
  /// @returns no less than what one turn of the phase takes on these links
  Seconds find_costs(const RoutedPhase& phase, const std::vector<LinkState>& links,
                     std::vector<Cost>& costs) const;
  void evaluate_turn(const RoutedPhase& phase, Clock& clock, auto&& flight) const;
  /// Evaluates the turns that surely end by `until` on links as they are now.
  /// @returns the first turn that may not
  Position evaluate_constant(const NetworkState& state, Seconds until, Clock& clock) const;
  /// Evaluates all turns from `at` on, with every change on the way.
  void evaluate_varying(const NetworkState& state, Clock& clock, Position at) const;
  [[nodiscard]] std::size_t link_clock(LinkId link) const { return first_link_ + std::size_t{lanes_} * link; }
  [[nodiscard]] std::span<const LinkId> route(const RoutedTransfer& transfer) const {
    return {links_.data() + transfer.first_link, transfer.link_count};
  }

  std::uint32_t stream_ranks_;
  std::uint32_t ranks_;       ///< ranks of all streams
  std::uint32_t first_link_;  ///< number of clocks of ranks, which are before those of links
  std::uint32_t lanes_ = 1;   ///< clocks of a link: 2 where messages take half of it
  std::vector<RoutedPhase> phases_;
  std::vector<LinkId> links_;
};

}  // namespace netmodels
