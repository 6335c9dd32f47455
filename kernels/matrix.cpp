// Products with single columns, and Gram-Schmidt.
#include "kernels/matrix.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "kernels/lanes.hpp"

namespace kernels {
namespace {

double dot(std::span<const float> left, std::span<const float> right) {
  const std::size_t size = std::min(left.size(), right.size());
  const std::size_t whole = size / block * block;
  LaneSums sums;
  for (std::size_t i = 0; i < whole; i += block) {
    for (std::size_t vector = 0; vector < block_vectors; ++vector) {
      const std::size_t at = i + vector * lanes;
      sums.add_products(vector, load(&left[at]), load(&right[at]));
    }
  }
  for (std::size_t i = whole; i < size; ++i) sums.add_one(i, static_cast<double>(left[i]) * right[i]);
  return sums.total();
}

void scale(std::span<float> vector, double factor) {
  for (float& value : vector) value = static_cast<float>(value * factor);
}

/// Takes out of `vector` its share in the direction of `unit`.
void project_out(std::span<const float> unit, std::span<float> vector) {
  const double share = dot(unit, vector);
  for (std::size_t i = 0; i < vector.size(); ++i) {
    vector[i] = static_cast<float>(vector[i] - share * unit[i]);
  }
}

/// 1 / ||vector||; 0 of zeros.
double inverse_norm(std::span<const float> vector) {
  const double squares = dot(vector, vector);
  return squares == 0 ? 0 : 1 / std::sqrt(squares);
}

}  // namespace

Shape nearly_square(std::int64_t elements) {
  if (elements == 0) return {};
  const auto columns = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(elements))));
  return {(elements + columns - 1) / columns, columns};
}

std::span<const float> MatrixView::row(std::int64_t number) const {
  const auto first = static_cast<std::size_t>(number * shape.columns);
  return values.subspan(first, std::min(static_cast<std::size_t>(shape.columns), values.size() - first));
}

void multiply(const MatrixView& matrix, std::span<const float> right, std::span<float> out) {
  assert(static_cast<std::int64_t>(out.size()) == matrix.shape.rows);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<float>(dot(matrix.row(static_cast<std::int64_t>(i)), right));
  }
}

void multiply_transposed(const MatrixView& matrix, std::span<const float> left, std::span<double> sums,
                         std::span<float> out) {
  assert(static_cast<std::int64_t>(left.size()) == matrix.shape.rows && sums.size() == out.size());
  std::ranges::fill(sums, 0.0);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const std::span<const float> row = matrix.row(static_cast<std::int64_t>(i));
    const double factor = left[i];
    for (std::size_t j = 0; j < row.size(); ++j) sums[j] += factor * row[j];
  }
  std::ranges::transform(sums, out.begin(), [](double sum) { return static_cast<float>(sum); });
}

void normalise(std::span<float> vector) { scale(vector, inverse_norm(vector)); }

void orthonormalise(std::span<float> vectors, std::int64_t count) {
  const std::size_t length = count == 0 ? 0 : vectors.size() / static_cast<std::size_t>(count);
  for (std::size_t number = 0; number < static_cast<std::size_t>(count); ++number) {
    const std::span<float> vector = vectors.subspan(number * length, length);
    normalise(vector);  // first of all: tiny values would have no bits left for a difference
    for (int round = 0; round < 2; ++round) {  // once more, to remove rounding errors
      for (std::size_t other = 0; other < number; ++other) {
        project_out(vectors.subspan(other * length, length), vector);
      }
    }
    const double factor = inverse_norm(vector);
    scale(vector, factor >= 1e6 ? 0 : factor);
  }
}

}  // namespace kernels
