// Searches all keys of a scenario for an unknown one.
#include "sim/scenario/misplaced_keys.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "settings/type.hpp"
#include "sim/inputs/workload_file.hpp"
#include "sim/language/print.hpp"
#include "sim/language/reader.hpp"
#include "sim/scenario/fields_scenario.hpp"

namespace sim::scenario {
namespace {

using settings::Type;

/// Maps that have a key, by its name: those nearest to the top.
using HomesOfKeys = std::map<std::string, std::vector<std::string>, std::less<>>;

std::ptrdiff_t depth_of(std::string_view path) { return std::ranges::count(path, '.'); }

/// Paths of the keys of one map and of those inside; items of lists have none.
class KeyPaths final : public settings::Fields {
 public:
  KeyPaths(std::string path, HomesOfKeys& homes) : path_(std::move(path)), homes_(homes) {}

  using Fields::field;
  void field(const settings::Key& key, const Type& type, void*) override {
    add(key.name);
    const Type* held = &type;
    while (held->kind == Type::Kind::optional) held = held->inner;
    if (held->kind != Type::Kind::map) return;
    KeyPaths inner(path_.empty() ? std::string(key.name) : fmt::format("{}.{}", path_, key.name), homes_);
    held->describe_default(inner);
  }
  void deferred(const settings::Key& key) override { add(key.name); }
  void figure(const settings::Key& key, std::optional<double>&, std::string_view) override { add(key.name); }

 private:
  void alternative(bool, std::string_view, Rest describe_rest, void* rest) override {
    describe_rest(rest, *this);
  }

  void add(std::string_view name) {
    std::vector<std::string>& known = homes_[std::string(name)];
    if (!known.empty() && depth_of(known.front()) < depth_of(path_)) return;
    if (!known.empty() && depth_of(known.front()) > depth_of(path_)) known.clear();
    if (std::ranges::find(known, path_) == known.end()) known.push_back(path_);
  }

  std::string path_;
  HomesOfKeys& homes_;
};

HomesOfKeys find_homes() {
  HomesOfKeys homes;
  KeyPaths scenario("", homes);
  settings::type_of<Scenario>().describe_default(scenario);
  for (const inputs::WorkloadForm& form : inputs::workload_forms()) {
    KeyPaths workload("workload", homes);
    form.type->describe_default(workload);
  }
  return homes;
}

std::string_view name_in(std::string_view path) { return path.substr(path.find_last_of('.') + 1); }

/// Whether the name is that of a known key but for a letter or two: `link` of `links`.
bool is_misspelt(const netmodels::Error& error, std::string_view name) {
  constexpr std::size_t letters = 2;
  if (error.remedy.size() < 2) return false;
  const std::size_t known = name_in(error.remedy[1].key).size();
  return std::max(known, name.size()) - std::min(known, name.size()) <= letters;
}

/// The key goes to the only map that has it.
void move_key(netmodels::Error& error, const std::string& home, std::string_view name,
              const language::Value& tree) {
  const std::string key = home.empty() ? std::string(name) : fmt::format("{}.{}", home, name);
  if (key == error.remedy.front().key) return;  // a key that other maps there have
  const language::Value* written = language::find_path(tree, error.remedy.front().key);
  error.remedy.resize(1);
  const language::Value* above = home.empty() ? nullptr : language::find_path(tree, home);
  const language::Value* stated = language::find_path(tree, key);
  if (stated != nullptr && (written == nullptr || stated->origin().source() == written->origin().source())) {
    error.hint = fmt::format("leave it out: `{}` is stated already", key);
    return;
  }
  error.hint = fmt::format("write it as `{}`", key);
  const bool has_room = above == nullptr || above->is_map();
  if (written != nullptr && has_room) error.remedy.push_back({key, language::print_on_one_line(*written)});
}

void name_right_place(netmodels::Error& error, const language::Value& tree) {
  const std::string path = language::unknown_path(error);
  if (path.empty() || path.find('[') != std::string::npos) return;
  const std::string_view name = name_in(path);
  if (is_misspelt(error, name)) return;
  const std::vector<std::string>* homes = maps_with_key(name);
  constexpr std::size_t most_named = 3;
  if (homes == nullptr || homes->size() > most_named) return;
  if (homes->size() == 1) return move_key(error, homes->front(), name, tree);
  const bool has_similar = error.remedy.size() > 1;
  if (!has_similar) error.hint = fmt::format("it is a key of `{}`", fmt::join(*homes, "` and of `"));
}

}  // namespace

const std::vector<std::string>* maps_with_key(std::string_view name) {
  static const HomesOfKeys homes = find_homes();
  const auto found = homes.find(name);
  return found == homes.end() ? nullptr : &found->second;
}

void name_right_places(netmodels::Error& error, const language::Value& tree) {
  name_right_place(error, tree);
  for (netmodels::Error& other : error.more) name_right_place(other, tree);
}

}  // namespace sim::scenario
