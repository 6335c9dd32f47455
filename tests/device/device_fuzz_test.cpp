// A short run of the compressors' fuzzer on the CUDA implementations: any settings, any bits.
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "tests/device/near_reference.hpp"
#include "tests/device/on_device.hpp"
#include "tests/fuzz/compressor_seeds.hpp"
#include "tests/fuzz/compressors.hpp"
#include "tests/fuzz/mutator.hpp"

namespace kernels {
namespace {

using namespace reference;
using fuzz::FuzzedCompressor;

/// Rows whose CUDA implementation adds up a scale or a mean in another order; all others give the same bits.
constexpr std::array<std::string_view, 8> near_references{"ef_sign", "onebit",  "onebit_adam", "block_1bit",
                                                          "mstopk",  "redsync", "sidco",       "gaussiank"};

/// The device's message of gradient + residual keeps every promise of the CPU's compressor.
void expect_promises(const FuzzedCompressor& fuzzed, DeviceCompressor& device, Compressor& host) {
  const Stream stream;
  std::vector<float> sum = fuzzed.residual;
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += fuzzed.gradient[i];
  const Uploaded gradient(fuzzed.gradient, stream), residual(fuzzed.residual, stream);
  const HostMessage message =
      downloaded(device.compress_fed(gradient.span(), residual.span(), stream), stream);
  fuzz::check_selection(fuzzed, host, sum, message.view());
  host.subtract(message.view(), sum);
  ASSERT_TRUE(same_values(residual.host(stream), sum));
}

void expect_reference_of(const std::string& bytes) {
  FuzzedCompressor fuzzed = fuzz::read_compressor(bytes);
  if (fuzzed.row->make_on_device == nullptr || fuzzed.is("powersgd"))
    return;                   // the byte that says the row changed
  fuzzed.settings.clip = {};  // clipped scales differ in their last place, and values then in their rounding
  const std::unique_ptr<Compressor> host = fuzzed.made();
  const DeviceCompressorPtr device = fuzzed.row->make_on_device(fuzzed.settings);
  if (std::ranges::find(near_references, fuzzed.row->name) != near_references.end()) {
    return host->sparse() ? expect_promises(fuzzed, *device, *host)
                          : expect_near_reference(*device, *host, fuzzed.gradient);
  }
  const auto shift = static_cast<std::int64_t>(fuzzed.settings.seed % 2);
  for (int step = 0; step < 2; ++step)
    ASSERT_NO_FATAL_FAILURE(expect_reference(*device, *host, fuzzed.gradient, fuzzed.residual, shift));
}

class FuzzedImplementation : public OnDevice, public testing::WithParamInterface<std::string_view> {};

TEST_P(FuzzedImplementation, IsThatOfTheCpuForAnyBits) {
  constexpr int rounds = 12;  // of each kind of vector; a device that is emulated is slow
  constexpr std::size_t values = 60;
  const auto row = static_cast<std::size_t>(find(GetParam()) - catalogue().data());
  fuzz::Mutator mutated;
  for (std::uint64_t kind = 0; kind <= all_kinds; ++kind) {
    const std::string seed = fuzz::compressor_seed(row, kind, values);
    ASSERT_NO_FATAL_FAILURE(expect_reference_of(seed)) << "kind " << kind;
    for (int i = 0; i < rounds; ++i) {
      std::string changed = mutated(seed);
      if (!changed.empty()) changed.front() = seed.front();  // still of this row
      ASSERT_NO_FATAL_FAILURE(expect_reference_of(changed)) << "kind " << kind << ", round " << i;
    }
  }
}

TEST_P(FuzzedImplementation, IsThatOfTheCpuForLongVectors) {
  const auto row = static_cast<std::size_t>(find(GetParam()) - catalogue().data());
  for (std::uint64_t kind = 0; kind <= all_kinds; ++kind)
    ASSERT_NO_FATAL_FAILURE(expect_reference_of(fuzz::compressor_seed(row, kind, 60, 10007)))
        << "kind " << kind;
}

/// PowerSGD's are compared by what they restore to, of finite vectors: device_power_sgd_test.cpp.
std::vector<std::string_view> with_cuda() {
  std::vector<std::string_view> names;
  for (const Entry& row : catalogue())
    if (row.make_on_device != nullptr && row.name != "powersgd") names.push_back(row.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, FuzzedImplementation, testing::ValuesIn(with_cuda()),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace kernels
