// Input files: what is read, and every refusal.
#include "files/input_file.hpp"

#include <fcntl.h>
#include <filesystem>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/scratch_folder.hpp"

namespace files {
namespace {

std::string text_or_error(const netmodels::Result<std::string>& result) {
  return result ? *result : result.error().text();
}

TEST(InputFile, BytesAreAllBytes) {
  const tests::ScratchFolder scratch;
  const std::string bytes("a\r\n\0b\xff", 6);
  EXPECT_EQ(read_bytes(scratch.write("bytes", bytes), {}), bytes);
  EXPECT_EQ(read_bytes(scratch.write("empty", ""), {}), "");
  const std::string large(1'000'000, 'x');
  EXPECT_EQ(read_bytes(scratch.write("large", large), {large.size()}), large);
}

TEST(InputFile, AByteOrderMarkIsNotText) {
  const tests::ScratchFolder scratch;
  EXPECT_EQ(read_text(scratch.write("a", "\xEF\xBB\xBFtext")), "text");
}

TEST(InputFile, BehindStandardInputIsReadFromItsPlaceAndLeftThere) {
  const tests::ScratchFolder scratch;
  const int kept = dup(STDIN_FILENO);
  const int file = open(scratch.write("a", "skipped;text").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(dup2(file, STDIN_FILENO), 0);
  lseek(STDIN_FILENO, 8, SEEK_SET);
  EXPECT_TRUE(is_input_a_file());
  EXPECT_EQ(text_or_error(read_input("-")), "text");
  EXPECT_EQ(text_or_error(read_input("-")), "text") << "processes that were forked share the place";
  dup2(kept, STDIN_FILENO);
  close(kept);
  close(file);
}

TEST(InputFile, CodesOfATerminalAreTakenOutOfWhatItShowed) {
  const tests::ScratchFolder scratch;
  const std::string path = scratch.write("a", "\x1b[4m\tGPU0\x1b[0m\n\x1b[1;31mred\x1b[K\n").string();
  EXPECT_EQ(text_or_error(read_terminal_text(path)), "\tGPU0\nred\n");
  EXPECT_EQ(text_or_error(read_terminal_text(scratch.write("b", "a\x1b[").string())), "a");
  const std::string bell = scratch.write("c", "a\n\x07").string();
  EXPECT_EQ(
      text_or_error(read_terminal_text(bell)),
      bell + ":2:1: the file is binary: it contains the control character 7; write plain text in UTF-8");
  EXPECT_EQ(without_terminal_codes("\x1b[12\nb"), "\nb");
}

TEST(InputFile, TooLargeIsRefusedWithBothSizes) {
  const tests::ScratchFolder scratch;
  const std::string path = scratch.write("a", "12345").string();
  EXPECT_EQ(text_or_error(read_bytes(path, {4})),
            path + ": the file has 5 B, above the limit for such a file; give a file of at most 4 B");
}

TEST(InputFile, MissingNamesTheNearestFileOrWhereToGetIt) {
  const tests::ScratchFolder scratch;
  scratch.write("speeds.csv", "");
  const std::string missing = (scratch / "speed.csv").string();
  EXPECT_EQ(text_or_error(read_text(missing)),
            missing + ": file not found; did you mean `" + (scratch / "speeds.csv").string() + "`?");
  EXPECT_EQ(text_or_error(read_bytes(missing, {10, "get it there"})),
            missing + ": file not found; get it there");
}

TEST(InputFile, FoldersDevicesAndFifosAreRefusedAtOnce) {
  const tests::ScratchFolder scratch;
  const std::string fifo = (scratch / "fifo").string();
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(text_or_error(read_text(fifo)), fifo + ": this is not a regular file; name a file on a disk");
  EXPECT_EQ(text_or_error(read_text("/dev/zero")),
            "/dev/zero: this is not a regular file; name a file on a disk");
  const std::string folder = scratch.path().string();
  EXPECT_EQ(text_or_error(read_text(folder)), folder + ": this is a folder; name a file in it");
  EXPECT_EQ(check_input(fifo, {}).error().what, "this is not a regular file");
}

TEST(InputFile, FilesWithoutAnEndStopAtTheLimit) {
  EXPECT_FALSE(read_bytes("/proc/self/mem", {1000}));
  EXPECT_EQ(text_or_error(read_bytes("/proc/self/smaps", {10})),
            "/proc/self/smaps: the file is above the limit for such a file; give a file of at most 10 B");
}

TEST(PlainText, IsAccepted) {
  EXPECT_TRUE(check_text("", "s"));
  EXPECT_TRUE(check_text("a\tb\r\n", "s"));
  EXPECT_TRUE(check_text("\u00e4 \u20ac \U0001F600 \uFEFF", "s"));
}

std::string fault_of(std::string_view text) { return check_text(text, "s").error().text(); }

TEST(PlainText, InvalidUtf8IsRefusedWithItsPlace) {
  for (const char* text : {"abc\xff", "abc\xc0\x80", "abc\xe0\x9f\xbf", "abc\xed\xa0\x80",
                           "abc\xf0\x8f\xbf\xbf", "abc\xf4\x90\x80\x80", "abc\xe2\x82"})
    EXPECT_EQ(fault_of(text), "s:1:4: the text is not valid UTF-8 at byte 3; save the file in UTF-8");
}

TEST(PlainText, ControlCharactersAreRefused) {
  EXPECT_EQ(fault_of({"a\n\0", 3}),
            "s:2:1: the file is binary: it contains the control character 0; write plain text in UTF-8");
  EXPECT_EQ(fault_of("\x1b[31m"),
            "s:1:1: the file is binary: it contains the control character 27; write plain text in UTF-8");
  EXPECT_EQ(fault_of("\u009b"),
            "s:1:1: the file is binary: it contains the control character 155; write plain text in UTF-8");
}

TEST(PlainText, MarksThatTurnTheDirectionAreRefused) {
  EXPECT_EQ(fault_of("a\u202eb"),
            "s:1:2: U+202E turns the direction of the text, which hides what it says; remove it");
  EXPECT_EQ(fault_of("\u2066"),
            "s:1:1: U+2066 turns the direction of the text, which hides what it says; remove it");
}

}  // namespace
}  // namespace files
