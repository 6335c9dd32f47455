// Who shares how many samples with whom.
#include "learning/datasets/injection.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "kernels/permutation.hpp"
#include "learning/datasets/streams.hpp"

namespace learning::datasets {

Injection::Injection(const Settings& settings) : settings_(settings) {
  assert(settings.alpha >= 0 && settings.alpha <= 1 && settings.beta >= 0 && settings.beta <= 1);
}

std::size_t Injection::donor_count(std::size_t workers) const {
  const double exact = settings_.alpha * static_cast<double>(workers);
  return static_cast<std::size_t>(std::ceil(exact - 1e-9));  // 0.07 x 100 is 7.000000000000001
}

int Injection::own_samples(int batch, std::size_t workers) const {
  assert(batch >= 1);
  if (!settings_.corrected) return batch;
  const double growth = 1 + settings_.alpha * settings_.beta * static_cast<double>(workers);
  return std::max(1, static_cast<int>(std::lround(batch / growth)));
}

std::vector<std::size_t> Injection::donors(std::uint64_t step, std::size_t workers) const {
  std::vector<std::size_t> drawn(donor_count(workers));
  if (drawn.empty()) return drawn;
  const kernels::Permutation order(workers, stream_for(Purpose::donors, settings_.seed, 0, step));
  for (std::size_t i = 0; i < drawn.size(); ++i) drawn[i] = order(i);
  std::ranges::sort(drawn);
  return drawn;
}

std::size_t Injection::share(std::uint64_t step, std::vector<std::vector<std::uint32_t>>& batches) const {
  std::vector<std::size_t> own(batches.size());  // what a donor received is not passed on
  std::ranges::transform(batches, own.begin(), &std::vector<std::uint32_t>::size);
  std::size_t travelled = 0;
  for (const std::size_t donor : donors(step, batches.size())) {
    const auto shared = std::lround(settings_.beta * static_cast<double>(own[donor]));
    for (std::size_t worker = 0; worker < batches.size(); ++worker) {
      if (worker == donor) continue;
      const auto first = batches[donor].begin();
      batches[worker].insert(batches[worker].end(), first, first + shared);
      travelled += static_cast<std::size_t>(shared);
    }
  }
  return travelled;
}

}  // namespace learning::datasets
