// The table of exchanges, the reading of a plan, and the sharing of its time.
#include "calibrate/probes/mpi_plan.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "files/text_file.hpp"
#include "netmodels/nearest.hpp"

namespace calibrate::probes {
namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr std::array rows{
    MpiRow{"point_to_point", "half a round trip between ranks 0 and 1", false},
    MpiRow{"all_reduce", "sum of fp32 values; the dense exchange of gradients", false},
    MpiRow{"all_gather", "equal parts; the size is that of all parts", false},
    MpiRow{"all_gatherv", "rank i contributes 0.5 + i/(N-1) of the mean part", false},
    MpiRow{"broadcast", "from rank 0", false},
    MpiRow{"reduce", "sum of fp32 values on rank 0", false},
    MpiRow{"gather", "equal parts, on rank 0; the size is that of all parts", false},
    MpiRow{"scatter", "equal parts, from rank 0; the size is that of all parts", false},
    MpiRow{"topk_all_gather", "top-k, all-gather of values and indices, scatter-add", true},
    MpiRow{"ar_topk", "rank 0 selects and broadcasts indices, all-reduce of the values there", true},
    MpiRow{"topk_all_gather_local", "topk_all_gather without its messages", true},
    MpiRow{"ar_topk_select", "of ar_topk: rank 0 selects, alone", true},
    MpiRow{"ar_topk_apply", "of ar_topk: all ranks gather the values at its indices and scatter the sums",
           true},
};

Result<const MpiRow*> find_row(std::string_view name) {
  const auto* row = std::ranges::find(rows, name, &MpiRow::name);
  if (row != rows.end()) return row;
  std::vector<std::string_view> known;
  for (const MpiRow& each : rows) known.push_back(each.name);
  return refuse("--collectives", fmt::format("unknown exchange `{}`", name),
                netmodels::accepted_names(name, known));
}

}  // namespace

std::span<const MpiRow> mpi_rows() { return rows; }

Result<std::vector<const MpiRow*>> read_exchanges(std::string_view names) {
  std::vector<const MpiRow*> exchanges;
  if (names == "all") {
    for (const MpiRow& row : rows) exchanges.push_back(&row);
    return exchanges;
  }
  for (const std::string_view name : files::cells_of(names)) {
    GRADSIM_TRY(row, find_row(name));
    if (std::ranges::find(exchanges, *row) != exchanges.end()) {
      return refuse("--collectives", fmt::format("duplicate `{}`", name), "name each once");
    }
    exchanges.push_back(*row);
  }
  return exchanges;
}

Result<void> check(const MpiPlan& plan) {
  if (plan.repetitions < fewest_repetitions || plan.repetitions > 10'000) {
    return refuse("--repetitions", fmt::format("`{}` is out of range", plan.repetitions),
                  fmt::format("accepted: {} to 10000", fewest_repetitions));
  }
  if (!(plan.ratio > 0 && plan.ratio <= 1)) {
    return refuse("--ratio", fmt::format("`{}` is not a compression ratio", plan.ratio),
                  "accepted: above 0 to 1; 0.01 keeps 1 %");
  }
  if (!(plan.most_time.count > 0)) {
    return refuse("--most-time", "no time is given", "accepted: a time above 0");
  }
  return {};
}

int RepetitionBudget::grant(netmodels::Seconds elapsed, netmodels::Seconds once) {
  assert(cells_left_ > 0 && once.count > 0);
  const auto cells = static_cast<double>(cells_left_--);
  const netmodels::Seconds left = most_time_ - elapsed;
  if (left.count <= 0) return 0;
  const double affordable = std::floor(left / once / cells);
  return static_cast<int>(std::clamp<double>(affordable, fewest_repetitions, repetitions_));
}

}  // namespace calibrate::probes
