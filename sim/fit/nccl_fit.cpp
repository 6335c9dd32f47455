// Fits the correction, leaves out sizes in turn, and ranks the gaps between them.
#include "sim/fit/nccl_fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

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
  const auto gpus = static_cast<std::uint32_t>(hardware.gpu.per_node * hardware.gpu.ranks_per_gpu);
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

}  // namespace

Result<NcclFit> fit_nccl(const nccl::Hardware& hardware, const nccl::Measured& measured,
                         const std::string& cluster) {
  const int most = hardware.gpu.per_node * hardware.gpu.ranks_per_gpu;
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
  return fit;
}

}  // namespace sim::fit
