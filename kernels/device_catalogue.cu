// Rows of the table of CUDA twins.
#include <algorithm>
#include <array>

#include "kernels/catalogue_settings.hpp"
#include "kernels/device_ar_topk.hpp"
#include "kernels/device_catalogue.hpp"
#include "kernels/device_dgc.hpp"
#include "kernels/device_gaussian_k.hpp"
#include "kernels/device_half.hpp"
#include "kernels/device_int8.hpp"
#include "kernels/device_layerwise_top_k.hpp"
#include "kernels/device_ms_topk.hpp"
#include "kernels/device_multi_level.hpp"
#include "kernels/device_power_sgd.hpp"
#include "kernels/device_qsgd.hpp"
#include "kernels/device_random_k.hpp"
#include "kernels/device_redsync.hpp"
#include "kernels/device_sidco.hpp"
#include "kernels/device_signs.hpp"
#include "kernels/device_tern_grad.hpp"
#include "kernels/device_threshold.hpp"
#include "kernels/device_top_k.hpp"

namespace kernels {
namespace {

using Made = std::unique_ptr<DeviceCompressor>;

/// @tparam Method  the CPU twin, whose settings both take
template <class Twin, class Method>
Made told(const Settings& settings) {
  return std::make_unique<Twin>(own_settings<Method>(settings));
}

template <class Twin>
Made plain(const Settings&) {
  return std::make_unique<Twin>();
}

template <Half::Format format>
Made half(const Settings&) {
  return std::make_unique<DeviceHalf>(format);
}

Made layerwise(const Settings& settings) {
  return settings.layer_sizes.empty() ? told<DeviceTopK, TopK>(settings)
                                      : told<DeviceLayerwiseTopK, LayerwiseTopK>(settings);
}

Made multi_level(const Settings& settings) {
  const auto [first, second] = settings_of_levels(settings);
  return std::make_unique<DeviceMultiLevel>(std::make_unique<DeviceTopK>(first),
                                            std::make_unique<DeviceTopK>(second));
}

constexpr auto table = std::to_array<DeviceEntry>({
    {"fp16", half<Half::Format::binary16>},
    {"bf16", half<Half::Format::bfloat16>},
    {"topk", told<DeviceTopK, TopK>},
    {"lwtopk", layerwise},
    {"mstopk", told<DeviceMsTopK, MsTopK>},
    {"dgc", told<DeviceDgc, Dgc>},
    {"redsync", told<DeviceRedSync, RedSync>},
    {"sidco", told<DeviceSidco, Sidco>},
    {"gaussiank", told<DeviceGaussianK, GaussianK>},
    {"threshold", told<DeviceThreshold, Threshold>},
    {"ar_topk", told<DeviceArTopK, ArTopK>},
    {"randomk", told<DeviceRandomK, RandomK>},
    {"multilevel", multi_level},
    {"qsgd", told<DeviceQsgd, Qsgd>},
    {"int8", told<DeviceInt8, Int8>},
    {"terngrad", told<DeviceTernGrad, TernGrad>},
    {"signsgd", plain<DeviceSignSgd>},
    {"ef_sign", plain<DeviceEfSign>},
    {"onebit", plain<DeviceOneBit>},
    {"powersgd", told<DevicePowerSgd, PowerSgd>},
});

}  // namespace

std::span<const DeviceEntry> device_catalogue() { return table; }

const DeviceEntry* find_device(std::string_view name) {
  const auto row = std::ranges::find(table, name, &DeviceEntry::name);
  return row == table.end() ? nullptr : &*row;
}

}  // namespace kernels
