// Choosing evaluators, remembering their answers, and checking some of them.
#include "sim/engine/cost_evaluator.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "sim/engine/random.hpp"

namespace sim::engine {

using netmodels::NetworkState;
using netmodels::refuse;
using netmodels::Result;
using netmodels::Seconds;

namespace {

constexpr double audit_tolerance = 1e-9;  // relative, as promised by --audit
constexpr std::size_t most_known = 4096;  // results kept per operation; a trace may never return to a state

}  // namespace

Result<netmodels::LinkState> homogeneous_link(const Platform& platform,
                                              const std::vector<std::uint32_t>& workers,
                                              const NetworkState& state) {
  const auto no = [](const char* why) {
    return refuse("network",
                  std::string("the closed form is valid only on a free homogeneous network: ") + why,
                  "use `path`, `simgrid` or `auto`");
  };
  if (platform.preset() != scenario::NetworkPreset::exact) return no("a TCP preset is set");
  if (!state.background.empty()) return no("background traffic runs");
  const auto& rows = platform.links();
  for (const PlatformLink& row : rows) {
    if (row.role != LinkRole::worker || row.workers.size() != 1) return no("links are shared");
  }
  std::vector<bool> takes_part(platform.workers(), false);
  for (const std::uint32_t worker : workers) takes_part[worker] = true;
  const netmodels::LinkState* first = nullptr;
  for (netmodels::LinkId id = 0; id < rows.size(); ++id) {
    if (!takes_part[static_cast<std::size_t>(rows[id].workers.front())]) continue;
    if (first == nullptr) first = &state.links[id];
    if (state.links[id].bandwidth != first->bandwidth || state.links[id].latency != first->latency)
      return no("links differ");
  }
  if (first == nullptr) return no("no link was found");
  return netmodels::LinkState{first->latency * 2, first->bandwidth};  // up and down
}

CostEvaluator::CostEvaluator(SharedCluster& cluster, const Settings& settings)
    : cluster_(cluster), platform_(cluster.platform()), settings_(settings) {}

void CostEvaluator::set_workers(std::vector<std::uint32_t> workers) {
  workers_ = std::move(workers);
  prepared_.clear();
  candidates_ = cluster_.candidates(settings_.evaluator, workers_);
  nccl_ = settings_.nccl == nullptr ? std::nullopt
                                    : NcclTimes::make(*settings_.nccl, workers_, settings_.workers_per_node);
}

CostEvaluator::Handle CostEvaluator::prepare(const netmodels::Collective& row,
                                             const netmodels::Operation& operation) {
  assert(operation.ranks == workers_.size());
  std::shared_ptr<SharedCollective> shared = cluster_.collective(row, operation, workers_);
  for (Handle handle = 0; handle < prepared_.size(); ++handle) {
    if (prepared_[handle].shared == shared) return handle;
  }
  prepared_.push_back({std::move(shared), false, 0, std::nullopt, {}, measured(row), {}});
  return prepared_.size() - 1;
}

const netmodels::MeasuredCollective* CostEvaluator::measured(const netmodels::Collective& row) const {
  if (settings_.evaluator != scenario::Evaluator::automatic) return nullptr;
  const auto ranks = static_cast<std::uint32_t>(workers_.size());
  std::set<std::uint32_t> nodes;
  for (const std::uint32_t worker : workers_) nodes.insert(worker / settings_.workers_per_node);
  return netmodels::find_measured(settings_.measured, row, ranks, static_cast<std::uint32_t>(nodes.size()));
}

Result<CostEvaluator::Cost> CostEvaluator::by_measurement(const Prepared& prepared) {
  const netmodels::MeasuredCollective& measured = *prepared.measured;
  const netmodels::Bytes size = prepared.shared->operation.size;
  if (!settings_.extrapolate) {
    if (auto near = netmodels::check_extrapolation(measured, size); !near)
      return tl::unexpected(near.error());
  }
  ++counts_.measured;
  if (!measured.covers(size)) ++counts_.beyond_measured;
  return Cost{netmodels::predict(measured.times, size), EvaluatedBy::measured, measured.error_at(size)};
}

bool CostEvaluator::uses_nccl() const {
  using enum scenario::Evaluator;
  return nccl_ &&
         (settings_.evaluator == automatic || settings_.evaluator == nccl || settings_.evaluator == simgrid);
}

bool CostEvaluator::measures(std::span<const netmodels::Collective* const> rows) const {
  const auto is_measured = [&](const netmodels::Collective* row) { return measured(*row) != nullptr; };
  const auto is_nccl = [](const netmodels::Collective* row) { return NcclTimes::runs(*row); };
  return std::ranges::all_of(rows, is_measured) || (uses_nccl() && std::ranges::all_of(rows, is_nccl));
}

Result<CostEvaluator::NcclOperation> CostEvaluator::nccl_operation(
    const netmodels::Collective& row, const netmodels::Operation& operation) const {
  const auto time = nccl_->time(row, operation);
  if (!time) return refuse("network", time.error().what, time.error().hint);
  return NcclOperation{*time, NcclFlows(row, *nccl_, *time, platform_, workers_, settings_.in_hops)};
}

std::optional<Seconds> CostEvaluator::nccl_time(const netmodels::Collective& row,
                                                const netmodels::Operation& operation,
                                                const NetworkState& state) const {
  if (!uses_nccl() || !NcclTimes::runs(row, operation)) return std::nullopt;
  const auto made = nccl_operation(row, operation);
  if (!made) return Seconds{std::numeric_limits<double>::infinity()};
  const auto taken = nccl_on(*made, state);
  return taken ? taken->time.total() : Seconds{std::numeric_limits<double>::infinity()};
}

Result<netmodels::nccl::ContendedTime> CostEvaluator::nccl_on(const NcclOperation& nccl,
                                                              const NetworkState& state) const {
  if (settings_.evaluator != scenario::Evaluator::simgrid) return nccl.flows.evaluate(state);
  return nccl.flows.evaluate_rounds(state,
                                    [this](const netmodels::Schedule& schedule, const NetworkState& reached) {
                                      return cluster_.simgrid().evaluate(schedule, workers_, reached);
                                    });
}

Result<CostEvaluator::Cost> CostEvaluator::by_nccl(Prepared& prepared, NetworkTimeline& network,
                                                   Seconds now) {
  if (!prepared.nccl) {
    auto made = nccl_operation(*prepared.shared->row, prepared.shared->operation);
    if (!made) return tl::unexpected(made.error());
    prepared.nccl.emplace(std::move(*made));
  }
  NcclOperation& nccl = *prepared.nccl;
  const auto cost = [&](const netmodels::nccl::Time& time) {
    ++counts_.nccl;
    return Cost{time.total(), EvaluatedBy::nccl, nccl_->error(), time};
  };
  Seconds until = now + nccl.quiet.total() * 2;
  for (;;) {
    const NetworkState& state = network.state(until);
    const auto known = nccl.known.find(state.number);
    if (known != nccl.known.end() && state.now + known->second.total() <= state.horizon())
      return cost(known->second);
    GRADSIM_TRY(found, nccl_on(nccl, state));
    const Seconds duration = found->time.total();
    if (!std::isfinite(duration.count))
      return refuse("network", "an operation of NCCL does not end: a link has no bandwidth left",
                    "leave the links of `cluster` a bandwidth above 0");
    if (!found->reusable && now + duration > until) {  // not all changes in between were foreseen
      until = now + duration * 2;
      continue;
    }
    if (found->reusable) {
      if (nccl.known.size() >= most_known) nccl.known.clear();
      nccl.known.insert_or_assign(state.number, found->time);
    }
    return cost(found->time);
  }
}

Seconds CostEvaluator::latency_of(Handle handle, const NetworkState& state, Seconds duration) {
  const Prepared& prepared = prepared_[handle];
  SharedCollective& collective = *prepared.shared;
  if (prepared.measured != nullptr)
    return std::min(duration, netmodels::predict(prepared.measured->times, netmodels::Bytes{}));
  if (!collective.schedule) {
    auto link = homogeneous_link(platform_, workers_, state);
    if (!link) return {};
    link->bandwidth = {std::numeric_limits<double>::infinity()};
    return std::min(duration, collective.row->closed(collective.operation, *link));
  }
  NetworkState fast{state.now, state.links, {}, {}, {}, 0};
  const bool exact = platform_.preset() == scenario::NetworkPreset::exact;
  constexpr double in_simgrid = 1e9;
  for (netmodels::LinkState& link : fast.links)
    link.bandwidth *= exact ? std::numeric_limits<double>::infinity() : in_simgrid;
  if (exact) return std::min(duration, routed(collective).without_sharing(fast));
  const auto evaluated = cluster_.simgrid().evaluate(*collective.schedule, workers_, fast);
  return evaluated ? std::min(duration, evaluated->duration) : Seconds{};
}

std::optional<netmodels::Bytes> CostEvaluator::sent_per_worker(Handle handle) const {
  const SharedCollective& collective = *prepared_[handle].shared;
  if (!collective.schedule) return std::nullopt;
  return collective.schedule->bytes() / collective.operation.ranks;
}

std::optional<netmodels::Bytes> CostEvaluator::sent_between_nodes(Handle handle,
                                                                  std::uint32_t per_node) const {
  const SharedCollective& collective = *prepared_[handle].shared;
  if (!collective.schedule) return std::nullopt;
  const auto node_of = [&](std::uint32_t end) {
    return collective.workers[collective.schedule->rank_of(end)] / per_node;
  };
  netmodels::Bytes sum;
  for (const netmodels::Phase& phase : collective.schedule->phases) {
    netmodels::Bytes once;
    for (const netmodels::Round& round : phase.rounds) {
      for (const netmodels::Transfer& message : round) {
        if (node_of(message.from) != node_of(message.to)) once += message.size;
      }
    }
    sum += once * static_cast<double>(phase.repeat);
  }
  return sum / collective.operation.ranks;
}

Result<CostEvaluator::Cost> CostEvaluator::evaluate(Handle handle, NetworkTimeline& network, Seconds now) {
  Prepared& prepared = prepared_[handle];
  if (prepared.measured != nullptr) return by_measurement(prepared);
  if (uses_nccl() && NcclTimes::runs(*prepared.shared->row, prepared.shared->operation))
    return by_nccl(prepared, network, now);
  if (settings_.evaluator == scenario::Evaluator::nccl)
    return refuse("network",
                  fmt::format("NCCL does not run `{}` on these workers", prepared.shared->row->name),
                  "use a collective of NCCL with as many workers on each node, or `network: auto`");
  return by_schedule(prepared, network, now);
}

Result<CostEvaluator::Cost> CostEvaluator::by_schedule(Prepared& prepared, NetworkTimeline& network,
                                                       Seconds now) {
  const bool may_reuse = settings_.evaluator == scenario::Evaluator::automatic;
  Seconds until = now + (prepared.last ? prepared.last->duration * 2 : Seconds{1});
  for (;;) {
    const NetworkState& state = network.state(until);
    if (may_reuse) {
      auto known = reuse(prepared, state);
      if (!known) known = shared(prepared, state);
      if (known) return audited(prepared, *known, state);
    }
    bool reusable = false;
    const bool was_contended = prepared.contended;
    auto price = evaluate(prepared, state, reusable);
    if (!price) return price;
    if (!reusable && now + price->duration > until) {  // not all changes in between were foreseen
      until = now + price->duration * 2;
      continue;
    }
    if (!reusable && price->by == EvaluatedBy::closed) {
      return refuse("network", "closed forms assume a network that does not change during the operation",
                    "use a collective with a schedule, and `path`, `simgrid` or `auto`");
    }
    count(price->by);
    if (may_reuse && reusable) {
      keep(prepared, *price, state.number);
      share(prepared, *price, was_contended, state.number);
    }
    return audited(prepared, *price, state);
  }
}

void CostEvaluator::share(const Prepared& prepared, const Cost& price, bool was_contended,
                          std::uint64_t number) {
  auto& known = prepared.shared->known[was_contended ? 1 : 0];
  if (known.size() >= most_known) known.clear();
  known.insert_or_assign(number, SharedCollective::Known{price.duration, price.by, prepared.contended});
}

Result<CostEvaluator::Cost> CostEvaluator::audited(const Prepared& prepared, const Cost& price,
                                                   const NetworkState& state) {
  if (auto fine = audit(prepared, price, state); !fine) return tl::unexpected(fine.error());
  return price;
}

void CostEvaluator::keep(Prepared& prepared, const Cost& price, std::uint64_t number) {
  prepared.last = Known{price.duration, price.by};
  prepared.last_number = number;
  if (prepared.known.size() >= most_known) prepared.known.clear();
  prepared.known.insert_or_assign(number, *prepared.last);
}

std::optional<CostEvaluator::Cost> CostEvaluator::shared(Prepared& prepared, const NetworkState& state) {
  const auto& known = prepared.shared->known[prepared.contended ? 1 : 0];
  const auto found = known.find(state.number);
  if (found == known.end() || state.now + found->second.duration > state.horizon()) return std::nullopt;
  const Cost price{found->second.duration, found->second.by};
  prepared.contended = found->second.contended;
  count(price.by);
  keep(prepared, price, state.number);
  return price;
}

void CostEvaluator::count(EvaluatedBy evaluator) {
  switch (evaluator) {
    case EvaluatedBy::closed: ++counts_.closed; break;
    case EvaluatedBy::path: ++counts_.path; break;
    case EvaluatedBy::simgrid: ++counts_.simgrid; break;
    case EvaluatedBy::measured: ++counts_.measured; break;
    case EvaluatedBy::nccl: ++counts_.nccl; break;
  }
}

std::optional<CostEvaluator::Cost> CostEvaluator::reuse(Prepared& prepared, const NetworkState& state) {
  if (!prepared.last || prepared.last_number != state.number) {
    const auto found = prepared.known.find(state.number);
    if (found == prepared.known.end()) return std::nullopt;
    prepared.last = found->second;
    prepared.last_number = state.number;
  }
  if (state.now + prepared.last->duration > state.horizon()) return std::nullopt;
  ++counts_.reused;
  return Cost{prepared.last->duration, prepared.last->by};
}

Result<CostEvaluator::Cost> CostEvaluator::evaluate(Prepared& prepared, const NetworkState& state,
                                                    bool& reusable) {
  using enum scenario::Evaluator;
  if (settings_.evaluator == closed || (settings_.evaluator == automatic && !prepared.shared->schedule)) {
    auto price = by_closed_form(prepared, state);
    if (price) reusable = state.now + price->duration <= state.horizon();
    return price;
  }
  if (!prepared.shared->schedule) {
    return refuse(
        "exchange.collective",
        fmt::format("`{}` is a published closed form without a schedule", prepared.shared->row->name),
        "use `closed` or `auto`");
  }
  if (settings_.evaluator == path) return by_path(prepared, state, reusable);
  if (settings_.evaluator == automatic && !prepared.contended) {
    if (auto price = by_path(prepared, state, reusable)) return price;
    prepared.contended = prepared.shared->routed && prepared.shared->routed->messages_meet(state);
  }
  return by_simgrid(prepared, state, reusable);
}

Result<CostEvaluator::Cost> CostEvaluator::by_closed_form(const Prepared& prepared,
                                                          const NetworkState& state) const {
  GRADSIM_TRY(link, homogeneous_link(platform_, workers_, state));
  return Cost{prepared.shared->row->closed(prepared.shared->operation, *link), EvaluatedBy::closed};
}

netmodels::RoutedSchedule& CostEvaluator::routed(SharedCollective& collective) const {
  if (!collective.routed) {
    collective.routed = std::make_unique<netmodels::RoutedSchedule>(
        *collective.schedule, [&](std::uint32_t from, std::uint32_t to) -> const netmodels::Route& {
          return platform_.route(workers_[from], workers_[to]);
        });
  }
  return *collective.routed;
}

Result<CostEvaluator::Cost> CostEvaluator::by_path(Prepared& prepared, const NetworkState& state,
                                                   bool& reusable) {
  if (platform_.preset() != scenario::NetworkPreset::exact) {
    return refuse("network", "the path evaluator does not support TCP presets", "use `simgrid` or `auto`");
  }
  const auto evaluated = routed(*prepared.shared).evaluate(state);
  if (!evaluated) {
    netmodels::Error error = evaluated.error();
    error.where = "network";
    return tl::unexpected(error);
  }
  reusable = evaluated->reusable;
  return Cost{evaluated->duration, EvaluatedBy::path};
}

Result<CostEvaluator::Cost> CostEvaluator::by_simgrid(const Prepared& prepared, const NetworkState& state,
                                                      bool& reusable) {
  if (platform_.preset() != scenario::NetworkPreset::exact &&
      netmodels::sends_notices(*prepared.shared->schedule)) {
    return refuse(
        "cluster.preset",
        fmt::format("SimGrid's models of TCP take no time for messages without bytes, and `{}` waits "
                    "for such notices",
                    prepared.shared->row->name),
        "leave out the preset, or choose a collective of another library");
  }
  GRADSIM_TRY(evaluated, cluster_.simgrid().evaluate(*prepared.shared->schedule, workers_, state));
  reusable = evaluated->reusable;
  return Cost{evaluated->duration, EvaluatedBy::simgrid};
}

Result<void> CostEvaluator::audit(const Prepared& prepared, const Cost& price, const NetworkState& state) {
  if (settings_.audit == 0 || !prepared.shared->schedule) return {};
  const std::uint64_t answers = counts_.closed + counts_.path + counts_.simgrid + counts_.reused;
  if (Draw(settings_.seed, Stream::audit, answers).uniform() >= settings_.audit) return {};
  GRADSIM_TRY(evaluated, cluster_.simgrid().evaluate(*prepared.shared->schedule, workers_, state));
  const Seconds reference = evaluated->duration;
  ++counts_.audited;
  // SimGrid's clock continues from one operation to the next, and each of its events is rounded to it.
  const double rounding = cluster_.simgrid().clock().count * std::numeric_limits<double>::epsilon() *
                          static_cast<double>(2 * prepared.shared->schedule->rounds());
  if (std::abs((reference - price.duration).count) <= audit_tolerance * reference.count + rounding) return {};
  return refuse("audit",
                fmt::format("{} of {} at {:.17g} s: {} gives {:.17g} s, SimGrid {:.17g} s",
                            prepared.shared->row->name, print(prepared.shared->operation.size),
                            state.now.count, to_string(price.by), price.duration.count, reference.count),
                "please report this scenario; `network: simgrid` gives the reference");
}

}  // namespace sim::engine
