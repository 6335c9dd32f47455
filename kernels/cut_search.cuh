// Searches for a threshold on the device: each round counts the values that pass, and gives
// it.
#pragma once

#include "kernels/block_sums.cuh"
#include "kernels/selection_sources.cuh"

namespace kernels {

/// Shared memory of one round.
struct AskScratch {
  WarpValues<unsigned long long> sums;
  bool is_last;
};

/// One round of a search (ms_topk_search.hpp and its like), which lies in device memory; nothing when it is
/// done. All threads of all blocks take part; a kernel that is not a template declares the scratch.
template <class Search>
__device__ void ask(const Selecting& work, Search& search, AskScratch& scratch) {
  if (search.done()) return;
  const bool from_vector = searches_vector(work);
  const std::int64_t count = from_vector ? work.elements : static_cast<std::int64_t>(work.state->collected);
  const Magnitude requested = search.requested();
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  unsigned long long passing = 0;
  for (std::int64_t i = thread_number(); i < count; i += step) {
    passing += magnitude(found_at(work, from_vector, i, count).value) >= requested ? 1U : 0U;
  }
  passing = block_sum(passing, scratch.sums);
  SelectionState& state = *work.state;
  if (threadIdx.x == 0) atomicAdd(&state.passing, passing);
  if (!last_block(state.blocks_done, scratch.is_last) || threadIdx.x != 0) return;
  const volatile unsigned long long& all = state.passing;  // other blocks' sums: not from a nearer cache
  search.hear(static_cast<std::int64_t>(all));
  state.passing = 0;
  state.blocks_done = 0;
}

/// One thread: the result becomes the cut, or the number of largest values still to be found.
__device__ inline void decide(SelectionState& state, const Cut& cut) {
  state.cut = cut;
  state.rank = cut.largest;
  state.is_cut = cut.largest == 0;
}

template <class Search>
__global__ void decide_by(Selecting work, const Search* search) {
  decide(*work.state, search->cut());
}

/// A search's kernel, which calls `ask`, and how often.
template <class Search>
struct Rounds {
  const char* name;  ///< name of the kernel, for the error
  void (*kernel)(Selecting, Search*);
  int count;
};

/// Enqueues all rounds and the decision; rounds after the search is done cost a launch each.
template <class Search>
void search_rounds(const Selecting& work, Search* search, const Rounds<Search>& rounds, StreamHandle stream) {
  for (int round = 0; round < rounds.count; ++round) {
    launch(rounds.name, rounds.kernel, searching_blocks(work.elements), stream, work, search);
  }
  launch("decide_by", decide_by<Search>, {1, 1}, stream, work, search);
}

}  // namespace kernels
