// One operation of NCCL on the hardware of a cluster file: the answer of `sim cost --cluster`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command_line/output_format.hpp"
#include "netmodels/nccl/time.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace sim {

struct NcclQuestion {
  std::string operation;  ///< all_reduce and others
  std::uint32_t ranks = 1;
  netmodels::Bytes size = {};
  std::string cluster;  ///< a file with the key `nccl`, or a name
  std::optional<std::uint32_t>
      ranks_per_node;  ///< nothing: as many as a node has GPUs, or all ranks if fewer
};

struct NcclAnswer {
  NcclQuestion question;
  netmodels::nccl::Group group;
  netmodels::nccl::Time time;
  netmodels::nccl::ErrorClass error;
  std::optional<netmodels::nccl::Spread> usual_error;  ///< nothing: unknown for this size or operation
  std::vector<std::string> warnings;                   ///< warnings of the description
};

/// @returns the answer, or an Error at the option that it is about
netmodels::Result<NcclAnswer> evaluate_nccl(const NcclQuestion& question);

/// One row: what NCCL chooses, each term, and the usual error.
command_line::Document nccl_document(const NcclAnswer& answer);

}  // namespace sim
