// Both ends of the messages of a traced step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "netmodels/traced_step.hpp"

namespace netmodels {

/// Why the messages of a step cannot be sent.
struct MessageProblem {
  std::uint32_t operation = 0;  ///< index of the message
  std::string what;             ///< as `Error::what`
  std::string hint;
};

/// Both ends of each message. All ranks do the same: the nth send over a distance in a group belongs to the
/// nth receive over that distance, and is sent when both are ready.
struct MessageEnds {
  std::vector<std::uint32_t> other;  ///< the other end, by operation; its own index where there is none
  std::vector<MessageProblem> problems = {};  ///< problems in the order of the operations
};

/// The ends of a step on workers that its groups fit. Problems: an end without the other one, ends of
/// different sizes, a message of a rank to itself or beyond its group, and an operation that waits for one
/// end, or follows it in its queue, before the other one, which all ranks have only later. A rank alone in
/// its group sends nothing.
MessageEnds match_messages(const TracedStep& step, const TracedWorkers& workers);

/// Members from the sender of a message to its receiver, around a group of `members`.
std::uint32_t distance_of(const TracedMessage& message, std::uint32_t members);

}  // namespace netmodels
