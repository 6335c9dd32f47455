// Reads measured costs of compressors from the file that `calibrate fit kernels` writes.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "files/text_hash.hpp"
#include "kernels/catalogue.hpp"
#include "netmodels/quantity.hpp"
#include "settings/fields.hpp"
#include "settings/type.hpp"
#include "sim/inputs/input_files.hpp"
#include "sim/inputs/kernel_cost_keys.hpp"
#include "sim/language/document.hpp"
#include "sim/language/place.hpp"
#include "sim/language/reader.hpp"

namespace sim::inputs {

using namespace settings;

void describe(Fields& fields, RestoringKeys& restoring) {
  fields.field({.name = "ratio",
                .doc = "Compression ratio; 1 where the method has none.",
                .bounds = above_up_to(0, 1),
                .example = "1 %",
                .share = true},
               restoring.ratio);
  fields.field({.name = "fixed", .doc = "Fixed time of a call.", .example = "2 us"}, restoring.fixed);
  fields.field(
      {.name = "per_million_values", .doc = "Time per 10^6 values of the gradient.", .example = "50 us"},
      restoring.per_million_values);
}

/// Errors of compressing and restoring as many messages as `netmodels::judged_messages`.
static void describe_restoring_errors(Fields& fields, KernelCostKeys& kernel) {
  fields.field({.name = "restore_median_error",
                .doc = "Median error of compressing and restoring 16 messages on held-out sizes.",
                .fallback = "0",
                .bounds = at_least(0),
                .example = "3 %",
                .share = true},
               kernel.restore_median_error);
  fields.field({.name = "restore_p90_error",
                .doc = "90th percentile of the error.",
                .fallback = "0",
                .bounds = at_least(0),
                .example = "9 %",
                .share = true},
               kernel.restore_p90_error);
  fields.field({.name = "restore_worst_error",
                .doc = "Largest error.",
                .fallback = "0",
                .bounds = at_least(0),
                .example = "12 %",
                .share = true},
               kernel.restore_worst_error);
}

/// Describes the keys of published times, beyond those that were measured by `calibrate`.
static void describe_published(Fields& fields, KernelCostKeys& kernel) {
  fields.field({.name = "per_tensor",
                .doc = "Time for each parameter tensor, whatever its size: the launches of a framework.",
                .fallback = "0 s",
                .bounds = at_least(0),
                .example = "223 us"},
               kernel.per_tensor);
  fields.field({.name = "low",
                .doc = "The smallest published time, as a multiple of this one.",
                .fallback = "1",
                .bounds = above_up_to(0, 1),
                .example = "0.8"},
               kernel.low);
  fields.field({.name = "high",
                .doc = "The largest published time, as a multiple of this one.",
                .fallback = "1",
                .bounds = at_least(1),
                .example = "3"},
               kernel.high);
  fields.field({.name = "source",
                .doc = "Publication that the times are from.",
                .example = "\"Li & Chen 2023, Fig. 2\"",
                .need = Need::optional},
               kernel.source);
}

static std::span<const settings::TableWord> compressor_names() {
  static const std::vector<settings::TableWord> names = settings::names_in(kernels::wire_formats());
  return names;
}

void describe(Fields& fields, KernelCostKeys& kernel) {
  fields.field({.name = "method", .doc = "Compressor.", .example = "topk", .words = compressor_names},
               kernel.method);
  fields.field({.name = "fixed",
                .doc = "Time of compressing and restoring one message, whatever its size.",
                .fallback = "0 s",
                .example = "12 us"},
               kernel.fixed);
  fields.field({.name = "per_million_values",
                .doc = "Time per 10^6 values of the gradient.",
                .fallback = "0 s",
                .example = "1 ms"},
               kernel.per_million_values);
  fields.field({.name = "per_million_kept",
                .doc = "Additional time per 10^6 kept values.",
                .fallback = "0 s",
                .example = "9 ms"},
               kernel.per_million_kept);
  fields.field({.name = "smallest",
                .doc = "Number of values of the smallest measured gradient.",
                .bounds = at_least(1),
                .example = "1000000"},
               kernel.smallest);
  fields.field({.name = "largest",
                .doc = "Number of values of the largest measured gradient.",
                .bounds = at_least(1),
                .example = "25000000"},
               kernel.largest);
  fields.field({.name = "smallest_ratio",
                .doc = "Smallest compression ratio that was measured; 1 where the method has none.",
                .fallback = "0",
                .bounds = between(0, 1),
                .example = "0.1 %",
                .share = true},
               kernel.smallest_ratio);
  fields.field({.name = "largest_ratio",
                .doc = "Largest measured compression ratio.",
                .fallback = "1",
                .bounds = between(0, 1),
                .example = "10 %",
                .share = true},
               kernel.largest_ratio);
  fields.field({.name = "median_error",
                .doc = "Median error on held-out sizes.",
                .bounds = at_least(0),
                .example = "3 %",
                .need = Need::optional,
                .share = true},
               kernel.median_error);
  fields.field({.name = "p90_error",
                .doc = "90th percentile of the error.",
                .bounds = at_least(0),
                .example = "9 %",
                .need = Need::optional,
                .share = true},
               kernel.p90_error);
  fields.field({.name = "worst_error",
                .doc = "Largest error.",
                .bounds = at_least(0),
                .example = "12 %",
                .need = Need::optional,
                .share = true},
               kernel.worst_error);
  fields.field({.name = "restore",
                .doc = "Time of restoring one message and adding it to a sum, at increasing ratios: of each "
                       "further message of an all-gather. Without it a run spends no time on further "
                       "messages, and a verdict takes that time as unknown.",
                .example = "[{ratio: 1 %, fixed: 2 us, per_million_values: 50 us}]",
                .need = Need::optional},
               kernel.restore);
  describe_restoring_errors(fields, kernel);
  describe_published(fields, kernel);
}

void describe(Fields& fields, MeasuredCostsKeys& measured) {
  fields.field({.name = "device", .doc = "Device that was measured.", .example = "'NVIDIA H200'"},
               measured.device);
  fields.field({.name = "on", .doc = "Where the compressors ran: a processor's times are not a GPU's."},
               measured.on);
  fields.field({.name = "kernels", .doc = "One entry per compressor.", .need = Need::required},
               measured.kernels);
  fields.field({.name = "hash",
                .doc = "Hash of what was measured; times that were changed by hand are refused.",
                .example = "9f86d081884c7d65"},
               measured.hash);
}

void describe(Fields& fields, KernelCostsKeys& file) {
  fields.field({.name = "device", .doc = "Device that was measured.", .example = "'NVIDIA H200'"},
               file.device);
  fields.field({.name = "stack",
                .doc = "Framework that the times are of; only such files can be a `compression.stack`.",
                .example = "PyTorch",
                .need = Need::optional},
               file.stack);
  fields.field(
      {.name = "measured",
       .doc = "Whether the times were measured in the framework on this device, not published. Such a "
              "file is the default `compression.stack` of workloads on its device.",
       .fallback = "false"},
      file.measured);
  fields.field({.name = "memory_bandwidth",
                .doc = "Peak of the device's memory: times per value are scaled by it to other devices.",
                .bounds = above(0),
                .example = "900 GB/s"},
               file.memory_bandwidth);
  fields.field({.name = "kernels", .doc = "One entry per compressor.", .need = Need::required}, file.kernels);
}

// Reads files of kernel costs.

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
          .p90_error = keys.p90_error.value_or(0),
          .smallest = keys.smallest,
          .largest = keys.largest,
          .smallest_ratio = keys.smallest_ratio,
          .largest_ratio = keys.largest_ratio,
          .restoring = restoring_of(keys),
          .restoring_p90_error = keys.restore_p90_error,
          .per_tensor = keys.per_tensor,
          .low = keys.low,
          .high = keys.high,
          .source = keys.source};
}

/// Whether two rows are of one method at one size.
bool overlap(const KernelCostKeys& one, const KernelCostKeys& other) {
  return one.method == other.method && one.smallest <= other.largest && other.smallest <= one.largest;
}

/// @param who, where  the row, in errors
Result<void> check_restoring(const KernelCostKeys& row, const std::string& who, const std::string& where) {
  const auto rises = [](const RestoringKeys& one, const RestoringKeys& next) {
    return one.ratio >= next.ratio;
  };
  if (std::ranges::adjacent_find(row.restore, rises) != row.restore.end())
    return refuse(where, who + "the ratios of `restore` do not increase",
                  "list them in increasing order, each "
                  "once");
  const auto is_nothing = [](const RestoringKeys& cost) {
    return cost.fixed.count + cost.per_million_values.count <= 0;
  };
  if (std::ranges::any_of(row.restore, is_nothing))
    return refuse(where, who + "a time of `restore` is zero", "measure it by `calibrate probe kernels`");
  const double errors = row.restore_median_error + row.restore_p90_error + row.restore_worst_error;
  if (row.restore.empty() && errors > 0)
    return refuse(where, who + "errors of `restore` are given without `restore`",
                  "write `restore`, or leave out its errors");
  return {};
}

/// Measured rows state their errors, published ones their range.
/// @param who, where  the row, in errors
Result<void> check_origin(const KernelCostKeys& row, bool published, const std::string& who,
                          const std::string& where) {
  if (published) return {};
  if (row.per_tensor.count > 0 || row.low != 1 || row.high != 1)
    return refuse(where, who + "`per_tensor`, `low` and `high` belong to times of a framework",
                  "state the `stack` of the file, or leave them out");
  if (!row.median_error || !row.p90_error || !row.worst_error)
    return refuse(
        where, who + "the keys `median_error`, `p90_error` and `worst_error` are needed",
        "fit the times by `calibrate fit kernels`, or state the `stack` that they were published for");
  return {};
}

/// @param rows  of the file, as read; at least one
/// @param published  whether the file states a `stack`
/// @param list  of the file, as written
Result<void> check_kernels(const std::vector<KernelCostKeys>& rows, bool published,
                           const language::Value& list) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const KernelCostKeys& row = rows[i];
    const std::string where = list.items()[i].origin().text();
    const std::string who = "`kernels[" + std::to_string(i) + "]`, " + row.method + ": ";
    if (kernels::find(row.method) == nullptr)
      return refuse(where, who + "unknown compressor", "`sim list compressors` lists them");
    if (row.smallest > row.largest)
      return refuse(where, who + "`smallest` is above `largest`", "write the sizes that were measured");
    if (row.smallest_ratio > row.largest_ratio)
      return refuse(where, who + "`smallest_ratio` is above `largest_ratio`",
                    "write the ratios that were measured");
    if (row.fixed.count + row.per_tensor.count + row.per_million_values.count + row.per_million_kept.count <=
        0)
      return refuse(where, who + "all its times are zero", "measure it by `calibrate probe kernels`");
    if (auto checked = check_restoring(row, who, where); !checked) return checked;
    if (auto checked = check_origin(row, published, who, where); !checked) return checked;
    const auto same = std::ranges::find_if(rows, [&](const auto& other) { return overlap(other, row); });
    if (const auto first = static_cast<std::size_t>(same - rows.begin()); first < i)
      return refuse(where, who + "sizes overlap with `kernels[" + std::to_string(first) + "]`",
                    "leave out one of the two, or make their sizes disjoint");
  }
  return {};
}

}  // namespace

netmodels::Result<netmodels::KernelCosts> read_kernel_costs(const std::filesystem::path& path) {
  GRADSIM_TRY(document, language::read_document(path));
  if (document->root.is_scalar()) {  // a table of text and numbers is one scalar to a reader of YAML
    return refuse(path.string(), "the file has no costs of compressors",
                  "if the file has the times that `calibrate probe kernels` measured, fit them: `calibrate "
                  "fit kernels " +
                      path.filename().string() + " -o COSTS.yaml`");
  }
  KernelCostsKeys keys;
  const language::Field field{document->root, "",
                              settings::Key{.name = "file", .doc = "a file of kernel costs"}};
  if (const auto read = language::read_map(field, keys); !read) return tl::unexpected(read.error());
  if (const auto checked = check_kernels(keys.kernels, !keys.stack.empty(), *document->root.find("kernels"));
      !checked)
    return tl::unexpected(checked.error());
  if (keys.measured && keys.stack.empty()) {
    return refuse(document->root.find("measured")->origin().text(),
                  "`measured` needs the `stack` that was measured", "write for example `stack: PyTorch`");
  }
  netmodels::KernelCosts costs{.device = keys.device,
                               .stack = keys.stack,
                               .measured = keys.measured,
                               .memory_bandwidth = keys.memory_bandwidth,
                               .rows = {}};
  for (const KernelCostKeys& kernel : keys.kernels) costs.rows.push_back(kernel_of(kernel));
  return costs;
}

std::string hash_of(const MeasuredCostsKeys& measured) {
  std::string text = fmt::format("{} {}", measured.device, name_of(measured.on));
  for (const KernelCostKeys& row : measured.kernels) {
    text += fmt::format("; {} {} {} {} {} {} {} {} {} {} {}", row.method, row.fixed.count,
                        row.per_million_values.count, row.per_million_kept.count, row.smallest, row.largest,
                        row.smallest_ratio, row.largest_ratio, row.median_error.value_or(-1),
                        row.p90_error.value_or(-1), row.worst_error.value_or(-1));
    for (const RestoringKeys& cost : row.restore)
      text += fmt::format(", {} {} {}", cost.ratio, cost.fixed.count, cost.per_million_values.count);
    text +=
        fmt::format(", {} {} {}", row.restore_median_error, row.restore_p90_error, row.restore_worst_error);
  }
  return files::hash_of(text);
}

Result<netmodels::KernelCosts> measured_costs(const MeasuredCostsKeys& measured,
                                              const language::Value& tree) {
  constexpr std::string_view key = "compression.measured";
  const std::string expected = hash_of(measured);
  if (measured.hash != expected) {
    return language::refuse_at(
        tree, "compression.measured.hash",
        fmt::format("the times have the hash {}, and {} is stated: they were changed after they "
                    "were measured",
                    expected, measured.hash),
        "leave out `compression.measured` to measure again, or write the times into a file of "
        "`kernel_times`");
  }
  const language::Value* rows = language::find_path(tree, std::string(key) + ".kernels");
  if (auto checked = check_kernels(measured.kernels, false, *rows); !checked)
    return tl::unexpected(checked.error());
  netmodels::KernelCosts costs{
      .device = measured.device, .stack = {}, .measured = false, .memory_bandwidth = {}, .rows = {}};
  for (const KernelCostKeys& kernel : measured.kernels) costs.rows.push_back(kernel_of(kernel));
  return costs;
}

}  // namespace sim::inputs
