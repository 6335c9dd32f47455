// The keys of one fit in a file of fits: how each is printed and read.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "calibrate/fits/fit_file.hpp"
#include "files/entries.hpp"
#include "files/text_file.hpp"
#include "netmodels/nearest.hpp"
#include "netmodels/percent.hpp"

namespace calibrate::fits {
namespace {

using files::quoted;
using files::unquoted;
using netmodels::Bytes;
using netmodels::refuse;
using netmodels::Result;
using netmodels::Seconds;

constexpr int digits = 6;
constexpr double megabyte = 1e6;

template <std::optional<std::string> measurements::Facts::*fact>
constexpr FitKey fact_key(std::string_view name) {
  return {name, [](const FitRecord& r) { return r.facts.*fact ? quoted(*(r.facts.*fact)) : ""; },
          [](FitRecord& r, std::string_view value) -> Result<void> {
            GRADSIM_TRY(text, unquoted(value));
            r.facts.*fact = std::move(*text);
            return {};
          }};
}

template <double measurements::RelativeErrors::*error>
constexpr FitKey error_key(std::string_view name) {
  return {name, [](const FitRecord& r) { return netmodels::short_percent(r.fit.held_out.*error, 3); },
          [](FitRecord& r, std::string_view value) -> Result<void> {
            const bool has_unit = value.ends_with('%');
            const auto number =
                files::read_number(files::trimmed(has_unit ? value.substr(0, value.size() - 1) : value));
            if (!has_unit || !number || !std::isfinite(*number))
              return refuse("", fmt::format("`{}` is not an error", value), "accepted: a number with %");
            r.fit.held_out.*error = *number / 100;
            return {};
          }};
}

Result<int> read_count(std::string_view value) {
  const auto number = files::read_integer(value);
  if (number && *number >= 1 && *number <= 1'000'000) return static_cast<int>(*number);
  return refuse("", fmt::format("`{}` is not a count", value), "accepted: 1 to 1000000");
}

template <Bytes FitRecord::*size>
constexpr FitKey size_key(std::string_view name) {
  return {name, [](const FitRecord& r) { return netmodels::print(r.*size); },
          [](FitRecord& r, std::string_view value) -> Result<void> {
            GRADSIM_TRY(bytes, netmodels::parse<Bytes>(value));
            r.*size = *bytes;
            return {};
          }};
}

Result<void> read_collective(FitRecord& record, std::string_view value) {
  GRADSIM_TRY(operation, measurements::find_operation(value));
  record.operation = *operation;
  return {};
}

Result<void> read_ranks(FitRecord& record, std::string_view value) {
  GRADSIM_TRY(count, read_count(value));
  record.ranks = *count;
  return {};
}

Result<void> read_nodes(FitRecord& record, std::string_view value) {
  GRADSIM_TRY(count, read_count(value));
  record.nodes = *count;
  return {};
}

Result<void> read_size_meaning(FitRecord& record, std::string_view value) {
  if (record.operation == nullptr || value == to_string(record.operation->size)) return {};
  return refuse("", fmt::format("`{}` is not how the size of {} is counted", value, record.operation->name),
                fmt::format("accepted: {}", to_string(record.operation->size)));
}

Result<void> read_measurements(FitRecord& record, std::string_view value) {
  GRADSIM_TRY(text, unquoted(value));
  record.measurements = std::move(*text);
  return {};
}

Result<void> read_sizes(FitRecord& record, std::string_view value) {
  GRADSIM_TRY(count, read_count(value));
  record.sizes = static_cast<std::size_t>(*count);
  return {};
}

Result<void> read_held_out(FitRecord& record, std::string_view value) {
  for (const HeldOutBy by : {HeldOutBy::every_second_size, HeldOutBy::one_size_at_a_time}) {
    if (value != to_string(by)) continue;
    record.fit.by = by;
    return {};
  }
  return refuse("", fmt::format("`{}` is not a way to hold out sizes", value),
                "accepted: every second size, one size at a time");
}

Result<void> read_interpolation(FitRecord& record, std::string_view value) {
  GRADSIM_TRY(interpolation, netmodels::find_interpolation(value));
  record.fit.model.interpolation = *interpolation;
  return {};
}

constexpr std::array rows{
    FitKey{"collective", [](const FitRecord& r) { return std::string(r.operation->name); }, read_collective},
    FitKey{"ranks", [](const FitRecord& r) { return std::to_string(r.ranks); }, read_ranks},
    FitKey{"nodes", [](const FitRecord& r) { return r.nodes ? std::to_string(*r.nodes) : ""; }, read_nodes},
    FitKey{"size", [](const FitRecord& r) { return std::string(to_string(r.operation->size)); },
           read_size_meaning},
    fact_key<&measurements::Facts::machine>("gpus"),
    fact_key<&measurements::Facts::network>("network"),
    fact_key<&measurements::Facts::tool>("tool"),
    fact_key<&measurements::Facts::algorithm>("algorithm"),
    fact_key<&measurements::Facts::protocol>("protocol"),
    fact_key<&measurements::Facts::source>("source"),
    fact_key<&measurements::Facts::licence>("licence"),
    FitKey{"measurements", [](const FitRecord& r) { return quoted(r.measurements); }, read_measurements},
    FitKey{"measured_sizes", [](const FitRecord& r) { return std::to_string(r.sizes); }, read_sizes},
    size_key<&FitRecord::smallest>("smallest_size"),
    size_key<&FitRecord::largest>("largest_size"),
    FitKey{"held_out", [](const FitRecord& r) { return std::string(to_string(r.fit.by)); }, read_held_out},
    error_key<&measurements::RelativeErrors::mean>("mean_error"),
    error_key<&measurements::RelativeErrors::median>("median_error"),
    error_key<&measurements::RelativeErrors::p90>("p90_error"),
    error_key<&measurements::RelativeErrors::worst>("worst_error"),
    error_key<&measurements::RelativeErrors::bias>("bias"),
    FitKey{"interpolation",
           [](const FitRecord& r) { return std::string(to_string(r.fit.model.interpolation)); },
           read_interpolation},
};

template <class Q>
Result<void> read_quantity(std::string_view value, double scale, double& to) {
  GRADSIM_TRY(quantity, netmodels::parse<Q>(value));
  to = quantity->count / scale;
  return {};
}

Result<void> read_segment_key(Segment& segment, std::size_t key, std::string_view value) {
  if (key == 0) return read_quantity<Bytes>(value, 1, segment.up_to.count);
  if (key == 1) return read_quantity<Seconds>(value, 1, segment.latency.count);
  return read_quantity<Seconds>(value, megabyte, segment.per_byte.count);
}

/// A map on one line: what it is, its keys, and an example of it.
template <std::size_t count>
struct FlowMap {
  std::string_view name;
  std::array<std::string_view, count> keys;
  std::string_view example;
};

constexpr FlowMap<3> segment_map{"a segment",
                                 {"up_to", "latency", "time_per_megabyte"},
                                 "{up_to: 16 KiB, latency: 98 us, time_per_megabyte: 1 ms}"};
constexpr FlowMap<2> point_map{"a point", {"size", "time"}, "{size: 16 KiB, time: 98 us}"};

/// Reads `{key: value, ...}`.
/// @param read_value  takes the number of the key, and the text of its value
/// @returns which keys there are, or an Error with an empty `where`
template <std::size_t count, class ReadValue>
Result<std::array<bool, count>> read_flow_map(const FlowMap<count>& map, std::string_view text,
                                              const ReadValue& read_value) {
  if (!text.starts_with('{') || !text.ends_with('}'))
    return refuse("", fmt::format("`{}` is not {}", text, map.name),
                  fmt::format("accepted: {}", map.example));
  text = text.substr(1, text.size() - 2);
  std::array<bool, count> seen{};
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view pair = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    const std::size_t colon = std::min(pair.find(':'), pair.size() - 1);
    const std::string_view name = files::trimmed(pair.substr(0, colon));
    const auto known = static_cast<std::size_t>(std::ranges::find(map.keys, name) - map.keys.begin());
    if (known == count)
      return refuse("", fmt::format("`{}` is not a key of {}", name, map.name),
                    netmodels::accepted_names(name, map.keys));
    seen.at(known) = true;
    if (const auto read = read_value(known, files::trimmed(pair.substr(colon + 1))); !read)
      return tl::unexpected(read.error());
  }
  return seen;
}

}  // namespace

std::span<const FitKey> fit_keys() { return rows; }

std::string print_segment(const Segment& segment, bool is_last) {
  const std::string end = is_last ? "" : "up_to: " + netmodels::print(segment.up_to) + ", ";
  return fmt::format("{{{}latency: {}, time_per_megabyte: {}}}", end,
                     netmodels::print(segment.latency, digits),
                     netmodels::print(Seconds{segment.per_byte.count * megabyte}, digits));
}

Result<Segment> read_segment(std::string_view text, bool& has_end) {
  Segment segment;
  GRADSIM_TRY(seen, read_flow_map(segment_map, text, [&](std::size_t key, std::string_view value) {
                return read_segment_key(segment, key, value);
              }));
  if (!(*seen)[1] || !(*seen)[2]) return refuse("", "a segment lacks `latency` or `time_per_megabyte`");
  has_end = (*seen)[0];
  return segment;
}

std::string print_point(const netmodels::MeasuredTime& point) {
  return fmt::format("{{size: {}, time: {}}}", netmodels::print(point.size),
                     netmodels::print(point.time, digits));
}

Result<netmodels::MeasuredTime> read_point(std::string_view text) {
  netmodels::MeasuredTime point;
  GRADSIM_TRY(seen, read_flow_map(point_map, text, [&](std::size_t key, std::string_view value) {
                return key == 0 ? read_quantity<Bytes>(value, 1, point.size.count)
                                : read_quantity<Seconds>(value, 1, point.time.count);
              }));
  if (!(*seen)[0] || !(*seen)[1]) return refuse("", "a point lacks `size` or `time`");
  if (point.size.count <= 0 || point.time.count <= 0)
    return refuse("", fmt::format("the point `{}` has a size or time of 0", text), "write values above 0");
  return point;
}

}  // namespace calibrate::fits
