// Collectives within nodes and between them, as rows that are in no table.
#pragma once

#include <string_view>

#include "netmodels/collective.hpp"
#include "netmodels/two_level.hpp"

namespace netmodels {

inline constexpr std::string_view pairwise_source =
    "Thakur, Rabenseifner & Gropp, \"Optimization of Collective Communication Operations in MPICH\", 2005";

/// Collectives of the ranks of each node among themselves, and of those of equal index on all nodes; no rows
/// of the table, because they bring nothing to all ranks.
inline constexpr Collective node_gather{"ring_allgather within nodes",
                                        "contributions travel around a ring in each node",
                                        "(g-1) (L + M/(g B))",
                                        "Patarasuk & Yuan 2009",
                                        CollectiveKind::all_gather,
                                        SizeMeaning::total,
                                        node_allgather_time,
                                        node_allgather,
                                        true,
                                        {},
                                        true,
                                        CollectiveReach::within_node};
inline constexpr Collective node_sum{"ring_allreduce within nodes",
                                     "sums and then results travel around a ring in each node",
                                     "2(g-1) (L + M/(g B))",
                                     "Patarasuk & Yuan 2009",
                                     CollectiveKind::all_reduce,
                                     SizeMeaning::buffer,
                                     node_allreduce_time,
                                     node_allreduce,
                                     true,
                                     {},
                                     true,
                                     CollectiveReach::within_node};
inline constexpr Collective node_scatter{"ring_reduce_scatter within nodes",
                                         "sums travel around a ring in each node",
                                         "(g-1) (L + M/(g B))",
                                         "Patarasuk & Yuan 2009",
                                         CollectiveKind::reduce_scatter,
                                         SizeMeaning::total,
                                         node_allgather_time,
                                         node_allgather,
                                         true,
                                         {},
                                         true,
                                         CollectiveReach::within_node};
inline constexpr Collective node_replicas{"ring_allreduce between nodes",
                                          "a ring for each rank of a node",
                                          "2(n-1) (L + M/(N B))",
                                          "Patarasuk & Yuan 2009",
                                          CollectiveKind::all_reduce,
                                          SizeMeaning::buffer,
                                          between_nodes_allreduce_time,
                                          between_nodes_allreduce,
                                          true,
                                          {},
                                          true,
                                          CollectiveReach::between_nodes};
inline constexpr Collective node_shares{"ring_allgather between nodes",
                                        "a ring for each rank of a node",
                                        "(n-1) (L + M/(N B))",
                                        "Patarasuk & Yuan 2009",
                                        CollectiveKind::all_gather,
                                        SizeMeaning::total,
                                        between_nodes_allgather_time,
                                        between_nodes_allgather,
                                        true,
                                        {},
                                        true,
                                        CollectiveReach::between_nodes};
/// NCCL has no all-to-all of its own: programs post sends and receives.
inline constexpr Collective node_exchange{"pairwise all-to-all within nodes",
                                          "each rank of a node sends its part to each other one",
                                          "(g-1) (L + M/(g B))",
                                          pairwise_source,
                                          CollectiveKind::reduce_scatter,
                                          SizeMeaning::total,
                                          node_allgather_time,
                                          node_all_to_all,
                                          true,
                                          {},
                                          false,
                                          CollectiveReach::within_node};
/// All-to-all among all ranks, with `Operation::group` all of them.
inline constexpr Collective exchange_of_all{"pairwise all-to-all",
                                            "each rank sends its part to each other one",
                                            "(N-1) (L + M/(N B))",
                                            pairwise_source,
                                            CollectiveKind::reduce_scatter,
                                            SizeMeaning::total,
                                            node_allgather_time,
                                            node_all_to_all};
inline constexpr Collective exchange_of_nodes{
    "pairwise all-to-all between nodes",
    "each rank sends its part to the rank of its index on each other node",
    "(n-1) (L + M/(N B))",
    pairwise_source,
    CollectiveKind::reduce_scatter,
    SizeMeaning::total,
    between_nodes_all_to_all_time,
    between_nodes_all_to_all,
    true,
    {},
    false,
    CollectiveReach::between_nodes};

}  // namespace netmodels
