// Reads tables and finds their machines.
#include "calibrate/ledger/nccl_tables.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "calibrate/imports/vtrain.hpp"
#include "calibrate/measurements/measurement_csv.hpp"

namespace calibrate::ledger {

namespace nccl = netmodels::nccl;
using netmodels::refuse;
using netmodels::Result;

nccl::Measured NcclTable::points(const std::vector<std::size_t>& indices) const {
  nccl::Measured chosen{.operation = operation, .ranks = group.ranks, .nodes = group.nodes, .points = {}};
  for (const std::size_t i : indices)
    chosen.points.push_back({measured.points[i].size, measured.points[i].time});
  return chosen;
}

namespace {

Result<NcclTable> read_nccl_table(const SourceText& source, const std::vector<NcclMachine>& machines) {
  GRADSIM_TRY(measured, imports::is_vtrain_table(source.text)
                            ? imports::import_vtrain_table(source.text, source.path)
                            : measurements::parse_csv(source.text, source.path));
  NcclTable table;
  table.path = source.path;
  table.machine = find_nccl_machine(machines, source.path);
  if (table.machine == nullptr)
    return refuse(source.path, "no machine under `machines` names this table",
                  "add the beginning of its name to `tables` of its machine");
  auto operation = nccl::find_operation(measured->operation->name);
  if (!operation) return refuse(source.path, operation.error().what, operation.error().hint);
  table.operation = *operation;
  table.group = nccl_group(*table.machine, *measured);
  table.measured = std::move(*measured);
  return table;
}

}  // namespace

Result<std::vector<NcclTable>> read_nccl_tables(const std::vector<SourceText>& sources,
                                                const std::vector<NcclMachine>& machines) {
  std::vector<NcclTable> tables;
  for (const SourceText& source : sources) {
    GRADSIM_TRY(table, read_nccl_table(source, machines));
    tables.push_back(std::move(*table));
  }
  return tables;
}

Result<std::vector<NcclMachine>> read_nccl_machines(const Evidence& evidence) {
  std::vector<NcclMachine> machines;
  for (const SourceText& source : evidence.machines) {
    GRADSIM_TRY(read, parse_nccl_machines(source.text, source.path));
    std::ranges::move(*read, std::back_inserter(machines));
  }
  return machines;
}

}  // namespace calibrate::ledger
