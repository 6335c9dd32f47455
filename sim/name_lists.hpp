// Tables of the names that a scenario may use.
#pragma once

#include "command_line/table.hpp"
#include "netmodels/result.hpp"

namespace sim {

// Rows of the program.

netmodels::Result<command_line::Table> list_collectives();
netmodels::Result<command_line::Table> list_executions();
netmodels::Result<command_line::Table> list_shardings();
netmodels::Result<command_line::Table> list_compressors();
netmodels::Result<command_line::Table> list_policies();
netmodels::Result<command_line::Table> list_learners();
netmodels::Result<command_line::Table> list_models();
netmodels::Result<command_line::Table> list_datasets();
netmodels::Result<command_line::Table> list_metrics();
netmodels::Result<command_line::Table> list_support();
netmodels::Result<command_line::Table> list_words();

// Data files of the scenarios folder.

/// @returns an Error for a file that cannot be read (so do the others)
netmodels::Result<command_line::Table> list_workloads();
netmodels::Result<command_line::Table> list_clusters();
netmodels::Result<command_line::Table> list_devices();
netmodels::Result<command_line::Table> list_stacks();
netmodels::Result<command_line::Table> list_transports();
netmodels::Result<command_line::Table> list_prices();

}  // namespace sim
