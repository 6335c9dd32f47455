// Merges trees of values: base files named by `use`, `--set` options, and arms.
#include "sim/scenario/overlay.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "files/input_file.hpp"
#include "kernels/catalogue.hpp"
#include "netmodels/nearest.hpp"
#include "sim/language/text_file.hpp"
#include "sim/scenario/former_keys.hpp"

namespace sim::scenario {
namespace {

namespace fs = std::filesystem;
using netmodels::refuse;
using netmodels::Result;

/// The file that `use` means.
Result<fs::path> find_base(const language::Value& use, const fs::path& folder, const std::string& what) {
  if (!use.is_scalar() || use.text().empty()) {
    return refuse(use.origin().text(),
                  "expected the name of a " + what + " file, found " + std::string(use.kind_text()),
                  "write for example `use: base.yaml`");
  }
  const fs::path name = use.text();
  std::error_code failed;
  const fs::path folders[] = {folder_of(use), folder, fs::path()};
  for (const fs::path& where : folders) {
    for (const fs::path& candidate : {where / name, where / (use.text() + ".yaml")}) {
      if (fs::is_regular_file(candidate, failed)) return candidate.lexically_normal();
    }
  }
  const std::vector<std::string> names = language::names_in(folder);
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string hint =
      known.empty() ? files::nearest_file(folders[0] / name) : netmodels::accepted_names(use.text(), known);
  return refuse(use.origin().text(), "unknown " + what + " file `" + use.text() + "`", hint,
                netmodels::nearest_change(use.text(), known));
}

fs::path identity(const fs::path& path) {
  std::error_code failed;
  const fs::path canonical = fs::weakly_canonical(path, failed);
  return failed ? path : canonical;
}

struct Bases {
  fs::path folder;
  std::string what;
  bool of_scenario = false;
  std::vector<fs::path> chain = {};  ///< files being read, the first one first
};

std::string shown(const std::vector<fs::path>& chain, const fs::path& last) {
  std::string text;
  for (const fs::path& file : chain) text += file.string() + " -> ";
  return text + last.string();
}

Result<language::Document> read_chain(const fs::path& path, Bases& bases) {
  auto document = language::read_document(path);
  if (!document) return document;
  if (!document->root.is_map()) {
    return refuse(document->root.origin().text(),
                  "expected a map of keys, found " + std::string(document->root.kind_text()),
                  "write keys and values, such as `workload: resnet50_v100`");
  }
  if (bases.of_scenario) document->warnings = rename_former_keys(document->root);
  bases.chain.push_back(path);
  const language::Value* use = document->root.find("use");
  if (!use) return document;
  GRADSIM_TRY(file, find_base(*use, bases.folder, bases.what));
  const auto same = [&](const fs::path& earlier) { return identity(earlier) == identity(*file); };
  if (std::ranges::any_of(bases.chain, same)) {
    return refuse(use->origin().text(), "circular `use`: " + shown(bases.chain, *file),
                  "remove `use` from one of them");
  }
  auto base = read_chain(*file, bases);
  if (!base) return base;
  language::Value own = std::move(document->root);
  own.erase("use");
  if (document->question.empty()) document->question = base->question;
  std::ranges::move(lay_over_warnings(base->root, own), std::back_inserter(document->warnings));
  GRADSIM_TRY(laid, lay_over(std::move(base->root), own, bases.folder));
  std::ranges::move(base->warnings, std::back_inserter(document->warnings));
  return language::Document{std::move(*laid), document->question, std::move(document->warnings)};
}

bool names_a_file(const language::Value& cluster) { return cluster.is_scalar() || cluster.find("use"); }

bool sends_everything(const std::string& method) {
  const auto format = kernels::find_wire_format(method);
  return format && !(*format)->has_ratio();
}

/// The time of compressing below that is of another method than the one above; null: there is none.
const language::Value* time_of_other(const language::Value& below, const language::Value& over) {
  const language::Value* method = over.find("method");
  const language::Value* previous = below.find("method");
  const bool other = method && previous && previous->text() != method->text();
  return other && !over.find("time") ? below.find("time") : nullptr;
}

/// A rank over a ratio replaces it, a ratio or another method over a rank too.
void drop_other_share(language::Value& below, const language::Value& over) {
  const language::Value* method = over.find("method");
  const bool other = over.find("ratio") != nullptr || (method != nullptr && method->text() != "powersgd");
  if (other && over.find("rank") == nullptr) below.erase("rank");
  if (over.find("rank") != nullptr && over.find("ratio") == nullptr) below.erase("ratio");
}

/// Drops the keys of the method of compression below.
void drop_stale(language::Value& below, const language::Value& over) {
  if (!below.is_map() || !over.is_map()) return;
  drop_other_share(below, over);
  const language::Value* method = over.find("method");
  if (!method) return;
  if (sends_everything(method->text()) && !over.find("ratio")) below.erase("ratio");
  if (time_of_other(below, over)) below.erase("time");
}

/// A number of steps over a number of epochs replaces it, and the other way round.
void drop_other_length(language::Value& below, const language::Value& over) {
  if (!below.is_map() || !over.is_map()) return;
  if (over.find("steps") && !over.find("epochs")) below.erase("epochs");
  if (over.find("epochs") && !over.find("steps")) below.erase("steps");
}

/// A link of a cluster, and what may describe it in its place.
struct LinkWays {
  std::string_view link;
  std::string_view fabric;
  std::string_view nccl_rate;  ///< the key of `nccl` that states its rate
  std::string_view joins;
};

constexpr LinkWays link_ways[] = {
    {"link", "fabric", "network.rate", "nodes"},
    {"inner_link", "inner_fabric", "nvlink.link_rate", "workers inside a node"}};

/// Refuses a part of a link that follows from a fabric or from the hardware of NCCL.
Result<void> check_whole_link(const language::Value& below, const language::Value& over,
                              const LinkWays& ways) {
  const language::Value* link = over.find(ways.link);
  if (link == nullptr || !link->is_map() || below.find(ways.link) != nullptr) return {};
  const language::Value* rate = link->find("bandwidth");
  const language::Value* latency = link->find("latency");
  if ((rate == nullptr) == (latency == nullptr)) return {};
  std::string from, instead;
  const auto add = [](std::string& text, const std::string& key) {
    text += (text.empty() ? "`" : " and `") + key + "`";
  };
  if (below.find(ways.fabric) != nullptr) {
    add(from, "cluster." + std::string(ways.fabric));
    add(instead, "cluster." + std::string(ways.fabric) + (rate != nullptr ? ".rate" : ".latency"));
  }
  if (below.find("nccl") != nullptr) {
    add(from, "cluster.nccl");
    if (rate != nullptr) add(instead, "cluster.nccl." + std::string(ways.nccl_rate));
  }
  if (from.empty()) return {};
  const std::string key = "cluster." + std::string(ways.link);
  return refuse((rate != nullptr ? rate : latency)->origin().text(),
                "the cluster states no `" + key + "` that could be changed: what joins " +
                    std::string(ways.joins) + " follows from " + from,
                (instead.empty() ? "state" : "change " + instead + ", or state") + " both `" + key +
                    ".latency` and `" + key + ".bandwidth`");
}

/// A link over a fabric replaces it, and a fabric over a link.
Result<void> drop_replaced(language::Value& below, const language::Value& over) {
  if (!below.is_map() || !over.is_map()) return {};
  for (const LinkWays& ways : link_ways) {
    if (auto whole = check_whole_link(below, over, ways); !whole) return whole;
    if (over.find(ways.link) && !over.find(ways.fabric)) below.erase(ways.fabric);
    if (over.find(ways.fabric) && !over.find(ways.link)) below.erase(ways.link);
  }
  return {};
}

}  // namespace

Result<language::Document> read_with_bases(const fs::path& path, const fs::path& folder) {
  Bases bases{.folder = folder, .what = "scenario", .of_scenario = true};
  return read_chain(path, bases);
}

Result<fs::path> cluster_file(const language::Value& use, const fs::path& data_dir) {
  return find_base(use, data_dir / "clusters", "cluster");
}

Result<language::Value> expand_cluster(const language::Value& cluster, const fs::path& data_dir) {
  if (!names_a_file(cluster)) return cluster;
  const language::Value& use = cluster.is_scalar() ? cluster : *cluster.find("use");
  GRADSIM_TRY(file, cluster_file(use, data_dir));
  Bases bases{.folder = data_dir / "clusters", .what = "cluster"};
  GRADSIM_TRY(base, read_chain(*file, bases));
  if (cluster.is_scalar()) return base->root;
  language::Value own = cluster;
  own.erase("use");
  if (auto dropped = drop_replaced(base->root, own); !dropped) return tl::unexpected(dropped.error());
  return merge(std::move(base->root), own);
}

namespace {

/// Ways to state the times of a workload, of which a file has one.
constexpr std::array<std::string_view, 3> time_sources{"measured", "total", "roofline"};
/// Keys that say how the times of a file came about.
constexpr std::array<std::string_view, 3> facts_of_times{"device", "batch", "unmeasured"};
/// Ways to state the utilisation of a device, of which a file has one.
constexpr std::array<std::string_view, 2> utilisation_sources{"stack", "mfu"};

template <std::size_t N>
bool has_any(const language::Value& map, const std::array<std::string_view, N>& keys) {
  return std::ranges::any_of(keys, [&](std::string_view key) { return map.find(key) != nullptr; });
}

/// Refuses keys that would call the times of the base those of another measurement.
Result<void> check_times(const language::Value& base, const language::Value& own) {
  if (base.find("roofline") != nullptr) return {};
  for (const std::string_view key : facts_of_times) {
    const language::Value* stated = own.find(key);
    if (stated == nullptr || base.find(key) == nullptr) continue;
    return netmodels::refuse(
        stated->origin().text(),
        fmt::format(
            "`workload.times.{}` says how the times of the base came about, and would not change them", key),
        "leave it out, or state times of your own by `measured`, `total` or `roofline` beside it",
        {{fmt::format("workload.times.{}", key), {}}});
  }
  return {};
}

/// Takes what the scenario states in another way out of the base.
Result<void> make_room(language::Value& base, const language::Value& own) {
  if (has_any(own, utilisation_sources))
    for (const std::string_view key : utilisation_sources) base.erase(key);
  const language::Value* times = own.find("times");
  const language::Value* base_times = base.find("times");
  if (times == nullptr || base_times == nullptr || !times->is_map() || !base_times->is_map()) return {};
  if (!has_any(*times, time_sources)) return check_times(*base_times, *times);
  const bool is_same_way = std::ranges::any_of(time_sources, [&](std::string_view key) {
    return times->find(key) != nullptr && base_times->find(key) != nullptr;
  });
  if (!is_same_way) base.erase("times");
  return {};
}

}  // namespace

Result<language::Value> expand_workload(const language::Value& workload, const fs::path& data_dir) {
  if (!workload.is_map() || workload.find("use") == nullptr) return workload;
  const fs::path folder = data_dir / "workloads";
  GRADSIM_TRY(file, find_base(*workload.find("use"), folder, "workload"));
  Bases bases{.folder = folder, .what = "workload"};
  GRADSIM_TRY(base, read_chain(*file, bases));
  language::Value own = workload;
  own.erase("use");
  std::string changed;
  for (const language::Member& member : own.members())
    changed += fmt::format("{}`{}`", changed.empty() ? "" : ", ", member.key);
  if (auto done = make_room(base->root, own); !done) return tl::unexpected(std::move(done.error()));
  language::Value whole = merge(std::move(base->root), own);
  const language::Value* provenance = whole.find("provenance");
  if (changed.empty() || provenance == nullptr || own.find("provenance") != nullptr) return whole;
  const language::Value stated = language::Value::scalar(
      fmt::format("{}; the scenario changes {}", provenance->text(), changed), provenance->origin(), true);
  whole.set("provenance", stated);
  return whole;
}

std::vector<std::string> lay_over_warnings(const language::Value& scenario, const language::Value& over) {
  const language::Value* below = scenario.find("compression");
  const language::Value* above = over.find("compression");
  if (below == nullptr || above == nullptr || above->kind() == language::Value::Kind::nothing) return {};
  const language::Value* time = time_of_other(*below, *above);
  if (time == nullptr || above->find("method")->text() == "none") return {};
  return {
      fmt::format("{}: `compression.time` is of `{}` and is left out for `{}`; write `time` beside that "
                  "method where it is its time, too",
                  time->origin().text(), below->find("method")->text(), above->find("method")->text())};
}

/// Prepares the cluster of a scenario for another one over it: a file replaces it, keys change it.
static Result<void> open_cluster(language::Value& scenario, const language::Value& over,
                                 const fs::path& data_dir) {
  language::Value* cluster = scenario.find("cluster");
  if (cluster == nullptr) return {};
  if (names_a_file(over)) {
    scenario.erase("cluster");
    return {};
  }
  if (names_a_file(*cluster)) {
    GRADSIM_TRY(expanded, expand_cluster(*cluster, data_dir));
    *cluster = std::move(*expanded);
  }
  return drop_replaced(*cluster, over);
}

Result<language::Value> lay_over(language::Value scenario, const language::Value& over,
                                 const fs::path& data_dir) {
  if (!scenario.is_map() || !over.is_map()) return merge(std::move(scenario), over);
  if (const language::Value* over_cluster = over.find("cluster")) {
    if (auto opened = open_cluster(scenario, *over_cluster, data_dir); !opened)
      return tl::unexpected(std::move(opened.error()));
  }
  const language::Value* over_workload = over.find("workload");
  if (over_workload != nullptr && over_workload->is_map() && over_workload->find("use") != nullptr)
    scenario.erase("workload");
  const auto drop = [&](std::string_view key, auto drop_keys) {
    const language::Value* above = over.find(key);
    language::Value* below = scenario.find(key);
    if (above != nullptr && below != nullptr) drop_keys(*below, *above);
  };
  drop("compression", drop_stale);
  drop("training", drop_other_length);
  return merge(std::move(scenario), over);
}

namespace {

/// A later key inside the cluster keeps the name that an earlier one set, and a later name the keys:
/// `cluster: NAME` is written as `cluster: {use: NAME}` for that.
void keep_both(language::Value& tree, std::string_view key, language::Value& value) {
  constexpr std::string_view whole = "cluster";
  language::Value* cluster = tree.find(whole);
  if (cluster == nullptr) return;
  const bool names_later = key == whole && value.is_scalar() && cluster->is_map();
  const bool named_before = key.starts_with("cluster.") && cluster->is_scalar();
  if (!names_later && !named_before) return;
  language::Value map = names_later ? *cluster : language::Value::map({}, cluster->origin());
  map.set("use", names_later ? value : *cluster);
  (names_later ? value : *cluster) = std::move(map);
}

/// Refuses a key inside a text that an earlier one set, which it would replace.
Result<void> check_earlier(const language::Value& tree, std::string_view key) {
  for (std::size_t dot = key.find('.'); dot != std::string_view::npos; dot = key.find('.', dot + 1)) {
    const std::string above(key.substr(0, dot));
    const language::Value* earlier = language::find_path(tree, above);
    if (earlier == nullptr || !earlier->is_scalar()) continue;
    return refuse(fmt::format("--set {}", key),
                  fmt::format("`--set {}={}` is set as well, and has no keys", above, earlier->text()),
                  fmt::format("leave out one of them, or set keys of `{}` only", above));
  }
  return {};
}

}  // namespace

Result<language::Value> read_settings(std::span<const std::string> settings) {
  language::Value tree = language::Value::map({}, language::Origin("--set"));
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    const bool empty =
        equals != std::string::npos && setting.find_first_not_of(' ', equals + 1) == std::string::npos;
    if (equals == std::string::npos || equals == 0 || empty) {
      return refuse("--set", "`" + setting.substr(0, 100) + "` does not give both a key and a value",
                    "write `--set KEY=VALUE`, such as `--set cluster.workers=16`");
    }
    const std::string key = setting.substr(0, equals);
    const language::Origin origin("--set " + key);
    auto value = language::parse_value(std::string_view(setting).substr(equals + 1), origin);
    if (!value) return value;
    if (key == "use") return refuse("--set use", "`use` cannot be set", "write `use` into the file");
    keep_both(tree, key, *value);
    if (auto checked = check_earlier(tree, key); !checked) return tl::unexpected(checked.error());
    if (auto put = language::set_path(tree, key, std::move(*value)); !put) return tl::unexpected(put.error());
  }
  return tree;
}

std::vector<std::string> repeated_settings(std::span<const std::string> settings) {
  std::vector<std::string> warnings;
  std::map<std::string_view, std::string_view> values;
  for (const std::string_view setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = setting.substr(0, equals);
    const std::string_view value = setting.substr(equals + 1);
    const auto [earlier, is_new] = values.try_emplace(key, value);
    if (is_new || earlier->second == value) continue;
    warnings.push_back(
        fmt::format("--set {}: set to `{}` and to `{}`; the last one counts", key, earlier->second, value));
    earlier->second = value;
  }
  return warnings;
}

}  // namespace sim::scenario
