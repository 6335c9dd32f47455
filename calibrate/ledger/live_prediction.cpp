// Live MPI collectives, predicted from a ping-pong at another line rate.
#include "calibrate/ledger/live_prediction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "calibrate/fits/link_fit.hpp"
#include "netmodels/halving_doubling.hpp"
#include "netmodels/library_defaults.hpp"
#include "netmodels/pipelined_tree.hpp"
#include "netmodels/ring.hpp"
#include "netmodels/send_tree.hpp"

namespace calibrate::ledger {
namespace {

using netmodels::Bytes;
using netmodels::LinkState;
using netmodels::Operation;
using netmodels::Result;
using netmodels::Seconds;

Seconds chain(const Operation& operation, const LinkState& link) {
  Operation whole = operation;
  whole.chunks = 1;
  return netmodels::pipelined_broadcast_time(whole, link);
}

/// All ranks' values, then all ranks' indices, which are as long.
Seconds gathered_twice(const Operation& operation, const LinkState& link) {
  return netmodels::ring_allgather_time(operation, link) * 2;
}

/// Indices down NCCL's chain, then the sum of as many values round a ring.
Seconds broadcast_then_reduced(const Operation& operation, const LinkState& link) {
  return netmodels::nccl_broadcast_time(operation, link) + netmodels::ring_allreduce_time(operation, link);
}

/// One row of the table of forms.
struct LiveForm {
  std::string_view collective;
  std::string_view algorithm;
  bool gathers = false;    ///< the row's size is one rank's contribution
  bool both_ways = false;  ///< every rank sends while it receives
  Seconds (*closed)(const Operation&, const LinkState&);
  std::array<std::string_view, 2> computes =
      {};  ///< collectives whose rows are what is computed; empty: none
};

constexpr std::array forms{
    LiveForm{"allreduce", "ring", false, true, netmodels::ring_allreduce_time},
    LiveForm{"allreduce", "ring_chunked", false, true, netmodels::ring_allreduce_time},
    LiveForm{"allreduce", "recdbl", false, true, netmodels::recursive_doubling_allreduce_time},
    LiveForm{"allreduce", "rabenseifner", false, true, netmodels::halving_doubling_allreduce_time},
    LiveForm{"allreduce", "halving_doubling", false, true, netmodels::halving_doubling_allreduce_time},
    LiveForm{"allreduce", "tree_nonoverlap", false, false, netmodels::openmpi_reduce_broadcast_time},
    LiveForm{"allgather", "ring", true, true, netmodels::ring_allgather_time},
    LiveForm{"allgather", "recdbl", true, true, netmodels::recursive_doubling_allgather_time},
    LiveForm{"allgather", "bruck", true, true, netmodels::recursive_doubling_allgather_time},
    LiveForm{"allgatherv", "ring", true, true, netmodels::ring_allgatherv_time},
    LiveForm{"bcast", "pipeline", false, false, chain},
    LiveForm{"bcast", "nccl_chain", false, false, netmodels::nccl_broadcast_time},
    LiveForm{"topk_allgather", "ring", true, true, gathered_twice},
    LiveForm{"artopk", "ring", false, true, broadcast_then_reduced},
    LiveForm{"topk_exchange", "ring", true, true, gathered_twice, {"topk_local"}},
    LiveForm{
        "artopk_exchange", "ring", false, true, broadcast_then_reduced, {"artopk_select", "artopk_apply"}},
    LiveForm{"bcast", "binomial", false, false, netmodels::binomial_broadcast_at_once_time},
    LiveForm{"bcast", "openmpi", false, false, netmodels::openmpi_broadcast_time},
    LiveForm{"reduce", "openmpi", false, false, netmodels::openmpi_reduce_time},
    LiveForm{"gather", "openmpi", true, false, netmodels::openmpi_gather_time},
    LiveForm{"scatter", "openmpi", true, false, netmodels::openmpi_scatter_time},
};

const LiveForm* form_of(const imports::LiveRow& row) {
  const auto* form = std::ranges::find_if(forms, [&](const LiveForm& each) {
    return each.collective == row.collective && each.algorithm == row.algorithm;
  });
  return form == forms.end() ? nullptr : form;
}

/// A part of this row's stack, ranks, delay and bytes, at another line rate.
std::optional<Seconds> part_at_other_rate(const imports::LiveRow& row, std::string_view part,
                                          const std::vector<LiveSource>& seen) {
  for (const LiveSource& each : seen) {
    imports::LiveSetting same = each.row.setting;
    same.line = row.setting.line;
    if (each.row.collective == part && each.row.size == row.size && same == row.setting &&
        each.row.setting.line != row.setting.line)
      return each.row.time;
  }
  return std::nullopt;
}

/// The operation of a row; contributions of an allgatherv rise from half of the mean to one and a half of it.
Operation operation_of(const imports::LiveRow& row, const LiveForm& form) {
  Operation operation;
  operation.ranks = static_cast<std::uint32_t>(row.setting.ranks);
  operation.size = form.gathers ? row.size * row.setting.ranks : row.size;
  for (int rank = 0; row.collective == "allgatherv" && rank < row.setting.ranks; ++rank)
    operation.parts.push_back(row.size * (0.5 + static_cast<double>(rank) / (row.setting.ranks - 1)));
  return operation;
}

}  // namespace

Result<std::vector<LiveSource>> read_live(const std::vector<SourceText>& sources) {
  std::vector<LiveSource> all;
  for (const SourceText& source : sources) {
    GRADSIM_TRY(rows, imports::read_live_mpi(source.text, source.path));
    for (imports::LiveRow& row : *rows) all.push_back({source.path, std::move(row)});
  }
  return all;
}

Result<PingPongs> PingPongs::fit(const std::vector<LiveSource>& rows) {
  PingPongs fitted;
  for (auto first = rows.begin(); first != rows.end();) {
    const auto end = std::find_if(first, rows.end(), [&](const LiveSource& each) {
      return each.row.collective != first->row.collective || each.file != first->file ||
             !(each.row.setting == first->row.setting);
    });
    if (first->row.collective == "pingpong") {
      std::vector<measurements::MeasuredPoint> points;
      for (auto row = first; row != end; ++row) points.push_back({row->row.size, row->row.time});
      std::ranges::sort(points);
      const auto link = fits::fit_point_to_point(points);
      if (!link) return netmodels::refuse(first->file, link.error().what, link.error().hint);
      fitted.fitted_.push_back({first->file, first->row.setting, *link});
    }
    first = end;
  }
  return fitted;
}

std::optional<LinkState> PingPongs::link_at_other_rate(const std::string& file,
                                                       const imports::LiveSetting& setting) const {
  const auto rank = [&](const Fitted& each) {
    const double distance = std::abs(std::log(each.setting.line / setting.line));
    return std::tuple(each.file != file, distance, each.setting.line.count);
  };
  const Fitted* best = nullptr;
  for (const Fitted& each : fitted_) {
    imports::LiveSetting same = each.setting;
    same.line = setting.line;
    if (!(same == setting) || each.setting.line == setting.line) continue;
    if (best == nullptr || rank(each) < rank(*best)) best = &each;
  }
  if (best == nullptr) return std::nullopt;
  return LinkState{best->link.latency, best->link.bandwidth * (setting.line / best->setting.line)};
}

std::optional<Seconds> computing_of(const imports::LiveRow& row, const std::vector<LiveSource>& seen) {
  Seconds together;
  const LiveForm* form = form_of(row);
  if (form == nullptr) return together;
  for (const std::string_view part : form->computes) {
    if (part.empty()) continue;
    const auto time = part_at_other_rate(row, part, seen);
    if (!time) return std::nullopt;
    together += *time;
  }
  return together;
}

std::optional<Seconds> predict_live(const imports::LiveRow& row, const LinkState& link) {
  const LiveForm* form = form_of(row);
  if (form == nullptr) return std::nullopt;
  const bool blocking =
      row.collective == "bcast" && row.algorithm == "binomial" && row.setting.stack.starts_with("mpich");
  const auto closed = blocking ? netmodels::binomial_broadcast_buffered_time : form->closed;
  const double share = form->both_ways ? fits::both_ways_share() : 1;
  return closed(operation_of(row, *form), {link.latency, link.bandwidth * share});
}

bool is_clean(const imports::LiveRow& row) {
  using namespace netmodels::literals;
  const imports::LiveSetting& setting = row.setting;
  if (row.size < Bytes{256 * 1024}) return false;
  if (setting.delay >= 1_ms) return !(row.collective == "bcast" && setting.stack.starts_with("mpich"));
  const bool simple = row.algorithm == "ring" || row.algorithm == "ring_chunked" ||
                      row.algorithm == "recdbl" || row.algorithm == "pipeline";
  return simple && (setting.ranks <= 4 || setting.line <= 0.5_Gbps);
}

}  // namespace calibrate::ledger
