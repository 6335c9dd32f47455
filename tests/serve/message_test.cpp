// Requests: which lines are some, what is wrong with others, and lines from a stream of bytes.
#include "sim/serve/message.hpp"

#include <gtest/gtest.h>

namespace sim::serve {
namespace {

using nlohmann::ordered_json;

TEST(Request, KeepsItsIdItsMethodAndTheOrderOfItsParameters) {
  const auto line = parse_request(R"({"jsonrpc":"2.0","id":"a","method":"run","params":{"z":1,"a":2}})");
  ASSERT_TRUE(line.request);
  EXPECT_EQ(line.request->id, "a");
  EXPECT_EQ(line.request->method, "run");
  EXPECT_EQ(line.request->params.dump(), R"({"z":1,"a":2})");
}

TEST(Request, MayLeaveOutParametersAndId) {
  const auto line = parse_request(R"({"method":"version"})");
  ASSERT_TRUE(line.request);
  EXPECT_TRUE(line.request->id.is_null());
  EXPECT_TRUE(line.request->params.is_object());
}

struct WrongLine {
  std::string_view line;
  ErrorCode code;
  std::string_view message;
};

TEST(Request, WrongLinesAreRefusedByNameOfTheMember) {
  for (const auto& [line, code, message] : {
           WrongLine{"run quickstart", ErrorCode::not_json, "the line is not JSON: write one request a line"},
           WrongLine{"[]", ErrorCode::not_a_request, "expected an object with `id` and `method`"},
           WrongLine{R"({"id":1.5,"method":"run"})", ErrorCode::not_a_request,
                     "`id`: expected a whole number or text"},
           WrongLine{R"({"id":1})", ErrorCode::not_a_request,
                     "`method`: expected the name of a command, such as \"run\""},
           WrongLine{R"({"id":1,"method":"run","parms":{}})", ErrorCode::not_a_request,
                     "`parms`: unknown member; accepted: jsonrpc, id, method, params"},
           WrongLine{R"({"id":1,"method":"run","params":[]})", ErrorCode::not_a_request,
                     "`params`: expected an object"},
       }) {
    const ParsedLine parsed = parse_request(line);
    EXPECT_FALSE(parsed.request) << line;
    EXPECT_EQ(parsed.failure.code, code) << line;
    EXPECT_EQ(parsed.failure.message, message) << line;
  }
}

TEST(Request, RefusedOnesKeepTheirId) { EXPECT_EQ(parse_request(R"({"id":7})").id, 7); }

TEST(Reply, IsOneLineWhateverItHolds) {
  EXPECT_EQ(result_line(1, {{"text", "a\nb"}}), R"({"jsonrpc":"2.0","id":1,"result":{"text":"a\nb"}})"
                                                "\n");
  EXPECT_EQ(error_line("x", {ErrorCode::refused, "no", nullptr}),
            R"({"jsonrpc":"2.0","id":"x","error":{"code":-32001,"message":"no"}})"
            "\n");
  EXPECT_EQ(notification_line("progress", {{"id", 1}}),
            R"({"jsonrpc":"2.0","method":"progress","params":{"id":1}})"
            "\n");
}

TEST(Reply, ReplacesBytesThatAreNotUtf8) {
  const std::string line = result_line(1, {{"text", "\xff"}});
  EXPECT_FALSE(ordered_json::parse(line, nullptr, false).is_discarded());
}

TEST(Lines, ComeWholeHoweverTheBytesArrive) {
  LineBuffer lines;
  lines.append("on");
  EXPECT_FALSE(lines.next());
  lines.append("e\ntwo\nthr");
  EXPECT_EQ(lines.next(), "one");
  EXPECT_EQ(lines.next(), "two");
  EXPECT_FALSE(lines.next());
  EXPECT_EQ(lines.rest(), "thr");
}

}  // namespace
}  // namespace sim::serve
