// Curves and compressions of records.
#include "learning/learners/record_curve.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "kernels/catalogue.hpp"
#include "learning/learners/record_lines.hpp"

namespace learning::learners {

// Compressions to phrases and back.

namespace {

constexpr std::string_view raw = " without error feedback";
constexpr std::string_view by_variance = " by variance";
constexpr std::string_view in_proportion = " in proportion to tiles";

bool take_ending(std::string_view& text, std::string_view ending) {
  if (!text.ends_with(ending)) return false;
  text.remove_suffix(ending.size());
  return true;
}

}  // namespace

std::string print_compression(const Compression& compression) {
  if (!compression.compresses()) return std::string(compression.method.name());
  return fmt::format("{} {}{}{}{}", compression.method.name(), compression.ratio,
                     compression.variance_selection ? by_variance : "",
                     compression.proportional_tiles ? in_proportion : "",
                     compression.error_feedback ? "" : raw);
}

netmodels::Result<Compression> parse_compression(std::string_view phrase) {
  if (phrase == kernels::Method().name()) return Compression{};
  Compression compression;
  std::string_view rest = phrase;
  compression.error_feedback = !take_ending(rest, raw);
  compression.proportional_tiles = take_ending(rest, in_proportion);
  compression.variance_selection = take_ending(rest, by_variance);
  const std::size_t blank = rest.find(' ');
  const auto ratio = blank == std::string_view::npos ? std::nullopt : read_finite(rest.substr(blank + 1));
  compression.ratio = ratio.value_or(0);
  const std::string_view method = rest.substr(0, blank);
  if (method.empty() || compression.ratio <= 0 || compression.ratio > 1)
    return netmodels::refuse("", fmt::format("`{}` is not a compression", phrase),
                             "accepted: none, or a method and its ratio in (0, 1], such as `topk 0.01` or "
                             "`topk 0.01 without error "
                             "feedback`");
  const kernels::Entry* row = kernels::find(method);
  if (row == nullptr) return tl::unexpected(kernels::find_wire_format(method).error());
  compression.method = *row;
  return compression;
}

bool sends_all(const Compression& compression) {
  if (!compression.compresses()) return true;
  if (compression.ratio < 1) return false;
  return compression.method->stages != nullptr && compression.method->whole_at_one();
}

std::string table_name(const Compression& compression) {
  const bool selects = compression.method->exchange == netmodels::CollectiveKind::ar_topk;
  return std::string(compression.method.name()) +
         (selects && compression.variance_selection ? "_by_variance" : "");
}

// Values between known points.

namespace {

double between(const Knot& below, const Knot& above, double at) {
  return below.value + (above.value - below.value) * (at - below.at) / (above.at - below.at);
}

}  // namespace

std::optional<double> value_within(const Curve& curve, double at) {
  if (curve.empty() || at < curve.front().at || at > curve.back().at) return std::nullopt;
  return value_clamped(curve, at);
}

double value_clamped(const Curve& curve, double at) {
  assert(!curve.empty());
  const auto above = std::ranges::lower_bound(curve, at, {}, &Knot::at);
  if (above == curve.begin()) return curve.front().value;
  if (above == curve.end()) return curve.back().value;
  return between(*(above - 1), *above, at);
}

double mean_to_one(const Curve& curve) {
  double sum = 0;
  Knot last{0, value_clamped(curve, 0)};
  const auto add = [&](const Knot& next) {
    sum += (next.at - last.at) * (next.value + last.value) / 2;
    last = next;
  };
  for (const Knot& knot : curve) {
    if (knot.at > 0 && knot.at < 1) add(knot);
  }
  add({1, value_clamped(curve, 1)});
  return sum;
}

std::optional<double> value_at_ratio(const Curve& by_ratio, double ratio) {
  assert(ratio > 0 && ratio <= 1);
  if (ratio == 1 && (by_ratio.empty() || by_ratio.back().at < 1)) return 1.0;
  if (by_ratio.empty() || ratio < by_ratio.front().at) return std::nullopt;
  return value_at_ratio_clamped(by_ratio, ratio);
}

double value_at_ratio_clamped(const Curve& by_ratio, double ratio) {
  assert(!by_ratio.empty() && ratio > 0 && ratio <= 1);
  const auto above = std::ranges::lower_bound(by_ratio, ratio, {}, &Knot::at);
  if (above == by_ratio.begin()) return by_ratio.front().value;
  const Knot below = *(above - 1);
  const Knot next = above == by_ratio.end() ? Knot{1, 1} : *above;
  return between({std::log(below.at), below.value}, {std::log(next.at), next.value}, std::log(ratio));
}

}  // namespace learning::learners
