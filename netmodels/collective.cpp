// The rows of the table of collectives, and looking one up.
#include "netmodels/collective.hpp"

#include <array>
#include <cmath>
#include <string>

#include "netmodels/ar_topk.hpp"
#include "netmodels/binomial_tree.hpp"
#include "netmodels/halving_doubling.hpp"
#include "netmodels/hierarchical.hpp"
#include "netmodels/nearest.hpp"
#include "netmodels/parameter_server.hpp"
#include "netmodels/pipelined_tree.hpp"
#include "netmodels/ring.hpp"
#include "netmodels/table_one.hpp"

namespace netmodels {
namespace {

using enum CollectiveKind;
using enum SizeMeaning;

constexpr std::string_view kPatarasuk = "Patarasuk & Yuan 2009";
constexpr std::string_view kThakur = "Thakur, Rabenseifner & Gropp 2005";
constexpr std::string_view kTyagi = "Tyagi & Swany 2023, Table I";

constexpr std::array kTable{
    Collective{"ring_all_reduce", "reduce-scatter and all-gather around a ring", "2(N-1) (L + M/(N B))", kPatarasuk,
               all_reduce, buffer, ring_all_reduce_time, ring_all_reduce},
    Collective{"halving_doubling_all_reduce", "recursive halving, then recursive doubling",
               "2 log2(P) L + 2 (P-1)/P M/B [+ 2 (L + M/B) unless N = P]", kThakur, all_reduce, buffer,
               halving_doubling_all_reduce_time, halving_doubling_all_reduce},
    Collective{"recursive_doubling_all_reduce", "whole buffers swapped with ever more distant partners",
               "log2(P) (L + M/B) [+ 2 (L + M/B) unless N = P]", kThakur, all_reduce, buffer,
               recursive_doubling_all_reduce_time, recursive_doubling_all_reduce},
    Collective{"tree_all_reduce", "binomial reduction, then binomial broadcast, unpipelined",
               "2 ceil(log2 N) (L + M/B)", kTyagi, all_reduce, buffer, binomial_tree_all_reduce_time,
               binomial_tree_all_reduce},
    Collective{"binary_tree_all_reduce", "reduction and broadcast on a complete binary tree, unpipelined",
               "2 S (L + M/B), S slots", "own schedule", all_reduce, buffer, binary_tree_all_reduce_time,
               binary_tree_all_reduce},
    Collective{"pipelined_binary_tree_all_reduce", "the same in C chunks", "2 S (L + M/(C B)), S = depth + 2(C-1)",
               "own schedule", all_reduce, buffer, pipelined_binary_tree_all_reduce_time,
               pipelined_binary_tree_all_reduce},
    Collective{"double_binary_tree_all_reduce", "half of the message on each of two binary trees, in C chunks",
               "2 S (L + M/(2 C B)), S = depth + 2(C-1)", "Sanders, Speck & Traeff 2009", all_reduce, buffer,
               double_binary_tree_all_reduce_time, double_binary_tree_all_reduce},
    Collective{"hierarchical_all_reduce", "rings inside nodes of g ranks, rings between n nodes",
               "2(g-1) (L + M/(g B)) + 2(n-1) (L + M/(N B))", "Jia et al. 2018", all_reduce, buffer,
               hierarchical_all_reduce_time, hierarchical_all_reduce},
    Collective{"parameter_server_all_reduce", "all push to rank 0, all pull from it", "2 L + 2(N-1) M/B", kTyagi,
               all_reduce, buffer, parameter_server_all_reduce_time, parameter_server_all_reduce},
    Collective{"ring_all_gather", "every contribution goes once round a ring", "(N-1) (L + M/(N B))", kPatarasuk,
               all_gather, total, ring_all_gather_time, ring_all_gather},
    Collective{"recursive_doubling_all_gather", "blocks double with every round; Bruck's form unless N = P",
               "ceil(log2 N) L + (N-1)/N M/B", "Bruck et al. 1997", all_gather, total,
               recursive_doubling_all_gather_time, recursive_doubling_all_gather},
    Collective{"ring_all_gatherv", "unequal contributions go once round a ring", "(N-1) (L + max part/B)", kPatarasuk,
               all_gather, total, ring_all_gatherv_time, ring_all_gatherv},
    Collective{"binomial_broadcast", "the ranks that know double with every round", "ceil(log2 N) (L + M/B)", kTyagi,
               broadcast, buffer, binomial_broadcast_time, binomial_broadcast},
    Collective{"pipelined_broadcast", "C chunks follow each other down a chain", "(N-2+C) (L + M/(C B))", kThakur,
               broadcast, buffer, pipelined_broadcast_time, pipelined_broadcast},
    Collective{"ring_reduce_scatter", "sums travel round a ring, each rank keeps its share", "(N-1) (L + M/(N B))",
               kPatarasuk, reduce_scatter, total, ring_reduce_scatter_time, ring_reduce_scatter},
    Collective{"ar_topk_ring", "indices by binomial broadcast, values by ring all-reduce",
               "ceil(log2 N) (L + M/B) + 2(N-1) (L + M/(N B))", "Tyagi & Swany 2023, (4a)", ar_topk, buffer,
               ar_topk_ring_time, ar_topk_ring},
    Collective{"ar_topk_tree", "indices by binomial broadcast, values by tree all-reduce", "3 ceil(log2 N) (L + M/B)",
               "Tyagi & Swany 2023, (4b)", ar_topk, buffer, ar_topk_tree_time, ar_topk_tree},
    Collective{"table_one_parameter_server", "printed form", "2 L + 2(N-1) M/B", kTyagi, all_reduce, buffer,
               table_one_parameter_server_time, nullptr},
    Collective{"table_one_ring", "printed form", "2(N-1) L + 2 (N-1)/N M/B", kTyagi, all_reduce, buffer,
               table_one_ring_time, nullptr},
    Collective{"table_one_tree", "printed form; log is not rounded up", "2 log2(N) L + 2 log2(N) M/B", kTyagi,
               all_reduce, buffer, table_one_tree_time, nullptr},
    Collective{"table_one_broadcast", "printed form; log is not rounded up", "log2(N) L + log2(N) M/B", kTyagi,
               broadcast, buffer, table_one_broadcast_time, nullptr},
    Collective{"table_one_all_gather", "printed form; log is not rounded up", "log2(N) L + (N-1) M/B", kTyagi,
               all_gather, contribution, table_one_all_gather_time, nullptr},
};

constexpr std::uint32_t kMostRanks = 4096;

}  // namespace

std::string_view to_string(SizeMeaning meaning) {
  switch (meaning) {
    case buffer: return "buffer of each rank";
    case total: return "all contributions together";
    case contribution: return "contribution of one rank";
  }
  return "";
}

std::string_view to_string(CollectiveKind kind) {
  switch (kind) {
    case all_reduce: return "all-reduce";
    case all_gather: return "all-gather";
    case broadcast: return "broadcast";
    case reduce_scatter: return "reduce-scatter";
    case ar_topk: return "AR-Topk";
  }
  return "";
}

std::span<const Collective> collectives() { return kTable; }

Result<const Collective*> find_collective(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Collective& row : kTable) {
    if (row.name == name) return &row;
    names.push_back(row.name);
  }
  std::string mend = "`sim list collectives` shows all";
  if (const auto close = nearest(name, names)) mend = "did you mean `" + std::string(*close) + "`? " + mend;
  return refuse("", "`" + std::string(name) + "` is no known collective", mend);
}

Result<Operation> check(const Operation& operation) {
  const std::string ranks = std::to_string(operation.ranks);
  if (operation.ranks < 1 || operation.ranks > kMostRanks) {
    return refuse("", ranks + " ranks", "1 to " + std::to_string(kMostRanks) + " are accepted");
  }
  if (!std::isfinite(operation.size.count) || operation.size.count <= 0) {
    return refuse("", "a message of " + print(operation.size), "a size above 0 is accepted: nothing to send is no collective");
  }
  if (operation.group < 1 || operation.ranks % operation.group != 0) {
    return refuse("", "nodes of " + std::to_string(operation.group) + " ranks do not divide " + ranks + " ranks",
                  "a divisor of the number of ranks is accepted");
  }
  if (operation.chunks < 1 || operation.chunks > kMostRanks) {
    return refuse("", std::to_string(operation.chunks) + " chunks", "1 to " + std::to_string(kMostRanks) + " are accepted");
  }
  if (!operation.parts.empty() && operation.parts.size() != operation.ranks) {
    return refuse("", std::to_string(operation.parts.size()) + " contributions for " + ranks + " ranks",
                  "one for each rank is accepted");
  }
  return operation;
}

}  // namespace netmodels
