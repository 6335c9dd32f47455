// Multiplies lists of policies out.
#include "sim/scenario/policy_grid.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kernels/catalogue.hpp"
#include "policies/exchange_policy.hpp"
#include "settings/key.hpp"
#include "sim/language/place.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/fields_scenario.hpp"

namespace sim::scenario {
namespace {

using netmodels::Error;
using netmodels::Result;

/// One entry of `compression`, at one ratio where it states none.
struct Sent {
  language::Value map;
  std::size_t entry;
  std::string name;
  std::optional<double> ratio;
};

/// One combination, before it is read.
struct Combination {
  std::size_t synchronisation_entry;
  const language::Value* synchronisation;
  const Sent* sent;
  std::string collective;
  const language::Value* batch;
};

std::string text_of(const language::Value& map, std::string_view key) {
  const language::Value* value = map.find(key);
  return value == nullptr ? std::string() : value->text();
}

/// The method, and its other keys in one line: "periodic every 20".
std::string label_of(const language::Value& synchronisation) {
  std::string label = text_of(synchronisation, "method");
  for (const language::Member& member : synchronisation.members()) {
    if (member.key != "method" && member.value.is_scalar())
      label += " " + member.key + " " + member.value.text();
  }
  return label;
}

/// A value as an entry may say it in one line: `[1 %, 10 %]`, `{gain: 0.9, window: 50}`.
std::string in_one_line(const language::Value& value) {
  if (value.is_scalar()) return value.text();
  std::string line;
  const auto add = [&line](const std::string& part) { line += (line.empty() ? "" : ", ") + part; };
  for (const language::Value& entry : value.items()) add(in_one_line(entry));
  for (const language::Member& member : value.members()) add(member.key + ": " + in_one_line(member.value));
  return value.is_list() ? "[" + line + "]" : "{" + line + "}";
}

/// The method or the policy, and its other keys in one line: "ar_topk selection variance". The ratio has a
/// separate column.
std::string short_name(const language::Value& entry, const Compression& read) {
  std::string name = read.policy->traits.decides ? std::string(read.policy.name()) : read.method;
  for (const language::Member& member : entry.members()) {
    const bool told = member.key == "method" || member.key == "policy" || member.key == "ratio";
    if (!told && member.value.is_scalar()) name += " " + member.key + " " + member.value.text();
  }
  return name;
}

/// The parts that a short name leaves out: the method below a policy, and settings in maps and lists.
std::string rest_of_name(const language::Value& entry, const Compression& read) {
  std::string rest = read.policy->traits.decides ? " method " + read.method : "";
  for (const language::Member& member : entry.members()) {
    if (!member.value.is_scalar()) rest += " " + member.key + " " + in_one_line(member.value);
  }
  return rest;
}

/// One per entry: short, and whole where another entry has the same short name.
std::vector<std::string> candidate_names(const PolicyAdvice& advice,
                                         const std::vector<language::Value>& entries) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < entries.size(); ++i)
    names.push_back(short_name(entries[i], advice.compression[i]));
  std::vector<std::string> whole = names;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (std::ranges::count(names, names[i]) > 1) whole[i] += rest_of_name(entries[i], advice.compression[i]);
  }
  return whole;
}

/// Whether the entry wants a ratio that it does not state.
bool wants_ratio(const language::Value& entry, const Compression& read) {
  if (entry.find("ratio") != nullptr) return false;
  if (read.policy->traits.chooses_ratio) return false;
  const auto format = kernels::find_wire_format(read.method);
  return format && (*format)->has_ratio();
}

std::vector<Sent> sent_of(const PolicyAdvice& advice, const language::Value& tree) {
  const language::Value& entries = *tree.find("compression");
  const language::Value& ratios = *tree.find("ratios");
  const std::vector<std::string> names = candidate_names(advice, entries.items());
  std::vector<Sent> all;
  for (std::size_t i = 0; i < entries.items().size(); ++i) {
    const language::Value& entry = entries.items()[i];
    const Compression& read = advice.compression[i];
    if (!wants_ratio(entry, read)) {
      const bool states = entry.find("ratio") != nullptr;
      all.push_back({entry, i, names[i], states ? std::optional(read.ratio) : std::nullopt});
      continue;
    }
    for (std::size_t r = 0; r < advice.ratios.size(); ++r) {
      language::Value at_ratio = entry;
      at_ratio.set("ratio", ratios.is_list() ? ratios.items()[r] : ratios);
      all.push_back({std::move(at_ratio), i, names[i], advice.ratios[r]});
    }
  }
  return all;
}

/// The training's keys of compression beyond the method: widths, measured times.
language::Value choiceless(const language::Value* compression) {
  language::Value kept = compression == nullptr ? language::Value::map({}, language::Origin()) : *compression;
  for (const std::string_view key : {"method", "ratio", "time", "policy", "warm_up"}) kept.erase(key);
  for (const policies::CompressionRow& policy : policies::compressions()) kept.erase(policy.name);
  return kept;
}

language::Value& map_at(language::Value& tree, std::string_view key) {
  language::Value* found = tree.find(key);
  return found != nullptr ? *found : tree.set(key, language::Value::map({}, language::Origin()));
}

language::Value laid(const language::Value& world, const Combination& combination) {
  language::Value tree = world;
  tree.set("synchronisation", *combination.synchronisation);
  tree.set("compression", merge(choiceless(world.find("compression")), combination.sent->map));
  language::Value& exchange = map_at(tree, "exchange");
  exchange.set("collective", language::Value::scalar(combination.collective, language::Origin()));
  if (!policies::chooses_collective(combination.collective)) exchange.erase("among");
  map_at(tree, "training").set("batch", *combination.batch);
  return tree;
}

Result<PolicyCandidate> read_candidate(const Combination& combination, const PolicyGround& ground,
                                       ArmReader& reader) {
  PolicyCandidate candidate{.synchronisation = label_of(*combination.synchronisation),
                            .compression = combination.sent->name,
                            .ratio = combination.sent->ratio,
                            .collective = combination.collective,
                            .batch = 1,
                            .worlds = {},
                            .synchronisation_entry = combination.synchronisation_entry,
                            .compression_entry = combination.sent->entry};
  for (const language::Value& world : ground.worlds) {
    language::Value tree = laid(world, combination);
    GRADSIM_TRY(scenario, reader.read("candidate", tree));
    if (auto sensible =
            check_simulated_in_part(scenario->exchange.synchronisation, scenario->exchange.compression,
                                    scenario->learner, scenario->work.training.steps);
        !sensible)
      return tl::unexpected(sensible.error());
    candidate.batch = scenario->work.training.batch;
    candidate.worlds.push_back(std::move(*scenario));
  }
  return candidate;
}

/// A reason without the names in it.
std::string kind_of(const std::string& reason) {
  std::string kind;
  bool name = false;
  for (const char letter : reason) {
    if (letter == '`') name = !name;
    if (!name) kind += letter;
  }
  return kind;
}

/// How many combinations the lists multiply to; a double holds any product of their lengths.
double count_of_combinations(const PolicyAdvice& advice, const language::Value& tree) {
  const std::vector<language::Value>& entries = tree.find("compression")->items();
  double sent = 0;
  for (std::size_t i = 0; i < entries.size(); ++i)
    sent += wants_ratio(entries[i], advice.compression[i]) ? static_cast<double>(advice.ratios.size()) : 1;
  double carried = 0;
  for (const policies::SynchronisationChoice& stated : advice.synchronisation)
    carried += is_asynchronous(stated) ? 1 : static_cast<double>(advice.collectives.size());
  return carried * sent * static_cast<double>(advice.batches.size());
}

std::vector<Combination> combinations(const PolicyAdvice& advice, const language::Value& tree,
                                      const std::vector<Sent>& sent) {
  const std::vector<std::string> none_carries{"auto"};
  const language::Value& batches = *tree.find("batches");
  std::vector<Combination> all;
  for (std::size_t s = 0; s < advice.synchronisation.size(); ++s) {
    const auto& carriers = is_asynchronous(advice.synchronisation[s]) ? none_carries : advice.collectives;
    for (const Sent& one : sent) {
      for (const std::string& collective : carriers) {
        for (std::size_t b = 0; b < advice.batches.size(); ++b)
          all.push_back({s, &tree.find("synchronisation")->items()[s], &one, collective,
                         batches.is_list() ? &batches.items()[b] : &batches});
      }
    }
  }
  return all;
}

}  // namespace

void leave_out(std::vector<LeftOut>& left_out, const std::string& reason) {
  const std::string kind = kind_of(reason);
  const auto known =
      std::ranges::find_if(left_out, [&](const LeftOut& one) { return kind_of(one.reason) == kind; });
  if (known == left_out.end())
    left_out.push_back({1, reason});
  else
    ++known->combinations;
  std::ranges::stable_sort(left_out, std::ranges::greater{}, &LeftOut::combinations);
}

Result<void> spread_policies(PolicyQuestion& question, const PolicyGround& ground, ArmReader& reader) {
  const auto too_many = [&](std::size_t most, std::string_view of) {
    return netmodels::refuse(ground.advice.origin().text(),
                             fmt::format("`advice`: its lists multiply to more than {} {}", most, of),
                             "shorter lists");
  };
  if (count_of_combinations(question.advice, ground.advice) > static_cast<double>(most_policy_combinations))
    return too_many(most_policy_combinations, "combinations");
  const std::vector<Sent> sent = sent_of(question.advice, ground.advice);
  for (const Combination& combination : combinations(question.advice, ground.advice, sent)) {
    auto candidate = read_candidate(combination, ground, reader);
    if (!candidate) {
      leave_out(question.left_out, candidate.error().what);
      continue;
    }
    question.candidates.push_back(std::move(*candidate));
    if (question.candidates.size() <= most_policy_candidates) continue;
    return too_many(most_policy_candidates, "candidates");
  }
  if (!question.candidates.empty()) return {};
  return netmodels::refuse(ground.advice.origin().text(),
                           "`advice`: no combination can be simulated: " + question.left_out.front().reason,
                           "other policies, or the learner that they need");
}

}  // namespace sim::scenario
