// Fits a link to messages, or to a collective on several numbers of ranks.
#include "calibrate/fits/link_fit.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "calibrate/fits/across_ranks.hpp"
#include "netmodels/percent.hpp"

namespace calibrate::fits {

// Latency and bandwidth of a link from the times of single messages over it.

namespace {

constexpr double most_of_small = 64;           // bytes: one packet with any headers
constexpr double least_of_large = 256 * 1024;  // bytes: beyond a shaper's burst and a stack's eager buffers

}  // namespace

netmodels::Result<netmodels::LinkState> fit_point_to_point(
    std::span<const measurements::MeasuredPoint> points) {
  if (points.empty() || points.front().size.count > most_of_small ||
      points.back().size.count < least_of_large)
    return netmodels::refuse("", "these messages do not determine latency and bandwidth",
                             "measure one of at most 64 bytes and one of at least 256 KiB");
  const netmodels::Seconds latency = points.front().time;
  double product = 0, square = 0;
  for (const measurements::MeasuredPoint& point : points) {
    if (point.size.count < least_of_large) continue;
    const double rate = point.size / point.time * netmodels::Seconds{1} / netmodels::Bytes{1};
    product += rate * (1 - latency / point.time);
    square += rate * rate;
  }
  if (product <= 0)
    return netmodels::refuse("", "large messages do not take longer than small ones",
                             "measure larger messages");
  return netmodels::LinkState{latency, {square / product}};
}

double both_ways_share() {
  constexpr double segment = 1514;
  constexpr double acknowledgement = 66;
  return 1 - acknowledgement / (2 * segment);
}

// A link fitted to messages or to a collective on several numbers of ranks, with its held-out error.

namespace {

using measurements::MeasuredPoint;
using measurements::Measurements;
using netmodels::refuse;
using netmodels::Result;

constexpr int link_digits = 6;
constexpr std::size_t least_ranks = 3;  // one to hold out, two to fit

Result<LinkFit> fit_messages(const Measurements& table) {
  GRADSIM_TRY(link, fit_point_to_point(table.points));
  std::vector<double> errors;
  for (std::size_t i = 1; i < table.points.size(); ++i) {
    std::vector<MeasuredPoint> others = table.points;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const auto without = fit_point_to_point(others);
    if (without) errors.push_back(without->time(table.points[i].size) / table.points[i].time - 1);
  }
  if (errors.empty())
    return refuse("", "no size can be held out", "measure two messages of at least 256 KiB, and small ones");
  return LinkFit{*link, {}, measurements::summarise(errors), "one size at a time", table.ranks};
}

/// The signed errors on `ranks` by the model of all other tables.
Result<std::vector<double>> errors_without(std::span<const Measurements> tables, int ranks) {
  std::vector<Measurements> seen(tables.begin(), tables.end());
  std::erase_if(seen, [&](const Measurements& table) { return table.ranks == ranks; });
  GRADSIM_TRY(model, fit_across_ranks(seen));
  std::vector<double> errors;
  for (const Measurements& table : tables) {
    if (table.ranks != ranks) continue;
    for (const MeasuredPoint& point : table.points)
      errors.push_back(predict(*model, ranks, point.size) / point.time - 1);
  }
  return errors;
}

Result<LinkFit> fit_rings(std::span<const Measurements> tables) {
  std::set<int> ranks;
  for (const Measurements& table : tables) ranks.insert(table.ranks);
  if (ranks.size() < least_ranks)
    return refuse("", fmt::format("tables on {} numbers of ranks leave none to hold out", ranks.size()),
                  fmt::format("give tables on at least {}", least_ranks));
  GRADSIM_TRY(model, fit_across_ranks(tables));
  if (model->per_byte.count <= 0)
    return refuse("", "larger messages do not take longer", "measure sizes at which the bandwidth matters");
  std::vector<double> errors;
  for (const int held_out : ranks) {
    GRADSIM_TRY(part, errors_without(tables, held_out));
    errors.insert(errors.end(), part->begin(), part->end());
  }
  return LinkFit{{model->per_step, {1 / model->per_byte.count}},
                 model->start,
                 measurements::summarise(errors),
                 "one number of ranks at a time",
                 *ranks.rbegin()};
}

bool is_messages(const Measurements& table) { return table.operation->name == "point_to_point"; }

}  // namespace

Result<LinkFit> fit_link(std::span<const Measurements> tables) {
  if (std::ranges::none_of(tables, is_messages)) return fit_rings(tables);
  if (tables.size() > 1)
    return refuse("", "a table of single messages is given beside others", "give it separately");
  return fit_messages(tables.front());
}

std::string print_cluster(const LinkFit& fit, std::span<const Measurements> tables,
                          std::string_view version) {
  const std::string source = tables.front().facts.source.value_or("a table without a source");
  const std::string more = tables.size() > 1 ? fmt::format(" and {} more", tables.size() - 1) : "";
  const auto percent = [](double share) { return netmodels::percent(share, 2); };
  const netmodels::Seconds start{std::round(fit.start.count * 1e9) / 1e9};
  return fmt::format(
      "# {} workers on links as measured on {}.\n"
      "# Provenance: `calibrate fit link` of gradsim {}, fitted to {}{}.\n"
      "# Held-out error, {}: mean {}, median {}, p90 {}, worst {}.\n"
      "# Each call costs {} besides.\n"
      "workers: {}\n"
      "link: {{latency: {}, bandwidth: {}}}\n",
      fit.ranks, tables.front().operation->name, version, source, more, fit.by, percent(fit.held_out.mean),
      percent(fit.held_out.median), percent(fit.held_out.p90), percent(fit.held_out.worst),
      netmodels::print(start), fit.ranks, netmodels::print(fit.link.latency, link_digits),
      netmodels::print(fit.link.bandwidth, link_digits));
}

}  // namespace calibrate::fits
