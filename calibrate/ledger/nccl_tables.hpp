// Measured tables of NCCL with the described machines that they were measured on.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "calibrate/ledger/nccl_machines.hpp"
#include "calibrate/ledger/rules.hpp"
#include "calibrate/measurements/measurement.hpp"
#include "netmodels/nccl/time.hpp"
#include "netmodels/result.hpp"

namespace calibrate::ledger {

/// A table with the machine that it was measured on.
struct NcclTable {
  std::string path;
  measurements::Measurements measured;
  netmodels::nccl::Operation operation = netmodels::nccl::Operation::all_reduce;
  netmodels::nccl::Group group;
  const NcclMachine* machine = nullptr;

  /// Some of its points, by their indices.
  [[nodiscard]] netmodels::nccl::Measured points(const std::vector<std::size_t>& indices) const;
};

/// @param sources   measurements files, or vTrain's look-up tables
/// @param machines  outlive the result
/// @returns an Error where no machine names a table, or NCCL has no such collective
netmodels::Result<std::vector<NcclTable>> read_nccl_tables(const std::vector<SourceText>& sources,
                                                           const std::vector<NcclMachine>& machines);

/// All machines of `evidence.machines`.
netmodels::Result<std::vector<NcclMachine>> read_nccl_machines(const Evidence& evidence);

}  // namespace calibrate::ledger
