// Reads the question to a planner.
#include "sim/scenario/planning_file.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "netmodels/nearest.hpp"
#include "sim/language/place.hpp"
#include "sim/language/print.hpp"
#include "sim/language/reader.hpp"
#include "sim/language/text_file.hpp"
#include "sim/scenario/arms.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/expectations.hpp"
#include "sim/scenario/fields_planning.hpp"
#include "sim/scenario/overlay.hpp"
#include "sim/scenario/rental.hpp"
#include "sim/scenario/study.hpp"

namespace sim::scenario {
namespace {

namespace fs = std::filesystem;
using netmodels::Result;

constexpr std::string_view planning_key = "planning";

/// A map with nothing but `planning`, so that positions are found by the keys that messages show.
language::Value under_its_key(const language::Value& planning) {
  language::Value tree = language::Value::map({}, planning.origin());
  tree.set(planning_key, planning);
  return tree;
}

/// The table of profiles is sought next to the file that names it, then among the shipped data.
void find_table(language::Value& planning, const fs::path& data_dir, bool whole) {
  language::Value* profiles = planning.find("profiles");
  language::Value* file = profiles == nullptr ? nullptr : profiles->find("file");
  if (file == nullptr || !file->is_scalar() || file->text().empty()) return;
  fs::path path = language::find_file(file->text(), {folder_of(*file), data_dir});
  if (whole) path = fs::absolute(path).lexically_normal();
  *file = language::Value::scalar(path.string(), file->origin(), file->quoted());
}

/// `planning` without the keys of all arms, or with one arm's overrides merged over it; `settings` win.
std::vector<language::Member> arm_trees(const language::Value& planning, const language::Value& settings) {
  language::Value own = planning;
  own.erase("compare");
  own.erase("expect");
  const language::Value* compare = planning.find("compare");
  if (compare == nullptr) return {{std::string(only_arm), own.origin(), own}};
  std::vector<language::Member> arms;
  for (const language::Member& arm : compare->members())
    arms.push_back({arm.key, arm.origin, merge(merge(own, arm.value), settings)});
  return arms;
}

Result<void> check_arms(const language::Value& planning) {
  const language::Value* compare = planning.find("compare");
  if (compare == nullptr) return {};
  const bool full = compare->is_map() && !compare->members().empty();
  if (!full || std::ranges::any_of(compare->members(),
                                   [](const language::Member& arm) { return !arm.value.is_map(); }))
    return netmodels::refuse(compare->origin().text(),
                             "`planning.compare`: expected a map of arms with "
                             "overrides",
                             "write `compare: {ARM: {search: {design: all}}}`");
  return {};
}

Result<std::vector<policies::Configuration>> grid_of(const Planning& planning, const language::Value& tree) {
  std::vector<policies::Configuration> grid;
  for (const int workers : planning.workers) {
    for (const int batch : planning.batches) {
      const bool fits = workers <= planning.limits.workers.value_or(workers) &&
                        batch <= planning.limits.batch.value_or(batch) && workers <= batch;
      if (fits) grid.push_back({workers, batch});
    }
  }
  if (grid.empty())
    return language::refuse_at(tree, "planning.limits", "the limits exclude all configurations",
                               "larger limits, or smaller `workers` and `batches`");
  std::ranges::sort(grid, {}, [](const auto& at) { return std::pair(at.workers, at.batch); });
  return grid;
}

Result<void> check_job(const std::vector<inputs::ProfileRow>& rows, const std::string& job,
                       const std::string& path, const language::Value& tree) {
  std::set<std::string_view> jobs;
  for (const inputs::ProfileRow& row : rows) jobs.insert(row.job);
  if (jobs.contains(job)) return {};
  return language::refuse_at(
      tree, path, "`" + job + "` is not a job of the table",
      netmodels::accepted_names(job, std::vector<std::string_view>(jobs.begin(), jobs.end())));
}

/// Every configuration of the grid must be in the table with its epochs.
Result<void> check_rows(const PlanArm& arm, const language::Value& tree) {
  for (const policies::Configuration& at : arm.grid) {
    const auto row = std::ranges::find_if(arm.table, [&](const inputs::ProfileRow& candidate) {
      return candidate.job == arm.planning.profiles.job && candidate.configuration == at;
    });
    const bool found = row != arm.table.end();
    if (found && row->epochs) continue;
    return language::refuse_at(
        tree, "planning.profiles.file",
        fmt::format("the table has no {} `{}` with {} workers and a batch of {}",
                    found ? "epochs of" : "row of", arm.planning.profiles.job, at.workers, at.batch),
        "leave that size or batch out");
  }
  return {};
}

/// Whether the table knows the other jobs that a planner wants.
Result<void> check_stored(const PlanArm& arm, const policies::PlannerChoice& planner, const std::string& key,
                          const language::Value& tree) {
  const std::span<const std::string> stored = policies::stored_jobs(planner);
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const std::string path = language::item(key + ".stored", i);
    if (auto known = check_job(arm.table, stored[i], path, tree); !known) return known;
    const bool trained = std::ranges::any_of(arm.table, [&](const inputs::ProfileRow& row) {
      return row.job == stored[i] && row.epochs.has_value();
    });
    if (trained) continue;
    return language::refuse_at(tree, path, "the table has no epochs for `" + stored[i] + "`",
                               "name a job that was trained to its end");
  }
  return {};
}

Result<void> read_table(PlanArm& arm, const language::Value& tree) {
  auto rows = inputs::read_profile_table(arm.planning.profiles.file);
  if (!rows && rows.error().where == arm.planning.profiles.file) {  // the file as a whole: say who wants it
    return language::refuse_at(tree, "planning.profiles.file",
                               "`" + rows.error().where + "`: " + rows.error().what, rows.error().hint);
  }
  if (!rows) return tl::unexpected(rows.error());
  arm.table = std::move(*rows);
  if (auto known = check_job(arm.table, arm.planning.profiles.job, "planning.profiles.job", tree); !known)
    return known;
  if (auto known = check_stored(arm, arm.planning.search.planner, "planning.search", tree); !known)
    return known;
  for (std::size_t i = 0; i < arm.planning.baselines.size(); ++i) {
    auto known = check_stored(arm, arm.planning.baselines[i], language::item("planning.baselines", i), tree);
    if (!known) return known;
  }
  return check_rows(arm, tree);
}

Result<PlanArm> read_arm(const language::Member& written, const fs::path& data_dir) {
  language::Value planning = written.value;
  find_table(planning, data_dir, false);
  PlanArm arm{.name = written.key, .planning = {}, .grid = {}, .rental = {}, .table = {}};
  const language::Field field{planning, std::string(planning_key),
                              settings::Key{.name = planning_key, .doc = "a map of keys"}};
  if (auto read = language::read_map(field, arm.planning); !read) return tl::unexpected(read.error());
  const language::Value tree = under_its_key(planning);
  if (auto checked = check_planning(arm.planning, tree); !checked) return tl::unexpected(checked.error());
  GRADSIM_TRY(grid, grid_of(arm.planning, tree));
  arm.grid = std::move(*grid);
  GRADSIM_TRY(rental,
              rental_of(arm.planning.price, arm.planning.search.restore, tree, "planning.price", data_dir));
  arm.rental = *rental;
  if (arm.planning.profiles.kind == ProfileSourceKind::table) {
    if (auto read = read_table(arm, tree); !read) return tl::unexpected(read.error());
  }
  return arm;
}

Result<void> read_bounds(const language::Value& planning, Plan& plan) {
  const language::Value* rows = planning.find("expect");
  if (rows == nullptr) return {};
  if (!rows->is_list())
    return netmodels::refuse(rows->origin().text(), "`planning.expect` is not a list",
                             "write `- {metric: time_error, at_most: 5 %, source: ...}`");
  for (std::size_t i = 0; i < rows->items().size(); ++i) {
    const std::string path = language::item("planning.expect", i);
    AdviceBound bound;
    const language::Field field{rows->items()[i], path, settings::Key{.name = "expect", .doc = "One row."}};
    if (auto read = language::read_map(field, bound); !read) return read;
    bound.where = rows->items()[i].origin().text();
    const bool known =
        std::ranges::any_of(plan.arms, [&](const PlanArm& arm) { return matches(bound.arms, arm.name); });
    if (!known)
      return netmodels::refuse(bound.where, "`" + path + ".arm`: no arm matches `" + bound.arms + "`",
                               "a pattern such as `*` that fits arms under `planning.compare`");
    plan.bounds.push_back(std::move(bound));
  }
  return {};
}

void share_nodes(PlanArm& arm, int workers_per_node) {
  if (arm.planning.profiles.kind != ProfileSourceKind::simulate) return;
  arm.rental = share_node(arm.rental, workers_per_node);
}

/// Without a simulation, only `planning` can be set.
Result<void> check_settings_of_table(const language::Value& settings) {
  for (const language::Member& member : settings.members()) {
    if (member.key == planning_key) continue;
    const language::Value* value = &member.value;
    while (value->is_map() && !value->members().empty()) value = &value->members().front().value;
    return netmodels::refuse(value->origin().text(),
                             "`" + member.key + "`: nothing is simulated where profiles come from a table",
                             "set keys of `planning`");
  }
  return {};
}

/// The simulated scenario, checked for the changes made to it.
Result<void> read_job(Plan& plan, const fs::path& file, std::span<const std::string> settings,
                      const language::Value& tree, const fs::path& data_dir,
                      language::ExpectableMetrics metrics) {
  GRADSIM_TRY(reading, read_study(file, settings, data_dir, metrics));
  for (const PlanArm& arm : plan.arms) {
    if (arm.planning.profiles.kind != ProfileSourceKind::simulate) continue;
    if (auto checked = check_played(arm.planning, reading->study, tree); !checked) return checked;
  }
  plan.job = reading->study.arms.front();
  if (auto single =
          check_single_run(plan.job->simulation.seeds, plan.job->simulation.uncertainty, tree, "advice");
      !single)
    return single;
  for (PlanArm& arm : plan.arms) share_nodes(arm, plan.job->cluster.workers_per_node);
  plan.warnings = std::move(reading->study.warnings);
  if (auto warning = undrawn_warning(reading->study.uncertain)) plan.warnings.push_back(std::move(*warning));
  for (const PlanArm& arm : plan.arms) {
    if (arm.planning.profiles.kind != ProfileSourceKind::simulate) continue;
    auto checked = check_priced_device(arm.planning.price, plan.job->work.workload.device, tree,
                                       "planning.price", data_dir);
    if (!checked) return checked;
  }
  return {};
}

}  // namespace

PlanKind plan_kind(const fs::path& file, const fs::path& data_dir) {
  const auto document = read_with_bases(file, data_dir);
  if (!document) return {};
  return {document->root.find(planning_key) != nullptr, document->root.find("workload") != nullptr,
          document->root.find("advice") != nullptr};
}

namespace {

/// A warning where an arm rents spot machines that nobody takes away.
std::vector<std::string> spot_warnings(const Plan& plan, const language::Value& tree) {
  const bool uninterrupted = std::ranges::any_of(plan.arms, [](const PlanArm& arm) {
    return arm.planning.price.spot && arm.planning.price.interruptions_per_hour == 0;
  });
  if (!uninterrupted) return {};
  return {uninterrupted_spot(tree, "planning.price.spot", "planning.price.interruptions_per_hour: 0.2")};
}

}  // namespace

Result<Plan> read_plan(const fs::path& file, std::span<const std::string> settings, const fs::path& data_dir,
                       language::ExpectableMetrics metrics) {
  GRADSIM_TRY(document, read_with_bases(file, data_dir));
  GRADSIM_TRY(set, read_settings(settings));
  document->root = merge(std::move(document->root), *set);
  const language::Value* planning = document->root.find(planning_key);
  if (planning == nullptr || !planning->is_map()) {
    return netmodels::refuse(planning == nullptr ? file.string() + ":1:1" : planning->origin().text(),
                             "the file has no `planning`",
                             "write `planning: {workers: [4, 8], batches: [256, 512], price: {per_machine: "
                             "0.134 USD/h}}`");
  }
  if (auto checked = check_arms(*planning); !checked) return tl::unexpected(checked.error());
  Plan plan;
  plan.question = document->question;
  const language::Value* set_planning = set->find(planning_key);
  const language::Value over =
      set_planning == nullptr ? language::Value::map({}, language::Origin()) : *set_planning;
  for (const language::Member& written : arm_trees(*planning, over)) {
    GRADSIM_TRY(arm, read_arm(written, data_dir));
    plan.arms.push_back(std::move(*arm));
  }
  if (auto read = read_bounds(*planning, plan); !read) return tl::unexpected(read.error());
  const bool played = std::ranges::any_of(plan.arms, [](const PlanArm& arm) {
    return arm.planning.profiles.kind == ProfileSourceKind::simulate;
  });
  const language::Value tree = under_its_key(*planning);
  if (auto checked = played ? Result<void>{} : check_settings_of_table(*set); !checked)
    return tl::unexpected(checked.error());
  if (auto read = !played ? Result<void>{} : read_job(plan, file, settings, tree, data_dir, metrics); !read)
    return tl::unexpected(read.error());
  std::ranges::move(spot_warnings(plan, tree), std::back_inserter(plan.warnings));
  plan.resolved = under_its_key(resolved_planning(*planning, data_dir));
  return plan;
}

language::Value resolved_planning(const language::Value& planning, const fs::path& data_dir) {
  language::Value resolved = planning;
  find_table(resolved, data_dir, true);
  if (language::Value* compare = resolved.find("compare"); compare != nullptr && compare->is_map()) {
    for (language::Member& arm : compare->members()) find_table(arm.value, data_dir, true);
  }
  return language::with_defaults<Planning>(resolved);
}

std::string print_plan(const Plan& plan) {
  const std::string head = plan.question.empty() ? "\n" : "# " + plan.question + "\n";
  return head + language::print_tree(plan.resolved);
}

}  // namespace sim::scenario
