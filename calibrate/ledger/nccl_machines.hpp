// Machines whose NCCL times were published, described so that NCCL's times can be predicted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/measurements/measurement.hpp"
#include "netmodels/nccl/hardware.hpp"
#include "netmodels/result.hpp"

namespace calibrate::ledger {

/// One machine.
struct NcclMachine {
  std::vector<std::string> tables;     ///< beginnings of `folder/file` or `file` of its tables
  std::string kind;                    ///< kind of tables that are summed up together
  std::optional<std::uint32_t> nodes;  ///< nodes of all its tables; nothing: as each table says, else 1
  netmodels::nccl::Hardware hardware;
};

/// Reads `machines:` and its entries, with the keys `tables`, `kind`, `nodes` and those of `cluster.nccl`
/// (settings/nccl_hardware.hpp).
/// @param source  named in errors, as `source:line:column`
/// @returns at least one machine, or an Error of a key, or what `netmodels::nccl::validate` refuses
netmodels::Result<std::vector<NcclMachine>> parse_nccl_machines(std::string_view text,
                                                                std::string_view source);

/// The machine of a table: that with the longest of the beginnings that fit.
/// @returns nullptr where none fits
const NcclMachine* find_nccl_machine(const std::vector<NcclMachine>& machines, const std::string& path);

/// The ranks of a table on its machine.
netmodels::nccl::Group nccl_group(const NcclMachine& machine, const measurements::Measurements& table);

}  // namespace calibrate::ledger
