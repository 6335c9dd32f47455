// AR-Topk: one rank chooses the indices by top-k, every rank sends its own values there, to be all-reduced.
#pragma once

#include <span>

#include "kernels/top_k.hpp"

namespace kernels {

/// The broadcaster of a step compresses as top-k does and broadcasts the indices, whose bytes its message
/// counts; all others call `compress_at` with them. The values lie at the same indices everywhere, so that
/// they can be summed as they are. Each rank keeps its own residual at the indices not sent.
///
/// The published implementation truncates c n, broadcasts eight-byte indices where its cost model counts
/// four, and starts the residual from uninitialised memory. Leaves out: who broadcasts (a policy's choice),
/// the sum over ranks. Source: Tyagi & Swany, "Flexible Communication for Optimal Distributed Learning over
/// Unpredictable
///         Networks", IEEE BigData 2023, Algorithm 1.
class ArTopK : public TopK {
 public:
  explicit ArTopK(const Settings& settings) : TopK(settings) {}

  /// CUDA implementation, of device_ar_topk.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device(const Settings& settings);

  /// As any rank but the broadcaster: the values at the given indices; the bytes are those of the values.
  /// @param indices  the broadcaster's; must outlive the message
  Message compress_at(std::span<const float> vector, std::span<const Index> indices);
};

}  // namespace kernels
