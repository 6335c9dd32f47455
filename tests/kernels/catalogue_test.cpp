// Tests of the table of compressors, and of their common properties.
#include "kernels/catalogue.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>
#include <set>
#include <string>

#include "kernels/device_compressor.hpp"
#include "kernels/error_feedback.hpp"
#include "tests/kernels/reference.hpp"

namespace {
std::atomic<long> allocations{0};
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace kernels {
namespace {

using namespace reference;

TEST(Catalogue, RowsAreNamedOnceAndExplained) {
  std::set<std::string_view> names;
  for (const Entry& row : catalogue()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(row.summary.ends_with('.')) << row.name;
    EXPECT_FALSE(row.source.empty()) << row.name;
    EXPECT_EQ(find(row.name), &row);
  }
  EXPECT_EQ(find("top-k"), nullptr);
}

TEST(Catalogue, RowsWithAWireFormatComeFirst) {
  EXPECT_TRUE(
      std::ranges::is_partitioned(catalogue(), [](const Entry& row) { return row.stages != nullptr; }));
}

TEST(Catalogue, MakesEveryCompressorWithDefaults) {
  EXPECT_FALSE(validate({}));
  for (const Entry& row : catalogue()) EXPECT_NE(row.make({}), nullptr) << row.name;
}

TEST(Catalogue, WithoutTheCudaLibraryNothingIsMadeOnADevice) {  // this program does not link it
  for (const Entry& row : catalogue()) {
    if (row.name == "none" || row.name.starts_with("tensor_")) continue;  // which have no CUDA implementation
    ASSERT_NE(row.make_on_device, nullptr) << row.name;
    EXPECT_EQ(row.make_on_device({}), nullptr) << row.name;
  }
  EXPECT_EQ(find("none")->make_on_device, nullptr);
}

TEST(Catalogue, ValidateNamesSettingValueAndRange) {
  EXPECT_EQ(validate({.ratio = 0}), "ratio 0 is outside (0, 1]");
  EXPECT_EQ(validate({.ratio = 1.5}), "ratio 1.500000 is outside (0, 1]");
  EXPECT_TRUE(validate({.ratio = std::numeric_limits<double>::quiet_NaN()}));
  EXPECT_TRUE(validate({.first_ratio = -1}));
  EXPECT_EQ(validate({.threshold = std::numeric_limits<double>::infinity()}),
            "threshold inf is outside [0, infinity)");
  EXPECT_EQ(validate({.index_bytes = 5}), "index_bytes 5 is not 4 or 8");
  EXPECT_EQ(validate({.levels = 128}), "levels 128 is outside [1, 127]");
  EXPECT_EQ(validate({.bucket = 0}), "bucket 0 is outside [1, ...)");
  EXPECT_TRUE(validate({.block = 0}));
  EXPECT_EQ(validate({.clip = 0.0}), "clip 0 is outside (0, infinity)");
  EXPECT_TRUE(validate({.rank = 0}));
  EXPECT_TRUE(validate({.shape = {3, 0}}));
  EXPECT_TRUE(validate({.layer_sizes = {3, -1}}));
  EXPECT_EQ(validate({.tensor_sizes = {3, -1}}), "tensor size -1 is outside [0, ...)");
}

/// Every row with vectors of nothing, one value, and one that is no multiple of anything.
class EveryCompressor : public testing::TestWithParam<std::string_view> {
 protected:
  std::unique_ptr<Compressor> compressor_ = find(GetParam())->make({});
};

TEST_P(EveryCompressor, TakesNothingOneValueAndOddSizes) {
  for (const std::size_t size : {0U, 1U, 2U, 7U, 31U, 127U, 129U, 4095U, 4097U, 8193U}) {
    const std::vector<float> vector = normal_vector(size, size);
    const Message message = compressor_->compress(vector);
    EXPECT_EQ(message.elements, static_cast<std::int64_t>(size));
    std::vector<float> restored(size, 1.0F);
    compressor_->restore(message, restored);
    EXPECT_TRUE(near(message.energy.sent, plain_energy(restored), 1e-4)) << size;
    EXPECT_TRUE(near(message.energy.given, plain_energy(vector))) << size;
  }
}

TEST_P(EveryCompressor, AllocatesNothingAfterTheFirstCall) {
  const std::vector<float> vector = normal_vector(20000, 1);
  ErrorFeedback memory(20000);
  std::vector<float> sum(20000);
  compressor_->accumulate(memory.compress(*compressor_, vector), sum);
  compressor_->compress(std::vector<float>(20000, 1.0F));  // all equal: nothing is thinned out
  memory.compress(*compressor_, vector);
  const long before = allocations;
  for (int step = 0; step < 5; ++step) {
    compressor_->accumulate(memory.compress(*compressor_, vector), sum);
    compressor_->compress(vector);
  }
  EXPECT_EQ(allocations, before);
}

TEST_P(EveryCompressor, IsAFunctionOfVectorSeedAndStep) {
  const std::vector<float> vector = normal_vector(3000, 2);
  std::unique_ptr<Compressor> other = find(GetParam())->make({});
  std::vector<float> first(3000), second(3000);
  for (std::uint64_t step = 0; step < 3; ++step) {
    compressor_->restore(compressor_->compress(vector), first);
    other->set_step(step);
    other->restore(other->compress(vector), second);
    EXPECT_TRUE(same_bits(first, second));
  }
}

TEST_P(EveryCompressor, FeedbackInOnePassIsFeedbackInTwo) {
  std::unique_ptr<Compressor> other = find(GetParam())->make({});
  ErrorFeedback one(9000), two(9000);
  std::vector<float> sent(9000), sent_too(9000);
  for (std::uint64_t step = 0; step < 4; ++step) {
    const std::vector<float> gradient = normal_vector(9000, step);
    compressor_->restore(one.compress(*compressor_, gradient), sent);
    const std::span<const float> fed = two.feed(gradient);
    const Message message = other->compress(fed);
    other->restore(message, sent_too);
    two.keep(*other, message);
    ASSERT_TRUE(same_bits(one.residual(), two.residual()));
    ASSERT_TRUE(same_bits(sent, sent_too) || GetParam() == "none");
  }
}

TEST_P(EveryCompressor, SurvivesAnyBits) {
  Random random(29);
  for (int round = 0; round < 300; ++round) {
    const std::vector<float> vector = random_vector(random, random_size(random, 500));
    const Message message = compressor_->compress(vector);
    std::vector<float> restored(vector.size()), rest = vector;
    compressor_->restore(message, restored);
    compressor_->subtract(message, rest);
  }
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> all;
  for (const Entry& row : catalogue()) all.push_back(row.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryCompressor, testing::ValuesIn(names()),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace kernels
