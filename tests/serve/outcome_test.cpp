// Results and errors of commands from their exit codes and lines.
#include "sim/serve/outcome.hpp"

#include <sstream>

#include <gtest/gtest.h>

#include "command_line/error_output.hpp"

namespace sim::serve {
namespace {

using nlohmann::ordered_json;

std::string error_of(const netmodels::Error& error) {
  std::ostringstream out;
  out << command_line::errors_as_json;
  command_line::print_error(out, error);
  std::string line = out.str();
  line.pop_back();
  return line;
}

TEST(Outcome, AnErrorHasItsPlaceItsHintAndItsRemedy) {
  const auto failure = failure_of({1,
                                   "",
                                   {error_of({"a.yaml:3:5",
                                              "`cluster.workers`: too few",
                                              "accepted: above 0",
                                              {{"cluster.workers", "2"}},
                                              {}}),
                                    "warning: old key"}});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ErrorCode::refused);
  EXPECT_EQ(failure->message, "a.yaml:3:5: `cluster.workers`: too few; accepted: above 0");
  EXPECT_EQ(failure->data.dump(),
            R"({"exit_code":1,"errors":[{"file":"a.yaml","line":3,"column":5,"key":"cluster.workers",)"
            R"("what":"`cluster.workers`: too few","hint":"accepted: above 0",)"
            R"("remedy":[{"key":"cluster.workers","value":"2"}],)"
            R"("text":"a.yaml:3:5: `cluster.workers`: too few; accepted: above 0"}],)"
            R"("warnings":["old key"],"log":[]})");
}

TEST(Outcome, ExitCodesSayWhoseFaultItIs) {
  EXPECT_EQ(failure_of({2, "", {"unknown option"}})->code, ErrorCode::wrong_params);
  EXPECT_EQ(failure_of({3, "", {"disk full"}})->code, ErrorCode::failed);
  EXPECT_EQ(failure_of({3, "", {"disk full"}})->message, "disk full");
}

TEST(Outcome, ACommandThatPrintedItsAnswerIsAResultAlsoWhereItMissedAFigure) {
  const CommandOutcome missed{1, "answer\n", {"missed: step_time"}};
  EXPECT_FALSE(failure_of(missed));
  EXPECT_EQ(result_of(missed).dump(),
            R"({"exit_code":1,"errors":[],"warnings":[],"log":["missed: step_time"],"output":"answer\n"})");
}

TEST(Outcome, DocumentsOfAllFormsAreMembersOfTheResult) {
  const ordered_json result = result_of({0, R"({"schema_version":1,"documents":[{"text":"x"}]})", {}});
  EXPECT_EQ(result["documents"][0]["text"], "x");
  EXPECT_FALSE(result.contains("output"));
}

}  // namespace
}  // namespace sim::serve
