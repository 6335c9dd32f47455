// Workloads: all that are shipped load and match published figures; each refusal has its place.
#include "sim/inputs/workload_file.hpp"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "netmodels/buckets.hpp"
#include "sim/language/document.hpp"
#include "tests/scenario/scenario_text.hpp"
#include "tests/scratch_folder.hpp"

namespace sim::scenario {
namespace {

using netmodels::Seconds;
using netmodels::TimeOrigin;
using netmodels::Workload;

netmodels::Result<Workload> workload_of(const std::string& text) {
  const auto value = language::parse_value(text, language::Origin("--set workload"));
  EXPECT_TRUE(value.has_value());
  return inputs::load_workload(*value, data_dir);
}

Workload shipped(const std::string& name) {
  const auto workload = workload_of(name);
  EXPECT_TRUE(workload.has_value()) << workload.error().text();
  return workload.value_or(Workload{});
}

// Counts of the models' definitions; those of torchvision, BERT and GPT-2 are also the published ones.
const std::map<std::string, std::int64_t> expected_parameters{{"alexnet", 61100840},
                                                              {"alexnet_v100_tyagi2023", 61100840},
                                                              {"bert_base", 109482240},
                                                              {"bert_large", 335141888},
                                                              {"gpt2", 124439808},
                                                              {"gpt2_large", 774030080},
                                                              {"gpt2_medium", 354823168},
                                                              {"gpt2_small", 124439808},
                                                              {"gpt2_xl", 1557611200},
                                                              {"llama2_13b", 13015864320},
                                                              {"llama2_70b", 68976648192},
                                                              {"llama2_7b", 6738415616},
                                                              {"llama3_405b", 405853388800},
                                                              {"llama3_70b", 70553706496},
                                                              {"llama3_8b", 8030261248},
                                                              {"mistral_7b", 7241732096},
                                                              {"mpt_30b", 29975214080},
                                                              {"mpt_70b", 64862437376},
                                                              {"mpt_7b", 6658859008},
                                                              {"qwen2_5_7b", 7615616512},
                                                              {"lstm_ptb", 66034000},
                                                              {"resnet101", 44549160},
                                                              {"resnet101_cifar32", 42520650},
                                                              {"resnet152", 60192808},
                                                              {"resnet152_cifar32", 58164298},
                                                              {"resnet18", 11689512},
                                                              {"resnet18_cifar32", 11181642},
                                                              {"resnet18_v100_tyagi2023", 11689512},
                                                              {"resnet34", 21797672},
                                                              {"resnet50", 25557032},
                                                              {"resnet50_a100", 25557032},
                                                              {"resnet50_cifar32", 23528522},
                                                              {"resnet50_v100", 25557032},
                                                              {"resnet50_v100_dgxs", 25557032},
                                                              {"resnet50_v100_tyagi2023", 25557032},
                                                              {"transformer_wt103", 155995648},
                                                              {"vgg11", 132863336},
                                                              {"vgg11_cifar32", 128807306},
                                                              {"vgg16", 138357544},
                                                              {"vgg16_cifar32", 134301514},
                                                              {"vgg19", 143667240},
                                                              {"vgg19_cifar32", 139611210},
                                                              {"vit_b_16", 86567656},
                                                              {"vit_v100_tyagi2023", 132863336}};

TEST(WorkloadFile, EveryShippedWorkloadHasItsKnownNumberOfParameters) {
  for (const auto& [name, parameters] : expected_parameters)
    EXPECT_EQ(shipped(name).parameters(), parameters) << name;
}

TEST(WorkloadFile, EveryShippedWorkloadLoadsAndTakesTime) {
  const auto names = inputs::list_workloads(data_dir);
  EXPECT_GE(names.size(), expected_parameters.size());
  for (const std::string& name : names) {
    const Workload workload = shipped(name);
    EXPECT_EQ(workload.name, name);
    EXPECT_FALSE(workload.provenance.empty() || workload.device.empty()) << name;
    EXPECT_GT(workload.forward(workload.reference_batch), Seconds{}) << name;
    EXPECT_GT(workload.backward(workload.reference_batch), workload.forward(workload.reference_batch))
        << name;
  }
}

TEST(WorkloadFile, FlopsOfResNet50AreThePublishedOnes) {  // 4.09 G multiply-adds
  double flops = 0;
  for (const auto& layer : shipped("resnet50").layers) flops += layer.forward_flops.count;
  EXPECT_NEAR(flops, 8.18e9, 0.01 * 8.18e9);
}

TEST(WorkloadFile, MeasuredStepsAreThoseOfTheirTraces) {
  EXPECT_NEAR(shipped("resnet50_v100").compute(32).count, 95.7e-3, 1e-9);
  EXPECT_NEAR(shipped("resnet50_a100").compute(32).count, 220e-3, 1e-9);
  EXPECT_NEAR(shipped("resnet50_v100_dgxs").compute(32).count, 116e-3, 1e-9);
  EXPECT_EQ(shipped("resnet50_v100").origin, TimeOrigin::measured);
}

TEST(WorkloadFile,
     KernelsOfTheV100TraceAddUp) {  // 91.8 ms of layers and 1.1 ms of optimizer in 93.7 ms of kernels
  const Workload workload = shipped("resnet50_v100");
  EXPECT_NEAR((workload.forward(32) + workload.backward(32)).count, 91.8244e-3, 1e-9);
  EXPECT_NEAR(workload.optimizer.count, 1.1054e-3, 1e-12);
}

TEST(WorkloadFile,
     ReluTotalIsSpreadByActivation) {  // 2992.7 us forward over 49 layers of 9,608,704 values in all
  const Workload workload = shipped("resnet50_v100");
  double activations = 0;
  double forward = 0;
  for (const auto& layer : workload.layers) {
    if (layer.kind != "relu") continue;
    activations += layer.activation.count;
    forward += layer.forward.at(32).count;
  }
  EXPECT_NEAR(forward, 2992.7e-6, 1e-12);
  const auto first = std::ranges::find(workload.layers, "relu", &netmodels::Layer::name);
  EXPECT_NEAR(first->forward.at(32).count, 2992.7e-6 * 3211264 / activations, 1e-12);
}

TEST(WorkloadFile, PublishedTotalsAreMet) {  // Tyagi & Swany 2023, from Table III
  EXPECT_NEAR(shipped("resnet18_v100_tyagi2023").compute(32).count, 10.0e-3, 1e-12);
  EXPECT_NEAR(shipped("resnet50_v100_tyagi2023").compute(64).count, 25.0e-3, 1e-12);
  EXPECT_NEAR(shipped("alexnet_v100_tyagi2023").compute(32).count, 3.45e-3, 1e-12);
  EXPECT_NEAR(shipped("vit_v100_tyagi2023").compute(32).count, 47.0e-3, 1e-12);
  EXPECT_EQ(shipped("alexnet_v100_tyagi2023").origin, TimeOrigin::total);
}

TEST(WorkloadFile,
     RooflineOfResNet50IsNearItsMeasuredKernels) {  // fitted to the same trace: within 15 % in total
  const Workload measured = shipped("resnet50_v100");
  const Workload predicted = shipped("resnet50");
  EXPECT_EQ(predicted.origin, TimeOrigin::roofline);
  const double ratio =
      (predicted.forward(32) + predicted.backward(32)) / (measured.forward(32) + measured.backward(32));
  EXPECT_NEAR(ratio, 1, 0.15);
}

TEST(WorkloadFile, BucketsOfResNet50AreThoseOfDdp) {
  std::vector<std::int64_t> elements;
  for (const auto& bucket : netmodels::gradient_buckets(shipped("resnet50_a100").layers, {})) {
    elements.push_back(bucket.elements);
  }
  EXPECT_EQ(elements, (std::vector<std::int64_t>{2049000, 7875584, 6563840, 6637568, 2431040}));
}

TEST(WorkloadFile, PlainModelIsSixtyFourEqualLayers) {
  const auto workload = workload_of("{parameters: 1000, compute: 9 ms, batch: 3}");
  ASSERT_TRUE(workload.has_value()) << workload.error().text();
  ASSERT_EQ(workload->layers.size(), 64U);
  EXPECT_EQ(workload->layers[39].parameters, 16);  // 1000 = 40 x 16 + 24 x 15
  EXPECT_EQ(workload->layers[40].parameters, 15);
  EXPECT_NEAR(workload->layers[63].forward.at(3).count, 3e-3 / 64, 1e-18);
  EXPECT_NEAR(workload->layers[63].backward.at(3).count, 6e-3 / 64, 1e-18);
}

TEST(WorkloadFile, PlainModelHasAsManyLayersAsItStatesTensors) {
  const auto workload = workload_of("{parameters: 1000, tensors: 161, compute: 9 ms, batch: 3}");
  ASSERT_TRUE(workload.has_value()) << workload.error().text();
  EXPECT_EQ(workload->layers.size(), 161U);
  EXPECT_EQ(workload->parameters(), 1000);
  EXPECT_NEAR(workload->compute(3).count, 9e-3, 1e-15);
}

TEST(WorkloadFile, ADeviceFileOfOnesOwnCountsInPlainModels) {
  const tests::ScratchFolder scratch;
  scratch.write("mine.yaml", "name: mine\nprovenance: here\npeak: 20 TFLOP/s\nmemory_bandwidth: 500 GB/s\n");
  const auto reading = read(scratch,
                            "# Question?\n"
                            "workload: {parameters: 1000, compute: 9 ms, batch: 3, device: ./mine.yaml}\n"
                            "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\n"
                            "training: {batch: 3, steps: 10}\n");
  ASSERT_TRUE(reading) << reading.error().text();
  const Scenario& arm = reading->study.arms.front();
  ASSERT_TRUE(arm.work.device.has_value());
  EXPECT_EQ(arm.work.workload.device, "mine");
  EXPECT_EQ(arm.work.device->memory_bandwidth.count, 500e9);
  EXPECT_TRUE(reading->study.warnings.empty());
}

TEST(WorkloadFile, PlainModelHasNoEmptyLayers) {
  const auto workload = workload_of("{parameters: 3, compute: 9 ms, batch: 3}");
  ASSERT_TRUE(workload.has_value()) << workload.error().text();
  EXPECT_EQ(workload->layers.size(), 3U);
}

TEST(WorkloadFile, BuffersAreStatedOrThoseOfBatchNormalisation) {
  EXPECT_EQ(shipped("resnet50_v100").buffers, netmodels::Bytes{212904});  // 26560 channels in 53 layers
  EXPECT_EQ(shipped("vgg16").buffers, netmodels::Bytes{});
  const auto stated = workload_of("{parameters: 1000, compute: 9 ms, batch: 3, buffers: 48 MiB}");
  ASSERT_TRUE(stated.has_value()) << stated.error().text();
  EXPECT_EQ(stated->buffers, netmodels::Bytes{50331648});
  EXPECT_EQ(workload_of("{parameters: 1000, compute: 9 ms, batch: 3}")->buffers, netmodels::Bytes{});
}

TEST(WorkloadFile, PlainModelTakesTheStatedTime) {
  const auto workload =
      workload_of("{name: mine, parameters: 1000, compute: 9 ms, batch: 3, optimizer: 1 ms}");
  ASSERT_TRUE(workload.has_value()) << workload.error().text();
  EXPECT_EQ(workload->parameters(), 1000);
  EXPECT_NEAR(workload->compute(3).count, 10e-3, 1e-15);
  EXPECT_NEAR(workload->forward(6).count, 6e-3, 1e-15);
  EXPECT_EQ(workload->origin, TimeOrigin::total);
}

TEST(WorkloadFile, HostOverheadMayGrowWithTheBatch) {
  const auto workload =
      workload_of("{parameters: 1, compute: 9 ms, batch: 3, host_overhead: {fixed: 1 ms, per_sample: 2 ms}}");
  ASSERT_TRUE(workload.has_value()) << workload.error().text();
  EXPECT_NEAR(workload->host_overhead.at(3).count, 7e-3, 1e-15);
}

TEST(WorkloadFile, UnknownNameIsRefusedWithTheNearest) {
  const auto workload = workload_of("resnet50_v10");
  ASSERT_FALSE(workload.has_value());
  EXPECT_EQ(workload.error().where, "--set workload");
  EXPECT_EQ(workload.error().what, "unknown workload `resnet50_v10`");
  EXPECT_TRUE(workload.error().hint.starts_with("did you mean `resnet50_v100`?")) << workload.error().hint;
}

constexpr std::string_view layer_header =
    "layer,type,parameters,forward_flops_per_sample,backward_flops_per_sample,activation_bytes_per_sample\n";

/// A workload of two layers in a scratch folder, with the given rows of times; the error's text without the
/// folder.
std::string outcome(std::string_view layers, std::string_view times, std::string_view keys = {}) {
  const tests::ScratchFolder scratch;
  scratch.write("layers.csv", std::string(layer_header) + std::string(layers));
  scratch.write("times.csv", "layer,forward_us,backward_us\n" + std::string(times));
  const auto path =
      scratch.write("mine.yaml",
                    "name: mine\nprovenance: test\nlayers: layers.csv\ntimes:\n  measured: times.csv\n"
                    "  device: none\n  batch: 2\n" +
                        std::string(keys));
  const auto workload = workload_of(path.string());
  if (workload) return "loads";
  std::string text = workload.error().text();
  const std::string folder = scratch.path().string() + "/";
  for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder))
    text.erase(at, folder.size());
  return text;
}

constexpr std::string_view two_layers = "a,conv,10,1,2,8\nb,relu,0,1,1,8\n";

TEST(WorkloadFile, PathIsReadBesideItsFile) { EXPECT_EQ(outcome(two_layers, "a,1,2\nb,3,4\n"), "loads"); }

TEST(WorkloadFile, LayersAndTimesMustMatch) {
  EXPECT_EQ(outcome(two_layers, "a,1,2\n"),
            "times.csv: layer `b` has no row; add it, or `relu_total`, or list `relu` under `unmeasured`");
  EXPECT_EQ(outcome(two_layers, "a,1,2\n", "  unmeasured: [relu]\n"), "loads");
  EXPECT_EQ(outcome(two_layers, "a,1,2\nrelu_total,3,4\n"), "loads");
  EXPECT_EQ(outcome(two_layers, "a,1,2\nb,1,2\nc,3,4\n"),
            "times.csv:4:1: `c` is not a layer of the layer table; a layer of the layer table, or "
            "TYPE_total for all layers of one type");
  EXPECT_EQ(outcome(two_layers, "a,1,2\na,3,4\n"),
            "times.csv:3:1: duplicate layer `a`; one row for each layer");
}

TEST(WorkloadFile, WrongCellsAreNamedWithTheirPlace) {
  EXPECT_EQ(outcome("a,conv,ten,1,2,8\n", "a,1,2\n"),
            "layers.csv:2:8: column `parameters` is `ten`; a whole number of at least 0");
  EXPECT_EQ(outcome("a,conv,10,1,2,-8\n", "a,1,2\n"),
            "layers.csv:2:15: column `activation_bytes_per_sample` is `-8`; a number of at least 0");
  EXPECT_EQ(outcome(two_layers, "a,1,fast\n"),
            "times.csv:2:5: column `backward_us` is `fast`; a number of at least 0");
  EXPECT_EQ(outcome("a,conv,1,1,2,8\na,conv,1,1,2,8\n", "a,1,2\n"),
            "layers.csv:3:1: duplicate layer `a`; a name for each layer");
  EXPECT_EQ(outcome("a,relu,0,1,2,8\n", "a,1,2\n"),
            "mine.yaml:3:9: no layer of `layers.csv` has parameters; a model that can be trained");
}

TEST(WorkloadFile, MissingFilesAreNamed) {
  EXPECT_EQ(outcome(two_layers, "a,1,2\nb,1,2\n", "  measured: other.csv\n").substr(0, 9), "mine.yaml");
  const auto workload = workload_of(
      "{name: x, provenance: y, layers: nowhere.csv, times: {total: 1 ms, device: t4_datasheet, batch: 1}}");
  ASSERT_FALSE(workload.has_value());
  EXPECT_EQ(workload.error().what, "file not found");
}

TEST(WorkloadFile, ARooflineMayUseAnotherPrecisionOfTheDevice) {
  const std::string start = "{name: x, provenance: y, layers: " + data_dir.string() +
                            "/workloads/layers/vgg16.csv, times: {batch: 32, ";
  const auto time = [&](const std::string& times) { return workload_of(start + times + "}}")->compute(32); };
  const netmodels::Seconds fp32 = time("roofline: h100_sxm_datasheet");
  const netmodels::Seconds bf16 = time("roofline: h100_sxm_datasheet, precision: bf16");
  EXPECT_LT(bf16, fp32);
  EXPECT_GT(bf16, fp32 * (67.0 / 794.5));  // memory still bounds some layers
  EXPECT_EQ(workload_of(start + "roofline: v100_sxm2_datasheet, precision: fp8}}").error().what,
            "`v100_sxm2_datasheet` has no peak in fp8");
  EXPECT_EQ(workload_of(start + "measured: x.csv, device: V100, precision: fp16}}").error().what,
            "with `measured`, `precision` is not used");
}

TEST(WorkloadFile, TimesMustSayWhereTheyComeFrom) {
  const std::string start = "{name: x, provenance: y, layers: layers.csv, times: {batch: 1";
  EXPECT_EQ(workload_of(start + "}}").error().what, "`times` does not state its source");
  EXPECT_EQ(workload_of(start + ", total: 1 ms, roofline: t4_datasheet}}").error().what,
            "`times` does not state its source");
  EXPECT_EQ(workload_of(start + ", total: 1 ms}}").error().what, "the key `device` is missing");
  EXPECT_EQ(workload_of(start + ", roofline: t4_datasheet, fixed_share: 0.1}}").error().what,
            "with `roofline`, `device` and `fixed_share` are not used");
  EXPECT_FALSE(workload_of(start + ", total: 0 ms, device: t4_datasheet}}").has_value());
}

TEST(WorkloadFile, PlainModelsRefuseWhatIsNoModel) {
  EXPECT_FALSE(workload_of("{parameters: 0, compute: 1 ms, batch: 1}").has_value());
  EXPECT_FALSE(workload_of("{parameters: 10, compute: 1 MB, batch: 1}").has_value());
  EXPECT_FALSE(workload_of("{parameters: 10, compute: 1 ms}").has_value());
  EXPECT_FALSE(workload_of("{parameters: 10, compute: 1 ms, batch: 0}").has_value());
  EXPECT_FALSE(workload_of("{parameters: 10, compute: 1 ms, batch: 1, layer: 3}").has_value());
  EXPECT_FALSE(workload_of("[resnet50]").has_value());
}

}  // namespace
}  // namespace sim::scenario
