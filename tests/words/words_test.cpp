// Fails on phrases that users should not read: in the string literals of the product and in the help that it
// prints.
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/source_tree.hpp"
#include "tests/words/source_reader.hpp"

namespace words {
namespace {

namespace fs = std::filesystem;

/// A phrase that messages do not use, as a regular expression of whole words, ignoring case.
struct Banned {
  std::string_view phrase;
  std::string_view instead;
  std::string_view allowed = {};  ///< phrases with it that are right, taken out before the search
};

constexpr auto banned_phrases = std::to_array<Banned>({
    {"is no", "`unknown X`, `expected X, found Y` or `is not X`", "is no longer"},
    {"is none", "`unknown X` or `is not X`"},
    {"is not known", "`unknown X`"},
    {"is no known", "`unknown X`"},
    {"stands?", "`duplicate X`, `expected X, found Y` or `is`", "stands for any text|stands out"},
    {"nobody", "what is missing, such as `add a learner`"},
    {"play(s|ed|ing)?", "`runs` or `simulated`"},
    {"printed (form|rule)|as printed", "`published closed form`, `as published`"},
    {"twins?", "`CUDA implementation` or `CPU reference`"},
    {"laws?", "`model`, `distribution` or `memory limit`", "(amdahl|little|moore)'s law"},
    {"pric(e|es|ed|ing)", "`cost` or `evaluated`; prices are of money",
     "(spot|stated|no|a|its|the) prices?|prices? (of|per|above)|price: |price\"|prices?/|(list|datasets,) "
     "?prices|"
     "price(_per_gigabyte)?`|(planning|`)\\.?price|priced machines"},
    {"meet(s|ing|ings)?", "`synchronise` or `model averaging`"},
    {"stands? still", "`stalls`"},
    {"so many", "`this number of`, or name the quantity"},
    {"nothing hides( them)?", "`exposed` or `the part that is not hidden`"},
    {"gives? way", "`fixed-rate (non-adaptive) traffic`"},
    {"everything random", "`random seed`"},
    {"hold(s|ing)? them against|held against", "`compared with`"},
    {"who says so", "`source`"},
    {"lays? one value", "`overrides one key`"},
    {"parted by", "`separated by`"},
    {"behind `", "`expected X after `...``"},
    {"theirs", "`published`"},
    {"redeploy(ed|ing)", "`switching cost`"},
});

std::regex whole_words(std::string_view phrase) {
  const std::string text(phrase);
  const bool ends_in_word =
      std::isalnum(static_cast<unsigned char>(text.back())) != 0 || text.back() == ')' || text.back() == '?';
  return std::regex("\\b(?:" + text + ")" + (ends_in_word ? "\\b" : ""), std::regex::icase);
}

/// The rules as regular expressions, compiled once.
struct Rule {
  const Banned* banned;
  std::regex phrase;
  std::regex allowed;
};

const std::vector<Rule>& rules() {
  static const std::vector<Rule> compiled = [] {
    std::vector<Rule> all;
    for (const Banned& row : banned_phrases) {
      all.push_back({&row, whole_words(row.phrase),
                     std::regex(row.allowed.empty() ? "(?!)" : std::string(row.allowed), std::regex::icase)});
    }
    return all;
  }();
  return compiled;
}

/// What is wrong with a text, one line per phrase.
std::vector<std::string> complaints(const std::string& place, const std::string& text) {
  std::vector<std::string> found;
  if (text.find(' ') == std::string::npos) return found;  // the name of a key, a column or a metric
  for (const Rule& rule : rules()) {
    std::smatch match;
    if (!std::regex_search(text, match, rule.phrase)) continue;
    const std::string rest = std::regex_replace(text, rule.allowed, "");
    if (!std::regex_search(rest, match, rule.phrase)) continue;
    found.push_back(place + ": \"" + text.substr(0, 120) + "\" has `" + match.str() + "`; write " +
                    std::string(rule.banned->instead));
  }
  return found;
}

/// The goldens of help, key reference and lists.
std::vector<fs::path> help_goldens() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(fs::path(tests::source_dir()) / "tests/golden")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".out")) continue;
    for (const char* kind : {"help", "usage", "schema", "list_"}) {
      if (name.find(kind) == std::string::npos) continue;
      found.push_back(entry.path());
      break;
    }
  }
  std::ranges::sort(found);
  return found;
}

TEST(Words, MessagesInTheSourcesHaveNoBannedPhrase) {
  const std::vector<fs::path> sources = product_sources();
  ASSERT_FALSE(sources.empty());
  for (const fs::path& file : sources) {
    const std::string code = content(file);
    const SourceReader source(code);
    for (const Literal& literal : source.literals()) {
      const std::string place =
          fs::relative(file, tests::source_dir()).string() + ":" + std::to_string(literal.line);
      for (const std::string& complaint : complaints(place, literal.text)) ADD_FAILURE() << complaint;
    }
  }
}

TEST(Words, HelpAndListsHaveNoBannedPhrase) {
  const std::vector<fs::path> goldens = help_goldens();
  ASSERT_FALSE(goldens.empty());
  for (const fs::path& file : goldens) {
    std::ifstream stream(file);
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number) {
      const std::string place = file.filename().string() + ":" + std::to_string(number);
      for (const std::string& complaint : complaints(place, line)) ADD_FAILURE() << complaint;
    }
  }
}

TEST(Words, ABannedPhraseIsFoundWithItsFileLineAndReplacement) {
  const std::vector<std::string> found = complaints("a.cpp:3", "column `x` stands twice");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(
      found[0],
      "a.cpp:3: \"column `x` stands twice\" has `stands`; write `duplicate X`, `expected X, found Y` or "
      "`is`");
}

TEST(Words, AllowedPhrasesAndNamesOfKeysAreNotFound) {
  for (const char* right : {"`*` stands for any text", "Amdahl's law", "the spot price of `x`",
                            "priced_closed", "a replay learner", "write `price: {per_machine: 3 USD/h}`",
                            "as_printed", "the machine is no longer rented"}) {
    EXPECT_TRUE(complaints("", right).empty()) << right;
  }
}

TEST(Words, NeighbouringLiteralsAreReadAsOneAndCommentsNotAtAll) {
  const std::vector<Literal> read =
      SourceReader(
          "// \"nobody\"\nf(\"it is \"\n  \"no x\", 'a', R\"(raw)\"); /* \"twin\" */ g(1'000, \"b\\\"\");")
          .literals();
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].text, "it is no x");
  EXPECT_EQ(read[0].line, 2);
  EXPECT_EQ(read[1].text, "raw");
  EXPECT_EQ(read[2].text, "b\"");
}

}  // namespace
}  // namespace words
