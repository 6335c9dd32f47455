// Sends and receives of ranks that all do the same, in pairs.
#include "netmodels/traced_messages.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

namespace netmodels {
namespace {

/// Groups of one shape, and the distance from sender to receiver.
using Path = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

std::string end_text(const TracedMessage& message) {
  return fmt::format("{} {:+}", message.received ? "recv from" : "send to", message.peer);
}

class MessageMatcher {
 public:
  MessageMatcher(const TracedStep& step, const TracedWorkers& workers) : step_(step), workers_(workers) {
    ends_.other.resize(step.operations.size());
    std::iota(ends_.other.begin(), ends_.other.end(), 0);
  }

  MessageEnds match() {
    for (std::uint32_t index = 0; index < step_.operations.size(); ++index) {
      const auto& collective = step_.operations[index].collective;
      if (collective && collective->message) add(index, *collective);
    }
    for (const auto& [path, waiting] : waiting_) {
      for (const std::uint32_t index : waiting) refuse_alone(index);
    }
    std::ranges::stable_sort(ends_.problems, {}, &MessageProblem::operation);
    return std::move(ends_);
  }

 private:
  void refuse_end(std::uint32_t index, std::string what, std::string hint) {
    ends_.problems.push_back({index, std::move(what), std::move(hint)});
  }

  [[nodiscard]] const TracedCollective& at(std::uint32_t index) const {
    return *step_.operations[index].collective;
  }

  void add(std::uint32_t index, const TracedCollective& collective) {
    const RankGroup group = members_of(collective, workers_);
    if (group.count == 1) return;
    const std::uint32_t distance = distance_of(*collective.message, group.count);
    const bool is_outside = std::abs(std::int64_t{collective.message->peer}) > group.count;
    if (distance == 0 || is_outside) {
      return refuse_end(
          index,
          fmt::format("`{}` in groups of {} ranks is a message {}", end_text(*collective.message),
                      group.count, is_outside ? "beyond the group" : "of a rank to itself"),
          fmt::format("write a peer from 1 to {}, or from -{} to -1", group.count - 1, group.count - 1));
    }
    std::deque<std::uint32_t>& waiting = waiting_[{group.stride, group.count, distance}];
    if (waiting.empty() || at(waiting.front()).message->received == collective.message->received)
      return waiting.push_back(index);
    const std::uint32_t first = waiting.front();
    waiting.pop_front();
    check_pair(first, index);
    ends_.other[first] = index;
    ends_.other[index] = first;
  }

  /// Whether a collective that is no message comes after an end in the queue of the end.
  [[nodiscard]] bool is_queued_behind(std::uint32_t index, std::uint32_t first) const {
    const TracedOperation& row = step_.operations[index];
    return row.collective && !row.collective->message && row.queue == step_.operations[first].queue;
  }

  void check_pair(std::uint32_t first, std::uint32_t second) {
    if (at(first).size != at(second).size) {
      refuse_end(
          second,
          fmt::format("`{}` of {:g} bytes, and its other end in row {} has {:g}",
                      end_text(*at(second).message), at(second).size.count, first, at(first).size.count),
          "write the same size for both");
    }
    for (std::uint32_t index = first + 1; index <= second; ++index) {
      if (is_queued_behind(index, first)) {
        return refuse_end(index,
                          fmt::format("the row follows `{}` of row {} in its queue, and all ranks have the "
                                      "other end only later, in row {}",
                                      end_text(*at(first).message), first, second),
                          "write the row after both ends, or give it another `queue`");
      }
      if (std::ranges::find(step_.operations[index].after, first) == step_.operations[index].after.end())
        continue;
      return refuse_end(index,
                        fmt::format("the row waits for `{}` in row {}, and all ranks have its other end only "
                                    "later, in row {}",
                                    end_text(*at(first).message), first, second),
                        "ranks that all do the same send and receive at once; stages of a pipeline that do "
                        "different work have no graph");
    }
  }

  void refuse_alone(std::uint32_t index) {
    const TracedMessage& message = *at(index).message;
    const TracedMessage other{.received = !message.received, .peer = -message.peer};
    refuse_end(index,
               fmt::format("`{}` has no other end: all ranks do the same, and none has `{}`",
                           end_text(message), end_text(other)),
               "write the row of the other end; stages of a pipeline that do different work have no graph");
  }

  const TracedStep& step_;
  TracedWorkers workers_;
  std::map<Path, std::deque<std::uint32_t>> waiting_;  ///< ends that wait for the other one; all of one kind
  MessageEnds ends_;
};

}  // namespace

std::uint32_t distance_of(const TracedMessage& message, std::uint32_t members) {
  const std::int64_t count = members;
  const std::int64_t on = message.received ? -std::int64_t{message.peer} : std::int64_t{message.peer};
  return static_cast<std::uint32_t>((on % count + count) % count);
}

MessageEnds match_messages(const TracedStep& step, const TracedWorkers& workers) {
  return MessageMatcher(step, workers).match();
}

}  // namespace netmodels
