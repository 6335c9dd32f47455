// Records as far as fits read them, and each refusal with its place.
#include <gtest/gtest.h>

#include "calibrate/fits/statistical_run.hpp"

namespace calibrate::fits {
namespace {

const std::string facts =
    "# model: mlp\n# workers: 4\n# batch: 25\n# compression: topk 0.1 without error feedback\n# gains_of: "
    "topk\n";
const std::string plain = "# workers: 4\n# batch: 25\n# compression: none\n";

std::string statistical_record_error(const std::string& text) {
  const auto run = read_training(text, "r.csv");
  EXPECT_FALSE(run.has_value()) << text;
  return run ? "" : run.error().text();
}

TEST(ReadTraining, FactsAndRowsBecomeATraining) {
  const auto run = read_training(
      facts + "step,accuracy,loss,squared_norm_0,gain_0.1,gain_raw_0.1\n1,,2,9,0.5,\n2,0.5,1,9,0.7,0.9\n",
      "r.csv");
  ASSERT_TRUE(run.has_value()) << run.error().text();
  EXPECT_EQ(run->batch, 100);
  EXPECT_EQ(run->method, "topk");
  EXPECT_EQ(run->ratio, 0.1);
  EXPECT_FALSE(run->error_feedback);
  ASSERT_EQ(run->rows.size(), 2U);
  EXPECT_FALSE(run->rows[0].metric.has_value());
  EXPECT_EQ(run->rows[1].metric, 0.5);
  EXPECT_EQ(run->rows[1].loss, 1);
  ASSERT_EQ(run->gains.size(), 2U);
  EXPECT_DOUBLE_EQ(run->gains[0].gain, 0.6);
  EXPECT_TRUE(run->gains[0].error_feedback);
  EXPECT_DOUBLE_EQ(run->gains[1].gain, 0.9);
  EXPECT_EQ(run->facts.front(), (std::pair<std::string, std::string>("model", "mlp")));
}

TEST(ReadTraining, TrueGradientsNormIsTheMeansWithoutTheNoiseOfTheBatch) {
  const std::string table = "step,accuracy,mean_squared_norm,noise_scale\n1,0.1,6,50\n2,0.2,6,\n3,0.3,6,0\n";
  const auto run = read_training(plain + table, "r.csv");
  ASSERT_TRUE(run.has_value()) << run.error().text();
  EXPECT_DOUBLE_EQ(*run->rows[0].squared_norm, 6 / 1.5);
  EXPECT_FALSE(run->rows[1].squared_norm.has_value());
  EXPECT_FALSE(run->rows[2].noise_scale.has_value());
  EXPECT_FALSE(read_training(facts + table, "r.csv")->rows[0].squared_norm.has_value());
}

TEST(ReadTraining, MethodsChosenByVarianceHaveTheirOwnName) {
  const auto run = read_training(
      "# workers: 1\n# batch: 1\n# compression: ar_topk 0.1 by variance\nstep,accuracy\n1,0.5\n", "r.csv");
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->method, "ar_topk_by_variance");
  EXPECT_TRUE(run->error_feedback);
}

TEST(ReadTraining, WrongFactsAreRefused) {
  EXPECT_EQ(statistical_record_error("# batch: 25\n# compression: none\nstep,accuracy\n1,0.5\n"),
            "r.csv: the fact `workers` is missing or not a whole number above 0; add a line `# workers: "
            "...` above the table");
  EXPECT_EQ(
      statistical_record_error("# workers: 1\n# batch: 25\n# compression: topk 2\nstep,accuracy\n1,0.5\n"),
      "r.csv: the fact `compression` is `topk 2`; accepted: none, or a method and its ratio in (0, 1], "
      "such as "
      "`topk 0.01`");
  EXPECT_EQ(statistical_record_error(plain + "step,accuracy,gain_0.1\n1,0.5,0.3\n"),
            "r.csv: the fact `gains_of` is missing; add a line `# gains_of: topk` above the table");
}

TEST(ReadTraining, WrongTablesAreRefusedWithTheirPlace) {
  EXPECT_EQ(statistical_record_error(plain + "step,loss\n"),
            "r.csv:4:1: column `accuracy` is missing; give a record of a training, or a validation file of "
            "AdaptDL");
  EXPECT_EQ(statistical_record_error(plain), "r.csv: no rows found; give a record of a training");
  EXPECT_EQ(statistical_record_error(plain + "step,accuracy\n1\n"),
            "r.csv:5:1: the row has 1 cells; one for each of the 2 columns");
  EXPECT_EQ(statistical_record_error(plain + "step,accuracy\n1,2\n"),
            "r.csv:5:3: `accuracy` is `2`; accepted: a number from 0 to 1");
  EXPECT_EQ(statistical_record_error(plain + "step,accuracy,loss\n1,0.5,-1\n"),
            "r.csv:5:7: `loss` is `-1`; accepted: a number of at least 0");
  EXPECT_EQ(statistical_record_error(plain + "accuracy,step\n0.5,3\n0.6,3\n"),
            "r.csv:6:5: step `3` does not increase; write the steps in their order, each once");
}

TEST(ReadTraining, InfinitelyManyWorkersAreRefused) {
  EXPECT_EQ(
      statistical_record_error("# workers: inf\n# batch: 25\n# compression: none\nstep,accuracy\n1,0.5\n"),
      "r.csv: the fact `workers` is missing or not a whole number above 0; add a line `# workers: ...` "
      "above the table");
}

}  // namespace
}  // namespace calibrate::fits
