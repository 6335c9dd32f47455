// The arms of a study: the scenario itself, one per entry of `compare`, or the product of `axes`.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/language/value.hpp"

namespace sim::scenario {

/// One arm, its overrides merged into the scenario, not yet read.
struct ArmTree {
  std::string name;
  language::Value tree;
};

struct Arms {
  std::vector<ArmTree> arms;
  std::vector<std::string> axes = {};      ///< names, when the arms are a product
  std::vector<std::string> warnings = {};  ///< of keys that arms leave out, each once
};

/// Keys that belong to the study and to no arm.
constexpr std::string_view study_keys[] = {"compare", "axes", "expect", "use", "planning", "advice"};

/// The name of the arm of a study that compares nothing.
constexpr std::string_view only_arm = "run";

/// More arms than this are a mistake in a product.
constexpr std::size_t most_arms = 2000;

/// @param root      the scenario with `compare` or `axes`
/// @returns the arms in the order written (the last axis runs fastest), or an Error for both `compare` and
/// `axes`,
///          none or too many arms, a name that is empty or holds a `/`, or an arm that is not a map or has
///          keys that no arm can have
netmodels::Result<Arms> spread_arms(const language::Value& root, const std::filesystem::path& data_dir);

/// Options override arms; they add none. @returns an Error for an arm, an axis or a value that `root` does
/// not name
netmodels::Result<void> check_settings(const language::Value& settings, const language::Value& root);

/// `settings` merged over every override that touches one of its keys, so that a printed study keeps them.
language::Value settle_overrides(language::Value root, const language::Value& settings);

}  // namespace sim::scenario
