// signSGD's vote on the device.
#pragma once

#include <span>

#include "kernels/device_compressor.hpp"

namespace kernels {

/// As SignSgd::majority: +1 where at least half of the ranks sent +, else -1.
/// @param messages  signSGD's of all ranks, at least one and at most 2^24, of equal length, on this device
/// @param decision  n values of +1 or -1
void majority(std::span<const DeviceMessage> messages, std::span<float> decision, StreamHandle stream);

}  // namespace kernels
