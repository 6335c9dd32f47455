// How each compressor is made from the settings of its row, on the processor and on the device.
#pragma once

#include <memory>
#include <utility>

#include "kernels/ar_topk.hpp"
#include "kernels/block_top_k.hpp"
#include "kernels/blockwise.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/dct_top_k.hpp"
#include "kernels/device_compressor.hpp"
#include "kernels/dgc.hpp"
#include "kernels/each_tensor.hpp"
#include "kernels/gaussian_k.hpp"
#include "kernels/half.hpp"
#include "kernels/int8.hpp"
#include "kernels/layerwise_top_k.hpp"
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

namespace kernels {

/// A compressor's own settings where it takes only a ratio, an index width and perhaps a seed.
template <class Method>
typename Method::Settings own_settings(const Settings& settings) {
  typename Method::Settings own;
  own.ratio = settings.ratio;
  own.index_bytes = settings.index_bytes;
  if constexpr (requires { own.seed; }) own.seed = settings.seed;
  return own;
}

/// Settings for known layers; without them layer-wise top-k is top-k.
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
inline BlockTopK::Settings own_settings<BlockTopK>(const Settings& settings) {
  return {settings.ratio, settings.block};
}

template <>
inline DctTopK::Settings own_settings<DctTopK>(const Settings& settings) {
  return {settings.ratio, settings.matrices, settings.proportional_tiles};
}

template <>
inline TernGrad::Settings own_settings<TernGrad>(const Settings& settings) {
  return {settings.clip, settings.seed};
}

template <>
inline PowerSgd::Settings own_settings<PowerSgd>(const Settings& settings) {
  return {settings.rank, settings.shape, settings.seed};
}

/// Settings of multi-level top-k: the first level's, and the second's, which keeps `ratio` of all.
inline std::pair<TopK::Settings, TopK::Settings> settings_of_levels(const Settings& settings) {
  const double second = std::min(1.0, settings.ratio / settings.first_ratio);
  return {{settings.first_ratio, settings.index_bytes}, {second, settings.index_bytes}};
}

template <class Method>
CompressorPtr make_from(const Settings& settings) {
  return std::make_unique<Method>(own_settings<Method>(settings));
}

template <class Method>
CompressorPtr make_plain(const Settings&) {
  return std::make_unique<Method>();
}

template <Half::Format format>
CompressorPtr make_half(const Settings&) {
  return std::make_unique<Half>(format);
}

inline CompressorPtr make_layerwise(const Settings& settings) {
  return settings.layer_sizes.empty() ? make_from<TopK>(settings) : make_from<LayerwiseTopK>(settings);
}

/// Int8 in blocks of 256.
inline CompressorPtr make_block_bytes(const Settings&) {
  return std::make_unique<Int8>(Int8::Settings{scale_block});
}

// With one scale for each tensor.

inline CompressorPtr make_tensor_bits(const Settings& settings) {
  return std::make_unique<EachTensor>(settings.tensor_sizes, 1, std::make_unique<EfSign>());
}

inline CompressorPtr make_tensor_nibbles(const Settings& settings) {
  return std::make_unique<EachTensor>(settings.tensor_sizes, 4, std::make_unique<Int4>(most_elements));
}

inline CompressorPtr make_tensor_bytes(const Settings& settings) {
  return std::make_unique<EachTensor>(settings.tensor_sizes, 8,
                                      std::make_unique<Int8>(Int8::Settings{most_elements}));
}

inline CompressorPtr make_multi_level(const Settings& settings) {
  const auto [first, second] = settings_of_levels(settings);
  return std::make_unique<MultiLevel>(std::make_unique<TopK>(first), std::make_unique<TopK>(second));
}

/// The result of a weak `make_on_device`, null where the program has none.
template <class... Parameters, class... Arguments>
DeviceCompressorPtr call_weak(DeviceCompressorPtr (*make)(Parameters...), Arguments&&... arguments) {
  return make == nullptr ? nullptr : make(std::forward<Arguments>(arguments)...);
}

template <class Method>
DeviceCompressorPtr on_device_from(const Settings& settings) {
  return call_weak(Method::make_on_device, own_settings<Method>(settings));
}

template <class Method>
DeviceCompressorPtr on_device_plain(const Settings&) {
  return call_weak(Method::make_on_device);
}

template <Half::Format format>
DeviceCompressorPtr on_device_half(const Settings&) {
  return call_weak(Half::make_on_device, format);
}

inline DeviceCompressorPtr on_device_layerwise(const Settings& settings) {
  return settings.layer_sizes.empty() ? on_device_from<TopK>(settings)
                                      : on_device_from<LayerwiseTopK>(settings);
}

inline DeviceCompressorPtr on_device_block_bytes(const Settings&) {
  return call_weak(Int8::make_on_device, Int8::Settings{scale_block});
}

inline DeviceCompressorPtr on_device_multi_level(const Settings& settings) {
  const auto [first, second] = settings_of_levels(settings);
  return call_weak(MultiLevel::make_on_device, call_weak(TopK::make_on_device, first),
                   call_weak(TopK::make_on_device, second));
}

}  // namespace kernels
