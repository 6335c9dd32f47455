// Records: contents of a file, writing and reading back, and each error with its place.
#include "learning/learners/record_file.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace learning::learners {
namespace {

const std::string record_facts =
    "# A training on two workers.\n"
    "# model: mlp\n# data_set: digits\n# data_set_samples: 1000\n# workers: 2\n# batch: 16\n"
    "# compression: none\n# gains_of: topk\n# source: measured here\n# licence: CC0\n# optimizer: sgd, "
    "momentum 0.9\n";

const std::string table =
    "step,samples,learning_rate,loss,accuracy,squared_norm_0,squared_norm_1,gain_0.1,gain_raw_0.01\n"
    "0,0,,,0.1,,,,\n"
    "1,32,0.1,2.5,,4,6,0.5,0.25\n"
    "3,96,0.1,2.25,0.5,3,5,,\n";

std::string record_error(const std::string& text) {
  const auto record = parse_record(text, "r.csv");
  EXPECT_FALSE(record.has_value()) << text;
  return record ? "" : record.error().text();
}

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  text.replace(text.find(old), old.size(), by);
  return text;
}

TEST(RecordFile, CellsBecomeCurvesByStep) {
  const auto record = parse_record(record_facts + table, "r.csv");
  ASSERT_TRUE(record.has_value()) << record.error().text();
  EXPECT_EQ(record->facts.model, "mlp");
  EXPECT_EQ(record->facts.data_set_samples, 1000);
  EXPECT_EQ(record->facts.workers, 2);
  EXPECT_EQ(record->facts.batch, 16);
  EXPECT_EQ(record->facts.compression, Compression{});
  EXPECT_EQ(record->facts.others, (std::vector<Fact>{{"optimizer", "sgd, momentum 0.9"}}));
  EXPECT_EQ(record->accuracy, (Curve{{0, 0.1}, {3, 0.5}}));
  EXPECT_EQ(record->loss, (Curve{{1, 2.5}, {3, 2.25}}));
  ASSERT_EQ(record->squared_norms.size(), 2U);
  EXPECT_EQ(record->squared_norms[1], (Curve{{1, 6}, {3, 5}}));
  EXPECT_EQ(record->gains, (std::vector<RecordedGain>{{0.1, true, {{1, 0.5}}}, {0.01, false, {{1, 0.25}}}}));
}

TEST(RecordFile, PrintedRecordIsReadBackBitByBit) {
  const auto record = parse_record(record_facts + table, "r.csv");
  ASSERT_TRUE(record.has_value());
  Record changed = *record;
  changed.loss[0].value = 0.1 + 0.2;
  changed.noise_scale = {{2, 1e-7 / 3}};
  const auto again = parse_record(print_record(changed), "again");
  ASSERT_TRUE(again.has_value()) << again.error().text();
  EXPECT_EQ(*again, changed);
}

TEST(RecordFile, RelativeChangesGoWithHowTheyWereMeasured) {
  const std::string measure = "# relative_change_window: 25\n# relative_change_smoothing: 0.08\n";
  const std::string changes = "step,relative_change,squared_norm\n1,,4\n2,-0.25,3\n3,0.5,\n";
  const auto record = parse_record(record_facts + measure + changes, "r.csv");
  ASSERT_TRUE(record.has_value()) << record.error().text();
  EXPECT_EQ(record->relative_change, (Curve{{2, -0.25}, {3, 0.5}}));
  EXPECT_EQ(record->change_measure, (policies::ChangeMeasure{25, 0.08}));
  EXPECT_EQ(*parse_record(print_record(*record), "again"), *record);
  EXPECT_EQ(record_error(record_facts + changes),
            "r.csv: the fact `relative_change_window` is missing; add a line `# relative_change_window: ...` "
            "above the table");
  EXPECT_EQ(record_error(record_facts + replaced(measure, "0.08", "8") + changes),
            "r.csv: the fact `relative_change_smoothing` is `8`; accepted: a number above 0 and at most 1");
  EXPECT_EQ(record_error(record_facts + measure + "step,relative_change,squared_norm\n2,-1.5,4\n"),
            "r.csv:15:3: `relative_change` is `-1.5`; accepted: a number of at least -1");
}

TEST(RecordFile, ColumnsStandInAnyOrderAndBlanksAreDropped) {
  const auto record = parse_record(record_facts + "squared_norm , step\r\n 2.5 ,1\r\n\r\n,4\r\n", "r.csv");
  ASSERT_TRUE(record.has_value()) << record.error().text();
  EXPECT_EQ(record->squared_norm, (Curve{{1, 2.5}}));
}

TEST(RecordFile, MissingFactsAreRefused) {
  EXPECT_EQ(record_error(replaced(record_facts, "# model: mlp\n", "") + table),
            "r.csv: the fact `model` is missing; add a line `# model: ...` above the table");
  EXPECT_EQ(record_error(replaced(record_facts, "# licence: CC0\n", "# licence:\n") + table),
            "r.csv: the fact `licence` is missing; add a line `# licence: ...` above the table");
  EXPECT_EQ(record_error(replaced(record_facts, "# gains_of: topk\n", "") + table),
            "r.csv: the fact `gains_of` is missing; add a line `# gains_of: topk` above the table");
}

TEST(RecordFile, WrongFactsAreRefused) {
  EXPECT_EQ(record_error(replaced(record_facts, "batch: 16", "batch: 1.5") + table),
            "r.csv: the fact `batch` is `1.5`; accepted: a whole number of at least 1");
  EXPECT_EQ(record_error(replaced(record_facts, "batch: 16", "batch: 3000000000") + table),
            "r.csv: the fact `batch` is 3000000000; accepted: at most 2147483647");
  EXPECT_EQ(record_error(replaced(record_facts, "compression: none", "compression: top") + table),
            "r.csv: the fact `compression`: `top` is not a compression; accepted: none, or a method and its "
            "ratio in (0, 1], such as `topk 0.01` or `topk 0.01 without error feedback`");
}

TEST(RecordFile, WrongHeadersAreRefused) {
  EXPECT_EQ(record_error(""),
            "r.csv: the file has no table; begin it with facts, then a header `step,squared_norm,...`");
  EXPECT_EQ(record_error(record_facts + "step,los,squared_norm\n"),
            "r.csv:12:6: unknown column `los`; did you mean `loss`? accepted: step, samples, "
            "learning_rate, loss, test_loss, accuracy, mean_squared_norm, noise_scale, "
            "relative_change, squared_norm, squared_norm_0, gain_0.1, gain_raw_0.1");
  EXPECT_EQ(record_error(record_facts + "step,loss,loss\n"),
            "r.csv:12:11: duplicate column `loss`; leave one of them out");
  EXPECT_EQ(record_error(record_facts + "loss,squared_norm\n"),
            "r.csv:12:1: column `step` is missing; number the steps from 1");
  EXPECT_EQ(record_error(record_facts + "step,loss\n"),
            "r.csv:12:1: column `squared_norm` is missing; record the workers' norms, or their mean");
  EXPECT_EQ(
      record_error(record_facts + "step,squared_norm_0,squared_norm_2\n"),
      "r.csv:12:21: column `squared_norm_2` leaves out a worker; number the workers from 0 without gaps");
  EXPECT_FALSE(parse_record(record_facts + "step,squared_norm,gain_1.5\n", "r.csv").has_value());
  EXPECT_FALSE(parse_record(record_facts + "step,squared_norm_00\n", "r.csv").has_value());
}

TEST(RecordFile, WrongRowsAreRefusedWithTheirPlace) {
  const std::string header = record_facts + "step,accuracy,squared_norm\n";
  EXPECT_EQ(record_error(header + "1,0.5\n"), "r.csv:13: the row has 2 cells; one for each of the 3 columns");
  EXPECT_EQ(record_error(header + "1,1.5,2\n"),
            "r.csv:13:3: `accuracy` is `1.5`; accepted: a number of at least 0 and at most 1");
  EXPECT_EQ(record_error(header + "1, x,2\n"),
            "r.csv:13:4: `accuracy` is `x`; accepted: a number of at least 0 and at most 1");
  EXPECT_EQ(record_error(header + "1,,-2\n"),
            "r.csv:13:4: `squared_norm` is `-2`; accepted: a number of at least 0");
  EXPECT_EQ(record_error(header + "1,,inf\n"),
            "r.csv:13:4: `squared_norm` is `inf`; accepted: a number of at least 0");
  EXPECT_EQ(record_error(header + ",,2\n"),
            "r.csv:13:1: `step` is ``; accepted: a whole number of at least 0");
  EXPECT_EQ(record_error(header + "1.5,,2\n"),
            "r.csv:13:1: `step` is `1.5`; accepted: a whole number of at least 0");
  EXPECT_EQ(record_error(header + "2,,2\n2,,2\n"),
            "r.csv:14:1: step 2 does not come after step 2; write the steps in their order, each once");
}

TEST(RecordFile, RecordWithoutNormsIsRefused) {
  const std::string text =
      "r.csv: the squared norms of a worker are missing in all steps; record them in one at least";
  EXPECT_EQ(record_error(record_facts + "step,squared_norm\n1,\n"), text);
  EXPECT_EQ(record_error(record_facts + "step,squared_norm_0,squared_norm_1\n1,2,\n"), text);
}

TEST(RecordFile, MissingFileAndFolderAreRefused) {
  EXPECT_EQ(read_record("no/such.csv").error().text(), "no/such.csv: file not found; check the path");
  EXPECT_EQ(read_record(".").error().text(), ".: this is a folder; name a file in it");
}

TEST(RecordFile, LongRecordIsReadInSeconds) {
  constexpr int steps = 20'000;
  std::string text = record_facts + "step,loss,accuracy,squared_norm_0,squared_norm_1,gain_0.1\n";
  for (int step = 1; step <= steps; ++step) text += std::to_string(step) + ",2.25,,4.125,6.5,0.5\n";
  const auto begin = std::chrono::steady_clock::now();
  const auto record = parse_record(text, "r.csv");
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->loss.size(), static_cast<std::size_t>(steps));
  EXPECT_LT(time.count(), 5);
}

TEST(RecordFile, OneRatioWrittenInTwoWaysIsRefused) {
  const auto text_with = [](const std::string& gains) {
    return record_facts + "step,squared_norm," + gains + "\n1,1,0.5,0.5\n";
  };
  EXPECT_EQ(record_error(text_with("gain_0.1,gain_0.10")),
            "r.csv:12:28: column `gain_0.10` has the same ratio as `gain_0.1`; leave one of them out");
  EXPECT_EQ(
      record_error(text_with("gain_raw_0.1,gain_raw_1e-1")),
      "r.csv:12:32: column `gain_raw_1e-1` has the same ratio as `gain_raw_0.1`; leave one of them out");
  EXPECT_TRUE(parse_record(text_with("gain_0.1,gain_raw_0.1"), "r.csv").has_value());
}

}  // namespace
}  // namespace learning::learners
