// The key audit: each key of a scenario acts, is refused or is warned of, wherever it is written.
//
//   key_audit record|check DIR SCENARIOS
//
// DIR has the scenarios `bases/*.yaml` and `keys.yaml`, which holds for each key of the schema a base and a
// value with which it changes figures: `record` writes it anew by trying values on all bases. `notes.yaml`
// holds why keys have no such entry, and why a value changes nothing on some bases. `check` runs each entry,
// each value on each base that the notes name, and the resolved form of each scenario. Exit code 1: something
// is ignored; 2: wrong usage.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "sim/language/document.hpp"
#include "tests/audit/runs.hpp"
#include "tests/audit/schema_keys.hpp"

namespace audit {
namespace {

namespace fs = std::filesystem;
using sim::language::Value;

/// Where a key changes figures.
struct Entry {
  std::string base;
  std::string value;
  std::vector<std::string> with = {};  ///< settings that the base takes besides
};

struct Base {
  fs::path file;
  Outcome outcome;  ///< as it stands
};

/// What a value does on a base.
enum class Effect {
  acts,
  warned,
  refused,
  same,  ///< it states what the base says, or a default
  nothing,
  crashed
};

Value tree_of(const std::string& resolved) {
  auto document = sim::language::parse_document(resolved, "a resolved scenario");
  return document ? std::move(document->root) : Value{};
}

Effect effect_of(const Outcome& outcome, const Outcome& base) {
  if (outcome.ending == Ending::crashed) return Effect::crashed;
  if (outcome.ending == Ending::refused) return Effect::refused;
  if (outcome.figures != base.figures) return Effect::acts;
  if (outcome.warnings != base.warnings) return Effect::warned;
  return tree_of(outcome.resolved).same_as(tree_of(base.resolved)) ? Effect::same : Effect::nothing;
}

Value read(const fs::path& file) {
  auto document = sim::language::read_document(file);
  if (document) return std::move(document->root);
  fmt::print(stderr, "{}\n", document.error().text());
  std::exit(2);
}

/// As YAML in quotes.
std::string quoted(const std::string& text) {
  std::string escaped;
  for (const char letter : text) escaped += letter == '\'' ? std::string("''") : std::string(1, letter);
  return "'" + escaped + "'";
}

std::string with_text(const std::vector<std::string>& settings) {
  std::string text;
  for (const std::string& setting : settings) text += (text.empty() ? "" : ", ") + quoted(setting);
  return text.empty() ? text : "with: [" + text + "], ";
}

class Audit {
 public:
  Audit(fs::path folder, const fs::path& scenarios) : folder_(std::move(folder)), runner_(scenarios) {
    for (const auto& file : fs::directory_iterator(folder_ / "bases")) {
      if (file.path().extension() == ".yaml") bases_[file.path().stem()] = {file.path(), {}};
    }
    for (auto& [name, base] : bases_) {
      base.outcome = runner_.run(base.file, {});
      if (base.outcome.ending != Ending::ran) fail("base {} does not run: {}", name, base.outcome.figures);
    }
  }

  int record() {
    if (fs::exists(folder_ / "keys.yaml")) read_entries();
    read_notes();
    std::ofstream out(folder_ / "keys.yaml");
    out << "# Of each key of a scenario a base in bases/ and a value with which figures change; `key_audit "
           "record` writes it.\n";
    for (const auto& [key, values] : schema_keys()) {
      if (is_not_run(key)) continue;
      const auto known = entries_.find(key);
      const bool holds = known != entries_.end() && acts(key, known->second);
      if (const std::optional<Entry> entry = holds ? known->second : find_entry(key, values)) {
        out << fmt::format("{}: {{base: {}, {}value: {}}}\n", key, entry->base, with_text(entry->with),
                           quoted(entry->value));
      } else {
        fmt::print("no entry for {}\n", key);
      }
    }
    return 0;
  }

  int check() {
    read_entries();
    read_notes();
    check_complete();
    for (const auto& [key, entry] : entries_) check_entry(key, entry);
    for (const auto& [key, entry] : entries_) {
      if (!is_of_question(key)) check_bases(key, entry);
    }
    check_stale_notes();
    for (const auto& [name, base] : bases_) check_round_trip(name, base.outcome);
    fmt::print(
        "{} keys on {} bases: {} act, {} are refused, {} warned of, {} state what holds, {} change nothing "
        "by notes, {} are "
        "ignored\n",
        entries_.size(), everywhere_.size(), count_[Effect::acts], count_[Effect::refused],
        count_[Effect::warned], count_[Effect::same], explained_, ignored_);
    return failures_ == 0 ? 0 : 1;
  }

 private:
  template <class... Args>
  void fail(fmt::format_string<Args...> text, Args&&... args) {
    fmt::print("{}\n", fmt::format(text, std::forward<Args>(args)...));
    ++failures_;
  }

  std::optional<Entry> find_entry(const std::string& key, const std::vector<std::string>& values) const {
    std::vector<std::string> tried = values;
    for (const char* other : {"2", "3", "0.3", "3 ms", "7 s", "1 Gbit/s", "1 MB", "true", "false", "epoch 1",
                              "step 3", "[2, 2, 2, 2]", "[0.5, 1, 1, 1]", "1 us", "8", "100"})
      tried.emplace_back(other);
    std::set<std::string> seen;
    for (const std::string& value : tried) {
      if (!seen.insert(value).second) continue;
      for (const std::string& name : likely_bases(key)) {
        const Base& base = bases_.at(name);
        if (effect_of(runner_.run(base.file, {key + "=" + value}), base.outcome) == Effect::acts)
          return Entry{name, value};
      }
    }
    return std::nullopt;
  }

  /// Those whose resolved form has the key; all where none has.
  std::vector<std::string> likely_bases(const std::string& key) const {
    std::vector<std::string> all;
    std::vector<std::string> likely;
    for (const auto& [name, base] : bases_) {
      all.push_back(name);
      if (find_path(tree_of(base.outcome.resolved), key) != nullptr) likely.push_back(name);
    }
    return likely.empty() ? all : likely;
  }

  void read_entries() {
    const Value entries = read(folder_ / "keys.yaml");
    for (const auto& member : entries.members()) {
      Entry entry{member.value.find("base")->text(), member.value.find("value")->text()};
      if (const Value* with = member.value.find("with")) {
        for (const Value& setting : with->items()) entry.with.push_back(setting.text());
      }
      entries_[member.key] = std::move(entry);
    }
  }

  void read_notes() {
    const Value notes = read(folder_ / "notes.yaml");
    for (const Value& base : notes.find("bases")->items()) everywhere_.push_back(base.text());
    for (const auto& member : notes.find("not_run")->members()) not_run_.insert(member.key);
    for (const auto& member : notes.find("nothing")->members()) {
      for (const Value& base : member.value.find("on")->items()) nothing_[member.key].insert(base.text());
    }
  }

  /// Only `sim advise` reads it.
  static bool is_of_question(const std::string& key) {
    return key.starts_with("advice") || key.starts_with("planning");
  }

  bool is_not_run(const std::string& key) const {
    return std::ranges::any_of(
        not_run_, [&](const std::string& prefix) { return key == prefix || key.starts_with(prefix + "."); });
  }

  /// Each key of the schema has an entry or a note.
  void check_complete() {
    const Keys keys = schema_keys();
    for (const auto& [key, values] : keys) {
      if (!entries_.contains(key) && !is_not_run(key)) fail("{}: no scenario in which it matters", key);
    }
    for (const auto& [key, entry] : entries_) {
      if (!keys.contains(key)) fail("{}: not a key of the schema", key);
      if (not_run_.contains(key)) fail("{}: an entry and a note", key);
    }
  }

  /// The entry without its key, and with it.
  std::pair<Outcome, Outcome> both(const std::string& key, const Entry& entry) const {
    const auto base = bases_.find(entry.base);
    if (base == bases_.end()) return {};
    std::vector<std::string> settings = entry.with;
    const Outcome without =
        settings.empty() ? base->second.outcome : runner_.run(base->second.file, settings);
    settings.push_back(key + "=" + entry.value);
    return {without, runner_.run(base->second.file, settings)};
  }

  bool acts(const std::string& key, const Entry& entry) const {
    const auto [without, with] = both(key, entry);
    return without.ending == Ending::ran && effect_of(with, without) == Effect::acts;
  }

  void check_entry(const std::string& key, const Entry& entry) {
    const auto [without, with] = both(key, entry);
    if (without.ending != Ending::ran)
      return fail("{}: {} does not run: {}", key, entry.base, without.figures);
    if (effect_of(with, without) != Effect::acts)
      return fail("{}={} changes nothing on {}: {}", key, entry.value, entry.base,
                  with.ending == Ending::refused ? with.figures : "");
    check_round_trip(fmt::format("{} with {}={}", entry.base, key, entry.value), with);
  }

  void check_bases(const std::string& key, const Entry& entry) {
    for (const std::string& name : everywhere_) {
      const Base& base = bases_.at(name);
      const Effect effect = effect_of(runner_.run(base.file, {key + "=" + entry.value}), base.outcome);
      ++count_[effect];
      if (effect == Effect::crashed) fail("{}={} ends the program on {}", key, entry.value, name);
      if (effect != Effect::nothing) continue;
      if (nothing_[key].contains(name)) {
        ++explained_;
        met_.insert({key, name});
      } else {
        ++ignored_;
        fail("{}={} is ignored on {}", key, entry.value, name);
      }
    }
  }

  /// Notes on bases where the value does something by now.
  void check_stale_notes() {
    for (const auto& [key, bases] : nothing_) {
      for (const std::string& base : bases) {
        if (!met_.contains({key, base}))
          fail("{}: a note says that its value changes nothing on {}", key, base);
      }
    }
  }

  /// What a run writes runs again, to the same figures.
  void check_round_trip(const std::string& name, const Outcome& outcome) {
    const fs::path file = fs::temp_directory_path() / fmt::format("key_audit_{}.yaml", getpid());
    std::ofstream(file) << outcome.resolved;
    const Outcome again = runner_.run(file, {});
    fs::remove(file);
    if (again.ending != Ending::ran)
      return fail("{}: its resolved form does not run: {}", name, again.figures);
    if (without_places(again.figures) != without_places(outcome.figures))
      fail("{}: its resolved form gives other figures", name);
  }

  fs::path folder_;
  Runner runner_;
  std::map<std::string, Base> bases_;
  std::map<std::string, Entry> entries_;
  std::vector<std::string> everywhere_;  ///< bases on which each key is tried
  std::set<std::string> not_run_;
  std::map<std::string, std::set<std::string>> nothing_;
  std::set<std::pair<std::string, std::string>> met_;  ///< notes that were needed
  std::map<Effect, int> count_;
  int explained_ = 0;
  int ignored_ = 0;
  int failures_ = 0;
};

}  // namespace
}  // namespace audit

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // the runs' processes would print what waits, too
  const std::string mode = count == 4 ? arguments[1] : "";
  if (mode != "record" && mode != "check") {
    fmt::print(stderr, "usage: key_audit record|check DIR SCENARIOS\n");
    return 2;
  }
  audit::Audit audit(arguments[2], arguments[3]);
  return mode == "record" ? audit.record() : audit.check();
}
