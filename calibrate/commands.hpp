// The commands of `calibrate`: their options, and the functions that run them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace calibrate {

// `calibrate fit`: measurements files become a file of fits.

/// Options of the command.
struct FitOptions {
  std::vector<std::string> files{};
  std::string output = "-";
  std::string segments = "auto";  ///< auto, 1, 2 or 3
  double band_percent = 10;       ///< most mean held-out error of a fit that is written
  bool force = false;             ///< write it all the same
  bool quiet = false;
  std::string version{};  ///< version of the program, for the provenance
};

/// Fits each file and writes all fits as one file, or nothing where one lies outside the band.
/// @param out  standard output, for `-o -`
/// @param log  errors, and the held-out error of each fit unless `quiet`
/// @returns the exit code
int run_fit(const FitOptions& options, std::ostream& out, std::ostream& log);

// `calibrate fit link`: messages, or a collective on several numbers of ranks, become a cluster file.

/// Options of the command.
struct FitLinkOptions {
  std::vector<std::string> files{};
  std::string output = "-";
  double band_percent = 10;  ///< most mean held-out error of a link that is written
  bool force = false;        ///< write it all the same
  bool quiet = false;
  std::string version{};  ///< version of the program, for the provenance
};

/// Fits one link to all files and writes it as a cluster, or nothing where its error lies outside the band.
/// @param out  standard output, for `-o -`
/// @param log  errors, and the held-out error unless `quiet`
/// @returns the exit code
int run_fit_link(const FitLinkOptions& options, std::ostream& out, std::ostream& log);

// `calibrate fit kernels`: times of compressors become what they cost over size and ratio.

/// Options of the command.
struct FitKernelsOptions {
  std::string file{};
  std::string output = "-";
  std::string cache{};  ///< size as text; empty: one fit a compressor
  /// Most median held-out error of a fit that is written: of a step, and of one that restores many messages.
  double band_percent = 25;
  bool force = false;    ///< write it all the same
  bool partial = false;  ///< write those within the band and name the others
  bool quiet = false;
  std::string version{};  ///< version of the program, for the provenance
};

/// Fits every compressor of the file and writes all fits, or nothing where one lies outside the band; with
/// `partial`, nothing where all do.
/// @param out  standard output, for `-o -`
/// @param log  errors, and the held-out error of each fit unless `quiet`
/// @returns the exit code
int run_fit_kernels(const FitKernelsOptions& options, std::ostream& out, std::ostream& log);

// `calibrate fit statistical`: fits a model of steps, accuracy and noise over progress to whole trainings.

/// Options of the command.
struct FitStatisticalOptions {
  std::vector<std::string> files{};  ///< validation files of AdaptDL, or records; not both
  std::string output = "-";
  double target = 0;                      ///< target of the metric, in its own unit
  bool percent = false;                   ///< the metric is in percent
  std::string steps_to = "smoothed";      ///< smoothed or first
  std::optional<double> initial_batch{};  ///< AdaptDL's B_0; nothing: found in the files
  std::optional<std::string> model{};     ///< provenance; nothing: from the first record
  std::optional<std::string> data_set{};
  std::optional<std::int64_t> samples{};  ///< samples of the training set
  std::optional<std::string> source{};
  std::optional<std::string> licence{};
  double band_percent = 10;  ///< most mean error of the steps, held out from three batches on
  bool force = false;        ///< write it all the same
  bool quiet = false;
  std::string version{};  ///< version of the program, for the provenance
};

/// Fits and writes the model, or nothing where it lies outside the band.
/// @param out  standard output, for `-o -`
/// @param log  errors, and the table of errors unless `quiet`
/// @returns the exit code
int run_fit_statistical(const FitStatisticalOptions& options, std::ostream& out, std::ostream& log);

// `calibrate import`: other tools' logs become measurements files.

/// Options of the command.
struct ImportOptions {
  std::string tool{};  ///< nccl-tests or osu
  std::vector<std::string> files{};
  std::string output = "-";
  std::string collective{};             ///< empty: from the log
  std::optional<std::int64_t> ranks{};  ///< nothing: from the log
  std::optional<std::int64_t> nodes{};
  std::optional<std::string> network{};
  std::optional<std::string> source{};
  std::optional<std::string> licence{};
  bool quiet = false;
};

/// Imports, checks, joins and writes.
/// @param out  standard output, for `-o -`
/// @param log  errors, and omissions unless `quiet`
/// @returns the exit code
int run_import(const ImportOptions& options, std::ostream& out, std::ostream& log);

// `calibrate import kineto` and `calibrate import chakra`: traces of trainings become workloads.

/// Options of the command.
struct ImportTraceOptions {
  std::string tool{};  ///< kineto or chakra
  std::vector<std::string> files{};
  std::string output{};
  std::string format = "workload";      ///< workload or smpi-ti
  std::optional<std::int64_t> batch{};  ///< nothing: from the trace
  std::optional<std::int64_t> ranks{};  ///< ranks of smpi-ti; nothing: from the trace
  std::string source{};                 ///< empty: the name of the file
  std::string licence{};
  bool quiet = false;
};

/// Imports and writes: FILE.yaml with FILE_layers.csv and FILE_times.csv next to it, or one time-independent
/// trace.
/// @param out  standard output, for `-o -`
/// @param log  errors, and findings and omissions unless `quiet`
/// @returns the exit code
int run_import_trace(const ImportTraceOptions& options, std::ostream& out, std::ostream& log);

// `calibrate import torchtitan`, `deepspeed` and `hf-trainer`: configurations of trainings become scenarios.

/// Options of the command.
struct ImportConfigOptions {
  std::string format{};  ///< a row of `imports::config_formats`
  std::string file{};
  std::string output = "-";
  std::string cluster{};
  std::optional<std::int64_t> workers{};
  std::optional<std::int64_t> workers_per_node{};  ///< nothing: those of the cluster
  std::string device{};
  std::string stack{};                     ///< empty: `mfu`
  std::string mfu{};                       ///< empty: `stack`
  std::string model{};                     ///< empty: from the file, or a config.json beside it
  std::optional<std::int64_t> sequence{};  ///< nothing: from the file, or as the model
  std::optional<std::int64_t> batch{};     ///< samples of a micro-batch; nothing: from the file
  std::optional<std::int64_t> steps{};     ///< nothing: from the file
  std::string recomputation{};             ///< empty: from the file
  std::string simulator{};                 ///< the program `sim`; empty: the scenario is not checked
  bool quiet = false;
};

/// Imports and writes a scenario, unless `sim check` refuses it.
/// @param out  standard output, for `-o -`
/// @param log  errors, and what was left out unless `quiet`
/// @returns the exit code
int run_import_config(const ImportConfigOptions& options, std::ostream& out, std::ostream& log);

// `calibrate import topology` and `mahimahi`: what a machine prints becomes a part of a cluster.

/// Options of `calibrate import topology`.
struct ImportTopologyOptions {
  std::string file{};
  std::string output = "-";
  std::optional<std::int64_t> compute_capability{};  ///< nothing: from the file
  std::string network{};                             ///< kind; empty: by the names of interfaces
  std::string rate{};                                ///< line rate of an interface; empty: from the file
  std::string cpu{};                                 ///< vendor; empty: from the file
  std::optional<std::int64_t> pcie{};                ///< generation; nothing: from the file
  bool without_nvlink = false;
  std::string simulator{};  ///< the program `sim`; empty: the node is not checked
};

/// Writes a file for `cluster.use` of what `nvidia-smi topo -m` or NCCL printed, unless `sim check` refuses
/// it.
int run_import_topology(const ImportTopologyOptions& options, std::ostream& out, std::ostream& log);

/// Options of `calibrate import mahimahi`.
struct ImportMahimahiOptions {
  std::string file{};
  std::string output = "-";
  std::int64_t interval_ms = 1000;
};

/// Writes a file for `cluster.traces` of a trace of Mahimahi.
int run_import_mahimahi(const ImportMahimahiOptions& options, std::ostream& out, std::ostream& log);

/// `calibrate import keys`: prints the tables of keys as a page in Markdown.
/// @param format  one of `imports::config_formats`; empty: all
int run_import_keys(const std::string& format, std::ostream& out);

// `calibrate probe kernels`: times of the gradient compressors on this machine.

/// Options of the command.
struct ProbeKernelsOptions {
  std::string device = "cpu";              ///< cpu or cuda
  std::vector<std::string> compressors{};  ///< none: all that the device has
  std::vector<std::int64_t> elements{1'000'000, 2'000'000, 4'000'000, 10'000'000, 25'000'000, 50'000'000};
  std::vector<double> ratios{0.1, 0.01, 0.001};
  double seconds = 0.5;  ///< time of each case
  bool heavy_tailed = false;
  std::string output = "-";
  std::string samples{};  ///< file of every repetition; empty: none
  bool quiet = false;
  const std::atomic<bool>* stop = nullptr;  ///< once raised, the measurements so far are written; may be null
  std::string version{};                    ///< version of the program, for the provenance
};

/// Measures the compressors' CPU versions, or their CUDA versions on the first device, and writes a file of
/// kernel times (CSV), and where asked one of every repetition; one that was stopped says so and holds the
/// cases before. Refuses `cuda` where there is no device, or where the program was built without CUDA.
/// @param out  standard output, for `-o -`
/// @param log  errors, that it was stopped, and progress unless `quiet`
/// The files are rewritten after each case. A case that fails is named, in the file too, and the next
/// follows.
/// @returns the exit code; `exit_broken` where a case failed
/// @throws std::runtime_error where the device cannot be used at all, or a file cannot be written
int run_probe_kernels(const ProbeKernelsOptions& options, std::ostream& out, std::ostream& log);

// `calibrate probe layers`: models trained under PyTorch's profiler become workloads.

/// Options of the command.
struct ProbeLayersOptions {
  std::string python = "python3";  ///< one that has PyTorch
  std::string script{};            ///< pytorch_traces.py
  std::string models{};            ///< parted by commas; empty: all that the script knows
  std::string batches{};           ///< parted by commas; empty: two that suit each model
  std::string device = "cuda";     ///< cuda or cpu
  int steps = 5;
  bool tf32 = false;
  std::string output{};  ///< folder of traces and workloads
  bool quiet = false;
};

/// Runs the script, which writes NAME_bBATCH.json.gz, and imports each trace as NAME_bBATCH.yaml next to it.
/// Traces that cannot be imported are named and stay.
/// @param out  passed on to the import
/// @param log  errors and progress
/// @returns the exit code; `exit_broken` where Python, PyTorch or a device is missing, or a model was skipped
int run_probe_layers(const ProbeLayersOptions& options, std::ostream& out, std::ostream& log);

// `calibrate probe mpi`: the exchanges of gradients over the MPI that started this process, as measurements.

/// Options of the command.
struct ProbeMpiOptions {
  std::string collectives = "all";
  std::string sizes = "4KiB..4MiB";
  int repetitions = 20;
  double ratio = 0.01;              ///< c, kept / original
  std::string most_time = "2 min";  ///< limit of the whole probe
  std::string output{};             ///< a folder; made where it is missing
  std::optional<std::string> algorithm{};
  std::optional<std::string> network{};
  bool quiet = false;
  std::string version{};  ///< version of the program, for the provenance
};

/// Measures on all ranks; rank 0 writes a measurements file per exchange, NAME.csv, and samples.csv. Nothing
/// is written where the probe refuses or fails.
/// @param log  errors, progress and skipped work, on rank 0 only
/// @returns the exit code; where a result is wrong or a file cannot be written, that of a broken system
int run_probe_mpi(const ProbeMpiOptions& options, std::ostream& log);

// `calibrate probe nccl`: exchanges of gradients over NCCL, on many GPUs or on one, as measurements.

/// Options of the command.
struct ProbeNcclOptions {
  int ranks = 2;
  bool ranks_stated = false;  ///< else a launcher's count replaces it
  std::vector<std::string> operations{"all_reduce", "all_gather", "broadcast", "topk_all_gather_messages",
                                      "ar_topk_messages"};
  std::string sizes = "4KiB..64MiB";
  double ratio = 0.01;  ///< c of the sparse exchanges, kept / original
  int calls = 20;       ///< calls between two looks at the clock
  int repetitions = 10;
  double limit_seconds = 60;               ///< limit of one size of an operation
  std::string library{};                   ///< empty: of NCCL_HOME, else the system's libnccl.so.2
  std::optional<std::string> algorithm{};  ///< NCCL_ALGO
  std::optional<std::string> protocol{};   ///< NCCL_PROTO
  std::optional<std::string> network{};
  std::string id{};  ///< one process per rank: where the ranks get NCCL's id; empty: this process has all
  std::vector<std::string> namespaces{};  ///< namespace of each rank, a thread; empty: the process's own
  std::function<const char*(const char*)>
      variable{};        ///< environment variables, where a launcher names the rank and NCCL_HOME a folder
  std::string output{};  ///< a folder; made where it is missing
  bool quiet = false;
  std::string version{};                    ///< version of the program, for the provenance
  const std::atomic<bool>* stop = nullptr;  ///< once raised, no further size is begun; may be null
};

/// Measures NCCL; of one process per rank, only rank 0 writes. Writes a measurements file per exchange,
/// NAME.csv, and samples.csv with every repetition: of all that was measured until the probe was stopped.
/// Nothing is written on an error.
/// @param log  errors, warnings, and progress unless `quiet`
/// @returns the exit code; `exit_broken` where there is no device
int run_probe_nccl(const ProbeNcclOptions& options, std::ostream& log);

// `calibrate validate`: predicted against measured, every entry of a ledger.

/// Options of the command.
struct ValidateOptions {
  std::string ledger{};
  std::string results{};  ///< folder of the simulator's results; empty: the ledger's
  std::string last{};     ///< earlier page, for entries that are skipped; empty: none
  std::string output = "-";
  std::string format = "table";  ///< output format
};

/// Evaluates every entry of the ledger; entries without their files are skipped by name.
/// @param out  standard output, for `-o -`
/// @param log  errors
/// @returns the exit code: `exit_refused` too where an entry is worse than recorded
int run_validate(const ValidateOptions& options, std::ostream& out, std::ostream& log);

}  // namespace calibrate
