// Why one arm is faster than another: compute, wait, compression, or bytes, rounds and overlap of the exchange.
#include "sim/output/reason.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace sim::output {
namespace {

using netmodels::Seconds;

std::string text(Seconds value) {
  constexpr int digits = 4;
  return netmodels::print(value, digits);
}
std::string text(netmodels::Bytes value) {
  constexpr int digits = 4;
  return netmodels::print(value, digits);
}

/// What all exchanges of one step cost together.
struct Network {
  Seconds latency;    ///< on links of infinite bandwidth
  Seconds bandwidth;  ///< the rest
  double rounds = 0;  ///< latency over that of one hop
};

std::optional<Network> network(const Contender& contender) {
  if (contender.explained == nullptr) return std::nullopt;
  Network sum;
  for (const engine::ExplainedExchange& exchange : contender.explained->exchanges) {
    sum.latency += exchange.latency_share;
    sum.bandwidth += exchange.duration - exchange.latency_share;
  }
  if (contender.explained->latency.count > 0) sum.rounds = sum.latency / contender.explained->latency;
  return sum;
}

/// "3 rounds instead of 14 (3 ms instead of 14 ms)", or the times alone where links differ.
std::string rounds(const Network& fast, const Network& slow) {
  const auto whole = [](double value) { return std::abs(value - std::round(value)) < 1e-6 && value > 0; };
  const std::string times = fmt::format("{} instead of {}", text(fast.latency), text(slow.latency));
  if (!whole(fast.rounds) || !whole(slow.rounds)) return times;
  return fmt::format("{:.0f} rounds instead of {:.0f} ({})", fast.rounds, slow.rounds, times);
}

std::string because_of_bytes(const Contender& fast, const Contender& slow) {
  constexpr double clearly = 0.99;
  if (fast.phase->sent.count < clearly * slow.phase->sent.count) {
    return fmt::format("because its exchange sends {} instead of {} per worker and step", text(fast.phase->sent), text(slow.phase->sent));
  }
  const auto quick = network(fast);
  const auto other = network(slow);
  if (!quick || !other) {
    return fmt::format("because its exchange takes {} instead of {}", text(fast.phase->exchange_busy), text(slow.phase->exchange_busy));
  }
  return fmt::format("because the longest chain of its messages needs {} instead of {} of bandwidth, although a worker sends {} against {}",
                     text(quick->bandwidth), text(other->bandwidth), text(fast.phase->sent), text(slow.phase->sent));
}

std::string because_of_overlap(const Contender& fast, const Contender& slow) {
  return fmt::format("because more of its exchange hides behind the backward pass: {} of {} remain visible, against {} of {}",
                     text(fast.phase->parts.exchange), text(fast.phase->exchange_busy), text(slow.phase->parts.exchange),
                     text(slow.phase->exchange_busy));
}

std::string because_of_exchange(const Contender& fast, const Contender& slow) {
  const auto quick = network(fast);
  const auto other = network(slow);
  if (!quick || !other) {
    const bool busier = fast.phase->exchange_busy >= slow.phase->exchange_busy;
    return busier ? because_of_overlap(fast, slow) : because_of_bytes(fast, slow);
  }
  const Seconds by_latency = other->latency - quick->latency;
  const Seconds by_bandwidth = other->bandwidth - quick->bandwidth;
  if ((by_latency + by_bandwidth).count <= 0) return because_of_overlap(fast, slow);
  if (by_bandwidth >= by_latency) return because_of_bytes(fast, slow);
  return "because latency, not bandwidth, decides: " + rounds(*quick, *other);
}

/// One part of the time per step, and how to say that it decided, or that it took something back.
struct Part {
  Seconds (*of)(const Contender&);
  std::string_view decided;  ///< empty for the exchange, which is told in more detail
  std::string_view costs;
};

Seconds compress(const Contender& contender) { return contender.phase->parts.compress; }

constexpr std::array parts{
    Part{[](const Contender& c) { return c.phase->parts.compute; }, "because its workers compute for", "computing"},
    Part{[](const Contender& c) { return c.phase->parts.wait; }, "because its workers wait for the slowest for", "waiting for the slowest worker"},
    Part{compress, "because it compresses in", "compressing"},
    Part{[](const Contender& c) { return c.phase->parts.exchange; }, "", "exchanging"},
    Part{[](const Contender& c) { return c.outside(); }, "because probes, lost work and recoveries cost, spread over the steps,",
         "probes, lost work and recoveries"},
};

std::string because(const Part& part, const Contender& fast, const Contender& slow) {
  if (part.decided.empty()) return because_of_exchange(fast, slow);
  if (part.of == compress && part.of(fast).count == 0) {
    return fmt::format("because it spends nothing on compressing instead of {}", text(part.of(slow)));
  }
  return fmt::format("{} {} instead of {}", part.decided, text(part.of(fast)), text(part.of(slow)));
}

}  // namespace

std::string reason(const Contender& fast, const Contender& slow) {
  const auto gain = [&](const Part& part) { return part.of(slow) - part.of(fast); };
  const Part& decisive = *std::ranges::max_element(parts, {}, gain);
  const Part& costly = *std::ranges::min_element(parts, {}, gain);
  if (gain(decisive).count <= 0) return "because its steps take more samples";
  std::string clause = because(decisive, fast, slow);
  constexpr double worth_saying = 0.1;  // of the gain
  if (-gain(costly).count > worth_saying * gain(decisive).count) {
    clause += fmt::format(", although it spends {} more on {}", text(-1.0 * gain(costly)), costly.costs);
  }
  return clause;
}

}  // namespace sim::output
