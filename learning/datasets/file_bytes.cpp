// Reading of data files, and unpacking of gzip by Boost.Iostreams.
#include "learning/datasets/file_bytes.hpp"

#include <fstream>
#include <optional>
#include <system_error>

#include "netmodels/quantity.hpp"

#if GRADSIM_HAS_GZIP
#include <ios>

#include <boost/iostreams/device/array.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#endif

namespace learning::datasets {
namespace {

using netmodels::refuse;
using netmodels::Result;
using Bytes = std::vector<std::uint8_t>;
namespace fs = std::filesystem;

std::string printed(std::size_t bytes) {
  return netmodels::print(netmodels::Bytes{static_cast<double>(bytes)}, 3);
}

tl::unexpected<netmodels::Error> too_large(const fs::path& path, std::size_t most_bytes,
                                           const std::string& verb) {
  return refuse(
      path.string(),
      "the file " + verb + " more than " + printed(most_bytes) + ", above the limit for such a file",
      "check that it is the right file");
}

/// @returns nothing where the file can be opened and read
std::optional<netmodels::Error> fault(const fs::path& path, std::size_t most_bytes, const std::string& get) {
  const std::string name = path.string();
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (!fs::exists(status)) return netmodels::Error{name, "file not found", get};
  if (fs::is_directory(status)) return netmodels::Error{name, "this is a folder", "name a file in it"};
  if (!fs::is_regular_file(status)) {
    return netmodels::Error{name, "this is not a regular file", "name a file on a disk"};
  }
  const std::uintmax_t size = fs::file_size(path, failed);
  if (!failed && size > most_bytes) return too_large(path, most_bytes, "has").value();
  return std::nullopt;
}

#if GRADSIM_HAS_GZIP
Result<Bytes> unpacked(const Bytes& packed, const fs::path& path, std::size_t most_bytes) {
  namespace io = boost::iostreams;
  Bytes bytes;
  try {
    io::filtering_istream stream;
    stream.push(io::gzip_decompressor());
    stream.push(io::array_source(reinterpret_cast<const char*>(packed.data()), packed.size()));
    stream.exceptions(std::ios::badbit);  // or else a damaged file would look like a short one
    constexpr std::size_t piece = std::size_t{1} << 20;
    for (std::size_t filled = 0; stream && bytes.size() <= most_bytes;) {
      bytes.resize(filled + piece);
      stream.read(reinterpret_cast<char*>(bytes.data() + filled), static_cast<std::streamsize>(piece));
      filled += static_cast<std::size_t>(stream.gcount());
      bytes.resize(filled);
    }
  } catch (const std::ios::failure&) {  // Boost's gzip_error is one
    return refuse(path.string(), "the gzip file is damaged or truncated", "download the file again");
  }
  if (bytes.size() > most_bytes) return too_large(path, most_bytes, "unpacks to");
  if (bytes.empty()) return refuse(path.string(), "the gzip file is empty", "download the file again");
  return bytes;
}
#else
Result<Bytes> unpacked(const Bytes&, const fs::path& path, std::size_t) {
  return refuse(path.string(), "the file is gzip, which this build cannot unpack (no Boost.Iostreams)",
                "unpack it with `gunzip`");
}
#endif

}  // namespace

Result<Bytes> read_bytes(const fs::path& path, std::size_t most_bytes, const std::string& get) {
  if (auto error = fault(path, most_bytes, get)) return tl::unexpected(std::move(*error));
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  Bytes bytes(file ? static_cast<std::size_t>(file.tellg()) : 0);
  file.seekg(0);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) return refuse(path.string(), "the file cannot be read", "check that you are allowed to read it");
  if (bytes.empty()) return refuse(path.string(), "the file is empty", get);
  const bool gzip = bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
  return gzip ? unpacked(bytes, path, most_bytes) : Result<Bytes>(std::move(bytes));
}

fs::path plain_or_packed(const fs::path& folder, const std::string& name) {
  std::error_code failed;
  const fs::path packed = folder / (name + ".gz");
  return !fs::exists(folder / name, failed) && fs::exists(packed, failed) ? packed : folder / name;
}

}  // namespace learning::datasets
