// Rows of the table of compressors.
#include "kernels/catalogue.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/ar_topk.hpp"
#include "kernels/catalogue_settings.hpp"
#include "kernels/dense.hpp"
#include "kernels/dgc.hpp"
#include "kernels/ef_sign.hpp"
#include "kernels/gaussian_k.hpp"
#include "kernels/half.hpp"
#include "kernels/ms_topk.hpp"
#include "kernels/multi_level.hpp"
#include "kernels/one_bit.hpp"
#include "kernels/redsync.hpp"
#include "kernels/sidco.hpp"
#include "kernels/sign_sgd.hpp"

namespace kernels {
namespace {

using Made = std::unique_ptr<Compressor>;

template <class Method>
Made told(const Settings& settings) {
  return std::make_unique<Method>(own_settings<Method>(settings));
}

template <class Method>
Made plain(const Settings&) {
  return std::make_unique<Method>();
}

template <Half::Format format>
Made half(const Settings&) {
  return std::make_unique<Half>(format);
}

Made layerwise(const Settings& settings) {
  return settings.layer_sizes.empty() ? told<TopK>(settings) : told<LayerwiseTopK>(settings);
}

Made multi_level(const Settings& settings) {
  const auto [first, second] = settings_of_levels(settings);
  return std::make_unique<MultiLevel>(std::make_unique<TopK>(first), std::make_unique<TopK>(second));
}

constexpr std::string_view stich = "Stich, Cordonnier & Jaggi, NeurIPS 2018";
constexpr std::string_view tyagi = "Tyagi & Swany, IEEE BigData 2023";

constexpr std::array<Entry, 21> table{{
    {"none", "The gradient as it is.", "IEEE 754 binary32", false, plain<Dense>},
    {"fp16", "Each value rounded to half precision.", "IEEE 754 binary16", false,
     half<Half::Format::binary16>},
    {"bf16", "Each value rounded to bfloat16.", "PyTorch DDP bf16_compress_hook", false,
     half<Half::Format::bfloat16>},
    {"topk", "The k values of largest magnitude.", stich, true, told<TopK>},
    {"lwtopk", "The largest values of each layer by itself.", tyagi, true, layerwise},
    {"mstopk", "Top-k by 25 bisections of a threshold.", "Shi et al., MLSys 2021", true, told<MsTopK>},
    {"dgc", "Values above a threshold taken from a sample of 1 %.", "Lin et al., ICLR 2018", true, told<Dgc>},
    {"redsync", "Values above a threshold searched between mean and maximum.",
     "Fang et al., J. Parallel Distrib. Comput. 133, 2019", true, told<RedSync>},
    {"sidco", "Values above a threshold from fitted exponential tails.", "Abdelmoniem et al., MLSys 2021",
     true, told<Sidco>},
    {"gaussiank", "Values above a quantile of the normal distribution.", "Shi et al., arXiv:1911.08772, 2019",
     true, told<GaussianK>},
    {"threshold", "Values above a threshold that is known beforehand.", "Aji & Heafield, EMNLP 2017", true,
     told<Threshold>},
    {"ar_topk", "One rank's top-k places, every rank's values there.", tyagi, true, told<ArTopK>},
    {"randomk", "k values at places that all ranks draw from one seed.", stich, true, told<RandomK>},
    {"multilevel", "Top-k of a coarser top-k, with the gains of both.", "Tyagi & Swany, IEEE CLOUD 2023",
     true, multi_level},
    {"qsgd", "8-bit levels of each value's share in the norm of its bucket.", "Alistarh et al., NeurIPS 2017",
     false, told<Qsgd>},
    {"int8", "8-bit values with one scale per block.", "Dettmers et al., ICLR 2022", false, told<Int8>},
    {"terngrad", "-1, 0 or 1 times the largest magnitude.", "Wen et al., NeurIPS 2017", false,
     told<TernGrad>},
    {"signsgd", "Signs only, decided by majority.", "Bernstein et al., ICLR 2019", false, plain<SignSgd>},
    {"ef_sign", "Signs times the mean magnitude.", "Karimireddy et al., ICML 2019", true, plain<EfSign>},
    {"onebit", "Signs with the means of both groups.", "Seide et al., Interspeech 2014", true, plain<OneBit>},
    {"powersgd", "The gradient as a matrix of low rank.", "Vogels, Karimireddy & Jaggi, NeurIPS 2019", true,
     told<PowerSgd>},
}};

std::string refusal(std::string_view key, double value, std::string_view accepted) {
  std::string number = std::to_string(value);
  if (std::isfinite(value) && value == std::trunc(value)) number.resize(number.find('.'));
  return std::string(key) + " " + number + " is outside " + std::string(accepted);
}

/// What is wrong with the settings that are whole numbers.
std::optional<std::string> fault_of_counts(const Settings& settings) {
  if (settings.index_bytes != 4 && settings.index_bytes != 8) {
    return "index_bytes " + std::to_string(settings.index_bytes) + " is neither 4 nor 8";
  }
  if (settings.levels < 1 || settings.levels > 127) return refusal("levels", settings.levels, "[1, 127]");
  if (settings.bucket < 1) return refusal("bucket", static_cast<double>(settings.bucket), "[1, ...)");
  if (settings.block < 1) return refusal("block", static_cast<double>(settings.block), "[1, ...)");
  if (settings.rank < 1) return refusal("rank", settings.rank, "[1, ...)");
  const Shape& shape = settings.shape;
  if (shape.rows < 0 || shape.columns < 0 || (shape.rows == 0) != (shape.columns == 0)) {
    return "shape " + std::to_string(shape.rows) + " x " + std::to_string(shape.columns) +
           " is no matrix; both positive, or 0 x 0 for one as square as possible";
  }
  for (const std::int64_t size : settings.layer_sizes) {
    if (size < 0) return refusal("layer size", static_cast<double>(size), "[0, ...)");
  }
  return {};
}

}  // namespace

std::optional<std::string> fault(const Settings& settings) {
  // Written so that NaN is refused too.
  if (!(settings.ratio > 0 && settings.ratio <= 1)) return refusal("ratio", settings.ratio, "(0, 1]");
  if (!(settings.first_ratio > 0 && settings.first_ratio <= 1)) {
    return refusal("first_ratio", settings.first_ratio, "(0, 1]");
  }
  if (!(settings.threshold >= 0 && std::isfinite(settings.threshold))) {
    return refusal("threshold", settings.threshold, "[0, infinity)");
  }
  if (settings.clip && !(*settings.clip > 0)) return refusal("clip", *settings.clip, "(0, infinity)");
  return fault_of_counts(settings);
}

std::span<const Entry> catalogue() { return table; }

const Entry* find(std::string_view name) {
  const auto row = std::ranges::find(table, name, &Entry::name);
  return row == table.end() ? nullptr : &*row;
}

}  // namespace kernels
