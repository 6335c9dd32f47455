// The sum of a coder's energies, and its message.
#include "kernels/block_sums.cuh"
#include "kernels/device_coder.hpp"

namespace kernels {
namespace {

__global__ void __launch_bounds__(1024)
    sum_energies(const Energy* parts, std::int64_t count, DeviceTotals sizes, DeviceTotals* totals) {
  __shared__ WarpValues<double> scratch;
  double sent = 0, given = 0;
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) {
    sent += parts[i].sent;
    given += parts[i].given;
  }
  sent = block_sum(sent, scratch);
  given = block_sum(given, scratch);
  if (threadIdx.x != 0) return;
  totals->energy.sent = sent;
  totals->energy.given = given;
  totals->count = sizes.count;
  totals->wire_bytes = sizes.wire_bytes;
}

}  // namespace

DeviceMessage DeviceCoder::summed(std::int64_t elements, std::int64_t scale_count, std::int64_t code_bytes,
                                  std::int64_t part_count, StreamHandle stream) {
  const DeviceTotals sizes{{}, scale_count, wire_bytes(scale_count, code_bytes)};
  launch("sum_energies", sum_energies, one_block(part_count), stream, parts_.data(), part_count, sizes,
         totals());
  return coded(elements, scale_count, code_bytes);
}

DeviceMessage DeviceCoder::coded(std::int64_t elements, std::int64_t scale_count,
                                 std::int64_t code_bytes) const {
  return {elements, scales_.first(scale_count), {}, codes_.first(code_bytes), totals_.data()};
}

}  // namespace kernels
