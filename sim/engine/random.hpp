// Random numbers by counting: the same for a seed, a stream and an index, independent of earlier draws.
#pragma once

#include <cstdint>

namespace sim::engine {

/// The purpose of a number; streams are independent.
enum class Stream : std::uint64_t {
  jitter = 1,
  probe = 2,
  audit = 3,
  rates = 4,
  participants = 5,
  churn = 6
};

/// Draws for one (seed, stream, index).
class Draw {
 public:
  Draw(std::uint64_t seed, Stream stream, std::uint64_t index, std::uint64_t sub_index = 0);

  double uniform();      ///< in (0, 1)
  double normal();       ///< mean 0, standard deviation 1 (Box & Muller)
  double exponential();  ///< mean 1

 private:
  std::uint64_t state_;
};

}  // namespace sim::engine
