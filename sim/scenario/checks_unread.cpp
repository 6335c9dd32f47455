// Keys that an arm states and never reads.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "sim/scenario/checks.hpp"
#include "sim/scenario/execution.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/place.hpp"
#include "sim/scenario/print.hpp"

namespace sim::scenario {
namespace {

/// Whether steps have collectives, at least inside a site.
bool has_collectives(const Scenario& scenario) {
  return !is_asynchronous(scenario.synchronisation) || workers_of_site(scenario) > 1;
}

bool gathers_parameters(const Scenario& scenario) {
  using enum netmodels::Sharding;
  const netmodels::Sharding sharding = scenario.parallelism.sharding();
  return sharding == fsdp || sharding == hsdp;
}

bool adds_shards_up(const Scenario& scenario) {
  return gathers_parameters(scenario) || scenario.parallelism.data == netmodels::Sharding::zero2;
}

/// Why a key is not read, and what to do.
struct Unread {
  std::string why;
  std::string_view hint;
};

Unread no_collectives(const Scenario& scenario) {
  return {
      fmt::format("it is about collectives, and `{}` has none: each worker exchanges with a server by "
                  "itself, at its own pace",
                  scenario.synchronisation.name()),
      "leave it out, or write a method whose workers wait for each other, such as `synchronisation: bsp`"};
}

Unread no_gradients(const Scenario& scenario) {
  if (!has_collectives(scenario)) return no_collectives(scenario);
  return {fmt::format(
              "it is about gradients and the backward pass, and `{}` exchanges models after the optimizer",
              scenario.synchronisation.name()),
          "leave it out, or write a method that exchanges gradients, such as `synchronisation: bsp`"};
}

Unread nothing_gathered(const Scenario&) {
  return {"it is about parameters that are gathered, and each worker holds all of them",
          "leave it out, or write `data: fsdp` or `data: hsdp`"};
}

Unread no_shards(const Scenario&) {
  return {"it is about shards of gradients, and there are none",
          "leave it out, or write `data: zero2`, `data: fsdp` or `data: hsdp`"};
}

/// Where every unit is a block, a root unit is none.
bool may_have_root_unit(const Scenario& scenario) {
  return scenario.parallelism.unit != netmodels::ShardGrouping::root ||
         netmodels::has_root_unit(scenario.workload.layers);
}

Unread no_root_unit(const Scenario&) {
  return {
      "no layers lie before the blocks, or before those of the last stage of a pipeline, which a root unit "
      "would hold",
      "leave it out"};
}

bool has_tensor_groups(const Scenario& scenario) { return scenario.parallelism.tensor > 1; }

Unread no_tensor_groups(const Scenario&) {
  return {"no GPUs share a layer", "write `parallelism.tensor` of at least 2, or leave it out"};
}

/// Keys that only some arms read.
struct KeyGroup {
  std::string_view map;                    ///< that the keys are in
  std::span<const std::string_view> keys;  ///< empty: all of them
  bool (*is_read)(const Scenario&);
  Unread (*why_not)(const Scenario&);
  std::span<const std::string_view> decisive;  ///< keys that decide whether they are read
};

constexpr std::array<std::string_view, 1> of_times{"collective_times"};
constexpr std::array<std::string_view, 6> of_gradients{"overlap", "overlap_slowdown", "execution",
                                                       "bucket",  "first_bucket",     "broadcast_buffers"};
constexpr std::array<std::string_view, 3> of_gathering{"prefetch", "reshard_after_forward", "unit"};
constexpr std::array<std::string_view, 1> of_units{"unit"};
constexpr std::array<std::string_view, 1> of_micro_batches{"accumulate"};
constexpr std::array<std::string_view, 3> of_tensor_groups{"sequence_parallel", "split_embedding",
                                                           "shared_inputs"};

constexpr std::array<std::string_view, 4> methods{"synchronisation", "synchronisation.method", "parallelism",
                                                  "parallelism.site"};
constexpr std::array<std::string_view, 4> shardings{"parallelism", "parallelism.data",
                                                    "parallelism.shard_within", "parallelism.site"};

constexpr std::array<std::string_view, 1> workloads{"workload"};
constexpr std::array<std::string_view, 2> degrees{"parallelism", "parallelism.tensor"};

/// In the order in which they are refused.
constexpr std::array groups{
    KeyGroup{"exchange", {}, has_collectives, no_collectives, methods},
    KeyGroup{"probe", {}, has_collectives, no_collectives, methods},
    KeyGroup{"cluster", of_times, has_collectives, no_collectives, methods},
    KeyGroup{"exchange", of_gradients, exchanges_gradients, no_gradients, methods},
    KeyGroup{"parallelism", of_gathering, gathers_parameters, nothing_gathered, shardings},
    KeyGroup{"parallelism", of_units, may_have_root_unit, no_root_unit, workloads},
    KeyGroup{"parallelism", of_micro_batches, adds_shards_up, no_shards, shardings},
    KeyGroup{"parallelism", of_tensor_groups, has_tensor_groups, no_tensor_groups, degrees},
};

/// Whether it is the default, which changes nothing, as a resolved scenario states it.
bool is_default(const Value& stated, const Value* fallback) {
  return fallback != nullptr && fallback->is_scalar() && stated.is_scalar() &&
         stated.text() == fallback->text();
}

/// Keys of a group that the arm states otherwise than they are by default.
std::vector<std::string> stated_of(const KeyGroup& group, const Value& tree, const Value& defaults) {
  std::vector<std::string> found;
  const Value* stated = tree.find(group.map);
  if (stated == nullptr || !stated->is_map()) return found;
  for (const Member& member : stated->members()) {
    if (!group.keys.empty() && std::ranges::find(group.keys, member.key) == group.keys.end()) continue;
    const std::string path = fmt::format("{}.{}", group.map, member.key);
    if (member.value.kind() == Value::Kind::nothing) continue;
    if (!is_default(member.value, find_path(defaults, path))) found.push_back(path);
  }
  return found;
}

/// Whether an arm that reads the key has it from the same place: the top of the file, a base, an axis.
bool is_shared(const KeyGroup& group, const std::string& path, const Value& tree,
               const std::vector<Scenario>& arms, const std::vector<Value>& trees) {
  const std::string origin = find_path(tree, path)->origin().text();
  for (std::size_t i = 0; i < arms.size(); ++i) {
    if (!group.is_read(arms[i])) continue;
    const Value* other = find_path(trees[i], path);
    if (other != nullptr && other->origin().text() == origin) return true;
  }
  return false;
}

/// Whether the command line chose what decides, perhaps for one of several points of a sweep, for a file
/// whose keys are about something else.
bool is_decided_beside(const KeyGroup& group, const Value& tree) {
  return std::ranges::any_of(group.decisive, [&](std::string_view path) {
    const Value* stated = find_path(tree, path);
    return stated != nullptr && stated->origin().source().starts_with("--set");
  });
}

}  // namespace

netmodels::Result<void> check_unread(std::size_t number, const std::vector<Scenario>& arms,
                                     const std::vector<Value>& trees) {
  const Scenario& arm = arms[number];
  const Value& tree = trees[number];
  const Value defaults = with_defaults<Scenario>(Value::map({}, Origin()));
  for (const KeyGroup& group : groups) {
    if (group.is_read(arm) || is_decided_beside(group, tree)) continue;
    for (const std::string& path : stated_of(group, tree, defaults)) {
      if (is_shared(group, path, tree, arms, trees)) continue;
      const Unread unread = group.why_not(arm);
      return refuse_at(tree, path, unread.why, std::string(unread.hint));
    }
  }
  return {};
}

}  // namespace sim::scenario
