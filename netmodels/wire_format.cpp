// Rows of the table of wire formats.
#include "netmodels/wire_format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "netmodels/nearest.hpp"

namespace netmodels {
namespace {

using enum CollectiveKind;

constexpr double value_bytes = 4;          // one fp32 number: a value, a norm, a scale
constexpr std::int64_t qsgd_bucket = 128;  // values that share one norm; GRACE's default
constexpr std::int64_t int8_block = 4096;  // values that share one scale; hivemind, bitsandbytes

Bytes to_bytes(std::int64_t count) { return Bytes{static_cast<double>(count)}; }

/// Groups of `size` needed for n values, the last one possibly incomplete.
std::int64_t groups(std::int64_t elements, std::int64_t size) { return (elements + size - 1) / size; }

Bytes values(std::int64_t count) { return value_bytes * to_bytes(count); }

Bytes kept_indices(const Payload& payload) { return payload.index_bytes * to_bytes(kept(payload)); }

std::vector<Stage> dense(const Payload& payload) { return {{all_reduce, values(payload.elements)}}; }

std::vector<Stage> half(const Payload& payload) { return {{all_reduce, 2.0 * to_bytes(payload.elements)}}; }

std::vector<Stage> gathered_pairs(const Payload& payload) {
  return {{all_gather, values(kept(payload)) + kept_indices(payload)}};
}

std::vector<Stage> shared_indices(const Payload& payload) {
  std::vector<Stage> stages;
  if (payload.variance_selection) stages.push_back({all_gather, Bytes{value_bytes}});
  stages.push_back({broadcast, kept_indices(payload)});
  stages.push_back({all_reduce, values(kept(payload))});
  return stages;
}

std::vector<Stage> seeded_indices(const Payload& payload) { return {{all_reduce, values(kept(payload))}}; }

/// P, then Q; how k parts between them hangs on shapes, here half and half.
std::vector<Stage> two_factors(const Payload& payload) {
  const Bytes each = 0.5 * values(kept(payload));
  return {{all_reduce, each}, {all_reduce, each}};
}

std::vector<Stage> quantised_buckets(const Payload& payload) {
  return {{all_gather, to_bytes(payload.elements) + values(groups(payload.elements, qsgd_bucket))}};
}

std::vector<Stage> quantised_blocks(const Payload& payload) {
  return {{all_reduce, to_bytes(payload.elements) + values(groups(payload.elements, int8_block))}};
}

std::vector<Stage> ternary(const Payload& payload) {
  return {{all_gather, to_bytes(groups(payload.elements, 4)) + Bytes{value_bytes}}};
}

/// One bit per value and `scales` numbers for the whole gradient.
template <int scales>
std::vector<Stage> signs(const Payload& payload) {
  return {{all_gather, to_bytes(groups(payload.elements, 8)) + values(scales)}};
}

// Memory traffic per value, besides the message. One pass of error feedback reads the gradient and the
// residual and writes the residual: 12 bytes. Writing the sum aside and reading it back to select costs 4
// more; each further count over all values 4 more.
constexpr double one_read = 4;
constexpr double feedback = 12;
constexpr double search = 4;

constexpr std::string_view pairs = "all-gather k (4 + index_bytes)";
constexpr std::string_view stich = "Stich, Cordonnier & Jaggi, \"Sparsified SGD with Memory\", NeurIPS 2018";
constexpr std::string_view tyagi =
    "Tyagi & Swany, \"Flexible Communication for Optimal Distributed Learning over Unpredictable Networks\", "
    "IEEE BigData 2023";

constexpr std::array<WireFormat, 20> table{{
    {"none", "The gradient as it is, 4 bytes per value.", "all-reduce 4 n", "IEEE 754 binary32", all_reduce,
     false, false, std::nullopt, dense},
    {"fp16", "Each value rounded to half precision.", "all-reduce 2 n", "PyTorch DDP fp16_compress_hook",
     all_reduce, false, false, one_read, half},
    {"bf16", "Each value rounded to bfloat16.", "all-reduce 2 n", "PyTorch DDP bf16_compress_hook",
     all_reduce, false, false, one_read, half},
    {"topk", "The k values of largest magnitude of the whole gradient.", pairs, stich, all_gather, true, true,
     feedback, gathered_pairs},
    {"lwtopk", "The largest values of each layer by itself.", pairs, tyagi, all_gather, true, true, feedback,
     gathered_pairs},
    {"mstopk", "Top-k by 25 bisections of a threshold.", pairs,
     "Shi et al., \"Towards Scalable Distributed Training of Deep Learning on Public Cloud Clusters\", "
     "MLSys 2021",
     all_gather, true, true, feedback + 25 * search + search, gathered_pairs},
    {"dgc", "Values above a threshold taken from a sample of 1 %.", pairs,
     "Lin et al., \"Deep Gradient Compression\", ICLR 2018", all_gather, true, true, feedback,
     gathered_pairs},
    {"redsync", "Values above a threshold searched between mean and maximum.", pairs,
     "Fang et al., \"RedSync: Reducing synchronization bandwidth for distributed deep learning training "
     "system\", J. Parallel Distrib. Comput. 133, 2019",
     all_gather, true, true, feedback + search + search, gathered_pairs},
    {"sidco", "Values above a threshold from fitted tails.", pairs,
     "Abdelmoniem et al., \"An Efficient Statistical-based Gradient Compression Technique for Distributed "
     "Training Systems\", MLSys 2021",
     all_gather, true, true, feedback + search, gathered_pairs},
    {"gaussiank", "Values above a quantile of the normal distribution.", pairs,
     "Shi et al., \"Understanding Top-k Sparsification in Distributed Deep Learning\", "
     "arXiv:1911.08772, 2019",
     all_gather, true, true, feedback + search, gathered_pairs},
    {"threshold", "Values above a threshold that is known beforehand.", pairs,
     "Aji & Heafield, \"Sparse Communication for Distributed Gradient Descent\", EMNLP 2017", all_gather,
     true, true, feedback, gathered_pairs},
    {"ar_topk", "The indices of one rank's top-k, then the sum of all ranks' values there.",
     "[all-gather 4, if chosen by variance,] broadcast k index_bytes, all-reduce 4 k", tyagi, ar_topk, true,
     true, feedback, shared_indices},
    {"randomk", "k values at places that all ranks draw from one seed.", "all-reduce 4 k", stich, all_reduce,
     true, true, feedback, seeded_indices},
    {"powersgd",
     "Two factors of low rank for each layer's matrix; the ratio is r (rows + columns) / (rows columns).",
     "all-reduce 2 k, all-reduce 2 k",
     "Vogels, Karimireddy & Jaggi, \"PowerSGD: Practical Low-Rank Gradient Compression for Distributed "
     "Optimization\", NeurIPS 2019",
     all_reduce, false, true, feedback + 2 * one_read, two_factors, true},
    {"qsgd", "8-bit levels of each value's share in the norm of its bucket of 128.",
     "all-gather n + 4 ceil(n / 128)",
     "Alistarh et al., \"QSGD: Communication-Efficient SGD via Gradient Quantization and Encoding\", "
     "NeurIPS 2017",
     all_gather, false, false, one_read, quantised_buckets},
    {"int8", "8-bit values with one scale for each block of 4096, summed by the owner of each part.",
     "all-reduce n + 4 ceil(n / 4096)",
     "Dettmers et al., \"8-bit Optimizers via Block-wise Quantization\", ICLR 2022; hivemind's butterfly "
     "all-reduce",
     all_reduce, false, false, one_read, quantised_blocks},
    {"terngrad", "-1, 0 or 1 times the largest magnitude, 2 bits per value.", "all-gather ceil(n / 4) + 4",
     "Wen et al., \"TernGrad: Ternary Gradients to Reduce Communication in Distributed Deep Learning\", "
     "NeurIPS 2017",
     all_gather, false, false, 2 * one_read, ternary},
    {"signsgd", "Signs only, decided by majority.", "all-gather ceil(n / 8)",
     "Bernstein et al., \"signSGD with Majority Vote is Communication Efficient and Fault Tolerant\", ICLR "
     "2019",
     all_gather, false, false, one_read, signs<0>},
    {"ef_sign", "Signs times the mean magnitude, with error feedback.", "all-gather ceil(n / 8) + 4",
     "Karimireddy et al., \"Error Feedback Fixes SignSGD and other Gradient Compression Schemes\", ICML 2019",
     all_gather, false, true, feedback + 2 * one_read, signs<1>},
    {"onebit", "Signs with the means of the positive and of the negative values, with error feedback.",
     "all-gather ceil(n / 8) + 8",
     "Seide et al., \"1-Bit Stochastic Gradient Descent and its Application to Data-Parallel Distributed "
     "Training of "
     "Speech DNNs\", Interspeech 2014",
     all_gather, false, true, feedback + 2 * one_read, signs<2>},
}};

}  // namespace

std::int64_t kept(const Payload& payload) {
  const auto nominal = std::llround(payload.ratio * static_cast<double>(payload.elements));
  return std::clamp<std::int64_t>(nominal, 1, payload.elements);
}

std::span<const WireFormat> wire_formats() { return table; }

Result<const WireFormat*> find_wire_format(std::string_view name) {
  const auto row = std::ranges::find(table, name, &WireFormat::name);
  if (row != table.end()) return &*row;
  std::vector<std::string_view> known;
  known.reserve(table.size());
  for (const WireFormat& format : table) known.push_back(format.name);
  return refuse({}, "`" + std::string(name) + "` is no known compression method",
                accepted_names(name, known));
}

Result<Payload> check(const Payload& payload) {
  if (payload.elements < 1) {
    return refuse({}, "a gradient of " + std::to_string(payload.elements) + " values", "at least 1 value");
  }
  if (!(payload.ratio > 0 && payload.ratio <= 1)) {
    return refuse({}, "compression ratio " + std::to_string(payload.ratio) + " is outside (0, 1]",
                  "kept / original, e.g. 0.01 to keep 1 %");
  }
  if (payload.index_bytes != 4 && payload.index_bytes != 8) {
    return refuse({}, "an index of " + std::to_string(payload.index_bytes) + " bytes", "4 or 8");
  }
  return payload;
}

Bytes message_bytes(const WireFormat& format, const Payload& payload) {
  Bytes sum;
  for (const Stage& stage : format.stages(payload)) sum += stage.per_rank;
  return sum;
}

}  // namespace netmodels
