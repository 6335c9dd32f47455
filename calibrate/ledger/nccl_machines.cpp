// Reading of described machines.
#include "calibrate/ledger/nccl_machines.hpp"

#include <filesystem>
#include <utility>

#include "calibrate/ledger/described_entry.hpp"
#include "files/entries.hpp"
#include "files/text_file.hpp"
#include "settings/nccl_hardware.hpp"
#include "settings/type.hpp"

namespace calibrate::ledger {
namespace {

void describe(settings::Fields& fields, NcclMachine& machine) {
  fields.field({.name = "tables",
                .doc = "Beginnings of `folder/file` or `file` of its tables.",
                .need = settings::Need::required},
               machine.tables);
  fields.field({.name = "kind",
                .doc = "Kind of tables that are summed up together.",
                .need = settings::Need::optional},
               machine.kind);
  fields.field({.name = "nodes", .doc = "Number of nodes, where the tables state it otherwise."},
               machine.nodes);
  settings::describe(fields, machine.hardware);
}

/// How much of the table's name the machine's beginnings fit.
std::size_t fit_of_table(const NcclMachine& machine, std::string_view whole, std::string_view file) {
  std::size_t longest = 0;
  for (const std::string& each : machine.tables) {
    if (whole.starts_with(each) || file.starts_with(each)) longest = std::max(longest, each.size());
  }
  return longest;
}

}  // namespace

netmodels::Result<std::vector<NcclMachine>> parse_nccl_machines(std::string_view text,
                                                                std::string_view source) {
  GRADSIM_TRY(entries, files::read_entries(text, "machines", source));
  std::vector<NcclMachine> machines;
  for (const files::Entry& entry : *entries) {
    NcclMachine machine;
    DescribedEntry reader(entry.fields, source, entry.fields.front().name);
    describe(reader, machine);
    if (auto read = reader.finish(); !read) return tl::unexpected(read.error());
    if (auto fine = netmodels::nccl::validate(machine.hardware); !fine)
      return netmodels::refuse(files::place(source, entry.line, 1),
                               "`" + fine.error().where + "`: " + fine.error().what, fine.error().hint);
    machines.push_back(std::move(machine));
  }
  if (machines.empty()) return netmodels::refuse(std::string(source), "the file describes no machine");
  return machines;
}

const NcclMachine* find_nccl_machine(const std::vector<NcclMachine>& machines, const std::string& path) {
  const std::filesystem::path table(path);
  const std::string file = table.filename().string();
  const std::string whole = (table.parent_path().filename() / file).generic_string();
  const NcclMachine* found = nullptr;
  std::size_t longest = 0;
  for (const NcclMachine& machine : machines) {
    const std::size_t fits = fit_of_table(machine, whole, file);
    if (fits > longest) found = &machine;
    longest = std::max(longest, fits);
  }
  return found;
}

netmodels::nccl::Group nccl_group(const NcclMachine& machine, const measurements::Measurements& table) {
  netmodels::nccl::Group group;
  group.ranks = static_cast<std::uint32_t>(table.ranks);
  group.nodes = machine.nodes.value_or(static_cast<std::uint32_t>(table.nodes.value_or(1)));
  return group;
}

}  // namespace calibrate::ledger
