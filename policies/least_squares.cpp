// Householder QR of the columns that are independent.
#include "policies/least_squares.hpp"

#include <cassert>
#include <cmath>

#include <Eigen/QR>

namespace policies {
namespace {

constexpr double rank_rounding = 1e-10;

/// Whether the last column is more than a sum of those before it.
bool last_is_independent(const Eigen::MatrixXd& columns) {
  const Eigen::Index last = columns.cols() - 1;
  if (columns.rows() <= last) return false;
  const Eigen::HouseholderQR<Eigen::MatrixXd> decomposed(columns);
  return std::abs(decomposed.matrixQR()(last, last)) > rank_rounding * columns.col(last).norm();
}

}  // namespace

std::vector<double> least_squares(std::span<const std::vector<double>> rows, std::span<const double> values) {
  assert(!rows.empty() && rows.size() == values.size());
  const auto count = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd kept(count, 0);
  std::vector<std::size_t> kept_columns;
  for (std::size_t column = 0; column < rows.front().size(); ++column) {
    Eigen::MatrixXd next(count, kept.cols() + 1);
    next.leftCols(kept.cols()) = kept;
    for (Eigen::Index row = 0; row < count; ++row) {
      next(row, kept.cols()) = rows[static_cast<std::size_t>(row)][column];
    }
    if (!last_is_independent(next)) continue;
    kept = next;
    kept_columns.push_back(column);
  }
  std::vector<double> found(rows.front().size(), 0);
  if (kept_columns.empty()) return found;
  const Eigen::VectorXd factors =
      kept.householderQr().solve(Eigen::Map<const Eigen::VectorXd>(values.data(), count));
  for (std::size_t i = 0; i < kept_columns.size(); ++i) {
    found[kept_columns[i]] = factors[static_cast<Eigen::Index>(i)];
  }
  return found;
}

}  // namespace policies
