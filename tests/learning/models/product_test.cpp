// Tests of the matrix product: values by hand, the order of its sums, and the same bits from every form.
#include "learning/models/product.hpp"

#include <bit>
#include <string>
#include <tuple>

#include "tests/learning/models/layer_check.hpp"

namespace learning::models {
namespace {

using testing::random_values;
using testing::Values;

/// The sums in their documented order, one value at a time.
Values plain(const Product& product, Values result) {
  for (std::size_t j = 0; j < product.columns; ++j) {
    for (std::size_t i = 0; i < product.rows; ++i) {
      volatile float sum = product.adds_to_result ? result[j * product.stride + i] : 0.0F;
      for (std::size_t k = 0; k < product.depth; ++k) {
        const volatile float term = product.left.data[i * product.left.down + k * product.left.across] *
                                    product.right.data[k * product.right.down + j * product.right.across];
        sum = sum + term;
      }
      result[j * product.stride + i] = sum;
    }
  }
  return result;
}

TEST(Product, OfTwoSmallMatricesIsAsByHand) {
  const Values left{1, 2, 3, 4};   // (1 3; 2 4)
  const Values right{5, 6, 7, 8};  // (5 7; 6 8)
  Values result{100, 100, 100, 100};
  Product product{2, 2, 2, {left.data(), 1, 2}, {right.data(), 1, 2}, result.data(), 2};
  multiply(product);
  EXPECT_EQ(result, (Values{23, 34, 31, 46}));
  product.left = {left.data(), 2, 1};  // transposed
  product.adds_to_result = true;
  multiply(product);
  EXPECT_EQ(result, (Values{23 + 17, 34 + 39, 31 + 23, 46 + 53}));
}

TEST(Product, OfNoDepthIsZero) {
  Values result{3, 4};
  multiply(
      {.rows = 2, .columns = 1, .depth = 0, .result = result.data(), .stride = 2, .adds_to_result = true});
  EXPECT_EQ(result, (Values{3, 4}));
  multiply({.rows = 2, .columns = 1, .depth = 0, .result = result.data(), .stride = 2});
  EXPECT_EQ(result, (Values{0, 0}));
}

TEST(Product, KeepsWhatLiesBetweenTheColumns) {
  const Values left{2, 3}, right{5, 7};
  Values result{1, 1, 9, 1, 1, 9};
  multiply({2, 2, 1, {left.data(), 1, 2}, {right.data(), 1, 1}, result.data(), 3});
  EXPECT_EQ(result, (Values{10, 15, 9, 14, 21, 9}));
}

TEST(Product, GivesTheBitsOfSumsInOrderInEveryFormOfThisCpu) {
  ASSERT_EQ(product_variants().front().name, "portable");
  for (const std::size_t rows : {1U, 4U, 5U, 10U, 16U, 17U, 33U, 70U}) {
    for (const auto& [columns, depth] : {std::tuple{1, 600}, {3, 7}, {8, 256}, {15, 257}, {100, 300}}) {
      const auto n = static_cast<std::size_t>(columns), deep = static_cast<std::size_t>(depth);
      const Values left = random_values(rows * deep, 1), right = random_values(deep * n, 2);
      const Values before = random_values((rows + 2) * n, 3);
      Values result = before;
      for (const bool transposed : {false, true}) {
        const Product product{rows,
                              n,
                              deep,
                              transposed ? Strided{left.data(), deep, 1} : Strided{left.data(), 1, rows},
                              transposed ? Strided{right.data(), n, 1} : Strided{right.data(), 1, deep},
                              result.data(),
                              rows + 2,
                              transposed};
        const Values expected = plain(product, before);
        for (const ProductVariant& variant : product_variants()) {
          result = before;
          variant.multiply(product);
          ASSERT_EQ(result, expected) << variant.name << ' ' << rows << 'x' << n << 'x' << deep;
        }
      }
    }
  }
}

}  // namespace
}  // namespace learning::models
