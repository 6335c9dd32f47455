// Files as texts: every byte, and errors of unreadable files.
#include "sim/report/text_sink.hpp"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/scratch_folder.hpp"

namespace sim::report {
namespace {

TEST(FileText, HoldsEveryByte) {
  const tests::ScratchFolder scratch;
  const std::string bytes("a\r\n\0b\xff", 6);
  std::ofstream(scratch / "bytes", std::ios::binary) << bytes;
  EXPECT_EQ(file_text(scratch / "bytes"), bytes);
}

TEST(FileText, OfAnEmptyFileIsEmpty) {
  const tests::ScratchFolder scratch;
  std::ofstream(scratch / "empty") << "";
  EXPECT_EQ(file_text(scratch / "empty"), "");
}

TEST(FileText, WhatIsNoFileHasNone) {
  const tests::ScratchFolder scratch;
  EXPECT_FALSE(file_text(scratch / "nowhere"));
  EXPECT_FALSE(file_text(scratch.path()));
}

}  // namespace
}  // namespace sim::report
