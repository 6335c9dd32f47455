// What the device's methods that search for their threshold have in common.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/device_selection.hpp"
#include "kernels/device_sparsifier.hpp"

namespace kernels {

/// Feeds and lists candidates of a sampled threshold in one pass, and searches among these; see
/// DeviceSelection.
class DeviceSearching : public DeviceSparsifier {
 public:
  /// The same as a step of error feedback without a residual.
  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) final {
    return compress_fed(vector, {}, stream);
  }

  /// Where values decide how many pass: MSTopk alone sends a number that n decides.
  [[nodiscard]] bool count_is_fixed() const override { return false; }

  /// See DeviceSelection.
  [[nodiscard]] std::int64_t rescans(StreamHandle stream) const { return selection_.rescans(stream); }

 protected:
  /// @param index_bytes  what an index costs on the wire
  explicit DeviceSearching(int index_bytes) : selection_(index_bytes) {}

  DeviceSelection selection_;
};

}  // namespace kernels
