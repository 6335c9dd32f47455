// Seeds of a live learner's random numbers.
#pragma once

#include <cstdint>

namespace learning::learners {

/// Streams of random numbers that must differ.
inline constexpr std::uint64_t parameters_stream = 1;
inline constexpr std::uint64_t compression_stream = 2;

/// The seed of one of these streams.
constexpr std::uint64_t stream_seed(std::uint64_t seed, std::uint64_t which) {
  return seed * 0x9e3779b97f4a7c15ULL + which * 0xbf58476d1ce4e5b9ULL;
}

}  // namespace learning::learners
