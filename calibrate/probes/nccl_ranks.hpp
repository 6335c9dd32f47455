// NCCL as loaded at run time, its ranks, and one exchange between them.
#pragma once

#include <atomic>
#include <barrier>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <filesystem>
#include <functional>
#include <memory>
#include <nccl.h>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/probes/nccl_plan.hpp"
#include "calibrate/probes/network_namespace.hpp"
#include "netmodels/result.hpp"

namespace calibrate::probes {

// NCCL, opened while the program runs: once, or as several private copies in one process.

/// The calls of NCCL that the probe makes.
class NcclLibrary {
 public:
  /// Opens a library file. A copy under another name has its own statics, and so its own idea of which
  /// host it runs on: `NCCL_HOSTID` is read once per copy.
  /// @returns an Error where the file cannot be opened or lacks a call
  static netmodels::Result<std::shared_ptr<const NcclLibrary>> open(const std::string& file);

  ~NcclLibrary();
  NcclLibrary(const NcclLibrary&) = delete;
  NcclLibrary& operator=(const NcclLibrary&) = delete;
  NcclLibrary(NcclLibrary&&) = delete;
  NcclLibrary& operator=(NcclLibrary&&) = delete;

  /// "2.28.9".
  [[nodiscard]] std::string version() const;
  /// @throws std::runtime_error where a call failed, with NCCL's own words
  void check(ncclResult_t result, const char* call) const;

  decltype(&ncclGetVersion) get_version = nullptr;
  decltype(&ncclGetErrorString) get_error_string = nullptr;
  decltype(&ncclGetUniqueId) get_unique_id = nullptr;
  decltype(&ncclCommInitRank) comm_init_rank = nullptr;
  decltype(&ncclCommDestroy) comm_destroy = nullptr;
  decltype(&ncclAllReduce) all_reduce = nullptr;
  decltype(&ncclAllGather) all_gather = nullptr;
  decltype(&ncclReduceScatter) reduce_scatter = nullptr;
  decltype(&ncclBroadcast) broadcast = nullptr;
  decltype(&ncclSend) send = nullptr;
  decltype(&ncclRecv) receive = nullptr;

 private:
  explicit NcclLibrary(void* handle) : handle_(handle) {}
  template <class Call>
  bool find(Call& call, const char* name);

  void* handle_;
};

/// File of a library that the system opens by this name, so that it can be copied.
/// @returns the path, or an Error where there is none
netmodels::Result<std::filesystem::path> locate_library(const std::string& name);

// The ranks of an NCCL probe: a thread, a stream, buffers and a communicator each.

/// @throws std::runtime_error where a call failed, with CUDA's own words
void check_cuda(cudaError_t result, const char* call);

/// Device memory of one rank.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t bytes);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

/// One rank. Everything but construction happens in its own thread.
struct NcclRank {
  int rank = 0;
  int device = 0;
  std::shared_ptr<const NetworkNamespace> network = {};  ///< null: the process's own namespace
  std::shared_ptr<const NcclLibrary> library = {};
  ncclComm_t communicator = nullptr;
  cudaStream_t stream = nullptr;
  DeviceBuffer send = {};
  DeviceBuffer receive = {};
};

/// All ranks of one process.
class NcclRanks {
 public:
  /// Opens the library, or a private copy per rank where there are fewer devices than ranks or each rank has
  /// a network namespace, and joins the ranks into one communicator. Of a job, this process opens its own
  /// rank.
  /// @param round   counted up by all ranks of a job alike, whenever they open
  /// @param copies  folder of the private copies; one that lies there already is used
  /// @returns an Error where there is no device, no library or no such namespace
  static netmodels::Result<std::unique_ptr<NcclRanks>> open(const NcclPlan& plan, std::uint64_t round,
                                                            const std::string& copies);

  ~NcclRanks();
  NcclRanks(const NcclRanks&) = delete;
  NcclRanks& operator=(const NcclRanks&) = delete;
  NcclRanks(NcclRanks&&) = delete;
  NcclRanks& operator=(NcclRanks&&) = delete;

  /// Runs the work on every rank at once, each in a new thread of its network namespace. Once a rank has
  /// failed, the others have a while to end; a thread that still waits in a call for a failed rank is left
  /// behind, and the ranks can no longer be used.
  /// @throws what the first rank to fail threw; std::runtime_error where none failed and not all ended within
  /// the plan's `case_limit`
  void on_each(const std::function<void(NcclRank&)>& work);
  /// Waits until every rank has come here or failed. Only within `on_each`.
  /// @throws std::runtime_error where one of this process has failed
  void meet(NcclRank& rank);
  /// The largest of each value over all ranks, on every rank. Only within `on_each`.
  void take_largest(NcclRank& rank, std::vector<float>& values) const;

  /// False once a rank has failed or not ended in time.
  [[nodiscard]] bool usable() const { return !failed_ && !left_behind_; }
  [[nodiscard]] NcclWay way() const { return way_; }
  /// Number of ranks of this process.
  [[nodiscard]] int size() const { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] const NcclLibrary& library() const { return *ranks_.front().library; }

 private:
  NcclRanks(std::vector<NcclRank> ranks, NcclWay way, netmodels::Seconds limit);

  std::vector<NcclRank> ranks_;
  NcclWay way_;
  netmodels::Seconds limit_;  ///< limit of one `on_each`
  std::barrier<> meeting_;
  std::atomic<bool> failed_ = false;
  bool left_behind_ = false;  ///< a thread waits within NCCL: its data must stay
};

// One exchange over NCCL: its input on each rank, its calls, and its expected result.

/// An exchange of one size among N ranks. Values are whole numbers, so that sums are exact in any order.
class NcclExchange {
 public:
  virtual ~NcclExchange() = default;
  NcclExchange(const NcclExchange&) = delete;
  NcclExchange& operator=(const NcclExchange&) = delete;
  NcclExchange(NcclExchange&&) = delete;
  NcclExchange& operator=(NcclExchange&&) = delete;

  /// As the operation counts it.
  [[nodiscard]] virtual netmodels::Bytes size() const = 0;
  /// 4-byte words of the buffers of one rank.
  [[nodiscard]] virtual std::size_t send_words() const = 0;
  [[nodiscard]] virtual std::size_t receive_words() const = 0;
  /// The input and the expected result of a rank.
  [[nodiscard]] virtual std::vector<float> sent(int rank) const = 0;
  [[nodiscard]] virtual std::vector<float> expected(int rank) const = 0;
  /// How many exchanges of this size a call makes, one after the other.
  [[nodiscard]] virtual int rounds() const { return 1; }
  /// Sets up what a rank of this process keeps, in its thread, before its first call and with its input on
  /// the device.
  virtual void prepare(const NcclRank& rank) { (void)rank; }
  /// The calls, on the rank's stream.
  virtual void call(const NcclRank& rank) const = 0;

 protected:
  NcclExchange() = default;
};

/// @param operation  a row of `nccl_operations`
/// @param size       as the operation counts it; rounded to whole elements of every rank, at least one each
/// @param ratio      kept / original, of the sparse ones
std::unique_ptr<NcclExchange> make_exchange(std::string_view operation, int ranks, netmodels::Bytes size,
                                            double ratio);
/// One of those that compress on the device; only in builds with CUDA implementations.
/// @returns nothing for any other operation
std::unique_ptr<NcclExchange> make_compressed_exchange(std::string_view operation, int ranks,
                                                       netmodels::Bytes size, double ratio);

}  // namespace calibrate::probes
