// DGC on the device: a sample's threshold, lowered among candidates until enough pass.
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <memory>
#include <span>

#include "kernels/cut_search.cuh"
#include "kernels/device_selection.hpp"
#include "kernels/dgc.hpp"
#include "kernels/magnitude.hpp"

namespace kernels {
namespace {

__global__ void draw_sample(const float* vector, std::int64_t elements, std::int64_t count,
                            RandomStream random, float* sample) {
  const std::int64_t i = thread_number();
  if (i >= count) return;
  const auto number = static_cast<std::uint64_t>(i);
  sample[i] = vector[count == elements ? number : random.below(static_cast<std::uint64_t>(elements), number)];
}

__global__ void begin_dgc(DgcSearch begun, const SelectionState* sample, DgcSearch* search) {
  begun.limit = sample->known;
  *search = begun;
}

__global__ void __launch_bounds__(256) ask_dgc(Selecting work, DgcSearch* search) {
  __shared__ AskScratch scratch;
  ask(work, *search, scratch);
}

/// The CUDA implementation of Dgc, bit for bit. Besides its own sample it takes the one of every selection
/// (see DeviceSelection), so that one pass feeds and lists.
class DeviceDgc : public DeviceSearching {
 public:
  explicit DeviceDgc(const Dgc::Settings& settings);

  DeviceMessage compress_fed(std::span<const float> gradient, std::span<float> residual,
                             StreamHandle stream) override;

 private:
  void search_sample(const Selecting& work, const RandomStream& random, StreamHandle stream);

  Dgc::Settings settings_;
  DeviceWorkspace<float> sample_;
  DeviceWorkspace<SelectionState> sample_state_;
  DeviceWorkspace<DgcSearch> search_;
};

DeviceDgc::DeviceDgc(const Dgc::Settings& settings)
    : DeviceSearching(settings.index_bytes), settings_(settings) {
  assert(settings.ratio > 0 && settings.ratio <= 1);
  assert(settings.sample_ratio > 0 && settings.sample_ratio <= 1);
  assert(settings.lower > 0 && settings.lower < 1 && settings.upper >= 1 && settings.rounds >= 0);
}

/// sample_state_'s `known` = the threshold that the sample's share of values reaches.
void DeviceDgc::search_sample(const Selecting& work, const RandomStream& random, StreamHandle stream) {
  const std::int64_t count = Dgc::sampled(settings_, work.elements);
  float* sample = sample_.reserve(count);
  launch("draw_sample", draw_sample, thread_each(count), stream, work.values, work.elements, count, random,
         sample);
  Selecting among{};
  among.values = sample;
  among.elements = count;
  among.enough = kept(settings_.ratio, count);
  among.state = sample_state_.reserve(1);
  clear_bytes(among.state, sizeof(SelectionState), stream);
  find_kth_largest(among, stream);
}

DeviceMessage DeviceDgc::compress_fed(std::span<const float> gradient, std::span<float> residual,
                                      StreamHandle stream) {
  const RandomStream random{settings_.seed, next_step()};
  const auto elements = static_cast<std::int64_t>(gradient.size());
  const std::int64_t k = kept(settings_.ratio, elements);
  const DgcSearch begun = Dgc::search(settings_, k);
  DgcSearch* search = search_.reserve(1);
  CutSearch plan;
  plan.enough = static_cast<std::int64_t>(std::min(begun.most, 0x1p40)) + 1;
  plan.most = std::min(plan.enough - 1, elements);
  plan.decide = [&](const Selecting& work) {
    search_sample(work, random, stream);
    launch("begin_dgc", begin_dgc, {1, 1}, stream, begun, sample_state_.data(), search);
    search_rounds(work, search, {"ask_dgc", ask_dgc, settings_.rounds + 2},
                  stream);  // the sample's, the lowered, and 0
  };
  return selection_.searched(gradient, residual, plan, stream);
}

}  // namespace

DeviceCompressorPtr Dgc::make_on_device(const Settings& settings) {
  return std::make_unique<DeviceDgc>(settings);
}

}  // namespace kernels
