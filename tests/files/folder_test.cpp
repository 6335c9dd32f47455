#include "files/folder.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace files {
namespace {

namespace fs = std::filesystem;

TEST(FolderTest, PathsAreOfEveryKindAndSortedByName) {
  const fs::path folder = testing::TempDir() + "paths_in";
  fs::remove_all(folder);
  fs::create_directories(folder / "b.yaml");
  fs::create_symlink("nowhere", folder / "a");
  for (const char* name : {"c", ".hidden", "B"}) fs::create_directory(folder / name);
  EXPECT_THAT(paths_in(folder), testing::ElementsAre(folder / ".hidden", folder / "B", folder / "a",
                                                     folder / "b.yaml", folder / "c"));
  EXPECT_EQ(paths_in(folder, 2).size(), 2);
  EXPECT_THAT(paths_in(folder / "c"), testing::IsEmpty());
}

TEST(FolderTest, WhatIsNoFolderHoldsNothing) {
  EXPECT_THAT(paths_in(testing::TempDir() + "not_there"), testing::IsEmpty());
  EXPECT_THAT(paths_in("/dev/null"), testing::IsEmpty());
}

}  // namespace
}  // namespace files
