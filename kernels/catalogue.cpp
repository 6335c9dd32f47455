// Rows of the table of compressors.
#include "kernels/catalogue.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <string>
#include <vector>

#include "kernels/ar_topk.hpp"
#include "kernels/block_top_k.hpp"
#include "kernels/blockwise.hpp"
#include "kernels/dct_top_k.hpp"
#include "kernels/dense.hpp"
#include "kernels/device_compressor.hpp"
#include "kernels/dgc.hpp"
#include "kernels/gaussian_k.hpp"
#include "kernels/half.hpp"
#include "kernels/int8.hpp"
#include "kernels/layerwise_top_k.hpp"
#include "kernels/makers.hpp"
#include "kernels/ms_topk.hpp"
#include "kernels/multi_level.hpp"
#include "kernels/power_sgd.hpp"
#include "kernels/qsgd.hpp"
#include "kernels/random_k.hpp"
#include "kernels/redsync.hpp"
#include "kernels/sidco.hpp"
#include "kernels/signs.hpp"
#include "kernels/tern_grad.hpp"
#include "kernels/threshold.hpp"
#include "kernels/top_k.hpp"
#include "netmodels/nearest.hpp"

namespace kernels {
namespace {

using netmodels::CollectiveKind;

// Memory traffic per value, besides the message. One pass of error feedback reads the gradient and the
// residual and writes the residual: 12 bytes. Writing the sum aside and reading it back to select costs 4
// more; each further count over all values 4 more.
constexpr double one_read = 4;
constexpr double feedback = 12;
constexpr double search = 4;

// Execution models. Casts and low-rank factors have DDP hooks; methods of one threshold, scale or norm for
// each tensor run in hooks of tensors.
constexpr std::string_view hook = "ddp_hook";
constexpr std::string_view per_tensor = "per_tensor";

constexpr std::string_view pairs = "all-gather k (4 + index_bytes)";
constexpr std::string_view stich = "Stich, Cordonnier & Jaggi, \"Sparsified SGD with Memory\", NeurIPS 2018";
constexpr std::string_view zheng =
    "Zheng, Huang & Kwok, \"Communication-Efficient Distributed Blockwise Momentum SGD with "
    "Error-Feedback\", "
    "NeurIPS 2019";
constexpr std::string_view karimireddy =
    "Karimireddy et al., \"Error Feedback Fixes SignSGD and other Gradient Compression Schemes\", ICML 2019";
constexpr std::string_view tyagi =
    "Tyagi & Swany, \"Flexible Communication for Optimal Distributed Learning over Unpredictable Networks\", "
    "IEEE BigData 2023";

constexpr auto table = std::to_array<Entry>({
    {.name = "none",
     .summary = "The gradient as it is, 4 bytes per value.",
     .source = "IEEE 754 binary32",
     .formula = "all-reduce 4 n",
     .execution = "ddp_overlap",
     .stages = stages::fp32_values,
     .make = make_plain<Dense>},
    {.name = "fp16",
     .summary = "Each value rounded to half precision.",
     .source = "PyTorch DDP fp16_compress_hook",
     .formula = "all-reduce 2 n",
     .execution = hook,
     .memory_per_element = one_read,
     .stages = stages::halves,
     .make = make_half<Half::Format::binary16>,
     .make_on_device = on_device_half<Half::Format::binary16>},
    {.name = "bf16",
     .summary = "Each value rounded to bfloat16.",
     .source = "PyTorch DDP bf16_compress_hook",
     .formula = "all-reduce 2 n",
     .execution = hook,
     .memory_per_element = one_read,
     .stages = stages::halves,
     .make = make_half<Half::Format::bfloat16>,
     .make_on_device = on_device_half<Half::Format::bfloat16>},
    {.name = "topk",
     .summary = "The k values of largest magnitude of the whole gradient.",
     .source = stich,
     .formula = pairs,
     .exchange = CollectiveKind::all_gather,
     .sparse = true,
     .error_feedback = true,
     .memory_per_element = feedback,
     .stages = stages::gathered_pairs,
     .make = make_from<TopK>,
     .make_on_device = on_device_from<TopK>},
    {.name = "lwtopk",
     .summary = "The largest values of each layer by itself.",
     .source = tyagi,
     .formula = pairs,
     .exchange = CollectiveKind::all_gather,
     .sparse = true,
     .error_feedback = true,
     .execution = per_tensor,
     .memory_per_element = feedback,
     .stages = stages::gathered_pairs,
     .make = make_layerwise,
     .make_on_device = on_device_layerwise},
    {.name = "mstopk",
     .summary = "Top-k by 25 bisections of a threshold.",
     .source = "Shi et al., \"Towards Scalable Distributed Training of Deep Learning on Public Cloud "
               "Clusters\", MLSys 2021",
     .formula = pairs,
     .exchange = CollectiveKind::all_gather,
     .sparse = true,
     .error_feedback = true,
     .memory_per_element = feedback + 25 * search + search,
     .stages = stages::gathered_pairs,
     .make = make_from<MsTopK>,
     .make_on_device = on_device_from<MsTopK>},
    {.name = "dgc",
     .summary = "Values above a threshold taken from a sample of 1 %.",
     .source = "Lin et al., \"Deep Gradient Compression\", ICLR 2018",
     .formula = pairs,
     .exchange = CollectiveKind::all_gather,
     .sparse = true,
     .error_feedback = true,
     .execution = per_tensor,
     .memory_per_element = feedback,
     .stages = stages::gathered_pairs,
     .make = make_from<Dgc>,
     .make_on_device = on_device_from<Dgc>},
    {.name = "redsync",
     .summary = "Values above a threshold searched between mean and maximum.",
     .source = "Fang et al., \"RedSync: Reducing synchronization bandwidth for distributed deep learning "
               "training system\", J. Parallel Distrib. Comput. 133, 2019",
     .formula = pairs,
     .exchange = CollectiveKind::all_gather,
     .sparse = true,
     .error_feedback = true,
     .execution = per_tensor,
     .memory_per_element = feedback + search + search,
     .stages = stages::gathered_pairs,
     .make = make_from<RedSync>,
     .make_on_device = on_device_from<RedSync>},
    {.name = "sidco",
     .summary = "Values above a threshold from fitted tails.",
     .source = "Abdelmoniem et al., \"An Efficient Statistical-based Gradient Compression Technique for "
               "Distributed Training Systems\", MLSys 2021",
     .formula = pairs,
     .exchange = CollectiveKind::all_gather,
     .sparse = true,
     .error_feedback = true,
     .execution = per_tensor,
     .memory_per_element = feedback + search,
     .stages = stages::gathered_pairs,
     .make = make_from<Sidco>,
     .make_on_device = on_device_from<Sidco>},
    {.name = "gaussiank",
     .summary = "Values above a quantile of the normal distribution.",
     .source = "Shi et al., \"Understanding Top-k Sparsification in Distributed Deep Learning\", "
               "arXiv:1911.08772, 2019",
     .formula = pairs,
     .exchange = CollectiveKind::all_gather,
     .sparse = true,
     .error_feedback = true,
     .execution = per_tensor,
     .memory_per_element = feedback + search,
     .stages = stages::gathered_pairs,
     .make = make_from<GaussianK>,
     .make_on_device = on_device_from<GaussianK>},
    {.name = "threshold",
     .summary = "Values above a threshold that is known in advance.",
     .source = "Aji & Heafield, \"Sparse Communication for Distributed Gradient Descent\", EMNLP 2017",
     .formula = pairs,
     .exchange = CollectiveKind::all_gather,
     .sparse = true,
     .error_feedback = true,
     .memory_per_element = feedback,
     .stages = stages::gathered_pairs,
     .make = make_from<Threshold>,
     .make_on_device = on_device_from<Threshold>},
    {.name = "ar_topk",
     .summary = "The indices of one rank's top-k, then the sum of all ranks' values there.",
     .source = tyagi,
     .formula = "[all-gather 4, if chosen by variance,] broadcast k index_bytes, all-reduce 4 k",
     .exchange = CollectiveKind::ar_topk,
     .sparse = true,
     .error_feedback = true,
     .memory_per_element = feedback,
     .stages = stages::shared_indices,
     .make = make_from<ArTopK>,
     .make_on_device = on_device_from<ArTopK>},
    {.name = "randomk",
     .summary = "k values at indices that all ranks draw from one seed.",
     .source = stich,
     .formula = "all-reduce 4 k",
     .sparse = true,
     .error_feedback = true,
     .memory_per_element = feedback,
     .stages = stages::seeded_indices,
     .make = make_from<RandomK>,
     .make_on_device = on_device_from<RandomK>},
    {.name = "powersgd",
     .summary =
         "Two factors of low rank for each layer's matrix; the ratio is r (rows + columns) / (rows columns).",
     .source = "Vogels, Karimireddy & Jaggi, \"PowerSGD: Practical Low-Rank Gradient Compression for "
               "Distributed Optimization\", NeurIPS 2019",
     .formula = "all-reduce 2 k, all-reduce 2 k",
     .low_rank = true,
     .error_feedback = true,
     .execution = hook,
     .memory_per_element = feedback + 2 * one_read,
     .stages = stages::two_factors,
     .make = make_from<PowerSgd>,
     .make_on_device = on_device_from<PowerSgd>},
    {.name = "qsgd",
     .summary = "8-bit levels of each value's share in the norm of its bucket of 128.",
     .source = "Alistarh et al., \"QSGD: Communication-Efficient SGD via Gradient Quantization and "
               "Encoding\", NeurIPS 2017",
     .formula = "all-gather n + 4 ceil(n / 128)",
     .exchange = CollectiveKind::all_gather,
     .execution = per_tensor,
     .memory_per_element = one_read,
     .stages = stages::byte_buckets,
     .make = make_from<Qsgd>,
     .make_on_device = on_device_from<Qsgd>},
    {.name = "int8",
     .summary = "8-bit values with one scale for each block of 4096, summed by the owner of each part.",
     .source = "Dettmers et al., \"8-bit Optimizers via Block-wise Quantization\", ICLR 2022; hivemind's "
               "butterfly all-reduce",
     .formula = "all-reduce n + 4 ceil(n / 4096)",
     .execution = hook,
     .memory_per_element = one_read,
     .stages = stages::byte_blocks,
     .make = make_from<Int8>,
     .make_on_device = on_device_from<Int8>},
    {.name = "terngrad",
     .summary = "-1, 0 or 1 times the largest magnitude, 2 bits per value.",
     .source = "Wen et al., \"TernGrad: Ternary Gradients to Reduce Communication in Distributed Deep "
               "Learning\", NeurIPS 2017",
     .formula = "all-gather ceil(n / 4) + 4",
     .exchange = CollectiveKind::all_gather,
     .execution = per_tensor,
     .memory_per_element = 2 * one_read,
     .stages = stages::ternary,
     .make = make_from<TernGrad>,
     .make_on_device = on_device_from<TernGrad>},
    {.name = "signsgd",
     .summary = "Signs only, decided by majority.",
     .source = "Bernstein et al., \"signSGD with Majority Vote is Communication Efficient and Fault "
               "Tolerant\", ICLR 2019",
     .formula = "all-gather ceil(n / 8)",
     .exchange = CollectiveKind::all_gather,
     .unscaled = true,
     .execution = per_tensor,
     .memory_per_element = one_read,
     .stages = stages::signs,
     .make = make_plain<SignSgd>,
     .make_on_device = on_device_plain<SignSgd>},
    {.name = "ef_sign",
     .summary = "Signs times the mean magnitude, with error feedback.",
     .source = karimireddy,
     .formula = "all-gather ceil(n / 8) + 4",
     .exchange = CollectiveKind::all_gather,
     .error_feedback = true,
     .execution = per_tensor,
     .memory_per_element = feedback + 2 * one_read,
     .stages = stages::signs_and_scale,
     .make = make_plain<EfSign>,
     .make_on_device = on_device_plain<EfSign>},
    {.name = "onebit",
     .summary = "Signs with the means of the positive and of the negative values, with error feedback.",
     .source = "Seide et al., \"1-Bit Stochastic Gradient Descent and its Application to Data-Parallel "
               "Distributed Training of Speech DNNs\", Interspeech 2014",
     .formula = "all-gather ceil(n / 8) + 8",
     .exchange = CollectiveKind::all_gather,
     .error_feedback = true,
     .execution = per_tensor,
     .memory_per_element = feedback + 2 * one_read,
     .stages = stages::signs_and_means,
     .make = make_plain<OneBit>,
     .make_on_device = on_device_plain<OneBit>},
    {.name = "block_1bit",
     .summary = "Signs times the mean magnitude of each block of 256, with error feedback.",
     .source = zheng,
     .formula = "all-gather ceil(n / 8) + 4 ceil(n / 256)",
     .exchange = CollectiveKind::all_gather,
     .error_feedback = true,
     .execution = hook,
     .memory_per_element = feedback,
     .stages = stages::block_bits,
     .make = make_plain<BlockSign>,
     .make_on_device = on_device_plain<BlockSign>},
    {.name = "block_4bit",
     .summary =
         "4-bit values with one scale for each block of 256, with error feedback; the owner of each part "
         "sums it and codes the sum again.",
     .source =
         "Douillard et al., \"Streaming DiLoCo with overlapping communication\", arXiv:2501.18512, 2025",
     .formula = "all-reduce ceil(n / 2) + 4 ceil(n / 256)",
     .error_feedback = true,
     .recoded = true,
     .execution = hook,
     .memory_per_element = feedback,
     .stages = stages::block_nibbles,
     .make = make_plain<Int4>,
     .make_on_device = on_device_plain<Int4>},
    {.name = "block_8bit",
     .summary =
         "8-bit values with one scale for each block of 256, with error feedback; the owner of each part "
         "sums it and codes the sum again.",
     .source = "Dettmers et al., \"8-bit Optimizers via Block-wise Quantization\", ICLR 2022",
     .formula = "all-reduce n + 4 ceil(n / 256)",
     .error_feedback = true,
     .recoded = true,
     .execution = hook,
     .memory_per_element = feedback,
     .stages = stages::block_bytes,
     .make = make_block_bytes,
     .make_on_device = on_device_block_bytes},
    {.name = "tensor_1bit",
     .summary = "Signs times the mean magnitude of each tensor, with error feedback.",
     .source = karimireddy,
     .formula = "all-gather ceil(n / 8) + 4",
     .exchange = CollectiveKind::all_gather,
     .error_feedback = true,
     .execution = per_tensor,
     .memory_per_element = feedback + 2 * one_read,
     .stages = stages::signs_and_scale,
     .make = make_tensor_bits},
    {.name = "tensor_4bit",
     .summary =
         "4-bit values with one scale for each tensor, with error feedback; the owner of each part sums "
         "it and codes the sum again.",
     .source =
         "Douillard et al., \"Streaming DiLoCo with overlapping communication\", arXiv:2501.18512, 2025, "
         "whose 4-bit values have an exponent",
     .formula = "all-reduce ceil(n / 2) + 4",
     .error_feedback = true,
     .recoded = true,
     .execution = per_tensor,
     .memory_per_element = feedback + one_read,
     .stages = stages::tensor_nibbles,
     .make = make_tensor_nibbles},
    {.name = "tensor_8bit",
     .summary =
         "8-bit values with one scale for each tensor, with error feedback; the owner of each part sums "
         "it and codes the sum again.",
     .source = "PyTorch, torch.quantize_per_tensor, symmetric",
     .formula = "all-reduce n + 4",
     .error_feedback = true,
     .recoded = true,
     .execution = per_tensor,
     .memory_per_element = feedback + one_read,
     .stages = stages::tensor_bytes,
     .make = make_tensor_bytes},
    {.name = "block_topk",
     .summary = "The largest values of each block of 4096, in two bits: a sign and one of two magnitudes, "
                "with error "
                "feedback.",
     .source = "Sarfi et al., \"Communication Efficient LLM Pre-training with SparseLoCo\", "
               "arXiv:2508.15706, 2025",
     .formula = "all-gather ceil(14 k / 8) + 8, for each block of 4096",
     .exchange = CollectiveKind::all_gather,
     .sparse = true,
     .coded = true,
     .error_feedback = true,
     .execution = hook,
     .memory_per_element = feedback,
     .stages = stages::coded_blocks,
     .make = make_from<BlockTopK>,
     .make_on_device = on_device_from<BlockTopK>},
    {.name = "dct_topk",
     .summary = "The largest coefficients of the cosine transform of each tile of 64 x 64 values, with error "
                "feedback: DeMo, where what is kept decays by 0.999 and the optimizer is `sign`.",
     .source = "Peng, Quesnelle & Kingma, \"DeMo: Decoupled Momentum Optimization\", arXiv:2411.19870, 2024",
     .formula = "all-gather 6 k, k = round(4096 c) of each tile of 4096",
     .exchange = CollectiveKind::all_gather,
     .sparse = true,
     .coded = true,
     .tiled = true,
     .error_feedback = true,
     .execution = per_tensor,
     .memory_per_element = feedback,
     .stages = stages::cosine_coefficients,
     .make = make_from<DctTopK>,
     .make_on_device = on_device_from<DctTopK>},
    {.name = "onebit_adam",
     .summary =
         "Signs times the mean magnitude with error feedback; the owner of each part sums them and codes the "
         "sum again: the exchange of 1-bit Adam, 0/1 Adam and 1-bit LAMB after their dense warm-up.",
     .source = "Tang et al., \"1-bit Adam: Communication Efficient Large-Scale Training with Adam's "
               "Convergence Speed\", ICML 2021",
     .formula = "all-reduce ceil(n / 8) + 4",
     .error_feedback = true,
     .recoded = true,
     .memory_per_element = feedback + 2 * one_read,
     .stages = stages::summed_signs,
     .make = make_plain<EfSign>,
     .make_on_device = on_device_plain<EfSign>},
    // Two ratios, where a scenario states one: its pair of top-k messages has no wire format.
    {.name = "multilevel",
     .summary = "Top-k of a coarser top-k, with the gains of both.",
     .source = "Tyagi & Swany, \"GraVAC: Adaptive Compression for Communication-Efficient Distributed DL "
               "Training\", IEEE CLOUD 2023",
     .exchange = CollectiveKind::all_gather,
     .sparse = true,
     .error_feedback = true,
     .memory_per_element = feedback,
     .make = make_multi_level,
     .make_on_device = on_device_multi_level},
});

/// Rows that have one come first.
bool has_wire_format(const Entry& row) { return row.stages != nullptr; }

}  // namespace

std::span<const Entry> catalogue() { return table; }

const Entry* find(std::string_view name) {
  const auto row = std::ranges::find(table, name, &Entry::name);
  return row == table.end() ? nullptr : &*row;
}

std::span<const Entry> wire_formats() {
  return {table.begin(), std::ranges::partition_point(table, has_wire_format)};
}

Method::Method() : row_(&table.front()) {}

Method::Method(std::string_view name) : row_(find(name)) { assert(row_ != nullptr); }

std::string_view Method::name() const { return row_->name; }

bool Method::compresses() const { return row_ != &table.front(); }

netmodels::Result<const Entry*> find_wire_format(std::string_view name) {
  const std::span<const Entry> rows = wire_formats();
  const auto row = std::ranges::find(rows, name, &Entry::name);
  if (row != rows.end()) return &*row;
  std::vector<std::string_view> known;
  known.reserve(rows.size());
  for (const Entry& format : rows) known.push_back(format.name);
  return netmodels::refuse({}, "unknown compression method `" + std::string(name) + "`",
                           netmodels::accepted_names(name, known), netmodels::nearest_change(name, known));
}

bool carries(CollectiveKind collective, const Entry& method) {
  const bool sums = method.exchange == CollectiveKind::ar_topk && collective == CollectiveKind::all_reduce;
  return collective == method.exchange || sums;
}

netmodels::Bytes message_bytes(const Entry& format, const Payload& payload) {
  netmodels::Bytes sum;
  for (const Stage& stage : format.stages(payload)) sum += stage.per_rank;
  return sum;
}

}  // namespace kernels
