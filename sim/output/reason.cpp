// Why one arm is faster or slower than another: compute, wait, compression, or bytes, rounds and overlap of
// the exchange.
#include "sim/output/reason.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace sim::output {
namespace {

using netmodels::Seconds;

template <class Q>
std::string text(Q value) {
  constexpr int digits = 4;
  return netmodels::print(value, digits);
}

template <class Q>
std::string instead(Q one, Q other) {
  return fmt::format("{} instead of {}", text(one), text(other));
}

/// How many hops in a row the latency is; nothing where links differ.
std::optional<double> rounds(const ExchangeTimes& times) {
  if (times.hop.count == 0) return std::nullopt;
  const double count = times.latency / times.hop;
  if (std::abs(count - std::round(count)) > 1e-6) return std::nullopt;
  return std::round(count);
}

std::string because_of_latency(const ExchangeTimes& one, const ExchangeTimes& other) {
  const auto own = rounds(one);
  const auto others = rounds(other);
  const std::string times = instead(one.latency, other.latency);
  if (!own || !others || one.hop != other.hop) return "because latency, not bandwidth, decides: " + times;
  return fmt::format("because latency, not bandwidth, decides: {:.0f} rounds instead of {:.0f} ({})", *own,
                     *others, times);
}

std::string because_of_bytes(const Contender& one, const Contender& other) {
  constexpr double as_much = 0.01;
  const std::string by_time =
      "because its exchange takes " + instead(one.phase->exchange_busy, other.phase->exchange_busy);
  if (!one.phase->sent || !other.phase->sent) return by_time;  // a printed form
  const double own = one.phase->sent->count;
  const double others = other.phase->sent->count;
  const bool sends_as_much = std::abs(own - others) <= as_much * others;
  const bool explains = (own < others) == (one.phase->exchange_busy < other.phase->exchange_busy);
  const auto& single = one.exchange;
  const auto& second = other.exchange;
  if ((!sends_as_much && explains) || !single || !second) {
    if (sends_as_much || !explains) return by_time;
    return "because its exchange sends " + instead(*one.phase->sent, *other.phase->sent) +
           " per worker and step";
  }
  const std::string chain = "because the longest chain of its messages needs " +
                            instead(single->bandwidth, second->bandwidth) + " of bandwidth";
  if (sends_as_much) return chain + ", although a worker sends as much";
  return fmt::format("{}, although a worker sends {}", chain, instead(*one.phase->sent, *other.phase->sent));
}

std::string because_of_overlap(const Contender& one, const Contender& other) {
  return fmt::format(
      "because of what hides behind the backward pass: {} of {} of exchange remain visible, against {} of {}",
      text(one.phase->parts.exchange), text(one.phase->exchange_busy), text(other.phase->parts.exchange),
      text(other.phase->exchange_busy));
}

/// @param sign  1 where `one` is the faster, -1 where it is the slower
std::string because_of_exchange(const Contender& one, const Contender& other, double sign) {
  const auto& single = one.exchange;
  const auto& second = other.exchange;
  if (!single || !second) {
    const double gain = sign * (other.phase->exchange_busy - one.phase->exchange_busy).count;
    return gain > 0 ? because_of_bytes(one, other) : because_of_overlap(one, other);
  }
  const Seconds by_latency = sign * (second->latency - single->latency);
  const Seconds by_bandwidth = sign * (second->bandwidth - single->bandwidth);
  if ((by_latency + by_bandwidth).count <= 0) return because_of_overlap(one, other);
  return by_bandwidth >= by_latency ? because_of_bytes(one, other) : because_of_latency(*single, *second);
}

/// One part of the time per step, and how to say that it decided, or that it went the other way.
struct Part {
  Seconds (*of)(const Contender&);
  std::string_view decided;  ///< empty for the exchange, which is told in more detail
  std::string_view against;
};

constexpr std::array parts{
    Part{[](const Contender& c) { return c.phase->parts.compute; }, "because its workers compute for",
         "computing"},
    Part{[](const Contender& c) { return c.phase->parts.wait; },
         "because its workers wait for the slowest for", "waiting for the slowest worker"},
    Part{[](const Contender& c) { return c.phase->parts.stream_wait; },
         "because it waits for samples of streams for", "waiting for samples of streams"},
    Part{[](const Contender& c) { return c.phase->parts.compress; }, "because compressing takes",
         "compressing"},
    Part{[](const Contender& c) { return c.phase->parts.exchange; }, "", "exchanging"},
    Part{[](const Contender& c) { return c.outside(); },
         "because probes, lost work and recoveries cost, spread over the steps,",
         "probes, lost work and recoveries"},
};

/// How the difference in time per sample splits exactly: T/S is a product, and each factor's change counts at
/// the mean of the other.
struct Split {
  double sign;  ///< 1 where `one` is the faster, -1 where it is the slower: all gains below are then of the
                ///< faster
  double per_sample;    ///< what a second per step is worth in seconds per sample
  double from_samples;  ///< what steps of more samples gain
};

Split split(const Contender& one, const Contender& other) {
  const double sign = time_per_sample(one) < time_per_sample(other) ? 1 : -1;
  const double own = 1 / samples_per_step(one);
  const double others = 1 / samples_per_step(other);
  const double mean_time = (one.step_time() + one.outside() + other.step_time() + other.outside()).count / 2;
  return {sign, (own + others) / 2, sign * (others - own) * mean_time};
}

}  // namespace

std::string reason(const Contender& one, const Contender& other) {
  const Split part_of = split(one, other);
  const auto gain = [&](const Part& part) { return part_of.sign * (part.of(other) - part.of(one)); };
  const Part& decisive = *std::ranges::max_element(parts, {}, gain);
  const Part& contrary = *std::ranges::min_element(parts, {}, gain);
  const double from_part = gain(decisive).count * part_of.per_sample;
  if (part_of.from_samples >= from_part) {
    return fmt::format("because a step trains on {:.4g} samples instead of {:.4g}", samples_per_step(one),
                       samples_per_step(other));
  }
  std::string clause = decisive.decided.empty() ? because_of_exchange(one, other, part_of.sign)
                                                : fmt::format("{} {}", decisive.decided,
                                                              instead(decisive.of(one), decisive.of(other)));
  constexpr double worth_saying = 0.1;  // of the gain
  if (-gain(contrary).count > worth_saying * gain(decisive).count) {
    clause += fmt::format(", although it spends {} {} on {}", text(-1.0 * gain(contrary)),
                          part_of.sign > 0 ? "more" : "less", contrary.against);
  }
  return clause;
}

}  // namespace sim::output
