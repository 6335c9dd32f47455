// Pairs of settings: both act together, or the pair is refused or warned of.
//
//   feature_pairs DIR SCENARIOS
//
// DIR/features.yaml names a base, the settings of features, and why pairs change nothing beyond one of the
// two. All other settings that declare what they need, offer or rule out are tried two by two as well, with
// values of DIR/keys.yaml: what is accepted makes a step, and what declarations exclude is refused. Exit code
// 1: a feature is ignored beside another, a pair ends the program, or an excluded one is accepted; 2: wrong
// usage.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "sim/language/document.hpp"
#include "sim/scenario/support.hpp"
#include "tests/audit/runs.hpp"
#include "tests/scenario/declared_settings.hpp"

namespace audit {
namespace {

namespace fs = std::filesystem;
using sim::language::Value;

struct Feature {
  std::string name;
  std::vector<std::string> settings;
  Outcome alone;
};

std::string key_of(const std::string& setting) { return setting.substr(0, setting.find('=')); }

bool set_one_key(const Feature& one, const Feature& other) {
  return std::ranges::any_of(one.settings, [&](const std::string& setting) {
    return std::ranges::any_of(other.settings,
                               [&](const std::string& second) { return key_of(setting) == key_of(second); });
  });
}

class Pairs {
 public:
  Pairs(const fs::path& folder, const fs::path& scenarios) : runner_(scenarios) {
    auto document = sim::language::read_document(folder / "features.yaml");
    if (!document) {
      fmt::print(stderr, "{}\n", document.error().text());
      std::exit(2);
    }
    base_ = folder / document->root.find("base")->text();
    for (const auto& member : document->root.find("features")->members()) {
      Feature feature{member.key, {}, {}};
      for (const Value& setting : member.value.items()) feature.settings.push_back(setting.text());
      feature.alone = runner_.run(base_, feature.settings);
      features_.push_back(std::move(feature));
    }
    for (const auto& member : document->root.find("nothing")->members()) notes_.insert(member.key);
  }

  int check() {
    const Outcome base = runner_.run(base_, {});
    for (const Feature& feature : features_) {
      if (feature.alone.ending != Ending::ran || feature.alone.figures == base.figures)
        fail("{} changes nothing by itself: {}", feature.name,
             feature.alone.ending == Ending::refused ? feature.alone.figures : "");
    }
    for (std::size_t i = 0; i < features_.size(); ++i) {
      for (std::size_t j = i + 1; j < features_.size(); ++j) {
        if (!set_one_key(features_[i], features_[j])) check_pair(features_[i], features_[j]);
      }
    }
    for (const std::string& note : notes_) {
      if (!met_.contains(note)) fail("{}: a note says that it changes nothing", note);
    }
    fmt::print("{} pairs of {} features: {} act together, {} are refused, {} change nothing by notes\n",
               act_ + refused_ + static_cast<int>(met_.size()), features_.size(), act_, refused_,
               met_.size());
    return failures_ == 0 ? 0 : 1;
  }

 private:
  template <class... Args>
  void fail(fmt::format_string<Args...> text, Args&&... args) {
    fmt::print("{}\n", fmt::format(text, std::forward<Args>(args)...));
    ++failures_;
  }

  void check_pair(const Feature& one, const Feature& other) {
    std::vector<std::string> settings = one.settings;
    settings.insert(settings.end(), other.settings.begin(), other.settings.end());
    const Outcome both = runner_.run(base_, settings);
    if (both.ending == Ending::refused) {
      ++refused_;
      return;
    }
    const std::string name = one.name + "+" + other.name;
    if (both.ending == Ending::crashed) return fail("{} ends the program", name);
    const bool acts = differs(both, one.alone) && differs(both, other.alone);
    if (acts) {
      ++act_;
    } else if (notes_.contains(name)) {
      met_.insert(name);
    } else {
      fail("{}: {} changes nothing", name, differs(both, one.alone) ? one.name : other.name);
    }
  }

  static bool differs(const Outcome& one, const Outcome& other) {
    return one.figures != other.figures || one.warnings != other.warnings;
  }

  Runner runner_;
  fs::path base_;
  std::vector<Feature> features_;
  std::set<std::string> notes_;
  std::set<std::string> met_;  ///< notes that were needed
  int act_ = 0;
  int refused_ = 0;
  int failures_ = 0;
};

/// Pairs of everything that declares something.
class DeclaredPairs {
 public:
  DeclaredPairs(const fs::path& folder, const fs::path& scenarios)
      : runner_(scenarios), base_(folder / "bases" / "live.yaml") {
    auto document = sim::language::read_document(folder / "keys.yaml");
    if (!document) {
      fmt::print(stderr, "{}\n", document.error().text());
      std::exit(2);
    }
    for (const sim::scenario::Declared& declared : sim::scenario::declarations()) {
      Feature feature{declared.label, tests::settings_of(declared, document->root), {}};
      if (feature.settings.empty()) continue;
      feature.settings.insert(feature.settings.begin(), std::string(one_step));
      feature.alone = runner_.run(base_, feature.settings);
      if (feature.alone.ending == Ending::crashed) fail("{} ends the program", feature.name);
      if (feature.alone.ending == Ending::ran) features_.emplace_back(&declared, std::move(feature));
    }
  }

  int check() {
    for (std::size_t i = 0; i < features_.size(); ++i)
      for (std::size_t j = i + 1; j < features_.size(); ++j)
        if (!set_one_declared_key(features_[i].second, features_[j].second))
          check_pair(features_[i], features_[j]);
    fmt::print("{} pairs of {} declared settings: {} run, {} are refused, {} of them by their declarations\n",
               ran_ + refused_, features_.size(), ran_, refused_, excluded_);
    return failures_ == 0 ? 0 : 1;
  }

 private:
  using Tried = std::pair<const sim::scenario::Declared*, Feature>;

  static constexpr std::string_view one_step = "training.steps=1";

  /// Besides the number of steps.
  static bool set_one_declared_key(Feature one, Feature other) {
    one.settings.erase(one.settings.begin());
    other.settings.erase(other.settings.begin());
    return set_one_key(one, other);
  }

  void check_pair(const Tried& one, const Tried& other) {
    std::vector<std::string> settings = one.second.settings;
    settings.insert(settings.end(), other.second.settings.begin(), other.second.settings.end());
    const Outcome both = runner_.run(base_, settings);
    const bool excluded = sim::scenario::exclude_each_other(*one.first, *other.first);
    const std::string name = one.second.name + " with " + other.second.name;
    if (both.ending == Ending::crashed) return fail("{} ends the program", name);
    if (both.ending == Ending::ran && excluded) fail("{} is accepted, and excluded by declarations", name);
    ran_ += both.ending == Ending::ran ? 1 : 0;
    refused_ += both.ending == Ending::refused ? 1 : 0;
    excluded_ += both.ending == Ending::refused && excluded ? 1 : 0;
  }

  template <class... Args>
  void fail(fmt::format_string<Args...> text, Args&&... args) {
    fmt::print("{}\n", fmt::format(text, std::forward<Args>(args)...));
    ++failures_;
  }

  Runner runner_;
  fs::path base_;
  std::vector<Tried> features_;
  int ran_ = 0;
  int refused_ = 0;
  int excluded_ = 0;
  int failures_ = 0;
};

}  // namespace
}  // namespace audit

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // the runs' processes would print what waits, too
  if (count != 3) {
    fmt::print(stderr, "usage: feature_pairs DIR SCENARIOS\n");
    return 2;
  }
  const int features = audit::Pairs(arguments[1], arguments[2]).check();
  const int declared = audit::DeclaredPairs(arguments[1], arguments[2]).check();
  return features == 0 && declared == 0 ? 0 : 1;
}
