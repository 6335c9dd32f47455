// A coder's message.
#include "kernels/device_coder.hpp"

namespace kernels {

DeviceMessage DeviceCoder::summed(std::int64_t elements, std::int64_t scale_count, std::int64_t code_bytes,
                                  std::int64_t part_count, StreamHandle stream) {
  const DeviceTotals sizes{{}, scale_count, wire_bytes(scale_count, code_bytes)};
  sum_energies(parts_.first(part_count), sizes, totals(), stream);
  return coded(elements, scale_count, code_bytes);
}

DeviceMessage DeviceCoder::coded(std::int64_t elements, std::int64_t scale_count,
                                 std::int64_t code_bytes) const {
  return {elements, scales_.first(scale_count), {}, codes_.first(code_bytes), totals_.data()};
}

}  // namespace kernels
