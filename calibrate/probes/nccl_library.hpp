// NCCL, opened while the program runs: once, or as several private copies in one process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nccl.h>
#include <string>

#include "netmodels/result.hpp"

namespace calibrate::probes {

/// The calls of NCCL that the probe makes.
class NcclLibrary {
 public:
  /// Opens a library file. A copy under another name has statics of its own, and so its own idea of which
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

 private:
  explicit NcclLibrary(void* handle) : handle_(handle) {}
  template <class Call>
  bool find(Call& call, const char* name);

  void* handle_;
};

/// Where the system keeps a library that it opens by this name, so that it can be copied.
/// @returns the path, or an Error where there is none
netmodels::Result<std::filesystem::path> locate_library(const std::string& name);

}  // namespace calibrate::probes
