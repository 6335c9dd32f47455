// Blocks of a matrix product over the multiprocessors that are left.
#include "netmodels/overlap.hpp"

#include <algorithm>

namespace netmodels {

double overlap_slowdown(int multiprocessors, int channels) {
  const double all = multiprocessors;
  const double held = std::min<double>(channels, all / 2);
  return all / (all - held) - 1;
}

}  // namespace netmodels
