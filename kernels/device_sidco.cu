// SIDCo on the device: stage by stage into the tail, one pass over the vector each.
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cut_search.cuh"
#include "kernels/device_selection.hpp"
#include "kernels/device_statistics.hpp"
#include "kernels/magnitude.hpp"
#include "kernels/sidco.hpp"

namespace kernels {
namespace {

__global__ void begin_sidco(const VectorParts* found, double log_stage, SidcoSearch* search) {
  *search = {-found->mean() * log_stage};
}

struct ExcessScratch {
  WarpValues<double> sums;
  WarpValues<std::int64_t> counts;
};

/// Sums by how much the finite values of one tile exceed the threshold, and how many do.
__global__ void __launch_bounds__(256)
    sum_excess(const float* vector, std::int64_t elements, const SidcoSearch* search, double* sums,
               std::int64_t* counts) {
  __shared__ ExcessScratch scratch;
  const double threshold = search->threshold;
  const Magnitude limit = search->requested();
  const std::int64_t first = std::int64_t{blockIdx.x} * selection_tile;
  const std::int64_t end = first + selection_tile < elements ? first + selection_tile : elements;
  double sum = 0;
  std::int64_t count = 0;
  for (std::int64_t i = first + threadIdx.x; i < end; i += block_threads) {
    const Magnitude size = magnitude(vector[i]);
    if (size < limit || size >= infinite_magnitude) continue;
    sum += static_cast<double>(absolute(size)) - threshold;
    ++count;
  }
  sum = block_sum(sum, scratch.sums);
  count = block_sum(count, scratch.counts);
  if (threadIdx.x != 0) return;
  sums[blockIdx.x] = sum;
  counts[blockIdx.x] = count;
}

__global__ void __launch_bounds__(1024)
    raise_threshold(const double* sums, const std::int64_t* counts, std::int64_t tiles, double log_stage,
                    SidcoSearch* search) {
  __shared__ ExcessScratch scratch;
  double sum = 0;
  std::int64_t count = 0;
  for (std::int64_t tile = threadIdx.x; tile < tiles; tile += blockDim.x) {
    sum += sums[tile];
    count += counts[tile];
  }
  sum = block_sum(sum, scratch.sums);
  count = block_sum(count, scratch.counts);
  if (threadIdx.x != 0 || count == 0) return;
  search->threshold -= sum / static_cast<double>(count) * log_stage;
}

__global__ void __launch_bounds__(256) ask_sidco(Selecting work, SidcoSearch* search) {
  __shared__ AskScratch scratch;
  ask(work, *search, scratch);
}

/// The CUDA implementation of Sidco. Means are sums in another order and agree to 10^-12, so thresholds may
/// differ in their last bit, and messages where a value lies just there. Each stage but the first reads the
/// vector once. Its message has memory for all n values.
class DeviceSidco : public DeviceSearching {
 public:
  explicit DeviceSidco(const Sidco::Settings& settings);

  DeviceMessage compress_fed(std::span<const float> gradient, std::span<float> residual,
                             StreamHandle stream) override;

 private:
  void find_threshold(const Selecting& work, StreamHandle stream);

  double ratio_;
  std::vector<double> stages_;
  DeviceStatistics statistics_;
  DeviceWorkspace<SidcoSearch> search_;
  DeviceWorkspace<double> sums_;
  DeviceWorkspace<std::int64_t> counts_;
};

DeviceSidco::DeviceSidco(const Sidco::Settings& settings)
    : DeviceSearching(settings.index_bytes), ratio_(settings.ratio), stages_(Sidco::stages(settings)) {}

void DeviceSidco::find_threshold(const Selecting& work, StreamHandle stream) {
  const std::span<const float> vector(work.values, static_cast<std::size_t>(work.elements));
  const std::int64_t tiles = divided_up(work.elements, selection_tile);
  double* sums = sums_.reserve(tiles);
  std::int64_t* counts = counts_.reserve(tiles);
  SidcoSearch* search = search_.reserve(1);
  launch("begin_sidco", begin_sidco, {1, 1}, stream, statistics_.measure(vector, stream),
         std::log(stages_.front()), search);
  for (const double stage : std::span(stages_).subspan(1)) {
    launch("sum_excess", sum_excess, {tiles, block_threads}, stream, work.values, work.elements, search, sums,
           counts);
    launch("raise_threshold", raise_threshold, one_block(tiles), stream, sums, counts, tiles, std::log(stage),
           search);
  }
}

DeviceMessage DeviceSidco::compress_fed(std::span<const float> gradient, std::span<float> residual,
                                        StreamHandle stream) {
  const auto elements = static_cast<std::int64_t>(gradient.size());
  CutSearch plan;
  plan.enough = 2 * kept(ratio_, elements);  // the threshold is rarely so low that more pass
  plan.most = elements;
  plan.decide = [&](const Selecting& work) {
    find_threshold(work, stream);
    search_rounds(work, search_.data(), {"ask_sidco", ask_sidco, 1}, stream);
  };
  return selection_.searched(gradient, residual, plan, stream);
}

}  // namespace

DeviceCompressorPtr Sidco::make_on_device(const Settings& settings) {
  return std::make_unique<DeviceSidco>(settings);
}

}  // namespace kernels
