// Which message may start when: the rule of rounds, followed message by message.
#pragma once

#include <cstdint>
#include <vector>

#include "netmodels/schedule.hpp"

namespace sim::engine {

/// Plays a schedule for somebody who knows when messages end. A rank's messages of one round form a turn; a
/// message may start when both its ends have come to the turn that contains it.
class MessageOrder {
 public:
  struct Message {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t from_turn;
    std::uint32_t to_turn;
    netmodels::Bytes size;
  };

  explicit MessageOrder(const netmodels::Schedule& schedule);

  [[nodiscard]] const Message& message(std::uint32_t id) const { return messages_[id]; }
  [[nodiscard]] std::size_t unfinished() const { return unfinished_; }

  /// The messages that may start at once.
  std::vector<std::uint32_t> begin();
  /// Appends to `ready` the messages that may start because `id` has ended.
  void end(std::uint32_t id, std::vector<std::uint32_t>& ready);

 private:
  struct Rank {
    std::vector<std::uint32_t> messages;  ///< in order of turns
    std::size_t turn_begin = 0;           ///< into `messages`
    std::size_t turn_end = 0;
    std::uint32_t turn = 0;
    std::uint32_t pending = 0;  ///< messages of this turn under way or waiting
  };

  [[nodiscard]] std::uint32_t turn_of(std::uint32_t message, std::uint32_t rank) const;
  void open_turn(std::uint32_t rank);
  void close_one(std::uint32_t rank, std::vector<std::uint32_t>& ready);

  std::vector<Message> messages_;
  std::vector<Rank> ranks_;
  std::size_t unfinished_ = 0;
};

}  // namespace sim::engine
