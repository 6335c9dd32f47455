// The rules of the ledger: how the parameters of a prediction came about, and the functions that predict.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "calibrate/ledger/prediction.hpp"
#include "netmodels/result.hpp"

namespace calibrate::ledger {

// The one table of rules: how the parameters of a prediction came about.

/// One row of the table.
struct Rule {
  std::string_view name;
  std::string_view seen;       ///< data that the parameters were fitted to, one clause
  std::string_view predicted;  ///< figures that are predicted from them, one clause
  bool needs_seen = false;     ///< whether the entry names files under `seen`
  /// @returns at least one prediction, or an Error with its place
  netmodels::Result<std::vector<Prediction>> (*predict)(const Evidence&);
  bool from_results = false;    ///< whether the measured files are results that the simulator wrote
  bool needs_machines = false;  ///< whether the entry names descriptions of hardware under `machines`
  /// Counts figures by table; null where every figure is predicted. Asked after `predict`.
  netmodels::Result<std::vector<FigureCounts>> (*count)(const Evidence&) = nullptr;
};

/// Every rule, in a stable order.
std::span<const Rule> rules();

/// @returns the row, or an Error with an empty `where` that names the nearest known one
netmodels::Result<const Rule*> find_rule(std::string_view name);

// Fits to every second size of a table predict the sizes between them.

/// Each size of each table, predicted by the fit to the other half of its sizes (where a table has few sizes,
/// to all others): what `calibrate fit` prints as held-out error.
/// @param evidence  measured: measurements files; nothing is seen
netmodels::Result<std::vector<Prediction>> predict_every_second_size(const Evidence& evidence);

// Which exchange of gradients is quicker: predicted and measured, for dense, top-k and AR-Topk exchanges.

/// For every setting of the live tables, every buffer M and every smaller size S that were measured, two
/// quotients, each measured and predicted from a ping-pong at another line rate:
///
///   all-gather of S from each rank / ring all-reduce of M     (top-k that sends S, indices included)
///   (binomial broadcast of S + ring all-reduce of S) / ring all-reduce of M     (AR-Topk with S of values)
///
/// A quotient below 1 says that the compressed exchange is the quicker one. Messages of 4 KiB and more.
/// @param evidence  seen: tables with ping-pongs; measured: tables with collectives, perhaps the same
/// Leaves out: the time to compress, which no table holds; AR-Topk is the sum of two measured times.
netmodels::Result<std::vector<Prediction>> predict_exchange_choice(const Evidence& evidence);

/// Choices whose measured times lie within a factor of 2 of each other: the close calls.
netmodels::Result<std::vector<Prediction>> predict_close_exchange_choice(const Evidence& evidence);

/// For every setting of the live tables and every size S that was measured, the quotient of two exchanges of
/// compressed gradients:
///
///   all-gather of S from each rank / (binomial broadcast of S + ring all-reduce of S)
///
/// by each algorithm of all-gathers that was pinned (ring, Bruck, recursive doubling). Below 1 the
/// all-gather is the quicker one. Messages of 4 KiB and more.
/// @param evidence  as of `predict_exchange_choice`
/// Leaves out: that top-k with as many values sends twice the bytes of one of AR-Topk's parts: no table has
///             that size beside S.
netmodels::Result<std::vector<Prediction>> predict_gather_choice(const Evidence& evidence);

// Fits that were made elsewhere predict the measurements of the same collective on as many ranks.

/// Each measured size by the fit of the same collective on as many ranks. Where that fit was made of these
/// very measurements (the same facts, or without a source the same file name), it is marked as in sample.
/// @param evidence  seen: files of fits; measured: measurements files
/// @returns an Error where no fit has the collective on as many ranks
netmodels::Result<std::vector<Prediction>> predict_by_fit_files(const Evidence& evidence);

// Ping-pongs at another line rate predict live MPI collectives.

/// Every clean row of the live tables whose setting was also measured at another line rate; see
/// live_prediction.hpp for what is clean and how it is predicted.
/// @param evidence  seen: tables with ping-pongs; measured: tables with collectives, perhaps the same
netmodels::Result<std::vector<Prediction>> predict_other_bandwidth(const Evidence& evidence);

/// The rows that are not clean and have a form, from 64 KiB on.
netmodels::Result<std::vector<Prediction>> predict_other_bandwidth_rest(const Evidence& evidence);

/// Every row of NCCL from 4 KiB on whose setting was also measured at another line rate.
netmodels::Result<std::vector<Prediction>> predict_nccl_other_bandwidth(const Evidence& evidence);

// Delay and bandwidth that were set on links predict collectives over them.

/// Every row with a delay and a bandwidth, by the closed form of the library's collective on such a link;
/// nothing is fitted. Columns: collective, library, nodes, delay_ms (one way), bandwidth_gbit, size_bytes,
/// time_s.
/// @param evidence  measured: such tables; nothing is seen
/// @returns an Error where a table has no row of these collectives
/// Leaves out: what a library's own processor time adds; rows where one of both was not set.
netmodels::Result<std::vector<Prediction>> predict_nccl_rings_on_set_links(const Evidence& evidence);
netmodels::Result<std::vector<Prediction>> predict_nccl_chains_on_set_links(const Evidence& evidence);
netmodels::Result<std::vector<Prediction>> predict_nccl_messages_on_set_links(const Evidence& evidence);
netmodels::Result<std::vector<Prediction>> predict_gloo_on_set_links(const Evidence& evidence);

// The all-reduce of a cluster predicts its other collectives.

/// A collective of size S takes as long as the fitted all-reduce of the size that puts as many bytes on each
/// link: t(S) = t_all_reduce(S f / f_all_reduce), with nccl-tests' bus factors f. The latency, mostly of
/// starting the call, is thus taken over whole.
///
/// @param evidence  seen: all-reduces, one for each number of ranks; measured: other collectives on as many
/// ranks
/// @returns an Error where a seen file is not of an all-reduce, or none has as many ranks
/// Leaves out: differences between the algorithms of the two collectives.
netmodels::Result<std::vector<Prediction>> predict_other_collective(const Evidence& evidence);

// Tables on some numbers of ranks predict tables on others.

/// The ring model of all seen tables together (fits/across_ranks.hpp), asked for the ranks of each measured
/// one. Of tables with hundreds of sizes, every size that is 2^(1/4) or more above the one before it counts,
/// so that large sizes do not outnumber small ones.
/// @param evidence  seen and measured: measurements files or vTrain's look-up tables, of one collective
/// @returns an Error where a measured table's number of ranks was seen, or its collective was not
netmodels::Result<std::vector<Prediction>> predict_other_ranks(const Evidence& evidence);

// Described hardware, with none or a few measured sizes, predicts NCCL's times (netmodels/nccl/time.hpp).

/// Every size of each table from the description of its machine. Nothing is fitted.
/// @param evidence  machines: as `parse_nccl_machines` reads them; measured: measurements files or vTrain's
/// look-up tables; nothing is seen
/// @returns an Error where no machine names a table, or its ranks do not fit on the machine
netmodels::Result<std::vector<Prediction>> predict_nccl_hardware(const Evidence& evidence);

/// Every size of each table from the description of its machine and two factors, on the part of the model's
/// time that grows with size and on the rest, fitted to the tables of all other clusters. Clusters are kept
/// apart by the first two words of their tables' names.
/// @param evidence  as of `predict_nccl_hardware`, of two clusters at least
/// Leaves out: the form of the model, and constants that no factor moves, such as NCCL's own choices.
netmodels::Result<std::vector<Prediction>> predict_nccl_left_out(const Evidence& evidence);

/// The same with the judged cluster among the seen ones: how much the fit owes to having seen it.
netmodels::Result<std::vector<Prediction>> predict_nccl_in_sample(const Evidence& evidence);

/// The smallest and the largest size of each table correct the model (an offset and a factor); the others are
/// predicted.
netmodels::Result<std::vector<Prediction>> predict_nccl_two_sizes(const Evidence& evidence);

/// Half of each table's sizes, spread evenly with the smallest and the largest among them, correct the model;
/// the others are predicted.
netmodels::Result<std::vector<Prediction>> predict_nccl_half(const Evidence& evidence);

/// The smallest and the largest size of another table of the machine, of another collective or of other
/// ranks, correct the model; every size is predicted.
/// @param evidence  seen: one table; machines and measured as of `predict_nccl_hardware`
/// Leaves out: whether both tables are of the same machine, which the ledger's entry states.
netmodels::Result<std::vector<Prediction>> predict_nccl_other_table(const Evidence& evidence);

// Step times on some placements predict those on others.

/// Each placement by the model of fits/placement_law.hpp, fitted to the placements of every second pair (one
/// node or several, number of replicas), in ascending order, and the other way round. So no predicted
/// placement has the pair of a seen one, with any layout over the nodes. Steps of one replica, which know
/// no exchange, give both fits the time of computing; they are not predicted.
/// @param evidence  measured: AdaptDL's placements.csv of one model each; nothing is seen
netmodels::Result<std::vector<Prediction>> predict_every_second_pair(const Evidence& evidence);

/// Each measured step by the model fitted to all seen ones, file by file.
/// @param evidence  seen: placements.csv; measured: scalability.csv of the same models in the same order
/// @returns an Error where the numbers of files differ, or a measured step has no more nodes than a seen one
netmodels::Result<std::vector<Prediction>> predict_more_nodes(const Evidence& evidence);

// Published figures, predicted by scenarios.

/// Each published figure of each scenario against the simulator's. Figures that a scenario started from, as
/// its `expect` or its advice says, are left out.
/// @param evidence  measured: JSON results of `sim run` or `sim advise`; nothing is seen
/// @returns an Error where a result has no figure to compare with
netmodels::Result<std::vector<Prediction>> predict_published(const Evidence& evidence);

/// Counts the figures with a published value, scenario by scenario.
netmodels::Result<std::vector<FigureCounts>> count_published(const Evidence& evidence);

// Measured iterations of Megatron-DeepSpeed, predicted from others and from tables of all-reduces.

/// An iteration as a sum of terms with fitted factors of 0 or above. With m micro-batches a replica, p
/// stages, L layers, s = (m + p - 1) L/p layers that one stage computes in a row, b l tokens of width h in a
/// micro-batch, t ranks that share a layer and d replicas, the terms are
///
///   1                                  what every iteration costs
///   s, and s again where t > 1         starting the kernels of a layer
///   s (24 b l h^2 + 4 b l^2 h) / t     multiplications of a layer
///   s b l h / t, s b a l^2 / t         memory traffic of its activations and its attention scores (a heads)
///   s 4 AR(t, 2 b l h)                 all-reduces between the ranks that share it, half precision
///   AR(d, 2 (12 h^2 L/p + v h) / t)    all-reduce of the gradients between replicas
///   m b l h v / t                      the vocabulary, v = 51200 words
///
/// AR is read off the seen tables, linear between sizes; below the smallest size it keeps half of that time
/// and scales the rest; where a number of ranks was not measured, the nearest below it counts, its time
/// scaled by (N-1)/N.
///
/// @param evidence  seen: vTrain's look-up tables; measured: its iterations
/// Leaves out: overlap of the stages' sends with anything.
/// Source of the multiplications: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU
///         Clusters Using Megatron-LM", SC 2021, appendix.
netmodels::Result<std::vector<Prediction>> predict_vtrain_iterations(const Evidence& evidence);

/// The same, fitted to the iterations on fewer than 8 GPUs; predicted are those on 8.
netmodels::Result<std::vector<Prediction>> predict_vtrain_on_eight(const Evidence& evidence);

}  // namespace calibrate::ledger
