// The one table of collective operations: name, closed form and schedule of each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "netmodels/link_state.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "netmodels/schedule.hpp"

namespace netmodels {

/// Input of a collective, without the network.
struct Operation {
  std::uint32_t ranks = 1;    ///< N, 1 to 4096
  Bytes size;                 ///< M, as nccl-tests counts it; the row says of what
  std::uint32_t group = 1;    ///< ranks per node, for two-level operations; divides `ranks`
  std::uint32_t chunks = 16;  ///< pieces that a pipelined operation cuts M into
  std::vector<Bytes>
      parts{};                ///< per rank, for operations with unequal contributions; empty means equal ones
  std::uint32_t members = 1;  ///< ranks of a group, `group` apart; of `CollectiveReach::groups` only
  std::uint32_t shift = 1;    ///< members from sender to receiver; of `group_shift` only
};

/// How `Operation::size` is meant.
enum class SizeMeaning {
  buffer,  ///< bytes that every rank holds before and after (all-reduce, broadcast)
  total,   ///< bytes that every rank holds afterwards, all contributions together (all-gather), or before
           ///< (reduce-scatter); that rank 0 holds afterwards (gather) or before (scatter)
  contribution,  ///< bytes that one rank contributes; only in printed forms
};

std::string_view to_string(SizeMeaning meaning);

/// Role of the operation in a gradient exchange.
enum class CollectiveKind {
  all_reduce,
  all_gather,
  broadcast,
  reduce_scatter,
  reduce,   ///< reduction to rank 0
  gather,   ///< gather to rank 0
  scatter,  ///< scatter from rank 0
  ar_topk,
};

std::string_view to_string(CollectiveKind kind);

/// Ranks that work together.
enum class CollectiveReach {
  all,            ///< all of them
  within_node,    ///< the `Operation::group` ranks of each node; all nodes at a time
  between_nodes,  ///< ranks of equal index on all nodes; all indices at a time, each on its share of the size
  groups,         ///< `Operation::members` ranks that are `Operation::group` apart; all such groups at a time
};

/// One row of the table.
struct Collective {
  std::string_view name;
  std::string_view summary;  ///< one sentence
  std::string_view formula;  ///< the closed form as printed in help and `sim explain`
  std::string_view source;
  CollectiveKind kind;
  SizeMeaning size;
  /// Free homogeneous network only. Never fails for an Operation that `check` accepts.
  Seconds (*closed)(const Operation&, const LinkState&);
  /// Null where the row is a closed form without a schedule.
  Schedule (*schedule)(const Operation&);
  /// Works on nodes of `Operation::group` ranks; a choice only where nodes hold several.
  bool two_level = false;
  /// Library whose default for this kind the row is; empty: an algorithm, of no library.
  std::string_view library = {};
  /// A schedule that NCCL has: rings and chains of ranks, and double binary trees for all-reduce. Among those
  /// of a kind NCCL chooses itself. Source: NCCL 2.26, src/graph/tuning.cc.
  bool in_nccl = false;
  CollectiveReach reach = CollectiveReach::all;
};

/// The largest number of ranks of an operation.
inline constexpr std::uint32_t most_ranks = 4096;

/// Every collective, in a stable order.
std::span<const Collective> collectives();

/// @returns the row, or an Error that names the nearest known one
Result<const Collective*> find_collective(std::string_view name);

/// The row of a name that code states or that was checked before.
/// @throws std::logic_error for a name without a row
const Collective& collective_row(std::string_view name);

/// Whether `Operation::chunks` changes the messages of a row.
bool depends_on_chunks(const Collective& row);

/// The libraries with rows of their own, in a stable order.
std::span<const std::string_view> libraries();

/// The row by which a library runs operations of a kind unless configured otherwise; null where the table has
/// none.
const Collective* find_default(std::string_view library, CollectiveKind kind);

/// Returns an Error for input that no row accepts: no ranks, more than 4096, a negative or non-finite size, a
/// group that does not divide.
Result<Operation> check(const Operation& operation);

}  // namespace netmodels
