// Products of small matrices in a fixed order.
#include "learning/models/orthogonal.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "kernels/statistics.hpp"
#include "learning/models/product.hpp"

namespace learning::models {
namespace {

/// result = left right, of n x n and n x m; all of them column after column.
void multiply_by_square(std::span<const float> left, std::span<const float> right, std::size_t n,
                        std::size_t m, std::span<float> result) {
  multiply({.rows = n,
            .columns = m,
            .depth = n,
            .left = {left.data(), 1, n},
            .right = {right.data(), 1, n},
            .result = result.data(),
            .stride = n});
}

/// result = X X^T, of n x m.
void gram_matrix(std::span<const float> x, std::size_t n, std::size_t m, std::span<float> result) {
  multiply({.rows = n,
            .columns = n,
            .depth = m,
            .left = {x.data(), 1, n},
            .right = {x.data(), n, 1},
            .result = result.data(),
            .stride = n});
}

void transpose_into(std::span<const float> from, std::size_t rows, std::size_t columns, std::span<float> to) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column)
      to[column * rows + row] = from[row * columns + column];
  }
}

}  // namespace

void orthogonalise(std::span<float> matrix, const kernels::Shape& shape, int iterations,
                   std::vector<float>& room) {
  constexpr NewtonSchulz with;
  const auto rows = static_cast<std::size_t>(shape.rows);
  const auto columns = static_cast<std::size_t>(shape.columns);
  assert(matrix.size() == rows * columns);
  const double norm = std::sqrt(kernels::energy(matrix));
  if (norm == 0) return;
  const std::size_t n = std::min(rows, columns);
  const std::size_t m = std::max(rows, columns);
  room.resize(2 * n * m + 3 * n * n);
  std::span<float> left(room);
  const auto take = [&left](std::size_t count) {
    const std::span<float> taken = left.first(count);
    left = left.subspan(count);
    return taken;
  };
  const auto x = take(n * m), product = take(n * m), a = take(n * n), aa = take(n * n), both = take(n * n);
  const bool tall = rows > columns;  // rows of a tall matrix are the columns of the transposed one
  if (tall)
    std::ranges::copy(matrix, x.begin());
  else
    transpose_into(matrix, rows, columns, x);
  for (float& value : x) value /= static_cast<float>(norm);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    gram_matrix(x, n, m, a);
    multiply_by_square(a, a, n, n, aa);
    for (std::size_t i = 0; i < both.size(); ++i) both[i] = with.b * a[i] + with.c * aa[i];
    multiply_by_square(both, x, n, m, product);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = with.a * x[i] + product[i];
  }
  if (tall)
    std::ranges::copy(x, matrix.begin());
  else
    transpose_into(x, columns, rows, matrix);
}

}  // namespace learning::models
