// Codes of few bits with one scale for each tensor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/compressor.hpp"

namespace kernels {

/// Compresses tensor by tensor with one compressor, whose message of a tensor is one scale and the same bits
/// for each value. The codes of each tensor begin with a byte of their own.
///
/// Leaves out: vectors of another length than the tensors, which are an error of the caller.
/// Source: one scale for each tensor is what hooks of tensors send; Karimireddy et al., "Error Feedback Fixes
///         SignSGD and other Gradient Compression Schemes", ICML 2019, section 6 (layer by layer).
class EachTensor : public Compressor {
 public:
  /// @param sizes  values of each tensor, in the vector's order, each at least 0; they sum to n; none: one
  ///               tensor of any length
  /// @param bits   of a value, 1, 4 or 8
  /// @param coder  that draws no random numbers and restores a tensor from one scale and its codes
  EachTensor(std::vector<std::int64_t> sizes, int bits, CompressorPtr coder);

  /// @param vector  as long as all tensors together
  Message compress(std::span<const float> vector) override;
  void accumulate(const Message& message, std::span<float> sum) const override;
  void subtract(const Message& message, std::span<float> vector) const override;

 private:
  [[nodiscard]] std::int64_t code_bytes(std::int64_t values) const { return (values * bits_ + 7) / 8; }
  /// Calls use(first, size) for each tensor that is not empty.
  template <class Use>
  void for_each_tensor(std::int64_t elements, Use use) const;
  /// Calls use(message of a tensor, its part of the vector) for each of them.
  template <class Use>
  void for_each_message(const Message& message, std::span<float> vector, Use use) const;

  std::vector<std::int64_t> sizes_;
  int bits_;
  CompressorPtr coder_;
  Workspace<std::uint8_t> codes_;
  Workspace<float> scales_;
};

}  // namespace kernels
