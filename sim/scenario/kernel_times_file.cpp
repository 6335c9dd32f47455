// Reads files of kernel costs.
#include "sim/scenario/kernel_times_file.hpp"

#include "sim/scenario/document.hpp"
#include "sim/scenario/fields_kernel_times.hpp"
#include "sim/scenario/reader.hpp"

namespace sim::scenario {
namespace {

constexpr double million = 1e6;

netmodels::MeasuredKernel kernel_of(const KernelCostKeys& keys) {
  return {.method = keys.method,
          .cost = {keys.fixed, keys.per_million_values / million, keys.per_million_kept / million},
          .p90_error = keys.p90_error,
          .smallest = keys.smallest,
          .largest = keys.largest};
}

}  // namespace

netmodels::Result<KernelCosts> read_kernel_costs(const std::filesystem::path& path) {
  const auto document = read_document(path);
  if (!document) return tl::unexpected(document.error());
  KernelCostsKeys keys;
  const Field field{document->root, "", Key{.name = "file", .doc = "a file of kernel costs"}};
  if (const auto read = read_map(field, keys); !read) return tl::unexpected(read.error());
  KernelCosts costs{.device = keys.device, .rows = {}};
  for (const KernelCostKeys& kernel : keys.kernels) costs.rows.push_back(kernel_of(kernel));
  return costs;
}

}  // namespace sim::scenario
