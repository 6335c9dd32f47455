// Tests of the CUDA column of the table of compressors: both makers of a row make compressors that agree.
#include "kernels/catalogue.hpp"
#include "tests/device/on_device.hpp"

namespace kernels {
namespace {

using namespace reference;

class OfDeviceCatalogue : public OnDevice {};

/// Normal values whose magnitudes are whole multiples of 2^-16: sums of them are exact in any order, so that
/// the methods whose versions add in different orders agree bit for bit, too.
std::vector<float> exact_vector(std::size_t size, std::uint64_t seed) {
  std::vector<float> vector = normal_vector(size, seed, 1);
  for (float& value : vector) value = std::round(value * 0x1p16F) * 0x1p-16F;
  return vector;
}

/// Equal to 10^-5 of the largest value: PowerSGD's products are sums in different orders.
void expect_nearly_reference(DeviceCompressor& device, Compressor& host, const std::vector<float>& gradient) {
  const Stream stream;
  const Uploaded given(gradient, stream), restored(gradient, stream);
  device.restore(device.compress(given.span(), stream), restored.span(), stream);
  std::vector<float> expected(gradient.size());
  host.restore(host.compress(gradient), expected);
  const std::vector<float> found = restored.host(stream);
  const float most = *std::ranges::max_element(expected, {}, [](float value) { return std::abs(value); });
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], 1e-5F * std::abs(most));
  }
}

void expect_row(const Entry& row, const Settings& settings, const std::vector<float>& gradient,
                const std::vector<float>& residual) {
  if (row.make_on_device == nullptr) return;
  const auto device = row.make_on_device(settings);
  const auto host = row.make(settings);
  ASSERT_NE(device, nullptr);
  if (row.name == "powersgd") return expect_nearly_reference(*device, *host, gradient);
  expect_reference(*device, *host, gradient, residual);
}

TEST(DeviceCatalogue, HasACudaImplementationOfAllButNoneAndThoseOfTensors) {
  for (const Entry& row : catalogue())
    EXPECT_EQ(row.make_on_device == nullptr, row.name == "none" || row.name.starts_with("tensor_"))
        << row.name;
}

TEST_F(OfDeviceCatalogue, EveryRowMakesTheImplementationOfItsCpuRow) {
  const std::vector<float> gradient = exact_vector(20001, 1), residual = exact_vector(20001, 2);
  for (const Entry& row : catalogue()) {
    const Settings settings{.ratio = 0.02, .threshold = 2.5, .seed = 7};
    ASSERT_NO_FATAL_FAILURE(expect_row(row, settings, gradient, residual)) << row.name;
  }
}

TEST_F(OfDeviceCatalogue, EveryRowTakesTheSettingsThatItsCpuRowTakes) {
  const Settings settings{.ratio = 0.3,
                          .threshold = 0.5,
                          .index_bytes = 8,
                          .seed = 5,
                          .replacement = true,
                          .scaled = true,
                          .levels = 5,
                          .bucket = 37,
                          .block = 100,
                          .rank = 3,
                          .layer_sizes = {1000, 0, 1, 2000}};
  const std::vector<float> gradient = exact_vector(3001, 3), residual = exact_vector(3001, 4);
  for (const Entry& row : catalogue()) {
    ASSERT_NO_FATAL_FAILURE(expect_row(row, settings, gradient, residual)) << row.name;
  }
}

}  // namespace
}  // namespace kernels
