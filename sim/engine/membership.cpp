// Walks each worker's absences in order of time.
#include "sim/engine/membership.hpp"

#include <algorithm>

#include "sim/engine/random.hpp"

namespace sim::engine {

using netmodels::Seconds;

Membership::Membership(const scenario::Cluster& cluster, int site, std::uint64_t seed)
    : workers_(static_cast<std::size_t>(cluster.workers / site)),
      churn_(cluster.churn),
      seed_(seed),
      changes_(cluster.workers_come_and_go()) {
  for (const scenario::Absence& absence : cluster.absences)
    workers_[static_cast<std::size_t>(absence.worker / site)].stated.push_back({absence.from, absence.until});
  for (Worker& worker : workers_) std::ranges::sort(worker.stated, {}, &Interval::from);
  if (!churn_) return;
  for (int& worker : churn_->workers) worker /= site;
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker) draw_next(worker, {});
}

void Membership::draw_next(std::uint32_t worker, Seconds after) {
  const std::vector<int>& some = churn_->workers;
  if (!some.empty() && std::ranges::find(some, static_cast<int>(worker)) == some.end()) return;
  Draw draw(seed_, Stream::churn, worker, workers_[worker].draws++);
  const Seconds from = after + churn_->stay * draw.exponential();
  workers_[worker].drawn = Interval{from, from + churn_->away * draw.exponential()};
}

bool Membership::is_away(std::uint32_t number, Seconds now) {
  Worker& worker = workers_[number];
  worker.returns.reset();
  bool away = false;
  bool for_good = false;
  const auto see = [&](const Interval& absence) {
    away = true;
    if (!absence.until)
      for_good = true;
    else if (!worker.returns || *worker.returns < *absence.until)
      worker.returns = absence.until;
  };
  const auto end = [&](Seconds at) { worker.present_since = std::max(worker.present_since, at); };
  while (worker.passed < worker.stated.size() && worker.stated[worker.passed].from <= now) {
    const Interval& absence = worker.stated[worker.passed];
    if (!absence.until || *absence.until > now) {
      see(absence);
      break;
    }
    end(*absence.until);
    ++worker.passed;
  }
  while (worker.drawn && worker.drawn->from <= now) {
    const Interval absence = *worker.drawn;
    if (*absence.until > now) {
      see(absence);
      break;
    }
    end(*absence.until);
    draw_next(number, *absence.until);
  }
  if (for_good) worker.returns.reset();
  return away;
}

std::optional<Seconds> Membership::next_return(const std::vector<std::uint32_t>& workers) const {
  std::optional<Seconds> next;
  for (const std::uint32_t worker : workers) {
    const std::optional<Seconds>& returns = workers_[worker].returns;
    if (returns && (!next || *returns < *next)) next = returns;
  }
  return next;
}

}  // namespace sim::engine
