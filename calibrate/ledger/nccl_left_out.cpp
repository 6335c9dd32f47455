// Described hardware predicts NCCL's times with factors that are fitted without the judged cluster.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "calibrate/ledger/nccl_tables.hpp"
#include "calibrate/ledger/rules.hpp"

namespace calibrate::ledger {
namespace {

namespace nccl = netmodels::nccl;
using netmodels::Result;

/// A size of a table: what the model says of it, and what was measured.
struct ModelledPoint {
  double fixed = 0;  ///< s: latency, launch and enqueue
  double grows = 0;  ///< s: wire and fill
  double measured = 0;
};

struct ModelledTable {
  std::string cluster;
  const NcclTable* table = nullptr;
  std::vector<ModelledPoint> points;
  double weight = 1;  ///< weight of the table in a fit: all tables of a cluster together have 1
};

/// Factors on the two parts of a time, in place of those by which the constants of the model would be
/// refitted.
struct PartFactors {
  double fixed = 1;
  double grows = 1;

  [[nodiscard]] double time(const ModelledPoint& point) const {
    return fixed * point.fixed + grows * point.grows;
  }
};

/// The first two words of a file's name: `gcp_a3mega` of gcp_a3mega_2x8_h100_tcpxo_all_reduce.csv.
std::string cluster_of(const std::string& path) {
  const std::string name = file_name(path);
  return name.substr(0, name.find('_', name.find('_') + 1));
}

Result<ModelledTable> model_table(const NcclTable& table) {
  const auto model = nccl::Model::make(table.machine->hardware, table.group);
  if (!model)
    return netmodels::refuse(table.path, "`" + model.error().where + "`: " + model.error().what,
                             model.error().hint);
  ModelledTable modelled{cluster_of(table.path), &table, {}, 1};
  for (const measurements::MeasuredPoint& point : table.measured.points) {
    const auto time = model->time(table.operation, point.size);
    if (!time) return netmodels::refuse(table.path, time.error().what, time.error().hint);
    const netmodels::Seconds grows = time->wire + time->fill;
    modelled.points.push_back({(time->total() - grows).count, grows.count, point.time.count});
  }
  return modelled;
}

using Chosen = std::function<bool(const ModelledTable&)>;

/// Sum over clusters of the mean |log(time / measured)|.
double loss_of(const std::vector<const ModelledTable*>& tables, const PartFactors& factors) {
  double sum = 0;
  for (const ModelledTable* table : tables) {
    double of_table = 0;
    for (const ModelledPoint& point : table->points)
      of_table += std::abs(std::log(factors.time(point) / point.measured));
    sum += table->weight * of_table / static_cast<double>(table->points.size());
  }
  return sum;
}

/// The factors with the least loss on a grid of steps of 5 %, from 1/e to e.
PartFactors fit_factors(const std::vector<ModelledTable>& all, const Chosen& chosen) {
  constexpr int most_steps = 20;
  constexpr double step = .05;
  std::vector<const ModelledTable*> tables;
  for (const ModelledTable& table : all) {
    if (chosen(table)) tables.push_back(&table);
  }
  PartFactors best;
  double least = std::numeric_limits<double>::infinity();
  for (int i = -most_steps; i <= most_steps; ++i) {
    for (int j = -most_steps; j <= most_steps; ++j) {
      const PartFactors here{std::exp(step * i), std::exp(step * j)};
      const double loss = loss_of(tables, here);
      if (!(loss < least)) continue;  // nor where a time is not above 0
      least = loss;
      best = here;
    }
  }
  return best;
}

/// @param may_see  whether a table may be seen for the factors of the first one
Result<std::vector<Prediction>> predict_by_factors(
    const Evidence& evidence,
    const std::function<bool(const ModelledTable& judged, const ModelledTable& seen)>& may_see) {
  GRADSIM_TRY(machines, read_nccl_machines(evidence));
  GRADSIM_TRY(tables, read_nccl_tables(evidence.measured, *machines));
  std::vector<ModelledTable> all;
  for (const NcclTable& table : *tables) {
    GRADSIM_TRY(modelled, model_table(table));
    all.push_back(std::move(*modelled));
  }
  for (ModelledTable& table : all)
    table.weight = 1.0 / static_cast<double>(std::ranges::count(all, table.cluster, &ModelledTable::cluster));
  std::vector<Prediction> predictions;
  for (const ModelledTable& judged : all) {
    const auto seen = [&](const ModelledTable& table) { return may_see(judged, table); };
    if (std::ranges::none_of(all, seen))
      return netmodels::refuse("", "`" + judged.cluster + "` is the only cluster",
                               "name tables of at least two clusters");
    const PartFactors factors = fit_factors(all, seen);
    const auto& points = judged.table->measured.points;
    for (std::size_t i = 0; i < points.size(); ++i)
      predictions.push_back({file_name(judged.table->path), size_label(points[i].size), "s", points[i].size,
                             points[i].time.count, factors.time(judged.points[i])});
  }
  return predictions;
}

}  // namespace

Result<std::vector<Prediction>> predict_nccl_left_out(const Evidence& evidence) {
  return predict_by_factors(evidence, [](const ModelledTable& judged, const ModelledTable& seen) {
    return judged.cluster != seen.cluster;
  });
}

Result<std::vector<Prediction>> predict_nccl_in_sample(const Evidence& evidence) {
  return predict_by_factors(evidence, [](const ModelledTable&, const ModelledTable&) { return true; });
}

}  // namespace calibrate::ledger
