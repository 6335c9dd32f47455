// Rules by which ping-pongs at another line rate predict live exchanges.
#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "calibrate/ledger/live_prediction.hpp"
#include "calibrate/ledger/rules.hpp"

namespace calibrate::ledger {

// Ping-pongs at another line rate predict live MPI collectives.

namespace {

using netmodels::Result;

constexpr netmodels::Bytes least_of_rest{64 * 1024};

Prediction prediction_of(const LiveSource& source, netmodels::Seconds predicted) {
  const imports::LiveRow& row = source.row;
  return {
      fmt::format("{}: {} {} {}", file_name(source.file), row.setting.stack, row.collective, row.algorithm),
      fmt::format("{} on {} ranks, {}, delay {}", size_label(row.size), row.setting.ranks,
                  netmodels::print(row.setting.line), netmodels::print(row.setting.delay)),
      "s",
      row.size,
      row.time.count,
      predicted.count};
}

Result<std::vector<Prediction>> predict_rows(const Evidence& evidence,
                                             bool (*holds)(const imports::LiveRow&)) {
  GRADSIM_TRY(seen, read_live(evidence.seen));
  GRADSIM_TRY(pings, PingPongs::fit(*seen));
  GRADSIM_TRY(measured, read_live(evidence.measured));
  std::vector<Prediction> predictions;
  for (const LiveSource& source : *measured) {
    if (!holds(source.row)) continue;
    const auto link = pings->link_at_other_rate(source.file, source.row.setting);
    const auto messages = link ? predict_live(source.row, *link) : std::nullopt;
    const auto computing = computing_of(source.row, *seen);
    if (messages && computing) predictions.push_back(prediction_of(source, *messages + *computing));
  }
  return predictions;
}

}  // namespace

Result<std::vector<Prediction>> predict_other_bandwidth(const Evidence& evidence) {
  return predict_rows(evidence, [](const imports::LiveRow& row) { return is_clean(row); });
}

Result<std::vector<Prediction>> predict_other_bandwidth_rest(const Evidence& evidence) {
  return predict_rows(
      evidence, [](const imports::LiveRow& row) { return !is_clean(row) && row.size >= least_of_rest; });
}

Result<std::vector<Prediction>> predict_nccl_other_bandwidth(const Evidence& evidence) {
  return predict_rows(evidence, [](const imports::LiveRow& row) {
    constexpr netmodels::Bytes least_nccl_size{4096};
    return row.setting.stack == "nccl" && row.size >= least_nccl_size;
  });
}

// Which exchange of gradients is quicker: predicted and measured, for dense, top-k and AR-Topk exchanges.

namespace {

using netmodels::Bytes;
using netmodels::Result;

constexpr Bytes least_size{4096};

/// Both times of one row.
struct TimePair {
  double measured = 0;   // seconds
  double predicted = 0;  // seconds

  friend TimePair operator+(const TimePair& a, const TimePair& b) {
    return {a.measured + b.measured, a.predicted + b.predicted};
  }
};

/// The rows of one setting of one file.
class Setting {
 public:
  Setting(std::vector<imports::LiveRow> rows, const netmodels::LinkState& link)
      : rows_(std::move(rows)), link_(link) {}

  [[nodiscard]] std::optional<TimePair> times(std::string_view collective, std::string_view algorithm,
                                              Bytes size) const {
    const auto row = std::ranges::find_if(rows_, [&](const imports::LiveRow& each) {
      return each.collective == collective && each.algorithm == algorithm && each.size == size;
    });
    if (row == rows_.end()) return std::nullopt;
    return TimePair{row->time.count, predict_live(*row, link_)->count};
  }

  [[nodiscard]] std::vector<Bytes> sizes_of(std::string_view collective, std::string_view algorithm) const {
    std::vector<Bytes> sizes;
    for (const imports::LiveRow& row : rows_) {
      if (row.collective == collective && row.algorithm == algorithm && row.size >= least_size)
        sizes.push_back(row.size);
    }
    std::ranges::sort(sizes);
    return sizes;
  }

 private:
  std::vector<imports::LiveRow> rows_;
  netmodels::LinkState link_;
};

void add_choices(const Setting& setting, const std::string& where, std::vector<Prediction>& predictions) {
  const auto sizes = setting.sizes_of("allreduce", "ring");
  const auto add = [&](std::string_view exchange, const TimePair& sparse, const TimePair& dense, Bytes kept,
                       Bytes whole) {
    predictions.push_back({fmt::format("{} against dense", exchange),
                           fmt::format("{} of {}, {}", size_label(kept), size_label(whole), where), "ratio",
                           whole, sparse.measured / dense.measured, sparse.predicted / dense.predicted});
  };
  for (const Bytes whole : sizes) {
    const TimePair dense = *setting.times("allreduce", "ring", whole);
    for (const Bytes kept : sizes) {
      if (kept >= whole) break;
      if (const auto gather = setting.times("allgather", "ring", kept))
        add("top-k all-gather", *gather, dense, kept, whole);
      if (const auto broadcast = setting.times("bcast", "binomial", kept))
        add("AR-Topk", *broadcast + *setting.times("allreduce", "ring", kept), dense, kept, whole);
    }
  }
}

void add_gathers(const Setting& setting, const std::string& where, std::vector<Prediction>& predictions) {
  for (const std::string_view algorithm : {"ring", "bruck", "recdbl"}) {
    for (const Bytes size : setting.sizes_of("allgather", algorithm)) {
      const auto broadcast = setting.times("bcast", "binomial", size);
      const auto reduce = setting.times("allreduce", "ring", size);
      if (!broadcast || !reduce) continue;
      const TimePair gather = *setting.times("allgather", algorithm, size);
      const TimePair ar_topk = *broadcast + *reduce;
      predictions.push_back({fmt::format("all-gather by {} against AR-Topk", algorithm),
                             fmt::format("{}, {}", size_label(size), where), "ratio", size,
                             gather.measured / ar_topk.measured, gather.predicted / ar_topk.predicted});
    }
  }
}

/// Adds the choices of every setting that has a link at another line rate.
Result<std::vector<Prediction>> predict_choices(const Evidence& evidence,
                                                void (*add)(const Setting&, const std::string& where,
                                                            std::vector<Prediction>&)) {
  GRADSIM_TRY(seen, read_live(evidence.seen));
  GRADSIM_TRY(pings, PingPongs::fit(*seen));
  GRADSIM_TRY(measured, read_live(evidence.measured));
  std::vector<Prediction> predictions;
  for (auto first = measured->begin(); first != measured->end();) {
    std::vector<imports::LiveRow> rows;
    const auto& setting = first->row.setting;
    auto end = first;
    for (; end != measured->end() && end->file == first->file && end->row.setting == setting; ++end)
      rows.push_back(end->row);
    if (const auto link = pings->link_at_other_rate(first->file, setting)) {
      add(Setting(std::move(rows), *link),
          fmt::format("{}, {} ranks, {}, delay {}", setting.stack, setting.ranks,
                      netmodels::print(setting.line), netmodels::print(setting.delay)),
          predictions);
    }
    first = end;
  }
  return predictions;
}

}  // namespace

Result<std::vector<Prediction>> predict_exchange_choice(const Evidence& evidence) {
  return predict_choices(evidence, add_choices);
}

Result<std::vector<Prediction>> predict_gather_choice(const Evidence& evidence) {
  return predict_choices(evidence, add_gathers);
}

Result<std::vector<Prediction>> predict_close_exchange_choice(const Evidence& evidence) {
  auto predictions = predict_exchange_choice(evidence);
  if (predictions)
    std::erase_if(*predictions,
                  [](const Prediction& each) { return each.measured < 0.5 || each.measured > 2; });
  return predictions;
}

}  // namespace calibrate::ledger
