// PyTorch profiler traces as graphs: a step of DDP and synthetic steps of FSDP with figures by hand.
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/imports/kineto.hpp"
#include "tests/imports/kineto_text.hpp"

namespace calibrate::imports {
namespace {

using netmodels::Result;
using testing::ElementsAre;
using testing::HasSubstr;

/// Events of one step, with kernels on the device; what is launched has a call and a kernel.
class StepText {
 public:
  StepText() { events_.push_back(kineto_event("user_annotation", "ProfilerStep#3", 1, 0, 1000)); }

  StepText& kernel(const std::string& name, double launched, double begin, double duration, int stream = 7,
                   const std::string& more = "") {
    const std::string tie = fmt::format(R"("correlation":{},"stream":{})", ++number_, stream);
    events_.push_back(kineto_event("cuda_runtime", "cudaLaunchKernel", 1, launched, 1, tie));
    events_.push_back(kineto_event("kernel", name, stream, begin, duration, tie + more));
    return *this;
  }

  /// A kernel of NCCL on a stream of its own, of Half values.
  StepText& sent(const std::string& kind, int in, int out, double launched, double begin, double duration,
                 int ranks = 4, const std::string& group = "[0, 1, 2, 3]") {
    return kernel(
        fmt::format("ncclDevKernel_{}_RING_LL", kind), launched, begin, duration, 20,
        fmt::format(R"(,"Collective name":"{}","In msg nelems":{},"Out msg nelems":{},"Group size":{},)"
                    R"("dtype":"BFloat16","Process Group Ranks":"{}")",
                    kind, in, out, ranks, group));
  }

  StepText& call(const std::string& name, double begin) {
    events_.push_back(kineto_event("cuda_runtime", name, 1, begin, 1));
    return *this;
  }

  StepText& optimizer(double begin) {
    events_.push_back(kineto_event("user_annotation", "Optimizer.step#AdamW.step", 1, begin, 50));
    return *this;
  }

  StepText& on_host_of(int devices) {
    for (int i = 0; i < devices; ++i)
      devices_ += fmt::format(R"({}{{"id":{},"name":"card"}})", devices_.empty() ? "" : ",", i);
    return *this;
  }
  [[nodiscard]] std::string text() const {
    return kineto_document(events_, R"("schemaVersion":1,"deviceProperties":[)" + devices_ +
                                        R"(],"distributedInfo":{"world_size":4})");
  }

 private:
  std::vector<std::string> events_;
  std::string devices_;
  int number_ = 0;
};

Result<TracedGraph> graph_of(const StepText& step, const TraceHints& hints = {}) {
  std::istringstream stream(step.text());
  return graph_kineto(stream, "t.json", hints);
}

/// "compute 5 us after 0 1", "all_gather... 4000 B after 2".
std::vector<std::string> kineto_lines(const netmodels::TracedStep& step) {
  std::vector<std::string> all;
  for (const netmodels::TracedOperation& one : step.operations) {
    const std::string size = one.collective ? fmt::format("{:.0f} B", one.collective->size.count)
                                            : fmt::format("{:.0f} us", one.duration.count * 1e6);
    all.push_back(fmt::format("{} {}{}{}", one.name, size, one.after.empty() ? "" : " after ",
                              fmt::join(one.after, " ")));
  }
  return all;
}

std::string graph_refused(const StepText& step) {
  const auto graph = graph_of(step);
  return graph ? "imported" : graph.error().text();
}

/// Two units: gather 1, computing 1 beside gather 2, computing 2, its reduce-scatter beside nothing, the
/// optimizer after it. All calls are early; each unit's computing is called after its stream waits.
StepText two_units() {
  StepText step;
  step.sent("AllGather", 250, 1000, 5, 10, 100)
      .call("cudaStreamWaitEvent", 6)
      .kernel("unit_1", 8, 110, 200)
      .sent("AllGather", 500, 2000, 12, 110, 150)
      .call("cudaStreamWaitEvent", 13)
      .kernel("unit_2", 15, 310, 300)
      .kernel("unit_1_backward", 20, 610, 100)
      .sent("ReduceScatter", 3000, 750, 18, 610, 80)
      .optimizer(30)
      .kernel("adamw", 35, 710, 40);
  return step;
}

TEST(KinetoGraph, GathersAreAwaitedByTheirUnitAndScattersByTheOptimizer) {
  const auto graph = graph_of(two_units(), {.batch = 2});
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_THAT(kineto_lines(graph->step),
              ElementsAre("AllGather 2000 B", "compute 210 us after 0", "AllGather 4000 B",
                          "compute 300 us after 2", "compute 100 us", "ReduceScatter 6000 B after 3",
                          "optimizer 40 us after 5", "host 250 us after 6"));
  EXPECT_EQ(graph->parameters, 3000);
  EXPECT_EQ(graph->ranks, 4);
}

TEST(KinetoGraph, WaitingForAGatherIsNotComputing) {
  const auto graph = graph_of(two_units());
  ASSERT_TRUE(graph) << graph.error().text();
  // 10 us until anything runs, 200 + 300 + 100 + 40 of kernels, 250 until the host ends the step; 100 us of
  // waiting for the first gather are left out
  EXPECT_NEAR(undisturbed(graph->step).count, 900e-6, 1e-12);
}

TEST(KinetoGraph, AStepMayBeginBeforeTheFirstEventOfTheFile) {
  std::vector<std::string> events{kineto_event("cpu_op", "aten::late", 1, 900, 1)};
  for (const std::string& one : kineto_kernel("gemm", 1, 100, 120, 300)) events.push_back(one);
  events.push_back(kineto_event("kernel", "ncclDevKernel_AllReduce", 20, 420, 50,
                                R"("stream":20,"In msg nelems":500,"Group size":2,"dtype":"Float")"));
  events.push_back(kineto_event("user_annotation", "ProfilerStep#3", 1, 0, 1000));
  std::istringstream stream(kineto_document(events));
  const auto graph = graph_kineto(stream, "t.json", {});
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_NEAR(undisturbed(graph->step).count, 1000e-6, 1e-12);  // 420 of the device, 580 of the host
}

TEST(KinetoGraph, AnAllReduceThatStallsTheDeviceIsAwaitedAtOnce) {
  StepText step;
  step.kernel("attention", 1, 10, 100)
      .sent("AllReduce", 1000, 1000, 2, 110, 50)
      .kernel("mlp", 3, 160, 100)
      .sent("AllReduce", 2000, 2000, 4, 200, 90)
      .kernel("next", 5, 260, 100);
  const auto graph = graph_of(step);
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_THAT(kineto_lines(graph->step),
              ElementsAre("compute 110 us", "AllReduce 2000 B after 0", "compute 200 us after 1",
                          "AllReduce 4000 B after 0", "host 640 us after 2"));
}

TEST(KinetoGraph, GroupsOfNeighboursAreNodesAndOthersAreBetweenThem) {
  StepText step;
  step.on_host_of(2)
      .kernel("work", 1, 10, 100)
      .sent("ReduceScatter", 1000, 500, 2, 110, 50, 2, "[0, 1]")
      .sent("AllReduce", 500, 500, 3, 160, 50, 2, "[0, 2]");
  const auto graph = graph_of(step);
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_EQ(graph->step.operations[1].collective->reach, netmodels::CollectiveReach::within_node);
  EXPECT_EQ(graph->step.operations[2].collective->reach, netmodels::CollectiveReach::between_nodes);
  EXPECT_EQ(graph->parameters, 1000);
}

TEST(KinetoGraph, GroupsThatAreNoNodesKeepTheirRanks) {
  StepText step;  // of four ranks: pairs that nodes of two cannot be, as one of them is apart
  step.on_host_of(2)
      .kernel("work", 1, 10, 100)
      .sent("AllReduce", 500, 500, 2, 110, 50, 2, "[0, 1]")
      .sent("AllGather", 500, 1000, 3, 160, 50, 2, "[1, 3]");
  const auto graph = graph_of(step);
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_EQ(graph->step.operations[1].collective->reach, netmodels::CollectiveReach::within_node);
  EXPECT_EQ(graph->step.operations[2].collective->group, (netmodels::RankGroup{1, 2, 2}));
  const std::string csv = print_graph(*graph, {.name = "g"}, "g.csv").graph;
  EXPECT_THAT(csv, HasSubstr(",among,group\n"));
  EXPECT_THAT(csv, HasSubstr("all_reduce,1000,node,\n"));
  EXPECT_THAT(csv, HasSubstr("all_gather,2000,,1:2:2\n"));
}

TEST(KinetoGraph, AGroupOfFewerRanksThanTheHostHasDevicesIsNoNode) {
  StepText step;
  step.on_host_of(4)
      .kernel("work", 1, 10, 100)
      .sent("AllReduce", 500, 500, 2, 110, 50, 2, "[0, 1]")
      .sent("AllReduce", 500, 500, 3, 160, 50, 2, "[0, 2]");
  const auto graph = graph_of(step);
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_EQ(graph->step.operations[1].collective->group, (netmodels::RankGroup{0, 1, 2}));
  EXPECT_EQ(graph->step.operations[2].collective->group, (netmodels::RankGroup{0, 2, 2}));
}

TEST(KinetoGraph, KernelsWithoutSizesHaveThoseOfTheirCalls) {
  const auto events = [] {
    std::vector<std::string> all{kineto_event("user_annotation", "ProfilerStep#3", 1, 0, 1000)};
    for (const std::string& one : kineto_kernel("gemm", 1, 1, 10, 100)) all.push_back(one);
    all.push_back(
        kineto_event("cpu_op", "record_param_comms", 1, 20, 10,
                     R"("Collective name":"allreduce","In msg nelems":500,"Group size":2,"dtype":"Float")"));
    for (const std::string& one : kineto_kernel("ncclKernel_AllReduce_RING", 2, 25, 110, 50))
      all.push_back(one);
    return all;
  }();
  std::istringstream stream(kineto_document(events));
  const auto graph = graph_kineto(stream, "t.json", {});
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_THAT(kineto_lines(graph->step), testing::Contains("allreduce 2000 B after 0"));
}

TEST(KinetoGraph, RefusalsNameWhatIsMissing) {
  StepText empty;
  EXPECT_EQ(graph_refused(empty),
            "t.json: ProfilerStep#3 launches nothing on the device; profile the device, too");
  StepText alone;
  alone.kernel("work", 1, 10, 100);
  EXPECT_EQ(graph_refused(alone),
            "t.json: ProfilerStep#3 has no collective; give a trace of distributed training");
  StepText reduced;
  reduced.kernel("work", 1, 10, 100).sent("Reduce", 8, 8, 2, 110, 5);
  EXPECT_THAT(graph_refused(reduced),
              HasSubstr("`Reduce` cannot be evaluated as one worker's step; accepted: "));
  StepText unsized;
  unsized.kernel("work", 1, 10, 100).kernel("ncclKernel_AllReduce_RING", 2, 110, 5, 20);
  EXPECT_EQ(graph_refused(unsized), "t.json: a `allreduce` of unknown size; profile with record_shapes=True");
  StepText grouped;
  grouped.kernel("work", 1, 10, 100).sent("AllReduce", 8, 8, 2, 110, 5, 2, "");
  EXPECT_THAT(graph_refused(grouped),
              HasSubstr("a `AllReduce` among 2 of 4 ranks, and the trace does not say which"));
  StepText uneven;
  uneven.kernel("work", 1, 10, 100).sent("AllGather", 8, 16, 2, 110, 5, 2, "[0, 3]");
  EXPECT_THAT(
      graph_refused(uneven),
      HasSubstr("a `AllGather` among ranks 0:3:2 of 4, whose groups are not evenly spaced; give --ranks N"));
  StepText leaping;
  leaping.kernel("work", 1, 10, 100).sent("AllGather", 8, 24, 2, 110, 5, 3, "[0, 1, 3]");
  EXPECT_THAT(graph_refused(leaping),
              HasSubstr("a `AllGather` among ranks 3 of 4, whose groups are not evenly spaced"));
}

}  // namespace
}  // namespace calibrate::imports
