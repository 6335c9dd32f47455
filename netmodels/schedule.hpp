// Messages, their order and dependencies: the plain data that every evaluator takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "netmodels/quantity.hpp"

namespace netmodels {

/// One message between two different ranks; of a schedule of several streams, see `Schedule::streams`.
struct Transfer {
  std::uint32_t from;
  std::uint32_t to;
  /// 0 bytes: a notice, such as that a receiver has a buffer free. It takes its latency and shares no link.
  Bytes size;
  /// A blocking send into a socket: the sender has finished the message when at most this number of bytes has
  /// not left it, and its next message follows these without another latency. 0: when the message has
  /// arrived.
  Bytes buffered{};
  /// Received ahead: the message starts as soon as its sender has finished its earlier rounds, wherever its
  /// receiver is, and the sender has finished it when the last byte has left. 0 bytes are `buffered` then.
  bool ahead = false;
  /// One of two streams that share a link: the message takes half of the bandwidth of its links, whether or
  /// not another message takes the other half.
  bool half_rate = false;
};

/// Messages of one round. A message starts as soon as both its ends have finished every message of earlier
/// rounds in which they take part; ranks that a round does not name run ahead of it. So the rounds are each
/// rank's program: sends of one round are pending at once and share its link, sends of different rounds
/// follow each other, and a rank whose message has arrived goes on while its siblings still receive. Where
/// messages are received `ahead`, a rank waits for its own messages only, and chunks follow each other along
/// a ring as fast as its links carry them.
using Round = std::vector<Transfer>;

/// The same rounds repeated several times. A ring is one round repeated 2(N-1) times.
struct Phase {
  std::vector<Round> rounds;
  std::uint32_t repeat = 1;  ///< at least 1
};

/// A collective operation written out. Memory grows with the pattern, not with the number of messages.
struct Schedule {
  std::uint32_t ranks = 1;
  std::vector<Phase> phases;
  /// Programs that every rank runs at the same time, each by its own rounds: a message of stream s goes from
  /// and to `rank + s * ranks`. A rank's messages that are received ahead, at the full rate, leave it in the
  /// order of the rounds, whichever stream they belong to: one socket carries them.
  std::uint32_t streams = 1;

  /// The rank that an end of a transfer belongs to.
  [[nodiscard]] std::uint32_t rank_of(std::uint32_t end) const { return end % ranks; }

  [[nodiscard]] std::size_t messages() const;
  [[nodiscard]] std::size_t rounds() const;
  [[nodiscard]] Bytes bytes() const;  ///< all messages together
};

/// Whether messages take half of their links.
bool halves_links(const Schedule& schedule);

/// Whether messages without bytes notify a rank that it may send.
bool sends_notices(const Schedule& schedule);

/// Whether a message leaves its rank in the order of the rounds over all streams.
inline bool leaves_in_order(const Transfer& transfer) { return transfer.ahead && !transfer.half_rate; }

/// The same messages backwards in time and direction: a broadcast becomes a reduction that costs as much.
/// Precondition: no message is buffered.
Schedule mirrored(const Schedule& schedule);

/// `first`, then `second` on the same ranks, in each of as many streams.
Schedule then(Schedule first, const Schedule& second);

}  // namespace netmodels
