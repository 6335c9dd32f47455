// Operations on a roofline.
#include "netmodels/device_work.hpp"

#include <algorithm>

namespace netmodels {

bool runs_at_peak(WorkKind kind) { return kind == WorkKind::matmul || kind == WorkKind::attention; }

Seconds time_on(const Device& device, const DeviceWork& work) {
  const Seconds memory = work.memory / device.sustained_memory();
  return runs_at_peak(work.kind) ? std::max(work.flops / device.sustained_compute(), memory) : memory;
}

Seconds time_at(const PassUtilisation& reached, const Device& device, const DeviceWork& work) {
  if (work.kind == WorkKind::optimizer) return time_on(device, work);
  if (!runs_at_peak(work.kind)) return {};
  const double weight = work.kind == WorkKind::attention ? reached.attention_weight : 1;
  return work.flops * weight / (device.peak * reached.share);
}

}  // namespace netmodels
