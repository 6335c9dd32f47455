// Tests of the import of PyTorch profiler traces: where a step's time goes, its buckets, what is refused.
#include "calibrate/imports/kineto.hpp"

#include <filesystem>
#include <sstream>
#include <streambuf>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "calibrate/imports/kineto_trace.hpp"
#include "files/byte_stream.hpp"
#include "files/input_file.hpp"
#include "files/text_file.hpp"
#include "tests/data_folder.hpp"
#include "tests/imports/kineto_text.hpp"
#include "tests/imports/layer_lines.hpp"
#include "tests/source_tree.hpp"

namespace calibrate::imports {
namespace {

namespace fs = std::filesystem;
using netmodels::Result;
using netmodels::Seconds;
using testing::ElementsAre;
using testing::HasSubstr;

Result<TracedWorkload> import_text(const std::string& text, const TraceHints& hints = {}) {
  std::istringstream stream(text);
  return import_kineto(stream, "trace", hints);
}

Result<TracedWorkload> import_events(std::vector<std::string> events,
                                     const std::vector<std::string>& more = {}) {
  events.insert(events.end(), more.begin(), more.end());
  return import_text(kineto_document(events));
}

std::string kineto_error(const std::string& text) {
  const auto imported = import_text(text);
  return imported ? "imported" : imported.error().text();
}

double us(Seconds time) { return time.count * 1e6; }

TEST(Kineto, EachMomentOfAStepBelongsToOneLayerOrToTheHost) {
  const auto workload = import_events(kineto_step(4, 5000));
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_THAT(layer_lines(*workload),
              ElementsAre("after_backward 0 0 180", "conv2d_1 3000 200 120", "linear_1 1000 100 100"));
  EXPECT_NEAR(us(workload->host_overhead), 200,
              1e-6);  // 100 before the first operator, 100 after the optimizer
  EXPECT_NEAR(us(workload->optimizer), 100, 1e-6);
  EXPECT_NEAR(us(workload->step()), 1000, 1e-6);
}

TEST(Kineto, BucketsStandInTheOrderOfTheirCalls) {
  const auto workload = import_events(kineto_step(4, 0));
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_THAT(workload->buckets, ElementsAre(1000, 3000));
  EXPECT_EQ(workload->ranks, 2);  // of the group, as the trace holds no distributedInfo
}

TEST(Kineto, ALayerLastsUntilTheDeviceIsDoneWithIt) {
  const auto workload = import_events(kineto_step(4, 0), kineto_kernel("gemm", 1, 120, 130, 200));
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_THAT(layer_lines(*workload),
              ElementsAre("after_backward 0 0 180", "conv2d_1 3000 230 120", "linear_1 1000 70 100"));
}

TEST(Kineto, WaitingForAnAllReduceIsNoTimeOfTheStep) {
  auto events = kineto_kernel("ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)", 1, 610, 620, 900);
  for (const std::string& event : kineto_kernel("sgd", 2, 810, 1520, 50)) events.push_back(event);
  const auto workload = import_events(kineto_step(4, 0), events);
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_NEAR(us(workload->optimizer), 100,
              1e-6);  // 860 without the wait, before the annotation's end at 900
  EXPECT_NEAR(us(workload->step()), 1000, 1e-6);
}

TEST(Kineto, TimesAreMeansOverTheSteps) {
  auto events = kineto_step(4, 0);
  for (std::string event : kineto_step(5, 2000)) events.push_back(event);
  events.push_back(kineto_event("cuda_runtime", "cudaLaunchKernel", 1, 2120, 5, R"("correlation":9)"));
  events.push_back(kineto_event("kernel", "gemm", 7, 2130, 200, R"("correlation":9,"stream":7)"));
  const auto workload = import_events(events);
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_THAT(layer_lines(*workload),
              ElementsAre("after_backward 0 0 180", "conv2d_1 3000 215 120", "linear_1 1000 85 100"));
  EXPECT_THAT(workload->facts,
              testing::Contains(HasSubstr("ProfilerStep#4 1 ms, ProfilerStep#5 1 ms; mean 1 ms")));
}

TEST(Kineto, StepsThatDifferFromTheLastAreNamed) {
  auto events = kineto_step(4, 0);
  events.erase(events.begin() + 5);  // its first bucket
  for (const std::string& event : kineto_step(5, 2000)) events.push_back(event);
  events.push_back(kineto_event("user_annotation", "ProfilerStep#6", 1, 4000, 50));
  const auto workload = import_events(events);
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_THAT(workload->skipped,
              ElementsAre("ProfilerStep#6 left out: it has no backward pass",
                          "ProfilerStep#4 left out: its layers or buckets are not those of the last step"));
}

TEST(Kineto, OperatorsWithoutABackwardPassJoinTheNextLayer) {
  auto events = kineto_step(4, 0);
  events.push_back(
      kineto_event("cpu_op", "aten::add_", 1, 250, 10, R"("Sequence number":41,"Fwd thread id":0)"));
  const auto workload = import_events(events);
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_THAT(layer_lines(*workload),
              ElementsAre("after_backward 0 0 180", "conv2d_1 3000 150 120", "linear_1 1000 150 100"));
}

TEST(Kineto, WhatIsMissingIsCounted) {
  auto events = kineto_step(4, 0);
  events.push_back(kineto_event("kernel", "alone", 7, 150, 10, R"("correlation":77,"stream":7)"));
  for (const std::string& event : kineto_kernel("empty", 5, 120, 130, 0)) events.push_back(event);
  events.push_back(R"({"ph":"X","cat":"kernel","name":"timeless","ts":5,"args":{}})");
  const auto workload = import_events(events);
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_THAT(
      workload->skipped,
      ElementsAre("1 event left out: no time or no duration",
                  "1 device event without a matching call of the host: assumed to be launched when it began",
                  "1 device event of duration 0"));
}

TEST(Kineto, BroadcastsBeforeTheBackwardPassAreBuffers) {
  auto events = kineto_step(4, 0);
  events.push_back(kineto_event("cpu_op", "record_param_comms", 1, 50, 5,
                                R"("Collective name":"broadcast","In msg nelems":53,"dtype":"Long")"));
  const auto workload = import_events(events);
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_THAT(workload->skipped, ElementsAre());
  EXPECT_EQ(workload->buffers, netmodels::Bytes{53 * 8});
  EXPECT_THAT(workload->facts, testing::Contains("Buffers broadcast in every step: 53 Long."));
}

TEST(Kineto, BuffersAreUnknownWithoutABroadcastOrItsType) {
  EXPECT_EQ(import_events(kineto_step(4, 0))->buffers, std::nullopt);
  auto events = kineto_step(4, 0);
  events.push_back(kineto_event("cpu_op", "record_param_comms", 1, 50, 5,
                                R"("Collective name":"broadcast","In msg nelems":53,"dtype":"Quaternion")"));
  const auto workload = import_events(events);
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->buffers, std::nullopt);
  EXPECT_THAT(workload->skipped,
              ElementsAre("a broadcast of 53 values of type Quaternion: its bytes are unknown"));
}

TEST(Kineto, OtherCollectivesAreNamedWithTheirSizes) {
  auto events = kineto_step(4, 0);
  events.push_back(kineto_event("cpu_op", "record_param_comms", 1, 50, 5,
                                R"("Collective name":"allgather","In msg nelems":53,"dtype":"Long")"));
  const auto workload = import_events(events);
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_THAT(workload->skipped, ElementsAre("1 allgather per step left out, not of gradients: 53 Long"));
}

TEST(Kineto, SizesComeFromAnnotationsOrKernelsWhereTheHostStatesNone) {
  for (const std::string& call :
       {kineto_event("user_annotation", "nccl:all_reduce", 2, 460, 10,
                     R"("Input Dims":[[10,100]],"Input type":["float"])"),
        kineto_event("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage)", 40, 460,
                     10, R"("In msg nelems":1000,"dtype":"Float")")}) {
    auto events = kineto_step(4, 0);
    std::erase_if(events,
                  [](const std::string& event) { return event.find("record_param") != std::string::npos; });
    events.push_back(call);
    const auto workload = import_events(events);
    ASSERT_TRUE(workload) << workload.error().text();
    EXPECT_THAT(workload->buckets, ElementsAre(1000)) << call;
  }
}

TEST(Kineto, SpellingsOf2021AreKnown) {
  auto events = kineto_step(4, 0);
  for (std::string& event : events) {
    if (const auto at = event.find("cpu_op"); at != std::string::npos) event.replace(at, 6, "Operator");
    if (const auto at = event.find("user_annotation"); at != std::string::npos)
      event.replace(at, 15, "Operator");
  }
  const auto workload = import_events(events);
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->layers.size(), 3);
}

TEST(Kineto, ShapesGiveParametersAndBatchWhereNothingIsExchanged) {
  const std::string shapes = R"(,"Input Dims":[[32,3,8,8],[16,3,3,3],[16],[]])";
  const auto workload = import_events({kineto_event("user_annotation", "ProfilerStep#1", 1, 0, 1000),
                                       kineto_event("cpu_op", "aten::conv2d", 1, 100, 100,
                                                    R"("Sequence number":3,"Fwd thread id":0)" + shapes),
                                       kineto_event("cpu_op", "ConvolutionBackward0", 2, 500, 100,
                                                    R"("Sequence number":3,"Fwd thread id":1)")});
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->layers.back().parameters, 16 * 3 * 3 * 3 + 16);
  EXPECT_EQ(workload->batch, 32);
  EXPECT_EQ(workload->ranks, 1);
}

TEST(Kineto, ATraceOfOneSideOfTheDeviceIsRefused) {
  auto events = kineto_step(4, 0);
  const auto kernel = kineto_kernel("gemm", 5, 120, 130, 20);
  events.push_back(kernel[0]);
  EXPECT_EQ(kineto_error(kineto_document(events)),
            "trace: the trace has calls of the device, and nothing that ran on it; profile with "
            "ProfilerActivity.CUDA, too");
  events.back() = kernel[1];
  EXPECT_EQ(kineto_error(kineto_document(events)),
            "trace: nothing that ran on the device has its call on the host; profile with "
            "ProfilerActivity.CPU, too, and leave out no category");
}

// Two streams that run at once: a step of 1000 us computes for at most as long.
TEST(Kineto, ComputingOnSeveralStreamsIsNotAddedUp) {
  auto events = kineto_step(4, 0);
  for (int stream = 0; stream < 3; ++stream) {
    const std::string tie = fmt::format(R"("correlation":{},"stream":{})", 50 + stream, 7 + stream);
    events.push_back(kineto_event("cuda_runtime", "cudaLaunchKernel", 1, 110 + stream, 1, tie));
    events.push_back(kineto_event("kernel", "gemm", 7 + stream, 120, 800, tie));
  }
  const auto workload = import_events(events);
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_LE(us(workload->step()), 1000 + 1e-6);
}

TEST(Kineto, ATraceOfSeveralRanksWithoutCollectivesIsRefused) {
  auto events = kineto_step(4, 0);
  std::erase_if(events,
                [](const std::string& event) { return event.find("record_param") != std::string::npos; });
  const std::string head = R"("distributedInfo":{"backend":"nccl","rank":0,"world_size":128})";
  EXPECT_EQ(kineto_error(kineto_document(events, head)),
            "trace: the trace is of 128 ranks and has no collective; profile the device and the host alike");
  events.push_back(kineto_event("kernel", "ncclKernel_AllReduce_RING_LL_Sum_float", 40, 460, 10));
  EXPECT_EQ(kineto_error(kineto_document(events, head)),
            "trace: the trace is of 128 ranks and has 1 collective, none of which has its size; profile with "
            "record_shapes=True");
  events.push_back(kineto_event("cpu_op", "record_param_comms", 1, 50, 5,
                                R"("Collective name":"broadcast","In msg nelems":53,"dtype":"Long")"));
  EXPECT_EQ(kineto_error(kineto_document(events, head)),
            "trace: no backward pass of the trace calls an all-reduce of a known size; give a trace of "
            "data-parallel "
            "training");
}

TEST(Kineto, WhatIsNoTraceOfTrainingIsRefused) {
  EXPECT_EQ(kineto_error("{\"traceEvents\":[]}"),
            "trace: no step found: no annotation `ProfilerStep#N`; call the profiler's step() after each "
            "step of the training");
  EXPECT_EQ(kineto_error("{\"events\":[]}"),
            "trace: `traceEvents` is missing; use the output of torch.profiler's export_chrome_trace or "
            "tensorboard_trace_handler, or `calibrate import chakra` for an execution trace");
  EXPECT_EQ(kineto_error(kineto_document({kineto_event("user_annotation", "ProfilerStep#1", 1, 0, 9)})),
            "trace: no step can be used: ProfilerStep#1 left out: it has no backward pass; profile whole "
            "steps of a "
            "training");
  auto events = kineto_step(4, 0);
  std::erase_if(events,
                [](const std::string& event) { return event.find("record_param") != std::string::npos; });
  EXPECT_EQ(
      kineto_error(kineto_document(events)),
      "trace: no layer's parameters are known: the trace has neither a gradient all-reduce nor a shape; "
      "profile with record_shapes=True");
}

TEST(Kineto, BrokenJsonIsRefusedAtItsLineAndColumn) {
  const std::string whole = kineto_document(kineto_step(4, 0));
  const std::string hint = "the JSON is invalid, truncated or not UTF-8 here; use the complete file";
  EXPECT_EQ(kineto_error(whole.substr(0, 500)), "trace:6:93: " + hint);
  EXPECT_EQ(kineto_error(""), "trace:1:1: " + hint);
  EXPECT_EQ(kineto_error("{\"traceName\":\"caf\xe9\"}"),
            "trace:1:19: " + hint);  // where the sequence breaks off
}

TEST(Kineto, TimesThatAreNoneAreLeftOut) {
  auto events = kineto_step(4, 0);
  events.push_back(R"({"ph":"X","cat":"kernel","name":"k","ts":1e300,"dur":5})");
  events.push_back(R"({"ph":"X","cat":"kernel","name":"k","ts":"NaN","dur":-5})");
  const auto workload = import_events(events);
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_THAT(workload->skipped, ElementsAre("2 events left out: no time or no duration"));
}

/// A trace of `events` operators without a sequence number before one step, made while it is read.
class LongTrace : public std::streambuf {
 public:
  explicit LongTrace(int events) : left_(events) { take("{\"traceEvents\":[\n"); }

 protected:
  int_type underflow() override {
    if (done_) return traits_type::eof();
    done_ = left_ == 0;
    if (done_)
      take(fmt::format("{}]}}", fmt::join(kineto_step(4, 0), ",\n")));
    else
      take(kineto_event("cpu_op", std::string(200, 'x'), 1, left_--, 1) + ",\n");
    return traits_type::to_int_type(*gptr());
  }

 private:
  void take(const std::string& text) {
    text_ = text;
    setg(text_.data(), text_.data(), text_.data() + text_.size());
  }

  int left_;
  bool done_ = false;
  std::string text_;
};

TEST(Kineto, MemoryDoesNotGrowWithWhatIsLeftOut) {
  LongTrace trace(60'000);  // 18 MB
  std::istream stream(&trace);
  rusage before{};
  rusage after{};
  getrusage(RUSAGE_SELF, &before);
  const auto workload = import_kineto(stream, "trace", {});
  getrusage(RUSAGE_SELF, &after);
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_THAT(workload->facts, testing::Contains(HasSubstr("60009 events read")));
#if !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 8192);  // KiB
#endif
}

TEST(Kineto, EventsBeyondTheirNumberAreNotKept) {
  KinetoEvent event;
  event.phase = "X";
  event.category = "cuda_runtime";
  event.begin_us = event.duration_us = 1;
  event.correlation = 1;
  KinetoCollector collector;
  std::size_t kept = 0;
  while (collector.take(event)) ASSERT_LE(++kept, most_kept_events);
  EXPECT_EQ(kept, 4'194'304);
}

TEST(Kineto, TheSourceIsTheFilesNameWithoutItsFolders) {
  std::istringstream stream(kineto_document(kineto_step(1, 0)));
  const auto workload = import_kineto(stream, "/home/someone/traces/rank0.json", {});
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->source, "PyTorch profiler trace rank0.json");
}

const fs::path kineto_traces = tests::shared_path("traces/kineto");

Result<TracedWorkload> import_file(const std::string& name) {
  Result<TracedWorkload> workload;
  const auto read =
      files::read_stream((kineto_traces / name).string(), [&](std::istream& stream) -> Result<void> {
        workload = import_kineto(stream, name, {});
        return {};
      });
  if (!read) return tl::unexpected(read.error());
  return workload;
}

class KinetoFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kineto_traces))
      GTEST_SKIP() << "skipped: no ../shared/data/traces/kineto beside the checkout";
  }
};

TEST_F(KinetoFiles, DdpOnTwoA100HasTheFiveBucketsOfPyTorch) {
  const auto workload = import_file("resnet50_ddp_2xA100.json.gz");
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_THAT(workload->buckets, ElementsAre(2049000, 7875584, 6563840, 6637568, 2431040));
  EXPECT_THAT(workload->skipped, ElementsAre());
  EXPECT_EQ(workload->buffers, netmodels::Bytes{53120 * 4 + 53 * 8});
  EXPECT_THAT(workload->facts,
              testing::Contains("Steps, on the host: ProfilerStep#4 222.4 ms, ProfilerStep#5 219.7 "
                                "ms, ProfilerStep#6 224.9 ms; mean 222.4 ms."));
  EXPECT_NEAR(us(workload->step()), (222442.191 + 219726.905 + 224936.243) / 3, 222368 * 0.02);
  EXPECT_EQ(workload->device, "NVIDIA A100-PG509-200");
}

TEST_F(KinetoFiles, OneV100TakesAsLongAsItsDevice) {  // the host runs ahead in the first two of five steps
  const auto workload = import_file("resnet50_v100_ns.json.gz");
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_NEAR(us(workload->step()), 95700, 95700 * 0.02);  // step #103
  EXPECT_EQ(workload->buckets.size(), 5);
  EXPECT_EQ(workload->ranks, 1);
}

// The convolutions' kernels of the same trace, added up layer by layer by another program. Backward passes
// are not compared with it: a layer's contains the copies of its gradients into buckets.
TEST_F(KinetoFiles, ConvolutionsOnTheV100TakeAsLongAsTheirKernels) {
  const auto text =
      files::read_text(tests::source_dir() + "/scenarios/workloads/times/resnet50_v100_sxm2.csv");
  ASSERT_TRUE(text) << text.error().text();
  double kernels_us = 0;
  for (const std::string_view line : files::lines_of(*text)) {
    const auto cells = files::cells_of(line);
    if (cells.size() != 3) continue;
    if (cells[0].find("conv") != std::string_view::npos || cells[0].ends_with("downsample.0"))
      kernels_us += files::read_number(cells[1]).value_or(0);
  }
  const auto workload = import_file("resnet50_v100_ns.json.gz");
  ASSERT_TRUE(workload) << workload.error().text();
  double imported_us = 0;
  for (const TracedLayer& layer : workload->layers)
    imported_us += layer.kind == "conv2d" ? us(layer.forward) : 0;
  EXPECT_NEAR(imported_us, kernels_us, 0.02 * kernels_us);
}

TEST_F(KinetoFiles, ARecommenderOn128RanksKeepsItsLastStep) {
  const auto workload = import_file("recsys_128rank_sampled_rank0.json.gz");
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_THAT(workload->buckets, ElementsAre(26258430, 5716654));
  EXPECT_THAT(
      workload->skipped,
      ElementsAre("ProfilerStep#551 left out: its layers or buckets are not those of the last step",
                  "1 _all_gather_base per step left out, not of gradients: 16777216 signed char",
                  "2 all_to_all per step left out, not of gradients: 419430400 unsigned char, 2846720 int"));
  EXPECT_EQ(workload->ranks, 128);
}

TEST_F(KinetoFiles, RocmTracesAreKinetoTraces) {
  const auto workload = import_file("mi250_rocm.json.gz");
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->device, "AMD Radeon Graphics");
  EXPECT_EQ(workload->batch, 5);
  EXPECT_THAT(workload->skipped, ElementsAre("ProfilerStep#2 left out: it has no backward pass"));
}

TEST_F(KinetoFiles, ABenchmarkOfTheForwardPassIsRefused) {
  const auto workload = import_file("alexnet_a100.json.gz");
  ASSERT_FALSE(workload);
  EXPECT_EQ(workload.error().what, "no step found: no annotation `ProfilerStep#N`");
}

TEST(Kineto, WhatNoTraceHoldsIsRefusedBeforeItFillsTheMemory) {
  std::string dimensions = "1";
  for (int i = 0; i < 100'000; ++i) dimensions += ",1";
  EXPECT_EQ(kineto_error(R"({"traceEvents":[{"ph":"X","args":{"Input Dims":[[)" + dimensions + "]]}}]}"),
            "trace: a list in `Input Dims` has more than 100000 numbers; use the trace as PyTorch wrote it");
  EXPECT_EQ(kineto_error(R"({"traceEvents":[{"ph":")" + std::string(16'000'001, 'a') + R"("}]})"),
            "trace:1:16000024: a text has more than 16000000 bytes; use the file as the tool wrote it");
  EXPECT_EQ(
      kineto_error(std::string(200, '[')),
      "trace:1:101: arrays and objects are nested more than 100 deep; use the file as the tool wrote it");
}

}  // namespace
}  // namespace calibrate::imports
