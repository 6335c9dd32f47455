// Workers of a synchronous run: who leaves, returns, rests in a round or is lost.
#include <algorithm>
#include <iterator>

#include "sim/engine/synchronous_run.hpp"

namespace sim::engine {

using netmodels::Seconds;

bool SynchronousRun::change_workers() {
  if (!membership_.changes()) return true;
  simulator_.arrive(state_.now(), state_.step(),
                    state_.epoch());  // downloads cross the network as it is now
  std::vector<std::uint32_t> leaving;
  for (const std::uint32_t worker : present()) {
    if (membership_.is_away(member_of(worker), state_.now())) leaving.push_back(worker);
  }
  if (!leaving.empty()) {
    away_.insert(away_.end(), leaving.begin(), leaving.end());
    std::erase_if(resting_, [&](std::uint32_t worker) { return is_among(leaving, worker); });
    simulator_.lose(leaving);
    note_workers(leaving, ReasonKind::left);
    wake_all_if_nobody_is_left();
  }
  take_returned();
  while (simulator_.workers().empty()) {
    const auto next = membership_.next_return(members_of(away_));
    if (!next) {
      state_.note(state_.now(), {ReasonKind::none_left});
      state_.end(Ending::stopped_by_failure);
      return false;
    }
    state_.stall(*next);
    take_returned();
  }
  return true;
}

std::vector<std::uint32_t> SynchronousRun::present() const {
  std::vector<std::uint32_t> workers = simulator_.workers();
  workers.insert(workers.end(), resting_.begin(), resting_.end());
  std::ranges::sort(workers);
  return workers;
}

void SynchronousRun::begin_round() {
  if (draw_.share == 1) return;
  const std::vector<std::uint32_t> all = present();
  const std::vector<std::uint32_t> drawn = drawn_workers(draw_, all, state_.step());
  std::vector<std::uint32_t> woken;
  std::ranges::set_intersection(drawn, resting_, std::back_inserter(woken));
  resting_.clear();
  std::ranges::set_difference(all, drawn, std::back_inserter(resting_));
  simulator_.set_workers(drawn);
  for (const std::uint32_t member : members_of(woken)) loop_.wake(member);
}

void SynchronousRun::wake_all_if_nobody_is_left() {
  if (!simulator_.workers().empty() || resting_.empty()) return;
  simulator_.set_workers(resting_);
  for (const std::uint32_t member : members_of(resting_)) loop_.wake(member);
  resting_.clear();
  round_ended_ = true;
}

void SynchronousRun::take_returned() {
  std::vector<std::uint32_t> ready;
  for (const std::uint32_t worker : away_) {
    if (membership_.is_away(member_of(worker), state_.now())) continue;
    if (simulator_.workers().empty() || (round_ended_ && has_downloaded(worker))) ready.push_back(worker);
  }
  if (ready.empty()) return;
  std::erase_if(away_, [&](std::uint32_t worker) { return is_among(ready, worker); });
  simulator_.join(ready);
  for (const std::uint32_t member : members_of(ready)) loop_.join(member);
  note_workers(ready, ReasonKind::returned);
}

bool SynchronousRun::has_downloaded(std::uint32_t worker) {
  const netmodels::LinkState link =
      simulator_.link_between(simulator_.workers().front(), worker, state_.now());
  const Seconds download = link.latency + simulator_.settings().states / link.bandwidth;
  return membership_.present_since(member_of(worker)) + download <= state_.now();
}

void SynchronousRun::note_workers(const std::vector<std::uint32_t>& workers, ReasonKind kind) {
  state_.note(state_.now(),
              {kind,
               {Figure::members("members", simulator_.settings().member_name, members_of(workers)),
                Figure::count("present", std::ssize(present()) / draw_.site)}});
}

std::uint32_t SynchronousRun::member_of(std::uint32_t worker) const { return worker / draw_.site; }

std::vector<std::uint32_t> SynchronousRun::members_of(const std::vector<std::uint32_t>& workers) const {
  std::vector<std::uint32_t> members;
  for (const std::uint32_t worker : workers) {
    if (!is_among(members, member_of(worker))) members.push_back(member_of(worker));
  }
  return members;
}

void SynchronousRun::lose_step(const Breakdown& broken, const StepAction& end) {
  lose_resting(broken);
  std::erase_if(away_, [&](std::uint32_t worker) { return is_among(broken.lost, worker); });
  const bool matters = this->matters(broken);
  if (matters)
    recover(broken);
  else
    simulator_.abandon_step();
  if (matters && !broken.lost.empty()) return;
  lost_ = end;  // the same workers begin it again, their samples are there
  waits_.clear();
}

void SynchronousRun::lose_resting(const Breakdown& broken) {
  const auto is_lost = [&](std::uint32_t worker) { return is_among(broken.lost, worker); };
  if (std::erase_if(resting_, is_lost) == 0 || matters(broken)) return;
  if (cluster_.on_failure == scenario::OnFailure::stop) {
    state_.note(broken.at, {ReasonKind::failure_stops, {Figure::named("part", broken.what)}});
    state_.end(Ending::stopped_by_failure);
  } else {
    state_.note(broken.at,
                {ReasonKind::failure_survived, {Figure::named("part", broken.what), workers_left()}});
  }
}

Figure SynchronousRun::workers_left() const { return Figure::count("left", std::ssize(present())); }

bool SynchronousRun::matters(const Breakdown& broken) const {
  if (broken.lost.empty()) return !broken.until || *broken.until > state_.now();
  return std::ranges::any_of(broken.lost, [&](std::uint32_t lost) {
    return std::ranges::find(simulator_.workers(), lost) != simulator_.workers().end();
  });
}

void SynchronousRun::recover(const Breakdown& broken) {
  simulator_.abandon_step();
  simulator_.begin_together();
  const Seconds broken_at = std::max(broken.at, state_.now());
  const bool nobody_known_to_lose = broken.lost.empty() && !broken.until;
  if (cluster_.on_failure == scenario::OnFailure::stop || nobody_known_to_lose) {
    state_.note(broken_at, {ReasonKind::failure_stops, {Figure::named("part", broken.what)}});
    state_.stall(broken_at);
    state_.end(Ending::stopped_by_failure);
    return;
  }
  simulator_.lose(broken.lost);
  wake_all_if_nobody_is_left();
  const Seconds mended = std::max(broken.at, broken.until.value_or(broken.at));
  const Seconds resumed = std::max(state_.now(), mended + cluster_.recovery);
  state_.note(broken_at,
              {ReasonKind::failure_recovered,
               {Figure::named("part", broken.what), workers_left(), Figure::time("resumed", resumed)}});
  state_.stall(resumed);
  if (simulator_.workers().empty()) {
    state_.note(state_.now(), {ReasonKind::none_left});
    state_.end(Ending::stopped_by_failure);
  }
}

}  // namespace sim::engine
