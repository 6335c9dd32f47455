// Reads what is asked about policies.
#include "sim/scenario/policy_advice_file.hpp"

#include <algorithm>
#include <utility>

#include "netmodels/nearest.hpp"
#include "sim/scenario/arm_reader.hpp"
#include "sim/scenario/arms.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/fields_planning.hpp"
#include "sim/scenario/file_keys.hpp"
#include "sim/scenario/overlay.hpp"
#include "sim/scenario/place.hpp"
#include "sim/scenario/policy_grid.hpp"
#include "sim/scenario/print.hpp"
#include "sim/scenario/reader.hpp"
#include "sim/scenario/rental.hpp"
#include "sim/scenario/study.hpp"

namespace sim::scenario {
namespace {

namespace fs = std::filesystem;
using netmodels::Result;

constexpr std::string_view advice_key = "advice";

/// The map under `advice`; empty where there is none.
Result<Value> advice_of(const Value& root, const fs::path& file) {
  const Value* advice = root.find(advice_key);
  if (const Value* planning = root.find("planning"); planning != nullptr && advice != nullptr) {
    return netmodels::refuse(advice->origin().text(), "both `planning` and `advice` are given",
                             "keep one: `planning` chooses the cluster to rent, `advice` the policy");
  }
  if (advice == nullptr || advice->kind() == Value::Kind::nothing)
    return Value::map({}, Origin(file.string() + ":1:1"));
  if (advice->is_map()) return *advice;
  return netmodels::refuse(advice->origin().text(), "`advice` is not a map of keys",
                           "write for example `advice: {objective: time, compression: [none, topk]}`");
}

/// A network is a map of overrides of `cluster`, or the file of a trace.
Result<Value> overrides_of(const Member& network) {
  Value overrides = network.value;
  if (overrides.is_scalar()) {
    Value trace = Value::map({}, overrides.origin());
    trace.set("file", overrides);
    overrides = Value::map({}, network.value.origin());
    overrides.set("traces", Value::list({std::move(trace)}, network.value.origin()));
  }
  if (!overrides.is_map()) {
    return netmodels::refuse(network.value.origin().text(),
                             "`advice.networks." + network.key +
                                 "`: expected a map of changes in `cluster` or the file of a trace",
                             "write `{link: {latency: 1 ms, bandwidth: 1 Gbit/s}}`, or `traces/wan.csv`");
  }
  Value over = Value::map({}, overrides.origin());
  over.set("cluster", std::move(overrides));
  return over;
}

struct World {
  std::string name;
  Value tree;
};

Result<std::vector<World>> worlds_of(const Value& training, const Value& advice, const fs::path& data_dir) {
  const Value* networks = advice.find("networks");
  if (networks == nullptr) return std::vector<World>{{std::string(only_network), training}};
  if (!networks->is_map() || networks->members().empty()) {
    return netmodels::refuse(networks->origin().text(), "`advice.networks` is not a map of networks",
                             "write `networks: {quiet: {link: {latency: 1 ms, bandwidth: 10 Gbit/s}}}`");
  }
  std::vector<World> worlds;
  for (const Member& network : networks->members()) {
    GRADSIM_TRY(over, overrides_of(network));
    GRADSIM_TRY(tree, lay_over(training, *over, data_dir));
    worlds.push_back({network.key, std::move(*tree)});
  }
  return worlds;
}

Result<void> read_bounds(const Value& advice, PolicyQuestion& question) {
  const Value* rows = advice.find("expect");
  if (rows == nullptr) return {};
  if (!rows->is_list())
    return netmodels::refuse(rows->origin().text(), "`advice.expect` is not a list",
                             "write `- {metric: over_dense, at_least: 1.5, source: ...}`");
  for (std::size_t i = 0; i < rows->items().size(); ++i) {
    const Value& row = rows->items()[i];
    PolicyBound bound;
    const Field field{row, item("advice.expect", i), settings::Key{.name = "expect", .doc = "One row."}};
    if (auto read = read_map(field, bound); !read) return read;
    bound.where = row.origin().text();
    if (!bound.at_least && !bound.at_most)
      return netmodels::refuse(bound.where, "`" + field.path + "` has no bound",
                               "write `at_least` or `at_most`");
    question.bounds.push_back(std::move(bound));
  }
  return {};
}

/// `advice` with its defaults, and whole paths of traces. Entries of lists stay as they were written: what
/// the training states besides them, such as the width of indices, is theirs too.
Value resolved_advice(const Value& written_out, const Value& as_written, const fs::path& data_dir) {
  Value resolved = with_defaults<PolicyAdvice>(written_out);
  for (const std::string_view key : {"synchronisation", "compression"})
    resolved.set(key, *written_out.find(key));
  for (const std::string_view key : {"networks", "expect"}) {
    if (const Value* value = as_written.find(key)) resolved.set(key, *value);
  }
  return with_whole_paths(std::move(resolved), data_dir);
}

bool changes(const Cluster& cluster) { return !cluster.changes.empty() || !cluster.traces.empty(); }

/// The training that is asked about, on each network.
Result<std::vector<Scenario>> read_worlds(const std::vector<World>& worlds, ArmReader& reader) {
  std::vector<Scenario> read;
  for (const World& world : worlds) {
    Value tree = world.tree;
    GRADSIM_TRY(scenario, reader.read(world.name, tree));
    read.push_back(std::move(*scenario));
  }
  return read;
}

Result<void> read_advice(PolicyQuestion& question, Value& advice, const Value& root,
                         const std::vector<Scenario>& bases) {
  const bool any_changes =
      std::ranges::any_of(bases, [](const Scenario& base) { return changes(base.cluster); });
  GRADSIM_TRY(written_out, write_out_catalogue(advice, bases.front(), any_changes));
  advice = std::move(*written_out);
  const Field field{advice, std::string(advice_key),
                    settings::Key{.name = advice_key, .doc = "a map of keys"}};
  if (auto read = read_map(field, question.advice); !read) return read;
  Value tree = root;
  tree.set(advice_key, advice);
  if (auto checked = check_policy_advice(question.advice, tree); !checked) return checked;
  for (const Scenario& base : bases) {
    if (auto checked = check_advised(question.advice, base, tree); !checked) return checked;
  }
  return {};
}

Result<void> read_price(PolicyQuestion& question, const Value& advice, const Scenario& base,
                        const fs::path& data_dir) {
  if (!question.advice.price) return {};
  Value tree = Value::map({}, advice.origin());
  tree.set(advice_key, advice);
  GRADSIM_TRY(rental, rental_of(*question.advice.price, {}, tree, "advice.price", data_dir));
  question.rental = share_node(*rental, base.cluster.workers_per_node);
  if (auto warning =
          price_warning(*question.advice.price, base.workload.device, tree, "advice.price", data_dir))
    question.warnings.push_back(std::move(*warning));
  return {};
}

}  // namespace

bool same_course(const PolicyCandidate& one, const PolicyCandidate& other) {
  return one.synchronisation_entry == other.synchronisation_entry &&
         one.compression_entry == other.compression_entry && one.ratio == other.ratio &&
         one.batch == other.batch;
}

Value with_whole_paths(Value advice, const fs::path& data_dir) {
  Value* networks = advice.find("networks");
  if (networks == nullptr || !networks->is_map()) return advice;
  for (Member& network : networks->members()) {
    auto over = overrides_of(network);
    if (!over) continue;  // checked where the question is read
    write_out_files(*over, data_dir);
    network.value = *over->find("cluster");
  }
  return advice;
}

Result<PolicyQuestion> read_policy_question(const fs::path& file, std::span<const std::string> settings,
                                            const fs::path& data_dir) {
  GRADSIM_TRY(document, read_root(file, settings, data_dir));
  if (auto in_file = check_asked_in_file(document->root, "planning"); !in_file)
    return tl::unexpected(in_file.error());
  GRADSIM_TRY(written, advice_of(document->root, file));
  PolicyQuestion question;
  question.question = document->question;
  Value training = document->root;
  for (const std::string_view key : study_keys) training.erase(key);
  GRADSIM_TRY(worlds, worlds_of(training, *written, data_dir));
  ArmReader reader(data_dir);
  GRADSIM_TRY(bases, read_worlds(*worlds, reader));
  if (auto single = check_single_run(bases->front(), document->root, "advice"); !single)
    return tl::unexpected(single.error());
  question.warnings = reader.take_warnings();
  if (auto warning = undrawn_warning(reader.uncertain())) question.warnings.push_back(std::move(*warning));
  for (const std::string_view key : {"compare", "axes"}) {
    if (const Value* arms = document->root.find(key))
      question.warnings.push_back(arms->origin().text() + ": `" + std::string(key) +
                                  "` is ignored: policies come from `advice`");
  }
  Value advice = *written;
  advice.erase("networks");
  advice.erase("expect");
  if (auto read = read_advice(question, advice, document->root, *bases); !read)
    return tl::unexpected(read.error());
  if (auto read = read_price(question, advice, bases->front(), data_dir); !read)
    return tl::unexpected(read.error());
  if (auto read = read_bounds(*written, question); !read) return tl::unexpected(read.error());
  PolicyGround ground{advice, {}};
  for (const World& world : *worlds) {
    question.networks.push_back(world.name);
    ground.worlds.push_back(world.tree);
  }
  if (auto spread = spread_policies(question, ground, reader); !spread) return tl::unexpected(spread.error());
  question.resolved = resolved_advice(advice, *written, data_dir);
  return question;
}

}  // namespace sim::scenario
