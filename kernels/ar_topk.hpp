// AR-Topk: one rank chooses the places by top-k, every rank sends its own values there, to be all-reduced.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/largest.hpp"
#include "kernels/sparsifier.hpp"

namespace kernels {

/// The broadcaster of a step calls `compress` and broadcasts the indices; all others call `compress_at` with
/// them. The values lie at the same places everywhere, so that they can be summed as they are. Each rank
/// keeps its own residual at the places not sent.
///
/// The published implementation truncates c n, broadcasts eight-byte indices where its cost model counts
/// four, and starts the residual from uninitialised memory. Leaves out: who broadcasts (a policy's choice),
/// the sum over ranks. Source: Tyagi & Swany, "Flexible Communication for Optimal Distributed Learning over
/// Unpredictable
///         Networks", IEEE BigData 2023, Algorithm 1.
class ArTopK : public Sparsifier {
 public:
  struct Settings {
    double ratio = 0.01;  ///< c, kept / original, in (0, 1]
    int index_bytes = 4;  ///< per index on the wire, 4 or 8
  };

  explicit ArTopK(const Settings& settings);

  /// As the broadcaster: exact top-k; the bytes are those of the indices and of the values.
  Message compress(std::span<const float> vector) override;
  Message compress_fed(std::span<const float> gradient, std::span<float> residual) override;

  /// As any other rank: the values at the given places; the bytes are those of the values.
  /// @param indices  the broadcaster's; must outlive the message
  Message compress_at(std::span<const float> vector, std::span<const Index> indices);

 private:
  double ratio_;
  Largest largest_;
};

}  // namespace kernels
