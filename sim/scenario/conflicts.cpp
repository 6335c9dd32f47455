// Finds settings that exclude each other, and their remedies.
#include "sim/scenario/conflicts.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/language/place.hpp"
#include "sim/scenario/declarations.hpp"

namespace sim::scenario {
namespace {

using settings::Capability;

constexpr std::size_t most_remedies = 2;  ///< of one setting

/// Whether what one setting offers reaches another.
bool reaches(const Feature& offering, const Feature& other) {
  return !offering.is_local || other.path.starts_with(offering.path + ".");
}

bool offered(Capability capability, const Feature& needing, const std::vector<Feature>& features) {
  return std::ranges::any_of(features, [&](const Feature& one) {
    return one.demands.offers.contains(capability) && reaches(one, needing);
  });
}

/// What rules it out, but for the setting itself.
const Feature* find_denying(Capability capability, const Feature& except,
                            const std::vector<Feature>& features) {
  for (const Feature& other : features)
    if (&other != &except && other.demands.denies.contains(capability)) return &other;
  return nullptr;
}

/// A word of whose key another offers it.
const Feature* find_withholding(Capability capability, const std::vector<Feature>& features) {
  const auto offers = [&](const Alternative& other) { return other.demands.offers.contains(capability); };
  const auto found = std::ranges::find_if(
      features, [&](const Feature& one) { return std::ranges::any_of(one.alternatives, offers); });
  return found == features.end() ? nullptr : &*found;
}

/// The settings with another declaration in place of one of them.
/// @param replaced  null: beside all settings
std::vector<Feature> with_other(const Feature* replaced, const settings::Demands& demands,
                                const std::vector<Feature>& features) {
  std::vector<Feature> others;
  for (const Feature& feature : features)
    others.push_back({.path = feature.path,
                      .label = feature.label,
                      .demands = &feature == replaced ? demands : feature.demands,
                      .is_local = feature.is_local});
  if (replaced == nullptr) others.push_back({.path = "", .label = "", .demands = demands});
  return others;
}

/// A word that a hint may name.
struct Remedy {
  Alternative word;
  std::size_t conflicts_left = 0;
};

/// Capabilities that some setting needs: those that settings only use exclude nothing.
const std::vector<Capability>& needed_capabilities() {
  static const std::vector<Capability> needed = [] {
    std::vector<Capability> found;
    for (const settings::CapabilityRow& row : settings::capabilities()) {
      const auto needs = [&](const Declared& one) { return one.demands.needs.contains(row.capability); };
      if (std::ranges::any_of(declarations(), needs)) found.push_back(row.capability);
    }
    return found;
  }();
  return needed;
}

/// Bits in which two declarations differ: the remedy that is nearest to what was asked for comes first.
std::size_t distance(const settings::Demands& one, const settings::Demands& other) {
  std::size_t differing = 0;
  for (const Capability c : needed_capabilities()) {
    differing += one.offers.contains(c) != other.offers.contains(c) ? 1 : 0;
    differing += one.needs.contains(c) != other.needs.contains(c) ? 1 : 0;
    differing += one.denies.contains(c) != other.denies.contains(c) ? 1 : 0;
  }
  return differing;
}

std::vector<Conflict> find_conflicts(const Feature& feature,
                                     settings::Capabilities settings::Demands::*wanted,
                                     const std::vector<Feature>& features) {
  std::vector<Conflict> found;
  const bool is_unread = wanted == &settings::Demands::uses;
  for (const settings::CapabilityRow& row : settings::capabilities()) {
    const Capability capability = row.capability;
    if (!(feature.demands.*wanted).contains(capability)) continue;
    if (const Feature* denying = find_denying(capability, feature, features))
      found.push_back({&feature, capability, denying, is_unread});
    else if (row.only_offered && !offered(capability, feature, features))
      found.push_back({&feature, capability, find_withholding(capability, features), is_unread});
  }
  return found;
}

/// Conflicts of what settings need and, where it matters, of what they use.
std::vector<Conflict> all_conflicts(const std::vector<Feature>& features, bool with_unread) {
  std::vector<Conflict> found = conflicts_of(features);
  for (const Feature& feature : features)
    if (with_unread) std::ranges::move(unread_conflicts(feature, features), std::back_inserter(found));
  return found;
}

/// Collects words with which a conflict is gone.
class RemedyFinder {
 public:
  /// @param clean  whether words that make another conflict are left out
  RemedyFinder(const Conflict& conflict, const std::vector<Feature>& features, bool clean)
      : conflict_(conflict),
        features_(features),
        before_(all_conflicts(features, conflict.is_unread)),
        clean_(clean) {}

  /// @param replaced  by the word; null: it is written beside all settings
  void consider(const Feature* replaced, const Alternative& word) {
    if (word.text.empty()) return;
    const std::vector<Feature> others = with_other(replaced, word.demands, features_);
    const std::vector<Conflict> left = all_conflicts(others, conflict_.is_unread);
    const auto is_new = [&](const Conflict& one) {
      return is_same(one, conflict_) || (clean_ && !has_conflict(before_, one));
    };
    if (std::ranges::any_of(left, is_new)) return;
    found_.push_back({word, left.size()});
  }

  /// Those that leave the fewest conflicts, words that declare nothing first, then the nearest to what is
  /// stated; of words that declare the same, one.
  [[nodiscard]] std::vector<std::string> best(const settings::Demands& stated) {
    std::ranges::stable_sort(found_, {}, [&](const Remedy& one) {
      const settings::Demands& demands = one.word.demands;
      const bool declares_nothing = distance({}, demands) == 0;
      return std::pair(one.conflicts_left, declares_nothing ? 0 : 1 + distance(stated, demands));
    });
    std::vector<std::string> texts;
    std::vector<const settings::Demands*> named;
    for (const Remedy& one : found_) {
      if (texts.size() == most_remedies || one.conflicts_left > found_.front().conflicts_left) break;
      const settings::Demands& demands = one.word.demands;
      const auto is_same = [&](const settings::Demands* other) { return distance(*other, demands) == 0; };
      if (std::ranges::any_of(named, is_same)) continue;
      named.push_back(&demands);
      texts.push_back(one.word.text);
    }
    return texts;
  }

 private:
  static bool is_same(const Conflict& one, const Conflict& other) {
    return one.missing == other.missing && one.needing->path == other.needing->path;
  }
  static bool has_conflict(const std::vector<Conflict>& found, const Conflict& conflict) {
    return std::ranges::any_of(found, [&](const Conflict& one) { return is_same(one, conflict); });
  }

  const Conflict& conflict_;
  const std::vector<Feature>& features_;
  std::vector<Conflict> before_;
  bool clean_;
  std::vector<Remedy> found_;
};

/// Other words of a setting's key.
std::vector<std::string> other_words(const Feature& feature, const Conflict& conflict,
                                     const std::vector<Feature>& features, bool clean) {
  RemedyFinder remedies(conflict, features, clean);
  for (const Alternative& other : feature.alternatives) remedies.consider(&feature, other);
  return remedies.best(feature.demands);
}

/// "`a`, `b` or `c`".
std::string listed(const std::vector<std::string>& texts) {
  std::string text = fmt::format("`{}`", texts.front());
  for (std::size_t i = 1; i < texts.size(); ++i)
    text += fmt::format("{}`{}`", i + 1 < texts.size() ? ", " : " or ", texts[i]);
  return text;
}

bool may_be_left_out(const Feature& feature) {
  if (feature.is_required) return false;
  return feature.alternatives.empty() || feature.alternatives.back().text.empty();
}

/// What offers the capability, beside or in place of what is stated.
std::vector<std::string> offers_of(const Conflict& conflict, const std::vector<Feature>& features,
                                   bool clean) {
  RemedyFinder remedies(conflict, features, clean);
  const auto offers = [&](const settings::Demands& demands) {
    return demands.offers.contains(conflict.missing);
  };
  for (const Feature& feature : features)
    for (const Alternative& other : feature.alternatives)
      if (offers(other.demands)) remedies.consider(&feature, other);
  for (const Declared& declared : declarations())
    if (!declared.is_word && offers(declared.demands))
      remedies.consider(nullptr, {declared.example, declared.demands});
  return remedies.best({});
}

}  // namespace

std::vector<Conflict> conflicts_of(const std::vector<Feature>& features) {
  std::vector<Conflict> found;
  for (const Feature& feature : features)
    std::ranges::move(find_conflicts(feature, &settings::Demands::needs, features),
                      std::back_inserter(found));
  return found;
}

std::vector<Conflict> unread_conflicts(const Feature& feature, const std::vector<Feature>& features) {
  return find_conflicts(feature, &settings::Demands::uses, features);
}

std::string describe_conflict(const Conflict& conflict) {
  const settings::CapabilityRow& row = settings::facts_of(conflict.missing);
  const std::string needs = fmt::format("{} needs {}", conflict.needing->label, row.needed);
  if (conflict.denying == nullptr) return fmt::format("{}, and nothing provides it", needs);
  return fmt::format("{}; {} {}", needs, conflict.denying->label, row.lacking);
}

/// `synchronisation: bsp` as a change; empty where the hint names a key without its value.
static std::vector<netmodels::Change> change_of(std::string_view written) {
  constexpr std::string_view between = ": ";
  const std::size_t end = written.find(between);
  if (end == std::string_view::npos) return {};
  return {{std::string(written.substr(0, end)), std::string(written.substr(end + between.size()))}};
}

static Remedies find_remedies(const Conflict& conflict, const std::vector<Feature>& features, bool clean) {
  std::vector<std::string> words, keys;
  const bool denied =
      conflict.denying != nullptr && conflict.denying->demands.denies.contains(conflict.missing);
  if (!denied) words = offers_of(conflict, features, clean);
  for (const Feature* feature : {denied ? conflict.denying : nullptr, conflict.needing}) {
    if (feature == nullptr) continue;
    const std::vector<std::string> others = other_words(*feature, conflict, features, clean);
    words.insert(words.end(), others.begin(), others.end());
    if (others.empty() && may_be_left_out(*feature)) keys.push_back(feature->leave_out());
  }
  Remedies found;
  for (const std::string& word : words)
    if (found.first.empty()) found.first = change_of(word);
  if (found.first.empty() && !keys.empty()) found.first = {{keys.front(), {}}};
  std::vector<std::string> sentences;
  if (!words.empty()) sentences.push_back("write " + listed(words));
  if (!keys.empty()) sentences.push_back("leave out " + listed(keys));
  found.text = fmt::format("{}", fmt::join(sentences, ", or "));
  return found;
}

/// Leaving out what nothing reads changes nothing else.
static Remedies remedies_of_unread(const Conflict& conflict, const std::vector<Feature>& features) {
  Remedies found{"leave it out", {{conflict.needing->path, {}}}};
  const bool denied =
      conflict.denying != nullptr && conflict.denying->demands.denies.contains(conflict.missing);
  const std::vector<std::string> words =
      denied ? other_words(*conflict.denying, conflict, features, true) : offers_of(conflict, features, true);
  if (!words.empty())
    found.text += ", or write " + listed({words.front()});
  else if (denied && may_be_left_out(*conflict.denying))
    found.text += ", or leave out " + listed({conflict.denying->leave_out()});
  return found;
}

Remedies remedies_of(const Conflict& conflict, const std::vector<Feature>& features) {
  if (conflict.is_unread) return remedies_of_unread(conflict, features);
  Remedies clean = find_remedies(conflict, features, true);
  return clean.text.empty() ? find_remedies(conflict, features, false) : clean;
}

/// Whether both are about the same setting: what removes one of them may remove the other.
static bool share_setting(const Conflict& one, const Conflict& other) {
  const auto has = [&](const Feature* feature) {
    return feature != nullptr && (feature == other.needing || feature == other.denying);
  };
  return has(one.needing) || has(one.denying);
}

netmodels::Result<void> check_conflicts(const std::vector<Feature>& features, const language::Value& tree) {
  std::vector<Conflict> told;
  std::vector<netmodels::Error> errors;
  for (const Conflict& conflict : conflicts_of(features)) {
    const auto shares = [&](const Conflict& earlier) { return share_setting(conflict, earlier); };
    if (std::ranges::any_of(told, shares)) continue;
    told.push_back(conflict);
    Remedies remedies = remedies_of(conflict, features);
    errors.push_back({language::place_of(tree, conflict.needing->path),
                      describe_conflict(conflict),
                      std::move(remedies.text),
                      std::move(remedies.first),
                      {}});
  }
  if (errors.empty()) return {};
  return tl::unexpected(netmodels::merge_errors(std::move(errors)));
}

}  // namespace sim::scenario
