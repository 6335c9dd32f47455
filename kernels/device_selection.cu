// The scan that feeds and lists candidates, the places in the message, and the sending.
#include <algorithm>
#include <cassert>

#include "kernels/block_sums.cuh"
#include "kernels/device_kth_largest.hpp"
#include "kernels/device_selection.hpp"
#include "kernels/four_floats.cuh"
#include "kernels/selection_sources.cuh"

namespace kernels {
namespace {

// --- the scan: a block takes a tile, a warp an eighth of it, a lane four values in each of eight rounds
// ------------

constexpr std::int64_t warp_values = selection_tile / block_warps;
constexpr std::int64_t round_values = std::int64_t{lanes_of_warp} * 4;
constexpr int rounds = static_cast<int>(warp_values / round_values);

struct ScanScratch {
  WarpValues<double> squares;
  WarpValues<unsigned> hits;
  unsigned long long first;
};

/// What a lane has read: its values, and one bit for each that reaches the threshold.
struct Scanned {
  float values[rounds * 4];
  unsigned hits;
};

/// Reads, adds and writes back, and leaves the tile's energy.
template <bool fed>
__device__ void read_tile(const Selecting& work, std::int64_t first, Scanned& scanned,
                          WarpValues<double>& scratch) {
  const bool aligned = is_aligned(work.gradient) && is_aligned(work.residual);
  const Magnitude threshold = work.state->threshold;
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

/// Appends the tile's hits to the list, by ascending place.
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
                             std::int64_t{threadIdx.x / lanes_of_warp} * warp_values +
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

// --- the sending: a warp takes a tile
// -------------------------------------------------------------------------------

__global__ void __launch_bounds__(256) count_sent(Selecting work, std::int64_t tiles) {
  const std::int64_t tile = warp_number();
  if (tile >= tiles) return;
  const bool from_vector = reads_vector(work);
  const Magnitude last = work.state->known;
  const Stretch stretch = stretch_of(work, from_vector, tile);
  unsigned larger = 0, equal = 0;
  for (std::int64_t first = stretch.first; first < stretch.end; first += lanes_of_warp) {
    const Found found = found_at(work, from_vector, first + lane_number(), stretch.end);
    larger += found.there && magnitude(found.value) > last ? 1U : 0U;
    equal += found.there && magnitude(found.value) == last ? 1U : 0U;
  }
  larger = warp_sum(larger);
  equal = warp_sum(equal);
  if (lane_number() == 0) {
    work.tiles[tile].larger = larger;
    work.tiles[tile].equal = equal;
  }
}

struct PlaceScratch {
  WarpValues<std::int64_t> sums;
  WarpValues<double> energies;
};

/// One block: where each tile's values go, and the energy of the vector.
__global__ void __launch_bounds__(1024) place_tiles(Selecting work, std::int64_t tiles) {
  __shared__ PlaceScratch scratch;
  const std::int64_t equal_wanted = work.state->wanted;
  std::int64_t larger_before = 0, equal_before = 0;
  double energy = 0;
  for (std::int64_t first = 0; first < tiles; first += blockDim.x) {
    const std::int64_t tile = first + threadIdx.x;
    const bool there = tile < tiles;
    const std::int64_t larger = there ? work.tiles[tile].larger : 0;
    const std::int64_t equal = there ? work.tiles[tile].equal : 0;
    const RunningSum<std::int64_t> larger_sums = block_running_sum(larger, scratch.sums);
    const RunningSum<std::int64_t> equal_sums = block_running_sum(equal, scratch.sums);
    if (there) {
      const std::int64_t equal_here = equal_before + equal_sums.before;
      const std::int64_t left = std::max(equal_wanted - equal_here, std::int64_t{0});
      work.tiles[tile].equal_sent = static_cast<std::uint32_t>(std::min(left, equal));
      work.tiles[tile].sent_before =
          static_cast<std::uint64_t>(larger_before + larger_sums.before + std::min(equal_here, equal_wanted));
      energy += work.tiles[tile].energy_given;
    }
    larger_before += larger_sums.total;
    equal_before += equal_sums.total;
  }
  energy = block_sum(energy, scratch.energies);
  if (threadIdx.x != 0) return;
  const std::int64_t sent = larger_before + std::min(equal_before, equal_wanted);
  work.totals->energy.given = energy;
  work.totals->count = sent;
  work.totals->wire_bytes = sent * work.pair_bytes;
}

__global__ void __launch_bounds__(256) send(Selecting work, std::int64_t tiles) {
  const std::int64_t tile = warp_number();
  if (tile >= tiles) return;
  const bool from_vector = reads_vector(work);
  const Magnitude last = work.state->known;
  const Stretch stretch = stretch_of(work, from_vector, tile);
  const unsigned equal_sent = work.tiles[tile].equal_sent;
  std::uint64_t next = work.tiles[tile].sent_before;
  unsigned equal_before = 0;
  double squares = 0;
  for (std::int64_t first = stretch.first; first < stretch.end; first += lanes_of_warp) {
    const Found found = found_at(work, from_vector, first + lane_number(), stretch.end);
    const Magnitude size = magnitude(found.value);
    const unsigned equals = __ballot_sync(all_lanes, found.there && size == last);
    const unsigned place = equal_before + static_cast<unsigned>(__popc(equals & lanes_below()));
    const bool sent = found.there && (size > last || (size == last && place < equal_sent));
    const unsigned all_sent = __ballot_sync(all_lanes, sent);
    if (sent) {
      const std::uint64_t to = next + static_cast<unsigned>(__popc(all_sent & lanes_below()));
      work.sent_values[to] = found.value;
      work.sent_indices[to] = found.index;
      if (work.residual != nullptr) work.residual[found.index] = 0;
      squares += static_cast<double>(found.value) * static_cast<double>(found.value);
    }
    next += static_cast<unsigned>(__popc(all_sent));
    equal_before += static_cast<unsigned>(__popc(equals));
  }
  squares = warp_sum(squares);
  if (lane_number() == 0) work.tiles[tile].energy_sent = squares;
}

__global__ void __launch_bounds__(1024) sum_sent(Selecting work, std::int64_t tiles) {
  __shared__ WarpValues<double> scratch;
  double energy = 0;
  for (std::int64_t tile = threadIdx.x; tile < tiles; tile += blockDim.x) {
    energy += work.tiles[tile].energy_sent;
  }
  energy = block_sum(energy, scratch);
  if (threadIdx.x == 0) work.totals->energy.sent = energy;
}

/// What a magnitude above `last` - or equal to it, up to state->wanted - was found to be, is sent.
void send_found(const Selecting& work, StreamHandle stream) {
  const std::int64_t tiles = divided_up(work.elements, selection_tile);
  launch("count_sent", count_sent, warp_each(tiles), stream, work, tiles);
  launch("place_tiles", place_tiles, one_block(tiles), stream, work, tiles);
  launch("send", send, warp_each(tiles), stream, work, tiles);
  launch("sum_sent", sum_sent, one_block(tiles), stream, work, tiles);
}

void scan_all(const Selecting& work, bool listing, StreamHandle stream) {
  const LaunchShape shape{divided_up(work.elements, selection_tile), block_threads};
  work.residual == nullptr ? launch("scan", scan, shape, stream, work, listing)
                           : launch("scan_fed", scan_fed, shape, stream, work, listing);
}

__global__ void set_threshold(SelectionState* state, Magnitude threshold) {
  state->threshold = threshold;
  state->known = threshold - 1;  // so that all candidates are larger than it
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
  work.tiles = tiles_.room(divided_up(elements, selection_tile));
  work.sent_values = sent_values_.room(most);
  work.sent_indices = sent_indices_.room(most);
  work.totals = totals_.room(1);
  if (rescans_.data() == nullptr) {
    clear_bytes(rescans_.room(1), sizeof(unsigned long long), stream);
  }
  work.rescans = rescans_.data();
  work.state = state_.room(1);
  clear_bytes(work.state, sizeof(SelectionState), stream);
  return work;
}

DeviceMessage DeviceSelection::nothing(StreamHandle stream) {
  DeviceTotals* totals = totals_.room(1);
  clear_bytes(totals, sizeof(DeviceTotals), stream);
  return {0, {}, {}, {}, totals};
}

DeviceMessage DeviceSelection::find(Selecting work, StreamHandle stream) {
  const bool sampling = sample_pays(work);
  work.capacity = sampling ? candidate_room(work.elements, work.wanted) : 0;
  work.candidates = candidates_.room(work.capacity);
  if (sampling) sample_threshold(work, stream);
  scan_all(work, sampling, stream);
  find_kth_largest(work, stream);
  send_found(work, stream);
  return message_of(work, work.wanted);
}

DeviceMessage DeviceSelection::pass(Selecting work, Magnitude threshold, StreamHandle stream) {
  work.capacity = work.elements;
  work.candidates = candidates_.room(work.capacity);
  launch("set_threshold", set_threshold, {1, 1}, stream, work.state, threshold);
  scan_all(work, true, stream);
  send_found(work, stream);
  return message_of(work, work.elements);
}

DeviceMessage DeviceSelection::largest(std::span<const float> vector, std::int64_t k, StreamHandle stream) {
  assert(k >= 0 && k <= static_cast<std::int64_t>(vector.size()));
  if (vector.empty()) return nothing(stream);
  Selecting work = prepared(vector, nullptr, k, stream);
  work.wanted = k;
  return find(work, stream);
}

DeviceMessage DeviceSelection::largest_fed(std::span<const float> gradient, std::span<float> residual,
                                           std::int64_t k, StreamHandle stream) {
  assert(gradient.size() == residual.size() && k >= 0 && k <= static_cast<std::int64_t>(gradient.size()));
  if (gradient.empty()) return nothing(stream);
  Selecting work = prepared(gradient, residual.data(), k, stream);
  work.wanted = k;
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
