// Tests of reading files, plain and gzip.
#include "learning/datasets/file_bytes.hpp"

#include <gtest/gtest.h>

#include "tests/learning/datasets/files.hpp"

namespace learning::datasets {
namespace {

std::string text_of(const netmodels::Result<std::vector<std::uint8_t>>& bytes) {
  return bytes ? std::string(bytes->begin(), bytes->end()) : bytes.error().text();
}

TEST(FileBytes, PlainFileIsReadAsItIs) {
  const Folder folder;
  EXPECT_EQ(text_of(read_bytes(folder.write("a", std::string("x\0y", 3)), 10)), std::string("x\0y", 3));
}

TEST(FileBytes, GzipIsToldByContentNotByName) {
  if (!has_gzip) GTEST_SKIP() << "skipped: this build has no Boost.Iostreams";
  const Folder folder;
  EXPECT_EQ(text_of(read_bytes(folder.write("a.csv", gzip("1,2,3\n")), 100)), "1,2,3\n");
  EXPECT_EQ(text_of(read_bytes(folder.write("b.gz", "1,2,3\n"), 100)), "1,2,3\n");
}

TEST(FileBytes, GzipThatIsCutOffOrDamagedIsRefused) {
  if (!has_gzip) GTEST_SKIP() << "skipped: this build has no Boost.Iostreams";
  const Folder folder;
  const std::string whole = gzip("hello, hello, hello");
  const std::string refusal = "FOLDER/a.gz: the gzip file is damaged or truncated; download the file again";
  for (std::size_t length = 2; length < whole.size(); ++length) {
    const auto path = folder.write("a.gz", whole.substr(0, length));
    ASSERT_EQ(folder.without_path(text_of(read_bytes(path, 100))), refusal) << length;
  }
  std::string damaged = whole;
  damaged[17] = 'j';
  EXPECT_EQ(folder.without_path(text_of(read_bytes(folder.write("a.gz", damaged), 100))), refusal);
}

TEST(FileBytes, GzipOfNothingIsRefused) {
  if (!has_gzip) GTEST_SKIP() << "skipped: this build has no Boost.Iostreams";
  const Folder folder;
  EXPECT_EQ(folder.without_path(text_of(read_bytes(folder.write("a.gz", gzip("")), 100))),
            "FOLDER/a.gz: the gzip file is empty; download the file again");
}

#if !GRADSIM_HAS_GZIP
TEST(FileBytes, GzipIsRefusedByABuildThatCannotUnpackIt) {
  const Folder folder;
  EXPECT_EQ(folder.without_path(text_of(read_bytes(folder.write("a", gzip("x")), 100))),
            "FOLDER/a: the file is gzip, which this build cannot unpack (no Boost.Iostreams); unpack it with "
            "`gunzip`");
}
#endif

TEST(FileBytes, TooLargeIsRefused) {
  const Folder folder;
  EXPECT_EQ(folder.without_path(text_of(read_bytes(folder.write("a", "12345"), 4))),
            "FOLDER/a: the file has 5 B, above the limit for such a file; give a file of at most 4 B");
}

TEST(FileBytes, GzipThatUnpacksToTooMuchIsRefused) {
  if (!has_gzip) GTEST_SKIP() << "skipped: this build has no Boost.Iostreams";
  const Folder folder;
  const std::string packed(  // 1000 times x
      "\037\213\010\000\000\000\000\000\002\003\253\250\030\005\243\140\024\014\167\000\000\346\311\101\073"
      "\350\003\000\000",
      29);
  const auto path = folder.write("b", packed);
  EXPECT_EQ(text_of(read_bytes(path, 1000)), std::string(1000, 'x'));
  EXPECT_EQ(folder.without_path(text_of(read_bytes(path, 999))),
            "FOLDER/b: the file unpacks to more than 999 B, above the limit for such a file; check that it "
            "is the right file");
}

TEST(FileBytes, MissingEmptyAndFoldersAreRefused) {
  const Folder folder;
  EXPECT_EQ(folder.without_path(text_of(read_bytes(folder.path() / "a", 10, "get it there"))),
            "FOLDER/a: file not found; get it there");
  EXPECT_EQ(folder.without_path(text_of(read_bytes(folder.write("b", ""), 10))),
            "FOLDER/b: the file is empty");
  EXPECT_EQ(folder.without_path(text_of(read_bytes(folder.path(), 10))),
            "FOLDER: this is a folder; name a file in it");
  EXPECT_EQ(text_of(read_bytes("/dev/null", 10)),
            "/dev/null: this is not a regular file; name a file on a disk");
}

TEST(FileBytes, PackedNameIsTakenOnlyWhereThePlainOneIsMissing) {
  const Folder folder;
  EXPECT_EQ(plain_or_packed(folder.path(), "a"), folder.path() / "a");
  folder.write("a.gz", "x");
  EXPECT_EQ(plain_or_packed(folder.path(), "a"), folder.path() / "a.gz");
  folder.write("a", "x");
  EXPECT_EQ(plain_or_packed(folder.path(), "a"), folder.path() / "a");
}

}  // namespace
}  // namespace learning::datasets
