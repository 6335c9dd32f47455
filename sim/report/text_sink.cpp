// Reads and writes files as one text.
#include "sim/report/text_sink.hpp"

#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

namespace sim::report {

// A file written under a temporary name and renamed at the end.

TextSink::TextSink(std::filesystem::path target)
    : target_(std::move(target)),
      partial_(target_.parent_path() / ("." + target_.filename().string() + ".partial")) {
  file_.reset(std::fopen(partial_.c_str(), "wb"));
  if (!file_) fail("cannot be opened for writing");
}

TextSink::~TextSink() {
  if (!file_) return;
  file_.reset();
  std::error_code ignored;  // destructor: errors cannot be reported
  std::filesystem::remove(partial_, ignored);
}

void TextSink::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail("cannot be written");
}

void TextSink::finish() {
  if (std::fflush(file_.get()) != 0) fail("cannot be written");
  file_.reset();
  std::error_code failed;
  std::filesystem::rename(partial_, target_, failed);
  if (!failed) return;
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
  throw std::system_error(failed, target_.string() + " cannot be renamed to its final name");
}

void TextSink::fail(const std::string& what) const {
  throw std::system_error(errno, std::generic_category(), target_.string() + " " + what);
}

// Reading a file to its end.

std::optional<std::string> file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  const bool empty = file.peek() == std::ifstream::traits_type::eof();  // a stream of nothing would fail
  if (!empty) text << file.rdbuf();
  if (file.bad() || !text) return std::nullopt;
  return text.str();
}

}  // namespace sim::report
