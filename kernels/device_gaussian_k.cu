// GaussianK on the device: the normal quantile, then halving and raising among candidates.
#include <cassert>
#include <cmath>
#include <memory>
#include <span>

#include "kernels/cut_search.cuh"
#include "kernels/device_selection.hpp"
#include "kernels/device_statistics.hpp"
#include "kernels/gaussian_k.hpp"
#include "kernels/magnitude.hpp"

namespace kernels {
namespace {

__global__ void begin_gaussian_k(const VectorParts* found, double quantile, std::int64_t k, int rounds,
                                 GaussianKSearch* search) {
  const double spread =
      found->finite == 0 ? 0 : sqrt(found->finite_energy / static_cast<double>(found->finite));
  *search = {quantile * spread, k, rounds};
}

__global__ void __launch_bounds__(256) ask_gaussian_k(Selecting work, GaussianKSearch* search) {
  __shared__ AskScratch scratch;
  ask(work, *search, scratch);
}

/// The CUDA implementation of GaussianK. The root mean square is a sum in another order and agrees to 10^-12,
/// so thresholds may differ in their last bit, and messages where a value lies just there. Its message has
/// room for all n values.
class DeviceGaussianK : public DeviceSearching {
 public:
  explicit DeviceGaussianK(const GaussianK::Settings& settings);

  DeviceMessage compress_fed(std::span<const float> gradient, std::span<float> residual,
                             StreamHandle stream) override;

 private:
  GaussianK::Settings settings_;
  double quantile_;
  DeviceStatistics statistics_;
  DeviceWorkspace<GaussianKSearch> search_;
};

DeviceGaussianK::DeviceGaussianK(const GaussianK::Settings& settings)
    : DeviceSearching(settings.index_bytes),
      settings_(settings),
      quantile_(GaussianK::quantile(settings.ratio)) {
  assert(settings.ratio > 0 && settings.ratio <= 1 && settings.rounds >= 0);
}

DeviceMessage DeviceGaussianK::compress_fed(std::span<const float> gradient, std::span<float> residual,
                                            StreamHandle stream) {
  const auto elements = static_cast<std::int64_t>(gradient.size());
  const std::int64_t k = kept(settings_.ratio, elements);
  GaussianKSearch* search = search_.reserve(1);
  CutSearch plan;
  plan.enough = 4 * k / 3 + 1;
  plan.most = elements;
  plan.decide = [&](const Selecting& work) {
    const VectorParts* found = statistics_.measure({work.values, gradient.size()}, stream);
    launch("begin_gaussian_k", begin_gaussian_k, {1, 1}, stream, found, quantile_, k, settings_.rounds,
           search);
    search_rounds(work, search, {"ask_gaussian_k", ask_gaussian_k, settings_.rounds + 1},
                  stream);  // the last asks whether any pass
  };
  return selection_.searched(gradient, residual, plan, stream);
}

}  // namespace

DeviceCompressorPtr GaussianK::make_on_device(const Settings& settings) {
  return std::make_unique<DeviceGaussianK>(settings);
}

}  // namespace kernels
