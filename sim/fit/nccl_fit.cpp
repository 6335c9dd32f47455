// Fits the correction, leaves out sizes in turn, and ranks the gaps between them.
#include "sim/fit/nccl_fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "calibrate/fits/held_out.hpp"
#include "sim/fit/nccl_warnings.hpp"

namespace sim::fit {
namespace {

namespace nccl = netmodels::nccl;
using netmodels::Bytes;
using netmodels::Result;
using netmodels::Seconds;

constexpr std::size_t next_sizes = 2;
constexpr Bytes smallest_next = {8};
constexpr Bytes largest_next = {1073741824};

/// A node takes as many ranks as it has GPUs, where the file does not say it.
nccl::Measured with_nodes(const nccl::Hardware& hardware, nccl::Measured measured) {
  const auto gpus = static_cast<std::uint32_t>(nccl::most_ranks_of_node(hardware));
  if (!measured.nodes) measured.nodes = *measured.ranks <= gpus ? 1 : (*measured.ranks + gpus - 1) / gpus;
  return measured;
}

Result<nccl::Model> make_model(nccl::Hardware hardware, const nccl::Measured& measured,
                               std::vector<nccl::MeasuredPoint> points) {
  hardware.measured.reset();
  const bool corrects = !points.empty();
  if (corrects) {
    hardware.measured = measured;
    hardware.measured->points = std::move(points);
  }
  auto model = nccl::Model::make(hardware, {.ranks = *measured.ranks, .nodes = *measured.nodes, .gpus = {}});
  if (!model)
    return netmodels::refuse("", "`nccl." + model.error().where + "`: " + model.error().what,
                             model.error().hint);
  return model;
}

Result<Seconds> time_by(const nccl::Hardware& hardware, const nccl::Measured& measured,
                        std::vector<nccl::MeasuredPoint> points, Bytes size) {
  GRADSIM_TRY(model, make_model(hardware, measured, std::move(points)));
  GRADSIM_TRY(time, model->time(measured.operation, size));
  return time->total();
}

/// Whether the other sizes, of which there are two at least, reach close to this one.
bool is_near_others(const std::vector<nccl::MeasuredPoint>& points, std::size_t i) {
  constexpr std::size_t least_sizes = 3;
  constexpr double farthest = 64;
  if (points.size() < least_sizes) return false;
  const Bytes size = points[i].size;
  if (i == 0) return points[1].size / size <= farthest;
  return i + 1 < points.size() || size / points[i - 1].size <= farthest;
}

Result<NcclFitPoint> fit_point(const nccl::Hardware& hardware, const nccl::Measured& measured,
                               std::size_t i) {
  NcclFitPoint point{.measured = measured.points[i]};
  const Bytes size = point.measured.size;
  GRADSIM_TRY(model, time_by(hardware, measured, {}, size));
  GRADSIM_TRY(corrected, time_by(hardware, measured, measured.points, size));
  point.model = *model;
  point.corrected = *corrected;
  std::vector<nccl::MeasuredPoint> others = measured.points;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
  if (others.empty()) return point;
  GRADSIM_TRY(held_out, time_by(hardware, measured, std::move(others), size));
  point.held_out = *held_out;
  point.is_judged = is_near_others(measured.points, i);
  return point;
}

/// Between two measured sizes; ends in powers of two.
struct Gap {
  double low = 0;
  double high = 0;
  double low_rate = 0;   ///< held-out error of the lower end for each power of two
  double high_rate = 0;  ///< of the upper end

  [[nodiscard]] double width() const { return high - low; }
  /// Powers of two inside.
  [[nodiscard]] double inside() const { return std::max(0., std::ceil(high) - std::floor(low) - 1); }
  [[nodiscard]] double rate() const { return (low_rate + high_rate) / 2; }
  /// Estimated error of a size inside, as many times as there are sizes.
  [[nodiscard]] double weight() const { return rate() * width() * inside(); }
  [[nodiscard]] double middle() const {
    return std::clamp(std::round((low + high) / 2), std::floor(low) + 1, std::ceil(high) - 1);
  }
};

std::vector<Gap> gaps_of(const std::vector<NcclFitPoint>& points) {
  std::vector<double> places;
  for (const NcclFitPoint& point : points) places.push_back(std::log2(point.measured.size.count));
  const std::size_t last = points.size() - 1;
  /// Held-out error of a point for each power of two that it was interpolated, or extrapolated, over.
  const auto rate = [&](std::size_t i) {
    const double width = places[std::min(i + 1, last)] - places[i == 0 ? 0 : i - 1];
    return std::abs(points[i].error(*points[i].held_out)) / width;
  };
  std::vector<Gap> gaps;
  for (std::size_t i = 0; i < last; ++i) gaps.push_back({places[i], places[i + 1], rate(i), rate(i + 1)});
  return gaps;
}

std::vector<Bytes> next_to_measure(const std::vector<NcclFitPoint>& points) {
  std::vector<Bytes> next;
  if (points.size() < 2) {
    for (const Bytes size : {smallest_next, largest_next}) {
      if (points.empty() || points.front().measured.size != size) next.push_back(size);
    }
    return next;
  }
  std::vector<Gap> gaps = gaps_of(points);
  while (next.size() < next_sizes) {
    const auto widest = std::ranges::max_element(gaps, {}, &Gap::weight);
    if (widest->weight() <= 0) break;
    const double middle = widest->middle();
    next.push_back({std::exp2(middle)});
    const Gap upper{middle, widest->high, widest->rate(), widest->high_rate};
    *widest = {widest->low, middle, widest->low_rate, widest->rate()};
    gaps.push_back(upper);
  }
  std::ranges::sort(next);
  return next;
}

double median_of(std::vector<double> errors) {
  std::ranges::sort(errors);
  const std::size_t half = errors.size() / 2;
  return errors.size() % 2 == 1 ? errors[half] : (errors[half - 1] + errors[half]) / 2;
}

/// The sizes that are held out together, as `calibrate::fits::predict_held_out` does it.
std::vector<std::vector<std::size_t>> held_out_sets(std::size_t sizes) {
  const bool halves = sizes >= calibrate::fits::points_to_halve;
  std::vector<std::vector<std::size_t>> sets(halves ? 2 : sizes);
  for (std::size_t i = 0; i < sizes; ++i) sets[i % sets.size()].push_back(i);
  return sets;
}

Result<double> correction_error(const nccl::Hardware& hardware, const nccl::Measured& measured) {
  std::vector<double> errors;
  for (const std::vector<std::size_t>& held_out : held_out_sets(measured.points.size())) {
    std::vector<nccl::MeasuredPoint> others;
    for (std::size_t i = 0; i < measured.points.size(); ++i) {
      if (std::ranges::find(held_out, i) == held_out.end()) others.push_back(measured.points[i]);
    }
    GRADSIM_TRY(model, make_model(hardware, measured, std::move(others)));
    for (const std::size_t i : held_out) {
      GRADSIM_TRY(time, model->time(measured.operation, measured.points[i].size));
      errors.push_back(std::abs(time->total() / measured.points[i].time - 1));
    }
  }
  return median_of(std::move(errors));
}

Result<double> table_error(const nccl::Measured& measured) {
  std::vector<calibrate::measurements::MeasuredPoint> points;
  for (const nccl::MeasuredPoint& point : measured.points) points.push_back({point.size, point.time});
  GRADSIM_TRY(predicted, calibrate::fits::predict_held_out(points, std::nullopt));
  std::vector<double> errors;
  for (const auto& point : *predicted) errors.push_back(std::abs(point.predicted / point.measured.time - 1));
  return median_of(std::move(errors));
}

Result<std::vector<NcclCandidate>> compare_candidates(const nccl::Hardware& hardware, const NcclFit& fit) {
  std::vector<NcclCandidate> candidates;
  if (fit.points.size() < calibrate::fits::least_points) return candidates;
  std::vector<double> alone;
  for (const NcclFitPoint& point : fit.points) alone.push_back(std::abs(point.error(point.model)));
  GRADSIM_TRY(correction, correction_error(hardware, fit.measured));
  GRADSIM_TRY(table, table_error(fit.measured));
  candidates = {{"correction", "NCCL's times with this correction", *correction},
                {"model", "NCCL's times alone", median_of(std::move(alone))},
                {"table", "a table by `calibrate fit`", *table}};
  std::ranges::stable_sort(candidates, {}, &NcclCandidate::held_out);
  return candidates;
}

}  // namespace

Result<NcclFit> fit_nccl(const nccl::Hardware& hardware, const nccl::Measured& measured,
                         const std::string& cluster) {
  const int most = nccl::most_ranks_of_node(hardware);
  if (!hardware.network && *measured.ranks > static_cast<std::uint32_t>(most))
    return netmodels::refuse(
        "", fmt::format("{} ranks were measured, and the cluster holds {}", *measured.ranks, most),
        fmt::format("accepted: 2 to {}; for several nodes describe `nccl.network`", most));
  NcclFit fit{.cluster = cluster, .measured = with_nodes(hardware, measured), .points = {}, .next = {}};
  GRADSIM_TRY(model, make_model(hardware, fit.measured, {}));
  fit.error_class = nccl::error_class(hardware, model->group());
  for (std::size_t i = 0; i < fit.measured.points.size(); ++i) {
    GRADSIM_TRY(point, fit_point(hardware, fit.measured, i));
    fit.points.push_back(*point);
  }
  fit.next = next_to_measure(fit.points);
  fit.warnings = nccl_warnings(hardware, fit);
  GRADSIM_TRY(candidates, compare_candidates(hardware, fit));
  fit.candidates = std::move(*candidates);
  return fit;
}

}  // namespace sim::fit
