// Least squares of relative errors over three costs that cannot be negative.
#include "calibrate/fits/kernel_cost.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "calibrate/files/entries.hpp"

namespace calibrate::fits {
namespace {

using measurements::KernelTime;
using netmodels::KernelCost;
using netmodels::Result;
using netmodels::Seconds;
using Rows = std::vector<const KernelTime*>;

constexpr int terms = 3;  // fixed, per value, per kept value
constexpr std::size_t least_sizes = 3;

double kept(const KernelTime& time) { return time.ratio * static_cast<double>(time.elements); }

/// One equation per time, divided by the time: the right side is 1.
Eigen::MatrixXd equations(const Rows& rows) {
  Eigen::MatrixXd left(static_cast<Eigen::Index>(rows.size()), terms);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    left.row(row) << 1, static_cast<double>(rows[i]->elements), kept(*rows[i]);
    left.row(row) /= rows[i]->median.count;
  }
  return left;
}

/// The solution in these terms alone; nothing where one comes out below 0 or they cannot be told apart.
std::optional<Eigen::Vector3d> solve(const Eigen::MatrixXd& all, const std::vector<int>& used) {
  Eigen::MatrixXd left(all.rows(), static_cast<Eigen::Index>(used.size()));
  for (std::size_t i = 0; i < used.size(); ++i) left.col(static_cast<Eigen::Index>(i)) = all.col(used[i]);
  const Eigen::VectorXd scale = left.colwise().norm();
  const auto solver = (left * scale.cwiseInverse().asDiagonal()).colPivHouseholderQr();
  if (solver.rank() < left.cols()) return std::nullopt;
  const Eigen::VectorXd found = solver.solve(Eigen::VectorXd::Ones(all.rows())).cwiseQuotient(scale);
  if (found.minCoeff() < 0) return std::nullopt;
  Eigen::Vector3d costs = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < used.size(); ++i) costs[used[i]] = found[static_cast<Eigen::Index>(i)];
  return costs;
}

/// Of all choices of terms the one with the least error; there are only seven.
KernelCost fit_cost(const Rows& rows) {
  const Eigen::MatrixXd left = equations(rows);
  Eigen::Vector3d best = Eigen::Vector3d::Zero();
  double least = static_cast<double>(rows.size());  // of costs that are all 0
  for (unsigned choice = 1; choice < 1U << terms; ++choice) {
    std::vector<int> used;
    for (int term = 0; term < terms; ++term)
      if ((choice >> term & 1U) != 0) used.push_back(term);
    const auto costs = solve(left, used);
    if (!costs) continue;
    const double error = (left * *costs - Eigen::VectorXd::Ones(left.rows())).squaredNorm();
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

std::vector<double> held_out_errors(const Rows& rows, const std::vector<std::int64_t>& sizes) {
  std::vector<double> errors;
  for (const std::int64_t size : sizes) {
    Rows others;
    std::ranges::copy_if(rows, std::back_inserter(others),
                         [&](const auto* row) { return row->elements != size; });
    const KernelCost cost = fit_cost(others);
    for (const KernelTime* row : rows) {
      if (row->elements != size) continue;
      errors.push_back(cost.time(static_cast<double>(size), row->ratio) / row->median - 1);
    }
  }
  return errors;
}

/// Of one method, all inside or all outside of the cache.
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
  return KernelCostFit{rows.front()->compressor,
                       fit_cost(rows),
                       measurements::summarise(held_out_errors(rows, sizes)),
                       sizes.front(),
                       sizes.back(),
                       (*least)->ratio,
                       (*most)->ratio,
                       rows.size()};
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
    const auto fit = fit_rows(*rows, cache.count == 0  ? ""
                                     : rows == &inside ? " within the cache"
                                                       : " beyond the cache");
    if (!fit) return tl::unexpected(fit.error());
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

std::string print_kernel_costs(const measurements::KernelTimes& measured, std::span<const KernelCostFit> fits,
                               std::string_view measurements_file, std::string_view version) {
  std::string text = fmt::format(
      "# What gradient compressors cost on {0}, fitted to measurements.\n"
      "# Provenance: `calibrate fit kernels` of gradsim {1}, from {2}.\n",
      measured.device, version, measurements_file);
  for (const std::string& note : measured.notes) text += "# " + note + "\n";
  text +=
      "# A gradient of n values, of which k are kept, takes fixed + n / 10^6 * per_million_values + k / 10^6 "
      "*\n"
      "# per_million_kept. The errors, |predicted - measured| / measured, are of sizes that were held out of "
      "the "
      "fit.\n"
      "# A method may stand twice: with sizes within a cache, and beyond it.\n";
  text += fmt::format("device: {}\nkernels:\n", files::quoted(measured.device));
  constexpr double million = 1e6;
  constexpr int digits = 6;
  for (const KernelCostFit& fit : fits) {
    text += fmt::format(
        "  - {{method: {}, fixed: {}, per_million_values: {}, per_million_kept: {}, smallest: {}, largest: "
        "{}, "
        "smallest_ratio: {:g}, largest_ratio: {:g}, "
        "median_error: {:.3g} %, p90_error: {:.3g} %, worst_error: {:.3g} %}}\n",
        files::quoted(fit.compressor), print(fit.cost.fixed, digits),
        print(fit.cost.per_value * million, digits), print(fit.cost.per_kept * million, digits), fit.smallest,
        fit.largest, fit.smallest_ratio, fit.largest_ratio, 100 * fit.held_out.median, 100 * fit.held_out.p90,
        100 * fit.held_out.worst);
  }
  return text;
}

}  // namespace calibrate::fits
