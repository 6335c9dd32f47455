// Output files: whole or not there, standard output by its names, and folders refused.
#include "calibrate/files/output_file.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unistd.h>

#include <gtest/gtest.h>

namespace calibrate::files {
namespace {

namespace fs = std::filesystem;

class OutputFile : public testing::Test {
 protected:
  OutputFile() : folder_(fs::temp_directory_path() / ("gradsim_output_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~OutputFile() override { fs::remove_all(folder_); }

  fs::path folder_;
  std::ostringstream standard_;
};

TEST_F(OutputFile, ReplacesWhatWasThereAndLeavesNothingBeside) {
  const fs::path path = folder_ / "a.csv";
  ASSERT_TRUE(write_output(path.string(), "a longer text", standard_));
  ASSERT_TRUE(write_output(path.string(), "text", standard_));
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "text");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
  EXPECT_EQ(standard_.str(), "");
}

TEST_F(OutputFile, StandardOutputHasTwoNames) {
  ASSERT_TRUE(write_output("-", "a", standard_));
  ASSERT_TRUE(write_output("/dev/stdout", "b", standard_));
  EXPECT_EQ(standard_.str(), "ab");
}

TEST_F(OutputFile, FoldersAreRefused) {
  EXPECT_EQ(write_output(folder_.string(), "", standard_).error().text(),
            "-o: `" + folder_.string() + "` is a folder; name a file in it");
  const fs::path missing = folder_ / "none";
  EXPECT_EQ(write_output((missing / "a").string(), "", standard_).error().text(),
            "-o: there is no folder `" + missing.string() + "`; make it first");
}

}  // namespace
}  // namespace calibrate::files
