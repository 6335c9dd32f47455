// Work of one operation on a device, and how long it takes by the device's roofline.
#pragma once

#include <cstdint>
#include <string>

#include "netmodels/quantity.hpp"
#include "netmodels/roofline.hpp"

namespace netmodels {

/// Kinds of operations. Only matrix products and attention run on the units that a peak is stated for.
enum class WorkKind : std::uint8_t { matmul, attention, pointwise, copy, optimizer, embedding };

/// FLOPs and traffic of one operation, or of several in a row.
struct DeviceWork {
  WorkKind kind = WorkKind::pointwise;
  Flops flops;            ///< a multiply-add counts as two
  Bytes memory;           ///< bytes read and written
  std::string precision;  ///< arithmetic, such as bf16; empty: the first of the device

  bool operator==(const DeviceWork&) const = default;
};

/// Whether FLOPs of a kind run at the peak of a device: those of `matmul` and `attention`.
bool runs_at_peak(WorkKind kind);

/// Time of the work,
///
///   t = max(FLOPs / (peak x efficiency), bytes / (bandwidth x efficiency)),
///
/// FLOPs of matrix products and attention only: those of other kinds are few for each byte.
/// @param device  in the arithmetic of the work
/// Leaves out: the time to launch kernels; efficiencies that vary with the shape; caches.
/// Source: as `roofline`.
Seconds time_on(const Device& device, const DeviceWork& work);

/// Share of a device's peak that both passes of training reached in FLOPs of the hardware; see
/// utilisation.hpp.
struct PassUtilisation {
  double share = 1;             ///< share of the peak, in (0, 1]
  double attention_weight = 1;  ///< how often the FLOPs of attention count, above 0
};

/// Time of the work at a published utilisation, FLOPs / (peak x share). All other operations of the passes
/// are in the share and take no time by themselves; an optimizer takes its time on the roofline.
Seconds time_at(const PassUtilisation& reached, const Device& device, const DeviceWork& work);

}  // namespace netmodels
