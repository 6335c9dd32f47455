// The number of samples shared between each pair of workers.
#include "learning/datasets/injection.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "kernels/permutation.hpp"
#include "learning/datasets/streams.hpp"
#include "settings/type.hpp"

namespace learning::datasets {

Injection::Injection(const Settings& settings, std::uint64_t seed) : settings_(settings), seed_(seed) {
  assert(settings.workers >= 0 && settings.workers <= 1 && settings.batch >= 0 && settings.batch <= 1);
}

std::size_t Injection::donor_count(std::size_t workers) const {
  const double exact = settings_.workers * static_cast<double>(workers);
  return static_cast<std::size_t>(std::ceil(exact - 1e-9));  // 0.07 x 100 is 7.000000000000001
}

int Injection::own_samples(int batch, std::size_t workers) const {
  assert(batch >= 1);
  if (!settings_.corrected) return batch;
  const double growth = 1 + settings_.workers * settings_.batch * static_cast<double>(workers);
  return std::max(1, static_cast<int>(std::lround(batch / growth)));
}

std::vector<std::size_t> Injection::donors(std::uint64_t step, std::size_t workers) const {
  std::vector<std::size_t> drawn(donor_count(workers));
  if (drawn.empty()) return drawn;
  const kernels::Permutation order(workers, stream_for(Purpose::donors, seed_, 0, step));
  for (std::size_t i = 0; i < drawn.size(); ++i) drawn[i] = order(i);
  std::ranges::sort(drawn);
  return drawn;
}

std::size_t Injection::share(std::uint64_t step, std::vector<std::vector<std::uint32_t>>& batches) const {
  std::vector<std::size_t> own(batches.size());  // samples received by a donor are not passed on
  std::ranges::transform(batches, own.begin(), &std::vector<std::uint32_t>::size);
  std::size_t travelled = 0;
  for (const std::size_t donor : donors(step, batches.size())) {
    const auto shared = std::lround(settings_.batch * static_cast<double>(own[donor]));
    for (std::size_t worker = 0; worker < batches.size(); ++worker) {
      if (worker == donor) continue;
      const auto first = batches[donor].begin();
      batches[worker].insert(batches[worker].end(), first, first + shared);
      travelled += static_cast<std::size_t>(shared);
    }
  }
  return travelled;
}

void describe(settings::Fields& fields, Injection::Settings& settings) {
  fields.field({.name = "workers",
                .doc = "Share of the workers that give samples to all others in a step (alpha).",
                .bounds = ::settings::above_up_to(0, 1),
                .example = "0.5",
                .share = true},
               settings.workers);
  fields.field({.name = "batch",
                .doc = "Share of its batch that each of them gives (beta).",
                .bounds = ::settings::above_up_to(0, 1),
                .example = "0.5",
                .share = true},
               settings.batch);
  fields.field({.name = "corrected",
                .doc = "Whether own batches shrink so that the total batch stays as stated.",
                .fallback = "true"},
               settings.corrected);
  fields.field({.name = "sample_size",
                .doc = "Size of a sample on the network; without it, as the data set stores it.",
                .example = "110 kB"},
               settings.sample_size);
}

}  // namespace learning::datasets
