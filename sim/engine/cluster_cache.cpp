// Looking for an equal cluster, and for an equal collective on it.
#include "sim/engine/cluster_cache.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sim::engine {

using netmodels::Result;

namespace {

constexpr std::size_t most_collectives = 1024;  // a policy may send any ratio
constexpr std::size_t most_kept_bytes = std::size_t{64} << 20;

/// Of a schedule and of its routes, about: a routed message is as large again, and names a few links.
std::size_t bytes_of(const SharedCollective& collective) {
  constexpr std::size_t per_message = 2 * sizeof(netmodels::Transfer) + 4 * sizeof(netmodels::LinkId);
  std::size_t messages = 0;
  if (collective.schedule) {
    for (const netmodels::Phase& phase : collective.schedule->phases)
      for (const netmodels::Round& round : phase.rounds) messages += round.size();
  }
  return messages * per_message;
}

/// The input of a platform.
auto built_from(const scenario::Cluster& cluster) {
  return std::tie(cluster.workers, cluster.workers_per_node, cluster.link, cluster.upload, cluster.inner_link,
                  cluster.worker_links, cluster.topology, cluster.preset);
}

bool is_same(const netmodels::Operation& one, const netmodels::Operation& other) {
  return one.size == other.size && one.parts == other.parts && one.chunks == other.chunks &&
         one.group == other.group && one.members == other.members && one.shift == other.shift;
}

}  // namespace

std::string_view to_string(EvaluatedBy evaluator) {
  switch (evaluator) {
    case EvaluatedBy::closed: return "closed";
    case EvaluatedBy::path: return "path";
    case EvaluatedBy::simgrid: return "simgrid";
    case EvaluatedBy::measured: return "measured";
    case EvaluatedBy::nccl: return "nccl";
  }
  return "";
}

SharedCluster::SharedCluster(std::unique_ptr<Platform> platform, const std::atomic<bool>* stop)
    : platform_(std::move(platform)), stop_(stop) {}

SimGridEvaluator& SharedCluster::simgrid() {
  if (!simgrid_) simgrid_ = std::make_unique<SimGridEvaluator>(*platform_, stop_);
  return *simgrid_;
}

std::shared_ptr<SharedCollective> SharedCluster::collective(const netmodels::Collective& row,
                                                            const netmodels::Operation& operation,
                                                            const std::vector<std::uint32_t>& workers) {
  const auto known = std::ranges::find_if(collectives_, [&](const auto& one) {
    return one->row == &row && is_same(one->operation, operation) && one->workers == workers;
  });
  if (known != collectives_.end()) return *known;
  auto made = std::make_shared<SharedCollective>();
  made->row = &row;
  made->operation = operation;
  made->workers = workers;
  if (row.schedule != nullptr) made->schedule = row.schedule(operation);
  kept_bytes_ += bytes_of(*made);
  auto end = collectives_.begin();  // of those that make room
  while (end != collectives_.end() &&
         (collectives_.end() - end >= std::ptrdiff_t{most_collectives} || kept_bytes_ > most_kept_bytes)) {
    kept_bytes_ -= bytes_of(**end);
    ++end;
  }
  collectives_.erase(collectives_.begin(), end);
  return collectives_.emplace_back(std::move(made));
}

Result<std::shared_ptr<SharedCluster>> ClusterCache::find(const scenario::Cluster& stated) {
  if (last_ && built_from(stated_) == built_from(stated)) return last_;
  last_.reset();  // before the next is built
  GRADSIM_TRY(platform, Platform::make(stated));
  stated_ = stated;
  last_ = std::make_shared<SharedCluster>(std::move(*platform), stop_);
  return last_;
}

}  // namespace sim::engine
