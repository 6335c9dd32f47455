// Made-up gradients, made in the device's memory.
#pragma once

#include <span>

#include "kernels/device.hpp"
#include "kernels/made_up_values.hpp"

namespace kernels {

/// Puts the making of the values into the stream: bit by bit those of `made_up_value`.
/// @param vector  in the device's memory
/// @throws DeviceError
void make_up_values(std::span<float> vector, GradientValues values, StreamHandle stream);

}  // namespace kernels
