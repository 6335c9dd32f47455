// Bisection among candidates, then a run of the band.
#include <cassert>

#include "kernels/cut_search.cuh"
#include "kernels/device_ms_topk.hpp"
#include "kernels/kept.hpp"

namespace kernels {
namespace {

__global__ void begin_ms_topk(const VectorParts* found, std::int64_t k, int rounds, MsTopKSearch* search) {
  *search = {found->mean(), static_cast<double>(absolute(found->largest)), k, rounds};
}

__global__ void __launch_bounds__(256) ask_ms_topk(Selecting work, MsTopKSearch* search) {
  __shared__ AskScratch scratch;
  ask(work, *search, scratch);
}

}  // namespace

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
  MsTopKSearch* search = search_.room(1);
  plan.decide = [&](const Selecting& work) {
    const VectorParts* found = statistics_.measure({work.values, gradient.size()}, stream);
    launch("begin_ms_topk", begin_ms_topk, {1, 1}, stream, found, k, settings_.rounds, search);
    search_rounds(work, search, {"ask_ms_topk", ask_ms_topk, settings_.rounds}, stream);
  };
  return selection_.searched(gradient, residual, plan, stream);
}

}  // namespace kernels
