// Merging parts: the bytes of one process, and every file that cannot be merged.
#include "sim/sweep/sweep_merge.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/files/lock_holder.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/sweep/swept.hpp"

namespace sim::sweep {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr std::size_t all_points = 4;

std::vector<std::string> values_of(std::size_t point) {
  return {point < 2 ? "1 Gbit/s" : "10 Gbit/s", point % 2 == 0 ? "ring" : "tree"};
}

/// The point with two arms and figures of its own.
SweptPoint point_of(std::size_t point, double time = 0.1) {
  SweptPoint made =
      swept(point, values_of(point), {{"dense", time * static_cast<double>(point + 1)}, {"sparse"}});
  made.scenario = "resolved " + std::to_string(point);
  made.steps = "arm,step,step_time_s\ndense,1,0.1\nsparse,1," + std::to_string(point + 1) + "\n";
  return made;
}

SweepIdentity identity_of(const SweepPart& part) {
  SweepIdentity identity = swept_axes();
  identity.steps = true;
  identity.part = part;
  return identity;
}

/// A file of a part with all its points; those of `failed` fail.
fs::path write_part(const fs::path& file, const SweepIdentity& identity,
                    const std::vector<std::size_t>& failed = {}, double time = 0.1) {
  auto store = *SweepStore::open(file, identity, true);
  for (std::size_t point = 0; point < all_points; ++point) {
    if (!identity.part.holds(point)) continue;
    if (std::ranges::find(failed, point) != failed.end())
      store.write(fallen(point, values_of(point), "took too long and was killed"));
    else
      store.write(point_of(point, time));
  }
  return file;
}

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string merge_error(const std::vector<fs::path>& named, const fs::path& target) {
  const auto merged = merge_parts(named, target);
  return merged ? "accepted" : merged.error().text();
}

TEST(SweepMerge, GivesTheBytesOfOneProcessHoweverThePointsWereDivided) {
  const tests::ScratchFolder scratch;
  const auto one = write_part(scratch / "one.db", identity_of({}));
  const auto part = [&](std::size_t number, std::size_t count) {
    return write_part(scratch / (std::to_string(number) + "of" + std::to_string(count)),
                      identity_of({number, count}));
  };
  const std::vector<fs::path> two{part(2, 2), part(1, 2)};
  const std::vector<fs::path> three{part(1, 3), part(3, 3), part(2, 3)};
  ASSERT_EQ(merge_error({one}, scratch / "from_one"), "accepted");
  ASSERT_EQ(merge_error(two, scratch / "from_two"), "accepted");
  ASSERT_EQ(merge_error(three, scratch / "from_three"), "accepted");
  EXPECT_EQ(bytes_of(scratch / "from_one"), bytes_of(scratch / "from_two"));
  EXPECT_EQ(bytes_of(scratch / "from_one"), bytes_of(scratch / "from_three"));
  EXPECT_EQ(csv_of(*SweepStore::open(scratch / "from_two")), csv_of(*SweepStore::open(one)));
  EXPECT_EQ(SweepStore::open(scratch / "from_two")->identity(), identity_of({}));
}

TEST(SweepMerge, MergingAgainAndPartsThatOverlapChangeNothing) {
  const tests::ScratchFolder scratch;
  const auto target = scratch / "all.db";
  const std::vector<fs::path> parts{write_part(scratch / "a", identity_of({1, 2})),
                                    write_part(scratch / "b", identity_of({2, 2}))};
  ASSERT_EQ(merge_error(parts, target), "accepted");
  const std::string once = bytes_of(target);
  ASSERT_EQ(merge_error(parts, target), "accepted");
  EXPECT_EQ(bytes_of(target), once);
  const auto other = write_part(scratch / "c", identity_of({1, 3}));  // points 0 and 3 once more
  ASSERT_EQ(merge_error({parts[0], other, parts[0], parts[1]}, target), "accepted");
  EXPECT_EQ(bytes_of(target), once);
  EXPECT_THAT(scratch.files(), ElementsAre("a", "all.db", "b", "c"));
}

TEST(SweepMerge, MissingPartsAreNamedAndCanBeMergedLater) {
  const tests::ScratchFolder scratch;
  const auto target = scratch / "all.db";
  const auto first = write_part(scratch / "s.part-1-of-3.db", identity_of({1, 3}));
  const auto early = merge_parts({first}, target);
  ASSERT_TRUE(early);
  EXPECT_EQ(early->missing, 2U);
  EXPECT_EQ(early->missing_text(), "parts 2/3, 3/3 are missing or not complete");
  write_part(scratch / "s.part-2-of-3.db", identity_of({2, 3}));
  const auto later = merge_parts({scratch.path()}, target);
  EXPECT_EQ(later->files, 2U);
  EXPECT_EQ(later->missing_text(), "part 3/3 is missing or not complete");
  const auto rest = write_part(scratch / "rest.db", identity_of({2, 2}));  // points 1 and 3
  fs::remove(first);
  EXPECT_EQ(merge_parts({rest}, target)->missing_text(), "part 1/2 is missing or not complete");
  EXPECT_EQ(merge_parts({rest, scratch / "s.part-2-of-3.db"}, target)->missing_text(), "1 point is missing");
}

TEST(SweepMerge, ManyMissingPartsAreCounted) {
  MergeOutcome outcome{1, 100, 0, 12, {}};
  for (std::size_t number = 1; number <= 12; ++number) outcome.missing_parts.push_back({number, 20});
  EXPECT_EQ(outcome.missing_text(),
            "parts 1/20, 2/20, 3/20, 4/20, 5/20, 6/20, 7/20, 8/20, 9/20, 10/20 and 2 more are missing or not "
            "complete");
  outcome.missing = 0;
  EXPECT_EQ(outcome.missing_text(), "");
}

TEST(SweepMerge, ACompletedPointReplacesAFailedOne) {
  const tests::ScratchFolder scratch;
  const auto target = scratch / "all.db";
  const auto failed = write_part(scratch / "a", identity_of({1, 2}), {2});
  const auto other = write_part(scratch / "b", identity_of({2, 2}));
  const auto before = merge_parts({failed, other}, target);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->failed, 1U);
  EXPECT_EQ(before->missing, 0U);
  EXPECT_THAT(SweepStore::open(target)->done(), ElementsAre(0, 1, 3));
  const auto repeated = write_part(scratch / "c", identity_of({1, 2}));
  ASSERT_EQ(merge_error({failed, repeated}, target), "accepted");
  EXPECT_THAT(SweepStore::open(target)->done(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(csv_of(*SweepStore::open(target)), Not(HasSubstr("too long")));
}

TEST(SweepMerge, PartsThatOverlapWithOtherResultsAreRefused) {
  const tests::ScratchFolder scratch;
  const auto a = write_part(scratch / "a", identity_of({1, 2}));
  const auto b = write_part(scratch / "b", identity_of({}), {}, 0.2);
  EXPECT_THAT(
      merge_error({a, b}, scratch / "all.db"),
      EndsWith("b`: it has other results for point 0 than the files before it; merge the parts of one "
               "sweep, written by one version"));
  EXPECT_THAT(scratch.files(), ElementsAre("a", "b"));
}

TEST(SweepMerge, PartsThatOverlapWithOtherStepsAreRefused) {
  const tests::ScratchFolder scratch;
  const auto a = write_part(scratch / "a", identity_of({1, 2}));
  const auto b = write_part(scratch / "b", identity_of({}));
  Database::open(b, false)->run("UPDATE step SET step_time_s = 7 WHERE point = 2");
  EXPECT_THAT(merge_error({a, b}, scratch / "all.db"), HasSubstr("it has other results for point 2"));
}

TEST(SweepMerge, PartsOfAnotherVersionOrStudyAreRefused) {
  const tests::ScratchFolder scratch;
  const auto a = write_part(scratch / "a", identity_of({1, 2}));
  SweepIdentity other = identity_of({2, 2});
  other.program = "0.9";
  write_part(scratch / "b", other);
  EXPECT_THAT(
      merge_error({a, scratch / "b"}, scratch / "all.db"),
      HasSubstr("b` belongs to another sweep than `" + a.string() +
                "`: it was written by version 0.9; merge the parts of one sweep, written by one version"));
  other = identity_of({2, 2});
  other.scenario = "workers: 5\n";
  write_part(scratch / "c", other);
  EXPECT_THAT(merge_error({a, scratch / "c"}, scratch / "all.db"), HasSubstr("`: its scenario differs"));
  write_part(scratch / "old.db", [&] {
    other.part = {};
    return other;
  }());
  const std::string before = bytes_of(scratch / "old.db");
  EXPECT_THAT(
      merge_error({a}, scratch / "old.db"),
      EndsWith("old.db` contains another sweep: its scenario differs: the file, a file that it names, or a "
               "--set has changed; name another file"));
  EXPECT_EQ(bytes_of(scratch / "old.db"), before);
}

TEST(SweepMerge, DamagedPartsAreRefused) {
  const tests::ScratchFolder scratch;
  const auto a = write_part(scratch / "a", identity_of({1, 2}));
  std::fstream(a, std::ios::in | std::ios::out | std::ios::binary).seekp(-4096, std::ios::end)
      << std::string(4096, '\xff');
  EXPECT_THAT(merge_error({a}, scratch / "all.db"),
              EndsWith("a` is damaged; remove it, simulate its part again, and merge again"));
  fs::resize_file(a, 4096);
  EXPECT_THAT(merge_error({a}, scratch / "all.db"),
              HasSubstr("a`: it cannot be opened: database disk image is malformed"));
  const auto empty = scratch.write("empty", "");
  EXPECT_THAT(merge_error({empty}, scratch / "all.db"),
              EndsWith("empty` is not the file of a sweep; name a file that `sim sweep` wrote"));
  EXPECT_THAT(merge_error({scratch / "none"}, scratch / "all.db"), HasSubstr("none`: it cannot be opened"));
}

TEST(SweepMerge, PartsThatAreBeingWrittenAreRefused) {
  const tests::ScratchFolder scratch;
  const auto a = write_part(scratch / "a", identity_of({1, 2}));
  const tests::LockHolder holder(a);
  EXPECT_THAT(merge_error({a}, scratch / "all.db"),
              EndsWith("a` is being written by process " + holder.name() + "; wait until it has ended"));
}

TEST(SweepMerge, ATargetThatIsBeingWrittenIsRefused) {
  const tests::ScratchFolder scratch;
  const auto a = write_part(scratch / "a", identity_of({1, 2}));
  const tests::LockHolder holder(scratch / "all.db");
  EXPECT_THAT(merge_error({a}, scratch / "all.db"),
              HasSubstr("all.db`: it is being written by process " + holder.name()));
}

TEST(SweepMerge, AFolderWithoutPartsIsRefused) {
  const tests::ScratchFolder scratch;
  EXPECT_EQ(merge_error({scratch.path()}, scratch / "all.db"),
            "--merge: no file of a part in `" + scratch.path().string() +
                "`; name files that `sim sweep --part K/N` wrote, or their folder");
}

TEST(SweepMerge, KnownPointsAreThoseOfTheSameSweep) {
  const tests::ScratchFolder scratch;
  const auto a = write_part(scratch / "a", identity_of({2, 2}), {3});
  EXPECT_THAT(*points_in(a, identity_of({2, 2})), ElementsAre(1));
  EXPECT_THAT(*points_in(scratch / "none", identity_of({})), ElementsAre());
  EXPECT_THAT(points_in(a, identity_of({1, 2})).error().text(),
              EndsWith("a` contains another sweep: it is of part 2/2; name another file"));
}

}  // namespace
}  // namespace sim::sweep
