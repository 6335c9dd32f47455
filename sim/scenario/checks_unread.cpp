// Keys that an arm states and whose method never reads them.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "sim/scenario/checks.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/place.hpp"
#include "sim/scenario/print.hpp"

namespace sim::scenario {
namespace {

/// Whether steps have collectives, at least inside a site.
bool has_collectives(const Scenario& scenario) {
  return !is_asynchronous(scenario.synchronisation) || workers_of_site(scenario) > 1;
}

/// Whether gradients are exchanged in some steps, at least inside a site.
bool exchanges_gradients(const Scenario& scenario) {
  const policies::SynchronisationChoice& stated = scenario.synchronisation;
  const bool between = !is_asynchronous(stated) &&
                       (!exchanges_models(stated) || stated->traits.models_later || stated->traits.flags);
  return between || workers_of_site(scenario) > 1;
}

/// Keys of `exchange` about gradients and the backward pass.
constexpr std::array<std::string_view, 6> of_gradients{"overlap", "overlap_slowdown", "execution",
                                                       "bucket",  "first_bucket",     "broadcast_buffers"};

/// Whether an arm reads a key about collectives.
bool is_read(const std::string& path, const Scenario& scenario) {
  if (!has_collectives(scenario)) return false;
  const bool about_gradients = std::ranges::any_of(
      of_gradients, [&](std::string_view key) { return path == fmt::format("exchange.{}", key); });
  return !about_gradients || exchanges_gradients(scenario);
}

/// Why it is not read.
std::string why_unread(const Scenario& scenario) {
  if (!has_collectives(scenario))
    return fmt::format(
        "it is about collectives, and `{}` has none: each worker exchanges with a server by "
        "itself, at its own pace",
        scenario.synchronisation.name());
  return fmt::format(
      "it is about gradients and the backward pass, and `{}` exchanges models after the "
      "optimizer",
      scenario.synchronisation.name());
}

/// Whether it is the default, which changes nothing, as a resolved scenario states it.
bool is_default(const Value& stated, const Value* fallback) {
  return fallback != nullptr && fallback->is_scalar() && stated.is_scalar() &&
         stated.text() == fallback->text();
}

/// Keys about collectives, of those that the arm states otherwise than they are by default.
std::vector<std::string> stated_of_collectives(const Value& tree) {
  std::vector<std::string> found;
  const Value defaults = with_defaults<Scenario>(Value::map({}, Origin()));
  for (const std::string_view map : {"exchange", "probe"}) {
    const Value* stated = tree.find(map);
    if (stated == nullptr || !stated->is_map()) continue;
    for (const Member& member : stated->members()) {
      const std::string path = fmt::format("{}.{}", map, member.key);
      if (member.value.kind() == Value::Kind::nothing) continue;
      if (!is_default(member.value, find_path(defaults, path))) found.push_back(path);
    }
  }
  if (find_path(tree, "cluster.collective_times") != nullptr) found.emplace_back("cluster.collective_times");
  return found;
}

/// Whether an arm that reads the key has it from the same place: the top of the file, a base, an axis.
bool is_shared(const std::string& path, const Value& tree, const std::vector<Scenario>& arms,
               const std::vector<Value>& trees) {
  const std::string origin = find_path(tree, path)->origin().text();
  for (std::size_t i = 0; i < arms.size(); ++i) {
    if (!is_read(path, arms[i])) continue;
    const Value* other = find_path(trees[i], path);
    if (other != nullptr && other->origin().text() == origin) return true;
  }
  return false;
}

/// Whether the command line chose the method, perhaps for one of several points of a sweep, for a file whose
/// keys are about another.
bool is_method_set_beside(const Value& tree) {
  for (const char* path : {"synchronisation", "synchronisation.method"}) {
    const Value* stated = find_path(tree, path);
    if (stated != nullptr && stated->origin().source().starts_with("--set")) return true;
  }
  return false;
}

}  // namespace

netmodels::Result<void> check_unread(std::size_t number, const std::vector<Scenario>& arms,
                                     const std::vector<Value>& trees) {
  const Scenario& arm = arms[number];
  const Value& tree = trees[number];
  if (is_method_set_beside(tree)) return {};
  for (const std::string& path : stated_of_collectives(tree)) {
    if (is_read(path, arm) || is_shared(path, tree, arms, trees)) continue;
    return refuse_at(tree, path, why_unread(arm),
                     has_collectives(arm)
                         ? "leave it out, or write a method that exchanges gradients, such as "
                           "`synchronisation: bsp`"
                         : "leave it out, or write a method whose workers wait for each other, such as "
                           "`synchronisation: bsp`");
  }
  return {};
}

}  // namespace sim::scenario
