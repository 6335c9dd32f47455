// Reading of the packed digits.
#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "learning/datasets/file_bytes.hpp"
#include "learning/datasets/readers.hpp"

namespace learning::datasets {
namespace {

using netmodels::refuse;
using netmodels::Result;
namespace fs = std::filesystem;

constexpr std::string_view magic = "OPTD";
constexpr std::size_t header_bytes = 20;
constexpr std::size_t most_optdigits_bytes = 100'000'000;
constexpr std::size_t features = 64;
constexpr std::size_t digit_classes = 10;
constexpr std::uint8_t largest_pixel = 16;

struct Header {
  std::size_t train = 0;
  std::size_t test = 0;
  std::size_t features = 0;
  std::size_t classes = 0;

  bool operator==(const Header&) const = default;
};

std::size_t little_endian(std::span<const std::uint8_t> bytes, std::size_t at) {
  return bytes[at] | std::size_t{bytes[at + 1]} << 8 | std::size_t{bytes[at + 2]} << 16 |
         std::size_t{bytes[at + 3]} << 24;
}

Result<Header> read_header(std::span<const std::uint8_t> bytes, const std::string& where) {
  const std::string hint = "use the optdigits.bin that is shipped with the program";
  if (bytes.size() < header_bytes || !std::ranges::equal(bytes.first(magic.size()), magic)) {
    return refuse(where, "the file does not start with `OPTD` and four numbers", hint);
  }
  const Header header{little_endian(bytes, 4), little_endian(bytes, 8), little_endian(bytes, 12),
                      little_endian(bytes, 16)};
  if (header.features != features || header.classes != digit_classes || header.train == 0 ||
      header.test == 0) {
    return refuse(where,
                  "the header states " + std::to_string(header.train) + " training and " +
                      std::to_string(header.test) + " test samples of " + std::to_string(header.features) +
                      " pixels in " + std::to_string(header.classes) + " classes",
                  "accepted: at least one of each, 64 pixels, 10 classes");
  }
  const std::size_t needed = header_bytes + (header.train + header.test) * (features + 1);
  if (bytes.size() != needed) {
    return refuse(where,
                  "the file has " + std::to_string(bytes.size()) + " bytes, but its header needs " +
                      std::to_string(needed),
                  hint);
  }
  return header;
}

Samples samples_of(std::span<const std::uint8_t> pixels, std::span<const std::uint8_t> labels) {
  return {features,
          {pixels.begin(), pixels.end()},
          1.F / static_cast<float>(largest_pixel),
          0.F,
          {labels.begin(), labels.end()}};
}

}  // namespace

Result<Dataset> load_optdigits(const fs::path& path, const Origin& origin) {
  GRADSIM_TRY(bytes, read_bytes(path, most_optdigits_bytes, origin.get));
  GRADSIM_TRY(header, read_header(*bytes, path.string()));
  const std::size_t count = header->train + header->test;
  const std::span<const std::uint8_t> body = std::span(*bytes).subspan(header_bytes);
  const auto pixels = body.first(count * features);
  const auto labels = body.last(count);
  if (std::ranges::max(pixels) > largest_pixel || std::ranges::max(labels) >= digit_classes) {
    return refuse(path.string(), "a pixel is above 16 or a label above 9",
                  "use the optdigits.bin that is shipped with the program");
  }
  Dataset set;
  set.name = origin.name;
  set.provenance = origin.provenance;
  set.kind = SampleKind::image;
  set.shape = {1, 8, 8};
  set.classes = static_cast<int>(digit_classes);
  set.train = samples_of(pixels.first(header->train * features), labels.first(header->train));
  set.test = samples_of(pixels.subspan(header->train * features), labels.subspan(header->train));
  set.sample_bytes = features + 1;
  set.test.standardise(set.train);
  set.train.standardise(set.train);
  return set;
}

}  // namespace learning::datasets
