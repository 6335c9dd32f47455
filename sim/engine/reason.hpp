// Reasons that results carry: a kind and its figures, of which the report makes a sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/quantity.hpp"
#include "sim/inputs/transport_file.hpp"

namespace sim::engine {

/// Kinds of reasons; the sentences are in `sim/report/reason_text.cpp`.
enum class ReasonKind : std::uint8_t {
  // The part that decides the time of a step.
  slowest_worker,
  exchange_through,
  exchange_latency,
  exchange_bandwidth,
  compressing,
  computing,
  computing_hides_exchange,
  // Events of a run.
  failure_stops,
  failure_survived,
  failure_recovered,
  none_left,
  left,
  returned,
  diverged,
  batches,
  batch_range,
  // Ranges of inputs that were published or measured.
  goodput,
  inner_goodput,
  compressing_time,
  compressing_time_at_ratio,
  collective_times,
  overlap_slowdown,
  utilisation,
  // Inputs without a known range.
  layer_times,
  compressing_without_end,
  nccl_times,
  replica_exchanges,
  collectives_without_error,
};

/// Number of kinds: one more than the last.
inline constexpr auto reason_kinds = static_cast<std::size_t>(ReasonKind::collectives_without_error) + 1;

/// Unit of a figure.
enum class FigureUnit : std::uint8_t {
  number,
  count,
  seconds,
  share,        ///< part of a whole
  fabric_rate,  ///< bytes per second of a fabric
  name,
  members,  ///< numbers of workers or nodes
  list
};

/// A named quantity of a reason.
struct Figure {
  std::string_view name;
  FigureUnit unit = FigureUnit::number;
  double value = 0;
  std::string text = {};                   ///< a name; one of the members: "worker"
  std::vector<std::int64_t> numbers = {};  ///< members, or the list
  inputs::FabricKind fabric = inputs::FabricKind::ethernet;

  bool operator==(const Figure&) const = default;

  static Figure number(std::string_view name, double value) { return {name, FigureUnit::number, value}; }
  static Figure count(std::string_view name, std::int64_t value) {
    return {name, FigureUnit::count, static_cast<double>(value)};
  }
  static Figure time(std::string_view name, netmodels::Seconds value) {
    return {name, FigureUnit::seconds, value.count};
  }
  static Figure share(std::string_view name, double value) { return {name, FigureUnit::share, value}; }
  static Figure rate(std::string_view name, netmodels::Bandwidth value, inputs::FabricKind fabric) {
    return {name, FigureUnit::fabric_rate, value.count, {}, {}, fabric};
  }
  static Figure named(std::string_view name, std::string_view value) {
    return {name, FigureUnit::name, 0, std::string(value)};
  }
  /// @param one  name of one member: "worker", "node"
  static Figure members(std::string_view name, std::string_view one,
                        const std::vector<std::uint32_t>& which) {
    return {name, FigureUnit::members, 0, std::string(one), {which.begin(), which.end()}};
  }
  static Figure list(std::string_view name, const std::vector<int>& values) {
    return {name, FigureUnit::list, 0, {}, {values.begin(), values.end()}};
  }
};

/// Something that a reader of a result should know, as data.
struct Reason {
  ReasonKind kind = ReasonKind::computing;
  std::vector<Figure> figures = {};

  bool operator==(const Reason&) const = default;
};

}  // namespace sim::engine
