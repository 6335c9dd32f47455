// The rows of the table of collectives, and looking one up.
#include "netmodels/collective.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "netmodels/binomial_tree.hpp"
#include "netmodels/gloo.hpp"
#include "netmodels/halving_doubling.hpp"
#include "netmodels/library_defaults.hpp"
#include "netmodels/nearest.hpp"
#include "netmodels/pipelined_tree.hpp"
#include "netmodels/ring.hpp"
#include "netmodels/rooted.hpp"
#include "netmodels/send_tree.hpp"
#include "netmodels/staged.hpp"
#include "netmodels/table_one.hpp"
#include "netmodels/two_level.hpp"

namespace netmodels {
namespace {

using enum CollectiveKind;
using enum SizeMeaning;

constexpr std::string_view patarasuk = "Patarasuk & Yuan 2009";
constexpr std::string_view thakur = "Thakur, Rabenseifner & Gropp 2005";
constexpr std::string_view tyagi_table_one = "Tyagi & Swany 2023, Table I";
constexpr std::string_view openmpi_source = "Open MPI 4.1.4, coll_tuned_decision_fixed.c";
constexpr std::string_view mpich_source = "MPICH 4.0.2, generic.json";
constexpr std::string_view gloo_source = "Gloo 5b14351";

constexpr std::array<std::string_view, 4> library_names{"openmpi", "mpich", "gloo", "nccl"};

constexpr std::array collective_table{
    Collective{"ring_allreduce",
               "reduce-scatter and all-gather around a ring",
               "2(N-1) (L + M/(N B))",
               patarasuk,
               all_reduce,
               buffer,
               ring_allreduce_time,
               ring_allreduce,
               false,
               {},
               true},
    Collective{"halving_doubling_allreduce", "recursive halving, then recursive doubling",
               "2 log2(P) L + 2 (P-1)/P M/B [+ 2 (L + M/B) unless N = P]", thakur, all_reduce, buffer,
               halving_doubling_allreduce_time, halving_doubling_allreduce},
    Collective{"recursive_doubling_allreduce", "whole buffers exchanged with increasingly distant partners",
               "log2(P) (L + M/B) [+ 2 (L + M/B) unless N = P]", thakur, all_reduce, buffer,
               recursive_doubling_allreduce_time, recursive_doubling_allreduce},
    Collective{"tree_allreduce", "binomial reduction, then binomial broadcast, unpipelined",
               "2 ceil(log2 N) (L + M/B)", tyagi_table_one, all_reduce, buffer, binomial_tree_allreduce_time,
               binomial_tree_allreduce},
    Collective{"binary_tree_allreduce", "reduction and broadcast on a complete binary tree, unpipelined",
               "2 (D L + D 2M/B), D = floor(log2 N)", "own schedule", all_reduce, buffer,
               binary_tree_allreduce_time, binary_tree_allreduce},
    Collective{"pipelined_binary_tree_allreduce", "the same in C chunks",
               "2 (D L + (D-1+C) 2M/(C B)), D = floor(log2 N)", "own schedule", all_reduce, buffer,
               pipelined_binary_tree_allreduce_time, pipelined_binary_tree_allreduce},
    Collective{"double_binary_tree_allreduce",
               "half of the message on each of two binary trees, in C chunks",
               "2 (D L + (D-1+C) M/(C B)), D the depth of the deeper tree",
               "Sanders, Speck & Traeff 2009",
               all_reduce,
               buffer,
               double_binary_tree_allreduce_time,
               double_binary_tree_allreduce,
               false,
               {},
               true},
    Collective{"hierarchical_allreduce", "rings inside nodes of g ranks, rings between n nodes",
               "2(g-1) (L + M/(g B)) + 2(n-1) (L + M/(N B))", "Jia et al. 2018", all_reduce, buffer,
               hierarchical_allreduce_time, hierarchical_allreduce, true},
    Collective{"parameter_server_allreduce", "all push to rank 0, all pull from it", "2 L + 2(N-1) M/B",
               tyagi_table_one, all_reduce, buffer, parameter_server_allreduce_time,
               parameter_server_allreduce},
    Collective{"ring_allgather",
               "every contribution travels once around a ring",
               "(N-1) (L + M/(N B))",
               patarasuk,
               all_gather,
               total,
               ring_allgather_time,
               ring_allgather,
               false,
               {},
               true},
    Collective{"recursive_doubling_allgather", "blocks double with every round; Bruck's form unless N = P",
               "ceil(log2 N) L + (N-1)/N M/B", "Bruck et al. 1997", all_gather, total,
               recursive_doubling_allgather_time, recursive_doubling_allgather},
    Collective{"ring_allgatherv", "unequal contributions travel once around a ring", "(N-1) (L + max part/B)",
               patarasuk, all_gather, total, ring_allgatherv_time, ring_allgatherv},
    Collective{"hierarchical_allgather", "rings between n nodes, then rings inside nodes of g ranks",
               "(n-1) (L + M/(N B)) + (g-1) (L + M/(g B))", "Traeff 2019; Horovod", all_gather, total,
               hierarchical_allgather_time, hierarchical_allgather, true},
    Collective{"leader_allgather", "gather at one rank of each node, ring between these n, broadcast inside",
               "S L + (g-1) M/(N B) + (n-1) (L + M/(n B)) + S (L + M/B), S = ceil(log2 g)", "Horovod",
               all_gather, total, leader_allgather_time, leader_allgather, true},
    Collective{"binomial_broadcast", "the number of ranks with the data doubles with every round",
               "ceil(log2 N) (L + M/B)", tyagi_table_one, broadcast, buffer, binomial_broadcast_time,
               binomial_broadcast},
    Collective{"pipelined_broadcast",
               "C chunks follow each other down a chain",
               "(N-1) L + (N-2+C) M/(C B)",
               thakur,
               broadcast,
               buffer,
               pipelined_broadcast_time,
               pipelined_broadcast,
               false,
               {},
               true},
    Collective{"hierarchical_broadcast", "binomial between the first ranks of n nodes, then inside each node",
               "(ceil(log2 n) + ceil(log2 g)) (L + M/B)", "Kielmann et al. 1999", broadcast, buffer,
               hierarchical_broadcast_time, hierarchical_broadcast, true},
    Collective{"binomial_broadcast_at_once", "binomial, each rank sends to all its children at once",
               "S L + S(S+1)/2 M/B, S = log2 N, M > 64 KiB; else the longest way",
               "Open MPI 4.1.4, Gloo 5b14351", broadcast, buffer, binomial_broadcast_at_once_time,
               binomial_broadcast_at_once},
    Collective{"binomial_broadcast_buffered", "binomial, by blocking sends that leave 512 KiB in a socket",
               "S L + S M/B + (S-1) min(512 KiB, M)/B, S = log2 N = 1 to 3, M >= 1 MiB; else the longest way",
               "MPICH 4.0.2", broadcast, buffer, binomial_broadcast_buffered_time,
               binomial_broadcast_buffered},
    Collective{"linear_broadcast", "rank 0 sends to all others at once", "L + (N-1) M/B", "Open MPI 4.1.4",
               broadcast, buffer, linear_broadcast_time, linear_broadcast},
    Collective{"openmpi.broadcast", "Open MPI's choice by ranks and size", "that of the algorithm chosen",
               openmpi_source, broadcast, buffer, openmpi_broadcast_time, openmpi_broadcast, false,
               "openmpi"},
    Collective{"mpich.broadcast", "MPICH's choice by ranks and size", "that of the algorithm chosen",
               mpich_source, broadcast, buffer, mpich_broadcast_time, mpich_broadcast, false, "mpich"},
    Collective{"gloo.broadcast", "as binomial_broadcast_at_once, after a notice from each child",
               "L + S L + S(S+1)/2 M/B, S = log2 N, M > 64 KiB; else the longest way", gloo_source, broadcast,
               buffer, gloo_broadcast_time, gloo_broadcast, false, "gloo"},
    Collective{"nccl.broadcast", "down a chain, in pieces of 512 KiB",
               "(N-1) L + (N-2+C) M/(C B), C = M/512 KiB rounded up", "NCCL, src/init.cc", broadcast, buffer,
               nccl_broadcast_time, nccl_broadcast, false, "nccl", true},
    Collective{"openmpi.allreduce", "Open MPI's choice by ranks and size", "that of the algorithm chosen",
               openmpi_source, all_reduce, buffer, openmpi_allreduce_time, openmpi_allreduce, false,
               "openmpi"},
    Collective{"mpich.allreduce", "MPICH's choice by ranks and size", "that of the algorithm chosen",
               mpich_source, all_reduce, buffer, mpich_allreduce_time, mpich_allreduce, false, "mpich"},
    Collective{"gloo.allreduce", "ring, a share in s >= 2 segments of up to 1 MiB, each after a notice",
               "2 R((N-1) s), R(n) = n/2 (L + q + max(L, q)) + min(L, q) for even n, q = M/(N s B)",
               gloo_source, all_reduce, buffer, gloo_allreduce_time, gloo_allreduce, false, "gloo"},
    Collective{"openmpi.allgather", "Open MPI's choice by ranks and size", "that of the algorithm chosen",
               openmpi_source, all_gather, total, openmpi_allgather_time, openmpi_allgather, false,
               "openmpi"},
    Collective{"mpich.allgather", "MPICH's choice by ranks and size", "that of the algorithm chosen",
               mpich_source, all_gather, total, mpich_allgather_time, mpich_allgather, false, "mpich"},
    Collective{"gloo.allgather", "ring, halves of contributions, each after a notice",
               "R(2(N-1)), R as in gloo.allreduce, q = M/(2 N B)", gloo_source, all_gather, total,
               gloo_allgather_time, gloo_allgather, false, "gloo"},
    Collective{"ring_reduce_scatter",
               "sums travel around a ring, each rank keeps its share",
               "(N-1) (L + M/(N B))",
               patarasuk,
               reduce_scatter,
               total,
               ring_reduce_scatter_time,
               ring_reduce_scatter,
               false,
               {},
               true},
    Collective{"recursive_halving_reduce_scatter", "halves exchanged with ever closer partners",
               "log2(P) L + (P-1)/P M/B [+ 2 L + (1 + 1/N) M/B unless N = P]", thakur, reduce_scatter, total,
               recursive_halving_reduce_scatter_time, recursive_halving_reduce_scatter},
    Collective{"pairwise_reduce_scatter", "each share goes straight to its rank, one distance after another",
               "(N-1) (L + M/(N B))", thakur, reduce_scatter, total, pairwise_reduce_scatter_time,
               pairwise_reduce_scatter},
    Collective{"openmpi.reduce_scatter", "Open MPI's choice by ranks and size",
               "that of the algorithm chosen", openmpi_source, reduce_scatter, total,
               openmpi_reduce_scatter_time, openmpi_reduce_scatter, false, "openmpi"},
    Collective{"mpich.reduce_scatter", "MPICH's choice by ranks and size", "that of the algorithm chosen",
               mpich_source, reduce_scatter, total, mpich_reduce_scatter_time, mpich_reduce_scatter, false,
               "mpich"},
    Collective{"binomial_reduce", "whole buffers up a binomial tree, one after another",
               "ceil(log2 N) (L + M/B)", thakur, reduce, buffer, binomial_reduce_time, binomial_reduce},
    Collective{"linear_reduce", "all others send to rank 0 at once", "L + (N-1) M/B", "Open MPI 4.1.4",
               reduce, buffer, linear_reduce_time, linear_reduce},
    Collective{"halving_gather_reduce", "recursive halving, then the shares up a binomial tree",
               "2 log2(P) L + 2 (P-1)/P M/B [+ L + M/B unless N = P]", thakur, reduce, buffer,
               halving_gather_reduce_time, halving_gather_reduce},
    Collective{"ring_gather_reduce", "reduce-scatter around a ring, then all shares to rank 0 at once",
               "N L + 2 (N-1)/N M/B", gloo_source, reduce, buffer, ring_gather_reduce_time,
               ring_gather_reduce},
    Collective{"openmpi.reduce", "Open MPI's choice by ranks and size", "that of the algorithm chosen",
               openmpi_source, reduce, buffer, openmpi_reduce_time, openmpi_reduce, false, "openmpi"},
    Collective{"mpich.reduce", "MPICH's choice by ranks and size", "that of the algorithm chosen",
               mpich_source, reduce, buffer, mpich_reduce_time, mpich_reduce, false, "mpich"},
    Collective{"gloo.reduce", "segments around a ring as in gloo.allreduce, then all shares to rank 0",
               "R(N s - 2) + 2 L + (N-1)/N M/B, R, q and s as in gloo.allreduce", gloo_source, reduce, buffer,
               gloo_reduce_time, gloo_reduce, false, "gloo"},
    Collective{"nccl.reduce", "up a chain, in pieces of 512 KiB", "as nccl.broadcast", "NCCL, src/init.cc",
               reduce, buffer, nccl_broadcast_time, nccl_reduce, false, "nccl", true},
    Collective{"binomial_gather", "shares up a binomial tree",
               "ceil(log2 N) L + (N-1)/N M/B for powers of two; else the longest way", thakur, gather, total,
               binomial_gather_time, binomial_gather},
    Collective{"linear_gather", "all others send their shares to rank 0 at once", "L + (N-1)/N M/B",
               "Open MPI 4.1.4", gather, total, linear_gather_time, linear_gather},
    Collective{"openmpi.gather", "Open MPI's choice by ranks and share", "that of the algorithm chosen",
               openmpi_source, gather, total, openmpi_gather_time, openmpi_gather, false, "openmpi"},
    Collective{"mpich.gather", "as binomial_gather", "that of the algorithm chosen", mpich_source, gather,
               total, binomial_gather_time, binomial_gather, false, "mpich"},
    Collective{"gloo.gather", "as linear_gather, after a notice to each rank", "2 L + (N-1)/N M/B",
               gloo_source, gather, total, gloo_gather_time, gloo_gather, false, "gloo"},
    Collective{"binomial_scatter", "shares down a binomial tree",
               "ceil(log2 N) L + (N-1)/N M/B for powers of two; else the longest way", thakur, scatter, total,
               binomial_scatter_time, binomial_scatter},
    Collective{"linear_scatter", "rank 0 sends all shares at once", "L + (N-1)/N M/B", "Open MPI 4.1.4",
               scatter, total, linear_scatter_time, linear_scatter},
    Collective{"openmpi.scatter", "Open MPI's choice by ranks and share", "that of the algorithm chosen",
               openmpi_source, scatter, total, openmpi_scatter_time, openmpi_scatter, false, "openmpi"},
    Collective{"mpich.scatter", "as binomial_scatter", "that of the algorithm chosen", mpich_source, scatter,
               total, binomial_scatter_time, binomial_scatter, false, "mpich"},
    Collective{"gloo.scatter", "as linear_scatter, after a notice from each rank", "2 L + (N-1)/N M/B",
               gloo_source, scatter, total, gloo_scatter_time, gloo_scatter, false, "gloo"},
    Collective{"ar_topk_ring", "indices by binomial broadcast, values by ring all-reduce",
               "ceil(log2 N) (L + M/B) + 2(N-1) (L + M/(N B))", "Tyagi & Swany 2023, (4a)", ar_topk, buffer,
               ar_topk_ring_time, ar_topk_ring},
    Collective{"ar_topk_tree", "indices by binomial broadcast, values by tree all-reduce",
               "3 ceil(log2 N) (L + M/B)", "Tyagi & Swany 2023, (4b)", ar_topk, buffer, ar_topk_tree_time,
               ar_topk_tree},
    Collective{"ar_topk_hierarchical", "indices by hierarchical broadcast, values by hierarchical all-reduce",
               "(ceil(log2 n) + ceil(log2 g)) (L + M/B) + 2(g-1) (L + M/(g B)) + 2(n-1) (L + M/(N B))",
               "own schedule", ar_topk, buffer, ar_topk_hierarchical_time, ar_topk_hierarchical, true},
    Collective{"table_one_parameter_server", "published closed form", "2 L + 2(N-1) M/B", tyagi_table_one,
               all_reduce, buffer, table_one_parameter_server_time, nullptr},
    Collective{"table_one_ring", "published closed form", "2(N-1) L + 2 (N-1)/N M/B", tyagi_table_one,
               all_reduce, buffer, table_one_ring_time, nullptr},
    Collective{"table_one_tree", "published closed form; log is not rounded up",
               "2 log2(N) L + 2 log2(N) M/B", tyagi_table_one, all_reduce, buffer, table_one_tree_time,
               nullptr},
    Collective{"table_one_broadcast", "published closed form; log is not rounded up",
               "log2(N) L + log2(N) M/B", tyagi_table_one, broadcast, buffer, table_one_broadcast_time,
               nullptr},
    Collective{"table_one_allgather", "published closed form; log is not rounded up", "log2(N) L + (N-1) M/B",
               tyagi_table_one, all_gather, contribution, table_one_allgather_time, nullptr},
};

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
    case reduce: return "reduce";
    case gather: return "gather";
    case scatter: return "scatter";
    case ar_topk: return "AR-Topk";
  }
  return "";
}

std::span<const Collective> collectives() { return collective_table; }

bool depends_on_chunks(const Collective& row) {
  if (row.schedule == nullptr) return false;
  Operation operation{.ranks = 4, .size = Bytes{1e6}, .group = 2, .chunks = 2};
  const std::size_t few = row.schedule(operation).messages();
  operation.chunks = 3;
  return row.schedule(operation).messages() != few;
}

Result<const Collective*> find_collective(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Collective& row : collective_table) {
    if (row.name == name) return &row;
    names.push_back(row.name);
  }
  std::string hint = "`sim list collectives` shows all";
  const auto close = nearest(name, names);  // once: `auto` is looked up in each plan
  if (close) hint = "did you mean `" + std::string(*close) + "`? " + hint;
  return refuse("", "unknown collective `" + std::string(name) + "`", hint,
                {{{}, std::string(close.value_or(names.front()))}});
}

const Collective& collective_row(std::string_view name) {
  const auto row = std::ranges::find(collective_table, name, &Collective::name);
  if (row == collective_table.end()) throw std::logic_error("no collective `" + std::string(name) + "`");
  return *row;
}

std::span<const std::string_view> libraries() { return library_names; }

const Collective* find_default(std::string_view library, CollectiveKind kind) {
  for (const Collective& row : collective_table) {
    if (!library.empty() && row.library == library && row.kind == kind) return &row;
  }
  return nullptr;
}

Result<Operation> check(const Operation& operation) {
  const std::string ranks = std::to_string(operation.ranks);
  if (operation.ranks < 1 || operation.ranks > most_ranks) {
    return refuse("", ranks + " ranks", "1 to " + std::to_string(most_ranks) + " are accepted");
  }
  if (!std::isfinite(operation.size.count) || operation.size.count <= 0) {
    return refuse("", "a message of " + print(operation.size), "accepted: a size above 0");
  }
  if (operation.group < 1 || operation.ranks % operation.group != 0) {
    return refuse("",
                  "nodes of " + std::to_string(operation.group) + " ranks do not divide " + ranks + " ranks",
                  "a divisor of the number of ranks is accepted");
  }
  if (operation.chunks < 1 || operation.chunks > most_ranks) {
    return refuse("", std::to_string(operation.chunks) + " chunks",
                  "1 to " + std::to_string(most_ranks) + " are accepted");
  }
  if (!operation.parts.empty() && operation.parts.size() != operation.ranks) {
    return refuse("", std::to_string(operation.parts.size()) + " contributions for " + ranks + " ranks",
                  "one for each rank is accepted");
  }
  return operation;
}

}  // namespace netmodels
