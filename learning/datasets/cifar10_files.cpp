// Reading of CIFAR-10's binary files.
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

constexpr Shape shape{3, 32, 32};
constexpr std::size_t pixels = 3072;
constexpr std::size_t record_bytes = pixels + 1;
constexpr std::size_t most_batch_bytes = 200'000'000;  // a published batch holds 30.73 MB
constexpr int cifar10_classes = 10;

/// Records of one or more files, taken apart.
struct Records {
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint16_t> labels;
};

Result<void> add_file(Records& records, const fs::path& folder, const std::string& name,
                      const Origin& origin) {
  const fs::path path = plain_or_packed(folder, name);
  GRADSIM_TRY(bytes, read_bytes(path, most_batch_bytes, origin.get));
  if (bytes->size() % record_bytes != 0) {
    return refuse(path.string(),
                  fmt::format("the file has {} bytes, not a multiple of the record size {}", bytes->size(),
                              record_bytes),
                  "download the file again; the binary version is needed, not the one for Python or Matlab");
  }
  records.pixels.reserve(records.pixels.size() + bytes->size());
  for (std::size_t at = 0; at < bytes->size(); at += record_bytes) {
    const std::uint8_t label = (*bytes)[at];
    if (label >= cifar10_classes) {
      return refuse(path.string(), fmt::format("sample {} has the label {}", at / record_bytes, int{label}),
                    "accepted: labels of 0 to 9");
    }
    const std::uint8_t* first = bytes->data() + at + 1;
    records.pixels.insert(records.pixels.end(), first, first + pixels);
    records.labels.push_back(label);
  }
  return {};
}

Samples samples_of(Records records) {
  return {pixels, std::move(records.pixels), 1.F / 255.F, 0.F, std::move(records.labels)};
}

}  // namespace

Result<Dataset> load_cifar10(const fs::path& folder, const Origin& origin) {
  Records train;
  for (int batch = 1; batch <= 5; ++batch) {
    GRADSIM_TRY(added, add_file(train, folder, fmt::format("data_batch_{}.bin", batch), origin));
  }
  Records test;
  if (const auto added = add_file(test, folder, "test_batch.bin", origin); !added) {
    return tl::unexpected(added.error());
  }
  Dataset set;
  set.name = origin.name;
  set.provenance = origin.provenance;
  set.kind = SampleKind::image;
  set.shape = shape;
  set.classes = cifar10_classes;
  set.train = samples_of(std::move(train));
  set.test = samples_of(std::move(test));
  set.sample_bytes = record_bytes;
  set.test.standardise(set.train);
  set.train.standardise(set.train);
  return set;
}

}  // namespace learning::datasets
