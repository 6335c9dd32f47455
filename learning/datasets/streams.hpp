// Random streams by purpose: no two draws of a data set share a stream, for any seed.
#pragma once

#include <cstdint>

#include "kernels/philox.hpp"

namespace learning::datasets {

/// The purpose of random numbers.
enum class Purpose : std::uint8_t {
  held_out = 1,  ///< choice of the samples of a file that become the test set
  partition,     ///< choice of the samples that go to each worker
  proportions,   ///< how many samples of a class go to which worker
  order,         ///< order in which a worker goes through its samples
  donors,        ///< choice of the workers that share samples in a step
};

/// The stream of a purpose; a separate one for each owner below 2^16 and each number below 2^40.
constexpr kernels::RandomStream stream_for(Purpose purpose, std::uint64_t seed, std::uint64_t owner = 0,
                                           std::uint64_t number = 0) {
  constexpr std::uint64_t most = (std::uint64_t{1} << 40) - 1;
  return {seed, std::uint64_t{static_cast<std::uint8_t>(purpose)} << 56 | owner << 40 | (number & most)};
}

}  // namespace learning::datasets
