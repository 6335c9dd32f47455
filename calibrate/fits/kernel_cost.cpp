// Least squares of relative errors over three costs that cannot be negative.
#include "calibrate/fits/kernel_cost.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "files/entries.hpp"

namespace calibrate::fits {
namespace {

using measurements::KernelTime;
using netmodels::KernelCost;
using netmodels::RestoringCost;
using netmodels::Result;
using netmodels::Seconds;
using Rows = std::vector<const KernelTime*>;

constexpr int terms = 3;  // fixed, per value, per kept value
constexpr std::size_t least_sizes = 3;

/// The data of a fit.
struct Point {
  std::int64_t values;
  double ratio;
  Seconds time;
  Seconds scale;  ///< errors are relative to this
};
using TimedPoints = std::vector<Point>;

/// Compressing and restoring one message.
TimedPoints step_points(const Rows& rows) {
  TimedPoints points;
  for (const KernelTime* row : rows) points.push_back({row->elements, row->ratio, row->median, row->median});
  return points;
}

constexpr double further_messages = netmodels::judged_messages - 1;

Seconds with_messages(Seconds step, Seconds restore) { return step + further_messages * restore; }

/// Restoring one message at one ratio. An error in it comes `further_messages` times into all that
/// compressing and restoring takes.
TimedPoints restoring_points(const Rows& rows, double ratio) {
  TimedPoints points;
  for (const KernelTime* row : rows) {
    if (row->ratio != ratio) continue;
    const Seconds scale = with_messages(row->median, *row->restore) / further_messages;
    points.push_back({row->elements, ratio, *row->restore, scale});
  }
  return points;
}

/// One equation per point, divided by its scale.
struct Equations {
  Eigen::MatrixXd left;
  Eigen::VectorXd right;

  explicit Equations(const TimedPoints& points)
      : left(static_cast<Eigen::Index>(points.size()), terms),
        right(static_cast<Eigen::Index>(points.size())) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      const auto values = static_cast<double>(points[i].values);
      left.row(row) << 1, values, points[i].ratio * values;
      left.row(row) /= points[i].scale.count;
      right[row] = points[i].time / points[i].scale;
    }
  }
};

/// The solution in only these terms; nothing where one is below 0 or they are linearly dependent.
std::optional<Eigen::Vector3d> solve(const Equations& all, const std::vector<int>& used) {
  Eigen::MatrixXd left(all.left.rows(), static_cast<Eigen::Index>(used.size()));
  for (std::size_t i = 0; i < used.size(); ++i)
    left.col(static_cast<Eigen::Index>(i)) = all.left.col(used[i]);
  const Eigen::VectorXd scale = left.colwise().norm();
  const auto solver = (left * scale.cwiseInverse().asDiagonal()).colPivHouseholderQr();
  if (solver.rank() < left.cols()) return std::nullopt;
  const Eigen::VectorXd found = solver.solve(all.right).cwiseQuotient(scale);
  if (found.minCoeff() < 0) return std::nullopt;
  Eigen::Vector3d costs = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < used.size(); ++i) costs[used[i]] = found[static_cast<Eigen::Index>(i)];
  return costs;
}

/// Fit with the least error of all seven choices of terms.
KernelCost fit_cost(const TimedPoints& points) {
  const Equations equations(points);
  Eigen::Vector3d best = Eigen::Vector3d::Zero();
  double least = equations.right.squaredNorm();  // error of costs that are all 0
  for (unsigned choice = 1; choice < 1U << terms; ++choice) {
    std::vector<int> used;
    for (int term = 0; term < terms; ++term)
      if ((choice >> term & 1U) != 0) used.push_back(term);
    const auto costs = solve(equations, used);
    if (!costs) continue;
    const double error = (equations.left * *costs - equations.right).squaredNorm();
    if (error < least) {
      least = error;
      best = *costs;
    }
  }
  return {Seconds{best[0]}, Seconds{best[1]}, Seconds{best[2]}};
}

std::vector<std::int64_t> sizes_of(const Rows& rows) {
  std::vector<std::int64_t> sizes;
  for (const KernelTime* row : rows) sizes.push_back(row->elements);
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());  // clang 14 rejects ranges::unique
  return sizes;
}

/// Signed, relative errors of what is fitted to all other sizes.
/// @param predict  from rows to a function that predicts a row's time
/// @param measured  of a row
template <class Predict, class Measured>
measurements::RelativeErrors held_out_errors(const Rows& rows, const Predict& predict,
                                             const Measured& measured) {
  std::vector<double> errors;
  for (const std::int64_t size : sizes_of(rows)) {
    Rows others;
    std::ranges::copy_if(rows, std::back_inserter(others),
                         [&](const KernelTime* row) { return row->elements != size; });
    const auto predicted = predict(others);
    for (const KernelTime* row : rows)
      if (row->elements == size) errors.push_back(predicted(*row) / measured(*row) - 1);
  }
  return measurements::summarise(errors);
}

Seconds time_of(const KernelCost& cost, const KernelTime& row) {
  return cost.time(static_cast<double>(row.elements), row.ratio);
}

JudgedCost step_cost(const Rows& rows) {
  const auto predict = [](const Rows& others) {
    return [cost = fit_cost(step_points(others))](const KernelTime& row) { return time_of(cost, row); };
  };
  return {fit_cost(step_points(rows)),
          held_out_errors(rows, predict, [](const KernelTime& row) { return row.median; })};
}

std::vector<RestoringCost> fit_restoring(const Rows& rows) {
  std::set<double> ratios;
  for (const KernelTime* row : rows) ratios.insert(row->ratio);
  std::vector<RestoringCost> costs;
  for (const double ratio : ratios) {
    const KernelCost cost = fit_cost(restoring_points(rows, ratio));
    costs.push_back({ratio, cost.fixed, cost.per_value + ratio * cost.per_kept});
  }
  return costs;
}

/// Nothing where a row does not have it.
std::optional<JudgedRestoring> restoring_cost(const Rows& rows) {
  if (!std::ranges::all_of(rows, [](const KernelTime* row) { return row->restore.has_value(); }))
    return std::nullopt;
  const auto predict = [](const Rows& others) {
    return [step = fit_cost(step_points(others)), costs = fit_restoring(others)](const KernelTime& row) {
      const auto values = static_cast<double>(row.elements);
      return with_messages(time_of(step, row), netmodels::restoring_time(costs, values, row.ratio));
    };
  };
  const auto measured = [](const KernelTime& row) { return with_messages(row.median, *row.restore); };
  return JudgedRestoring{fit_restoring(rows), held_out_errors(rows, predict, measured)};
}

/// Fits the rows of one method, all inside or all outside of the cache.
Result<KernelCostFit> fit_rows(const Rows& rows, std::string_view where) {
  const auto sizes = sizes_of(rows);
  if (sizes.size() < least_sizes) {
    return netmodels::refuse(
        "", fmt::format("{} was measured at {} sizes{}", rows.front()->compressor, sizes.size(), where),
        fmt::format("measure at {} sizes at least", least_sizes));
  }
  const auto by_ratio = [](const KernelTime* one, const KernelTime* other) {
    return one->ratio < other->ratio;
  };
  const auto [least, most] = std::ranges::minmax_element(rows, by_ratio);
  return KernelCostFit{
      rows.front()->compressor, step_cost(rows), restoring_cost(rows), sizes.front(), sizes.back(),
      (*least)->ratio,          (*most)->ratio,  rows.size()};
}

/// Adds the rows of one method.
Result<void> fit_method(std::span<const KernelTime> times, std::string_view method, netmodels::Bytes cache,
                        std::vector<KernelCostFit>& fits) {
  Rows inside, outside;
  for (const KernelTime& time : times) {
    if (time.compressor != method) continue;
    const double bytes = static_cast<double>(time.elements) * sizeof(float);
    (bytes <= cache.count ? inside : outside).push_back(&time);
  }
  for (const Rows* rows : {&inside, &outside}) {
    if (rows->empty()) continue;
    GRADSIM_TRY(fit, fit_rows(*rows, cache.count == 0  ? ""
                                     : rows == &inside ? " within the cache"
                                                       : " beyond the cache"));
    fits.push_back(*fit);
  }
  return {};
}

}  // namespace

Result<std::vector<KernelCostFit>> fit_kernel_costs(std::span<const KernelTime> times,
                                                    netmodels::Bytes cache) {
  std::vector<KernelCostFit> fits;
  for (const KernelTime& time : times) {
    if (std::ranges::find(fits, time.compressor, &KernelCostFit::compressor) != fits.end()) continue;
    if (auto fitted = fit_method(times, time.compressor, cache, fits); !fitted)
      return tl::unexpected(fitted.error());
  }
  return fits;
}

namespace {

constexpr double percent = 100, million = 1e6;

constexpr int cost_digits = 6;

std::string print_errors(const measurements::RelativeErrors& errors, std::string_view prefix) {
  return fmt::format("{0}median_error: {1:.3g} %, {0}p90_error: {2:.3g} %, {0}worst_error: {3:.3g} %", prefix,
                     percent * errors.median, percent * errors.p90, percent * errors.worst);
}

std::string print_restoring(const JudgedRestoring& restoring) {
  std::string costs;
  for (const RestoringCost& cost : restoring.costs) {
    costs +=
        fmt::format("{}{{ratio: {:g}, fixed: {}, per_million_values: {}}}", costs.empty() ? "" : ", ",
                    cost.ratio, print(cost.fixed, cost_digits), print(cost.per_value * million, cost_digits));
  }
  return fmt::format("restore: [{}], {}", costs, print_errors(restoring.held_out, "restore_"));
}

}  // namespace

std::string print_kernel_cost(const KernelCostFit& fit) {
  const KernelCost& cost = fit.step.cost;
  const std::string text = fmt::format(
      "method: {}, fixed: {}, per_million_values: {}, per_million_kept: {}, smallest: {}, largest: {}, "
      "smallest_ratio: {:g}, largest_ratio: {:g}, {}",
      files::quoted(fit.compressor), print(cost.fixed, cost_digits),
      print(cost.per_value * million, cost_digits), print(cost.per_kept * million, cost_digits), fit.smallest,
      fit.largest, fit.smallest_ratio, fit.largest_ratio, print_errors(fit.step.held_out, ""));
  return "{" + text + (fit.restoring ? ",\n     " + print_restoring(*fit.restoring) : "") + "}";
}

std::string print_kernel_costs(const measurements::KernelTimes& measured, std::span<const KernelCostFit> fits,
                               std::string_view measurements_file, std::string_view version) {
  std::string text = fmt::format(
      "# What gradient compressors cost on {0}, fitted to measurements.\n"
      "# Provenance: `calibrate fit kernels` of gradsim {1}, from {2}.\n",
      measured.device, version, measurements_file);
  for (const std::string& note : measured.notes) text += "# " + note + "\n";
  text += fmt::format(
      "# Compressing a gradient of n values, of which k are kept, and restoring one message takes\n"
      "# fixed + n / 10^6 * per_million_values + k / 10^6 * per_million_kept. The errors, |predicted - "
      "measured| / measured,\n"
      "# are of sizes that were held out of the fit. Restoring each further message of an all-gather takes "
      "what\n"
      "# `restore` says of its ratio, fixed + n / 10^6 * per_million_values; its errors are of compressing "
      "and\n"
      "# restoring {} messages.\n"
      "# A method may be listed twice: with sizes within a cache, and beyond it.\n",
      netmodels::judged_messages);
  text += fmt::format("device: {}\nkernels:\n", files::quoted(measured.device));
  for (const KernelCostFit& fit : fits) text += "  - " + print_kernel_cost(fit) + "\n";
  return text;
}

}  // namespace calibrate::fits
