// Turns of ranks, opened one after another.
#include "sim/engine/simgrid/message_order.hpp"

#include <algorithm>

namespace sim::engine {

MessageOrder::MessageOrder(const netmodels::Schedule& schedule)
    : ranks_(schedule.ranks * schedule.streams), lines_(schedule.streams > 1 ? schedule.ranks : 0) {
  std::vector<std::uint32_t> turns(ranks_.size(), 0);
  std::vector<std::uint32_t> line_turns(lines_.size(), 1);
  messages_.reserve(schedule.messages());
  for (const netmodels::Phase& phase : schedule.phases) {
    for (std::uint32_t repeat = 0; repeat < phase.repeat; ++repeat) {
      for (const netmodels::Round& round : phase.rounds) {
        for (const netmodels::Transfer& transfer : round) {
          const auto id = static_cast<std::uint32_t>(messages_.size());
          const bool in_line = !lines_.empty() && netmodels::leaves_in_order(transfer);
          messages_.push_back({transfer.from, transfer.to, turns[transfer.from], turns[transfer.to],
                               transfer.size, transfer.buffered, transfer.ahead, transfer.half_rate,
                               in_line ? line_turns[schedule.rank_of(transfer.from)] : 0});
          ranks_[transfer.from].messages.push_back(id);
          ranks_[transfer.to].messages.push_back(id);
          if (in_line) line_of(messages_.back()).messages.push_back(id);
        }
        for (const netmodels::Transfer& transfer :
             round) {  // both ends advance once, however many messages they had
          for (const std::uint32_t rank : {transfer.from, transfer.to}) {
            turns[rank] = 1 + turn_of(ranks_[rank].messages.back(), rank);
          }
          if (!lines_.empty() && netmodels::leaves_in_order(transfer)) {
            const std::uint32_t rank = schedule.rank_of(transfer.from);
            line_turns[rank] = 1 + messages_[lines_[rank].messages.back()].line_turn;
          }
        }
      }
    }
  }
  unfinished_ = messages_.size();
}

std::uint32_t MessageOrder::turn_of(std::uint32_t message, std::uint32_t rank) const {
  const Message& it = messages_[message];
  return it.from == rank ? it.from_turn : it.to_turn;
}

void MessageOrder::open_turn(std::uint32_t rank) {
  Rank& state = ranks_[rank];
  state.turn_begin = state.turn_end;
  while (state.turn_end < state.messages.size() &&
         turn_of(state.messages[state.turn_end], rank) == state.turn) {
    ++state.turn_end;
  }
  state.pending = 0;
  for (std::size_t index = state.turn_begin; index < state.turn_end; ++index) {
    const Message& message = messages_[state.messages[index]];
    if (message.arrived)
      state.next = std::max(state.next, *message.arrived);
    else
      ++state.pending;
  }
}

bool MessageOrder::may_start(const Message& message) const {
  const bool sender = ranks_[message.from].turn == message.from_turn;
  const bool leads = message.line_turn == 0 || lines_[message.from % lines_.size()].turn == message.line_turn;
  return sender && leads && (message.ahead || ranks_[message.to].turn == message.to_turn);
}

std::vector<std::uint32_t> MessageOrder::begin() {
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) open_turn(rank);
  for (Line& line : lines_) open_turn(line);
  std::vector<std::uint32_t> ready;
  for (std::uint32_t id = 0; id < messages_.size(); ++id) {
    if (may_start(messages_[id])) ready.push_back(id);
  }
  return ready;
}

std::span<const std::uint32_t> MessageOrder::open_turn(Line& line) const {
  const std::size_t begin = line.turn_end;
  ++line.turn;
  while (line.turn_end < line.messages.size() &&
         messages_[line.messages[line.turn_end]].line_turn == line.turn) {
    ++line.turn_end;
  }
  line.pending = static_cast<std::uint32_t>(line.turn_end - begin);
  return std::span(line.messages).subspan(begin, line.pending);
}

std::span<const std::uint32_t> MessageOrder::leave_line(const Message& message) {
  if (message.line_turn == 0) return {};
  Line& line = line_of(message);
  return --line.pending == 0 ? open_turn(line) : std::span<const std::uint32_t>{};
}

void MessageOrder::leave(std::uint32_t id, std::vector<std::uint32_t>& ready) {
  Message& left = messages_[id];
  left.left = true;
  const std::span<const std::uint32_t> next = leave_line(left);
  close_one(left.from, ready);
  for (const std::uint32_t message : next) {  // those of its own stream wait for that one's turn, just opened
    if (messages_[message].from != left.from && may_start(messages_[message])) ready.push_back(message);
  }
}

void MessageOrder::end(std::uint32_t id, double at, std::vector<std::uint32_t>& ready) {
  --unfinished_;
  Message& message = messages_[id];
  Rank& sender = ranks_[message.from];
  Rank& receiver = ranks_[message.to];
  const bool awaited = receiver.turn == message.to_turn;
  if (awaited) receiver.next = std::max(receiver.next, at);
  if (!message.left) {
    sender.next = std::max(sender.next, at);
    leave(id, ready);
  }
  message.arrived = at;
  if (awaited) close_one(message.to, ready);
}

void MessageOrder::close_one(std::uint32_t rank, std::vector<std::uint32_t>& ready) {
  Rank& state = ranks_[rank];
  if (--state.pending > 0) return;
  do {
    state.ready = state.next;
    ++state.turn;
    open_turn(rank);
  } while (state.pending == 0 && state.turn_end < state.messages.size());
  for (std::size_t index = state.turn_begin; index < state.turn_end; ++index) {
    const Message& message = messages_[state.messages[index]];
    const bool under_way = message.ahead && message.from != rank;
    if (!under_way && may_start(message)) ready.push_back(state.messages[index]);
  }
}

}  // namespace sim::engine
