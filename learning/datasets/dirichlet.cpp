// Dirichlet draws from Boost's gamma distribution, whose results are the same with every standard library.
#include "learning/datasets/dirichlet.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>

#include <boost/random/gamma_distribution.hpp>

namespace learning::datasets {
namespace {

/// The words of a stream one after the other, as Boost's distributions take them.
class Words {
 public:
  using result_type = std::uint32_t;

  explicit Words(const kernels::RandomStream& stream) : stream_(stream) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() { return stream_.word(next_++); }

 private:
  kernels::RandomStream stream_;
  std::uint64_t next_ = 0;
};

}  // namespace

std::vector<double> draw_dirichlet(std::size_t count, double concentration,
                                   const kernels::RandomStream& stream) {
  assert(count >= 1 && concentration > 0);
  Words words(stream);
  boost::random::gamma_distribution<double> gamma(concentration + 1);
  std::vector<double> shares(count);
  for (double& share : shares) {
    const double uniform = (static_cast<double>(words()) + 0.5) * 0x1p-32;
    share = std::log(gamma(words)) + std::log(uniform) / concentration;
  }
  const double largest = std::ranges::max(shares);
  double sum = 0;
  for (double& share : shares) sum += share = std::exp(share - largest);
  for (double& share : shares) share /= sum;
  return shares;
}

}  // namespace learning::datasets
