// Random settings of random scenarios: each is run or refused with a reason, and runs the same from its
// resolved form.
//
//   random_settings DIR SCENARIOS COUNT SEED
//
// DIR has the scenarios `bases/*.yaml`. A case is one of them with up to four keys of the schema, each at an
// example, a likely value or an extreme one. What runs must give numbers; its resolved form, with its keys in
// another order, must give the same. Exit code 1: something else happened; 2: wrong usage.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <regex>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "sim/language/document.hpp"
#include "sim/language/print.hpp"
#include "tests/audit/runs.hpp"
#include "tests/audit/schema_keys.hpp"

namespace audit {
namespace {

namespace fs = std::filesystem;
using sim::language::Value;

constexpr std::array<std::string_view, 24> likely{"1",
                                                  "2",
                                                  "3",
                                                  "7",
                                                  "16",
                                                  "0.3",
                                                  "50 %",
                                                  "3 ms",
                                                  "7 s",
                                                  "1 Gbit/s",
                                                  "100 Mbit/s",
                                                  "1 MB",
                                                  "16 KB",
                                                  "true",
                                                  "false",
                                                  "epoch 1",
                                                  "step 3",
                                                  "auto",
                                                  "none",
                                                  "[1]",
                                                  "[2, 2, 2, 2]",
                                                  "[0.5, 1, 1, 1]",
                                                  "{}",
                                                  "[]"};
constexpr std::array<std::string_view, 20> extreme{"0",
                                                   "-1",
                                                   "-0",
                                                   "1e308",
                                                   "1e-320",
                                                   "nan",
                                                   "inf",
                                                   "99999999999999999999",
                                                   "4294967296",
                                                   "0x10",
                                                   "1e9 s",
                                                   "1e-9 s",
                                                   "1e300 Gbit/s",
                                                   "1e-300 GB",
                                                   "null",
                                                   "*",
                                                   "x",
                                                   "\"\"",
                                                   "[nan]",
                                                   "{a: {b: {c: 1}}}"};

/// The same contents with the keys of every map in another order.
Value reordered(const Value& value) {
  if (value.is_list()) {
    std::vector<Value> items;
    for (const Value& item : value.items()) items.push_back(reordered(item));
    return Value::list(std::move(items), value.origin());
  }
  if (!value.is_map()) return value;
  std::vector<sim::language::Member> members;
  for (const auto& member : value.members())
    members.push_back({member.key, member.origin, reordered(member.value)});
  std::ranges::reverse(members);
  return Value::map(std::move(members), value.origin());
}

class Cases {
 private:
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_()) % count; }

  template <class List>
  const auto& any(const List& list) {
    return list[below(list.size())];
  }

 public:
  Cases(const fs::path& folder, const fs::path& scenarios, std::uint32_t seed)
      : runner_(scenarios), random_(seed) {
    for (const auto& file : fs::directory_iterator(folder / "bases")) {
      if (file.path().extension() == ".yaml") bases_.push_back(file.path());
    }
    std::ranges::sort(bases_);
    if (bases_.empty()) {
      fmt::print(stderr, "{}: there are no scenarios\n", (folder / "bases").string());
      std::exit(2);
    }
    for (auto& [key, values] : schema_keys()) keys_.emplace_back(key, std::move(values));
  }

  void one() {
    const fs::path& base = any(bases_);
    std::vector<std::string> settings;
    for (std::size_t left = below(5); left > 0; --left) settings.push_back(setting());
    const Outcome outcome = runner_.run(base, settings);
    const std::string problem = problem_of(outcome);
    ++(outcome.ending == Ending::ran ? ran_ : refused_);
    if (problem.empty()) return;
    ++found_;
    fmt::print("{} --set '{}': {}\n", base.string(), fmt::join(settings, "' --set '"), problem);
  }

  /// Fails too where hardly anything ran, which would prove nothing.
  int finish() const {
    fmt::print("random settings: {} ran, {} were refused, {} again from their resolved form, {} found\n",
               ran_, refused_, again_, found_);
    const bool hardly_any = 10 * ran_ < ran_ + refused_;
    return found_ == 0 && !hardly_any ? 0 : 1;
  }

 private:
  std::string setting() {
    const auto& [key, values] = any(keys_);
    const std::size_t kind = below(3);
    if (kind == 0 && !values.empty()) return key + "=" + any(values);
    return key + "=" + std::string(kind == 2 ? any(extreme) : any(likely));
  }

  std::string problem_of(const Outcome& outcome) {
    if (outcome.ending == Ending::crashed) return "it was ended by a signal, or took too long";
    if (outcome.ending == Ending::refused) {
      const bool plain = std::ranges::none_of(  // but for a line of each error
          outcome.figures, [](char letter) { return letter > 0 && letter < ' ' && letter != '\n'; });
      return outcome.figures.empty() ? "refused without a word"
             : plain                 ? ""
                                     : "control characters: " + outcome.figures;
    }
    static const std::regex no_number("[ :\\[]-?(nan|inf)[,\n\\]]");
    if (std::regex_search(outcome.figures, no_number)) return "its figures hold what is not a number";
    return problem_again(outcome);
  }

  /// Of its resolved form, in another order.
  std::string problem_again(const Outcome& outcome) {
    const auto document = sim::language::parse_document(outcome.resolved, "a resolved scenario");
    if (!document) return "its resolved form cannot be read: " + document.error().text();
    const fs::path file = fs::temp_directory_path() / fmt::format("random_settings_{}.yaml", getpid());
    std::ofstream(file) << "# " << document->question << "\n" << print_tree(reordered(document->root));
    const Outcome again = runner_.run(file, {});
    fs::remove(file);
    ++again_;
    if (again.ending != Ending::ran) return "its resolved form does not run: " + again.figures;
    return without_places(again.figures) == without_places(outcome.figures)
               ? ""
               : "its resolved form gives other figures";
  }

  Runner runner_;
  std::mt19937 random_;
  std::vector<fs::path> bases_;
  std::vector<std::pair<std::string, std::vector<std::string>>> keys_;
  int ran_ = 0;
  int refused_ = 0;
  int again_ = 0;
  int found_ = 0;
};

}  // namespace
}  // namespace audit

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // the runs' processes would print what waits, too
  int cases = 0;
  std::uint32_t seed = 0;
  const auto number = [](const char* text, auto& value) {
    const char* end = text + std::strlen(text);
    return std::from_chars(text, end, value).ptr == end && *text != '\0';
  };
  if (count != 5 || !number(arguments[3], cases) || !number(arguments[4], seed)) {
    fmt::print(stderr, "usage: random_settings DIR SCENARIOS COUNT SEED\n");
    return 2;
  }
  audit::Cases all(arguments[1], arguments[2], seed);
  for (int i = 0; i < cases; ++i) all.one();
  return all.finish();
}
