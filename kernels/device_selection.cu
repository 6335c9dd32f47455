// The scan that feeds and lists candidates, and the order of all kernels.
#include <cassert>

#include "kernels/block_sums.cuh"
#include "kernels/device_selection.hpp"
#include "kernels/four_floats.cuh"

namespace kernels {
namespace {

// --- the scan: a block takes a tile, a warp an eighth of it, a lane four values in each of eight rounds
// ------------

constexpr std::int64_t selection_warp_values = selection_tile / block_warps;
constexpr std::int64_t round_values = std::int64_t{lanes_of_warp} * 4;
constexpr int rounds = static_cast<int>(selection_warp_values / round_values);

struct ScanScratch {
  WarpValues<double> squares;
  WarpValues<unsigned> hits;
  unsigned long long first;
};

/// The values that a lane has read, and one bit for each that reaches the threshold.
struct Scanned {
  float values[rounds * 4];
  unsigned hits;
};

/// Reads, adds and writes back, and leaves the tile's energy.
template <bool fed>
__device__ void read_tile(const Selecting& work, std::int64_t first, Scanned& scanned,
                          WarpValues<double>& scratch) {
  const bool aligned = is_aligned(work.gradient) && is_aligned(work.residual);
  const Magnitude threshold = work.state->listed;
  double squares = 0;
  scanned.hits = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t at = first + round * round_values;
    FourFloats four = load_four(work.gradient, at, work.elements, aligned);
    if constexpr (fed) {
      const FourFloats before = load_four(work.residual, at, work.elements, aligned);
      for (int i = 0; i < 4; ++i) four.values[i] = before.values[i] + four.values[i];
      store_four(work.residual, at, work.elements, aligned, four);
    }
    for (int i = 0; i < 4; ++i) {
      const float value = four.values[i];
      squares += static_cast<double>(value) * static_cast<double>(value);
      const bool hit = at + i < work.elements && magnitude(value) >= threshold;
      scanned.hits |= (hit ? 1U : 0U) << (round * 4 + i);
      scanned.values[round * 4 + i] = value;
    }
  }
  squares = block_sum(squares, scratch);
  if (threadIdx.x == 0) work.tiles[blockIdx.x].energy_given = squares;
}

/// Appends the tile's hits to the list, by ascending index.
__device__ void list_hits(const Selecting& work, std::int64_t first, const Scanned& scanned,
                          ScanScratch& scratch) {
  const auto own = static_cast<unsigned>(__popc(scanned.hits));
  const unsigned of_warp = warp_sum(own);
  const RunningSum<unsigned> sums = block_running_sum(lane_number() == 0 ? of_warp : 0U, scratch.hits);
  if (threadIdx.x == 0) {
    scratch.first = atomicAdd(&work.state->collected, static_cast<unsigned long long>(sums.total));
    work.tiles[blockIdx.x].first = scratch.first;
    work.tiles[blockIdx.x].count = sums.total;
  }
  __syncthreads();
  if (scratch.first + sums.total > static_cast<unsigned long long>(work.capacity)) return;
  unsigned long long next = scratch.first + __shfl_sync(all_lanes, sums.before, 0);
  for (int round = 0; round < rounds; ++round) {
    const unsigned four = scanned.hits >> (round * 4) & 15U;
    unsigned before = 0, total = 0;
    for (int i = 0; i < 4; ++i) {
      const unsigned lanes = __ballot_sync(all_lanes, static_cast<int>(four >> i & 1U));
      before += static_cast<unsigned>(__popc(lanes & lanes_below()));
      total += static_cast<unsigned>(__popc(lanes));
    }
    for (int i = 0; i < 4; ++i) {
      if ((four >> i & 1U) == 0) continue;
      const std::int64_t at = first + round * round_values + i;
      work.candidates[next + before++] = {static_cast<Index>(at), scanned.values[round * 4 + i]};
    }
    next += total;
  }
}

template <bool fed>
__device__ void scan_tile(const Selecting& work, bool listing, ScanScratch& scratch) {
  const std::int64_t first = std::int64_t{blockIdx.x} * selection_tile +
                             std::int64_t{threadIdx.x / lanes_of_warp} * selection_warp_values +
                             std::int64_t{lane_number()} * 4;
  Scanned scanned;
  read_tile<fed>(work, first, scanned, scratch.squares);
  if (listing) list_hits(work, first, scanned, scratch);
}

__global__ void __launch_bounds__(256) scan(Selecting work, bool listing) {
  __shared__ ScanScratch scratch;
  scan_tile<false>(work, listing, scratch);
}

__global__ void __launch_bounds__(256) scan_fed(Selecting work, bool listing) {
  __shared__ ScanScratch scratch;
  scan_tile<true>(work, listing, scratch);
}

void scan_all(const Selecting& work, bool listing, StreamHandle stream) {
  const LaunchShape shape{divided_up(work.elements, selection_tile), block_threads};
  work.residual == nullptr ? launch("scan", scan, shape, stream, work, listing)
                           : launch("scan_fed", scan_fed, shape, stream, work, listing);
}

__global__ void set_threshold(SelectionState* state, Magnitude threshold) {
  state->listed = threshold;
  state->cut = Cut::from(threshold);
  state->is_cut = true;
}

DeviceMessage message_of(const Selecting& work, std::int64_t most) {
  const auto count = static_cast<std::size_t>(most);
  return {work.elements, {work.sent_values, count}, {work.sent_indices, count}, {}, work.totals};
}

}  // namespace

/// @param most  values that may be sent
Selecting DeviceSelection::prepared(std::span<const float> gradient, float* residual, std::int64_t most,
                                    StreamHandle stream) {
  const auto elements = static_cast<std::int64_t>(gradient.size());
  assert(elements <= most_elements);
  Selecting work{};
  work.gradient = gradient.data();
  work.residual = residual;
  work.values = residual == nullptr ? gradient.data() : residual;
  work.elements = elements;
  work.pair_bytes = pair_bytes_;
  work.tiles = tiles_.reserve(divided_up(elements, selection_tile));
  work.sent_values = sent_values_.reserve(most);
  work.sent_indices = sent_indices_.reserve(most);
  work.totals = totals_.reserve(1);
  if (rescans_.data() == nullptr) {
    clear_bytes(rescans_.reserve(1), sizeof(unsigned long long), stream);
  }
  work.rescans = rescans_.data();
  work.state = state_.reserve(1);
  clear_bytes(work.state, sizeof(SelectionState), stream);
  return work;
}

DeviceMessage DeviceSelection::nothing(StreamHandle stream) {
  DeviceTotals* totals = totals_.reserve(1);
  clear_bytes(totals, sizeof(DeviceTotals), stream);
  return {0, {}, {}, {}, totals};
}

/// Feeds, and lists candidates where that pays.
void DeviceSelection::list(Selecting& work, StreamHandle stream) {
  const bool sampling = sample_pays(work);
  work.capacity = sampling ? candidate_capacity(work.elements, work.enough) : 0;
  work.candidates = candidates_.reserve(work.capacity);
  if (sampling) sample_threshold(work, stream);
  scan_all(work, sampling, stream);
}

DeviceMessage DeviceSelection::find(Selecting work, StreamHandle stream) {
  list(work, stream);
  find_kth_largest(work, stream);
  send_cut(work, stream);
  return message_of(work, work.enough);
}

DeviceMessage DeviceSelection::searched(std::span<const float> gradient, std::span<float> residual,
                                        const CutSearch& search, StreamHandle stream) {
  assert(residual.empty() || gradient.size() == residual.size());
  if (gradient.empty()) return nothing(stream);
  Selecting work = prepared(gradient, residual.empty() ? nullptr : residual.data(), search.most, stream);
  assert(search.enough >= 1);
  work.enough = search.enough;
  work.random_run = search.random_run;
  work.run = search.run;
  list(work, stream);
  search.decide(work);
  find_kth_largest(work, stream);
  send_cut(work, stream);
  return message_of(work, search.most);
}

DeviceMessage DeviceSelection::pass(Selecting work, Magnitude threshold, StreamHandle stream) {
  work.capacity = work.elements;
  work.candidates = candidates_.reserve(work.capacity);
  launch("set_threshold", set_threshold, {1, 1}, stream, work.state, threshold);
  scan_all(work, true, stream);
  send_cut(work, stream);
  return message_of(work, work.elements);
}

DeviceMessage DeviceSelection::largest(std::span<const float> vector, std::int64_t k, StreamHandle stream) {
  if (vector.empty()) return nothing(stream);
  assert(k >= 1 && k <= static_cast<std::int64_t>(vector.size()));
  Selecting work = prepared(vector, nullptr, k, stream);
  work.enough = k;
  return find(work, stream);
}

DeviceMessage DeviceSelection::largest_fed(std::span<const float> gradient, std::span<float> residual,
                                           std::int64_t k, StreamHandle stream) {
  assert(gradient.size() == residual.size());
  if (gradient.empty()) return nothing(stream);
  assert(k >= 1 && k <= static_cast<std::int64_t>(gradient.size()));
  Selecting work = prepared(gradient, residual.data(), k, stream);
  work.enough = k;
  return find(work, stream);
}

DeviceMessage DeviceSelection::above(std::span<const float> vector, Magnitude threshold,
                                     StreamHandle stream) {
  if (vector.empty()) return nothing(stream);
  const Selecting work = prepared(vector, nullptr, static_cast<std::int64_t>(vector.size()), stream);
  return pass(work, threshold, stream);
}

DeviceMessage DeviceSelection::above_fed(std::span<const float> gradient, std::span<float> residual,
                                         Magnitude threshold, StreamHandle stream) {
  assert(gradient.size() == residual.size());
  if (gradient.empty()) return nothing(stream);
  const Selecting work =
      prepared(gradient, residual.data(), static_cast<std::int64_t>(gradient.size()), stream);
  return pass(work, threshold, stream);
}

std::int64_t DeviceSelection::rescans(StreamHandle stream) const {
  if (rescans_.data() == nullptr) return 0;
  const std::span<const unsigned long long> counter(rescans_.data(), 1);
  return static_cast<std::int64_t>(downloaded(counter, stream).front());
}

}  // namespace kernels
