// Gradients made up in a device's memory.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/device.hpp"

namespace bench {

/// The distribution of a gradient's values; hardly any two are equal.
enum class Values {
  bell_shaped,    ///< normal
  heavy_tailed,   ///< Student's t with two degrees of freedom: a few values far above the rest
  recorded_like,  ///< normal, layer by layer: 48 layers, small ones first, of scales between 1 and 2^-10
};

std::string_view to_string(Values values);

/// Puts the making of the values into the stream; equal seeds give equal values.
/// @throws kernels::DeviceError
void make_values(std::span<float> vector, Values values, std::uint64_t seed, kernels::StreamHandle stream);

}  // namespace bench
