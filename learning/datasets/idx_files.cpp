// Reading of IDX files.
#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "learning/datasets/file_bytes.hpp"
#include "learning/datasets/readers.hpp"

namespace learning::datasets {
namespace {

using netmodels::refuse;
using netmodels::Result;
namespace fs = std::filesystem;

constexpr std::size_t most_idx_bytes = 1'000'000'000;
constexpr std::size_t largest_side = 1024;
constexpr std::uint8_t idx_classes = 10;

/// The numbers of one file, each a byte, and how many there are in each dimension.
struct Block {
  std::vector<std::size_t> sizes;  ///< samples, and of images: rows, columns
  std::vector<std::uint8_t> bytes;
};

/// One half of a set.
struct Part {
  Shape shape;
  Samples samples;
};

std::size_t big_endian(std::span<const std::uint8_t> bytes, std::size_t at) {
  return std::size_t{bytes[at]} << 24 | std::size_t{bytes[at + 1]} << 16 | std::size_t{bytes[at + 2]} << 8 |
         bytes[at + 3];
}

/// @param dimensions  1 of labels, 3 of images
Result<Block> read_block(const fs::path& folder, const std::string& name, std::size_t dimensions,
                         const Origin& origin) {
  const fs::path path = plain_or_packed(folder, name);
  GRADSIM_TRY(bytes, read_bytes(path, most_idx_bytes, origin.get));
  const std::size_t header = 4 + 4 * dimensions;
  const std::size_t magic = 0x800 + dimensions;  // 08: bytes
  if (bytes->size() < header || big_endian(*bytes, 0) != magic) {
    return refuse(path.string(), fmt::format("the file does not start with an IDX header ({:08x})", magic),
                  origin.get);
  }
  Block block;
  for (std::size_t i = 0; i < dimensions; ++i) block.sizes.push_back(big_endian(*bytes, 4 + 4 * i));
  std::size_t needed = block.sizes[0];
  for (std::size_t i = 1; i < dimensions; ++i) {
    if (block.sizes[i] == 0 || block.sizes[i] > largest_side) {
      return refuse(path.string(),
                    fmt::format("the header states images of {} x {}", block.sizes[1], block.sizes[2]),
                    "accepted: 1 to 1024 pixels each way");
    }
    needed *= block.sizes[i];
  }
  if (needed == 0 || bytes->size() != header + needed) {
    return refuse(path.string(),
                  fmt::format("the file has {} bytes, but its header of {} samples needs {}", bytes->size(),
                              block.sizes[0], header + needed),
                  origin.get);
  }
  bytes->erase(bytes->begin(), bytes->begin() + static_cast<std::ptrdiff_t>(header));
  block.bytes = std::move(*bytes);
  return block;
}

Result<Part> read_part(const fs::path& folder, const std::string& prefix, const Origin& origin) {
  GRADSIM_TRY(images, read_block(folder, prefix + "-images-idx3-ubyte", 3, origin));
  GRADSIM_TRY(labels, read_block(folder, prefix + "-labels-idx1-ubyte", 1, origin));
  const std::string where = plain_or_packed(folder, prefix + "-labels-idx1-ubyte").string();
  if (labels->sizes[0] != images->sizes[0]) {
    return refuse(where, fmt::format("{} labels for {} images", labels->sizes[0], images->sizes[0]),
                  "use both files of one data set");
  }
  const auto wrong =
      std::ranges::find_if(labels->bytes, [](std::uint8_t label) { return label >= idx_classes; });
  if (wrong != labels->bytes.end()) {
    return refuse(where,
                  fmt::format("sample {} has the label {}", wrong - labels->bytes.begin(), int{*wrong}),
                  "accepted: labels of 0 to 9");
  }
  const Shape shape{1, static_cast<int>(images->sizes[1]), static_cast<int>(images->sizes[2])};
  return Part{shape, Samples(shape.size(), std::move(images->bytes), 1.F / 255.F, 0.F,
                             {labels->bytes.begin(), labels->bytes.end()})};
}

}  // namespace

Result<Dataset> load_idx(const fs::path& folder, const Origin& origin) {
  GRADSIM_TRY(train, read_part(folder, "train", origin));
  GRADSIM_TRY(test, read_part(folder, "t10k", origin));
  if (train->shape != test->shape) {
    return refuse(folder.string(),
                  fmt::format("training images are {} x {}, test images {} x {}", train->shape.height,
                              train->shape.width, test->shape.height, test->shape.width),
                  "use all files of one data set");
  }
  Dataset set;
  set.name = origin.name;
  set.provenance = origin.provenance;
  set.kind = SampleKind::image;
  set.shape = train->shape;
  set.classes = idx_classes;
  set.sample_bytes = train->shape.size() + 1;
  set.train = std::move(train->samples);
  set.test = std::move(test->samples);
  set.test.standardise(set.train);
  set.train.standardise(set.train);
  return set;
}

}  // namespace learning::datasets
