// A vector seen as a matrix, its products with a few columns, and Gram-Schmidt: for low-rank compression
// needs.
#pragma once

#include <cstdint>
#include <span>

namespace kernels {

/// Rows and columns of a matrix.
struct Shape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// As square as possible: columns = ceil(sqrt(n)), rows = ceil(n / columns); 0 x 0 of nothing.
Shape nearly_square(std::int64_t elements);

/// n values row by row. The last row may end early; what is missing counts as zero.
struct MatrixView {
  std::span<const float> values;
  Shape shape;  ///< (rows - 1) columns < n <= rows columns

  [[nodiscard]] std::span<const float> row(std::int64_t number) const;
};

/// out = M right: `right` has `columns` values, `out` gets `rows`. Sums in double precision and in a fixed
/// order.
void multiply(const MatrixView& matrix, std::span<const float> right, std::span<float> out);

/// out = M^T left: `left` has `rows` values, `out` gets `columns`. Sums in double precision, row after row.
/// @param sums  room for `columns` numbers
void multiply_transposed(const MatrixView& matrix, std::span<const float> left, std::span<double> sums,
                         std::span<float> out);

/// Scales a vector to length 1; zeros stay zeros.
void normalise(std::span<float> vector);

/// Makes `count` vectors of equal length, lying one after the other, orthonormal, in their order:
/// Gram-Schmidt, each projected out twice. A vector that is (to 10^-6 of its length) a combination of those
/// before it becomes zero; NaN spreads.
void orthonormalise(std::span<float> vectors, std::int64_t count);

}  // namespace kernels
