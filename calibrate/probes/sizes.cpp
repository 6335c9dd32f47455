// Reads sizes.
#include "calibrate/probes/sizes.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "files/text_file.hpp"

namespace calibrate::probes {
namespace {

using netmodels::Bytes;
using netmodels::refuse;
using netmodels::Result;

constexpr Bytes smallest{4};
constexpr Bytes largest{1024.0 * 1024 * 1024};

Result<Bytes> read_size(std::string_view text) {
  const auto size = netmodels::parse<Bytes>(text);
  if (!size) return refuse("--sizes", size.error().what, size.error().hint);
  if (*size < smallest || *size > largest || std::fmod(size->count, smallest.count) != 0) {
    return refuse("--sizes", fmt::format("`{}` is not a size of whole fp32 values", text),
                  "accepted: multiples of 4 bytes, 4 B to 1 GiB");
  }
  return *size;
}

Result<std::vector<Bytes>> read_piece(std::string_view piece) {
  const std::size_t dots = piece.find("..");
  GRADSIM_TRY(first, read_size(files::trimmed(piece.substr(0, dots))));
  if (dots == std::string_view::npos) return std::vector{*first};
  GRADSIM_TRY(last, read_size(files::trimmed(piece.substr(dots + 2))));
  if (*last < *first) {
    return refuse("--sizes", fmt::format("the range `{}` ends before it starts", piece),
                  "accepted: FIRST..LAST");
  }
  std::vector<Bytes> sizes;
  for (Bytes size = *first; size <= *last; size = 2 * size) sizes.push_back(size);
  return sizes;
}

}  // namespace

Result<std::vector<Bytes>> read_sizes(std::string_view text) {
  std::vector<Bytes> sizes;
  for (const std::string_view piece : files::cells_of(text)) {
    GRADSIM_TRY(more, read_piece(piece));
    sizes.insert(sizes.end(), more->begin(), more->end());
  }
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());  // clang 14 rejects ranges::unique
  return sizes;
}

}  // namespace calibrate::probes
