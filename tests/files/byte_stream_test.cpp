// Tests of reading piece by piece: plain bytes, gzip, gzip that is cut short.
#include "files/byte_stream.hpp"

#include <cstdint>
#include <fcntl.h>
#include <iterator>
#include <sstream>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

#if GRADSIM_HAS_GZIP
#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#endif

#include "tests/scratch_folder.hpp"

namespace files {
namespace {

class ByteStream : public testing::Test {
 protected:
  [[nodiscard]] std::string write(const std::string& name, const std::string& bytes) const {
    return folder_.write(name, bytes).string();
  }

 private:
  tests::ScratchFolder folder_;
};

/// The whole file, or the text of its refusal.
std::string content(const std::string& path) {
  std::string bytes;
  const auto read = read_stream(path, [&bytes](std::istream& stream) -> netmodels::Result<void> {
    bytes.assign(std::istreambuf_iterator<char>(stream), {});
    return {};
  });
  return read ? bytes : read.error().text();
}

TEST_F(ByteStream, PlainBytesComeAsTheyAre) {
  EXPECT_EQ(content(write("plain.bin", std::string("a\0b", 3))), std::string("a\0b", 3));
  EXPECT_EQ(content(write("one.bin", "\x1f")), "\x1f");
  EXPECT_EQ(content(write("empty.bin", "")), "");
}

TEST_F(ByteStream, WhatIsNoFileIsRefused) {
  EXPECT_EQ(content("nowhere.json"), "nowhere.json: file not found");
  EXPECT_EQ(content("tests"), "tests: this is a folder; name a file in it");
}

TEST_F(ByteStream, ErrorsOfTheReaderComeThrough) {
  const auto read = read_stream(write("plain.bin", "a"), [](std::istream&) -> netmodels::Result<void> {
    return netmodels::refuse("here", "no");
  });
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().text(), "here: no");
}

// /proc/self/mem cannot be read at its beginning, where nothing is mapped.
TEST_F(ByteStream, TheReasonOfAFailureIsThatOfTheReadAndNotOfALaterCall) {
  const auto read = read_stream("/proc/self/mem", [](std::istream& stream) -> netmodels::Result<void> {
    stream.get();
    close(-1);  // another call, with another error
    return {};
  });
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().text(),
            "/proc/self/mem: the file cannot be read: Input/output error; check the disk, and that you are "
            "allowed to read it");
}

TEST_F(ByteStream, AByteMayBePutBackWhereverReadingStopped) {
  const std::string path = write("fifo", "") + ".fifo";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&path] {
    const int fifo = open(path.c_str(), O_WRONLY);
    for (const char* byte : {"\x1f", "a"}) {
      EXPECT_EQ(::write(fifo, byte, 1), 1);
      usleep(1000);
    }
    close(fifo);
  });
  EXPECT_EQ(content(path),
            "\x1f"
            "a");
  writer.join();
}

#if GRADSIM_HAS_GZIP
std::string packed(const std::string& bytes) {
  std::istringstream plain(bytes);
  boost::iostreams::filtering_streambuf<boost::iostreams::input> packing;
  packing.push(boost::iostreams::gzip_compressor());
  packing.push(plain);
  std::ostringstream out;
  boost::iostreams::copy(packing, out);
  return out.str();
}

std::string numbers() {
  std::string text;
  for (std::int64_t i = 0; i < 100'000; ++i) text += std::to_string(i * i % 1009) + "\n";
  return text;
}

TEST_F(ByteStream, GzipIsUnpacked) { EXPECT_EQ(content(write("numbers.gz", packed(numbers()))), numbers()); }

TEST_F(ByteStream, GzipThatIsCutShortOrDamagedIsRefused) {
  const std::string whole = packed(numbers());
  for (const std::size_t length : {whole.size() / 2, whole.size() - 1, whole.size() - 8, std::size_t{11}}) {
    const std::string path = write("cut.gz", whole.substr(0, length));
    EXPECT_EQ(content(path), path + ": the gzip data is truncated or damaged; use the complete file")
        << length;
  }
  std::string damaged = whole;
  damaged[whole.size() / 2] ^= 0x55;
  const std::string path = write("damaged.gz", damaged);
  EXPECT_EQ(content(path), path + ": the gzip data is truncated or damaged; use the complete file");
}
// Deflate packs zeros to a thousandth.
TEST_F(ByteStream, GzipThatUnpacksToFarMoreThanATraceDoesIsRefused) {
  const std::string zeros(17 << 20, '\0');
  const std::string path = write("bomb.gz", packed(zeros));
  EXPECT_EQ(content(path), path +
                               ": the gzip data unpacks to more than 200 times its size; unpack it by gunzip "
                               "first, if it is yours");
  const std::string fewer(15 << 20, '\0');
  EXPECT_EQ(content(write("small.gz", packed(fewer))), fewer);
}
#else
TEST_F(ByteStream, GzipIsRefusedWhereItCannotBeUnpacked) {
  const std::string path = write("packed.gz", "\x1f\x8b\x08");
  EXPECT_EQ(
      content(path),
      path +
          ": the file is gzip data, and this program was built without Boost.Iostreams; unpack it by gunzip "
          "first");
}
#endif

}  // namespace
}  // namespace files
