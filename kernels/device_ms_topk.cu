// MSTopk on the device: bisection among candidates, then a run of the band.
#include <cassert>
#include <cstdint>
#include <memory>
#include <span>

#include "kernels/cut_search.cuh"
#include "kernels/device_selection.hpp"
#include "kernels/device_statistics.hpp"
#include "kernels/magnitude.hpp"
#include "kernels/ms_topk.hpp"

namespace kernels {
namespace {

__global__ void begin_ms_topk(const VectorParts* found, std::int64_t k, int rounds, MsTopKSearch* search) {
  *search = {found->mean(), static_cast<double>(absolute(found->largest)), k, rounds};
}

__global__ void __launch_bounds__(256) ask_ms_topk(Selecting work, MsTopKSearch* search) {
  __shared__ AskScratch scratch;
  ask(work, *search, scratch);
}

/// The CUDA implementation of MsTopK. The mean is a sum in another order and agrees to 10^-12, so thresholds
/// may differ in their last bit, and messages where a value lies just there. The rounds ask among a sampled
/// threshold's candidates; they read the vector only where these are too few or too many.
class DeviceMsTopK : public DeviceSearching {
 public:
  explicit DeviceMsTopK(const MsTopK::Settings& settings);

  DeviceMessage compress_fed(std::span<const float> gradient, std::span<float> residual,
                             StreamHandle stream) override;
  [[nodiscard]] bool count_is_fixed() const override { return true; }

 private:
  MsTopK::Settings settings_;
  DeviceStatistics statistics_;
  DeviceWorkspace<MsTopKSearch> search_;
};

DeviceMsTopK::DeviceMsTopK(const MsTopK::Settings& settings)
    : DeviceSearching(settings.index_bytes), settings_(settings) {
  assert(settings.ratio > 0 && settings.ratio <= 1 && settings.rounds >= 1);
}

DeviceMessage DeviceMsTopK::compress_fed(std::span<const float> gradient, std::span<float> residual,
                                         StreamHandle stream) {
  const std::int64_t k = kept(settings_.ratio, static_cast<std::int64_t>(gradient.size()));
  CutSearch plan;
  plan.enough = k + 1;
  plan.most = k;
  plan.random_run = true;
  plan.run = {settings_.seed, next_step()};
  MsTopKSearch* search = search_.reserve(1);
  plan.decide = [&](const Selecting& work) {
    const VectorParts* found = statistics_.measure({work.values, gradient.size()}, stream);
    launch("begin_ms_topk", begin_ms_topk, {1, 1}, stream, found, k, settings_.rounds, search);
    search_rounds(work, search, {"ask_ms_topk", ask_ms_topk, settings_.rounds}, stream);
  };
  return selection_.searched(gradient, residual, plan, stream);
}

}  // namespace

DeviceCompressorPtr MsTopK::make_on_device(const Settings& settings) {
  return std::make_unique<DeviceMsTopK>(settings);
}

}  // namespace kernels
