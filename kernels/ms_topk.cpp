// Bisection, then a run of the band between the two thresholds.
#include "kernels/ms_topk.hpp"

#include <algorithm>
#include <cassert>

#include "kernels/magnitude.hpp"
#include "kernels/philox.hpp"
#include "kernels/statistics.hpp"

namespace kernels {

MsTopK::MsTopK(const Settings& settings) : Sparsifier(settings.index_bytes), settings_(settings) {
  assert(settings.ratio > 0 && settings.ratio <= 1 && settings.rounds >= 1);
}

std::int64_t MsTopK::count(std::span<const float> vector, Magnitude threshold) const {
  if (!collected_) return count_at_least(vector, threshold);
  return std::ranges::count_if(candidates_.sizes(),
                               [threshold](Magnitude size) { return size >= threshold; });
}

Cut MsTopK::bisect(std::span<const float> vector, MsTopKSearch search) {
  while (!search.done()) {
    const std::int64_t passing = count(vector, search.requested());
    search.hear(passing);
    if (passing <= search.k) continue;
    if (collected_) {
      candidates_.keep_at_least(search.low);
    } else if (passing < static_cast<std::int64_t>(vector.size() / 8)) {
      candidates_.collect(vector, search.low);
      collected_ = true;
    }
  }
  return search.cut();
}

Message MsTopK::compress(std::span<const float> vector) {
  const RandomStream stream{settings_.seed, next_step()};
  const Statistics found = measure(vector);
  const std::int64_t k = kept(settings_.ratio, static_cast<std::int64_t>(vector.size()));
  collected_ = false;
  const Cut cut = bisect(vector, {found.mean(), absolute(found.largest), k, settings_.rounds});
  collected_ ? candidates_.keep_at_least(cut.low) : static_cast<void>(candidates_.collect(vector, cut.low));

  const std::int64_t choices = candidates_.count() - k + 1;  // the run must end inside the band
  const auto first = static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(choices), 0));
  std::int64_t position = 0;
  candidates_.keep_if([&](Magnitude size) {
    if (size >= cut.high) return true;
    const bool inside = position >= first && position < first + cut.more;
    ++position;
    return inside;
  });
  return gathered(vector, candidates_.indices(), found.energy);
}

}  // namespace kernels
