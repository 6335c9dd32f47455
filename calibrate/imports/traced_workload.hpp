// A workload that was found in a trace, and the files that it is written as.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/quantity.hpp"

namespace calibrate::imports {

// A workload as a trace shows it, before it is written as files of ours.

/// One layer, with its times in one step of one rank.
struct TracedLayer {
  std::string name;
  std::string kind;
  std::int64_t parameters =
      0;  ///< 0, or those of a whole bucket, at the layer whose backward pass completes it
  netmodels::Seconds forward;
  netmodels::Seconds backward;
};

/// Facts from the caller of the import that the trace may lack.
struct TraceHints {
  std::optional<int> batch;       ///< samples per rank and step
  std::optional<int> ranks = {};  ///< ranks of the traced job
};

/// One step of one rank.
struct TracedWorkload {
  std::string device;
  int ranks = 1;
  std::optional<int> batch;           ///< nothing: neither from the trace nor from the caller
  std::vector<TracedLayer> layers;    ///< layers in forward order
  std::vector<std::int64_t> buckets;  ///< values of each gradient all-reduce, in order; empty: none was seen
  std::optional<netmodels::Bytes> buffers;  ///< broadcast in every step; nothing: unknown
  netmodels::Seconds host_overhead;         ///< before the forward pass and after the optimizer
  netmodels::Seconds optimizer;
  std::string source;                ///< the trace, one line
  std::vector<std::string> facts;    ///< provenance, a sentence each
  std::vector<std::string> skipped;  ///< omissions, a sentence each

  /// Host overhead, both passes and the optimizer: the step without the exchange that nothing hides.
  [[nodiscard]] netmodels::Seconds step() const;
};

/// Share of a step above which exposed communication makes compression worth while.
inline constexpr double exposed_share = 0.05;

/// The bandwidth from which on less than `exposed_share` of the step is exposed communication, if the buckets
/// go around a ring of `ranks` workers, one after another and each once its layer's backward pass is done.
/// @param ranks  at least 2
/// @returns nothing where the trace has no buckets
/// Leaves out: latency, buffers, and what an exchange costs the backward pass.
std::optional<netmodels::Bandwidth> hidden_from(const TracedWorkload& workload, int ranks);

/// "From 4.6 Gbit/s on (2 ranks; 9.2 Gbit/s with many) dense buckets ...": when compression cannot pay;
/// empty without buckets.
std::string crossover_text(const TracedWorkload& workload);

/// `1 event`, `3 events`.
std::string counted(std::int64_t count, const std::string& what);

/// A line of a YAML or CSV file that begins with `#`.
std::string comment_line(const std::string& text);

/// A YAML scalar in double quotes, on one line.
std::string yaml_text(const std::string& text);

/// `2049000, 7875584`.
std::string listed(const std::vector<std::int64_t>& numbers);

// A traced workload as the files that scenarios read: the workload and, next to it, its two tables.

/// The names of the tables relative to the workload, and the facts from the caller.
struct WorkloadNames {
  std::string name;
  std::string layers_file;
  std::string times_file;
  std::string source;   ///< provenance; empty: the trace
  std::string licence;  ///< provenance; empty: not stated
};

/// The text of each file.
struct WorkloadFiles {
  std::string workload;  ///< YAML
  std::string layers;    ///< CSV: layer,type,parameters,...
  std::string times;     ///< CSV: layer,forward_us,backward_us
};

/// Prints a workload whose times are `measured`; the head of each file states their source.
/// Leaves out: FLOPs and activations, which no trace holds: they are 0.
WorkloadFiles print_workload(const TracedWorkload& workload, const WorkloadNames& names);

// A traced workload as a time-independent trace that SimGrid's SMPI replays.

/// One step of every rank in one text, for `smpirun -replay` (whose argument is a file that names the trace):
/// `init`, computing until a bucket is complete, its all-reduce, and so on, the optimizer, `finalize`. A
/// second of computing is 1e9 flop, so hosts of 1 Gf compute as fast as the trace did; an all-reduce counts 4
/// bytes for each value.
/// @param ranks  at least 1
/// Leaves out: overlap, because the replay knows no all-reduce that does not block: its step is an upper
/// bound. Source: SimGrid 3.32, smpi_replay (actions `init`, `compute`, `allreduce`, `finalize`).
std::string print_smpi_trace(const TracedWorkload& workload, int ranks);

}  // namespace calibrate::imports
