// Files of sweeps: what they hold, what is refused, and that other SQLite programs can read them.
#include "sim/sweep/sweep_store.hpp"

#include <csignal>
#include <filesystem>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tests/files/lock_holder.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/sweep/swept.hpp"

namespace sim::sweep {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

SweepIdentity asked() {
  return {"s.yaml", "Does it pay?", "workers: 4",
          "1.0",    "grid",         {{"cluster.workers", {"4", "8"}}, {"seed", {"1"}}}};
}

SweptPoint simulated(std::size_t number, const std::string& workers, double time) {
  SweptPoint point{number, {workers, "1"}, {}, {0.5}, "resolved " + workers, {}};
  point.rows.columns = {{"arm", "", {}}, {"steps", "", {}}, {"step_time_s", "", {}}, {"note", "", {}}};
  point.rows.rows = {{std::string("dense"), std::int64_t{10}, time, std::monostate{}},
                     {std::string("a,b"), std::int64_t{10}, time / 3, std::string("x")}};
  return point;
}

std::string store_error(const std::filesystem::path& path, const SweepIdentity& identity, bool resume) {
  const auto store = SweepStore::open(path, identity, resume);
  return store ? "accepted" : store.error().text();
}

TEST(SweepStore, ExportsPointsInOrderWhateverTheOrderOfWriting) {
  auto store = *SweepStore::open(":memory:", asked(), false);
  store.write(simulated(1, "8", 0.3));
  store.write({0, {"4", "1"}, "killed by signal 11 (Segmentation fault)", {0.1}, "", {}});
  EXPECT_EQ(csv_of(store),
            "point,cluster.workers,seed,arm,steps,step_time_s,note,failure\n"
            "0,4,1,,,,,killed by signal 11 (Segmentation fault)\n"
            "1,8,1,dense,10,0.3,,\n"
            "1,8,1,\"a,b\",10,0.09999999999999999,x,\n");
  EXPECT_THAT(store.done(), ElementsAre(1));
}

TEST(SweepStore, APointThatFailedIsReplacedOnceItIsPlayed) {
  auto store = *SweepStore::open(":memory:", asked(), false);
  store.write({0, {"4", "1"}, "took too long and was killed", {0.1}, "", {}});
  EXPECT_EQ(csv_of(store), "point,cluster.workers,seed,failure\n0,4,1,took too long and was killed\n");
  store.write(simulated(0, "4", 1));
  EXPECT_THAT(csv_of(store), Not(HasSubstr("too long")));
}

TEST(SweepStore, GoesOnWithTheSameSweepOnly) {
  const tests::ScratchFolder scratch;
  const auto path = scratch / "s.db";
  { (*SweepStore::open(path, asked(), false)).write(simulated(0, "4", 1)); }
  EXPECT_THAT(store_error(path, asked(), false),
              EndsWith("s.db` already contains a sweep; continue it by --resume, or name another file"));
  EXPECT_THAT(SweepStore::open(path, asked(), true)->done(), ElementsAre(0));
  SweepIdentity other = asked();
  other.file = "./s.yaml";
  EXPECT_EQ(store_error(path, other, true), "accepted");
  other.scenario = "workers: 5";
  EXPECT_THAT(store_error(path, other, true),
              HasSubstr("contains another sweep: its scenario differs: the file, a file that it names, or a "
                        "--set has changed; name another file, or repeat the options of that sweep"));
  other = asked();
  other.axes[0].values.emplace_back("16");
  EXPECT_THAT(store_error(path, other, true),
              HasSubstr("its axes differ: {\"cluster.workers\":[\"4\",\"8\"],\"seed\":[\"1\"]}"));
  other = asked();
  other.program = "2.0";
  EXPECT_THAT(store_error(path, other, true), HasSubstr("it was written by version 1.0"));
}

// A full disk ended the first sweep after SQLite had made the file.
TEST(SweepStore, ItsOwnFileWithoutTablesIsANewOne) {
  for (const bool resume : {false, true}) {
    const tests::ScratchFolder scratch;
    Database::open(scratch / "s.db", true)->run("PRAGMA application_id=0x67726164; PRAGMA journal_mode=WAL");
    ASSERT_GT(std::filesystem::file_size(scratch / "s.db"), 0U);
    EXPECT_EQ(store_error(scratch / "s.db", asked(), resume), "accepted");
  }
}

TEST(SweepStore, AFileWithoutTablesOfAnotherProgramIsRefused) {
  for (const bool resume : {false, true}) {
    const tests::ScratchFolder scratch;
    Database::open(scratch / "s.db", true)->run("PRAGMA user_version=7");
    EXPECT_THAT(store_error(scratch / "s.db", asked(), resume),
                EndsWith("s.db` is not the file of a sweep; name a file that `sim sweep` wrote"));
  }
}

TEST(SweepStore, RefusesFilesThatAreNoneOfItsOwn) {
  const tests::ScratchFolder scratch;
  const auto text =
      scratch.write("t.db", "no database, but a text that is long enough to be looked at as one\n");
  EXPECT_THAT(store_error(text, asked(), true),
              HasSubstr("--db: `" + text.string() + "`: it cannot be opened: file is not a database"));
  EXPECT_THAT(store_error(scratch / "none" / "s.db", asked(), false),
              HasSubstr("it cannot be opened: unable to open database file"));
  ASSERT_TRUE(Database::open(scratch / "other.db", true)->has_table("point") == false);
  Database::open(scratch / "other.db", true)->run("CREATE TABLE mine(a)");
  EXPECT_THAT(store_error(scratch / "other.db", asked(), true),
              EndsWith("other.db` is not the file of a sweep; name a file that `sim sweep` wrote"));
}

TEST(SweepStore, APointIsWrittenWholeOrNotAtAll) {
  auto store = *SweepStore::open(":memory:", asked(), false);
  store.write(simulated(0, "4", 1));
  SweptPoint torn = simulated(1, "8", 1);
  torn.rows.columns.push_back({"one_more", "", {}});  // than the table has columns
  EXPECT_THROW(store.write(torn), std::runtime_error);
  EXPECT_THAT(store.done(), ElementsAre(0));
  EXPECT_THAT(csv_of(store), Not(HasSubstr("\n1,8")));
}

TEST(SweepStore, IsOneFileOnceItIsClosed) {
  const tests::ScratchFolder scratch;
  { (*SweepStore::open(scratch / "s.db", asked(), false)).write(simulated(0, "4", 1)); }
  EXPECT_THAT(scratch.files(), ElementsAre("s.db"));
}

TEST(SweepStore, IsReadFromADiskThatCannotBeWritten) {
  const tests::ScratchFolder scratch;
  const auto path = scratch / "a?b#c%d/s.db";
  std::filesystem::create_directories(path.parent_path());
  const pid_t child = fork();  // killed, it leaves the journal mode of a sweep that runs
  if (child == 0) {
    auto store = *SweepStore::open(path, asked(), false);
    store.write(simulated(0, "4", 1));
    Database::open(path, false)->run("PRAGMA wal_checkpoint(TRUNCATE)");
    raise(SIGKILL);
  }
  waitpid(child, nullptr, 0);
  for (const char* beside : {"-wal", "-shm", ".lock"}) std::filesystem::remove(path.string() + beside);
  std::filesystem::permissions(path.parent_path(), std::filesystem::perms(0555));
  std::filesystem::permissions(path, std::filesystem::perms(0444));
  const pid_t reader = fork();
  if (reader == 0) {
    constexpr uid_t nobody = 65534;  // root would write all the same
    if (getuid() == 0 && setuid(nobody) != 0) _exit(2);
    const auto store = SweepStore::open(path);
    _exit(store && store->done().size() == 1 ? 0 : 1);
  }
  int status = 0;
  waitpid(reader, &status, 0);
  EXPECT_EQ(status, 0);
  std::filesystem::permissions(path.parent_path(), std::filesystem::perms(0755));
}

TEST(SweepStore, APointThatLostRowsIsPlayedAgain) {
  const tests::ScratchFolder scratch;
  const auto path = scratch / "s.db";
  {
    auto store = *SweepStore::open(path, asked(), false);
    store.write(simulated(0, "4", 1));
    store.write(simulated(1, "8", 1));
  }
  EXPECT_THAT(SweepStore::open(path)->done(), ElementsAre(0, 1));
  Database::open(path, false)->run("DELETE FROM result WHERE point = 1 AND arm = 'dense'");
  EXPECT_THAT(SweepStore::open(path)->done(), ElementsAre(0));
  EXPECT_TRUE(SweepStore::open(path)->is_sound());
}

TEST(SweepStore, IsWrittenByOneProcessAtATime) {
  const tests::ScratchFolder scratch;
  const auto file = scratch / "sweep.db";
  const tests::LockHolder holder(file);
  for (const bool resume : {false, true}) {
    const auto store = SweepStore::open(file, swept_axes(), resume);
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().where, "--db");
    EXPECT_THAT(store.error().text(), EndsWith("sweep.db`: it is being written by process " + holder.name() +
                                               "; wait until it has ended, or name another file"));
  }
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace sim::sweep
