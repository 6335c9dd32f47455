// What the engine asks of SimGrid, whose library is loaded by the first run that needs it.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "netmodels/network.hpp"
#include "netmodels/result.hpp"
#include "netmodels/schedule.hpp"
#include "sim/engine/zones.hpp"

namespace sim::engine {

/// The SimGrid that this program was built with, such as "3.32.0"; loads nothing.
std::string simgrid_version();

/// Orders "worker2" before "worker10": the order of links and hosts.
inline bool by_natural_name(const std::string& left, const std::string& right) {
  return strverscmp(left.c_str(), right.c_str()) < 0;
}

/// One direction of a link as SimGrid has it.
struct SimGridLink {
  std::string name;
  netmodels::LinkState state;  ///< as a platform file states it
};

/// Schedules as SimGrid flows, see `SimGridEvaluator`.
class SimGridTransfers {
 public:
  virtual ~SimGridTransfers() = default;
  [[nodiscard]] virtual netmodels::Result<netmodels::Evaluation> evaluate(
      const netmodels::Schedule& schedule, const std::vector<std::uint32_t>& workers,
      const netmodels::NetworkState& state) = 0;
};

/// The network that flows see: links by number, in natural order of their names.
struct SimGridFlowModel {
  bool tcp = false;  ///< SimGrid's model of TCP with its latencies, in place of exact sharing
  std::vector<netmodels::Bandwidth> nominal;
  netmodels::Routes routes;  ///< between workers
  const std::atomic<bool>* stop = nullptr;
};

/// A network in SimGrid's hands. There is one at a time in a process, since SimGrid has one engine; building
/// hundreds one after another slows SimGrid down, whose callbacks pile up with every engine. Latencies of
/// links are zero in it unless a flow model with TCP sets them.
class SimGridNetwork {
 public:
  virtual ~SimGridNetwork() = default;
  /// In natural order.
  [[nodiscard]] virtual std::vector<std::string> hosts() const = 0;
  /// In natural order, without SimGrid's loopback.
  [[nodiscard]] virtual const std::vector<SimGridLink>& links() const = 0;
  /// Places worker i on the i-th host.
  virtual void place(const std::vector<std::string>& hosts) = 0;
  /// Numbers of `links()`.
  [[nodiscard]] virtual netmodels::Route route(std::uint32_t from, std::uint32_t to) const = 0;
  [[nodiscard]] virtual std::unique_ptr<SimGridTransfers> transfers(SimGridFlowModel model) = 0;
  /// SimGrid's own time, which continues from one operation to the next.
  [[nodiscard]] virtual netmodels::Seconds clock() const = 0;
};

/// Names the hosts that work, in rank order, from all that a file has, in natural order.
using ChooseHosts = std::function<std::vector<std::string>(const std::vector<std::string>& known)>;

/// What the module with SimGrid offers.
class SimGrid {
 public:
  virtual ~SimGrid() = default;
  /// Builds zones, with worker i on the i-th host of the plan.
  [[nodiscard]] virtual std::unique_ptr<SimGridNetwork> build(const ZonePlan& plan) const = 0;
  /// Loads a platform file (XML) that has been tried. SimGrid 3.32 cannot load a second one, nor build zones
  /// after it, nor load one after zones.
  /// @throws std::exception where SimGrid refuses the file
  [[nodiscard]] virtual std::unique_ptr<SimGridNetwork> load(const std::string& path) const = 0;
  /// Loads `path` in a child process, because SimGrid ends the process on a bad file; looks up routes between
  /// the hosts that work, and reports what SimGrid says there. Up to 256 hosts every pair is looked up,
  /// beyond that those of neighbours in rank and those of rank 0.
  /// @returns nothing to say, or an Error that carries SimGrid's own message, or names two hosts without a
  ///          route; files with their own profiles (bandwidth_file, latency_file, state_file, <trace>) are
  ///          refused, since changes belong to the scenario
  [[nodiscard]] virtual netmodels::Result<void> try_file(const std::string& path,
                                                         const ChooseHosts& choose_hosts) const = 0;
};

/// SimGrid, opened when first asked for.
/// @throws std::runtime_error that names the module's file where it cannot be opened
const SimGrid& simgrid_module();

}  // namespace sim::engine
