// Reading of large files piece by piece, plain or compressed by gzip.
#include "files/byte_stream.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <streambuf>
#include <system_error>
#include <unistd.h>

#include "files/descriptor.hpp"
#include "files/input_file.hpp"

#if GRADSIM_HAS_GZIP
#include <boost/iostreams/concepts.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <boost/iostreams/operations.hpp>
#endif

namespace files {
namespace {

using netmodels::refuse;
using netmodels::Result;
using ByteReader = std::function<Result<void>(std::istream&)>;
namespace fs = std::filesystem;

/// The two bytes that begin every gzip file (RFC 1952, 2.3.1), the first left in the stream.
bool begins_as_gzip(std::istream& stream) {
  if (stream.peek() != 0x1f) return false;
  stream.get();
  const bool found = stream.peek() == 0x8b;
  if (stream.bad()) return false;
  stream.clear();
  stream.unget();
  return found;
}

#if GRADSIM_HAS_GZIP
constexpr std::int64_t most_expansion = 200;
constexpr std::int64_t always_accepted = 16 << 20;  // bytes unpacked

/// Bytes that went through, packed and unpacked.
struct Passed {
  std::int64_t packed = 0;
  std::int64_t unpacked = 0;
};

/// A file that unpacks to more than any trace does.
class TooExpansive : public std::exception {};

/// Counts what goes through; Boost copies filters, so that the numbers lie elsewhere.
class Count : public boost::iostreams::multichar_input_filter {
 public:
  Count(Passed& passed, std::int64_t Passed::*kind) : passed_(&passed), kind_(kind) {}

  template <class Source>
  std::streamsize read(Source& source, char* to, std::streamsize most) {
    const std::streamsize got = boost::iostreams::read(source, to, most);
    if (got > 0) passed_->*kind_ += got;
    if (passed_->unpacked > always_accepted && passed_->unpacked / most_expansion > passed_->packed)
      throw TooExpansive();
    return got;
  }

 private:
  Passed* passed_;
  std::int64_t Passed::*kind_;
};

Result<void> read_gzip(std::istream& packed, const std::string& path, const ByteReader& reader) {
  Passed passed;
  boost::iostreams::filtering_streambuf<boost::iostreams::input> unpacking;
  unpacking.push(Count(passed, &Passed::unpacked));
  unpacking.push(boost::iostreams::gzip_decompressor());
  unpacking.push(Count(passed, &Passed::packed));
  unpacking.push(packed);
  std::istream stream(&unpacking);
  stream.exceptions(std::ios::badbit);  // Boost's own exception comes through, and is known from all others
  const auto damaged = [&path] {
    return refuse(path, "the gzip data is truncated or damaged", "use the complete file");
  };
  try {
    return reader(stream);
  } catch (const boost::iostreams::gzip_error&) {
    return damaged();
  } catch (const boost::iostreams::zlib_error&) {
    return damaged();
  } catch (const TooExpansive&) {
    return refuse(path, "the gzip data unpacks to more than 200 times its size",
                  "unpack it by gunzip first, if it is yours");
  }
}
#else
Result<void> read_gzip(std::istream&, const std::string& path, const ByteReader&) {
  return refuse(path, "the file is gzip data, and this program was built without Boost.Iostreams",
                "unpack it by gunzip first");
}
#endif

}  // namespace

/// Throws std::ios_base::failure where the system does not read: a stream turns that into its badbit.
class FileStream::Buffer : public std::streambuf {
 public:
  explicit Buffer(const std::string& path)
      : file_(retried([&path] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); })) {
    if (!file_) failure_ = errno;
  }

  [[nodiscard]] std::optional<int> failure() const { return failure_; }

 protected:
  int_type underflow() override {
    if (!file_) return traits_type::eof();
    const bool has_last = gptr() != nullptr;  // kept in front, so that it can be put back
    const char last = has_last ? gptr()[-1] : '\0';
    char* const begin = bytes_.data() + 1;
    const ssize_t got = retried([&] { return ::read(file_.number(), begin, bytes_.size() - 1); });
    if (got < 0) {
      failure_ = errno;
      throw std::ios_base::failure("the file cannot be read");
    }
    if (got == 0) return traits_type::eof();
    bytes_[0] = last;
    setg(has_last ? bytes_.data() : begin, begin, begin + got);
    return traits_type::to_int_type(*gptr());
  }

 private:
  Descriptor file_;
  std::optional<int> failure_;
  std::array<char, (1U << 16) + 1> bytes_{};
};

FileStream::FileStream(const std::string& path)
    : std::istream(nullptr), buffer_(std::make_unique<Buffer>(path)) {
  rdbuf(buffer_.get());
  if (buffer_->failure()) setstate(std::ios::failbit);
}

FileStream::~FileStream() = default;

std::optional<int> FileStream::failure() const { return buffer_->failure(); }

Result<void> read_stream(const std::string& path, const ByteReader& reader) {
  const fs::path file_path = path == "-" ? "/dev/stdin" : path;
  std::error_code failed;
  const fs::file_status status = fs::status(file_path, failed);
  if (!fs::exists(status)) return refuse(path, "file not found");
  if (fs::is_directory(status)) return refuse(path, "this is a folder", "name a file in it");
  FileStream file(file_path.string());
  const auto unreadable = [&] { return tl::unexpected(unreadable_file(path, file.failure().value_or(EIO))); };
  if (file.failure()) return unreadable();
  try {
    auto read = begins_as_gzip(file) ? read_gzip(file, path, reader) : reader(file);
    if (file.failure()) return unreadable();  // and not what the reader says about half of it
    return read;
  } catch (const std::ios_base::failure&) {
    return unreadable();
  }
}

}  // namespace files
