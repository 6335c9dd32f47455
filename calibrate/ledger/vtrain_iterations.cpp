// Measured iterations of Megatron-DeepSpeed, predicted from others and from tables of all-reduces.
#include <algorithm>
#include <cassert>
#include <map>

#include <fmt/format.h>

#include "calibrate/fits/least_squares.hpp"
#include "calibrate/imports/vtrain.hpp"
#include "calibrate/ledger/rules.hpp"

namespace calibrate::ledger {
namespace {

using imports::VtrainIteration;
using netmodels::Result;
using Points = std::vector<measurements::MeasuredPoint>;

constexpr double words = 51200;       // Megatron-LM's padded GPT vocabulary
constexpr double half_precision = 2;  // bytes

/// Times of all-reduces by number of ranks.
class MeasuredAllReduces {
 public:
  static Result<MeasuredAllReduces> read(const std::vector<SourceText>& sources) {
    MeasuredAllReduces all;
    for (const SourceText& source : sources) {
      GRADSIM_TRY(table, imports::import_vtrain_table(source.text, source.path));
      if (table->points.size() < 2)
        return netmodels::refuse(source.path, "one size cannot determine a slope",
                                 "give a table of at least two");
      all.by_ranks_[table->ranks] = std::move(table->points);
    }
    if (!all.by_ranks_.contains(2))
      return netmodels::refuse(sources.front().path, "no all-reduce on 2 ranks is given under `seen`",
                               "name its table");
    return all;
  }

  /// Seconds; 0 on one rank.
  [[nodiscard]] double time(int ranks, double bytes) const {
    if (ranks < 2) return 0;
    const auto& [measured, points] = *std::prev(by_ranks_.upper_bound(ranks));
    const double scale = (ranks - 1.0) / ranks / ((measured - 1.0) / measured);
    const auto& first = points.front();
    if (bytes <= first.size.count) return scale * first.time.count * (0.5 + 0.5 * bytes / first.size.count);
    auto above =
        std::ranges::lower_bound(points, bytes, {}, [](const auto& point) { return point.size.count; });
    if (above == points.end()) --above;
    const auto below = std::prev(above);
    const double share = (bytes - below->size.count) / (above->size - below->size).count;
    return scale * (below->time.count + share * (above->time - below->time).count);
  }

 private:
  std::map<int, Points> by_ranks_;
};

fits::Observation observation_of(const VtrainIteration& run, const MeasuredAllReduces& all_reduces) {
  const double micro_batches = run.batch / (run.data * run.micro_batch);
  const double passes = (micro_batches + run.pipeline - 1) * run.layers / run.pipeline;
  const double tokens = run.micro_batch * run.length;
  const double width = run.hidden;
  const double share = 1.0 / run.tensor;
  const double work = 24 * tokens * width * width + 4 * tokens * run.length * width;
  const double parameters = (12 * width * width * run.layers / run.pipeline + words * width) * share;
  return {{1, passes, run.tensor > 1 ? passes : 0, passes * work * share, passes * tokens * width * share,
           passes * run.micro_batch * run.heads * run.length * run.length * share,
           passes * 4 * all_reduces.time(run.tensor, half_precision * tokens * width),
           all_reduces.time(run.data, half_precision * parameters),
           micro_batches * tokens * width * words * share},
          run.time.count};
}

std::string label(const VtrainIteration& run) {
  return fmt::format("batch {}, micro-batch {}, width {}, {} layers, {} x {} x {}", run.batch,
                     run.micro_batch, run.hidden, run.layers, run.tensor, run.data, run.pipeline);
}

/// Predicts the runs that are not seen from those that are.
void predict_unseen(const std::vector<VtrainIteration>& runs, const MeasuredAllReduces& all_reduces,
                    const std::vector<bool>& seen, const std::string& path,
                    std::vector<Prediction>& predictions) {
  std::vector<fits::Observation> fitted;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (seen[i]) fitted.push_back(observation_of(runs[i], all_reduces));
  }
  if (fitted.empty()) return;
  const auto factors = fits::fit_factors(fitted);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (seen[i]) continue;
    const fits::Observation run = observation_of(runs[i], all_reduces);
    predictions.push_back(
        {file_name(path), label(runs[i]), "s", std::nullopt, run.value, fits::sum_of(factors, run.terms)});
  }
}

/// @param parts  which runs are seen, for each round of predictions
template <class Parts>
Result<std::vector<Prediction>> predict_parts(const Evidence& evidence, Parts parts) {
  GRADSIM_TRY(all_reduces, MeasuredAllReduces::read(evidence.seen));
  std::vector<Prediction> predictions;
  for (const SourceText& source : evidence.measured) {
    GRADSIM_TRY(runs, imports::read_vtrain_iterations(source.text, source.path));
    for (const std::vector<bool>& seen : parts(*runs))
      predict_unseen(*runs, *all_reduces, seen, source.path, predictions);
  }
  return predictions;
}

}  // namespace

Result<std::vector<Prediction>> predict_vtrain_iterations(const Evidence& evidence) {
  return predict_parts(evidence, [](const std::vector<VtrainIteration>& runs) {
    std::vector<std::vector<bool>> parts(2, std::vector<bool>(runs.size()));
    for (std::size_t i = 0; i < runs.size(); ++i) parts[i % 2][i] = true;
    return parts;
  });
}

Result<std::vector<Prediction>> predict_vtrain_on_eight(const Evidence& evidence) {
  return predict_parts(evidence, [](const std::vector<VtrainIteration>& runs) {
    std::vector<bool> seen;
    for (const VtrainIteration& run : runs) seen.push_back(run.tensor * run.data * run.pipeline < 8);
    return std::vector<std::vector<bool>>{seen};
  });
}

}  // namespace calibrate::ledger
