// The rows of the table of rules.
#include "calibrate/ledger/rules.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "netmodels/nearest.hpp"

namespace calibrate::ledger {
namespace {

constexpr std::array rule_table{
    Rule{"every_second_size", "every second size of each table", "the sizes between them", false,
         predict_every_second_size},
    Rule{"other_collective", "the all-reduce of a cluster", "other collectives of the same cluster", true,
         predict_other_collective},
    Rule{"other_ranks", "tables on other numbers of ranks", "the same collective on these ranks", true,
         predict_other_ranks},
    Rule{"nccl_hardware", "the description of the hardware alone", "every size of NCCL's collectives", false,
         predict_nccl_hardware, false, true},
    Rule{"nccl_left_out", "the description of the hardware, and two factors fitted to the other clusters",
         "every size of NCCL's collectives", false, predict_nccl_left_out, false, true},
    Rule{"nccl_in_sample", "the description of the hardware, and two factors fitted to all clusters",
         "every size of NCCL's collectives", false, predict_nccl_in_sample, false, true},
    Rule{"nccl_two_sizes", "the description of the hardware, and the smallest and the largest size",
         "the sizes between them", false, predict_nccl_two_sizes, false, true},
    Rule{"nccl_half", "the description of the hardware, and half of each table's sizes",
         "the other half of the sizes", false, predict_nccl_half, false, true},
    Rule{"nccl_other_table",
         "the description of the hardware, and the smallest and the largest size of another table of it",
         "other collectives, or the same on other ranks", true, predict_nccl_other_table, false, true},
    Rule{"other_bandwidth", "ping-pongs at another line rate", "clean MPI collectives over shaped links",
         true, predict_other_bandwidth},
    Rule{"nccl_other_bandwidth", "ping-pongs at another line rate",
         "NCCL over shaped links: rings, its chain, and messages of sparse exchanges from 4 KiB", true,
         predict_nccl_other_bandwidth},
    Rule{"nccl_rings_on_set_links", "delay and bandwidth that were set", "NCCL's all-reduce over such links",
         false, predict_nccl_rings_on_set_links},
    Rule{"nccl_chains_on_set_links", "delay and bandwidth that were set",
         "NCCL's broadcast and reduce over such links", false, predict_nccl_chains_on_set_links},
    Rule{"nccl_messages_on_set_links", "delay and bandwidth that were set",
         "NCCL's send and receive over such links", false, predict_nccl_messages_on_set_links},
    Rule{"gloo_on_set_links", "delay and bandwidth that were set", "Gloo's collectives over such links",
         false, predict_gloo_on_set_links},
    Rule{"other_bandwidth_rest", "ping-pongs at another line rate",
         "MPI collectives over shaped links that processors or library decide as well", true,
         predict_other_bandwidth_rest},
    Rule{"exchange_choice", "ping-pongs at another line rate",
         "whether a compressed exchange is faster than the dense one", true, predict_exchange_choice},
    Rule{"close_exchange_choice", "ping-pongs at another line rate",
         "the same where the measured times lie within a factor of 2", true, predict_close_exchange_choice},
    Rule{"gather_choice", "ping-pongs at another line rate",
         "whether an all-gather is faster than AR-Topk's broadcast and all-reduce", true,
         predict_gather_choice},
    Rule{"every_second_pair",
         "placements of every second pair (one node or several, number of replicas) of each model; steps of "
         "one "
         "replica, for the time of computing",
         "placements of the pairs between them, and the other way round", false, predict_every_second_pair},
    Rule{"more_nodes", "placements on fewer nodes", "placements on more nodes", true, predict_more_nodes},
    Rule{"vtrain_iterations", "every second iteration, and tables of all-reduces",
         "the iterations between them", true, predict_vtrain_iterations},
    Rule{"vtrain_on_eight", "iterations on 2 and 4 GPUs, and tables of all-reduces", "iterations on 8 GPUs",
         true, predict_vtrain_on_eight},
    Rule{"published", "machines and workloads as each scenario states them", "the figures of a paper", false,
         predict_published, true, false, count_published},
    Rule{"file", "the file of fits itself", "every size of the measurements", true, predict_by_fit_files},
};

}  // namespace

std::span<const Rule> rules() { return rule_table; }

netmodels::Result<const Rule*> find_rule(std::string_view name) {
  const auto* row = std::ranges::find(rule_table, name, &Rule::name);
  if (row != rule_table.end()) return row;
  std::vector<std::string_view> known;
  for (const Rule& each : rule_table) known.push_back(each.name);
  return netmodels::refuse("", "unknown rule `" + std::string(name) + "`",
                           netmodels::accepted_names(name, known));
}

}  // namespace calibrate::ledger
