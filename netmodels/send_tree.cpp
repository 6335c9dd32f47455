// Program order of ranks of a tree, and the fair share of a rank's link among its sends.
#include "netmodels/send_tree.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace netmodels {
namespace {

constexpr Bytes socket_buffer{524288};
constexpr Bytes sent_whole{65536};  // up to this size, messages that are pending together leave one by one
constexpr double rounded_away = 1e-12;  // share of a message; a smaller rest counts as sent

SendTree empty_tree(std::uint32_t ranks, Bytes buffered) {
  return {std::vector<std::vector<TreeSend>>(ranks), buffered};
}

/// Bytes that the next of several pending sends waits for: nothing, or the last byte of a message that is
/// sent whole.
Bytes buffered_of_pending(Bytes size) { return size <= sent_whole ? Bytes{1} : size; }

/// Sends that wait for each other's arrival.
std::vector<Seconds> one_by_one(const std::vector<TreeSend>& sends, const LinkState& link) {
  std::vector<Seconds> delivered;
  Seconds now;
  for (const TreeSend& send : sends) {
    now += link.time(send.size);
    delivered.push_back(now);
  }
  return delivered;
}

/// Sends on one link, each started when the one before has at most `buffered` bytes left.
class SharedUplink {
 public:
  SharedUplink(const std::vector<TreeSend>& sends, Bytes buffered)
      : sends_(sends), buffered_(buffered.count), left_(sends.size()), sent_at_(sends.size()) {}

  /// @returns for each send, what has left the link when its last byte has
  std::vector<Bytes> drain() {
    while (done_ < sends_.size()) {
      start();
      advance();
    }
    return sent_at_;
  }

 private:
  void start() {
    while (started_ < sends_.size() && (started_ == done_ || waits() <= 0)) {
      left_[started_] = sends_[started_].size.count;
      active_.push_back(started_++);
    }
  }
  /// Bytes that the last send must still send before the next starts.
  [[nodiscard]] double waits() const {
    const std::size_t last = started_ - 1;
    const double rest = left_[last] - buffered_;
    return rest <= rounded_away * sends_[last].size.count ? 0 : rest;
  }
  void advance() {
    double each = started_ < sends_.size() ? waits() : std::numeric_limits<double>::infinity();
    for (const std::size_t send : active_) each = std::min(each, left_[send]);
    sent_ += each * static_cast<double>(active_.size());
    for (const std::size_t send : active_) left_[send] -= each;
    std::erase_if(active_, [this](std::size_t send) { return ends(send); });
  }
  bool ends(std::size_t send) {
    if (left_[send] > rounded_away * sends_[send].size.count) return false;
    sent_at_[send] = Bytes{sent_};
    left_[send] = 0;
    ++done_;
    return true;
  }

  const std::vector<TreeSend>& sends_;
  double buffered_;
  double sent_ = 0;
  std::vector<double> left_;
  std::vector<Bytes> sent_at_;
  std::vector<std::size_t> active_;
  std::size_t started_ = 0;
  std::size_t done_ = 0;
};

/// When each send of a rank has arrived, counted from its first.
std::vector<Seconds> deliveries(const std::vector<TreeSend>& sends, Bytes buffered, const LinkState& link) {
  if (buffered == Bytes{}) return one_by_one(sends, link);
  std::vector<Seconds> delivered;
  for (const Bytes sent : SharedUplink(sends, buffered).drain()) delivered.push_back(link.time(sent));
  return delivered;
}

SendTree with_buffer(SendTree tree, Bytes buffered) {
  tree.buffered = buffered;
  return tree;
}

SendTree blocking_binomial(const Operation& operation) {
  return with_buffer(halving_tree(operation.ranks, operation.size, false), socket_buffer);
}

}  // namespace

Seconds time_of(const SendTree& tree, const LinkState& link) {
  std::vector<Seconds> received(tree.sends.size());
  for (std::size_t rank = 0; rank < tree.sends.size(); ++rank) {
    const std::vector<TreeSend>& sends = tree.sends[rank];
    const std::vector<Seconds> delivered = deliveries(sends, tree.buffered, link);
    for (std::size_t send = 0; send < sends.size(); ++send)
      received[sends[send].to] = received[rank] + delivered[send];
  }
  return *std::ranges::max_element(received);
}

Schedule schedule_of(const SendTree& tree) {
  Schedule schedule{static_cast<std::uint32_t>(tree.sends.size()), {}};
  for (std::uint32_t rank = 0; rank < schedule.ranks; ++rank) {
    Round round;
    for (const TreeSend& send : tree.sends[rank]) {
      const bool at_once = tree.buffered >= send.size;
      round.push_back({rank, send.to, send.size, at_once ? Bytes{} : tree.buffered});
      if (!at_once) schedule.phases.push_back({{std::exchange(round, {})}, 1});
    }
    if (!round.empty()) schedule.phases.push_back({{std::move(round)}, 1});
  }
  return schedule;
}

SendTree doubling_tree(std::uint32_t ranks, Bytes size) {
  SendTree tree = empty_tree(ranks, buffered_of_pending(size));
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (auto mask = 1U << std::bit_width(rank); rank + mask < ranks; mask *= 2)
      tree.sends[rank].push_back({rank + mask, size});
  }
  return tree;
}

SendTree halving_tree(std::uint32_t ranks, Bytes size, bool scatters) {
  SendTree tree = empty_tree(ranks, Bytes{});
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::uint32_t subtree = rank == 0 ? std::bit_ceil(ranks) : rank & -rank;
    for (std::uint32_t mask = subtree / 2; mask > 0; mask /= 2) {
      if (rank + mask >= ranks) continue;
      const std::uint32_t below = std::min(mask, ranks - rank - mask);
      const double share = static_cast<double>(below) / ranks;
      tree.sends[rank].push_back({rank + mask, scatters ? share * size : size});
    }
  }
  return tree;
}

SendTree binary_tree(std::uint32_t ranks, Bytes size) {
  SendTree tree = empty_tree(ranks, buffered_of_pending(size));
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::uint32_t level = std::bit_floor(rank + 1);
    for (const std::uint32_t child : {rank + level, rank + 2 * level}) {
      if (child < ranks) tree.sends[rank].push_back({child, size});
    }
  }
  return tree;
}

SendTree knomial_tree(std::uint32_t ranks, Bytes size, std::uint32_t radix) {
  SendTree tree = empty_tree(ranks, buffered_of_pending(size));
  for (std::uint32_t rank = 1; rank < ranks; ++rank) {
    std::uint32_t group = radix;
    while (rank % group == 0) group *= radix;
    tree.sends[rank - rank % group].push_back({rank, size});
  }
  return tree;
}

SendTree linear_tree(std::uint32_t ranks, Bytes size) {
  SendTree tree = empty_tree(ranks, size);
  for (std::uint32_t rank = 1; rank < ranks; ++rank) tree.sends[0].push_back({rank, size});
  return tree;
}

Seconds binomial_broadcast_at_once_time(const Operation& operation, const LinkState& link) {
  return time_of(doubling_tree(operation.ranks, operation.size), link);
}
Schedule binomial_broadcast_at_once(const Operation& operation) {
  return schedule_of(doubling_tree(operation.ranks, operation.size));
}

Seconds binomial_broadcast_buffered_time(const Operation& operation, const LinkState& link) {
  return time_of(blocking_binomial(operation), link);
}
Schedule binomial_broadcast_buffered(const Operation& operation) {
  return schedule_of(blocking_binomial(operation));
}

Seconds linear_broadcast_time(const Operation& operation, const LinkState& link) {
  return time_of(linear_tree(operation.ranks, operation.size), link);
}
Schedule linear_broadcast(const Operation& operation) {
  return schedule_of(linear_tree(operation.ranks, operation.size));
}

}  // namespace netmodels
