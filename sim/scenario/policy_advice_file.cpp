// Reads what is asked about policies.
#include "sim/scenario/policy_advice_file.hpp"

#include <algorithm>
#include <utility>

#include "netmodels/nearest.hpp"
#include "sim/language/place.hpp"
#include "sim/language/print.hpp"
#include "sim/language/reader.hpp"
#include "sim/scenario/arm_reader.hpp"
#include "sim/scenario/arms.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/fields_planning.hpp"
#include "sim/scenario/file_keys.hpp"
#include "sim/scenario/overlay.hpp"
#include "sim/scenario/policy_grid.hpp"
#include "sim/scenario/rental.hpp"
#include "sim/scenario/study.hpp"

namespace sim::scenario {
namespace {

namespace fs = std::filesystem;
using netmodels::Result;

constexpr std::string_view advice_key = "advice";

/// The map under `advice`; empty where there is none.
Result<language::Value> advice_of(const language::Value& root, const fs::path& file) {
  const language::Value* advice = root.find(advice_key);
  if (const language::Value* planning = root.find("planning"); planning != nullptr && advice != nullptr) {
    return netmodels::refuse(advice->origin().text(), "both `planning` and `advice` are given",
                             "keep one: `planning` chooses the cluster to rent, `advice` the policy");
  }
  if (advice == nullptr || advice->kind() == language::Value::Kind::nothing)
    return language::Value::map({}, language::Origin(file.string() + ":1:1"));
  if (advice->is_map()) return *advice;
  return netmodels::refuse(advice->origin().text(), "`advice` is not a map of keys",
                           "write for example `advice: {objective: time, compression: [none, topk]}`");
}

/// A network is a map of overrides of `cluster`, or the file of a trace.
Result<language::Value> overrides_of(const language::Member& network) {
  language::Value overrides = network.value;
  if (overrides.is_scalar()) {
    language::Value trace = language::Value::map({}, overrides.origin());
    trace.set("file", overrides);
    overrides = language::Value::map({}, network.value.origin());
    overrides.set("traces", language::Value::list({std::move(trace)}, network.value.origin()));
  }
  if (!overrides.is_map()) {
    return netmodels::refuse(network.value.origin().text(),
                             "`advice.networks." + network.key +
                                 "`: expected a map of changes in `cluster` or the file of a trace",
                             "write `{link: {latency: 1 ms, bandwidth: 1 Gbit/s}}`, or `traces/wan.csv`");
  }
  language::Value over = language::Value::map({}, overrides.origin());
  over.set("cluster", std::move(overrides));
  return over;
}

struct World {
  std::string name;
  language::Value tree;
};

Result<std::vector<World>> worlds_of(const language::Value& training, const language::Value& advice,
                                     const fs::path& data_dir) {
  const language::Value* networks = advice.find("networks");
  if (networks == nullptr) return std::vector<World>{{std::string(only_network), training}};
  if (!networks->is_map() || networks->members().empty()) {
    return netmodels::refuse(networks->origin().text(), "`advice.networks` is not a map of networks",
                             "write `networks: {quiet: {link: {latency: 1 ms, bandwidth: 10 Gbit/s}}}`");
  }
  std::vector<World> worlds;
  for (const language::Member& network : networks->members()) {
    GRADSIM_TRY(over, overrides_of(network));
    GRADSIM_TRY(tree, lay_over(training, *over, data_dir));
    worlds.push_back({network.key, std::move(*tree)});
  }
  return worlds;
}

Result<void> read_bounds(const language::Value& advice, PolicyQuestion& question) {
  const language::Value* rows = advice.find("expect");
  if (rows == nullptr) return {};
  if (!rows->is_list())
    return netmodels::refuse(rows->origin().text(), "`advice.expect` is not a list",
                             "write `- {metric: over_dense, at_least: 1.5, source: ...}`");
  for (std::size_t i = 0; i < rows->items().size(); ++i) {
    const language::Value& row = rows->items()[i];
    PolicyBound bound;
    const language::Field field{row, language::item("advice.expect", i),
                                settings::Key{.name = "expect", .doc = "One row."}};
    if (auto read = language::read_map(field, bound); !read) return read;
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
language::Value resolved_advice(const language::Value& written_out, const language::Value& as_written,
                                const fs::path& data_dir) {
  language::Value resolved = language::with_defaults<PolicyAdvice>(written_out);
  for (const std::string_view key : {"synchronisation", "compression"})
    resolved.set(key, *written_out.find(key));
  for (const std::string_view key : {"networks", "expect"}) {
    if (const language::Value* value = as_written.find(key)) resolved.set(key, *value);
  }
  return with_whole_paths(std::move(resolved), data_dir);
}

bool changes(const Cluster& cluster) { return !cluster.changes.empty() || !cluster.traces.empty(); }

/// The training that is asked about, on each network.
Result<std::vector<Scenario>> read_worlds(const std::vector<World>& worlds, ArmReader& reader) {
  std::vector<Scenario> read;
  for (const World& world : worlds) {
    language::Value tree = world.tree;
    GRADSIM_TRY(scenario, reader.read(world.name, tree));
    read.push_back(std::move(*scenario));
  }
  return read;
}

Result<void> read_advice(PolicyQuestion& question, language::Value& advice, const language::Value& root,
                         const std::vector<Scenario>& bases) {
  const bool any_changes = std::ranges::any_of(bases, changes, &Scenario::cluster);
  GRADSIM_TRY(written_out, write_out_catalogue(advice, bases.front(), any_changes));
  advice = std::move(*written_out);
  const language::Field field{advice, std::string(advice_key),
                              settings::Key{.name = advice_key, .doc = "a map of keys"}};
  if (auto read = language::read_map(field, question.advice); !read) return read;
  language::Value tree = root;
  tree.set(advice_key, advice);
  if (auto checked = check_policy_advice(question.advice, tree); !checked) return checked;
  for (const Scenario& base : bases) {
    if (auto checked = check_advised(question.advice, base.work, base.cluster, base.learner, tree); !checked)
      return checked;
  }
  return {};
}

/// @param timed  device of the compute times
Result<void> read_price(PolicyQuestion& question, const language::Value& advice, int workers_per_node,
                        const std::string& timed, const fs::path& data_dir) {
  if (!question.advice.price) return {};
  language::Value tree = language::Value::map({}, advice.origin());
  tree.set(advice_key, advice);
  GRADSIM_TRY(rental, rental_of(*question.advice.price, {}, tree, "advice.price", data_dir));
  question.rental = share_node(*rental, workers_per_node);
  return check_priced_device(*question.advice.price, timed, tree, "advice.price", data_dir);
}

}  // namespace

bool same_course(const PolicyCandidate& one, const PolicyCandidate& other) {
  return one.synchronisation_entry == other.synchronisation_entry &&
         one.compression_entry == other.compression_entry && one.ratio == other.ratio &&
         one.batch == other.batch;
}

language::Value with_whole_paths(language::Value advice, const fs::path& data_dir) {
  language::Value* networks = advice.find("networks");
  if (networks == nullptr || !networks->is_map()) return advice;
  for (language::Member& network : networks->members()) {
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
  language::Value training = document->root;
  for (const std::string_view key : study_keys) training.erase(key);
  GRADSIM_TRY(worlds, worlds_of(training, *written, data_dir));
  ArmReader reader(data_dir);
  GRADSIM_TRY(bases, read_worlds(*worlds, reader));
  if (auto single = check_single_run(bases->front().simulation.seeds, bases->front().simulation.uncertainty,
                                     document->root, "advice");
      !single)
    return tl::unexpected(single.error());
  question.warnings = reader.take_warnings();
  if (auto warning = undrawn_warning(reader.uncertain())) question.warnings.push_back(std::move(*warning));
  for (const std::string_view key : {"compare", "axes"}) {
    if (const language::Value* arms = document->root.find(key))
      question.warnings.push_back(arms->origin().text() + ": `" + std::string(key) +
                                  "` is ignored: policies come from `advice`");
  }
  language::Value advice = *written;
  advice.erase("networks");
  advice.erase("expect");
  if (auto read = read_advice(question, advice, document->root, *bases); !read)
    return tl::unexpected(read.error());
  if (auto read = read_price(question, advice, bases->front().cluster.workers_per_node,
                             bases->front().work.workload.device, data_dir);
      !read)
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
