// The plan of a measurement over NCCL, and the parts of a measured exchange.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/measurements/operation.hpp"
#include "calibrate/probes/job_rank.hpp"
#include "calibrate/probes/shared_text.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace calibrate::probes {

/// How several ranks share one machine.
enum class NcclWay {
  devices,         ///< a device for each rank, one library
  private_copies,  ///< a private copy of the library for each, so that each takes itself for a separate
                   ///< host; kernels of ranks that share a device run side by side, over TCP: loopback, or
                   ///< the links between their network namespaces
  processes,       ///< a process for each rank, on one node or several
};

std::string_view to_string(NcclWay way);

/// Measurements to make.
struct NcclPlan {
  std::string library = "libnccl.so.2";     ///< a file, or a name that the system knows
  int ranks = 2;                            ///< N, at least 2
  std::vector<std::string> operations;      ///< rows of `nccl_operations`
  std::vector<netmodels::Bytes> sizes;      ///< as the operation counts them; rising
  double ratio = 0.01;                      ///< c of the sparse exchanges, in (0, 1]
  int warm_up = 5;                          ///< calls
  int calls = 20;                           ///< calls between two looks at the clock
  int repetitions = 10;                     ///< samples of `calls` calls each
  std::optional<std::string> algorithm;     ///< NCCL_ALGO
  std::optional<std::string> protocol;      ///< NCCL_PROTO
  netmodels::Seconds case_limit = {60};     ///< a case that takes longer has failed
  std::optional<JobRank> job;               ///< this process is one rank of `ranks`; nothing: it has all
  MeetingPlace meeting;                     ///< place where the job's ranks get NCCL's id
  std::vector<std::string> namespaces;      ///< namespaces that the ranks enter, in order; may be empty
  const std::atomic<bool>* stop = nullptr;  ///< once raised, no further size is begun; may be null
};

/// Names of measurable operations: rows of their table.
std::span<const std::string_view> nccl_operations();
/// Whether an operation compresses, or restores, on the ranks' devices: `topk_all_gather` and `ar_topk` from
/// gradients to their sum, and the parts of both that send nothing.
bool compresses_on_device(std::string_view operation);

/// @returns an Error that names the option for fewer than two ranks, namespaces that are not one for each, an
///          unknown operation, sizes that do not rise, a ratio outside (0, 1], or nothing to measure
netmodels::Result<void> check(const NcclPlan& plan);

/// One size of one operation.
struct NcclSample {
  netmodels::Bytes size;                  ///< size that was really sent: whole elements of every rank
  std::vector<netmodels::Seconds> times;  ///< time of each call: the slowest rank, mean of `calls`

  [[nodiscard]] netmodels::Seconds median() const;  ///< median of at least one time
};

/// Everything that was measured.
struct NcclMeasured {
  NcclWay way = NcclWay::devices;
  std::string nccl;    ///< version
  std::string device;  ///< name, and how many
  std::string driver;  ///< versions of driver and runtime
  int ranks = 2;       ///< N
  int nodes = 1;       ///< nodes that NCCL takes the ranks to be on
  int rank = 0;        ///< rank of this process, where each rank has one
  struct Exchange {
    const measurements::Operation* operation = nullptr;
    std::vector<NcclSample> samples;
  };
  std::vector<Exchange> exchanges;
  std::vector<std::string> warnings;  ///< one sentence each
  std::vector<std::string> failures;  ///< failed cases: operation, size and reason; one sentence each
};

/// Callbacks of a run; each may be empty.
struct NcclProgress {
  std::function<void(const std::string& next)> said = {};         ///< before each case
  std::function<void(const NcclMeasured& so_far)> measured = {};  ///< after each sample
};

/// Calls `measure` for each operation and size of the plan, in order, until it is interrupted. A size that
/// does not rise above the one before, once cut to whole elements, is left out.
/// A case that throws is kept as a failure, and the next follows; after two in a row, unless this process is
/// one rank of a job, the next operation.
/// @param measured  gets the exchanges of which there is at least one sample, and warnings: of ranks over
///                  loopback that a shared device serves by turns, and of sizes that were not reached
void measure_planned(
    const NcclPlan& plan,
    const std::function<NcclSample(const std::string& operation, netmodels::Bytes size)>& measure,
    const NcclProgress& progress, NcclMeasured& measured);

/// A sample as one line, and back.
std::string print_sample(const NcclSample& sample);
/// @returns nothing where the text is none
std::optional<NcclSample> parse_sample(std::string_view text);

/// Measures the plan: sets up the ranks, verifies each exchange's result, then times it, in a process of its
/// own (see SupervisedCases): a case that hangs or crashes is a failed one, and the next has a new process.
/// After a failed case the ranks are set up anew; private copies of the library are made once. With
/// `namespaces` each rank is a thread of its own network namespace from before it opens its copy of the
/// library, and so are the sockets and threads of that copy.
/// @returns the measurements until the plan ended, or an Error where the plan is invalid, there is no
/// device, or this build has no NCCL
/// @throws std::runtime_error where the ranks cannot be set up at the start
/// Leaves out: that ranks on one device without MPS are served by turns where each has a process; compression
/// itself in the operations `..._messages`; error feedback. Source: that a private copy per rank passes
/// NCCL's check for duplicate devices: NVIDIA/nccl src/init.cc,
///         where hosts are distinguished by a hash that each copy of the library computes once.
netmodels::Result<NcclMeasured> probe_nccl(const NcclPlan& plan, const NcclProgress& progress);

}  // namespace calibrate::probes
