// Names the part of the time per step in which most of a difference lies.
#include "sim/report/verdict_reason.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "sim/report/cost.hpp"
#include "sim/report/replica_parts.hpp"

namespace sim::report {
namespace {

using netmodels::Seconds;

template <class Q>
std::string four_digits(Q value) {
  constexpr int digits = 4;
  return netmodels::print(value, digits);
}

template <class Q>
std::string instead(Q one, Q other) {
  return fmt::format("{} instead of {}", four_digits(one), four_digits(other));
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

/// That a worker sends to other nodes, of the explained step or else of the mean one.
std::optional<netmodels::Bytes> between_nodes(const Candidate& candidate) {
  if (candidate.exchange && candidate.exchange->between_nodes) return candidate.exchange->between_nodes;
  return candidate.phase->between_nodes;
}

/// Where a step has exchanges inside nodes and between them, and the bytes between nodes are what differs.
std::optional<std::string> because_of_bytes_between_nodes(const Candidate& one, const Candidate& other) {
  const auto own_known = between_nodes(one);
  const auto others_known = between_nodes(other);
  if (!own_known || !others_known || !one.phase->sent || !other.phase->sent) return std::nullopt;
  const netmodels::Bytes own = *own_known;
  const netmodels::Bytes others = *others_known;
  const bool explains = (own < others) == (one.phase->exchange_busy < other.phase->exchange_busy);
  const double differs = std::abs((own - others) / std::max(own, others));
  const double all_differ =
      std::abs((*one.phase->sent - *other.phase->sent) / std::max(*one.phase->sent, *other.phase->sent));
  if (own == others || !explains || differs <= all_differ) return std::nullopt;
  return "because its exchange sends " + instead(own, others) + " between nodes per worker and step";
}

std::string because_of_bytes(const Candidate& one, const Candidate& other) {
  if (auto between = because_of_bytes_between_nodes(one, other)) return *between;
  constexpr double as_much = 0.01;
  const std::string by_time =
      "because its exchange takes " + instead(one.phase->exchange_busy, other.phase->exchange_busy);
  if (!one.phase->sent || !other.phase->sent) return by_time;  // a closed form
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

bool overlaps_later_steps(const Candidate& candidate) {
  const policies::SynchronisationChoice& stated = candidate.arm->scenario->exchange.synchronisation;
  return streaming_of(stated).delay > 0 || merging_server_of(stated).has_value();
}

netmodels::Seconds hidden_exchange(const Candidate& candidate) {
  return candidate.phase->exchange_busy - candidate.phase->parts.exchange;
}

/// Time of exchanges that is not hidden; what rounding leaves counts as none.
netmodels::Seconds exposed_exchange(const Candidate& candidate) {
  constexpr double rounding = 1e-9;
  const netmodels::Seconds exposed = candidate.phase->parts.exchange;
  return exposed > candidate.phase->exchange_busy * rounding ? exposed : netmodels::Seconds{};
}

std::string because_of_overlap(const Candidate& one, const Candidate& other) {
  const Candidate& hides_more = hidden_exchange(one) > hidden_exchange(other) ? one : other;
  return fmt::format("because of overlap with {}: {} of {} of exchange is exposed, against {} of {}",
                     overlaps_later_steps(hides_more) ? "later steps" : "the backward pass",
                     four_digits(exposed_exchange(one)), four_digits(one.phase->exchange_busy),
                     four_digits(exposed_exchange(other)), four_digits(other.phase->exchange_busy));
}

/// @param sign  1 where `one` is the faster, -1 where it is the slower
std::string because_of_exchange(const Candidate& one, const Candidate& other, double sign) {
  const auto& single = one.exchange;
  const auto& second = other.exchange;
  if (!single || !second) {
    const double by_network = sign * (other.phase->exchange_busy - one.phase->exchange_busy).count;
    const double by_overlap = sign * (hidden_exchange(one) - hidden_exchange(other)).count;
    return by_network > 0 && by_network >= by_overlap ? because_of_bytes(one, other)
                                                      : because_of_overlap(one, other);
  }
  const Seconds by_latency = sign * (second->latency - single->latency);
  const Seconds by_bandwidth = sign * (second->bandwidth - single->bandwidth);
  if ((by_latency + by_bandwidth).count <= 0) return because_of_overlap(one, other);
  return by_bandwidth >= by_latency ? because_of_bytes(one, other) : because_of_latency(*single, *second);
}

/// One part of the time per step, and how to say that it decided, or that it went the other way.
struct Part {
  Seconds (*of)(const Candidate&);
  std::string_view decided;  ///< empty for the exchange, which is described in more detail
  std::string_view against;
};

constexpr std::array parts{
    Part{[](const Candidate& c) {
           return c.phase->parts.compute - replica_exchanges(*c.arm) - replica_bubble(*c.arm);
         },
         "because its workers compute for", "computing"},
    Part{[](const Candidate& c) { return replica_exchanges(*c.arm); },
         "because exchanges inside its replicas take", "exchanges inside replicas"},
    Part{[](const Candidate& c) { return replica_bubble(*c.arm); },
         "because its devices wait for the pipeline for", "waiting for the pipeline"},
    Part{[](const Candidate& c) { return c.phase->parts.wait; },
         "because its workers wait for the slowest for", "waiting for the slowest worker"},
    Part{[](const Candidate& c) { return c.phase->parts.stream_wait; },
         "because it waits for samples of streams for", "waiting for samples of streams"},
    Part{[](const Candidate& c) { return c.phase->parts.compress; },
         "because the exposed part of compressing takes", "exposed compressing"},
    Part{[](const Candidate& c) { return c.phase->parts.exchange; }, "", "exchanging"},
    Part{[](const Candidate& c) { return c.outside(); },
         "because probes, lost work and recoveries cost, spread over the steps,",
         "probes, lost work and recoveries"},
};

/// How the difference in time per sample splits exactly: T/S is a product, and each factor's change counts at
/// the mean of the other.
struct Split {
  double sign;  ///< 1 where `one` is the faster, -1 where it is the slower: all gains below are then of the
                ///< faster
  double per_sample;    ///< seconds per sample for a second per step
  double from_samples;  ///< the gain of steps with more samples
};

Split split(const Candidate& one, const Candidate& other) {
  const double sign = time_per_sample(one) < time_per_sample(other) ? 1 : -1;
  const double own = 1 / samples_per_step(one);
  const double others = 1 / samples_per_step(other);
  const double mean_time = (one.step_time() + one.outside() + other.step_time() + other.outside()).count / 2;
  return {sign, (own + others) / 2, sign * (others - own) * mean_time};
}

bool differ(double one, double other) { return std::abs(one - other) > 1e-6 * other; }

/// The part that decided, per sample where steps have different numbers of them and it decides there, too.
/// @param sign  1 where `one` is the faster, -1 where it is the slower
std::string part_clause(const Part& part, const Candidate& one, const Candidate& other, double sign) {
  const double own = samples_per_step(one);
  const double others = samples_per_step(other);
  const bool equal_work = !differ(own, others);
  const Seconds own_sample = part.of(one) / own;
  const Seconds others_sample = part.of(other) / others;
  const bool decides_per_sample = sign * (others_sample - own_sample).count > 0;
  if (!equal_work && !part.decided.empty() && decides_per_sample)
    return fmt::format("{} {} per sample, in steps of {:.4g} samples instead of {:.4g}", part.decided,
                       instead(own_sample, others_sample), own, others);
  const std::string clause = part.decided.empty()
                                 ? because_of_exchange(one, other, sign)
                                 : fmt::format("{} {}", part.decided, instead(part.of(one), part.of(other)));
  return equal_work ? clause
                    : clause + fmt::format(", in steps of {:.4g} samples instead of {:.4g}", own, others);
}

/// Reason between arms whose steps take equally long: which of them expects failures.
std::string because_of_failures(const Candidate& one, const Candidate& other) {
  const bool own = one.arm->scenario->availability.has_value();
  const bool others = other.arm->scenario->availability.has_value();
  if (own == others) return "because it expects to lose less time to failures and checkpoints";
  return fmt::format("because only `{}` counts failures and checkpoints", own ? one.name() : other.name());
}

std::string because_of_time(const Candidate& one, const Candidate& other) {
  if (!differ(time_per_sample(one).count, time_per_sample(other).count))
    return because_of_failures(one, other);
  const Split part_of = split(one, other);
  const auto gain = [&](const Part& part) { return part_of.sign * (part.of(other) - part.of(one)); };
  const Part& decisive = *std::ranges::max_element(parts, {}, gain);
  const Part& contrary = *std::ranges::min_element(parts, {}, gain);
  const double from_part = gain(decisive).count * part_of.per_sample;
  if (part_of.from_samples >= from_part) {
    return fmt::format("because a step trains on {:.4g} samples instead of {:.4g}", samples_per_step(one),
                       samples_per_step(other));
  }
  std::string clause = part_clause(decisive, one, other, part_of.sign);
  constexpr double worth_saying = 0.1;  // of the gain
  if (-gain(contrary).count > worth_saying * gain(decisive).count) {
    clause += fmt::format(", although it spends {} {} on {}", four_digits(-1.0 * gain(contrary)),
                          part_of.sign > 0 ? "more" : "less", contrary.against);
  }
  return clause;
}

/// Where machines cost differently: the part of the cost per sample, price or time, that decides.
std::optional<std::string> because_of_price(const Candidate& one, const Candidate& other) {
  const netmodels::DollarRate own = one.arm->scenario->rented->all();
  const netmodels::DollarRate others = other.arm->scenario->rented->all();
  constexpr double worth_saying = 0.01;
  const double by_price = std::log(others / own);
  if (std::abs(by_price) < worth_saying) return std::nullopt;
  const double by_time = std::log(time_per_sample(other) / time_per_sample(one));
  const double sign = by_price + by_time < 0 ? -1 : 1;
  const std::string prices = instead(own, others);
  if (sign * by_price < sign * by_time)
    return because_of_time(one, other) + (sign * by_price < 0 ? ", although" : ", and") +
           " its machines cost " + prices;
  const std::string time =
      std::abs(by_time) < worth_saying ? ""
      : sign * by_time > 0
          ? ", and it takes less time per sample"
          : fmt::format(", although it takes {:.3g} times as long per sample", std::exp(std::abs(by_time)));
  return "because its machines cost " + prices + time;
}

}  // namespace

std::string reason(const Candidate& one, const Candidate& other) {
  if (decides_by_cost(*one.arm) && decides_by_cost(*other.arm))
    if (auto text = because_of_price(one, other)) return *text;
  return because_of_time(one, other);
}

}  // namespace sim::report
