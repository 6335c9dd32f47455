// Fuzz targets: any compressor of the table with any settings on any bits, and its invariants.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/ar_topk.hpp"
#include "tests/fuzz/demand.hpp"
#include "tests/fuzz/fuzzed_compressor.hpp"
#include "tests/kernels/reference.hpp"

namespace fuzz {

namespace reference = kernels::reference;
using kernels::Compressor;
using kernels::Index;
using kernels::Message;
using Floats = std::span<const float>;

/// Equal bits, or both NaN: which NaN an addition gives depends on the order of its operands.
inline bool same_values(Floats left, Floats right) {
  return std::ranges::equal(left, right, [](float a, float b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
           (std::isnan(a) && std::isnan(b));
  });
}

inline bool all_finite(Floats values) {
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

inline bool same_message(const Message& left, const Message& right) {
  return left.elements == right.elements && same_values(left.values, right.values) &&
         std::ranges::equal(left.indices, right.indices) && std::ranges::equal(left.codes, right.codes) &&
         left.wire_bytes == right.wire_bytes && reference::near(left.energy.sent, right.energy.sent, 1e-12) &&
         reference::near(left.energy.given, right.energy.given, 1e-12);
}

/// ceil(n / length).
inline std::int64_t parts_of(std::int64_t elements, std::int64_t length) {
  return elements / length + (elements % length == 0 ? 0 : 1);
}

/// Bytes of each block's codes, in whole bytes, and two numbers.
inline std::int64_t coded_block_bytes(const kernels::Settings& settings, std::int64_t n) {
  const std::int64_t block = std::min<std::int64_t>(settings.block, std::int64_t{1} << 32);
  std::int64_t index_bits = 0;
  while (std::int64_t{1} << index_bits < block) ++index_bits;
  std::int64_t bytes = 0;
  for (std::int64_t first = 0; first < n; first += block) {
    const auto size = static_cast<std::size_t>(std::min(block, n - first));
    bytes += parts_of(reference::plain_kept(settings.ratio, size) * (index_bits + 2), 8) + 8;
  }
  return bytes;
}

/// Six bytes for each coefficient that is sent of a tile of 64 runs of 64 values, of what is left of them,
/// and of the last run.
inline std::int64_t cosine_bytes(const kernels::Settings& settings, std::int64_t n) {
  const auto sent = [&](std::int64_t values) {
    if (values == 0) return std::int64_t{0};
    const auto whole = static_cast<std::size_t>(settings.proportional_tiles ? values : 4096);
    return std::min(values, static_cast<std::int64_t>(reference::plain_kept(settings.ratio, whole)));
  };
  return 6 * (n / 4096 * sent(4096) + sent(n % 4096 / 64 * 64) + sent(n % 64));
}

/// Whole bytes of codes and a scale for each tensor that is not empty.
inline std::int64_t tensor_bytes(const FuzzedCompressor& fuzzed, std::int64_t n) {
  const std::int64_t each = fuzzed.is("tensor_1bit") ? 8 : fuzzed.is("tensor_4bit") ? 2 : 1;
  std::vector<std::int64_t> sizes = fuzzed.settings.tensor_sizes;
  if (sizes.empty()) sizes.push_back(n);
  std::int64_t bytes = 0;
  for (const std::int64_t size : sizes) bytes += size == 0 ? 0 : parts_of(size, each) + 4;
  return bytes;
}

/// Bytes on the wire by the definition of each coder.
inline std::int64_t coded_bytes(const FuzzedCompressor& fuzzed, std::int64_t n) {
  const kernels::Settings& settings = fuzzed.settings;
  if (fuzzed.is("fp16") || fuzzed.is("bf16")) return 2 * n;
  if (fuzzed.is("qsgd")) return n + 4 * parts_of(n, settings.bucket);
  if (fuzzed.is("int8")) return n + 4 * parts_of(n, settings.block);
  if (fuzzed.is("block_1bit")) return parts_of(n, 8) + 4 * parts_of(n, 256);
  if (fuzzed.is("block_4bit")) return parts_of(n, 2) + 4 * parts_of(n, 256);
  if (fuzzed.is("block_8bit")) return n + 4 * parts_of(n, 256);
  if (fuzzed.is_of_tensors()) return tensor_bytes(fuzzed, n);
  if (fuzzed.is("block_topk")) return coded_block_bytes(settings, n);
  if (fuzzed.is("dct_topk")) return cosine_bytes(settings, n);
  if (fuzzed.is("terngrad")) return parts_of(n, 4) + 4;
  if (fuzzed.is("signsgd")) return parts_of(n, 8);
  if (fuzzed.is("ef_sign") || fuzzed.is("onebit_adam")) return parts_of(n, 8) + 4;
  if (fuzzed.is("onebit")) return parts_of(n, 8) + 8;
  if (fuzzed.is("none")) return 4 * n;
  demand(fuzzed.is("powersgd"));
  const kernels::Shape shape = settings.shape.rows > 0 ? settings.shape : kernels::nearly_square(n);
  return 4 * std::min<std::int64_t>(settings.rank, std::min(shape.rows, shape.columns)) *
         (shape.rows + shape.columns);
}

/// Places of the largest of the largest: `first_ratio` of the vector, then `ratio / first_ratio` of those.
inline std::vector<Index> largest_twice(const kernels::Settings& settings, Floats vector) {
  const std::vector<Index> outer =
      reference::sorted_top_k(vector, reference::plain_kept(settings.first_ratio, vector.size()));
  std::vector<float> values;
  for (const Index place : outer) values.push_back(vector[place]);
  const double second = std::min(1.0, settings.ratio / settings.first_ratio);
  std::vector<Index> places = reference::sorted_top_k(values, reference::plain_kept(second, values.size()));
  for (Index& place : places) place = outer[place];
  return places;
}

inline std::vector<Index> largest_of_layers(const kernels::Settings& settings, Floats vector) {
  std::vector<Index> places;
  std::size_t first = 0;
  for (const std::int64_t layer : settings.layer_sizes) {
    const auto size = static_cast<std::size_t>(layer);
    for (const Index place :
         reference::sorted_top_k(vector.subspan(first, size), reference::plain_kept(settings.ratio, size)))
      places.push_back(static_cast<Index>(first) + place);
    first += size;
  }
  return places;
}

/// All that reach the threshold, infinity and NaN among them.
inline std::int64_t reaching(double threshold, Floats vector) {
  return std::ranges::count_if(
      vector, [threshold](float value) { return !(std::abs(static_cast<double>(value)) < threshold); });
}

/// Whether a method that sends as many as pass a threshold may send `count`.
inline bool may_send(const FuzzedCompressor& fuzzed, Floats vector, std::int64_t count) {
  const std::int64_t k = reference::plain_kept(fuzzed.settings.ratio, vector.size());
  const auto sent = static_cast<double>(count), kept = static_cast<double>(k);
  if (fuzzed.is("threshold")) return count == reaching(fuzzed.settings.threshold, vector);
  if (fuzzed.is("redsync")) return count >= k && count <= 2 * k;
  if (fuzzed.is("dgc")) return count == k || (sent >= 0.8 * kept && sent <= 1.3 * kept);
  if (fuzzed.is("sidco") || fuzzed.is("gaussiank")) return count >= (vector.empty() ? 0 : 1);
  return count == k;
}

/// How many are sent and which: the first of the order (|v| descending, index ascending) wherever a method
/// does not choose by chance.
inline void check_places(const FuzzedCompressor& fuzzed, Floats vector, std::span<const Index> places) {
  const auto count = static_cast<std::int64_t>(places.size());
  const auto are = [&](const std::vector<Index>& expected) { demand(std::ranges::equal(places, expected)); };
  if (fuzzed.is("multilevel")) return are(largest_twice(fuzzed.settings, vector));
  if (fuzzed.is("lwtopk") && !fuzzed.settings.layer_sizes.empty())
    return are(largest_of_layers(fuzzed.settings, vector));
  demand(may_send(fuzzed, vector, count));
  if (!fuzzed.is("mstopk") && !fuzzed.is("randomk")) are(reference::sorted_top_k(vector, count));
}

/// Each value is the vector's at its place, bit for bit; a place that was drawn again comes with 0.
inline void check_values(const FuzzedCompressor& fuzzed, Floats vector, const Message& message) {
  const bool drawn = fuzzed.is("randomk");
  for (std::size_t i = 0; i < message.indices.size(); ++i) {
    demand(message.indices[i] < vector.size());
    const bool again = i > 0 && message.indices[i] == message.indices[i - 1];
    demand(!again || (drawn && fuzzed.settings.replacement));
    demand(i == 0 || message.indices[i - 1] <= message.indices[i]);
    if (drawn && fuzzed.settings.scaled) continue;
    const float expected = again ? 0 : vector[message.indices[i]];
    // The sum of two values that are not numbers is one of them: which one is the compiler's choice.
    demand(std::bit_cast<std::uint32_t>(message.values[i]) == std::bit_cast<std::uint32_t>(expected) ||
           (std::isnan(message.values[i]) && std::isnan(expected)));
  }
}

/// Sent plus residual is the vector, exactly.
inline void check_parts(const Compressor& compressor, Floats vector, const Message& message) {
  std::vector<float> rest(vector.begin(), vector.end());
  compressor.subtract(message, rest);
  demand(reference::same_bits(rest, reference::unsent(vector, message)));
  compressor.accumulate(message, rest);
  for (std::size_t i = 0; i < rest.size(); ++i)
    demand(rest[i] == vector[i] || (std::isnan(rest[i]) && std::isnan(vector[i])));
}

inline void check_selection(const FuzzedCompressor& fuzzed, const Compressor& compressor, Floats vector,
                            const Message& message) {
  demand(message.values.size() == message.indices.size() && message.codes.empty());
  check_values(fuzzed, vector, message);
  check_places(fuzzed, vector, message.indices);
  const int index_bytes = fuzzed.is("randomk") ? 0 : fuzzed.settings.index_bytes;
  demand(message.wire_bytes == (4 + index_bytes) * static_cast<std::int64_t>(message.values.size()));
  demand(reference::near(message.energy.given, reference::plain_energy(vector)));
  if (fuzzed.is("randomk") && fuzzed.settings.scaled) return;
  demand(reference::near(message.energy.sent, reference::plain_energy(message.values)));
  if (all_finite(vector)) demand(message.energy.gain() >= 0 && message.energy.gain() <= 1 + 1e-6);
  check_parts(compressor, vector, message);
}

/// Whether value i must be restored to something finite: all that share its scale are, and the format reaches
/// so far. Of a low-rank product nothing is said.
inline bool restores_finite(const FuzzedCompressor& fuzzed, Floats vector, std::size_t i) {
  if (fuzzed.is("fp16")) return std::abs(vector[i]) < 65520;
  if (fuzzed.is("bf16")) return std::abs(vector[i]) < 0x1.ffp127F;
  if (fuzzed.is("none")) return std::isfinite(vector[i]);
  if (fuzzed.is("signsgd")) return true;
  if (fuzzed.is("powersgd")) return false;
  if (fuzzed.is("dct_topk")) {  // a sum over a tile may overflow
    const double norm = std::sqrt(reference::plain_energy(vector));
    return all_finite(vector) && norm < 0x1p126;
  }
  const bool blocks = fuzzed.is("block_1bit") || fuzzed.is("block_4bit") || fuzzed.is("block_8bit");
  const bool bucketed = fuzzed.is("qsgd") || fuzzed.is("int8") || fuzzed.is("block_topk") || blocks;
  if (!bucketed) return all_finite(vector);
  const auto length = static_cast<std::size_t>(blocks              ? 256
                                               : fuzzed.is("qsgd") ? fuzzed.settings.bucket
                                                                   : fuzzed.settings.block);
  const std::size_t first = i / length * length;
  const Floats bucket = vector.subspan(first, std::min(length, vector.size() - first));
  const double norm = std::sqrt(reference::plain_energy(bucket));
  return all_finite(bucket) && (!fuzzed.is("qsgd") || norm <= 0x1.fffffep127);
}

inline void check_coding(const FuzzedCompressor& fuzzed, const Compressor& compressor, Floats vector,
                         const Message& message) {
  demand(message.indices.empty());
  demand(message.wire_bytes == coded_bytes(fuzzed, message.elements));
  demand(reference::near(message.energy.given, reference::plain_energy(vector)));
  std::vector<float> restored(vector.size(), 7.0F), rest(vector.begin(), vector.end());
  compressor.restore(message, restored);
  compressor.subtract(message, rest);
  const std::size_t step = std::max<std::size_t>(1, vector.size() / 16);  // a bucket may be all there is
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const float left = vector[i] - restored[i];
    demand(rest[i] == (std::isfinite(left) ? left : 0.0F));
    if (i % step == 0 && restores_finite(fuzzed, vector, i)) demand(std::isfinite(restored[i]));
  }
  // The steps of denormal scales are too coarse for their squares to agree; a product of factors may
  // overflow.
  if (message.energy.given <= 1e-60 || fuzzed.is("powersgd")) return;
  const double energy = reference::plain_energy(restored);
  if (fuzzed.is("dct_topk") && !std::isfinite(message.energy.sent))  // infinite coefficients may cancel: NaN
    return demand(!std::isfinite(energy));
  demand(reference::near(message.energy.sent, energy, 1e-5));
}

/// One step of two compressors of equal settings: one is fed gradient and residual, the other their sum.
inline void check_step(const FuzzedCompressor& fuzzed, Compressor& fed, Compressor& plain, Floats gradient,
                       Floats residual) {
  std::vector<float> sum(residual.begin(), residual.end()), rest = sum;
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += gradient[i];
  const Message first = fed.compress_fed(gradient, rest);
  const Message second = plain.compress(sum);
  demand(second.elements == static_cast<std::int64_t>(sum.size()));
  demand(same_message(first, second));
  const bool selects = plain.sparse();
  selects ? check_selection(fuzzed, plain, sum, second) : check_coding(fuzzed, plain, sum, second);
  std::vector<float> left = sum;
  plain.subtract(second, left);
  demand(same_values(left, rest));
}

/// Any other rank's step of AR-Topk has the broadcaster's places and its own values.
inline void check_other_rank(const FuzzedCompressor& fuzzed, Floats vector) {
  kernels::ArTopK broadcaster({fuzzed.settings.ratio, fuzzed.settings.index_bytes});
  kernels::ArTopK other({fuzzed.settings.ratio, fuzzed.settings.index_bytes});
  const std::vector<Index> places = reference::places_of(broadcaster.compress(vector));
  const Message message = other.compress_at(vector, places);
  demand(std::ranges::equal(message.indices, places));
  demand(message.wire_bytes == 4 * static_cast<std::int64_t>(places.size()));
  check_values(fuzzed, vector, message);
}

/// Three steps, the second on a shorter vector, so that workspaces are used again.
inline void compressors(std::string_view bytes) {
  const FuzzedCompressor fuzzed = read_compressor(bytes);
  demand(!kernels::validate(fuzzed.settings));
  const std::unique_ptr<Compressor> fed = fuzzed.made(), plain = fuzzed.made();
  const Floats gradient = fuzzed.gradient, residual = fuzzed.residual;
  const std::size_t shorter = fuzzed.fixed_size() ? gradient.size() : gradient.size() / 2;
  check_step(fuzzed, *fed, *plain, gradient, residual);
  check_step(fuzzed, *fed, *plain, residual.first(shorter), gradient.first(shorter));
  check_step(fuzzed, *fed, *plain, gradient, residual);
  if (fuzzed.is("ar_topk")) check_other_rank(fuzzed, gradient);
}

}  // namespace fuzz
