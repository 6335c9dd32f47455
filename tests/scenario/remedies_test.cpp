// Remedies of what declarations, bounds and names refuse: applied, the scenario is accepted.
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/scenario/declarations.hpp"
#include "sim/scenario/support.hpp"
#include "tests/scenario/declared_settings.hpp"
#include "tests/scenario/repair.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_tree.hpp"

namespace sim::scenario {
namespace {

using language::Value;

/// How many refusals there were, and what became of them.
struct Tally {
  int refused = 0;
  int with_remedy = 0;
  int repaired = 0;
  std::vector<std::string> missed;  ///< a few of those that were not repaired

  void add(const std::string& name, const Repaired& result) {
    if (result.errors.empty()) return;
    ++refused;
    const auto has_one = [](const netmodels::Error& error) { return !error.remedy.empty(); };
    with_remedy += std::ranges::all_of(result.errors, has_one) ? 1 : 0;
    repaired += result.accepted ? 1 : 0;
    if (!result.accepted && missed.size() < 20) missed.push_back(name + ": " + result.last);
  }

  [[nodiscard]] std::string text() const {
    return fmt::format("{} refused, {} with a remedy, {} accepted after it\n{}", refused, with_remedy,
                       repaired, fmt::join(missed, "\n"));
  }
};

/// Settings of one declaration.
struct Declaration {
  const Declared* declared;
  std::vector<std::string> settings;
};

/// The base of the key audit with settings written into it.
Value with_settings(const Value& base, const std::vector<std::string>& settings) {
  Value root = base;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    auto value = language::parse_value(setting.substr(equals + 1), language::Origin("test"));
    if (value) repairing::apply(root, {setting.substr(0, equals), setting.substr(equals + 1)});
  }
  return root;
}

/// Those that the base accepts by themselves.
std::vector<Declaration> all_declarations(const Value& base, const std::filesystem::path& file) {
  const auto keys = language::read_document(tests::source_dir() + "/tests/audit/keys.yaml");
  std::vector<Declaration> found;
  for (const Declared& declared : declarations()) {
    std::vector<std::string> settings = tests::settings_of(declared, keys->root);
    if (settings.empty()) continue;
    if (repair(with_settings(base, settings), file, 0).accepted)
      found.push_back({&declared, std::move(settings)});
  }
  return found;
}

TEST(Remedies, OfPairsOfSettingsHelpWithinThreeApplications) {
  const auto base = language::read_document(tests::source_dir() + "/tests/audit/bases/live.yaml");
  const tests::ScratchFolder folder;
  const std::vector<Declaration> all = all_declarations(base->root, folder / "alone.yaml");
  Tally tally;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      if (!exclude_each_other(*all[i].declared, *all[j].declared)) continue;
      Value root = with_settings(with_settings(base->root, all[i].settings), all[j].settings);
      tally.add(all[i].declared->label + " with " + all[j].declared->label,
                repair(std::move(root), folder / "pair.yaml", 3));
    }
  }
  EXPECT_GT(tally.refused, 100);
  EXPECT_GE(tally.with_remedy, 0.9 * tally.refused) << tally.text();
  EXPECT_GE(tally.repaired, 0.9 * tally.refused) << tally.text();
  fmt::print("pairs: {}\n", tally.text());
}

TEST(Remedies, OfWrongValuesOfEveryKeyHelpWithinThreeApplications) {
  const std::string audit = tests::source_dir() + "/tests/audit/";
  const auto keys = language::read_document(audit + "keys.yaml");
  const tests::ScratchFolder folder;
  Tally tally;
  for (const language::Member& entry : keys->root.members()) {
    for (const char* wrong : {"zzz", "-1"}) {
      Value root = Value::map({}, language::Origin("test"));
      const std::string base = audit + "bases/" + entry.value.find("base")->text() + ".yaml";
      root.set("use", Value::scalar(base, language::Origin("test")));
      repairing::apply(root, {entry.key, wrong});
      tally.add(entry.key + ": " + wrong, repair(std::move(root), folder / "wrong.yaml", 3));
    }
  }
  EXPECT_GT(tally.refused, 300);
  EXPECT_GE(tally.with_remedy, 0.9 * tally.refused) << tally.text();
  EXPECT_GE(tally.repaired, 0.9 * tally.refused) << tally.text();
  fmt::print("wrong values: {}\n", tally.text());
}

}  // namespace
}  // namespace sim::scenario
