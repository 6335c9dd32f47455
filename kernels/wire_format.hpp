// Wire formats: the bytes that each rank sends for n gradient values, collective by collective.
#pragma once

#include <cstdint>
#include <vector>

#include "netmodels/collective.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace kernels {

/// The gradient to be sent and how much of it.
struct Payload {
  std::int64_t elements = 1;  ///< n, fp32 values, at least 1
  double ratio = 1;           ///< c, kept / original, in (0, 1]; formats that are not sparse ignore it
  int index_bytes = 4;        ///< per index, 4 (as in the papers' formulas) or 8 (as PyTorch really sends)
  bool variance_selection = false;  ///< ar_topk only: all ranks first send their gradient's norm
  bool proportional_tiles = false;  ///< dct_topk only: smaller tiles send fewer coefficients
};

/// k = max(1, round(c n)), the nominal number of kept values. Methods that search a threshold miss it by what
/// their search leaves; methods that work per layer keep at least one value in each.
std::int64_t kept(const Payload& payload);

/// Refuses fewer than one element, a ratio outside (0, 1], and an index width other than 4 or 8.
netmodels::Result<Payload> check(const Payload& payload);

/// One collective of an exchange; the stages run one after the other.
struct Stage {
  netmodels::CollectiveKind kind;
  netmodels::Bytes
      per_rank;  ///< contributed by each rank; nccl-tests counts N times as much for an all-gather
};

/// The stages of one exchange; one function for each format. Never fails for a Payload that `check` accepts.
///
/// Leaves out: the matrix shapes on which the size of low-rank formats depends (their ratio states it);
/// lengths and headers (a few bytes); padding of variable-size all-gathers; the wider codebooks of some
/// libraries. Each format states the packed size even where the reference code sends whole bytes per sign.
using StagesFunction = std::vector<Stage>(const Payload& payload);

namespace stages {

StagesFunction fp32_values;
StagesFunction halves;
StagesFunction gathered_pairs;
/// A broadcast of the indices and an all-reduce of the values; before both, a norm of each rank if the
/// broadcaster is chosen by variance.
StagesFunction shared_indices;
/// The indices follow from a seed that all ranks have.
StagesFunction seeded_indices;
/// P, then Q; how k is split between them depends on the shapes, here half and half.
StagesFunction two_factors;
/// One byte for each value and a norm for each bucket of 128, GRACE's default.
StagesFunction byte_buckets;
/// One byte for each value and a scale for each block of 4096, as hivemind and bitsandbytes.
StagesFunction byte_blocks;
/// One, four or eight bits for each value and a scale for each block of 256 (`scale_block`).
StagesFunction block_bits, block_nibbles, block_bytes;
/// Four or eight bits for each value and one scale: that of one tensor, as their number is not known here.
StagesFunction tensor_nibbles, tensor_bytes;
/// Codes of blocks of 4096 values (`top_k_block`): an index of 12 bits and two bits for each value sent, and
/// two magnitudes.
StagesFunction coded_blocks;
/// Coefficients of tiles of 4096 values (`cosine_tiles`): two bytes of index and an fp32 coefficient for each
/// one sent; the values are taken as rows of 64, whatever the tensor's shape.
StagesFunction cosine_coefficients;
/// Two bits for each value and one scale.
StagesFunction ternary;
/// One bit for each value, and none, one or two numbers for the whole gradient.
StagesFunction signs, signs_and_scale, signs_and_means;
/// One bit for each value and one number, summed by the owner of each part.
StagesFunction summed_signs;

}  // namespace stages
}  // namespace kernels
