// Methods: rows of the table of compressors in place of names.
#include "kernels/method.hpp"

#include <gtest/gtest.h>

#include "kernels/catalogue.hpp"

namespace kernels {
namespace {

TEST(Method, OnlyTheFirstRowSendsTheGradientAsItIs) {
  EXPECT_EQ(Method(), "none");
  for (const Entry& row : catalogue()) {
    EXPECT_EQ(Method(row).compresses(), &row != &catalogue().front()) << row.name;
    EXPECT_EQ(Method(row).name(), row.name);
  }
}

TEST(Method, OfANameIsItsRow) {
  EXPECT_EQ(&*Method("topk"), find("topk"));
  EXPECT_TRUE(Method(std::string("powersgd"))->low_rank);
  EXPECT_NE(Method("topk"), Method("dgc"));
}

/// A row that no table has: what asks for a trait does not care for names.
TEST(Method, MayBeARowOfOnesOwn) {
  const Entry own{.name = "own", .exchange = netmodels::CollectiveKind::ar_topk, .sparse = true};
  const Method method(own);
  EXPECT_TRUE(method.compresses());
  EXPECT_TRUE(method->has_ratio());
  EXPECT_TRUE(carries(netmodels::CollectiveKind::all_reduce, own));
  EXPECT_TRUE(carries(netmodels::CollectiveKind::ar_topk, own));
  EXPECT_FALSE(carries(netmodels::CollectiveKind::all_gather, own));
}

}  // namespace
}  // namespace kernels
