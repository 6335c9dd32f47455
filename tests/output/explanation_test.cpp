// Explanations as text: what a reader must be told beside the numbers.
#include "sim/output/explanation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/output/played.hpp"

namespace sim::output {
namespace {

using testing::HasSubstr;
using testing::Not;

scenario::Scenario with_trace() {
  scenario::Scenario arm;
  arm.name = "dense";
  arm.cluster.traces.emplace_back();
  return arm;
}

TEST(Explanation, AnEpochIsNotPlayedUpToAndSaysHowTheTracesStand) {
  engine::ExplainedStep step = explained("from epoch 2: 1 Gbit/s, 1 ms", 1, 2);
  const std::string note = "  with traces, timed changes and background traffic as they are ";
  EXPECT_THAT(explanation(with_trace(), {step}), HasSubstr("\n" + note + "at the start of training\n"));
  step.step.start = {30};
  EXPECT_THAT(explanation(with_trace(), {step}), HasSubstr("\n" + note + "at 30 s\n"));
}

TEST(Explanation, NothingNeedsToBeSaidWhereNothingGoesByTime) {
  EXPECT_THAT(explanation(scenario::Scenario(), {explained("from epoch 2: 1 Gbit/s", 1, 2)}),
              Not(HasSubstr("as they are")));
  EXPECT_THAT(explanation(with_trace(), {explained("from the start: 1 Gbit/s", 1, 2)}),
              Not(HasSubstr("as they are")));
  EXPECT_THAT(explanation(with_trace(), {explained("from 10 s: 1 Gbit/s", 1, 2)}),
              Not(HasSubstr("as they are")));
}

}  // namespace
}  // namespace sim::output
