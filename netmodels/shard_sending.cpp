// The table of ways to send less in a sharded step.
#include "netmodels/shard_sending.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "netmodels/nearest.hpp"

namespace netmodels {
namespace {

constexpr std::string_view zero_plus_plus =
    "Wang et al., \"ZeRO++: Extremely Efficient Collective Communication for Giant Model Training\", "
    "arXiv:2306.10209, 2023";

// DeepSpeed cuts values into groups of at most 8000 of which 4000 are best, by its quantizer's own words.
constexpr QuantizedForm eight_bits{.bits = 8, .block = 4096};
constexpr QuantizedForm four_bits{.bits = 4, .block = 4096};
constexpr QuantizedForm small_blocks_8{.bits = 8, .block = 128};
constexpr QuantizedForm small_blocks_4{.bits = 4, .block = 128};
constexpr QuantizedForm fp8{.bits = 8, .block = 0, .integer = false};
// DeMo: of 4096 cosine coefficients the 32 largest, in fp32, each with two bytes of index.
constexpr QuantizedForm cosine_coefficients{.bits = 48, .integer = false, .share = 32.0 / 4096};

constexpr std::array sending_table{
    ShardSendingRow{
        "qwz", "Parameters are gathered as 8-bit integers.", zero_plus_plus, {.parameters = eight_bits}},
    ShardSendingRow{"hpz",
                    "Each node keeps a second copy of the parameters in shares, so that the backward pass "
                    "gathers inside nodes.",
                    zero_plus_plus,
                    {.secondary = true}},
    ShardSendingRow{"qgz",
                    "Gradients are summed by two all-to-alls of 4-bit integers, inside nodes and between "
                    "them.",
                    zero_plus_plus,
                    {.gradients_within = four_bits, .gradients_between = four_bits}},
    ShardSendingRow{"zero++",
                    "qwz, hpz and qgz together.",
                    zero_plus_plus,
                    {.parameters = eight_bits,
                     .gradients_within = four_bits,
                     .gradients_between = four_bits,
                     .secondary = true}},
    ShardSendingRow{"fp8",
                    "Parameters are gathered as 8-bit floats with one scale for each gather.",
                    "PyTorch torchao, float8 training with fp8 all-gathers of FSDP2",
                    {.parameters = fp8}},
    ShardSendingRow{"sdp4bit",
                    "Differences of parameters are gathered in 4 bits, gradients summed by all-to-alls of 8 "
                    "bits inside nodes and 4 between them. Blocks of 128 are an assumption.",
                    "Jia et al., \"SDP4Bit: Toward 4-bit Communication Quantization in Sharded Data "
                    "Parallelism for LLM Training\", NeurIPS 2024",
                    {.parameters = small_blocks_4,
                     .gradients_within = small_blocks_8,
                     .gradients_between = small_blocks_4,
                     .differences = true}},
    ShardSendingRow{"loco",
                    "Gradients are summed by all-to-alls of 4-bit integers with error feedback, whose memory "
                    "has 8 bits a parameter.",
                    "Xie et al., \"LoCo: Low-Bit Communication Adaptor for Large-scale Model Training\", "
                    "2024",
                    {.gradients_within = four_bits, .gradients_between = four_bits, .error_bytes = 1}},
    ShardSendingRow{
        "flexdemo",
        "Between nodes each worker sends the 32 largest of 4096 cosine coefficients of its share of "
        "the momentum (DeMo); inside nodes gradients are summed whole. The momentum is a state of "
        "the optimizer.",
        "From et al., \"DeToNATION: Decoupled Torch Network-Aware Training on Interlinked "
        "Online Nodes\", arXiv:2502.06728, 2025",
        {.replicas = cosine_coefficients}},
};

}  // namespace

Bytes QuantizedForm::bytes(double values) const {
  constexpr double scale = 4;
  constexpr double bits_of_byte = 8;
  if (share < 1) return Bytes{std::ceil(values * share) * bits / bits_of_byte};
  const double scales = block > 0 ? std::ceil(values / block) : 1;
  return Bytes{values * bits / bits_of_byte + scale * scales};
}

std::span<const ShardSendingRow> shard_sendings() { return sending_table; }

Result<const ShardSendingRow*> find_shard_sending(std::string_view name) {
  const auto* row = std::ranges::find(sending_table, name, &ShardSendingRow::name);
  if (row != sending_table.end()) return row;
  std::vector<std::string_view> known;
  for (const ShardSendingRow& each : sending_table) known.push_back(each.name);
  return refuse({}, "unknown way of sending `" + std::string(name) + "`", accepted_names(name, known),
                nearest_change(name, known));
}

namespace {

/// What both state; empty where they can be combined.
std::string_view stated_twice(const ShardSending& one, const ShardSending& other) {
  if (one.secondary && other.secondary) return "second copies inside nodes";
  if (one.replicas && other.replicas) return "what is sent between nodes";
  if (one.gradients_within && other.gradients_within) return "how gradients are summed";
  if (one.parameters && other.parameters) return "how parameters are gathered";
  return "";
}

}  // namespace

Result<ShardSending> together(const ShardSending& one, const ShardSending& other) {
  if (const std::string_view twice = stated_twice(one, other); !twice.empty())
    return refuse({}, "two of them state " + std::string(twice), "name one of them");
  ShardSending both = one;
  if (other.parameters) both.parameters = other.parameters;
  if (other.gradients_within) both.gradients_within = other.gradients_within;
  if (other.gradients_between) both.gradients_between = other.gradients_between;
  if (other.replicas) both.replicas = other.replicas;
  both.secondary = one.secondary || other.secondary;
  both.differences = one.differences || other.differences;
  both.error_bytes = one.error_bytes + other.error_bytes;
  return both;
}

}  // namespace netmodels
