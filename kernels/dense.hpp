// Dense: the vector as it is, four bytes per value.
#pragma once

#include <span>

#include "kernels/compressor.hpp"
#include "kernels/workspace.hpp"

namespace kernels {

/// Sends everything, so that "no compression" is not a special case. The message's values are the caller's
/// own vector, which must outlive it.
///
/// Source: IEEE 754 binary32.
class Dense : public Compressor {
 public:
  Message compress(std::span<const float> vector) override;
  /// Copies into the compressor's own memory, since the residual is emptied.
  Message compress_fed(std::span<const float> gradient, std::span<float> residual) override;
  void accumulate(const Message& message, std::span<float> sum) const override;
  void subtract(const Message& message, std::span<float> vector) const override;

 private:
  Workspace<float> sum_;
};

}  // namespace kernels
