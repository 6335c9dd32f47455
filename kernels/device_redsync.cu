// RedSync on the device: bisection among candidates until k to 2k pass.
#include <algorithm>
#include <cassert>
#include <memory>
#include <span>

#include "kernels/cut_search.cuh"
#include "kernels/device_selection.hpp"
#include "kernels/device_statistics.hpp"
#include "kernels/magnitude.hpp"
#include "kernels/redsync.hpp"

namespace kernels {
namespace {

__global__ void begin_redsync(const VectorParts* found, std::int64_t elements, std::int64_t k, int rounds,
                              RedSyncSearch* search) {
  RedSyncSearch begun;
  begun.mean = found->mean();
  begun.largest = static_cast<double>(absolute(found->largest));
  begun.elements = elements;
  begun.k = k;
  begun.rounds_left = rounds;
  *search = begun;
}

__global__ void __launch_bounds__(256) ask_redsync(Selecting work, RedSyncSearch* search) {
  __shared__ AskScratch scratch;
  ask(work, *search, scratch);
}

/// The CUDA implementation of RedSync. The mean is a sum in another order and agrees to 10^-12, so thresholds
/// may differ in their last bit, and messages where a value lies just there. Its message has memory for 2k
/// values.
class DeviceRedSync : public DeviceSearching {
 public:
  explicit DeviceRedSync(const RedSync::Settings& settings);

  DeviceMessage compress_fed(std::span<const float> gradient, std::span<float> residual,
                             StreamHandle stream) override;

 private:
  RedSync::Settings settings_;
  DeviceStatistics statistics_;
  DeviceWorkspace<RedSyncSearch> search_;
};

DeviceRedSync::DeviceRedSync(const RedSync::Settings& settings)
    : DeviceSearching(settings.index_bytes), settings_(settings) {
  assert(settings.ratio > 0 && settings.ratio <= 1 && settings.rounds >= 1);
}

DeviceMessage DeviceRedSync::compress_fed(std::span<const float> gradient, std::span<float> residual,
                                          StreamHandle stream) {
  const auto elements = static_cast<std::int64_t>(gradient.size());
  const std::int64_t k = kept(settings_.ratio, elements);
  RedSyncSearch* search = search_.reserve(1);
  CutSearch plan;
  plan.enough = 2 * k + 1;
  plan.most = std::min(2 * k, elements);
  plan.decide = [&](const Selecting& work) {
    const VectorParts* found = statistics_.measure({work.values, gradient.size()}, stream);
    launch("begin_redsync", begin_redsync, {1, 1}, stream, found, elements, k, settings_.rounds, search);
    search_rounds(work, search, {"ask_redsync", ask_redsync, settings_.rounds + 1},
                  stream);  // the mean, then the bisections
  };
  return selection_.searched(gradient, residual, plan, stream);
}

}  // namespace

DeviceCompressorPtr RedSync::make_on_device(const Settings& settings) {
  return std::make_unique<DeviceRedSync>(settings);
}

}  // namespace kernels
