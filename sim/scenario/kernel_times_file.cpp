// Reads files of kernel costs.
#include "sim/scenario/kernel_times_file.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/catalogue.hpp"
#include "sim/scenario/document.hpp"
#include "sim/scenario/fields_kernel_times.hpp"
#include "sim/scenario/reader.hpp"

namespace sim::scenario {
namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr double million = 1e6;

std::vector<netmodels::RestoringCost> restoring_of(const KernelCostKeys& keys) {
  std::vector<netmodels::RestoringCost> costs;
  for (const RestoringKeys& row : keys.restore)
    costs.push_back({row.ratio, row.fixed, row.per_million_values / million});
  return costs;
}

netmodels::MeasuredKernel kernel_of(const KernelCostKeys& keys) {
  return {.method = keys.method,
          .cost = {keys.fixed, keys.per_million_values / million, keys.per_million_kept / million},
          .p90_error = keys.p90_error,
          .smallest = keys.smallest,
          .largest = keys.largest,
          .smallest_ratio = keys.smallest_ratio,
          .largest_ratio = keys.largest_ratio,
          .restoring = restoring_of(keys),
          .restoring_p90_error = keys.restore_p90_error};
}

/// Whether two rows tell of one method at one size.
bool overlap(const KernelCostKeys& one, const KernelCostKeys& other) {
  return one.method == other.method && one.smallest <= other.largest && other.smallest <= one.largest;
}

/// @param who, where  the row, in errors
Result<void> check_restoring(const KernelCostKeys& row, const std::string& who, const std::string& where) {
  const auto rises = [](const RestoringKeys& one, const RestoringKeys& next) {
    return one.ratio >= next.ratio;
  };
  if (std::ranges::adjacent_find(row.restore, rises) != row.restore.end())
    return refuse(where, who + "the ratios of `restore` do not rise", "order them, each once");
  const auto is_nothing = [](const RestoringKeys& cost) {
    return cost.fixed.count + cost.per_million_values.count <= 0;
  };
  if (std::ranges::any_of(row.restore, is_nothing))
    return refuse(where, who + "a time of `restore` is zero", "measure it by `calibrate probe kernels`");
  const double errors = row.restore_median_error + row.restore_p90_error + row.restore_worst_error;
  if (row.restore.empty() && errors > 0)
    return refuse(where, who + "errors of `restore` stand without it",
                  "write what restoring takes, or leave them out");
  return {};
}

/// @param rows  of the file, as read; at least one
/// @param list  of the file, as written
Result<void> check_kernels(const std::vector<KernelCostKeys>& rows, const Value& list) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const KernelCostKeys& row = rows[i];
    const std::string where = list.items()[i].origin().text();
    const std::string who = "`kernels[" + std::to_string(i) + "]`, " + row.method + ": ";
    if (kernels::find(row.method) == nullptr)
      return refuse(where, who + "there is no such compressor", "`sim list compressors` shows them");
    if (row.smallest > row.largest)
      return refuse(where, who + "`smallest` is above `largest`", "write the sizes that were measured");
    if (row.smallest_ratio > row.largest_ratio)
      return refuse(where, who + "`smallest_ratio` is above `largest_ratio`",
                    "write the ratios that were measured");
    if (row.fixed.count + row.per_million_values.count + row.per_million_kept.count <= 0)
      return refuse(where, who + "its times are all zero", "measure it by `calibrate probe kernels`");
    if (auto checked = check_restoring(row, who, where); !checked) return checked;
    const auto same = std::ranges::find_if(rows, [&](const auto& other) { return overlap(other, row); });
    if (const auto first = static_cast<std::size_t>(same - rows.begin()); first < i)
      return refuse(where, who + "sizes of it stand in `kernels[" + std::to_string(first) + "]` already",
                    "leave one of the two out, or let their sizes lie apart");
  }
  return {};
}

}  // namespace

netmodels::Result<KernelCosts> read_kernel_costs(const std::filesystem::path& path) {
  GRADSIM_TRY(document, read_document(path));
  if (document->root.is_scalar()) {  // a table of text and numbers is one scalar to a reader of YAML
    return refuse(path.string(), "it holds no costs of compressors",
                  "if it holds the times that `calibrate probe kernels` measured, fit them: "
                  "`calibrate fit kernels " +
                      path.filename().string() + " -o COSTS.yaml`");
  }
  KernelCostsKeys keys;
  const Field field{document->root, "", settings::Key{.name = "file", .doc = "a file of kernel costs"}};
  if (const auto read = read_map(field, keys); !read) return tl::unexpected(read.error());
  if (const auto checked = check_kernels(keys.kernels, *document->root.find("kernels")); !checked)
    return tl::unexpected(checked.error());
  KernelCosts costs{.device = keys.device, .rows = {}};
  for (const KernelCostKeys& kernel : keys.kernels) costs.rows.push_back(kernel_of(kernel));
  return costs;
}

}  // namespace sim::scenario
