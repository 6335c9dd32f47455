// Step records as lines: one cell for each column, also for missing figures.
#include "sim/report/steps_csv.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "command_line/csv.hpp"

namespace sim::report {
namespace {

std::vector<std::string> cells(std::string_view line) {
  std::vector<std::string> fields;
  command_line::split_csv_line(line.substr(0, line.find('\n')), fields);
  return fields;
}

TEST(StepLines, AStepWithoutAnExchangeHasACellForEachColumn) {
  StepLines lines;
  lines.begin_arm("local, alone");
  lines.add(engine::StepRecord{});
  const std::vector<std::string> names = cells(StepLines::header());
  const std::vector<std::string> step = cells(lines.text());
  ASSERT_EQ(step.size(), names.size());
  EXPECT_EQ(step[0], "local, alone");
  for (std::size_t column = 0; column < names.size(); ++column) {
    if (names[column] == "collective" || names[column] == "method") {
      EXPECT_EQ(step[column], "");
    }
  }
}

TEST(StepLines, ALearningStepFillsTheSameColumns) {
  engine::StepRecord record;
  record.collective = "ring_allreduce";
  record.learning.emplace();
  record.network.emplace();
  StepLines lines;
  lines.add(record);
  EXPECT_EQ(cells(lines.text()).size(), cells(StepLines::header()).size());
  lines.clear();
  EXPECT_EQ(lines.text(), "");
}

}  // namespace
}  // namespace sim::report
