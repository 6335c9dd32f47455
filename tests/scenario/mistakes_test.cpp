// Mistakes that users make: each is refused at its place, with its reason, and a remedy with which the
// scenario is accepted.
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/scenario/repair.hpp"
#include "tests/scratch_folder.hpp"

namespace sim::scenario {
namespace {

constexpr std::string_view convolutional = R"(# Does compression pay?
workload: resnet50_v100
cluster:
  workers: 8
  link: {latency: 1 ms, bandwidth: 10 Gbit/s}
training: {batch: 32, steps: 10}
compare:
  dense: {}
  topk: {compression: {method: topk, ratio: 1 %}}
)";

constexpr std::string_view transformer = R"(# How long does a step take?
workload: {model: llama3_8b, device: h100_sxm_datasheet, stack: megatron-te-2025, sequence: 4096}
cluster:
  workers: 16
  workers_per_node: 8
  device: h100_sxm_datasheet
  fabric: {kind: infiniband, rate: 400 Gbit/s, transport: infiniband}
  inner_fabric: {kind: nvlink, rate: 450 GB/s, transport: nvlink}
training: {batch: 1, steps: 20}
parallelism: {data: fsdp}
)";

struct Mistake {
  std::string_view base;
  std::string_view right;  ///< of the base, of which it is written in place
  std::string_view wrong;
  std::string_view where;  ///< line and column
  std::string_view says;   ///< part of the message
};

std::ostream& operator<<(std::ostream& out, const Mistake& mistake) { return out << mistake.wrong; }

constexpr std::string_view workers = "  workers: 8\n";
constexpr std::string_view link = "{latency: 1 ms, bandwidth: 10 Gbit/s}";
constexpr std::string_view training = "training: {batch: 32, steps: 10}";
constexpr std::string_view method = "{method: topk, ratio: 1 %}";
constexpr std::string_view data = "parallelism: {data: fsdp}";
constexpr std::string_view llama_base =
    "{model: llama3_8b, device: h100_sxm_datasheet, stack: megatron-te-2025, sequence: 4096}";
constexpr std::string_view batch = "training: {batch: 1, steps: 20}";

constexpr auto mistakes = std::to_array<Mistake>({
    // Units.
    {convolutional, link, "{latency: 1 ms, bandwidth: 10}", "5:36", "`10` has no unit; expected a bandwidth"},
    {convolutional, link, "{latency: 0.001, bandwidth: 10 Gbit/s}", "5:19",
     "`0.001` has no unit; expected a time"},
    {convolutional, link, "{latency: 1 ms, bandwidth: 10 GB}", "5:36",
     "`10 GB` is a data size; expected a bandwidth"},
    {convolutional, link, "{latency: 1 msec, bandwidth: 10 Gbit/s}", "5:19", "`msec` in `1 msec` is unknown"},
    {convolutional, link, "{latency: -1 ms, bandwidth: 10 Gbit/s}", "5:19", "-1 ms"},
    {convolutional, link, "{bandwidth: 10 Gbit/s}", "5:9", "the key `cluster.link.latency` is missing"},
    {convolutional, link, "10 Gbit/s", "5:9", "expected a map of keys"},
    // Numbers.
    {convolutional, workers, "  workers: 0\n", "4:12", "`0` is too small"},
    {convolutional, workers, "  workers: eight\n", "4:12", "`eight` is not a whole number"},
    {convolutional, workers, "  workers: 8.5\n", "4:12", "`8.5` is not a whole number"},
    {convolutional, workers, "  workers: \"8\"\n", "4:12", "quoted text"},
    {convolutional, workers, "  workers: 8\n  workers_per_node: 3\n", "5:21",
     "nodes of 3 do not divide 8 workers"},
    {convolutional, workers, "  workers: 8\n  workers_per_node: 4\n", "5:21",
     "the key `cluster.inner_link` is missing"},
    {convolutional, workers, "", "4:3", "the key `cluster.workers` is missing"},
    {convolutional, training, "training: {batch: 0, steps: 10}", "6:19", "`0` is too small"},
    {convolutional, training, "training: {batch: 32}", "6:11", "the key `training.epochs` is missing"},
    {convolutional, training, "training: {batch: 32, epochs: 3}", "6:11",
     "the key `training.samples` is missing"},
    {convolutional, training, "training: {steps: 10}", "6:11", "the key `training.batch` is missing"},
    {convolutional, method, "{method: topk, ratio: 200 %}", "9:45", "too large"},
    {convolutional, method, "{method: topk}", "9:", "the key `compression.ratio` is missing"},
    // Names.
    {convolutional, workers, "  wokers: 8\n", "4:3", "did you mean `workers`?"},
    {convolutional, method, "{method: tokp, ratio: 1 %}", "9:32", "did you mean `topk`?"},
    {transformer, "model: llama3_8b", "model: meta-llama/Llama-3.1-8B", "2:19", "did you mean `llama3_8b`?"},
    {convolutional, "resnet50_v100", "resnet50_v10", "2:11", "did you mean `resnet50_v100`?"},
    {convolutional, "workload: resnet50_v100", "workload: {use: resnet50_v10}", "2:17",
     "did you mean `resnet50_v100`?"},
    {convolutional, workers, "  workers: 8\n  device: A100\n", "5:11", "a100_sxm4_80gb_datasheet"},
    {convolutional, workers, "  workers: 8\n  device: h100\n", "5:11", "h100_sxm_datasheet"},
    {convolutional, workers, "  workers: 8\n  topology: fattree\n", "5:13", "did you mean `fat_tree`?"},
    {convolutional, "  dense: {}", "  dense: {exchange: {collective: ring}}", "8:34",
     "did you mean `ring_allreduce`?"},
    {convolutional, "  dense: {}", "  dense: {synchronisation: sync}", "8:28", "write `bsp`"},
    {convolutional, "  dense: {}", "  dense: {learner: {kind: lvie}}", "8:27", "did you mean `live`?"},
    {convolutional, "  dense: {}", "  dense: {network: sim_grid}", "8:20", "did you mean `simgrid`?"},
    {transformer, "cluster:\n", "cluster:\n  use: dgx_h100\n", "4:8", "did you mean `nvidia_dgx_h100`?"},
    {transformer, "transport: infiniband}", "transport: ib}", "7:", "unknown transport `ib`"},
    {transformer, "{kind: infiniband,", "{kind: ib,", "7:18", "write `infiniband`"},
    // Words of other programs.
    {convolutional, workers, "  nodes: 4\n  gpus_per_node: 8\n  gpu: A100-SXM4-80GB\n", "4:3",
     "write `cluster.workers: 32`"},
    {convolutional, workers, "  workers: 8\n  devices: [a100, t4]\n", "5:3", "`cluster.device`"},
    {convolutional, workers, "  world_size: 8\n", "4:3", "write `cluster.workers: 8`"},
    {convolutional, workers, "  num_gpus: 8\n", "4:3", "write `cluster.workers: 8`"},
    {convolutional, workers, "  workers: 8\n  bandwidth: 10 Gbit/s\n", "5:3",
     "`cluster.link.bandwidth` is stated already"},
    {convolutional, training, "training: {batch: 32, steps: 10, gradient_accumulation_steps: 4}", "6:34",
     "write `training.accumulation: 4`"},
    {convolutional, training, "training: {batch_size: 32, steps: 10}", "6:12", "write `training.batch: 32`"},
    {convolutional, training, "training: {global_batch_size: 256, steps: 10}", "6:12",
     "write `training.batch: 32`"},
    {convolutional, training, "training: {micro_batch_size: 8, accumulation: 4, steps: 10}", "6:12",
     "write `training.batch: 32`"},
    {convolutional, training, "training: {batch: 32, max_steps: 10}", "6:23", "write `training.steps: 10`"},
    {convolutional, training, "training: {batch: 32, num_train_epochs: 2, dataset_size: 50000}", "6:23",
     "write `training.epochs: 2`"},
    {convolutional, training, "training: {batch: 32, steps: 10, lr: 0.1}", "6:34",
     "only a `learner` with `kind: live` reads it"},
    {convolutional, training, "training: {batch: 32, steps: 10, optimizer: adamw}", "6:34",
     "write `learner.optimizer`"},
    {convolutional, training, "training: {batch: 32, steps: 10, save_steps: 500}", "6:34",
     "write `availability.checkpoint`"},
    {convolutional, training, "training: {batch: 32, steps: 10, num_workers: 4}", "6:34",
     "not modelled: loading of samples"},
    {convolutional, training, "training: {batch: 32, steps: 10}\nexchange: {bucket_cap_mb: 25}", "7:12",
     "write `exchange.bucket: 25 MiB`"},
    {convolutional, training, "training: {batch: 32, steps: 10}\nexchange: {NCCL_ALGO: Ring}", "7:12",
     "write `exchange.collective: ring_allreduce`"},
    {convolutional, training, "training: {batch: 32, steps: 10}\nexchange: {backend: nccl}", "7:12",
     "write `exchange.library: nccl`"},
    {convolutional, method, "{method: topk, density: 0.01}", "9:38", "write `compression.ratio: 0.01`"},
    {convolutional, method, "{method: topk, sparsity: 0.99}", "9:38", "write `compression.ratio: 0.01`"},
    {convolutional, method, "{method: topk, k: 1000}", "9:38", "the share of the values that is kept"},
    {convolutional, method, "{method: topk, rank: 4, ratio: 1 %}", "9:44", "powersgd`"},
    {transformer, data, "parallelism: {data: zero-3}", "10:21", "write `zero3`"},
    {transformer, data, "parallelism: {data: FULL_SHARD}", "10:21", "write `fsdp`"},
    {transformer, data, "parallelism: {zero_stage: 3}", "10:15", "write `parallelism.data: zero3`"},
    {transformer, data, "parallelism: {zero_optimization: {stage: 3}}", "10:15",
     "write `parallelism.data: zero3`"},
    {transformer, data, "parallelism: {data: fsdp, tp: 2}", "10:27", "write `parallelism.tensor: 2`"},
    {transformer, data, "parallelism: {tensor_model_parallel_size: 8, pp: 2}", "10:15",
     "write `parallelism.tensor: 8`"},
    {transformer, data, "parallelism: {data: fsdp, dp: 16}", "10:27", "`workers` / `tensor` / `pipeline`"},
    {transformer, data, "parallelism: {data: fsdp, expert: 8}", "10:27", "not modelled: expert parallelism"},
    {transformer, data, "parallelism: {data: fsdp, context: 8}", "10:27",
     "not modelled: context parallelism"},
    {transformer, data, "parallelism: {data: fsdp, cpu_offload: true}", "10:27", "not modelled: offloading"},
    {transformer, data, "parallelism: fsdp", "10:14", "expected a map of keys"},
    {transformer, llama_base,
     "{model: llama3_8b, device: h100_sxm_datasheet, stack: megatron-te-2025, seq_len: 4096}",
     "2:", "write `workload.sequence: 4096`"},
    {transformer, llama_base,
     "{model: llama3_8b, device: h100_sxm_datasheet, stack: megatron-te-2025, dtype: bfloat16}",
     "2:", "write `workload.precision: bf16`"},
    {transformer, llama_base,
     "{model: llama3_8b, device: h100_sxm_datasheet, stack: megatron-te-2025, precision: bfloat16}",
     "2:", "write `bf16`"},
    {transformer, llama_base,
     "{model: llama3_8b, device: h100_sxm_datasheet, stack: megatron-te-2025, gradient_checkpointing: true}",
     "2:", "write `workload.recomputation: full`"},
    {transformer, batch, "training: {batch: 1, steps: 20, per_device_train_batch_size: 1}", "9:33",
     "`training.batch` is stated already"},
    // Words in other spellings.
    {convolutional, training, "training: {batchsize: 32, steps: 10}", "6:12", "write `training.batch: 32`"},
    {convolutional, training, "training: {BatchSize: 32, steps: 10}", "6:12", "write `training.batch: 32`"},
    {convolutional, training, "training: {batch: 32, maxSteps: 10}", "6:23", "write `training.steps: 10`"},
    {convolutional, workers, "  worldSize: 8\n", "4:3", "write `cluster.workers: 8`"},
    {transformer, data, "parallelism: {data: fullShard}", "10:21", "write `fsdp`"},
    {convolutional, "  dense: {}", "  dense: {synchronisation: localSGD}", "8:28", "write `periodic`"},
    // Ranges.
    {convolutional, link, "{latency: 1 ms, bandwidth: 1-10Gbit/s}", "5:36",
     "`1-10Gbit/s` is a range; expected one value; write one value, or `{value: 5.5 Gbit/s, range: [1 "
     "Gbit/s, 10 Gbit/s]}`"},
    {convolutional, link, "{latency: 1 ms, bandwidth: 1..10 Gbit/s}", "5:36", "is a range"},
    {convolutional, link, "{latency: 1 ms to 3 ms, bandwidth: 1 Gbit/s}", "5:19",
     "write one value, or `{value: 2 ms, range: [1 ms, 3 ms]}`"},
    {convolutional, method, "{method: topk, ratio: 1-3 %}", "9:45",
     "write one value, or `{value: 2 %, range: [1 %, 3 %]}`"},
    // Devices of one model.
    {convolutional, workers, "  workers: 8\n  device: H100\n", "5:11",
     "write one of h100_pcie_datasheet, h100_sxm_datasheet"},
    {transformer, llama_base, "{model: llama3_8b, device: H100, stack: megatron-te-2025, sequence: 4096}",
     "2:38", "write one of h100_pcie_datasheet, h100_sxm_datasheet"},
    {transformer, llama_base, "{model: llama3_8b, device: H200, stack: megatron-te-2025, sequence: 4096}",
     "2:38", "did you mean `h200_sxm_datasheet`?"},
    // Spot prices.
    {convolutional, training, "training: {batch: 32, steps: 10}\nspot: true", "7:1",
     "write it as `price.spot`"},
    {convolutional, training, "training: {batch: 32, steps: 10}\nprice: {spot: true}", "7:8",
     "write `machine: NAME` of a row of `sim list prices` that has a spot price"},
    {convolutional, training, "training: {batch: 32, steps: 10}\nprice: {per_machine: 3 USD/h, spot: true}",
     "7:37", "leave it out, and write the spot price as `per_machine`"},
    {transformer, data, "parallelism: {data: fsdp}\nprice: {machine: aws/p5.48xlarge, spot: true}", "11:41",
     "leave it out, or write its spot price as `per_machine` in place of `machine` and `spot`"},
    // Shape and combinations.
    {convolutional, "compare:\n  dense: {}\n  topk: {compression: {method: topk, ratio: 1 %}}",
     "compare: [dense, topk]", "7:10", "found a list"},
    {convolutional, "  dense: {}", "  dense: {training: {stpes: 5}}", "8:22", "did you mean `steps`?"},
    {convolutional, "  dense: {}", "  dense: {compare: {}}", "8:20", "an arm cannot have `compare`"},
    {convolutional, "  dense: {}",
     "  dense: {synchronisation: {method: asp}, exchange: {collective: ring_allreduce}}",
     "8:", "ring_allreduce"},
    {convolutional, "  dense: {}", "  dense: {synchronisation: {method: periodic}}", "8:28",
     "`synchronisation.every` is missing"},
    {convolutional, "  dense: {}", "  dense: {parallelism: {data: fsdp}}", "8:", "no blocks"},
    {transformer, data, "parallelism: {data: fsdp}\ncompression: {method: fp16}", "11:", "compression"},
    {transformer, "sequence: 4096}", "sequence: 131072, recomputation: full}", "9:", "of activations"},
    {transformer, data, "parallelism: {data: none}", "2:", "fits with `parallelism.data`"},
    {transformer, "  workers: 16\n", "  workers: 12\n", "5:21", "nodes of 8 do not divide 12 workers"},
    // Keys at the wrong place.
    {convolutional, training, "training: {batch: 32, steps: 10}\nratio: 1 %", "7:1",
     "write it as `compression.ratio`"},
    {convolutional, training, "training: {batch: 32, steps: 10}\nsteps: 20", "7:1",
     "leave it out: `training.steps` is stated already"},
    {convolutional, training, "training: {batch: 32, steps: 10}\nworkers: 4", "7:1",
     "leave it out: `cluster.workers` is stated already"},
    {convolutional, workers, "  workers: 8\n  jitter: {distribution: lognormal, sigma: 0.2}\n", "5:3",
     "write it as `compute.jitter`"},
    {convolutional, workers, "  workers: 8\n  collective: ring_allreduce\n", "5:3",
     "write it as `exchange.collective`"},
    {convolutional, "  dense: {}", "  dense: {steps: 5}", "8:11",
     "leave it out: `training.steps` is stated already"},
    {convolutional, "  topk: {compression: {method: topk, ratio: 1 %}}", "  topk: {method: topk, ratio: 1 %}",
     "9:10", "it is a key of `synchronisation` and of `compression`"},
    {convolutional, "  dense: {}", "  dense: {compression: none}", "8:24",
     "write for example `compression: {method: topk, ratio: 1 %}`"},
    {convolutional, "  topk: {compression: {method: topk, ratio: 1 %}}", "  topk: {compression: {topk: 1 %}}",
     "9:24", "write `compression.method: topk`"},
    {transformer, batch, "training: {batch: 1, steps: 20, tokens: 1000000}", "9:33",
     "write `training.steps`"},
    {transformer, data, "parallelism: {data: fsdp, sequence: 4096}", "10:27",
     "leave it out: `workload.sequence` is stated already"},
    // Other ways to write a number.
    {convolutional, "resnet50_v100", "{name: mine, parameters: 25M, compute: 90 ms, batch: 32}", "2:36",
     "write digits only: `25000000`"},
    {transformer, "sequence: 4096}", "sequence: 4k}", "2:93", "write digits only: `4000`"},
    {convolutional, training, "training: {batch: 32, steps: 1e3}", "6:30", "write digits only: `1000`"},
    {transformer, "rate: 400 Gbit/s", "rate: NDR", "7:36", "write `400 Gbit/s`"},
    {transformer, llama_base,
     "{model: llama3_8b, device: h100_sxm_datasheet, stack: megatron-te-2025, flash_attention: 2}",
     "2:", "write `workload.flash: true`"},
    {transformer, llama_base,
     "{model: llama3_8b, device: h100_sxm_datasheet, stack: megatron-te-2025, flash_attention: no}",
     "2:", "write `workload.flash: false`"},
    {convolutional, link, "{latency: 1 ms, bandwidth: 10 Gbit/s, mtu: 9000}",
     "5:", "not modelled: size of frames"},
    {convolutional, workers, "  workers: 8\n  stragglers: 2\n", "5:3", "write `compute.slowdowns`"},
    // Prices.
    {convolutional, training,
     "training: {batch: 32, steps: 10}\nprice: {machine: aws/p3.2xlarge}\nobjective: dollars", "8:12",
     "write `cost`"},
    {convolutional, training, "training: {batch: 32, steps: 10}\nprice: 3 USD/h", "7:8",
     "write for example `price: {machine: aws/p5.48xlarge}`"},
    {convolutional, training, "training: {batch: 32, steps: 10}\nprice: {per_machine: 3}", "7:22",
     "`3` has no unit; expected a price per time"},
    {convolutional, training, "training: {batch: 32, steps: 10}\nprice: {usd_per_hour: 3}", "7:9",
     "write `price.per_machine: 3 USD/h`"},
    {convolutional, training, "training: {batch: 32, steps: 10}\nprice: {hourly: 36 USD/h}", "7:9",
     "write `price.per_machine: 36 USD/h`"},
    {convolutional, "  workers: 8\n  link: {latency: 1 ms, bandwidth: 10 Gbit/s}\n",
     "  use: nvidia_dgx_h100\n  nodes: 4\n", "5:3", "write `cluster.workers: 32`"},
    {convolutional, training, "training: {batch: 32, steps: 10}\nprice: {machine: p3.2xlarge}", "7:18",
     "did you mean `aws/p3.2xlarge`?"},
    {convolutional, training, "training: {batch: 32, steps: 10}\nobjective: cost", "7:12",
     "`objective: cost` needs the price of a machine"},
    {transformer, data, "parallelism: {data: fsdp}\nprice: {machine: aws/p4d.24xlarge}", "11:18",
     "machines that have it: `aws/p5.48xlarge`"},
    {transformer, data, "parallelism: {data: fsdp}\nprice: {machine: lambda/gpu_1x_h100}", "11:18",
     "unknown machine"},
    {transformer, data,
     "parallelism: {data: fsdp}\nprice: {machine: aws/p5.48xlarge, interruptions_per_hour: 1}", "11:35",
     "write `availability.mtbf`"},
    {transformer, data, "parallelism: {data: fsdp}\navailability: {mtbf: 1000}", "11:22",
     "`1000` has no unit"},
});

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreRefusedAtTheirPlaceWithAReasonAndARemedyThatWorks) {
  const Mistake& mistake = GetParam();
  std::string text(mistake.base);
  const std::size_t begin = text.find(mistake.right);
  ASSERT_NE(begin, std::string::npos);
  text.replace(begin, mistake.right.size(), mistake.wrong);
  const tests::ScratchFolder folder;
  const Repaired repaired = repair_text(text, folder / "study.yaml", 3);
  ASSERT_FALSE(repaired.errors.empty()) << "accepted as it is";
  const auto is_told = [&](const netmodels::Error& error) {
    return error.where.find(fmt::format("study.yaml:{}", mistake.where)) != std::string::npos &&
           error.text().find(mistake.says) != std::string::npos;
  };
  std::string told;
  for (const netmodels::Error& error : repaired.errors) told += error.text() + "\n";
  EXPECT_TRUE(std::ranges::any_of(repaired.errors, is_told)) << told;
  EXPECT_TRUE(repaired.accepted) << "first: " << told << "last: " << repaired.last;
}

INSTANTIATE_TEST_SUITE_P(OfUsers, Mistakes, testing::ValuesIn(mistakes));

}  // namespace
}  // namespace sim::scenario
