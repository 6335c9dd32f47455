// Pairs of features: both act together, or the pair is refused or warned of.
//
//   feature_pairs DIR SCENARIOS
//
// DIR/features.yaml names a base, the settings of each feature, and why pairs change nothing beyond one of
// the two. Exit code 1: a feature is ignored beside another; 2: wrong usage.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "sim/language/document.hpp"
#include "tests/audit/runs.hpp"

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

}  // namespace
}  // namespace audit

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // the runs' processes would print what waits, too
  if (count != 3) {
    fmt::print(stderr, "usage: feature_pairs DIR SCENARIOS\n");
    return 2;
  }
  return audit::Pairs(arguments[1], arguments[2]).check();
}
