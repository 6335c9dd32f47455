// Parts of a sweep: which points they hold, how they are written and named.
#include "sim/sweep/sweep_part.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scratch_folder.hpp"

namespace sim::sweep {
namespace {

using ::testing::ElementsAre;

std::string part_error(std::string_view text) {
  const auto part = parse_part(text);
  return part ? "accepted" : part.error().text();
}

TEST(SweepPart, HoldsEveryNthPoint) {
  const SweepPart second{2, 4};
  std::vector<std::size_t> points;
  for (std::size_t point = 0; point < 11; ++point)
    if (second.holds(point)) points.push_back(point);
  EXPECT_THAT(points, ElementsAre(1, 5, 9));
}

TEST(SweepPart, SizesAddUpToAllPoints) {
  for (const std::size_t points : {0U, 1U, 10U, 12U, 2000U}) {
    std::size_t sum = 0;
    for (std::size_t number = 1; number <= 7; ++number) sum += SweepPart{number, 7}.size(points);
    EXPECT_EQ(sum, points);
  }
  EXPECT_EQ((SweepPart{1, 3}.size(10)), 4U);
  EXPECT_EQ((SweepPart{3, 3}.size(2)), 0U);
}

TEST(SweepPart, IsReadFromOneToN) {
  EXPECT_EQ(parse_part("3/20"), (SweepPart{3, 20}));
  EXPECT_EQ(parse_part("1/1"), SweepPart{});
  for (const char* text : {"0/20", "21/20", "0/0", "3", "3/", "/3", "-1/3", "a/b", "1/2/3", "", "1/100001"})
    EXPECT_EQ(part_error(text),
              "--part: `" + std::string(text) + "`; accepted: K/N with K from 1 to N, and N up to 100000");
}

TEST(SweepPart, ItsFileIsNamedSoThatAListingIsInOrder) {
  EXPECT_EQ(part_file("out/sweep.db", {3, 100}), "out/sweep.part-003-of-100.db");
  EXPECT_EQ(part_file("a.b.db", {10, 10}), "a.b.part-10-of-10.db");
}

TEST(SweepPart, OnlyFilesNamedAsPartsAreFoundInAFolder) {
  const tests::ScratchFolder scratch;
  for (const char* name : {"s.part-2-of-2.db", "s.part-1-of-2.db", "s.db", "s.part-1-of-2.db.lock",
                           "s.part-of-2.db", "s.part-1-of-x.db", "s.part-1-of-2"})
    scratch.write(name, "");
  EXPECT_THAT(part_files_in(scratch.path()),
              ElementsAre(scratch / "s.part-1-of-2.db", scratch / "s.part-2-of-2.db"));
}

}  // namespace
}  // namespace sim::sweep
