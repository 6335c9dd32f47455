// Reads data files and unpacks gzip by Boost.Iostreams.
#include "learning/datasets/file_bytes.hpp"

#include <system_error>

#include "files/input_file.hpp"
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

tl::unexpected<netmodels::Error> too_large(const fs::path& path, std::size_t most_bytes) {
  return refuse(path.string(),
                "the file unpacks to more than " +
                    netmodels::print(netmodels::Bytes{static_cast<double>(most_bytes)}, 3) +
                    ", above the limit for such a file",
                "check that it is the right file");
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
  if (bytes.size() > most_bytes) return too_large(path, most_bytes);
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
  GRADSIM_TRY(text, files::read_bytes(path, {most_bytes, get}));
  Bytes bytes(text->begin(), text->end());
  text->clear();
  text->shrink_to_fit();
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
