// Steps, messages, merges and absences, one after another.
#include "sim/engine/decoupled.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/catalogue.hpp"
#include "sim/engine/compression_cost.hpp"
#include "sim/engine/step_simulator.hpp"

namespace sim::engine {

using netmodels::Bytes;
using netmodels::Result;
using netmodels::Seconds;

namespace {

constexpr double merged_value_bytes = 4;

/// The server's hosts, in the numbers of workers; one of its own comes after them.
std::vector<std::uint32_t> hosts_of(policies::MergingHost host, std::uint32_t workers) {
  if (host == policies::MergingHost::first_worker) return {0};
  if (host == policies::MergingHost::own) return {workers};
  std::vector<std::uint32_t> all(workers);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

}  // namespace

Result<Decoupled::SiteStep> Decoupled::site_step_of(const scenario::Scenario& scenario,
                                                    ClusterCache& clusters) {
  if (workers_of_site(scenario) == 1)
    return SiteStep{scenario.workload.compute(scenario.training.batch), {}, {}};
  GRADSIM_TRY(simulator, StepSimulator::make(scenario, clusters));
  if (auto ran = (*simulator)->step({}, 0, false, {Traffic::nothing, {}}); !ran)
    return tl::unexpected(ran.error());
  const StepSimulator& stepped = **simulator;
  Parts hidden_by_nothing = stepped.times().parts;
  hidden_by_nothing.compute = {};
  hidden_by_nothing.wait = {};
  const double workers = workers_of_site(scenario);
  return SiteStep{stepped.plan().graph().computing, hidden_by_nothing,
                  stepped.sent().value_or(Bytes{}) * workers};
}

Decoupled::Decoupled(const scenario::Scenario& scenario, const SiteStep& step,
                     std::shared_ptr<SharedCluster> cluster, NetworkTimeline network)
    : scenario_(scenario),
      server_(*merging_server_of(scenario.synchronisation)),
      training_(scenario.training),
      cluster_(std::move(cluster)),
      network_(std::move(network)),
      stragglers_(scenario),
      membership_(scenario.cluster, scenario.seed),
      flows_(cluster_->platform()),
      site_(static_cast<std::uint32_t>(workers_of_site(scenario))),
      hosts_(hosts_of(server_.host, static_cast<std::uint32_t>(scenario.cluster.workers) / site_)),
      step_(step),
      workers_(static_cast<std::size_t>(scenario.cluster.workers) / site_) {
  for (Worker& worker : workers_) worker.since.resize(static_cast<std::size_t>(server_.fragments));
}

Result<std::unique_ptr<Decoupled>> Decoupled::make(const scenario::Scenario& scenario,
                                                   ClusterCache& clusters) {
  GRADSIM_TRY(step, site_step_of(scenario, clusters));
  const scenario::Cluster stated = with_server(scenario);
  GRADSIM_TRY(cluster, clusters.find(stated));
  GRADSIM_TRY(network, NetworkTimeline::make(stated, (*cluster)->platform()));
  return std::unique_ptr<Decoupled>(new Decoupled(scenario, *step, std::move(*cluster), std::move(*network)));
}

void Decoupled::set_batches(const std::vector<int>& samples) {
  training_.batches = samples;
  stragglers_.set_batches(samples);
}

std::string Decoupled::summary() const {
  if (merges_ == 0) return "no merge: the training ended before the first";
  const auto merges = static_cast<double>(merges_);
  double steps = 0;
  for (const Worker& worker : workers_) steps += static_cast<double>(worker.steps);
  const double apart =
      steps / static_cast<double>(workers_.size()) / merges * static_cast<double>(server_.fragments);
  std::string text =
      fmt::format("{} merge{}, of {:.3g} of {} workers on average", merges_, merges_ == 1 ? "" : "s",
                  static_cast<double>(merged_messages_) / merges, workers_.size());
  text += fmt::format(", {:.3g} steps between two of {} ({} stated)", apart,
                      server_.fragments > 1 ? "a fragment" : "the model", server_.every);
  if (late_messages_ > 0)
    text += fmt::format("; {} message{} came too late", late_messages_, late_messages_ == 1 ? "" : "s");
  return text;
}

std::vector<std::uint32_t> Decoupled::taking_part() const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker)
    if (takes_part(workers_[worker])) found.push_back(worker);
  return found;
}

std::int64_t Decoupled::values_of(std::int64_t fragment) const {
  const std::int64_t values = scenario_.workload.parameters();
  return values * (fragment + 1) / server_.fragments - values * fragment / server_.fragments;
}

Bytes Decoupled::offered_bytes(std::int64_t fragment) const {
  const auto format = kernels::find_wire_format(scenario_.compression.method);
  return message_bytes(
      **format, {values_of(fragment), scenario_.compression.ratio, scenario_.compression.index_bytes, false});
}

std::vector<std::uint32_t> Decoupled::hosts_beside(std::uint32_t worker) const {
  std::vector<std::uint32_t> others = hosts_;
  std::erase(others, worker);
  return others;
}

void Decoupled::send(const Message& message, std::uint32_t from, std::uint32_t to, Bytes size,
                     Seconds after) {
  messages_[keys_] = message;
  flows_.start(keys_++, from * site_, to * site_, size, now(), network_, after);
  sent_ += size;
}

// --- steps

void Decoupled::start_step(std::uint32_t number) {
  Worker& worker = workers_[number];
  std::vector<std::uint32_t> members(site_);
  std::iota(members.begin(), members.end(), number * site_);
  SlowFactors factors;
  stragglers_.factors(worker.steps, now(), members, factors);
  worker.samples = 0;
  for (const std::uint32_t member : members) worker.samples += batch_of(training_, member);
  worker.compute = step_.compute * factors.slowest;
  worker.parts = step_.exchange;
  worker.parts.compute += worker.compute;
  worker.parts.compress += std::exchange(worker.compressing, Seconds{});
  worker.began = now();
  worker.until = now() + worker.parts.total();
  sent_ += step_.sent;
  worker.doing = Doing::computing;
}

Push Decoupled::finish_step(std::uint32_t number) {
  Worker& worker = workers_[number];
  for (Worker::Since& since : worker.since) {
    ++since.steps;
    since.samples += worker.samples;
  }
  worker.doing = Doing::stepped;
  return {number,
          worker.steps++,
          now(),
          std::exchange(worker.parts, Parts{}),
          0,
          std::exchange(sent_, Bytes{}),
          worker.samples,
          worker.compute};
}

void Decoupled::take_arrived(std::uint32_t number, const Told& told) {
  Worker& worker = workers_[number];
  for (const std::int64_t fragment : worker.arrived) {
    if (told.took) told.took(number, fragment);
    worker.since[static_cast<std::size_t>(fragment)] = {};
    for (auto& [key, round] : rounds_) {
      if (round.fragment == fragment && round.merged) --round.to_be_taken;
    }
  }
  worker.arrived.clear();
}

void Decoupled::go_on(const Told& told) {
  const auto next = next_to_step();
  if (next && workers_[*next].until <= now()) return;  // steps that end together are made before all else
  for (std::uint32_t number = 0; number < workers_.size(); ++number) {
    if (workers_[number].doing != Doing::stepped) continue;
    take_arrived(number, told);
    if (membership_.is_away(number, now())) leave(number, told);
  }
  forget_finished_rounds();
  launch(told);
  for (std::uint32_t number = 0; number < workers_.size(); ++number) {
    if (workers_[number].doing != Doing::stepped) continue;
    take_arrived(number, told);  // what was merged on its own host, at once
    start_step(number);
  }
}

// --- absences

void Decoupled::leave(std::uint32_t number, const Told& told) {
  workers_[number].doing = Doing::away;
  workers_[number].compressing = {};
  for (auto& [key, round] : rounds_)
    std::erase_if(round.receiving, [&](const Sent& sent) { return sent.worker == number; });
  if (told.noted) told.noted(fmt::format("worker {} left: {} continue", number, taking_part().size()));
}

void Decoupled::welcome_returned(const Told& told) {
  for (std::uint32_t number = 0; number < workers_.size(); ++number) {
    Worker& worker = workers_[number];
    if (worker.doing != Doing::away || membership_.is_away(number, now())) continue;
    const std::vector<std::uint32_t> others = taking_part();
    if (others.empty()) {
      join(number, told);
      continue;
    }
    worker.doing = Doing::downloading;
    const Bytes model{static_cast<double>(scenario_.workload.parameters()) *
                      scenario_.parallelism.states.optimizer};
    send({Message::Kind::download, number}, others.front(), number, model);
  }
}

void Decoupled::join(std::uint32_t number, const Told& told) {
  Worker& worker = workers_[number];
  if (told.joined) told.joined(number);
  worker.progress_at_launch = progress(worker);
  std::ranges::fill(worker.since, Worker::Since{});
  start_step(number);
  if (told.noted) told.noted(fmt::format("worker {} returned: {} continue", number, taking_part().size()));
}

// --- merges

double Decoupled::progress(const Worker& worker) const {
  const auto whole = static_cast<double>(worker.steps);
  if (worker.doing != Doing::computing || worker.until <= worker.began) return whole;
  return whole + (now() - worker.began) / (worker.until - worker.began);
}

bool Decoupled::is_due() const {
  const std::int64_t fragment = launched_ % server_.fragments;
  for (const auto& [number, round] : rounds_)
    if (round.fragment == fragment) return false;
  const std::int64_t after = launched_ + 1;
  constexpr double rounding = 1e-9;
  const auto steps = static_cast<double>(after * server_.every / server_.fragments -
                                         launched_ * server_.every / server_.fragments);
  const auto can_send = [&](const Worker& worker) {
    return takes_part(worker) && worker.since[static_cast<std::size_t>(fragment)].steps > 0;
  };
  const auto has_stepped = [&](const Worker& worker) {
    return can_send(worker) && progress(worker) - worker.progress_at_launch >= steps - rounding;
  };
  return std::ranges::count_if(workers_, has_stepped) >= server_.quorum;
}

void Decoupled::launch(const Told& told) {
  if (!is_due()) return;
  const std::int64_t number = launched_++;
  Round& round = rounds_[number];
  round.fragment = number % server_.fragments;
  round.launched = now();
  for (Worker& worker : workers_) worker.progress_at_launch = progress(worker);
  std::vector<std::uint32_t> asked;
  for (const std::uint32_t worker : taking_part())
    if (workers_[worker].since[static_cast<std::size_t>(round.fragment)].steps > 0) asked.push_back(worker);
  for (const std::uint32_t worker : asked) {
    const Worker::Since& since = workers_[worker].since[static_cast<std::size_t>(round.fragment)];
    const auto samples = static_cast<double>(since.samples);
    round.asked.push_back({worker, 0, samples * samples / static_cast<double>(since.steps)});
  }
  for (const std::uint32_t worker : asked) offer(worker, number, round, told);
}

void Decoupled::offer(std::uint32_t number, std::int64_t of_round, Round& round, const Told& told) {
  if (told.offered) told.offered(number, round.fragment);
  Worker& worker = workers_[number];
  const Seconds compressing =
      compression_time(scenario_, {scenario_.compression.method, scenario_.compression.ratio},
                       (values_of(round.fragment) + site_ - 1) / site_);
  if (worker.doing == Doing::computing) {
    worker.until += compressing;
    worker.parts.compress += compressing;
  } else {
    worker.compressing += compressing;
  }
  const std::vector<std::uint32_t> hosts = hosts_beside(number);
  Sent& sent = *std::ranges::find(round.asked, number, &Sent::worker);
  sent.messages = hosts.size();
  const Bytes part = offered_bytes(round.fragment) / static_cast<double>(hosts_.size());
  for (const std::uint32_t host : hosts)
    send({Message::Kind::offer, number, of_round}, number, host, part, compressing);
  if (hosts.empty()) receive_offer(number, of_round, round, told);
}

void Decoupled::receive_offer(std::uint32_t number, std::int64_t of_round, Round& round, const Told& told) {
  if (round.merged) {
    ++late_messages_;
    return;
  }
  round.offers.push_back({number, std::ranges::find(round.asked, number, &Sent::worker)->weight});
  if (std::cmp_less(round.offers.size(), server_.quorum)) return;
  if (!round.closes) round.closes = now() + grace(round);
  if (round.offers.size() == round.asked.size()) merge(of_round, round, told);
}

Seconds Decoupled::grace(const Round& round) const {
  Seconds steps;
  double count = 0;
  for (const Worker& worker : workers_) {
    if (!takes_part(worker)) continue;
    steps += worker.until - worker.began;
    ++count;
  }
  if (count == 0) return {};
  const Seconds overlap = steps / count * static_cast<double>(server_.overlap);
  const Seconds left = overlap - (now() - round.launched) - last_sync_.value_or(Seconds{});
  return std::max(Seconds{}, left) * server_.grace;
}

void Decoupled::merge(std::int64_t number, Round& round, const Told& told) {
  round.merged = now();
  ++merges_;
  merged_messages_ += static_cast<std::int64_t>(round.offers.size());
  if (told.merged) told.merged(round.fragment, round.offers);
  const Bytes part = Bytes{merged_value_bytes * static_cast<double>(values_of(round.fragment))} /
                     static_cast<double>(hosts_.size());
  for (const std::uint32_t worker : taking_part()) {
    const std::vector<std::uint32_t> hosts = hosts_beside(worker);
    if (hosts.empty()) {
      workers_[worker].arrived.push_back(round.fragment);
      ++round.to_be_taken;
      continue;
    }
    round.receiving.push_back({worker, hosts.size()});
    for (const std::uint32_t host : hosts) send({Message::Kind::result, worker, number}, host, worker, part);
  }
  if (round.receiving.empty()) last_sync_ = Seconds{};
}

void Decoupled::receive(const Message& message, const Told& told) {
  if (message.kind == Message::Kind::download) return join(message.worker, told);
  const auto known = rounds_.find(message.round);
  if (known == rounds_.end()) {
    if (message.kind == Message::Kind::offer) ++late_messages_;
    return;
  }
  Round& round = known->second;
  std::vector<Sent>& list = message.kind == Message::Kind::offer ? round.asked : round.receiving;
  const auto sent = std::ranges::find(list, message.worker, &Sent::worker);
  if (sent == list.end() || --sent->messages > 0) return;
  if (message.kind == Message::Kind::offer) return receive_offer(message.worker, message.round, round, told);
  round.receiving.erase(sent);
  workers_[message.worker].arrived.push_back(round.fragment);
  ++round.to_be_taken;
  if (round.receiving.empty()) last_sync_ = now() - *round.merged;
}

void Decoupled::close_due_rounds(const Told& told) {
  for (auto& [number, round] : rounds_)
    if (round.closes && !round.merged && *round.closes <= now()) merge(number, round, told);
}

void Decoupled::forget_finished_rounds() {
  std::erase_if(rounds_, [](const auto& entry) {
    const Round& round = entry.second;
    return round.merged && round.receiving.empty() && round.to_be_taken == 0;
  });
}

// --- time

std::optional<std::uint32_t> Decoupled::next_to_step() const {
  std::optional<std::uint32_t> first;
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker) {
    if (workers_[worker].doing != Doing::computing) continue;
    if (!first || workers_[worker].until < workers_[*first].until) first = worker;
  }
  return first;
}

std::optional<Seconds> Decoupled::next_moment() const {
  std::optional<Seconds> next;
  const auto see = [&](const std::optional<Seconds>& at) {
    if (at && (!next || *at < *next)) next = at;
  };
  if (const auto worker = next_to_step()) see(workers_[*worker].until);
  for (const auto& [number, round] : rounds_)
    if (!round.merged) see(round.closes);
  std::vector<std::uint32_t> away;
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker)
    if (workers_[worker].doing == Doing::away) away.push_back(worker);
  see(membership_.next_return(away));
  return next;
}

std::optional<Push> Decoupled::next(const Told& told) {
  go_on(told);
  while (true) {
    const std::optional<Seconds> moment = next_moment();
    if (!moment && messages_.empty()) return std::nullopt;
    const Seconds until = moment.value_or(Seconds{std::numeric_limits<double>::infinity()});
    if (const auto arrived = flows_.advance(until, network_)) {
      const auto message = messages_.extract(*arrived);
      receive(message.mapped(), told);
      continue;
    }
    close_due_rounds(told);
    welcome_returned(told);
    const auto worker = next_to_step();
    if (worker && workers_[*worker].until <= now()) return finish_step(*worker);
  }
}

}  // namespace sim::engine
