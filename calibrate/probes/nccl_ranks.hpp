// The ranks of an NCCL probe: a thread, a stream, buffers and a communicator each.
#pragma once

#include <atomic>
#include <barrier>
#include <cuda_runtime_api.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/probes/nccl_library.hpp"
#include "calibrate/probes/nccl_plan.hpp"

namespace calibrate::probes {

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
  std::shared_ptr<const NcclLibrary> library;
  ncclComm_t communicator = nullptr;
  cudaStream_t stream = nullptr;
  DeviceBuffer send = {};
  DeviceBuffer receive = {};
};

/// All ranks of one process.
class NcclRanks {
 public:
  /// Opens the library, or a private copy per rank where there are fewer devices than ranks, and joins the
  /// ranks into one communicator.
  /// @returns an Error where there is no device or no library
  static netmodels::Result<std::unique_ptr<NcclRanks>> open(const NcclPlan& plan);

  ~NcclRanks();
  NcclRanks(const NcclRanks&) = delete;
  NcclRanks& operator=(const NcclRanks&) = delete;
  NcclRanks(NcclRanks&&) = delete;
  NcclRanks& operator=(NcclRanks&&) = delete;

  /// Runs the work on every rank at once, each in a thread of its own. Once a rank has failed, the others
  /// have a while to end; whoever then still waits within a call for a rank that will not come is left
  /// behind, and the ranks are of no use any more.
  /// @throws what the first rank to fail threw
  void on_each(const std::function<void(NcclRank&)>& work);
  /// Waits until every rank has come here or failed. Only within `on_each`.
  /// @throws std::runtime_error where one has failed
  void meet();

  [[nodiscard]] NcclWay way() const { return way_; }
  [[nodiscard]] int size() const { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] const NcclLibrary& library() const { return *ranks_.front().library; }

 private:
  NcclRanks(std::vector<NcclRank> ranks, NcclWay way);

  std::vector<NcclRank> ranks_;
  NcclWay way_;
  std::barrier<> meeting_;
  std::atomic<bool> failed_ = false;
  bool left_behind_ = false;  ///< a thread waits within NCCL: what it uses must stay
};

}  // namespace calibrate::probes
