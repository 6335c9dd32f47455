// Drawing stripes.
#include "learning/datasets/stripes.hpp"

#include "settings/type.hpp"

namespace learning::datasets {
namespace {

constexpr std::size_t side = 8;

Samples striped(std::size_t count) {
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint16_t> labels;
  for (std::size_t sample = 0; sample < count; ++sample) {
    const bool across = sample % 2 == 0;
    for (std::size_t pixel = 0; pixel < side * side; ++pixel)
      pixels.push_back((across ? pixel / side : pixel % side) % 2 == 0 ? 16 : 0);
    labels.push_back(across ? 0 : 1);
  }
  return {side * side, std::move(pixels), 1.F / 16, 0.F, std::move(labels)};
}

}  // namespace

void describe(settings::Fields& fields, Stripes& settings) {
  fields.field({.name = "samples",
                .doc = "Samples of the training set.",
                .fallback = "64",
                .bounds = settings::between(2, 1e6)},
               settings.samples);
}

netmodels::Result<Dataset> make_stripes(const DatasetRow& row, const Stripes& settings, const std::string&) {
  Dataset set;
  set.name = std::string(row.name);
  set.provenance = "drawn";
  set.kind = SampleKind::image;
  set.shape = {1, side, side};
  set.train = striped(static_cast<std::size_t>(settings.samples));
  set.test = striped(16);
  set.sample_bytes = side * side + 1;
  return set;
}

}  // namespace learning::datasets
