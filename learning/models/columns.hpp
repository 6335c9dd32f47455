// Matrices as rows of equal columns: one column into all, and all into their sum.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <span>

namespace learning::models {

/// Copies `column` into each column of `matrix`, whose length is a multiple of the column's.
inline void fill_columns(std::span<const float> column, std::span<float> matrix) {
  assert(matrix.size() % column.size() == 0);
  for (std::size_t at = 0; at < matrix.size(); at += column.size()) {
    std::ranges::copy(column, matrix.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

/// The sum of the columns, first to last.
/// @param sums  overwritten; its length is that of a column
inline void sum_columns(std::span<const float> matrix, std::span<float> sums) {
  assert(matrix.size() % sums.size() == 0);
  std::ranges::fill(sums, 0.0F);
  for (std::size_t at = 0; at < matrix.size(); at += sums.size()) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += matrix[at + i];
  }
}

}  // namespace learning::models
