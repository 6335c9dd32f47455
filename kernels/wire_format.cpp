// Stages and bytes of the wire formats.
#include "kernels/wire_format.hpp"

#include <string>

#include "kernels/block_top_k.hpp"
#include "kernels/blockwise.hpp"
#include "kernels/dct_top_k.hpp"
#include "kernels/magnitude.hpp"
#include "kernels/signs.hpp"

namespace kernels {

using netmodels::Bytes;
using netmodels::refuse;
using netmodels::Result;

namespace {

constexpr double fp32_bytes = 4;           // one fp32 number: a value, a norm, a scale
constexpr std::int64_t qsgd_bucket = 128;  // values that share one norm; GRACE's default
constexpr std::int64_t int8_block = 4096;  // values that share one scale; hivemind, bitsandbytes

Bytes to_bytes(std::int64_t count) { return Bytes{static_cast<double>(count)}; }

/// Groups of `size` needed for n values, the last one possibly incomplete.
std::int64_t groups(std::int64_t elements, std::int64_t size) { return (elements + size - 1) / size; }

Bytes fp32_numbers(std::int64_t count) { return fp32_bytes * to_bytes(count); }

Bytes kept_indices(const Payload& payload) { return payload.index_bytes * to_bytes(kept(payload)); }

/// One bit for each value, and numbers for the whole gradient.
Bytes packed_signs(const Payload& payload, std::int64_t numbers) {
  return to_bytes(sign_bytes(payload.elements)) + fp32_numbers(numbers);
}

}  // namespace

std::int64_t kept(const Payload& payload) { return kept(payload.ratio, payload.elements); }

Result<Payload> check(const Payload& payload) {
  if (payload.elements < 1) {
    return refuse({}, "a gradient of " + std::to_string(payload.elements) + " values", "at least 1 value");
  }
  if (!(payload.ratio > 0 && payload.ratio <= 1)) {
    return refuse({}, "compression ratio " + std::to_string(payload.ratio) + " is outside (0, 1]",
                  "kept / original, e.g. 0.01 to keep 1 %");
  }
  if (payload.index_bytes != 4 && payload.index_bytes != 8) {
    return refuse({}, "an index of " + std::to_string(payload.index_bytes) + " bytes", "4 or 8");
  }
  return payload;
}

namespace stages {

using enum netmodels::CollectiveKind;

std::vector<Stage> fp32_values(const Payload& payload) {
  return {{all_reduce, fp32_numbers(payload.elements)}};
}

std::vector<Stage> halves(const Payload& payload) { return {{all_reduce, 2.0 * to_bytes(payload.elements)}}; }

std::vector<Stage> gathered_pairs(const Payload& payload) {
  return {{all_gather, fp32_numbers(kept(payload)) + kept_indices(payload)}};
}

std::vector<Stage> shared_indices(const Payload& payload) {
  std::vector<Stage> all;
  if (payload.variance_selection) all.push_back({all_gather, Bytes{fp32_bytes}});
  all.push_back({broadcast, kept_indices(payload)});
  all.push_back({all_reduce, fp32_numbers(kept(payload))});
  return all;
}

std::vector<Stage> seeded_indices(const Payload& payload) {
  return {{all_reduce, fp32_numbers(kept(payload))}};
}

std::vector<Stage> two_factors(const Payload& payload) {
  const Bytes each = 0.5 * fp32_numbers(kept(payload));
  return {{all_reduce, each}, {all_reduce, each}};
}

std::vector<Stage> byte_buckets(const Payload& payload) {
  return {{all_gather, to_bytes(payload.elements) + fp32_numbers(groups(payload.elements, qsgd_bucket))}};
}

std::vector<Stage> byte_blocks(const Payload& payload) {
  return {{all_reduce, to_bytes(payload.elements) + fp32_numbers(groups(payload.elements, int8_block))}};
}

std::vector<Stage> block_bits(const Payload& payload) {
  return {{all_gather, packed_signs(payload, groups(payload.elements, scale_block))}};
}

std::vector<Stage> block_nibbles(const Payload& payload) {
  return {{all_reduce,
           to_bytes(nibble_bytes(payload.elements)) + fp32_numbers(groups(payload.elements, scale_block))}};
}

std::vector<Stage> block_bytes(const Payload& payload) {
  return {{all_reduce, to_bytes(payload.elements) + fp32_numbers(groups(payload.elements, scale_block))}};
}

std::vector<Stage> tensor_nibbles(const Payload& payload) {
  return {{all_reduce, to_bytes(nibble_bytes(payload.elements)) + fp32_numbers(1)}};
}

std::vector<Stage> tensor_bytes(const Payload& payload) {
  return {{all_reduce, to_bytes(payload.elements) + fp32_numbers(1)}};
}

std::vector<Stage> coded_blocks(const Payload& payload) {
  return {{all_gather, to_bytes(block_layout(payload.ratio, payload.elements).wire_bytes())}};
}

std::vector<Stage> cosine_coefficients(const Payload& payload) {
  const std::int64_t whole = payload.elements / (cosine_tile * cosine_tile);
  const auto kept = [&payload](std::int64_t values) {
    return kept_of_tile(payload.ratio, payload.proportional_tiles, values);
  };
  std::int64_t sent = whole * kept(cosine_tile * cosine_tile);
  for (const CosineTile& tile : cosine_tiles(payload.elements % (cosine_tile * cosine_tile)))
    sent += kept(tile.values());
  return {{all_gather, to_bytes(6 * sent)}};
}

std::vector<Stage> ternary(const Payload& payload) {
  return {{all_gather, to_bytes(groups(payload.elements, 4)) + Bytes{fp32_bytes}}};
}

std::vector<Stage> signs(const Payload& payload) { return {{all_gather, packed_signs(payload, 0)}}; }
std::vector<Stage> signs_and_scale(const Payload& payload) {
  return {{all_gather, packed_signs(payload, 1)}};
}
std::vector<Stage> summed_signs(const Payload& payload) { return {{all_reduce, packed_signs(payload, 1)}}; }
std::vector<Stage> signs_and_means(const Payload& payload) {
  return {{all_gather, packed_signs(payload, 2)}};
}

}  // namespace stages
}  // namespace kernels
