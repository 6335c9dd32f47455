// Reading of large files piece by piece, plain or compressed by gzip.
#include "files/byte_stream.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

#if GRADSIM_HAS_GZIP
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
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
  stream.clear();
  stream.unget();
  return found;
}

#if GRADSIM_HAS_GZIP
Result<void> read_gzip(std::istream& packed, const std::string& path, const ByteReader& reader) {
  boost::iostreams::filtering_streambuf<boost::iostreams::input> unpacking;
  unpacking.push(boost::iostreams::gzip_decompressor());
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
  }
}
#else
Result<void> read_gzip(std::istream&, const std::string& path, const ByteReader&) {
  return refuse(path, "the file is gzip data, and this program was built without Boost.Iostreams",
                "unpack it by gunzip first");
}
#endif

}  // namespace

Result<void> read_stream(const std::string& path, const ByteReader& reader) {
  const fs::path file_path = path == "-" ? "/dev/stdin" : path;
  std::error_code failed;
  const fs::file_status status = fs::status(file_path, failed);
  if (!fs::exists(status)) return refuse(path, "file not found");
  if (fs::is_directory(status)) return refuse(path, "this is a folder", "name a file in it");
  std::ifstream file(file_path, std::ios::binary);
  if (!file) return refuse(path, "the file cannot be read", "check that you are allowed to read it");
  return begins_as_gzip(file) ? read_gzip(file, path, reader) : reader(file);
}

}  // namespace files
