// The reference evaluator: every message of a schedule is a SimGrid flow, and may start when its round may.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "netmodels/network.hpp"
#include "netmodels/result.hpp"
#include "netmodels/schedule.hpp"
#include "sim/engine/platform.hpp"

namespace sim::engine {

// Which message may start when: the rule of rounds, followed message by message.

/// Runs a schedule for a caller that knows when messages end. A rank's messages of one round form a turn; a
/// message may start when both its ends have reached the turn that contains it, and one that is received
/// ahead when its sender has.
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

  [[nodiscard]] std::uint32_t turn_of(std::uint32_t message, std::uint32_t rank) const;
  [[nodiscard]] bool may_start(const Message& message) const;
  void open_turn(std::uint32_t rank);
  void close_one(std::uint32_t rank, std::vector<std::uint32_t>& ready);

  std::vector<Message> messages_;
  std::vector<Rank> ranks_;
  std::size_t unfinished_ = 0;
};

// The reference evaluator: every message of a schedule is a SimGrid flow.

/// Evaluates schedules by letting their messages share the platform's links max-min fairly, with background
/// flows, and with every change of bandwidth, latency and background while they are under way.
///
/// Latency is paid by a timer before a flow starts, because SimGrid 3.32 stalls flows whose link changes
/// during their latency phase and weighs shares by latency; bandwidths are read from a table of ours, because
/// it ignores increases in flight otherwise. A message with `buffered` bytes is two flows: after the first,
/// without these bytes, its sender's next message starts; so it does after one that is received ahead. The
/// latency of such a next message passes while the one before is under way. Under the presets `tcp_wan` and
/// `tcp_lv08` SimGrid's own latencies hold instead, as they are when the operation starts: with them a flow
/// is bounded by a window of 4 MiB per round trip, flows share in inverse proportion to latency, and 5 % of a
/// flow is charged to the way back. Leaves out: packets, loss, slow start (except as LV08's latency factor);
/// under a TCP preset, changes of latency in the middle of an operation. Source of the model: Velho & Legrand
/// 2009 (CM02, LV08); Casanova et al., "Versatile, Scalable, and Accurate Simulation of Distributed
/// Applications and Platforms", J. Parallel Distrib. Comput. 74(10), 2014.
class SimGridEvaluator {
 public:
  /// @param stop  ends an evaluation when true; outlives this; may be null
  explicit SimGridEvaluator(const Platform& platform, const std::atomic<bool>* stop = nullptr);
  ~SimGridEvaluator();
  SimGridEvaluator(const SimGridEvaluator&) = delete;
  SimGridEvaluator& operator=(const SimGridEvaluator&) = delete;

  /// @param workers  the worker behind each rank of the schedule
  /// @returns an Error only where a stop was requested; the next evaluation is not affected
  [[nodiscard]] netmodels::Result<netmodels::Evaluation> evaluate(const netmodels::Schedule& schedule,
                                                                  const std::vector<std::uint32_t>& workers,
                                                                  const netmodels::NetworkState& state);

  /// SimGrid's own time, which continues from one operation to the next.
  [[nodiscard]] static netmodels::Seconds clock();

 private:
  class Links;
  class Run;
  const Platform& platform_;
  std::unique_ptr<Links> links_;
  const std::atomic<bool>* stop_;
};

}  // namespace sim::engine
