// Memory traffic of one compression over the memory's bandwidth.
#include "kernels/compression_floor.hpp"

namespace kernels {

using netmodels::Bytes;
using netmodels::Seconds;

Bytes compression_traffic(const Entry& format, const Payload& payload) {
  if (!format.memory_per_element) return {};
  const Bytes passes{*format.memory_per_element * static_cast<double>(payload.elements)};
  return passes + message_bytes(format, payload);
}

Seconds compression_floor(const Entry& format, const Payload& payload, const netmodels::Device& device) {
  if (!format.memory_per_element) return {};
  return compression_traffic(format, payload) / device.sustained_memory() + device.launch;
}

}  // namespace kernels
