// Corrections of NCCL's times found again from times that the model made, errors, and sizes to measure next.
#include "sim/fit/nccl_fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/fit/nccl_fit_text.hpp"
#include "sim/fit/nccl_measured.hpp"
#include "sim/report/metric.hpp"
#include "sim/scenario/nccl_keys.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/study.hpp"
#include "tests/joined_lines.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_tree.hpp"

namespace sim::fit {
namespace {

namespace nccl = netmodels::nccl;
using netmodels::Bytes;
using netmodels::Seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::filesystem::path shipped = tests::source_dir() + "/scenarios";

nccl::Hardware dgx_h100() {
  const auto hardware = scenario::read_nccl("nvidia_dgx_h100", shipped);
  EXPECT_TRUE(hardware) << (hardware ? "" : hardware.error().text());
  return hardware->hardware;
}

/// Times of the model on 8 ranks, each `factor` as long and `more` longer.
nccl::Measured modelled(const std::vector<double>& sizes, double factor, Seconds more = {}) {
  const auto model = nccl::Model::make(dgx_h100(), {.ranks = 8, .nodes = 1, .gpus = {}});
  nccl::Measured measured{.operation = nccl::Operation::all_reduce, .ranks = 8, .nodes = {}, .points = {}};
  for (const double size : sizes)
    measured.points.push_back({{size}, factor * model->time(measured.operation, {size})->total() + more});
  return measured;
}

std::string measured_error(const std::string& text, const std::string& name = "m.yaml") {
  const tests::ScratchFolder scratch;
  const auto measured = read_nccl_measured(scratch.write(name, text));
  if (!measured) return measured.error().text().substr(measured.error().text().rfind("/" + name) + 1);
  const auto fit = fit_nccl(dgx_h100(), *measured, "nvidia_dgx_h100");
  return fit ? "accepted" : fit.error().text();
}

TEST(NcclFits, TakeAnOffsetOverToEverySize) {
  const auto fit =
      fit_nccl(dgx_h100(), modelled({8, 4096, 65536, 1048576, 1073741824}, 1, Seconds{5e-6}), "c");
  ASSERT_TRUE(fit) << fit.error().text();
  ASSERT_EQ(fit->points.size(), 5U);
  for (const NcclFitPoint& point : fit->points) {
    EXPECT_NEAR((point.measured.time - point.model).count, 5e-6, 1e-12);
    EXPECT_NEAR(point.error(point.corrected), 0, 1e-9);
    ASSERT_TRUE(point.held_out);
    EXPECT_NEAR(point.error(*point.held_out), 0, .02);
  }
}

TEST(NcclFits, HoldNothingOutOfASinglePoint) {
  const auto fit = fit_nccl(dgx_h100(), modelled({1048576}, 1.5), "c");
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_FALSE(fit->points.front().held_out);
  EXPECT_EQ(fit->next, (std::vector<Bytes>{{8}, {1073741824}}));
  EXPECT_THAT(nccl_fit_document(*fit, "m.yaml").text(),
              HasSubstr("Held-out error not known: with 1 size, none can be left out. On tables"));
}

TEST(NcclFits, JudgeNoSizeThatIsFarFromAllOthers) {
  const auto fit = fit_nccl(dgx_h100(), modelled({8, 65536, 1048576, 1073741824}, 1.2), "c");
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_FALSE(fit->points[0].held_out_error());
  EXPECT_TRUE(fit->points[1].held_out_error());
  EXPECT_TRUE(fit->points[2].held_out_error());
  EXPECT_FALSE(fit->points[3].held_out_error());
  EXPECT_THAT(tests::joined_lines(nccl_fit_document(*fit, "m.yaml").text()),
              HasSubstr("2 of 4 sizes left out in turn; the others lie more than 64 times above or"));
  const auto near = fit_nccl(dgx_h100(), modelled({1024, 65536, 4194304}, 1.2), "c");
  ASSERT_TRUE(near) << near.error().text();
  EXPECT_THAT(tests::joined_lines(nccl_fit_document(*near, "m.yaml").text()),
              HasSubstr("%, each size left out in turn."));
}

TEST(NcclFits, WarnOfTimesThatLineRatesDoNotAllow) {  // 64 MiB over 8 x 400 Gbit/s: 168 us
  nccl::Measured measured{.operation = nccl::Operation::all_reduce, .ranks = 16, .nodes = 2, .points = {}};
  measured.points = {{{8}, {30e-6}}, {{33554432}, {80e-6}}, {{67108864}, {100e-6}}};
  const auto fit = fit_nccl(dgx_h100(), measured, "c");
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_THAT(
      fit->warnings,
      ElementsAre("64 MiB in 100 us is faster than the interfaces of a node (8 x 400 Gbit/s) allow: 168 us "
                  "at least (and one other size); check the unit, the ranks and the cluster"));
  nlohmann::ordered_json object;
  nccl_fit_document(*fit, "m.yaml").put_json(object);
  EXPECT_EQ(object["warnings"].size(), 1U);
  measured.operation = nccl::Operation::alltoall;  // half of each of 8 ranks' 64 MiB leaves its node
  measured.points = {{{67108864}, {600e-6}}};
  EXPECT_THAT(
      fit_nccl(dgx_h100(), measured, "c")->warnings,
      ElementsAre(HasSubstr("64 MiB in 600 us is faster than the interfaces of a node (8 x 400 Gbit/s) "
                            "allow: 671 us at least;")));
}

TEST(NcclFits, WarnOfTimesThatTheLinksOfAGpuDoNotAllow) {  // 1 GiB over 18 x 25 GB/s: 2.39 ms
  nccl::Measured measured = modelled({1073741824}, 1);
  EXPECT_TRUE(fit_nccl(dgx_h100(), measured, "c")->warnings.empty());
  measured.points[0].time = {2e-3};
  EXPECT_THAT(
      fit_nccl(dgx_h100(), measured, "c")->warnings,
      ElementsAre("1 GiB in 2 ms is faster than the links of a GPU (3.6 Tbit/s) allow: 2.39 ms at least; "
                  "check the unit, the ranks and the cluster"));
}

TEST(NcclFits, WarnOfTimesThatAreMoreThanEightTimesOff) {
  nccl::Measured measured = modelled({8, 1024, 1073741824}, 7.9);
  EXPECT_TRUE(fit_nccl(dgx_h100(), measured, "c")->warnings.empty());
  measured = modelled({1073741824}, 100);
  EXPECT_THAT(
      fit_nccl(dgx_h100(), measured, "c")->warnings,
      ElementsAre(HasSubstr("1 GiB in 410 ms is 100 times slower than the description predicts, 4.1 ms; "
                            "check the unit, the ranks and the cluster")));
  measured = modelled({8}, 0.1);
  EXPECT_THAT(
      fit_nccl(dgx_h100(), measured, "c")->warnings,
      ElementsAre(HasSubstr(" is 10 times faster than the description predicts, 21 us; check the unit")));
}

TEST(NcclFits, NameTheEndsWhereNothingWasMeasured) {
  const auto fit = fit_nccl(dgx_h100(), modelled({}, 1), "c");
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_EQ(fit->next, (std::vector<Bytes>{{8}, {1073741824}}));
  EXPECT_EQ(nccl_overlay(*fit, "m.yaml").error().text(),
            "--out: no size was measured; measure those that are named, and fit again");
}

TEST(NcclFits,
     MeasureNextWhereSizesLeftOutAreFarthestOff) {  // 1 MiB is 3 times as long as its neighbours say
  nccl::Measured measured = modelled({1024, 2048, 4096, 1048576, 268435456, 536870912, 1073741824}, 1);
  measured.points[3].time *= 3;
  const auto fit = fit_nccl(dgx_h100(), measured, "c");
  ASSERT_TRUE(fit) << fit.error().text();
  ASSERT_EQ(fit->next.size(), 2U);
  for (const Bytes size : fit->next) {
    EXPECT_GT(size.count, 4096);
    EXPECT_LT(size.count, 268435456);
  }
}

TEST(NcclFits, NameNothingWhereEveryPowerOfTwoWasMeasured) {
  const auto fit = fit_nccl(dgx_h100(), modelled({1024, 2048, 4096}, 1.3), "c");
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_TRUE(fit->next.empty());
}

TEST(NcclFits, PrintSizesWithTheirErrors) {
  const auto fit = fit_nccl(dgx_h100(), modelled({8, 1073741824}, 1), "c");
  ASSERT_TRUE(fit) << fit.error().text();
  const std::string text = nccl_fit_document(*fit, "m.yaml").text();
  EXPECT_THAT(text, HasSubstr("m.yaml: all_reduce on 8 ranks, 1 node, of c\n"));
  EXPECT_THAT(text, HasSubstr("\n8 B "));
  EXPECT_THAT(text, HasSubstr("Held-out error not known: with 2 sizes, none can be left out. On tables"));
  EXPECT_THAT(text, HasSubstr("To measure next: "));
  nlohmann::ordered_json object;
  nccl_fit_document(*fit, "m.yaml").put_json(object);
  EXPECT_EQ(object["collective"], "all_reduce");
  EXPECT_EQ(object["sizes"][1]["size_bytes"], 1073741824.);
  EXPECT_EQ(object["next_sizes_bytes"].size(), 2U);
}

/// An offset of 5 us, and protocols that change between the few sizes.
TEST(NcclFits, CompareWithATableAndWithTheModelAlone) {
  const auto fit =
      fit_nccl(dgx_h100(), modelled({8, 4096, 65536, 1048576, 1073741824}, 1, Seconds{5e-6}), "c");
  ASSERT_TRUE(fit) << fit.error().text();
  ASSERT_EQ(fit->candidates.size(), 3U);
  EXPECT_EQ(fit->candidates[0].key, "correction");
  EXPECT_LT(fit->candidates[0].held_out, .005);
  EXPECT_EQ(fit->candidates[1].key, "table");
  EXPECT_EQ(fit->candidates[2].key, "model");
  EXPECT_GT(fit->candidates[2].held_out, .1);
  EXPECT_THAT(tests::joined_lines(nccl_fit_document(*fit, "m.yaml").text()),
              HasSubstr("Best here: NCCL's times with this"));
  nlohmann::ordered_json object;
  nccl_fit_document(*fit, "m.yaml").put_json(object);
  EXPECT_EQ(object["candidates"][0]["candidate"], "correction");
  EXPECT_TRUE(fit_nccl(dgx_h100(), modelled({8, 4096, 65536}, 1), "c")->candidates.empty());
}

TEST(NcclFits, NameATableWhereTimesFollowAStraightLine) {  // 200 us and 1 GB/s: nothing like the hardware
  nccl::Measured line{.operation = nccl::Operation::all_reduce, .ranks = 8, .nodes = {}, .points = {}};
  for (double size = 1024; size <= 1073741824; size *= 4)
    line.points.push_back({{size}, {200e-6 + size / 1e9}});
  const auto fit = fit_nccl(dgx_h100(), line, "c");
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_EQ(fit->candidates.front().key, "table");
  EXPECT_LT(fit->candidates.front().held_out, .001);
  EXPECT_THAT(nccl_fit_document(*fit, "m.yaml").text(), HasSubstr("`cluster.collective_times`"));
}

TEST(NcclOverlays, AreTakenOverByScenarios) {
  const nccl::Measured measured = modelled({8, 1048576, 1073741824}, 1.25);
  const auto fit = fit_nccl(dgx_h100(), measured, "nvidia_dgx_h100");
  ASSERT_TRUE(fit) << fit.error().text();
  const auto overlay = nccl_overlay(*fit, "m.yaml");
  ASSERT_TRUE(overlay) << overlay.error().text();
  const tests::ScratchFolder scratch;
  scratch.write("o.yaml", *overlay);
  const auto file = scratch.write(
      "s.yaml", "# Does it pay?\nuse: o.yaml\nworkload: resnet50_v100\ntraining: {batch: 32, steps: 3}\n");
  const auto reading = scenario::read_study(file, {}, shipped, report::expectable_metrics());
  ASSERT_TRUE(reading) << reading.error().text();
  const auto& read = reading->study.arms.front().cluster.nccl;
  ASSERT_TRUE(read && read->measured);
  EXPECT_EQ(read->measured->ranks, 8U);
  ASSERT_EQ(read->measured->points.size(), 3U);
  EXPECT_DOUBLE_EQ(read->measured->points[1].size.count, 1048576);
  EXPECT_NEAR(read->measured->points[1].time / measured.points[1].time, 1, 1e-5);
}

TEST(NcclMeasuredFiles, AreReadAsYamlAndAsCsv) {
  EXPECT_EQ(measured_error("ranks: 8\npoints: [{size: 1 GiB, time: 5 ms}, {size: 8 B, time: 20 us}, "
                           "{size: 8 B, time: 20 us}]\n"),
            "accepted");
  EXPECT_EQ(measured_error("# collective=all_reduce; nranks=8; nodes=1\nsize_bytes,time_us\n8,20\n1024,21\n",
                           "m.csv"),
            "accepted");
}

TEST(NcclMeasuredFiles, AreRefusedWithPlaces) {
  EXPECT_EQ(
      measured_error("ranks: 8\npoints: [{size: 8 B, time: 1 us}, {size: 8 B, time: 2 us}]\n"),
      "m.yaml:2:35: 8 B was measured twice: 1 us and 2 us; write each size once, with the median of its "
      "times");
  EXPECT_EQ(measured_error("ranks: 8\npoints: [{size: 8 B, time: 0 us}]\n"),
            "m.yaml:2:10: 8 B in 0 s; accepted: sizes and times above 0");
  EXPECT_THAT(measured_error("operation: all_reduc\nranks: 8\n"),
              HasSubstr("m.yaml:1:12: `operation`: unknown value `all_reduc`; did you mean `all_reduce`?"));
  EXPECT_EQ(measured_error("points: [{size: 8 B, time: 1 us}]\n"),
            "m.yaml: the number of ranks is missing; write for example `ranks: 8`");
  EXPECT_EQ(measured_error("ranks: 1\n"), "m.yaml: 1 ranks exchange nothing; accepted: 2 or more");
  EXPECT_THAT(measured_error("# collective=all_reduce; nranks=8\nsize_bytes,time_us\n8,20\n8,21\n", "m.csv"),
              HasSubstr("sizes do not increase: 8 bytes comes after 8 bytes"));
  EXPECT_THAT(measured_error("# collective=all_reduce; nranks=8\nsize_bytes,time_us\n8,0\n", "m.csv"),
              HasSubstr("accepted: finite and above 0"));
}

TEST(NcclMeasuredFiles, NameRanksThatTheClusterDoesNotHold) {
  nccl::Hardware alone = dgx_h100();
  alone.network.reset();
  nccl::Measured measured = modelled({8}, 1);
  measured.ranks = 12;
  EXPECT_EQ(fit_nccl(alone, measured, "c").error().text(),
            "12 ranks were measured, and the cluster holds 8; accepted: 2 to 8; for several nodes describe "
            "`nccl.network`");
  measured.nodes = 1;
  EXPECT_THAT(fit_nccl(dgx_h100(), measured, "c").error().text(),
              HasSubstr("12 ranks a node, and a node has 8 GPUs"));
}

}  // namespace
}  // namespace sim::fit
