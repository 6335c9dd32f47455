// The least time that a device can need to compress a gradient: the bytes that must pass through its memory.
#pragma once

#include "kernels/catalogue.hpp"
#include "netmodels/roofline.hpp"

namespace kernels {

/// Bytes moved through the memory of one rank to make its message,
///
///   format.memory_per_element x n + message bytes;
///
/// 12 n for one fused pass of error feedback (read gradient, read residual, write residual), 4 n for each
/// further pass that reads all values; nothing for the format `none`.
/// @param format  of `wire_formats()`
netmodels::Bytes compression_traffic(const Entry& format, const Payload& payload);

/// A floor, not an estimate: `compression_traffic` at the device's sustained memory bandwidth and one launch.
/// @returns 0 where nothing is compressed. Never fails.
///
/// Leaves out: restoring the message at the receiver, momentum buffers (DGC), threshold rounds beyond the
/// first (RedSync) or beyond the 25 that define MSTopk, atomics, and frameworks that run one kernel for each
/// operation: top-k with error feedback from framework operations moves about 56 bytes per value instead
/// of 12. The V100 times of Tyagi & Swany 2023, Fig. 2, are 1.5 to 50 times as long: give a measured time
/// where there is one.
///
/// Source: counted per method; on an H200 (4.3 TB/s copied) 12 bytes x 25 million values take 69.8 us.
netmodels::Seconds compression_floor(const Entry& format, const Payload& payload,
                                     const netmodels::Device& device);

}  // namespace kernels
