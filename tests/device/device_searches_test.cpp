// Tests of the methods that search for a threshold on the device, against their CPU versions.
#include <memory>
#include <utility>

#include "kernels/dgc.hpp"
#include "kernels/gaussian_k.hpp"
#include "kernels/ms_topk.hpp"
#include "kernels/redsync.hpp"
#include "kernels/sidco.hpp"
#include "tests/device/on_device.hpp"

namespace kernels {
namespace {

using namespace reference;

template <class Host>
class OfDeviceSearch : public OnDevice {
 protected:
  static typename Host::Settings settings(double ratio) {
    typename Host::Settings own;
    own.ratio = ratio;
    return own;
  }

  /// @param rescans  of the two calls, without and with error feedback: those that read the vector, not a
  /// list
  static void expect_references_of(double ratio, const std::vector<float>& gradient,
                                   const std::vector<float>& residual, std::int64_t rescans,
                                   std::int64_t shift = 0) {
    const auto device = Host::make_on_device(settings(ratio));
    Host host(settings(ratio));
    ASSERT_NO_FATAL_FAILURE(expect_reference(*device, host, gradient, residual, shift)) << ratio;
    EXPECT_EQ(device->rescans(nullptr), rescans) << ratio;
  }
};

using AllSearches = testing::Types<MsTopK, RedSync, GaussianK, Dgc, Sidco>;
TYPED_TEST_SUITE(OfDeviceSearch, AllSearches);

TYPED_TEST(OfDeviceSearch, EqualsItsCpuReferenceForAnyBits) {
  expect_references(11, 150, [](Random& random) {
    const auto settings = TestFixture::settings(random_ratio(random));
    return std::pair(TypeParam::make_on_device(settings), std::make_unique<TypeParam>(settings));
  });
}

TYPED_TEST(OfDeviceSearch, EqualsItsCpuReferenceAmongCandidates) {
  constexpr std::size_t size = 150001;  // long enough for the sampled threshold
  for (const double ratio : {0.001, 0.01, 0.1}) {
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      this->expect_references_of(ratio, normal_vector(size, seed), normal_vector(size, seed + 9), 0,
                                 static_cast<std::int64_t>(seed));
    }
  }
}

TYPED_TEST(OfDeviceSearch, EqualsItsCpuReferenceWhereEqualValuesOverflowTheCandidates) {
  constexpr std::size_t size = 70001;
  std::vector<float> gradient(size, 0.5F);
  gradient[7] = 2;
  gradient[size - 1] = -1;
  this->expect_references_of(0.01, gradient, std::vector<float>(size), 2);
}

TYPED_TEST(OfDeviceSearch, EqualsItsCpuReferenceInHeavyTails) {
  constexpr std::size_t size = 70001;
  Random random(5);
  std::vector<float> gradient(size);
  for (float& value : gradient) value = random_value(random, 1);
  const auto device = TypeParam::make_on_device(this->settings(0.01));
  TypeParam host(this->settings(0.01));
  expect_reference(*device, host, gradient, std::vector<float>(size));
}

TYPED_TEST(OfDeviceSearch, OfNothingIsNothing) {
  const auto device = TypeParam::make_on_device(this->settings(0.01));
  const HostMessage message = downloaded(device->compress({}, nullptr), nullptr);
  EXPECT_EQ(message.elements, 0);
  EXPECT_EQ(message.wire_bytes, 0);
  EXPECT_EQ(message.energy.gain(), 1);
}

using OfDeviceRedSync = OnDevice;
using OfDeviceGaussianK = OnDevice;
using OfDeviceSidco = OnDevice;
using OfDeviceMsTopK = OnDevice;

TEST_F(OfDeviceRedSync, StopsWhenItsRoundsAreOver) {
  expect_references(12, 100, [](Random& random) {
    RedSync::Settings settings;
    settings.ratio = random_ratio(random);
    settings.rounds = 1 + static_cast<int>(below(random, 3));
    return std::pair(RedSync::make_on_device(settings), std::make_unique<RedSync>(settings));
  });
}

TEST_F(OfDeviceGaussianK, StopsWhenItsRoundsAreOver) {
  expect_references(13, 100, [](Random& random) {
    GaussianK::Settings settings;
    settings.ratio = random_ratio(random);
    settings.rounds = static_cast<int>(below(random, 3));
    return std::pair(GaussianK::make_on_device(settings), std::make_unique<GaussianK>(settings));
  });
}

TEST_F(OfDeviceGaussianK, SendsWhatLiesBelowItsCandidatesToo) {
  // Three times as many values as wanted lie above the quantile, which itself lies below all candidates.
  std::vector<float> gradient = normal_vector(150001, 4);
  for (std::size_t i = 0; i < gradient.size(); i += 33) gradient[i] += 5;
  GaussianK::Settings settings;
  settings.ratio = 0.01;
  settings.rounds = 0;
  GaussianK host(settings);
  const auto device = GaussianK::make_on_device(settings);
  EXPECT_GT(host.compress(gradient).indices.size(), 4000U);
  expect_reference(*device, host, gradient, std::vector<float>(gradient.size()));
}

TEST_F(OfDeviceSidco, EqualsItsCpuReferenceForOtherStages) {
  expect_references(14, 100, [](Random& random) {
    Sidco::Settings settings;
    settings.ratio = random_ratio(random);
    settings.first = below(random, 2) == 0 ? 0.75 : 0.1;
    settings.later = 0.5;
    return std::pair(Sidco::make_on_device(settings), std::make_unique<Sidco>(settings));
  });
}

TEST_F(OfDeviceMsTopK, LooksAtTheVectorOnlyWhereItMust) {
  const Stream stream;
  const Uploaded normal(normal_vector(150001, 3), stream);
  const auto device = MsTopK::make_on_device({0.01});
  device->compress(normal.span(), stream);
  EXPECT_EQ(device->rescans(stream), 0);
  const Uploaded equal(std::vector<float>(150001, 0.5F), stream);
  device->compress(equal.span(), stream);
  EXPECT_EQ(device->rescans(stream), 1);
}

TEST_F(OfDeviceMsTopK, SendsARunOfTheBandThatTheStepBegins) {
  // Values that one round cannot separate: a run of 4 of the other 10, at a place that changes with the
  // step.
  const std::vector<float> vector{10, 5.1F, 5.2F, 5.3F, 5.4F, 5.1F, 5.2F, 5.3F, 5.4F, 0, 0};
  MsTopK::Settings settings;
  settings.ratio = 0.45;
  settings.rounds = 1;
  MsTopK host(settings);
  const auto device = MsTopK::make_on_device(settings);
  const Stream stream;
  const Uploaded given(vector, stream);
  std::vector<std::vector<Index>> sent;
  for (int step = 0; step < 6; ++step) {
    const HostMessage message = downloaded(device->compress(given.span(), stream), stream);
    ASSERT_NO_FATAL_FAILURE(expect_same_message(message, host.compress(vector)));
    sent.push_back(message.indices);
  }
  EXPECT_NE(std::ranges::adjacent_find(sent, std::not_equal_to<>()), sent.end());
}

}  // namespace
}  // namespace kernels
