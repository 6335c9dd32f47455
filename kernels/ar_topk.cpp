// The gather on all ranks but the broadcaster.
#include "kernels/ar_topk.hpp"

#include "kernels/statistics.hpp"

namespace kernels {

Message ArTopK::compress_at(std::span<const float> vector, std::span<const Index> indices) {
  Message message = gathered(vector, indices, energy(vector));
  message.wire_bytes -= index_bytes() * static_cast<std::int64_t>(indices.size());
  return message;
}

}  // namespace kernels
