// What each compressor is told of the table's settings: the same for both twins.
#pragma once

#include <algorithm>
#include <utility>

#include "kernels/catalogue.hpp"
#include "kernels/int8.hpp"
#include "kernels/layerwise_top_k.hpp"
#include "kernels/power_sgd.hpp"
#include "kernels/qsgd.hpp"
#include "kernels/random_k.hpp"
#include "kernels/tern_grad.hpp"
#include "kernels/threshold.hpp"
#include "kernels/top_k.hpp"

namespace kernels {

/// A compressor's own settings where ratio, index width and perhaps a seed are all that it is told.
/// @tparam Method  the CPU twin
template <class Method>
typename Method::Settings own_settings(const Settings& settings) {
  typename Method::Settings own;
  own.ratio = settings.ratio;
  own.index_bytes = settings.index_bytes;
  if constexpr (requires { own.seed; }) own.seed = settings.seed;
  return own;
}

/// Of layers that are known; without them layer-wise top-k is top-k.
template <>
inline LayerwiseTopK::Settings own_settings<LayerwiseTopK>(const Settings& settings) {
  LayerwiseTopK::Settings own;
  own.ratio = settings.ratio;
  own.index_bytes = settings.index_bytes;
  own.layer_sizes = settings.layer_sizes;
  return own;
}

template <>
inline Threshold::Settings own_settings<Threshold>(const Settings& settings) {
  return {settings.threshold, settings.index_bytes};
}

template <>
inline RandomK::Settings own_settings<RandomK>(const Settings& settings) {
  return {settings.ratio, settings.replacement, settings.scaled, settings.seed};
}

template <>
inline Qsgd::Settings own_settings<Qsgd>(const Settings& settings) {
  return {settings.levels, settings.bucket, settings.seed};
}

template <>
inline Int8::Settings own_settings<Int8>(const Settings& settings) {
  return {settings.block};
}

template <>
inline TernGrad::Settings own_settings<TernGrad>(const Settings& settings) {
  return {settings.clip, settings.seed};
}

template <>
inline PowerSgd::Settings own_settings<PowerSgd>(const Settings& settings) {
  return {settings.rank, settings.shape, settings.seed};
}

/// Of multi-level top-k: the first level's, and the second's, which keeps `ratio` of all.
inline std::pair<TopK::Settings, TopK::Settings> settings_of_levels(const Settings& settings) {
  const double second = std::min(1.0, settings.ratio / settings.first_ratio);
  return {{settings.first_ratio, settings.index_bytes}, {second, settings.index_bytes}};
}

}  // namespace kernels
