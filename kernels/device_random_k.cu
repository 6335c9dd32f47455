// Random-k on the device: marks drawn in any order, sent in the order of the vector.
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <memory>
#include <span>

#include "kernels/block_sums.cuh"
#include "kernels/device_compressor.hpp"
#include "kernels/device_statistics.hpp"
#include "kernels/magnitude.hpp"
#include "kernels/permutation.hpp"
#include "kernels/philox.hpp"
#include "kernels/random_k.hpp"

namespace kernels {
namespace {

constexpr std::int64_t random_k_tile = 8192;  // values of one warp

/// How often each index was drawn.
struct Marks {
  unsigned* words;
  bool replacement;  // a word for each index, else a bit

  __device__ unsigned times(std::int64_t index) const {
    if (replacement) return words[index];
    return words[index / lanes_of_warp] >> (index % lanes_of_warp) & 1U;
  }
};

__global__ void mark_distinct(Permutation order, std::int64_t k, unsigned* bits) {
  const std::int64_t i = thread_number();
  if (i >= k) return;
  const std::uint64_t index = order(static_cast<std::uint64_t>(i));
  atomicOr(&bits[index / lanes_of_warp], 1U << (index % lanes_of_warp));
}

__global__ void mark_repeated(RandomStream stream, std::int64_t elements, std::int64_t k, unsigned* counts) {
  const std::int64_t i = thread_number();
  if (i >= k) return;
  atomicAdd(&counts[stream.below(static_cast<std::uint64_t>(elements), static_cast<std::uint64_t>(i))], 1U);
}

struct RandomKWork {
  const float* vector;
  std::int64_t elements, tiles, k;
  Marks marks;
  std::int64_t* sent_before;  // values sent before each tile; at first the number in it
  double* squares;
  float* values;
  Index* indices;
  bool scaled;
  float scale;
};

/// Calls use(there, index, times) for all indices of a tile, 32 at a time.
template <class Use>
__device__ void each_mark(const RandomKWork& work, std::int64_t tile, Use use) {
  const std::int64_t end = std::min((tile + 1) * random_k_tile, work.elements);
  for (std::int64_t first = tile * random_k_tile; first < end; first += lanes_of_warp) {
    const std::int64_t index = first + lane_number();
    use(index, index < end ? work.marks.times(index) : 0U);
  }
}

__global__ void __launch_bounds__(256) count_marks(RandomKWork work) {
  const std::int64_t tile = warp_number();
  if (tile >= work.tiles) return;
  std::int64_t count = 0;
  each_mark(work, tile, [&](std::int64_t, unsigned times) { count += times; });
  count = warp_sum(count);
  if (lane_number() == 0) work.sent_before[tile] = count;
}

__global__ void __launch_bounds__(1024) place_marks(std::int64_t* counts, std::int64_t tiles) {
  __shared__ WarpValues<std::int64_t> scratch;
  std::int64_t before = 0;
  for (std::int64_t first = 0; first < tiles; first += blockDim.x) {
    const std::int64_t tile = first + threadIdx.x;
    const RunningSum<std::int64_t> sums = block_running_sum(tile < tiles ? counts[tile] : 0, scratch);
    if (tile < tiles) counts[tile] = before + sums.before;
    before += sums.total;
  }
}

__global__ void __launch_bounds__(256) send_marked(RandomKWork work) {
  const std::int64_t tile = warp_number();
  if (tile >= work.tiles) return;
  std::int64_t next = work.sent_before[tile];
  double squares = 0;
  each_mark(work, tile, [&](std::int64_t index, unsigned times) {
    if (__ballot_sync(all_lanes, times != 0) == 0) return;
    const std::int64_t running = warp_running_sum(static_cast<std::int64_t>(times));
    if (times != 0) {
      const float value = work.scaled ? work.vector[index] * work.scale : work.vector[index];
      for (unsigned i = 0; i < times; ++i) {  // an index that was drawn again adds nothing without scaling
        work.values[next + running - times + i] = i == 0 || work.scaled ? value : 0.0F;
        work.indices[next + running - times + i] = static_cast<Index>(index);
      }
      const double here = work.scaled ? static_cast<double>(value) * times : static_cast<double>(value);
      squares += here * here;
    }
    next += __shfl_sync(all_lanes, running, lanes_of_warp - 1);
  });
  squares = warp_sum(squares);
  if (lane_number() == 0) work.squares[tile] = squares;
}

__global__ void __launch_bounds__(1024)
    total_of_random_k(RandomKWork work, const VectorParts* found, DeviceTotals* totals) {
  __shared__ WarpValues<double> scratch;
  double sent = 0;
  for (std::int64_t tile = threadIdx.x; tile < work.tiles; tile += blockDim.x) sent += work.squares[tile];
  sent = block_sum(sent, scratch);
  if (threadIdx.x != 0) return;
  totals->energy.sent = sent;
  totals->energy.given = found->energy;
  totals->count = work.k;
  totals->wire_bytes = work.k * static_cast<std::int64_t>(sizeof(float));
}

/// The CUDA implementation of RandomK, bit for bit, for `accumulate` and `subtract` too. The indices are
/// drawn into marks that lie in the order of the vector (a bit for each value; four bytes with replacement),
/// so that nothing need be sorted.
class DeviceRandomK : public DeviceSparsifier {
 public:
  explicit DeviceRandomK(const RandomK::Settings& settings);

  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override;

 private:
  void draw(std::int64_t elements, std::int64_t k, StreamHandle stream);

  RandomK::Settings settings_;
  DeviceStatistics statistics_;
  DeviceWorkspace<unsigned> marks_;
  DeviceWorkspace<std::int64_t> sent_before_;
  DeviceWorkspace<double> squares_;
  DeviceWorkspace<float> values_;
  DeviceWorkspace<Index> indices_;
  DeviceWorkspace<DeviceTotals> totals_;
};

DeviceRandomK::DeviceRandomK(const RandomK::Settings& settings) : settings_(settings) {
  assert(settings.ratio > 0 && settings.ratio <= 1);
}

void DeviceRandomK::draw(std::int64_t elements, std::int64_t k, StreamHandle stream) {
  const RandomStream random{settings_.seed, next_step()};
  if (elements == 0) return;
  const std::int64_t words = settings_.replacement ? elements : divided_up(elements, lanes_of_warp);
  unsigned* marks = marks_.reserve(words);
  clear_bytes(marks, static_cast<std::size_t>(words) * sizeof(unsigned), stream);
  if (settings_.replacement) {
    launch("mark_repeated", mark_repeated, thread_each(k), stream, random, elements, k, marks);
  } else {
    const Permutation order(static_cast<std::uint64_t>(elements), random);
    launch("mark_distinct", mark_distinct, thread_each(k), stream, order, k, marks);
  }
}

DeviceMessage DeviceRandomK::compress(std::span<const float> vector, StreamHandle stream) {
  const auto elements = static_cast<std::int64_t>(vector.size());
  const std::int64_t k = kept(settings_.ratio, elements), tiles = divided_up(elements, random_k_tile);
  draw(elements, k, stream);
  const RandomKWork work{vector.data(),
                         elements,
                         tiles,
                         k,
                         {marks_.data(), settings_.replacement},
                         sent_before_.reserve(tiles),
                         squares_.reserve(tiles),
                         values_.reserve(k),
                         indices_.reserve(k),
                         settings_.scaled,
                         static_cast<float>(elements) / static_cast<float>(k)};
  const VectorParts* found = statistics_.measure(vector, stream);
  if (elements > 0) {
    launch("count_marks", count_marks, warp_each(tiles), stream, work);
    launch("place_marks", place_marks, one_block(tiles), stream, work.sent_before, tiles);
    launch("send_marked", send_marked, warp_each(tiles), stream, work);
  }
  launch("total", total_of_random_k, one_block(tiles), stream, work, found, totals_.reserve(1));
  return {elements, values_.first(k), indices_.first(k), {}, totals_.data()};
}

}  // namespace

DeviceCompressorPtr RandomK::make_on_device(const Settings& settings) {
  return std::make_unique<DeviceRandomK>(settings);
}

}  // namespace kernels
