// What the compressors that send every value in fewer bits have in common.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/compressor.hpp"
#include "kernels/workspace.hpp"

namespace kernels {

/// Sends a code for every value, and scales. Receivers decode stretch by stretch; nothing of length n is
/// held.
class Coder : public Compressor {
 public:
  /// sum += decoded.
  void accumulate(const Message& message, std::span<float> sum) const final;

  /// vector -= decoded, 0 where the difference is not finite.
  void subtract(const Message& message, std::span<float> vector) const final;

  /// Values of one stretch: a multiple of every packing (8 signs to a byte, 4 ternary codes).
  static constexpr std::int64_t stretch = 4096;

 protected:
  /// Writes the decoded values [first, first + out.size()).
  /// @param first  a multiple of `stretch`
  /// @param out    at most `stretch` values, inside the vector
  virtual void decode(const Message& message, std::int64_t first, std::span<float> out) const = 0;

  /// The codes of one vector, owned here.
  std::span<std::uint8_t> codes(std::int64_t bytes) {
    codes_.reserve(bytes);
    return codes_.first(bytes);
  }
  /// The scales of one vector, owned here.
  std::span<float> scales(std::int64_t count) {
    scales_.reserve(count);
    return scales_.first(count);
  }
  /// The message of `elements` values, made of codes and scales.
  static Message coded(std::int64_t elements, std::span<const float> scales,
                       std::span<const std::uint8_t> codes, Energy energy) {
    const auto bytes = static_cast<std::int64_t>(codes.size() + scales.size_bytes());
    return {elements, scales, {}, codes, bytes, energy};
  }

 private:
  template <class Use>
  void each_stretch(const Message& message, std::span<float> vector, Use use) const;

  Workspace<std::uint8_t> codes_;
  Workspace<float> scales_;
};

}  // namespace kernels
