// Reading of measured times of a collective, from YAML or CSV.
#include "sim/fit/nccl_measured.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "calibrate/measurements/measurement_csv.hpp"
#include "files/input_file.hpp"
#include "settings/nccl_hardware.hpp"
#include "settings/type.hpp"
#include "sim/language/document.hpp"
#include "sim/language/place.hpp"
#include "sim/language/reader.hpp"

namespace sim::fit {
namespace {

namespace nccl = netmodels::nccl;
using netmodels::refuse;
using netmodels::Result;

Result<nccl::Measured> read_nccl_csv(const std::filesystem::path& file) {
  GRADSIM_TRY(text, files::read_text(file));
  GRADSIM_TRY(table, calibrate::measurements::parse_csv(*text, file.string()));
  nccl::Measured measured;
  const auto operation = nccl::find_operation(table->operation->name);
  if (!operation) return refuse(file.string(), operation.error().what, operation.error().hint);
  measured.operation = *operation;
  measured.ranks = static_cast<std::uint32_t>(table->ranks);
  if (table->nodes) measured.nodes = static_cast<std::uint32_t>(*table->nodes);
  for (const auto& point : table->points) measured.points.push_back({point.size, point.time});
  return measured;
}

/// Sorts the points; where a size appears again with the same time, one of the two is left out.
Result<void> sort_points(nccl::Measured& measured, const language::Value& root) {
  for (std::size_t i = 0; i < measured.points.size(); ++i) {
    const nccl::MeasuredPoint& point = measured.points[i];
    const std::string where = language::place_of(root, language::item("points", i));
    if (point.size.count <= 0 || point.time.count <= 0)
      return refuse(where,
                    fmt::format("{} in {}", netmodels::print(point.size), netmodels::print(point.time)),
                    "accepted: sizes and times above 0");
    for (std::size_t j = 0; j < i; ++j) {
      const nccl::MeasuredPoint& before = measured.points[j];
      if (before.size != point.size || before.time == point.time) continue;
      return refuse(where,
                    fmt::format("{} was measured twice: {} and {}", netmodels::print(point.size),
                                netmodels::print(before.time), netmodels::print(point.time)),
                    "write each size once, with the median of its times");
    }
  }
  std::ranges::sort(measured.points, {}, &nccl::MeasuredPoint::size);
  const auto again =
      std::unique(measured.points.begin(), measured.points.end());  // clang 14 rejects ranges::unique
  measured.points.erase(again, measured.points.end());
  return {};
}

Result<nccl::Measured> read_nccl_yaml(const std::filesystem::path& file) {
  GRADSIM_TRY(document, language::read_document(file));
  nccl::Measured measured;
  const language::Field field{document->root, "", settings::Key{.name = "the file", .doc = "a map of keys"}};
  if (auto read = language::read_map(field, measured); !read) return tl::unexpected(read.error());
  if (auto sorted = sort_points(measured, document->root); !sorted) return tl::unexpected(sorted.error());
  if (!measured.ranks)
    return refuse(file.string(), "the number of ranks is missing", "write for example `ranks: 8`");
  return measured;
}

}  // namespace

Result<nccl::Measured> read_nccl_measured(const std::filesystem::path& file) {
  auto measured = file.extension() == ".csv" ? read_nccl_csv(file) : read_nccl_yaml(file);
  if (!measured || *measured->ranks >= 2) return measured;
  return refuse(file.string(), fmt::format("{} ranks exchange nothing", *measured->ranks),
                "accepted: 2 or more");
}

}  // namespace sim::fit
