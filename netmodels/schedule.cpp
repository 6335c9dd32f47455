// Sizes of schedules, and putting one after another.
#include "netmodels/schedule.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace netmodels {

std::size_t Schedule::messages() const {
  std::size_t total = 0;
  for (const Phase& phase : phases) {
    for (const Round& round : phase.rounds) total += round.size() * phase.repeat;
  }
  return total;
}

std::size_t Schedule::rounds() const {
  std::size_t total = 0;
  for (const Phase& phase : phases) total += phase.rounds.size() * phase.repeat;
  return total;
}

Bytes Schedule::bytes() const {
  Bytes total;
  for (const Phase& phase : phases) {
    for (const Round& round : phase.rounds) {
      for (const Transfer& transfer : round) total += transfer.size * phase.repeat;
    }
  }
  return total;
}

namespace {

template <class Predicate>
bool any_transfer(const Schedule& schedule, const Predicate& is) {
  return std::ranges::any_of(schedule.phases, [&](const Phase& phase) {
    return std::ranges::any_of(phase.rounds,
                               [&](const Round& round) { return std::ranges::any_of(round, is); });
  });
}

}  // namespace

bool halves_links(const Schedule& schedule) { return any_transfer(schedule, &Transfer::half_rate); }

bool sends_notices(const Schedule& schedule) {
  return any_transfer(schedule, [](const Transfer& transfer) { return transfer.size == Bytes{}; });
}

Schedule mirrored(const Schedule& schedule) {
  Schedule mirror = schedule;
  std::ranges::reverse(mirror.phases);
  for (Phase& phase : mirror.phases) {
    std::ranges::reverse(phase.rounds);
    for (Round& round : phase.rounds) {
      for (Transfer& transfer : round) std::swap(transfer.from, transfer.to);
    }
  }
  return mirror;
}

Schedule then(Schedule first, const Schedule& second) {
  assert(first.ranks == second.ranks && first.streams == second.streams);
  first.phases.insert(first.phases.end(), second.phases.begin(), second.phases.end());
  return first;
}

}  // namespace netmodels
