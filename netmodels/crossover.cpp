// Scans the span from low to high, then bisects where the winner changes.
#include "netmodels/crossover.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace netmodels {
namespace {

constexpr double precision = 1e-3;  // relative, of a bandwidth

/// Two bandwidths between which a lead, a logarithm of two times, turns from negative to 0 or more.
struct Bracket {
  Bandwidth low;
  Bandwidth high;
  double lead_low;
  double lead_high;
  bool halve = false;  ///< the last step left more than half

  /// Bandwidth at which the lead is 0 if it is straight in the logarithm of the bandwidth, a little beyond as
  /// seen from the nearer end, so that both ends come close; or the middle.
  [[nodiscard]] Bandwidth next() const {
    const double width = std::log(high / low);
    double way = -lead_low / (lead_high - lead_low);
    const double beyond = 0.4 * precision / width;
    if (halve || !std::isfinite(way))
      way = 0.5;
    else
      way += way < 0.5 ? beyond : -beyond;
    return low * std::exp(width * std::clamp(way, beyond / 2, 1 - beyond / 2));
  }
  void narrow(Bandwidth middle, double lead) {
    const double before = high / low;
    (lead >= 0 ? high : low) = middle;
    (lead >= 0 ? lead_high : lead_low) = lead;
    halve = std::log(high / low) > std::log(before) / 2;
  }
};

/// The times at every bandwidth of the span, and at those in between that are asked for.
class BandwidthScan {
 public:
  BandwidthScan(const BandwidthSpan& span, const TimesAt& times) : times_(times) {
    for (int i = 0; i <= span.steps; ++i)
      tried_.push_back(span.low * std::pow(span.high / span.low, static_cast<double>(i) / span.steps));
  }

  Result<void> run() {
    for (const Bandwidth bandwidth : tried_) {
      GRADSIM_TRY(row, times_(bandwidth));
      rows_.push_back(std::move(*row));
    }
    return {};
  }

  [[nodiscard]] std::size_t size() const { return tried_.size(); }
  [[nodiscard]] std::size_t candidates() const { return rows_.front().size(); }
  [[nodiscard]] Bandwidth bandwidth(std::size_t i) const { return tried_[i]; }
  [[nodiscard]] Seconds time(std::size_t i, std::size_t candidate) const { return rows_[i][candidate]; }
  [[nodiscard]] std::size_t fastest(std::size_t i) const {
    return static_cast<std::size_t>(std::ranges::min_element(rows_[i]) - rows_[i].begin());
  }

  /// Whether `one` takes at least `factor` times as long as `other` at the tried bandwidth.
  [[nodiscard]] bool at_least(std::size_t i, std::size_t one, double factor, std::size_t other) const {
    return time(i, one) >= factor * time(i, other);
  }

  /// Whether two candidates differ by no more than `tie` at the tried bandwidth.
  [[nodiscard]] bool ties(std::size_t i, std::size_t one, double tie, std::size_t other) const {
    return std::isfinite(time(i, other).count) && time(i, other) <= (1 + tie) * time(i, one) &&
           time(i, one) <= (1 + tie) * time(i, other);
  }

  /// The bandwidth between two neighbours, `i` and the one above, from which on `one` takes at least `factor`
  /// times as long as `other`: it does not at `i`, and does above.
  Result<Bandwidth> bisect(std::size_t i, std::size_t one, double factor, std::size_t other) const {
    const auto lead = [&](const std::vector<Seconds>& row) {
      const double value = std::log(row[one].count / (factor * row[other].count));
      return std::isnan(value) ? std::numeric_limits<double>::infinity() : value;  // both are infinite
    };
    Bracket bracket{tried_[i], tried_[i + 1], lead(rows_[i]), lead(rows_[i + 1])};
    while (bracket.high / bracket.low > 1 + precision) {
      const Bandwidth middle = bracket.next();
      GRADSIM_TRY(row, times_(middle));
      bracket.narrow(middle, lead(*row));
    }
    return bracket.high;
  }

 private:
  const TimesAt& times_;
  std::vector<Bandwidth> tried_;
  std::vector<std::vector<Seconds>> rows_;
};

/// Bandwidth at which `next` takes over from `now`, which it beats by more than `tie` at the tried bandwidth
/// `i`.
/// @param since  the tried bandwidth from which on `now` was the fastest
Result<FastestFrom> change_of_winner(const BandwidthScan& scan, double tie, std::size_t now, std::size_t next,
                                     std::size_t since, std::size_t i) {
  FastestFrom entry{next, scan.bandwidth(since), scan.bandwidth(since), {}};
  std::size_t equal = i - 1;  // the last at which `now` is not slower
  while (equal > since && scan.at_least(equal, now, 1, next)) --equal;
  if (!scan.at_least(equal, now, 1, next)) {
    GRADSIM_TRY(from, scan.bisect(equal, now, 1, next));
    entry.from = *from;
  }
  // `now` takes at least 1 / (1 + tie) of the time of `next` from here on.
  std::size_t ahead = equal + 1;
  const double almost = 1 / (1 + tie);
  while (ahead > since && scan.at_least(ahead - 1, now, almost, next)) --ahead;
  if (ahead > since) {
    GRADSIM_TRY(tie_from, scan.bisect(ahead - 1, now, almost, next));
    entry.tie_from = *tie_from;
  }
  std::size_t behind = equal;
  while (behind + 1 < i && !scan.at_least(behind + 1, now, 1 + tie, next)) ++behind;
  GRADSIM_TRY(tie_to, scan.bisect(behind, now, 1 + tie, next));
  entry.tie_to = *tie_to;
  return entry;
}

/// Candidates that tie with `fastest` at the tried bandwidths from `first` up to, without, `last`.
std::vector<Rival> rivals_of(const BandwidthScan& scan, double tie, std::size_t fastest, std::size_t first,
                             std::size_t last) {
  constexpr double rounding = 1e-9;
  std::vector<Rival> rivals;
  for (std::size_t other = 0; other < scan.candidates(); ++other) {
    if (other == fastest) continue;
    Rival rival{other, true, false, {}};
    bool ties = false;
    for (std::size_t i = first; i < last; ++i) {
      const bool here = scan.ties(i, fastest, tie, other);
      ties = ties || here;
      rival.ties_always = rival.ties_always && here;
      rival.is_faster =
          rival.is_faster || (here && scan.time(i, other) < (1 - rounding) * scan.time(i, fastest));
    }
    if (ties) rivals.push_back(rival);
  }
  return rivals;
}

/// Sets from where on the rivals of the last entry tie to the end of the span.
/// @param first  tried bandwidth from which on the entry's candidate is the fastest
Result<void> find_lasting_ties(const BandwidthScan& scan, double tie, std::size_t first, FastestFrom& entry) {
  for (Rival& rival : entry.rivals) {
    std::size_t begin = scan.size();
    while (begin > first && scan.ties(begin - 1, entry.candidate, tie, rival.candidate)) --begin;
    if (begin == scan.size()) continue;
    rival.ties_from = begin == first ? entry.from : scan.bandwidth(begin);
    if (begin == first || !scan.at_least(begin - 1, rival.candidate, 1 + tie, entry.candidate)) continue;
    GRADSIM_TRY(from, scan.bisect(begin - 1, entry.candidate, 1 / (1 + tie), rival.candidate));
    rival.ties_from = *from;
  }
  return {};
}

}  // namespace

bool same_winners(const std::vector<FastestFrom>& one, const std::vector<FastestFrom>& other) {
  return std::ranges::equal(one, other, [](FastestFrom a, FastestFrom b) {
    a.rivals.clear();
    b.rivals.clear();
    return a == b;
  });
}

Result<std::vector<FastestFrom>> fastest_by_bandwidth(const BandwidthSpan& span, double tie,
                                                      const TimesAt& times) {
  BandwidthScan scan(span, times);
  if (auto done = scan.run(); !done) return tl::unexpected(done.error());
  std::size_t now = scan.fastest(0);
  std::size_t since = 0;
  std::vector<FastestFrom> winners{{now, span.low, span.low, span.low}};
  for (std::size_t i = 1; i < scan.size(); ++i) {
    const std::size_t best = scan.fastest(i);
    if (best == now || scan.time(i, now) <= (1 + tie) * scan.time(i, best)) continue;
    GRADSIM_TRY(entry, change_of_winner(scan, tie, now, best, since, i));
    winners.back().rivals = rivals_of(scan, tie, now, since, i);
    winners.push_back(*entry);
    now = best;
    since = i;
  }
  winners.back().rivals = rivals_of(scan, tie, now, since, scan.size());
  if (auto found = find_lasting_ties(scan, tie, since, winners.back()); !found)
    return tl::unexpected(found.error());
  return winners;
}

}  // namespace netmodels
