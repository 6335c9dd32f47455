// Bisection, then a run of the band between the two thresholds.
#include "kernels/ms_topk.hpp"

#include <algorithm>
#include <cassert>
#include <optional>

#include "kernels/kept.hpp"
#include "kernels/philox.hpp"
#include "kernels/statistics.hpp"

namespace kernels {

/// The thresholds on both sides of the k-th largest value.
struct MsTopK::Band {
  Magnitude low = 0;              ///< passed by at least k
  std::optional<Magnitude> high;  ///< passed by at most k; none: a threshold above everything
};

MsTopK::MsTopK(const Settings& settings) : Sparsifier(settings.index_bytes), settings_(settings) {
  assert(settings.ratio > 0 && settings.ratio <= 1 && settings.rounds >= 1);
}

std::int64_t MsTopK::count(std::span<const float> vector, Magnitude threshold) const {
  if (!collected_) return count_at_least(vector, threshold);
  return std::ranges::count_if(candidates_.sizes(),
                               [threshold](Magnitude size) { return size >= threshold; });
}

MsTopK::Band MsTopK::bisect(std::span<const float> vector, std::int64_t k, double mean, double largest) {
  Band band;
  double left = 0, right = 1;
  for (int round = 0; round < settings_.rounds; ++round) {
    const double middle = (left + right) / 2;
    const Magnitude threshold = at_least(mean + middle * (largest - mean));
    const std::int64_t passing = count(vector, threshold);
    if (passing <= k) {
      band.high = threshold;
      if (passing == k) break;  // nothing is missing, whatever the other threshold is
      right = middle;
      continue;
    }
    band.low = threshold;
    left = middle;
    if (collected_) {
      candidates_.keep_at_least(threshold);
    } else if (passing < static_cast<std::int64_t>(vector.size() / 8)) {
      candidates_.collect(vector, threshold);
      collected_ = true;
    }
  }
  return band;
}

Message MsTopK::compress(std::span<const float> vector) {
  const RandomStream stream{settings_.seed, next_step()};
  const Statistics found = measure(vector);
  const std::int64_t k = kept(settings_.ratio, static_cast<std::int64_t>(vector.size()));
  collected_ = false;
  const Band band = bisect(vector, k, found.mean(), absolute(found.largest));
  if (!collected_) candidates_.collect(vector, band.low);

  const auto surely = [&band](Magnitude size) { return band.high && size >= *band.high; };
  const std::int64_t sure = std::ranges::count_if(candidates_.sizes(), surely);
  const std::int64_t missing = k - sure;
  const std::int64_t choices = candidates_.count() - sure - missing + 1;  // the run must end inside the band
  const auto first = static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(choices), 0));
  std::int64_t position = 0;
  candidates_.keep_if([&](Magnitude size) {
    if (surely(size)) return true;
    const bool inside = position >= first && position < first + missing;
    ++position;
    return inside;
  });
  return gathered(vector, candidates_.indices(), found.energy);
}

}  // namespace kernels
