// The way from what an arm states to what the engine takes: derivations and checks, with what each needs and
// gives.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/language/value.hpp"
#include "sim/scenario/arm_files.hpp"
#include "sim/scenario/features.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {

/// A value that a derivation gives, or a condition that a check vouches for.
enum class Part : std::uint8_t {
  known_names,     ///< methods, collectives and execution models exist
  gradient_width,  ///< bytes of a gradient in `parallelism.states`
  ratio,           ///< `compression.ratio` of a stated rank
  host_times,      ///< host overhead of the workload
  declarations,    ///< needs, offers and denials of the settings
  combination,     ///< settings can be combined
  fabric_links,    ///< links of fabrics, with their ranges
  links,           ///< links of all GPUs
  whole_nodes,     ///< workers, nodes, links and events of the cluster fit together
  nccl_hardware,   ///< NCCL's description fits the cluster
  stated_length,   ///< the training has an end
  sites,           ///< nodes can be sites
  waiting,         ///< passes of the workload where GPUs wait for each other
  equal_parts,     ///< replicas can be cut into equal parts
  group,           ///< workload and cluster of one GPU of each replica
  fitting_states,  ///< states are shared as they can be, and fit into memory
  micro_batches,   ///< passes of all micro-batches
  pipeline,        ///< costs of a pipeline in the host's time, and the speeds of replicas
  batches,         ///< one for each worker
  length,          ///< samples and epochs of the training
  core_counts,     ///< one for each worker
  speeds,          ///< speeds of workers that state cores
  stream_rates,    ///< streams of all workers, in order
  streams,         ///< changes of a stream's trace
  kernel_times,    ///< contents of measured tables
  stack,           ///< compression times of a framework
  overlap,         ///< slow-down of computing while a collective runs
  traces,          ///< points of link traces
  machine_price,   ///< the priced machine is one of the cluster
  rented,          ///< all machines with their price
};

/// A set of parts.
class Parts {
 public:
  constexpr Parts() = default;
  constexpr Parts(std::initializer_list<Part> members) {
    for (const Part member : members) bits_ |= std::uint64_t{1} << static_cast<unsigned>(member);
  }

  [[nodiscard]] constexpr bool contains(const Parts& others) const {
    return (bits_ & others.bits_) == others.bits_;
  }
  [[nodiscard]] constexpr bool meets(const Parts& others) const { return (bits_ & others.bits_) != 0; }
  constexpr Parts& operator|=(const Parts& others) {
    bits_ |= others.bits_;
    return *this;
  }
  bool operator==(const Parts&) const = default;

 private:
  std::uint64_t bits_ = 0;
};

/// An arm on its way.
struct Resolving {
  const Scenario& written;      ///< values as the file states them, with its workload and devices
  const language::Value& tree;  ///< source of the arm, for the places in messages
  ArmFiles& files;
  Scenario scenario;                   ///< values so far, from the stated ones on
  std::vector<Feature> features = {};  ///< declarations of the settings
  std::vector<std::string> warnings = {};
};

/// One value that follows from others. It refuses only what keeps it from being computed.
struct Derivation {
  std::string_view name;
  Parts needs;
  Parts gives;
  netmodels::Result<void> (*run)(Resolving& arm);
};

/// One condition. It sees parts that no later derivation replaces, or runs before the derivation does.
struct Check {
  std::string_view name;
  Parts needs;
  Parts gives;  ///< conditions that hold where it finds nothing
  netmodels::Result<void> (*run)(const Resolving& arm);
};

/// All derivations; each part is given once.
std::span<const Derivation> derivations();

/// All checks.
std::span<const Check> checks();

/// Runs derivations and checks one after the other, each once all that it needs is given; of those that are
/// ready, checks first.
/// @param arm    with the stated values
/// @param order  order of derivations that are ready at once
/// @returns the errors of all that ran
netmodels::Result<void> resolve(Resolving& arm, std::span<const Derivation> order = derivations());

}  // namespace sim::scenario
