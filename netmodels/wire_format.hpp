// The one table of wire formats: what each rank hands to the network for n gradient values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "netmodels/collective.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace netmodels {

/// The gradient to be sent and how much of it.
struct Payload {
  std::int64_t elements = 1;  ///< n, fp32 values, at least 1
  double ratio = 1;           ///< c, kept / original, in (0, 1]; formats that are not sparse ignore it
  int index_bytes = 4;        ///< per index, 4 (as in the papers' formulas) or 8 (what PyTorch really sends)
  bool variance_selection = false;  ///< ar_topk only: all first tell their gradient's norm
};

/// k = max(1, round(c n)), the nominal number of kept values. Methods that search a threshold miss it by what
/// their search leaves; methods that work per layer keep at least one value in each.
std::int64_t kept(const Payload& payload);

/// One collective of an exchange; the stages run one after the other.
struct Stage {
  CollectiveKind kind;
  Bytes per_rank;  ///< contributed by each rank; nccl-tests counts N times as much for an all-gather
};

/// One row of the table.
struct WireFormat {
  std::string_view name;
  std::string_view summary;  ///< one sentence
  std::string_view formula;  ///< bytes per rank and stage, as printed in help and `sim explain`
  std::string_view source;
  CollectiveKind exchange;  ///< the kind of collective that carries the values
  bool sparse;              ///< sends k of n values as they are
  bool error_feedback;      ///< what is not sent is kept and added to the next gradient
  /// Bytes that one rank must move through its memory per gradient value to make the message, besides the
  /// message itself; nothing where the gradient is sent as it lies in memory.
  std::optional<double> memory_per_element;
  /// Never fails for a Payload that `check` accepts.
  std::vector<Stage> (*stages)(const Payload&);
  bool low_rank = false;  ///< sends two factors of together k values

  /// Whether the compression ratio counts.
  [[nodiscard]] bool has_ratio() const { return sparse || low_rank; }
};

/// Every wire format, in a stable order.
///
/// Leaves out: the matrix shapes on which the size of low-rank formats depends (their ratio states it);
/// lengths and headers (a few bytes); padding of variable-size all-gathers; the wider
/// codebooks of some libraries. Each row states the packed size even where the reference code sends whole
/// bytes per sign.
std::span<const WireFormat> wire_formats();

/// @returns the row, or an Error that names the nearest known one
Result<const WireFormat*> find_wire_format(std::string_view name);

/// Refuses fewer than one element, a ratio outside (0, 1], and an index width other than 4 or 8.
Result<Payload> check(const Payload& payload);

/// Sum over the stages of what one rank contributes.
Bytes message_bytes(const WireFormat& format, const Payload& payload);

}  // namespace netmodels
