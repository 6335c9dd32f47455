// The one matrix product of all layers: as wide as the CPU allows, and the same bits on every CPU.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace learning::models {

/// A matrix of floats read through strides: element (i, j) is data[i * down + j * across].
struct Strided {
  const float* data = nullptr;
  std::size_t down = 1;
  std::size_t across = 1;
};

/// result += left * right, or result = left * right.
struct Product {
  std::size_t rows = 0;     ///< rows of `left` and the result
  std::size_t columns = 0;  ///< columns of `right` and the result
  std::size_t depth = 0;    ///< columns of `left`, rows of `right`
  Strided left = {};        ///< quickest where `down` is 1
  Strided right = {};
  float* result = nullptr;      ///< column after column; apart from `left` and `right`
  std::size_t stride = 0;       ///< distance from one column of the result to the next, at least `rows`
  bool adds_to_result = false;  ///< false: what the result holds is overwritten
};

/// Each element of the result is the sum over k = 0, 1, ... of left(i, k) * right(k, j), in this order, every
/// product and every sum rounded to float: vectors run along the rows of the result, never along a sum, and
/// nothing is fused. So the width of the CPU's vectors does not show in the result, nor does the shape of the
/// other operand. Takes no memory but the stack.
void multiply(const Product& product);

/// One compiled form of the product.
struct ProductVariant {
  std::string_view name;  ///< "portable", "avx2", "avx512"
  void (*multiply)(const Product& product);
};

/// The forms that this CPU can run, the widest last.
std::span<const ProductVariant> product_variants();

}  // namespace learning::models
