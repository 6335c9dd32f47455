// Rows of the table of compressors.
#include "kernels/catalogue.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/ar_topk.hpp"
#include "kernels/dense.hpp"
#include "kernels/dgc.hpp"
#include "kernels/ef_sign.hpp"
#include "kernels/gaussian_k.hpp"
#include "kernels/half.hpp"
#include "kernels/int8.hpp"
#include "kernels/layerwise_top_k.hpp"
#include "kernels/ms_topk.hpp"
#include "kernels/multi_level.hpp"
#include "kernels/one_bit.hpp"
#include "kernels/power_sgd.hpp"
#include "kernels/qsgd.hpp"
#include "kernels/random_k.hpp"
#include "kernels/redsync.hpp"
#include "kernels/sidco.hpp"
#include "kernels/sign_sgd.hpp"
#include "kernels/tern_grad.hpp"
#include "kernels/threshold.hpp"
#include "kernels/top_k.hpp"

namespace kernels {
namespace {

using Made = std::unique_ptr<Compressor>;

/// A compressor's own settings where it shares ratio and index width with most.
template <class Method>
typename Method::Settings selecting(const Settings& settings) {
  typename Method::Settings own;
  own.ratio = settings.ratio;
  own.index_bytes = settings.index_bytes;
  return own;
}

template <class Method>
Made select(const Settings& settings) {
  return std::make_unique<Method>(selecting<Method>(settings));
}

template <class Method>
Made select_at_random(const Settings& settings) {
  auto own = selecting<Method>(settings);
  own.seed = settings.seed;
  return std::make_unique<Method>(own);
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
  if (settings.layer_sizes.empty()) return select<TopK>(settings);
  auto own = selecting<LayerwiseTopK>(settings);
  own.layer_sizes = settings.layer_sizes;
  return std::make_unique<LayerwiseTopK>(own);
}

Made threshold(const Settings& settings) {
  return std::make_unique<Threshold>(Threshold::Settings{settings.threshold, settings.index_bytes});
}

Made random_k(const Settings& settings) {
  return std::make_unique<RandomK>(
      RandomK::Settings{settings.ratio, settings.replacement, settings.scaled, settings.seed});
}

Made qsgd(const Settings& settings) {
  return std::make_unique<Qsgd>(Qsgd::Settings{settings.levels, settings.bucket, settings.seed});
}

Made int8(const Settings& settings) { return std::make_unique<Int8>(Int8::Settings{settings.block}); }

Made tern_grad(const Settings& settings) {
  return std::make_unique<TernGrad>(TernGrad::Settings{settings.clip, settings.seed});
}

Made power_sgd(const Settings& settings) {
  return std::make_unique<PowerSgd>(PowerSgd::Settings{settings.rank, settings.shape, settings.seed});
}

Made multi_level(const Settings& settings) {
  const double second = std::min(1.0, settings.ratio / settings.first_ratio);
  return std::make_unique<MultiLevel>(
      std::make_unique<TopK>(TopK::Settings{settings.first_ratio, settings.index_bytes}),
      std::make_unique<TopK>(TopK::Settings{second, settings.index_bytes}));
}

constexpr std::string_view stich = "Stich, Cordonnier & Jaggi, NeurIPS 2018";
constexpr std::string_view tyagi = "Tyagi & Swany, IEEE BigData 2023";

constexpr std::array<Entry, 21> table{{
    {"none", "The gradient as it is.", "IEEE 754 binary32", false, plain<Dense>},
    {"fp16", "Each value rounded to half precision.", "IEEE 754 binary16", false,
     half<Half::Format::binary16>},
    {"bf16", "Each value rounded to bfloat16.", "PyTorch DDP bf16_compress_hook", false,
     half<Half::Format::bfloat16>},
    {"topk", "The k values of largest magnitude.", stich, true, select<TopK>},
    {"lwtopk", "The largest values of each layer by itself.", tyagi, true, layerwise},
    {"mstopk", "Top-k by 25 bisections of a threshold.", "Shi et al., MLSys 2021", true,
     select_at_random<MsTopK>},
    {"dgc", "Values above a threshold taken from a sample of 1 %.", "Lin et al., ICLR 2018", true,
     select_at_random<Dgc>},
    {"redsync", "Values above a threshold searched between mean and maximum.",
     "Fang et al., J. Parallel Distrib. Comput. 133, 2019", true, select<RedSync>},
    {"sidco", "Values above a threshold from fitted exponential tails.", "Abdelmoniem et al., MLSys 2021",
     true, select<Sidco>},
    {"gaussiank", "Values above a quantile of the normal distribution.", "Shi et al., arXiv:1911.08772, 2019",
     true, select<GaussianK>},
    {"threshold", "Values above a threshold that is known beforehand.", "Aji & Heafield, EMNLP 2017", true,
     threshold},
    {"ar_topk", "One rank's top-k places, every rank's values there.", tyagi, true, select<ArTopK>},
    {"randomk", "k values at places that all ranks draw from one seed.", stich, true, random_k},
    {"multilevel", "Top-k of a coarser top-k, with the gains of both.", "Tyagi & Swany, IEEE CLOUD 2023",
     true, multi_level},
    {"qsgd", "8-bit levels of each value's share in the norm of its bucket.", "Alistarh et al., NeurIPS 2017",
     false, qsgd},
    {"int8", "8-bit values with one scale per block.", "Dettmers et al., ICLR 2022", false, int8},
    {"terngrad", "-1, 0 or 1 times the largest magnitude.", "Wen et al., NeurIPS 2017", false, tern_grad},
    {"signsgd", "Signs only, decided by majority.", "Bernstein et al., ICLR 2019", false, plain<SignSgd>},
    {"ef_sign", "Signs times the mean magnitude.", "Karimireddy et al., ICML 2019", true, plain<EfSign>},
    {"onebit", "Signs with the means of both groups.", "Seide et al., Interspeech 2014", true, plain<OneBit>},
    {"powersgd", "The gradient as a matrix of low rank.", "Vogels, Karimireddy & Jaggi, NeurIPS 2019", true,
     power_sgd},
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
