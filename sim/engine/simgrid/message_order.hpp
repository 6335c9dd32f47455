// Which message may start when: the rule of rounds, followed message by message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/schedule.hpp"

namespace sim::engine {

/// Runs a schedule for a caller that knows when messages end. A rank's messages of one round form a turn; a
/// message may start when both its ends have reached the turn that contains it, and one that is received
/// ahead when its sender has; of several streams also when the messages before it in its rank's line have
/// left.
class MessageOrder {
 public:
  struct Message {
    std::uint32_t from;  ///< as a transfer has it, with its stream
    std::uint32_t to;
    std::uint32_t from_turn;
    std::uint32_t to_turn;
    netmodels::Bytes size;
    netmodels::Bytes buffered;
    bool ahead;
    bool half_rate;
    std::uint32_t line_turn;          ///< 1 for the first round of the line of its rank; 0: in no line
    bool left = false;                ///< the sender has finished with it
    std::optional<double> arrived{};  ///< when; the receiver may not have come to it yet

    /// Whether the sender goes on before the message has arrived, and has not yet.
    [[nodiscard]] bool leaves_early() const { return (ahead || buffered > netmodels::Bytes{}) && !left; }
  };

  explicit MessageOrder(const netmodels::Schedule& schedule);

  [[nodiscard]] const Message& message(std::uint32_t id) const { return messages_[id]; }
  [[nodiscard]] std::size_t unfinished() const { return unfinished_; }

  /// The messages that may start at once.
  std::vector<std::uint32_t> begin();
  /// Appends to `ready` the messages that may start because the sender has finished with `id`.
  void leave(std::uint32_t id, std::vector<std::uint32_t>& ready);
  /// Appends to `ready` the messages that may start because `id` has ended.
  /// @param at  when it ended, from 0 on
  void end(std::uint32_t id, double at, std::vector<std::uint32_t>& ready);

  /// When the last message of the rank's earlier turns ended, without those that it sent and that left early.
  [[nodiscard]] double ready_at(std::uint32_t rank) const { return ranks_[rank].ready; }

 private:
  struct Rank {
    std::vector<std::uint32_t> messages;  ///< in order of turns
    std::size_t turn_begin = 0;           ///< into `messages`
    std::size_t turn_end = 0;
    std::uint32_t turn = 0;
    double ready = 0;
    double next = 0;            ///< `ready` with this turn as far as it has got
    std::uint32_t pending = 0;  ///< messages of this turn under way or waiting
  };
  /// Messages of a rank that leave in the order of the rounds over its streams.
  struct Line {
    std::vector<std::uint32_t> messages;
    std::size_t turn_end = 0;  ///< into `messages`
    std::uint32_t turn = 0;
    std::uint32_t pending = 0;  ///< messages of this turn that have not left
  };

  [[nodiscard]] std::uint32_t turn_of(std::uint32_t message, std::uint32_t rank) const;
  [[nodiscard]] bool may_start(const Message& message) const;
  void open_turn(std::uint32_t rank);
  void close_one(std::uint32_t rank, std::vector<std::uint32_t>& ready);
  [[nodiscard]] Line& line_of(const Message& message) { return lines_[message.from % lines_.size()]; }
  /// @returns the messages that are at the head of the line now
  std::span<const std::uint32_t> open_turn(Line& line) const;
  std::span<const std::uint32_t> leave_line(const Message& message);

  std::vector<Message> messages_;
  std::vector<Rank> ranks_;
  std::vector<Line> lines_;  ///< by rank; of several streams only
  std::size_t unfinished_ = 0;
};

}  // namespace sim::engine
