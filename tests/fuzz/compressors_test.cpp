// The compressors' fuzzing for a moment, in every build: seeded mutations for every row of the table.
#include "tests/fuzz/compressors.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/fuzz/compressor_seeds.hpp"
#include "tests/fuzz/mutator.hpp"

namespace fuzz {
namespace {

constexpr int rounds_per_row = 60;  // of each row and kind of vector
constexpr std::size_t most = 60;    // values of gradient and residual together

class FuzzedRow : public testing::TestWithParam<std::size_t> {};

TEST_P(FuzzedRow, KeepsItsPromisesForAnyBits) {
  Mutator mutated;
  for (std::uint64_t kind = 0; kind <= kernels::reference::all_kinds; ++kind) {
    for (const std::size_t values : {std::size_t{0}, std::size_t{2}, most}) {
      const std::string seed = compressor_seed(GetParam(), kind, values);
      compressors(seed);
      for (int i = 0; i < rounds_per_row; ++i) compressors(mutated(seed));
    }
  }
}

TEST_P(FuzzedRow, KeepsItsPromisesForLongVectors) {
  for (std::uint64_t kind = 0; kind <= kernels::reference::all_kinds; ++kind)
    compressors(compressor_seed(GetParam(), kind, most, 10007));
}

INSTANTIATE_TEST_SUITE_P(Catalogue, FuzzedRow, testing::Range<std::size_t>(0, kernels::catalogue().size()),
                         [](const auto& row) { return std::string(kernels::catalogue()[row.param].name); });

}  // namespace
}  // namespace fuzz
