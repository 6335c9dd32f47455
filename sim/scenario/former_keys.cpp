// Walks through a tree of values together with the types of its keys.
#include "sim/scenario/former_keys.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "settings/type.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {
namespace {

using settings::Key;
using settings::Type;

/// Listens to the keys of one map and renames what the map has.
class FormerKeys final : public settings::Fields {
 public:
  FormerKeys(language::Value& map, std::string path, std::vector<std::string>& warnings)
      : map_(map), path_(std::move(path)), warnings_(warnings) {}

  using Fields::field;
  void field(const Key& key, const Type& type, void*) override {
    rename(key);
    if (language::Value* value = map_.find(key.name)) enter(*value, type, join(key.name));
  }
  void deferred(const Key& key) override { rename(key); }
  void figure(const Key& key, std::optional<double>&, std::string_view) override { rename(key); }

  /// Into the maps of a value, also within lists.
  void enter(language::Value& value, const Type& type, const std::string& path) {
    if (type.kind == Type::Kind::optional) return enter(value, *type.inner, path);
    if (type.kind == Type::Kind::list) {
      if (!value.is_list()) return enter(value, *type.inner, path);
      for (std::size_t i = 0; i < value.items().size(); ++i)
        enter(value.items()[i], *type.inner, fmt::format("{}[{}]", path, i));
      return;
    }
    if (type.kind != Type::Kind::map || !value.is_map()) return;
    FormerKeys inner(value, path, warnings_);
    type.describe_default(inner);
  }

 private:
  void alternative(bool, std::string_view, Rest describe_rest, void* rest) override {
    describe_rest(rest, *this);
  }
  [[nodiscard]] std::string join(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }
  void rename(const Key& key) {
    if (key.former.empty() || map_.find(key.name) != nullptr) return;
    const auto found = std::ranges::find(map_.members(), key.former, &language::Member::key);
    if (found == map_.members().end()) return;
    warnings_.push_back(
        fmt::format("{}: `{}` is now called `{}`; the former name is accepted in this version",
                    found->origin.text(), join(key.former), join(key.name)));
    found->key = key.name;
  }

  language::Value& map_;
  std::string path_;
  std::vector<std::string>& warnings_;
};

}  // namespace

std::vector<std::string> rename_former_keys(language::Value& root) {
  std::vector<std::string> warnings;
  const Type type = settings::type_of<Scenario>();
  const auto rename = [&](language::Value& map) { FormerKeys(map, "", warnings).enter(map, type, ""); };
  rename(root);
  const auto rename_each = [&](language::Value* maps) {
    if (maps == nullptr || !maps->is_map()) return;
    for (language::Member& member : maps->members()) rename(member.value);
  };
  rename_each(root.find("compare"));
  language::Value* axes = root.find("axes");
  if (axes == nullptr || !axes->is_map()) return warnings;
  for (language::Member& axis : axes->members()) rename_each(&axis.value);
  return warnings;
}

}  // namespace sim::scenario
