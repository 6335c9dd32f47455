// Notices and segments on rings, and notices before trees.
#include "netmodels/gloo.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "netmodels/rooted.hpp"
#include "netmodels/send_tree.hpp"

namespace netmodels {
namespace {

constexpr Bytes largest_segment{1048576};  // allreduce.h, reduce.h: kMaxSegmentSize

Transfer notice(std::uint32_t from, std::uint32_t to) { return {from, to, Bytes{}, {}, true}; }

/// Segments that each rank sends to its neighbour, one after another.
struct Segments {
  std::uint32_t count;
  Bytes size;
};

/// Segments by which a ring cuts the share of a rank.
std::uint32_t segments_of_share(const Operation& operation) {
  const double whole = std::ceil(operation.size / largest_segment);
  return static_cast<std::uint32_t>(std::clamp<double>(std::ceil(whole / operation.ranks), 2, most_ranks));
}

Segments share_segments(const Operation& operation, std::uint32_t count) {
  return {count, operation.size / (1.0 * operation.ranks * segments_of_share(operation))};
}

Segments reduce_scattered(const Operation& operation) {
  return share_segments(operation, (operation.ranks - 1) * segments_of_share(operation));
}

Segments reduced(const Operation& operation) {
  return share_segments(operation, operation.ranks * segments_of_share(operation) - 2);
}

Segments gathered(const Operation& operation) {
  return {2 * (operation.ranks - 1), operation.size / (2.0 * operation.ranks)};
}

/// R(n, q) of the header.
Seconds time_of(const Segments& segments, const LinkState& link) {
  const Seconds latency = link.latency;
  const Seconds each = segments.size / link.bandwidth;
  const Seconds two = latency + each + std::max(latency, each);
  const Seconds rest = segments.count % 2 == 0 ? std::min(latency, each) : 2 * latency + each;
  return 1.0 * (segments.count / 2) * two + rest;
}

/// A ring of ranks with two buffers each, whose programs are streams.
class SegmentRing {
 public:
  /// @param forwards  data goes to the next rank, else to the one before
  SegmentRing(std::uint32_t ranks, bool forwards)
      : schedule_{ranks, {}, 2}, to_next_(forwards ? 1 : ranks - 1) {}

  /// The first buffer to be filled is the one that has been filled last.
  void add(const Segments& segments) {
    const std::array both{buffer_, 1 - buffer_};
    if (segments.count >= 2) schedule_.phases.push_back({rounds(both, segments.size), segments.count / 2});
    if (segments.count % 2 == 1)
      schedule_.phases.push_back({rounds(std::span(both).first(1), segments.size), 1});
    buffer_ = both[(segments.count + 1) % 2];
  }
  /// Every rank's share to rank 0, by the buffer that has been filled last.
  void gather(Bytes share) {
    Round notices;
    Round shares;
    for (std::uint32_t rank = 1; rank < schedule_.ranks; ++rank) {
      notices.push_back(notice(end(0, buffer_), end(rank, buffer_)));
      shares.push_back({end(rank, buffer_), end(0, buffer_), share, {}, true});
    }
    schedule_.phases.push_back({{std::move(notices), std::move(shares)}, 1});
  }
  [[nodiscard]] Schedule take() { return std::move(schedule_); }

 private:
  [[nodiscard]] std::uint32_t end(std::uint32_t rank, std::uint32_t buffer) const {
    return rank + buffer * schedule_.ranks;
  }
  /// The notices of all buffers, then their segments.
  [[nodiscard]] std::vector<Round> rounds(std::span<const std::uint32_t> buffers, Bytes segment) const {
    std::vector<Round> notices;
    std::vector<Round> data;
    for (const std::uint32_t buffer : buffers) {
      Round& posted = notices.emplace_back();
      Round& sent = data.emplace_back();
      for (std::uint32_t rank = 0; rank < schedule_.ranks; ++rank) {
        const std::uint32_t from = end(rank, buffer);
        const std::uint32_t to = end((rank + to_next_) % schedule_.ranks, buffer);
        posted.push_back(notice(to, from));
        sent.push_back({from, to, segment, {}, true});
      }
    }
    notices.insert(notices.end(), data.begin(), data.end());
    return notices;
  }

  Schedule schedule_;
  std::uint32_t to_next_;
  std::uint32_t buffer_ = 0;
};

/// A schedule whose receivers, which have posted their buffers, send their notices at the start.
Schedule after_notices(const Schedule& schedule) {
  Schedule notified{schedule.ranks, {}};
  Round notices;
  for (const Phase& phase : schedule.phases) {
    for (const Round& round : phase.rounds) {
      for (const Transfer& transfer : round) notices.push_back(notice(transfer.to, transfer.from));
    }
  }
  if (!notices.empty()) notified.phases.push_back({{std::move(notices)}, 1});
  return then(std::move(notified), schedule);
}

Seconds notice_time(const Operation& operation, const LinkState& link) {
  return operation.ranks > 1 ? link.latency : Seconds{};
}

}  // namespace

Seconds gloo_allreduce_time(const Operation& operation, const LinkState& link) {
  return operation.ranks > 1 ? 2 * time_of(reduce_scattered(operation), link) : Seconds{};
}

Schedule gloo_allreduce(const Operation& operation) {
  if (operation.ranks == 1) return {1, {}};
  SegmentRing ring(operation.ranks, false);
  for (int half = 0; half < 2; ++half) ring.add(reduce_scattered(operation));
  return ring.take();
}

Seconds gloo_allgather_time(const Operation& operation, const LinkState& link) {
  return operation.ranks > 1 ? time_of(gathered(operation), link) : Seconds{};
}

Schedule gloo_allgather(const Operation& operation) {
  if (operation.ranks == 1) return {1, {}};
  SegmentRing ring(operation.ranks, true);
  ring.add(gathered(operation));
  return ring.take();
}

Seconds gloo_reduce_time(const Operation& operation, const LinkState& link) {
  if (operation.ranks == 1) return {};
  return time_of(reduced(operation), link) + link.latency + linear_gather_time(operation, link);
}

Schedule gloo_reduce(const Operation& operation) {
  if (operation.ranks == 1) return {1, {}};
  SegmentRing ring(operation.ranks, false);
  ring.add(reduced(operation));
  ring.gather(operation.size / operation.ranks);
  return ring.take();
}

Seconds gloo_broadcast_time(const Operation& operation, const LinkState& link) {
  return notice_time(operation, link) + binomial_broadcast_at_once_time(operation, link);
}
Schedule gloo_broadcast(const Operation& operation) {
  return after_notices(binomial_broadcast_at_once(operation));
}

Seconds gloo_gather_time(const Operation& operation, const LinkState& link) {
  return notice_time(operation, link) + linear_gather_time(operation, link);
}
Schedule gloo_gather(const Operation& operation) { return after_notices(linear_gather(operation)); }

Seconds gloo_scatter_time(const Operation& operation, const LinkState& link) {
  return notice_time(operation, link) + linear_scatter_time(operation, link);
}
Schedule gloo_scatter(const Operation& operation) { return after_notices(linear_scatter(operation)); }

}  // namespace netmodels
