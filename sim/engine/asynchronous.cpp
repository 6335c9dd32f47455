// Events of workers and of their messages, one after another.
#include <algorithm>
#include <limits>

#include "kernels/catalogue.hpp"
#include "sim/engine/compression_cost.hpp"
#include "sim/engine/simulate_asynchronous.hpp"

namespace sim::engine {

using netmodels::Bytes;
using netmodels::Result;
using netmodels::Seconds;

namespace {

constexpr double value_bytes = 4;

policies::ParameterServer server_of(const policies::SynchronisationChoice& stated) {
  return stated->server(stated.settings());
}

/// The whole gradient as one message.
Bytes pushed_bytes(const scenario::Compression& compression, std::int64_t parameters) {
  const policies::CompressionChoice sent = compression.stated();
  return message_bytes(*sent.method, {parameters, sent.ratio, compression.index_bytes, false});
}

/// Of the whole gradient; the server answers with parameters, so that no worker restores another's message.
Seconds pushed_time(const StepSettings& settings) {
  const bool alone =
      settings.workers == 1 && server_of(settings.synchronisation).host == policies::ServerHost::first_worker;
  const std::int64_t parameters = settings.workload.parameters();
  if (alone || parameters == 0) return {};
  return settings.costs.compressing_time(settings.compression.stated(), parameters);
}

/// Keys of messages distinguish pushes from pulls.
std::uint64_t push_key(std::uint32_t worker) { return 2 * std::uint64_t{worker}; }
std::uint64_t pull_key(std::uint32_t worker) { return 2 * std::uint64_t{worker} + 1; }
bool is_push(std::uint64_t key) { return key % 2 == 0; }
std::uint32_t worker_of(std::uint64_t key) { return static_cast<std::uint32_t>(key / 2); }

}  // namespace

Asynchronous::Asynchronous(const StepSettings& settings, Stragglers stragglers, RunNetwork network)
    : training_(settings.training),
      staleness_(server_of(settings.synchronisation).staleness),
      server_(server_of(settings.synchronisation).host == policies::ServerHost::own ? settings.workers : 0),
      cluster_(std::move(network.cluster)),
      network_(std::move(network.timeline)),
      stragglers_(std::move(stragglers)),
      flows_(cluster_->platform()),
      push_size_(pushed_bytes(settings.compression, settings.workload.parameters())),
      pull_size_(Bytes{value_bytes * static_cast<double>(settings.workload.parameters())}),
      compute_(settings.workload.compute(settings.training.batch)),
      compress_(pushed_time(settings)),
      workers_(settings.workers) {}

Result<std::unique_ptr<Asynchronous>> Asynchronous::make(const scenario::Scenario& scenario,
                                                         ClusterCache& clusters) {
  GRADSIM_TRY(network,
              RunNetwork::make(with_server(scenario.cluster, scenario.exchange.synchronisation), clusters));
  return std::unique_ptr<Asynchronous>(new Asynchronous(
      step_settings_of(scenario.work, scenario.cluster, *scenario.stated, scenario.exchange),
      Stragglers(scenario.work, scenario.cluster, *scenario.stated, scenario.simulation.seed),
      std::move(*network)));
}

void Asynchronous::set_batches(const std::vector<int>& samples) {
  training_.batches = samples;
  stragglers_.set_batches(samples);
}

bool Asynchronous::may_go_on(const Worker& worker) const {
  if (!staleness_) return true;
  const std::int64_t slowest = std::ranges::min(workers_, {}, &Worker::steps).steps;
  return worker.steps - slowest <= *staleness_;
}

void Asynchronous::start_pull(std::uint32_t worker, const PaceListener& listener) {
  Worker& puller = workers_[worker];
  puller.pulled_at = taken_;
  if (listener.pulled) listener.pulled(worker);
  puller.doing = Doing::pulling;
  puller.since = now();
  if (worker == server_)
    start_compute(worker);
  else
    flows_.start(pull_key(worker), server_, worker, pull_size_, now(), network_);
}

void Asynchronous::start_compute(std::uint32_t worker) {
  Worker& computing = workers_[worker];
  computing.parts.exchange += now() - computing.since;
  SlowFactors factors;
  stragglers_.factors(computing.steps, now(), {worker}, factors);
  computing.samples = batch_of(training_, worker);
  computing.compute = compute_ * factors.slowest;
  computing.parts.compute += computing.compute;
  computing.parts.compress += compress_;
  computing.doing = Doing::computing;
  computing.since = now();
  computing.until = now() + computing.compute + compress_;
}

void Asynchronous::start_push(std::uint32_t worker) {
  Worker& pusher = workers_[worker];
  pusher.doing = Doing::pushing;
  pusher.since = now();
  if (worker != server_) flows_.start(push_key(worker), worker, server_, push_size_, now(), network_);
}

Push Asynchronous::finish_push(std::uint32_t worker) {
  Worker& pusher = workers_[worker];
  pusher.parts.exchange += now() - pusher.since;
  const Push push{worker,
                  pusher.steps,
                  now(),
                  pusher.parts,
                  taken_ - pusher.pulled_at,
                  worker == server_ ? Bytes{} : push_size_ + pull_size_,
                  pusher.samples,
                  pusher.compute};
  ++pusher.steps;
  ++taken_;
  pusher.parts = {};
  pusher.doing = Doing::waiting;
  pusher.since = now();
  return push;
}

/// Every worker whose wait is over pulls.
void Asynchronous::release(const PaceListener& listener) {
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker) {
    Worker& waiting = workers_[worker];
    if (waiting.doing != Doing::waiting || !may_go_on(waiting)) continue;
    waiting.parts.wait += now() - waiting.since;
    start_pull(worker, listener);
  }
}

std::optional<std::uint32_t> Asynchronous::next_to_compute() const {
  std::optional<std::uint32_t> first;
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker) {
    if (workers_[worker].doing != Doing::computing) continue;
    if (!first || workers_[worker].until < workers_[*first].until) first = worker;
  }
  return first;
}

std::optional<Push> Asynchronous::next(const PaceListener& listener) {
  if (!begun_) {
    for (Worker& worker : workers_) worker.doing = Doing::waiting;
    begun_ = true;
  }
  release(listener);  // after the push before this one, which its caller has given to the server by now
  while (true) {
    const auto computed = next_to_compute();
    const Seconds until =
        computed ? workers_[*computed].until : Seconds{std::numeric_limits<double>::infinity()};
    if (const auto arrived = flows_.advance(until, network_)) {
      if (is_push(*arrived)) return finish_push(worker_of(*arrived));
      start_compute(worker_of(*arrived));
    } else {
      start_push(*computed);
      if (*computed == server_) return finish_push(*computed);
    }
  }
}

}  // namespace sim::engine
