// Inputs of the compressors' fuzzer to begin from: one for each row of the table and each kind of vector.
#pragma once

#include <string>

#include "tests/fuzz/fuzzed_compressor.hpp"
#include "tests/kernels/reference.hpp"

namespace fuzz {

/// A `row` of the table, settings in the middle of their ranges, and `values` floats of one kind, half of
/// them gradient and half residual.
/// @param kind    of reference.hpp's `random_value`, or `all_kinds` for values at the ends of ranges
/// @param length  of the vectors that repeat these values; 0: as many as there are
inline std::string compressor_seed(std::size_t row, std::uint64_t kind, std::size_t values,
                                   std::uint16_t length = 0) {
  std::string bytes;
  const auto put = [&bytes](auto value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const auto byte = [&put](unsigned value) { put(static_cast<std::uint8_t>(value)); };
  byte(static_cast<unsigned>(row));
  put(std::uint16_t{6554});   // ratio 0.1
  put(std::uint16_t{32768});  // first ratio 0.5
  put(0.25F);                 // threshold
  byte(0);                    // index bytes
  put(std::uint64_t{5});      // seed
  byte(static_cast<unsigned>(kind));
  byte(static_cast<unsigned>(kind) / 2);  // replacement, scaled
  byte(126);                              // levels
  put(std::uint16_t{32});                 // bucket
  put(std::uint16_t{50});                 // block
  put(kind % 2 == 0 ? 2.5F : 0.0F);       // clip
  byte(1);                                // rank
  byte(length > 0 ? 255 : 0);
  byte(kind == kernels::reference::all_kinds ? 2 : 1);
  put(length);
  byte(static_cast<unsigned>(kind));  // shaped
  byte(12);                           // columns
  put(std::uint64_t{0x0500406000301003});
  kernels::reference::Random random(kind);
  for (std::size_t i = 0; i < values; ++i) put(kernels::reference::random_value(random, kind));
  return bytes;
}

}  // namespace fuzz
