// What the compressors that send some values unchanged, with their indices, have in common.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/candidates.hpp"
#include "kernels/compressor.hpp"
#include "kernels/workspace.hpp"

namespace kernels {

/// Sends (value, index) pairs. What was sent plus the residual is exactly the vector: the residual is the
/// vector with zeros at the indices sent.
class Sparsifier : public Compressor {
 public:
  /// sum[index] += value, for each pair.
  void accumulate(const Message& message, std::span<float> sum) const final;

  /// vector[index] = 0, for each pair.
  void subtract(const Message& message, std::span<float> vector) const final;

  [[nodiscard]] bool sparse() const final { return true; }

 protected:
  /// @param index_bytes  what an index costs on the wire: 4, 8 (what PyTorch really sends), or 0 where the
  /// receiver
  ///                     knows the indices already
  explicit Sparsifier(int index_bytes) : index_bytes_(index_bytes) {}

  /// The pairs of `vector` at `indices`, gathered.
  /// @param given  the vector's energy
  Message gathered(std::span<const float> vector, std::span<const Index> indices, double given);

  [[nodiscard]] int index_bytes() const { return index_bytes_; }

 private:
  int index_bytes_;
  Workspace<float> values_;
};

}  // namespace kernels
