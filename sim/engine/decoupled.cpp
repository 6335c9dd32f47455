// Steps, messages, merges and absences, one after another.
#include "sim/engine/decoupled.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

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

Result<Decoupled::SiteStep> Decoupled::site_step_of(StepSimulator& simulator) {
  if (auto ran = simulator.step({}, 0, false, {Traffic::nothing, {}}); !ran)
    return tl::unexpected(ran.error());
  Parts exposed = simulator.times().parts;
  exposed.compute = {};
  exposed.wait = {};
  const double workers = simulator.settings().site();
  return SiteStep{simulator.plan().graph().computing, exposed, simulator.sent().value_or(Bytes{}) * workers};
}

Decoupled::Decoupled(const StepSettings& settings, const SiteStep& step, Stragglers stragglers,
                     Membership membership, RunNetwork network)
    : server_(*merging_server_of(settings.synchronisation)),
      costs_(settings.costs),
      parameters_(settings.workload.parameters()),
      states_(settings.states),
      member_name_(settings.member_name),
      training_(settings.training),
      cluster_(std::move(network.cluster)),
      network_(std::move(network.timeline)),
      stragglers_(std::move(stragglers)),
      membership_(std::move(membership)),
      flows_(cluster_->platform()),
      site_(settings.site()),
      hosts_(hosts_of(server_.host, settings.workers / site_)),
      step_(step),
      workers_(settings.workers / site_) {
  versions_.resize(static_cast<std::size_t>(server_.fragments));
  for (Worker& worker : workers_) worker.held.resize(versions_.size());
}

Result<std::unique_ptr<Decoupled>> Decoupled::make(const scenario::Scenario& scenario,
                                                   ClusterCache& clusters) {
  const StepSettings settings =
      step_settings_of(scenario.work, scenario.cluster, *scenario.stated, scenario.exchange);
  SiteStep step{scenario.work.workload.compute(scenario.work.training.batch), {}, {}};
  if (settings.site() > 1) {
    GRADSIM_TRY(simulator, StepSimulator::make(scenario, clusters));
    GRADSIM_TRY(stepped, site_step_of(**simulator));
    step = *stepped;
  }  // the simulator's cluster is given back before another one is built
  GRADSIM_TRY(network,
              RunNetwork::make(with_server(scenario.cluster, scenario.exchange.synchronisation), clusters));
  return std::unique_ptr<Decoupled>(new Decoupled(
      settings, step, Stragglers(scenario.work, scenario.cluster, *scenario.stated, scenario.simulation.seed),
      {scenario.cluster, workers_of_site(scenario.work.parallelism, scenario.cluster),
       scenario.simulation.seed},
      std::move(*network)));
}

void Decoupled::set_batches(const std::vector<int>& samples) {
  training_.batches = samples;
  stragglers_.set_batches(samples);
}

std::optional<MergingResult> Decoupled::merging() const {
  MergingResult result{merges_, 0, {}, late_offers_};
  if (merges_ == 0) return result;
  const auto merges = static_cast<double>(merges_);
  result.workers = static_cast<double>(merged_offers_) / merges;
  result.steps_apart = steps_ / merges * static_cast<double>(server_.fragments);
  return result;
}

std::vector<std::uint32_t> Decoupled::taking_part() const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker)
    if (takes_part(workers_[worker])) found.push_back(worker);
  return found;
}

std::int64_t Decoupled::values_of(std::int64_t fragment) const {
  return parameters_ * (fragment + 1) / server_.fragments - parameters_ * fragment / server_.fragments;
}

Bytes Decoupled::offered_bytes(std::int64_t fragment) const {
  const scenario::Compression& compression = costs_.stated();
  const policies::CompressionChoice sent = compression.stated();
  return message_bytes(*sent.method, {values_of(fragment), sent.ratio, compression.index_bytes, false});
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
  worker.parts = step_.exposed;
  worker.parts.compute += worker.compute;
  worker.parts.compress += std::exchange(worker.compressing, Seconds{});
  worker.began = now();
  worker.until = now() + worker.parts.total();
  sent_ += step_.sent;
  worker.doing = Doing::computing;
}

Push Decoupled::finish_step(std::uint32_t number) {
  Worker& worker = workers_[number];
  for (Worker::Held& held : worker.held) {
    ++held.steps;
    held.samples += worker.samples;
  }
  worker.doing = Doing::stepped;
  steps_ += 1 / static_cast<double>(taking_part().size());
  return {number,
          worker.steps++,
          now(),
          std::exchange(worker.parts, Parts{}),
          0,
          std::exchange(sent_, Bytes{}),
          worker.samples,
          worker.compute,
          std::exchange(busy_, Seconds{})};
}

void Decoupled::receive_arrived(std::uint32_t number, const PaceListener& listener) {
  Worker& worker = workers_[number];
  for (const auto& [fragment, version] : std::exchange(worker.arrived, {})) {
    if (listener.received) listener.received(number, fragment);
    worker.held[static_cast<std::size_t>(fragment)] = {version, 0, 0};
    if (version < versions_[static_cast<std::size_t>(fragment)]) answer(number, fragment, listener);
  }
}

void Decoupled::go_on(const PaceListener& listener) {
  const auto next = next_to_step();
  if (next && workers_[*next].until <= now()) return;  // steps that end together are made before all else
  for (std::uint32_t number = 0; number < workers_.size(); ++number) {
    if (workers_[number].doing != Doing::stepped) continue;
    receive_arrived(number, listener);
    if (membership_.is_away(number, now())) leave(number, listener);
  }
  launch(listener);
  for (std::uint32_t number = 0; number < workers_.size(); ++number) {
    if (workers_[number].doing != Doing::stepped) continue;
    receive_arrived(number, listener);  // what was merged on its own host, at once
    start_step(number);
  }
}

// --- absences

Reason Decoupled::note_of(ReasonKind kind, std::uint32_t number) const {
  return {kind,
          {Figure::members("members", member_name_, {number}),
           Figure::count("present", std::ssize(taking_part()))}};
}

void Decoupled::leave(std::uint32_t number, const PaceListener& listener) {
  workers_[number].doing = Doing::away;
  workers_[number].compressing = {};
  std::erase_if(answers_, [&](const auto& entry) { return entry.first.first == number; });
  if (listener.noted) listener.noted(note_of(ReasonKind::left, number));
}

void Decoupled::end_downloads(const PaceListener& listener) {
  for (std::uint32_t number = 0; number < workers_.size(); ++number) {
    const Worker& worker = workers_[number];
    if (worker.doing == Doing::downloading && worker.until <= now()) join(number, worker.source, listener);
  }
}

void Decoupled::welcome_returned(const PaceListener& listener) {
  for (std::uint32_t number = 0; number < workers_.size(); ++number) {
    Worker& worker = workers_[number];
    if (worker.doing != Doing::away || membership_.is_away(number, now())) continue;
    const std::vector<std::uint32_t> others = taking_part();
    if (others.empty()) {
      join(number, std::nullopt, listener);
      continue;
    }
    const auto after = std::ranges::upper_bound(others, number);
    worker.source = after == others.end() ? others.front() : *after;
    worker.doing = Doing::downloading;
    worker.until = now() + download_time(worker.source, number);
  }
}

Seconds Decoupled::download_time(std::uint32_t from, std::uint32_t to) {
  const netmodels::NetworkState& state = network_.state(now());
  Seconds latency;
  netmodels::Bandwidth bandwidth{std::numeric_limits<double>::infinity()};
  for (const netmodels::LinkId link : platform().route(from * site_, to * site_)) {
    latency += state.links[link].latency;
    bandwidth = std::min(bandwidth, state.links[link].bandwidth);
  }
  return latency + states_ / bandwidth;
}

void Decoupled::join(std::uint32_t number, std::optional<std::uint32_t> source,
                     const PaceListener& listener) {
  Worker& worker = workers_[number];
  if (source) {
    if (listener.joined) listener.joined(number, *source);
    for (std::size_t fragment = 0; fragment < worker.held.size(); ++fragment)
      worker.held[fragment] = {workers_[*source].held[fragment].version, 0, 0};
  }
  worker.doing = Doing::stepped;
  for (std::int64_t fragment = 0; fragment < server_.fragments; ++fragment) {
    const auto at = static_cast<std::size_t>(fragment);
    if (worker.held[at].version < versions_[at]) answer(number, fragment, listener);
  }
  worker.progress_at_launch = progress(worker);
  start_step(number);
  if (listener.noted) listener.noted(note_of(ReasonKind::returned, number));
}

// --- merges

double Decoupled::progress(const Worker& worker) const {
  const auto whole = static_cast<double>(worker.steps);
  if (worker.doing != Doing::computing || worker.until <= worker.began) return whole;
  return whole + (now() - worker.began) / (worker.until - worker.began);
}

bool Decoupled::can_offer(const Worker& worker, std::int64_t fragment) const {
  const auto at = static_cast<std::size_t>(fragment);
  return takes_part(worker) && worker.held[at].steps > 0 && worker.held[at].version == versions_[at];
}

bool Decoupled::is_due() const {
  const std::int64_t fragment = launched_ % server_.fragments;
  for (const auto& [number, round] : rounds_)
    if (round.fragment == fragment) return false;
  constexpr double rounding = 1e-9;
  const std::int64_t after = launched_ + 1;
  const auto steps = static_cast<double>(after * server_.every / server_.fragments -
                                         launched_ * server_.every / server_.fragments);
  const auto has_stepped = [&](const Worker& worker) {
    return can_offer(worker, fragment) && progress(worker) - worker.progress_at_launch >= steps - rounding;
  };
  return std::ranges::count_if(workers_, has_stepped) >= server_.quorum;
}

void Decoupled::launch(const PaceListener& listener) {
  if (!is_due()) return;
  const std::int64_t number = launched_++;
  Round& round = rounds_[number];
  round.fragment = number % server_.fragments;
  round.launched = now();
  std::vector<std::uint32_t> asked;
  for (const std::uint32_t worker : taking_part())
    if (can_offer(workers_[worker], round.fragment)) asked.push_back(worker);
  round.asked = asked.size();
  for (const std::uint32_t worker : asked) {
    const Worker::Held& held = workers_[worker].held[static_cast<std::size_t>(round.fragment)];
    const auto samples = static_cast<double>(held.samples);
    offers_[{number, worker}] = {hosts_beside(worker).size(),
                                 samples * samples / static_cast<double>(held.steps)};
  }
  for (const std::uint32_t worker : asked) offer(worker, number, listener);
  for (Worker& worker : workers_) worker.progress_at_launch = progress(worker);
}

void Decoupled::offer(std::uint32_t number, std::int64_t of_round, const PaceListener& listener) {
  const std::int64_t fragment = of_round % server_.fragments;
  if (listener.offered) listener.offered(number, fragment);
  Worker& worker = workers_[number];
  const Seconds compressing =
      costs_.compressing_time(costs_.stated().stated(), (values_of(fragment) + site_ - 1) / site_);
  if (worker.doing == Doing::computing) {
    worker.until += compressing;
    worker.parts.compress += compressing;
  } else {
    worker.compressing += compressing;
  }
  const std::vector<std::uint32_t> hosts = hosts_beside(number);
  const Bytes part = offered_bytes(fragment) / static_cast<double>(hosts_.size());
  for (const std::uint32_t host : hosts)
    send({.kind = Message::Kind::offer, .worker = number, .round = of_round}, number, host, part,
         compressing);
  if (!hosts.empty()) return;
  const double weight = offers_.at({of_round, number}).weight;
  offers_.erase({of_round, number});
  receive_offer(number, of_round, weight, listener);
}

void Decoupled::receive_offer(std::uint32_t number, std::int64_t of_round, double weight,
                              const PaceListener& listener) {
  const auto known = rounds_.find(of_round);
  if (known == rounds_.end()) {
    ++late_offers_;
    return;
  }
  Round& round = known->second;
  round.offers.push_back({number, weight});
  if (std::cmp_less(round.offers.size(), server_.quorum)) return;
  constexpr double together = 1e-6;  // of what the quorum took: what arrives with it counts
  if (!round.closes) round.closes = now() + std::max(grace(round), (now() - round.launched) * together);
  if (round.offers.size() == round.asked) merge(of_round, listener);
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
  const Seconds left = overlap - (now() - round.launched) - last_sync_;
  return std::max(Seconds{}, left) * server_.grace;
}

void Decoupled::merge(std::int64_t number, const PaceListener& listener) {
  const Round round = std::move(rounds_.at(number));
  rounds_.erase(number);
  ++merges_;
  merged_offers_ += static_cast<std::int64_t>(round.offers.size());
  if (listener.merged) listener.merged(round.fragment, round.offers);
  last_merge_ = {round.fragment, ++versions_[static_cast<std::size_t>(round.fragment)], now(), 0};
  for (const std::uint32_t worker : taking_part()) answer(worker, round.fragment, listener);
}

void Decoupled::answer(std::uint32_t number, std::int64_t fragment, const PaceListener& listener) {
  const auto is_it = [&](const Worker::Arrived& arrived) { return arrived.fragment == fragment; };
  if (answers_.contains({number, fragment}) || std::ranges::any_of(workers_[number].arrived, is_it)) return;
  if (listener.answered) listener.answered(number, fragment);
  const std::int64_t version = versions_[static_cast<std::size_t>(fragment)];
  const std::vector<std::uint32_t> hosts = hosts_beside(number);
  if (hosts.empty()) return arrive_at(number, fragment, version);
  const std::uint64_t own = answered_++;
  answers_[{number, fragment}] = {own, version, hosts.size()};
  const Bytes part = Bytes{merged_value_bytes * static_cast<double>(values_of(fragment))} /
                     static_cast<double>(hosts_.size());
  for (const std::uint32_t host : hosts) {
    send({.kind = Message::Kind::answer, .worker = number, .fragment = fragment, .number = own}, host, number,
         part);
  }
}

void Decoupled::arrive_at(std::uint32_t number, std::int64_t fragment, std::int64_t version) {
  workers_[number].arrived.push_back({fragment, version});
  if (fragment != last_merge_.fragment || version != last_merge_.version) return;
  if (++last_merge_.reached == server_.quorum) last_sync_ = now() - last_merge_.at;
}

void Decoupled::receive(const Message& message, const PaceListener& listener) {
  if (message.kind == Message::Kind::offer) {
    const auto under_way = offers_.find({message.round, message.worker});
    if (--under_way->second.parts > 0) return;
    const double weight = under_way->second.weight;
    offers_.erase(under_way);
    return receive_offer(message.worker, message.round, weight, listener);
  }
  const auto under_way = answers_.find({message.worker, message.fragment});
  if (under_way == answers_.end() || under_way->second.number != message.number) return;  // it left meanwhile
  if (--under_way->second.parts > 0) return;
  const std::int64_t version = under_way->second.version;
  answers_.erase(under_way);
  arrive_at(message.worker, message.fragment, version);
}

void Decoupled::close_due_rounds(const PaceListener& listener) {
  std::vector<std::int64_t> due;
  for (const auto& [number, round] : rounds_)
    if (round.closes && *round.closes <= now()) due.push_back(number);
  for (const std::int64_t number : due) merge(number, listener);
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
  for (const auto& [number, round] : rounds_) see(round.closes);
  for (const Worker& worker : workers_)
    if (worker.doing == Doing::downloading) see(worker.until);
  std::vector<std::uint32_t> away;
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker)
    if (workers_[worker].doing == Doing::away) away.push_back(worker);
  see(membership_.next_return(away));
  return next;
}

std::optional<Push> Decoupled::next(const PaceListener& listener) {
  go_on(listener);
  while (!listener.stops || !listener.stops()) {
    const std::optional<Seconds> moment = next_moment();
    if (!moment && messages_.empty()) return std::nullopt;
    const Seconds until = moment.value_or(Seconds{std::numeric_limits<double>::infinity()});
    const Seconds before = now();
    const bool sending = !messages_.empty();
    const auto arrived = flows_.advance(until, network_);
    if (sending) busy_ += now() - before;
    if (arrived) {
      const auto message = messages_.extract(*arrived);
      receive(message.mapped(), listener);
      continue;
    }
    close_due_rounds(listener);
    end_downloads(listener);
    welcome_returned(listener);
    const auto worker = next_to_step();
    if (worker && workers_[*worker].until <= now()) return finish_step(*worker);
  }
  return std::nullopt;
}

}  // namespace sim::engine
