// Errors on a stream, in both forms.
#include "command_line/error_output.hpp"

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace command_line {
namespace {

std::string printed(const netmodels::Error& error, bool json) {
  std::ostringstream out;
  if (json) out << errors_as_json;
  print_error(out, error);
  return out.str();
}

TEST(ErrorOutput, IsTextUnlessTheStreamWasSetToJson) {
  EXPECT_EQ(printed({"--size", "wrong", "write 1 MB"}, false), "--size: wrong; write 1 MB\n");
  EXPECT_EQ(
      printed({"--size", "wrong", "write 1 MB"}, true),
      R"({"error":{"option":"--size","what":"wrong","hint":"write 1 MB","text":"--size: wrong; write 1 MB"}})"
      "\n");
}

TEST(ErrorOutput, PlacesAreFileLineAndColumnAsFarAsTheyAreKnown) {
  const auto place = [](const char* where) {
    auto error = *parse_error_line(printed({where, "x", ""}, true).substr(0));
    error.erase("what");
    error.erase("text");
    return error.dump();
  };
  EXPECT_EQ(place("a.yaml:3:5"), R"({"file":"a.yaml","line":3,"column":5})");
  EXPECT_EQ(place("a.csv:3"), R"({"file":"a.csv","line":3})");
  EXPECT_EQ(place("-:1:2"), R"({"file":"-","line":1,"column":2})") << "`-` is standard input, not an option";
  EXPECT_EQ(place("params.set"), R"({"option":"params.set"})");
  EXPECT_EQ(place("a.yaml"), R"({"file":"a.yaml"})");
  EXPECT_EQ(place(""), "{}");
}

TEST(ErrorOutput, EachErrorHasALine) {
  const netmodels::Error both = netmodels::merge_errors({{"a:1:1", "one", ""}, {"a:2:1", "two", ""}});
  const std::string text = printed(both, true);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

TEST(ErrorOutput, OtherLinesAreNoErrors) {
  EXPECT_FALSE(parse_error_line("warning: x"));
  EXPECT_FALSE(parse_error_line(R"({"error":)"));
}

}  // namespace
}  // namespace command_line
