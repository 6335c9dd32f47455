// The commands `calibrate import kineto` and `chakra` on files: what they write, what they refuse, and what
// SimGrid's SMPI makes of a time-independent trace.
#include <cstdlib>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/commands.hpp"
#include "calibrate/exit_code.hpp"
#include "tests/imports/chakra_bytes.hpp"
#include "tests/imports/kineto_text.hpp"
#include "tests/scratch_folder.hpp"

namespace calibrate {
namespace {

using imports::kineto_document;
using imports::kineto_step;
using testing::HasSubstr;

class ImportTrace : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text).string();
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string text(const std::string& name) const { return tests::text_of(folder_ / name); }
  [[nodiscard]] std::size_t files() const { return folder_.files().size(); }
  int run(const ImportTraceOptions& options) { return run_import_trace(options, out_, log_); }

  tests::ScratchFolder folder_;
  std::ostringstream out_;
  std::ostringstream log_;
};

TEST_F(ImportTrace, AWorkloadIsAFileWithTwoTablesBesideIt) {
  const std::string trace = write("trace.json", kineto_document(kineto_step(4, 0)));
  EXPECT_EQ(run({.tool = "kineto", .files = {trace}, .output = path("model.yaml"), .batch = 32}), exit_done)
      << log_.str();
  EXPECT_THAT(text("model.yaml"),
              HasSubstr("layers: \"model_layers.csv\"\ntimes:\n  measured: \"model_times.csv\"\n"));
  EXPECT_THAT(text("model.yaml"), HasSubstr("\n  batch: 32\n"));
  EXPECT_THAT(text("model_layers.csv"), HasSubstr("conv2d_1,conv2d,3000,0,0,0\n"));
  EXPECT_THAT(text("model_times.csv"), HasSubstr("conv2d_1,200.000,120.000\n"));
  EXPECT_THAT(log_.str(), HasSubstr("3 layers, 2 buckets, step 1 ms\n"));
}

TEST_F(ImportTrace, AGraphIsAFileWithItsOperationsBesideIt) {
  const std::string trace =
      write("rank.et", imports::chakra_file({imports::chakra_node(1, "a,b", 4, 5),
                                             imports::chakra_all_reduce_node(2, 4000, {1})}));
  EXPECT_EQ(run({.tool = "chakra",
                 .files = {trace},
                 .output = path("step.yaml"),
                 .format = "graph",
                 .batch = 32,
                 .licence = "CC0"}),
            exit_done)
      << log_.str();
  EXPECT_EQ(text("step.yaml"),
            "# Step of step: one step of one rank takes 5 us when exchanges take no time.\n"
            "# Provenance: Chakra execution trace rank.et\n# Licence: CC0\n"
            "# rank.et: schema 0.0.4, 2 nodes: 1 communication, 1 compute; 1 all_reduce among all of 4 kB.\n"
            "name: \"step\"\nprovenance: \"Chakra execution trace rank.et\"\ngraph: \"step_graph.csv\"\n"
            "parameters: 1000\nbatch: 32\n");
  EXPECT_THAT(text("step_graph.csv"),
              HasSubstr("operation,stream,duration_us,after,collective,bytes,among\n"
                        "a_b,compute,5.000,,,,\n"
                        "ncclKernel_AllReduce,communication,,0,all_reduce,4000,all\n"));
  EXPECT_THAT(log_.str(), HasSubstr("2 operations, step 5 us when exchanges take no time\n"));
}

TEST_F(ImportTrace, QuietSaysNothing) {
  const std::string trace =
      write("rank.et", imports::chakra_file({imports::chakra_all_reduce_node(1, 4000)}));
  EXPECT_EQ(run({.tool = "chakra", .files = {trace, trace}, .output = path("model.yaml"), .quiet = true}),
            exit_done)
      << log_.str();
  EXPECT_EQ(log_.str(), "");
}

TEST_F(ImportTrace, RefusalsLeaveNothingBehind) {
  const std::string trace = write("trace.json", kineto_document(kineto_step(4, 0)));
  const auto refused = [this](const ImportTraceOptions& options) {
    log_.str("");
    EXPECT_EQ(run(options), exit_refused);
    return log_.str();
  };
  EXPECT_EQ(
      refused({.tool = "kineto", .files = {trace}, .output = path("model.csv")}),
      "-o: `" + path("model.csv") +
          "` does not end in .yaml; a workload is a file NAME.yaml, with NAME_layers.csv and NAME_times.csv "
          "beside it\n");
  EXPECT_EQ(refused({.tool = "kineto", .files = {trace, trace}, .output = path("model.yaml")}),
            "FILE: 2 traces; give the trace of one rank\n");
  EXPECT_EQ(refused({.tool = "kineto", .files = {trace}, .output = path("model.yaml"), .batch = 0}),
            "--batch: `0` is out of range; accepted: 1 to 1000000000\n");
  EXPECT_EQ(refused({.tool = "kineto", .files = {trace}, .output = "-", .format = "smpi-ti", .ranks = 0}),
            "--ranks: `0` is out of range; accepted: 1 to 100000\n");
  EXPECT_EQ(refused({.tool = "chakra", .files = {path("none.et")}, .output = path("model.yaml")}),
            path("none.et") + ": file not found\n");
  EXPECT_EQ(files(), 1);
}

TEST_F(ImportTrace, TimeIndependentTracesHaveTheTracesRanks) {
  const std::string trace = write("trace.json", kineto_document(kineto_step(4, 0)));
  EXPECT_EQ(run({.tool = "kineto", .files = {trace}, .output = "-", .format = "smpi-ti"}), exit_done)
      << log_.str();
  EXPECT_THAT(out_.str(), testing::StartsWith("0 init\n0 compute 600000\n0 allreduce 4000 0 6\n"));
  EXPECT_THAT(out_.str(), testing::EndsWith("1 finalize\n"));
}

/// Two hosts of 1 Gf, 12.5 GB/s each way and 10 us between them.
constexpr const char* platform = R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>
<link id="l" bandwidth="12.5GBps" latency="10us" sharing_policy="FATPIPE"/>
<route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>
)";

// 1 ms of computing and two rings of 2 steps each: 16000 B in all, so 1.28 us, and 4 latencies.
TEST_F(ImportTrace, SmpiReplaysTheStepThatTheRingsFormulaGives) {
  if (std::system("command -v smpirun >/dev/null") != 0)
    GTEST_SKIP() << "skipped: no smpirun (package simgrid)";
  const std::string trace = write("trace.json", kineto_document(kineto_step(4, 0)));
  ASSERT_EQ(run({.tool = "kineto", .files = {trace}, .output = path("step.ti"), .format = "smpi-ti"}),
            exit_done)
      << log_.str();
  write("platform.xml", platform);
  write("hosts", "a\nb\n");
  write("list", "step.ti\n");
  const std::string command =
      "cd " + folder_.path().string() +
      " && smpirun -no-privatize -np 2 -platform platform.xml -hostfile hosts --cfg=smpi/host-speed:1Gf "
      "--cfg=smpi/allreduce:lr --cfg=network/model:CM02 --cfg=network/crosstraffic:0 "
      "--cfg=smpi/bw-factor:0:1 "
      "--cfg=smpi/lat-factor:0:1 -replay list >said 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << text("said");
  const std::string said = text("said");
  const std::string mark = "Simulation time ";
  const std::size_t at = said.rfind(mark);
  ASSERT_NE(at, std::string::npos) << said;
  EXPECT_NEAR(std::stod(said.substr(at + mark.size())), 1e-3 + 16000 / 12.5e9 + 4 * 10e-6, 2e-6);
}

}  // namespace
}  // namespace calibrate
