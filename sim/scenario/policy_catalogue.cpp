// Writes lists of policies out.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/catalogue.hpp"
#include "netmodels/collective.hpp"
#include "netmodels/nearest.hpp"
#include "policies/external_compression.hpp"
#include "policies/external_policy.hpp"
#include "sim/language/document.hpp"
#include "sim/language/place.hpp"
#include "sim/scenario/exchange_library.hpp"
#include "sim/scenario/nccl_keys.hpp"
#include "sim/scenario/policy_grid.hpp"

namespace sim::scenario {
namespace {

using netmodels::Collective;
using netmodels::CollectiveKind;
using netmodels::Result;

/// The meaning of a mere name, as a scenario would write it.
struct NamedPolicy {
  std::string_view name;
  std::string_view text;
};

/// Synchronisation policies as their rows give them as examples, but for those of other programs.
std::vector<NamedPolicy> synchronisations() {
  std::vector<NamedPolicy> all;
  for (const policies::SynchronisationRow& row : policies::synchronisations()) {
    if (!is_external(row)) all.push_back({row.name, row.example});
  }
  return all;
}

constexpr std::array<std::string_view, 3> ratios{"10 %", "1 %", "0.1 %"};

/// Random-k keeps no more of the gradient's energy than its ratio: where nothing is trained, nothing would
/// show how many more steps it needs. It is compared where it is asked for by name.
bool needs_to_be_named(std::string_view method, bool trains) { return !trains && method == "randomk"; }

/// Methods are the table of wire formats, whose ratios are listed elsewhere; policies follow.
std::vector<NamedPolicy> compressions(bool adaptive, std::vector<std::string>& texts) {
  std::vector<NamedPolicy> all;
  texts.reserve(kernels::wire_formats().size());
  for (const kernels::Entry& format : kernels::wire_formats()) {
    if (needs_to_be_named(format.name, adaptive)) continue;
    texts.push_back("{method: " + std::string(format.name) + "}");
    all.push_back({format.name, texts.back()});
  }
  if (!adaptive) return all;
  for (const policies::CompressionRow& policy : policies::compressions()) {
    if (policy.traits.decides && !is_external(policy)) all.push_back({policy.name, policy.example});
  }
  return all;
}

language::Value parsed(std::string_view text, const language::Origin& origin) {
  return *language::parse_value(text, origin);
}

/// The list under `key` with its names written out; `fallback` where there is none.
Result<language::Value> written_out(const language::Value& advice, const std::string& key,
                                    const std::vector<NamedPolicy>& known,
                                    const std::vector<NamedPolicy>& fallback) {
  const language::Value* list = advice.find(key);
  std::vector<language::Value> items;
  if (list == nullptr) {
    for (const NamedPolicy& policy : fallback) items.push_back(parsed(policy.text, language::Origin()));
    return language::Value::list(std::move(items), language::Origin());
  }
  if (!list->is_list()) return *list;  // checked where it is read
  for (std::size_t i = 0; i < list->items().size(); ++i) {
    const language::Value& item = list->items()[i];
    if (!item.is_scalar()) {
      items.push_back(item);
      continue;
    }
    const auto named = std::ranges::find(known, item.text(), &NamedPolicy::name);
    if (named == known.end()) {
      std::vector<std::string_view> names;
      for (const NamedPolicy& policy : known) names.push_back(policy.name);
      return netmodels::refuse(
          item.origin().text(),
          "`advice." + language::item(key, i) + "`: unknown policy `" + item.text() + "`",
          netmodels::accepted_names(item.text(), names));
    }
    items.push_back(parsed(named->text, item.origin()));
  }
  return language::Value::list(std::move(items), list->origin());
}

/// Whether a collective exchanges gradients of equal parts by separate messages, by no library's rules.
bool sends_gradients(const Collective& row) {
  const auto sends = [&](const kernels::Entry& format) { return format.exchange == row.kind; };
  if (row.schedule == nullptr || row.name == "ring_allgatherv" || !row.library.empty()) return false;
  return std::ranges::any_of(kernels::wire_formats(), sends);
}

/// Those that exchange gradients by separate messages; two levels only where workers share nodes. An
/// all-gather of unequal parts is for unequal parts. A library chooses among its own, and two levels are made
/// of its calls; no library has the row of AR-Topk, whose broadcast and all-reduce are calls of their own. On
/// hardware that is described for NCCL all is its choice, of levels, too.
/// @param by_library  whether a library runs collectives
/// @param changes     whether the network changes
std::vector<std::string_view> collectives_to_try(bool by_library, int workers_per_node, bool changes) {
  std::vector<std::string_view> names;
  for (const Collective& row : netmodels::collectives()) {
    if (!sends_gradients(row)) continue;
    if (by_library && (!row.two_level || row.kind == CollectiveKind::ar_topk)) continue;
    if (!row.two_level || workers_per_node > 1) names.push_back(row.name);
  }
  if (changes || by_library) names.emplace_back("auto");
  return names;
}

template <class Names>
void fall_back(language::Value& advice, std::string_view key, const Names& names) {
  if (advice.find(key) != nullptr) return;
  std::vector<language::Value> items;
  for (const auto& name : names)
    items.push_back(language::Value::scalar(std::string(name), language::Origin()));
  advice.set(key, language::Value::list(std::move(items), language::Origin()));
}

}  // namespace

Result<language::Value> write_out_catalogue(const language::Value& advice, const Scenario& base,
                                            bool changes) {
  const bool trains = base.learner.kind->traits.trains;
  std::vector<NamedPolicy> assumed = synchronisations();
  if (!trains) assumed.resize(1);
  language::Value result = advice;
  auto list = written_out(advice, "synchronisation", synchronisations(), assumed);
  if (!list) return list;
  result.set("synchronisation", std::move(*list));
  std::vector<std::string> known_texts;
  std::vector<std::string> fallback_texts;
  list = written_out(advice, "compression", compressions(true, known_texts),
                     compressions(trains, fallback_texts));
  if (!list) return list;
  result.set("compression", std::move(*list));
  fall_back(result, "ratios", ratios);
  const bool by_library = !library_of(base.exchange, base.cluster).empty();
  fall_back(result, "collectives",
            nccl_of(base.work, base.cluster, base.exchange, base.simulation.evaluator) != nullptr
                ? std::vector<std::string_view>{"auto"}
                : collectives_to_try(by_library, base.cluster.workers_per_node, changes));
  fall_back(result, "batches", std::array{std::to_string(base.work.training.batch)});
  return result;
}

}  // namespace sim::scenario
