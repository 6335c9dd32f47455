// The rows of the table of operations.
#include "calibrate/measurements/operation.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <string>
#include <vector>

#include "netmodels/nearest.hpp"

namespace calibrate::measurements {
namespace {

using enum SizeMeaning;
using enum BusShare;

constexpr std::array rows{
    Operation{"all_reduce", "Allreduce", buffer, both_ways, true, false, false},
    Operation{"all_gather", "Allgather", total, one_way, false, false, true},
    Operation{"reduce_scatter", "Reduce_scatter", total, one_way, true, false, false},
    Operation{"broadcast", "Broadcast", buffer, whole, false, true, false},
    Operation{"reduce", "Reduce", buffer, whole, true, true, false},
    Operation{"alltoall", "All-to-All Personalized Exchange", total, one_way, false, false, true},
    Operation{"gather", "Gather", total, one_way, false, true, true},
    Operation{"scatter", "Scatter", total, one_way, false, true, true},
    Operation{"sendrecv", "", buffer, whole, false, false, false},
    Operation{"point_to_point", "", buffer, whole, false, false, false, false},
    Operation{"all_gatherv", "", total, one_way, false, false, false, false},
    Operation{"topk_all_gather", "", buffer, whole, false, false, false, false},
    Operation{"ar_topk", "", buffer, whole, false, false, false, false},
    Operation{"topk_all_gather_local", "", buffer, whole, false, false, false, false},
    Operation{"ar_topk_select", "", buffer, whole, false, false, false, false},
    Operation{"ar_topk_apply", "", buffer, whole, false, false, false, false},
    Operation{"topk_all_gather_messages", "", buffer, whole, false, false, false, false},
    Operation{"ar_topk_messages", "", buffer, whole, false, false, false, false},
};

}  // namespace

std::string_view to_string(SizeMeaning meaning) { return meaning == total ? "total" : "buffer"; }

std::span<const Operation> operations() { return rows; }

netmodels::Result<const Operation*> find_operation(std::string_view name) {
  constexpr std::string_view program_ending = "_perf";
  const std::string_view bare =
      name.ends_with(program_ending) ? name.substr(0, name.size() - program_ending.size()) : name;
  const auto* row = std::ranges::find(rows, bare, &Operation::name);
  if (row != rows.end()) return row;
  std::vector<std::string_view> known;
  for (const Operation& each : rows) known.push_back(each.name);
  return netmodels::refuse("", "unknown collective `" + std::string(name) + "`",
                           netmodels::accepted_names(bare, known));
}

double bus_factor(const Operation& operation, int ranks) {
  assert(ranks >= 1);
  const double others = (ranks - 1.0) / ranks;
  if (operation.bus == whole) return 1;
  return operation.bus == both_ways ? 2 * others : others;
}

}  // namespace calibrate::measurements
