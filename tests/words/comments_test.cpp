// Fails on comments that begin without a noun, and on words and names that words of the field replace.
//
// Folders that are not rewritten yet have a budget: what they had when the rule was written, which may only
// fall.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/source_tree.hpp"
#include "tests/words/source_reader.hpp"

namespace words {
namespace {

namespace fs = std::filesystem;

/// Numbers of findings that a folder, or the files with a common beginning of their path, may still have.
struct Budget {
  std::string_view path;
  int openings = 0;
  int words = 0;
  int names = 0;
};

/// May only fall: whoever rewrites comments or names lowers the numbers. Everything else has 0.
constexpr auto budgets = std::to_array<Budget>({
    {"sim/advise/", 48, 6, 14},
    {"sim/engine/", 254, 24, 12},
    {"sim/fit/", 33, 7, 2},
    {"sim/report/", 111, 20, 12},
    {"sim/scenario/", 177, 13, 11},
    {"netmodels/shard_sending.", 11, 1, 0},
    {"netmodels/sharded_step.", 15, 0, 0},
    {"netmodels/training_memory.", 7, 0, 0},
});

/// Relative clauses and prepositions without the noun that they belong to.
const std::regex& opening_without_noun() {
  static const std::regex found(
      "(what|of|where|that|those|who|whose|whom|which|its?|they|their|by|in|from|to|on|with|without|behind|"
      "beside|beyond|among|against|through|over|under|within|upon|into|at|between|apart)\\b",
      std::regex::icase);
  return found;
}

/// Ranges and units, which a field may have as its only comment: `in [0, 1)`, `at least 1`, `in seconds`.
const std::regex& range_or_unit() {
  static const std::regex found(
      "in [\\[(]|at (least|most) |(from|between|over|within|to|with|without) -?\\d|by default\\b|in "
      "(bytes|bits|elements|percent|seconds|ms|us|USD|FLOPs?|tokens|samples|steps|epochs|order)\\b|on-|in-",
      std::regex::icase);
  return found;
}

/// Words of comments that the field has other words for, with what is right in them.
struct BannedWord {
  std::string_view
      stem;  ///< found in every text with the word, so that most texts need no regular expression
  std::string_view word;  ///< regular expression of whole words, ignoring case
  std::string_view instead;
  std::string_view allowed = {};  ///< phrases with it that are right, taken out before the search
};

constexpr auto banned_words = std::to_array<BannedWord>({
    {"told", "told", "`given`, `configured` or `is called with`"},
    {"tell", "tells?", "`says`, `shows` or `distinguishes`"},
    {"stand", "stands?", "`is`, `is replaced by`"},
    {"law", "laws?", "`model`, `distribution` or `limit`", "(amdahl|little|moore)'s law|power laws?"},
    {"play", "play(s|ed|ing)?", "`runs`, `simulates` or `evaluates`"},
    {"body", "(no|some|every)body", "who or what it is: `no process`, `all ranks`"},
    {"twin", "twins?", "`CUDA implementation` or `CPU reference`"},
    {"meet", "meet(s|ings?)?", "`synchronise`, `merge` or `share a link`",
     "meets? (its|a) goals?|a goal that meet it"},
    {"so many", "so many", "`this number of`, or name the quantity"},
    {"give", "gives? way", "`fixed-rate (non-adaptive) traffic`"},
    {"printed", "printed (form|rule)", "`published form`"},
    {"theirs", "theirs", "name the owner"},
    {"redeploy", "redeploy\\w*", "`switching cost`"},
    {"deal", "deal(t|s|ings?)", "`partitioned`"},
    {"refusal", "refusals?", "`error`"},
});

/// Names that say nothing of the value, or that are no verbs; a final `*` stands for any ending.
struct BannedName {
  std::string_view name;
  std::string_view instead;

  [[nodiscard]] bool matches(std::string_view other) const {
    return name.ends_with('*') ? other.starts_with(name.substr(0, name.size() - 1)) : other == name;
  }
};

constexpr std::string_view say_it = "what it says, such as `exchanges_momenta`";
constexpr std::string_view run_it = "`run`, `simulate` or `evaluate`";
constexpr std::string_view usual_word = "the usual word, such as `sleep_for`, `reap`, `reserve`, `hint`";

constexpr auto banned_names = std::to_array<BannedName>({
    {"of_momenta", say_it},
    {"stays_apart", say_it},
    {"models_later", say_it},
    {"local_key", say_it},
    {"outer_states", say_it},
    {"tests_centre", say_it},
    {"play", run_it},
    {"plays", run_it},
    {"played", run_it},
    {"play_*", run_it},
    {"told*", "what it returns"},
    {"tell_*", "`warn_*` or `note_*`"},
    {"dealing*", "`partition`"},
    {"Dealing*", "`partition`"},
    {"dealt", "`partitioned`"},
    {"OwnPace", "`asynchronous`"},
    {"own_pace", "`asynchronous`"},
    {"in_words", "`describe`"},
    {"text_of", "`to_text` or `describe`"},
    {"nap", usual_word},
    {"bury", usual_word},
    {"legible", usual_word},
    {"choiceless", usual_word},
    {"laid", usual_word},
    {"mend", usual_word},
    {"doubts", usual_word},
    {"twin", usual_word},
});

struct Findings {
  std::vector<std::string> openings;
  std::vector<std::string> words;
  std::vector<std::string> names;
};

/// Openings count in documentation, behind code and in the first line of a file; other comments explain, and
/// may begin as they like.
bool has_opening(const Comment& comment) {
  return comment.marker != "//" || comment.is_behind_code || comment.line == 1;
}

std::regex whole(std::string_view words) {
  return std::regex("\\b(?:" + std::string(words) + ")\\b", std::regex::icase);
}

void find_words(const std::string& place, const Comment& comment, std::vector<std::string>& found) {
  static const auto rules = [] {
    std::vector<std::pair<std::regex, std::regex>> all;
    for (const BannedWord& row : banned_words)
      all.emplace_back(whole(row.word), whole(row.allowed.empty() ? "(?!)" : row.allowed));
    return all;
  }();
  std::string text = comment.text;
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (text.find(banned_words.at(i).stem) == std::string::npos) continue;
    const std::string rest = std::regex_replace(text, rules[i].second, "");
    std::smatch match;
    if (std::regex_search(rest, match, rules[i].first))
      found.push_back(place + ": \"" + match.str() + "\"; write " + std::string(banned_words.at(i).instead));
  }
}

void find_names(const std::string& file, const SourceReader& source, std::vector<std::string>& found) {
  for (const Literal& name : source.names()) {
    for (const BannedName& row : banned_names) {
      if (!row.matches(name.text)) continue;
      found.push_back(file + ":" + std::to_string(name.line) + ": `" + name.text + "`; name it by " +
                      std::string(row.instead));
      break;
    }
  }
}

/// What the rules find in one source, one line per finding: place, text and what to write.
void find_all(const std::string& file, std::string_view code, Findings& found) {
  const SourceReader source(code);
  for (const Comment& comment : source.comments()) {
    const std::string place = file + ":" + std::to_string(comment.line);
    const auto begins = [&comment](const std::regex& rule) {
      return std::regex_search(comment.text, rule, std::regex_constants::match_continuous);
    };
    if (has_opening(comment) && begins(opening_without_noun()) && !begins(range_or_unit()))
      found.openings.push_back(place + ": \"" + comment.text.substr(0, 90) + "\" begins without its noun");
    find_words(place, comment, found.words);
  }
  find_names(file, source, found.names);
}

/// Index of the budget that a path belongs to; `budgets.size()` for none.
std::size_t budget_of(const std::string& path) {
  const auto at =
      std::ranges::find_if(budgets, [&](const Budget& row) { return path.starts_with(row.path); });
  return static_cast<std::size_t>(at - budgets.begin());
}

void expect_at_most(int budget, const std::vector<std::string>& found, std::string_view path) {
  const auto count = static_cast<int>(found.size());
  if (count <= budget) return;
  std::string text;
  for (const std::string& one : found) text += "\n  " + one;
  ADD_FAILURE() << path << ": " << count << " findings, at most " << budget << text;
}

TEST(Comments, OfTheProductBeginWithANounAndUseTheFieldsWords) {
  std::map<std::size_t, Findings> all;
  const std::vector<fs::path> sources = product_sources();
  ASSERT_FALSE(sources.empty());
  for (const fs::path& file : sources) {
    const std::string path = fs::relative(file, tests::source_dir()).generic_string();
    find_all(path, content(file), all[budget_of(path)]);
  }
  for (const auto& [index, found] : all) {
    const Budget budget = index < budgets.size() ? budgets.at(index) : Budget{"folders without a budget"};
    expect_at_most(budget.openings, found.openings, budget.path);
    expect_at_most(budget.words, found.words, budget.path);
    expect_at_most(budget.names, found.names, budget.path);
  }
}

TEST(Comments, OfBudgetsNameFilesThatExist) {
  for (const Budget& row : budgets) {
    EXPECT_TRUE(std::ranges::any_of(product_sources(), [&](const fs::path& file) {
      return fs::relative(file, tests::source_dir()).generic_string().starts_with(row.path);
    })) << row.path;
  }
}

Findings found_in(std::string_view code) {
  Findings found;
  find_all("a.hpp", code, found);
  return found;
}

TEST(Comments, OpeningsWithoutANounAreFoundWithTheirPlace) {
  for (const char* bad :
       {"/// What a device keeps.\nint f();", "/// Of one message.\nint f();",
        "/// Where models are merged.\nint f();", "int a = 1;  ///< of the gradient",
        "int a = 1;  ///< by worker", "int a = 1;  // that is sent", "int a = 1;  ///< in what is left",
        "// Who ties with the fastest.", "/// Its size.\nint f();"}) {
    EXPECT_EQ(found_in(bad).openings.size(), 1U) << bad;
  }
  EXPECT_EQ(found_in("int a;\n\nint b = 1;  ///< of the gradient").openings.front(),
            "a.hpp:3: \"of the gradient\" begins without its noun");
}

TEST(Comments, NounsRangesUnitsAndReasonsAreRight) {
  for (const char* right :
       {"/// Bytes that a device keeps: what is left.\nint f();", "int a = 1;  ///< in [0, 1)",
        "int a = 1;  ///< at least 1", "int a = 1;  ///< in seconds",
        "int a = 1;  ///< seed of the sample,\n"
        "            ///< of which each rank has its own",
        "int a;\n// In the order of the file, as the reader does.\n", "const char* text = \"/// What\";",
        "/// Whether it is known.\nbool f();"}) {
    EXPECT_TRUE(found_in(right).openings.empty()) << right;
  }
}

TEST(Comments, BannedWordsAreFoundInAllCommentsAndAllowedOnesAreNot) {
  EXPECT_EQ(found_in("int a;\n// nobody is told\n").words.size(), 2U);
  EXPECT_EQ(found_in("/// Binary trees stand\n/// for so many ranks.\nint f();").words.front(),
            "a.hpp:1: \"stand\"; write `is`, `is replaced by`");
  EXPECT_EQ(found_in("// Amdahl's law, and standard words; \"told\"\nf(\"nobody\");").words.size(), 1U);
  EXPECT_TRUE(found_in("int a;  ///< by a power law").words.empty());
}

TEST(Comments, BannedNamesAreFoundInCodeAloneAndAsWholeNames) {
  EXPECT_EQ(found_in("int x;\nbool of_momenta = play_turn();").names.size(), 2U);
  EXPECT_EQ(found_in("bool told;").names.front(), "a.hpp:1: `told`; name it by what it returns");
  EXPECT_TRUE(found_in("int display_time, unfolded; f(\"told\");  // bury").names.empty());
}

}  // namespace
}  // namespace words
