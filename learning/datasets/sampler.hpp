// The order in which one worker goes through its samples, without end: one random order after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/philox.hpp"
#include "learning/datasets/partitions.hpp"

namespace learning::datasets {

// A random order of some numbers, drawn from a counter-based stream.

/// Puts the numbers into a random order, a function of only the stream and their count. For one or two of
/// many places, kernels::Permutation is the quicker way; for all of them this is, some five times.
/// @param numbers  n < 2^32 of them; each order's draws are even to within n / 2^32
/// Source: Durstenfeld, "Algorithm 235: Random Permutation", CACM 7(7), 1964.
inline void shuffle(std::span<std::uint32_t> numbers, const kernels::RandomStream& stream) {
  std::uint64_t block = 0;
  for (std::size_t left = numbers.size(); left > 1;) {
    for (const std::uint64_t word : stream.block(block++)) {
      if (left <= 1) break;
      const std::uint64_t place = word * left >> 32;
      std::swap(numbers[--left], numbers[place]);
    }
  }
}

// The order in which one worker goes through its samples, without end.

/// An endless stream of sample numbers. Each pass goes once through one chunk, in a new order that is a
/// function of seed, worker and pass. Pass p of worker w is through chunk w, or, where the shards are
/// circular, through chunk (w + p) mod N, so that workers with equal batches are at different chunks. A
/// value: a copy continues independently from the same position, without copying the order.
class Sampler {
 public:
  /// @param worker  below the shards' workers
  Sampler(std::shared_ptr<const Shards> shards, std::uint32_t worker, std::uint64_t seed);

  /// The number of the next sample in the training set.
  std::uint32_t next() {
    if (place_ == order_->size()) begin_pass(pass_ + 1);
    return (*order_)[place_++];
  }

  /// Passes that were begun, less one.
  [[nodiscard]] std::uint64_t pass() const { return pass_; }

 private:
  void begin_pass(std::uint64_t pass);

  std::shared_ptr<const Shards> shards_;
  std::uint32_t worker_;
  std::uint64_t seed_;
  std::uint64_t pass_ = 0;
  std::shared_ptr<const std::vector<std::uint32_t>>
      order_;  ///< sample numbers in the order of this pass; shared by copies, never changed
  std::size_t place_ = 0;
};

}  // namespace learning::datasets
