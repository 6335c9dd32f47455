// Counting by tiles, positions, sending: a warp takes a tile.
#include <algorithm>

#include "kernels/block_sums.cuh"
#include "kernels/device_selection.hpp"
#include "kernels/selection_sources.cuh"

namespace kernels {
namespace {

/// Side of the cut that a value is on.
struct Side {
  bool sure, band;
};

__device__ Side side_of(const Found& found, const Cut& cut) {
  const Magnitude size = magnitude(found.value);
  return {found.there && size >= cut.high, found.there && size >= cut.low && size < cut.high};
}

__global__ void __launch_bounds__(256) count_sent(Selecting work, std::int64_t tiles) {
  const std::int64_t tile = warp_number();
  if (tile >= tiles) return;
  const bool from_vector = sends_from_vector(work);
  const Cut cut = work.state->cut;
  const Stretch stretch = stretch_of(work, from_vector, tile);
  unsigned sure = 0, band = 0;
  for (std::int64_t first = stretch.first; first < stretch.end; first += lanes_of_warp) {
    const Side side = side_of(found_at(work, from_vector, first + lane_number(), stretch.end), cut);
    sure += side.sure ? 1U : 0U;
    band += side.band ? 1U : 0U;
  }
  sure = warp_sum(sure);
  band = warp_sum(band);
  if (lane_number() == 0) {
    work.tiles[tile].sure = sure;
    work.tiles[tile].band = band;
  }
}

struct TileScratch {
  WarpValues<std::int64_t> sums;
  WarpValues<double> energies;
};

/// Sent part of the band: values number first .. end - 1 by index.
struct Run {
  std::int64_t first, end;
};

/// All threads of the block take part.
__device__ Run run_of(const Selecting& work, std::int64_t tiles, WarpValues<std::int64_t>& scratch) {
  const std::int64_t more = work.state->cut.more;
  if (!work.random_run || more == 0) return {0, more};
  std::int64_t band = 0;
  for (std::int64_t tile = threadIdx.x; tile < tiles; tile += blockDim.x) band += work.tiles[tile].band;
  band = block_sum(band, scratch);
  const auto first =
      static_cast<std::int64_t>(work.run.below(static_cast<std::uint64_t>(band - more + 1), 0));
  return {first, first + more};
}

/// The part of a run that lies before a position in the band.
__device__ std::int64_t sent_before(const Run& run, std::int64_t position) {
  return std::clamp(position, run.first, run.end) - run.first;
}

__device__ void place_tile(SelectionTile& tile, const Run& run, std::int64_t sure, std::int64_t band) {
  const std::int64_t before = sent_before(run, band);
  const std::int64_t skipped = std::max(run.first - band, std::int64_t{0});
  tile.band_before = static_cast<std::uint32_t>(std::min(skipped, std::int64_t{tile.band}));
  tile.band_sent = static_cast<std::uint32_t>(sent_before(run, band + tile.band) - before);
  tile.sent_before = static_cast<std::uint64_t>(sure + before);
}

/// One block: where each tile's values go, and the energy of the vector.
__global__ void __launch_bounds__(1024) place_tiles(Selecting work, std::int64_t tiles) {
  __shared__ TileScratch scratch;
  const Run run = run_of(work, tiles, scratch.sums);
  std::int64_t sure_before = 0, band_before = 0;
  double energy = 0;
  for (std::int64_t first = 0; first < tiles; first += blockDim.x) {
    const std::int64_t tile = first + threadIdx.x;
    const bool there = tile < tiles;
    const std::int64_t sure = there ? work.tiles[tile].sure : 0;
    const std::int64_t band = there ? work.tiles[tile].band : 0;
    const RunningSum<std::int64_t> sure_sums = block_running_sum(sure, scratch.sums);
    const RunningSum<std::int64_t> band_sums = block_running_sum(band, scratch.sums);
    if (there) {
      place_tile(work.tiles[tile], run, sure_before + sure_sums.before, band_before + band_sums.before);
      energy += work.tiles[tile].energy_given;
    }
    sure_before += sure_sums.total;
    band_before += band_sums.total;
  }
  energy = block_sum(energy, scratch.energies);
  if (threadIdx.x != 0) return;
  const std::int64_t sent = sure_before + sent_before(run, band_before);
  work.totals->energy.given = energy;
  work.totals->count = sent;
  work.totals->wire_bytes = sent * work.pair_bytes;
  if (work.capacity > 0 && sends_from_vector(work)) ++*work.rescans;
}

__global__ void __launch_bounds__(256) send(Selecting work, std::int64_t tiles) {
  const std::int64_t tile = warp_number();
  if (tile >= tiles) return;
  const bool from_vector = sends_from_vector(work);
  const Cut cut = work.state->cut;
  const Stretch stretch = stretch_of(work, from_vector, tile);
  const unsigned run_first = work.tiles[tile].band_before, run_length = work.tiles[tile].band_sent;
  std::uint64_t next = work.tiles[tile].sent_before;
  unsigned band_before = 0;
  double squares = 0;
  for (std::int64_t first = stretch.first; first < stretch.end; first += lanes_of_warp) {
    const Found found = found_at(work, from_vector, first + lane_number(), stretch.end);
    const Side side = side_of(found, cut);
    const unsigned band = __ballot_sync(all_lanes, side.band);
    const unsigned position = band_before + static_cast<unsigned>(__popc(band & lanes_below()));
    const bool sent = side.sure || (side.band && position >= run_first && position - run_first < run_length);
    const unsigned all_sent = __ballot_sync(all_lanes, sent);
    if (sent) {
      const std::uint64_t to = next + static_cast<unsigned>(__popc(all_sent & lanes_below()));
      work.sent_values[to] = found.value;
      work.sent_indices[to] = found.index;
      if (work.residual != nullptr) work.residual[found.index] = 0;
      squares += static_cast<double>(found.value) * static_cast<double>(found.value);
    }
    next += static_cast<unsigned>(__popc(all_sent));
    band_before += static_cast<unsigned>(__popc(band));
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

}  // namespace

void send_cut(const Selecting& work, StreamHandle stream) {
  const std::int64_t tiles = divided_up(work.elements, selection_tile);
  launch("count_sent", count_sent, warp_each(tiles), stream, work, tiles);
  launch("place_tiles", place_tiles, one_block(tiles), stream, work, tiles);
  launch("send", send, warp_each(tiles), stream, work, tiles);
  launch("sum_sent", sum_sent, one_block(tiles), stream, work, tiles);
}

}  // namespace kernels
