// Every key under `compression`.
#include <array>
#include <span>
#include <vector>

#include "kernels/catalogue.hpp"
#include "netmodels/collective.hpp"
#include "settings/type.hpp"
#include "sim/scenario/fields_scenario.hpp"

namespace sim::scenario {

using namespace settings;
using enum Capability;

namespace {

Demands demands_of(const kernels::Entry& row) {
  if (!kernels::Method(row).compresses()) return {};
  Demands demands{.needs = {all_reduced_gradients, whole_states, stated_method, common_model},
                  .denies = {dense_gradients},
                  .offers = {compressed, compressing}};
  if (row.error_feedback) demands.offers |= {unsent_values};
  if (row.low_rank) demands.offers |= {low_rank};
  if (row.tiled) demands.offers |= {coefficient_tiles};
  if (row.has_ratio()) demands.offers |= {sparse};
  if (row.recoded) demands.offers |= {recoded_sum};
  if (row.two_rounds()) demands.needs |= {second_round};
  if (row.exchange == netmodels::CollectiveKind::ar_topk) {
    demands.needs |= {common_selection, one_level};
    demands.offers |= {selected_worker};
  }
  if (row.unscaled) demands.needs |= {gradient_exchange};
  return demands;
}

std::span<const TableWord> method_names() {
  static const std::vector<TableWord> names = names_in(kernels::wire_formats());
  return names;
}

std::span<const TableWord> method_words() {
  static const std::vector<TableWord> words = [] {
    std::vector<TableWord> made;
    for (const auto& row : kernels::wire_formats()) made.push_back({row.name, {}, demands_of(row)});
    return made;
  }();
  return words;
}

bool begins_dense(const Compression& compression) { return compression.warm_up.is_dense(); }

bool begins_with_more(const Compression& compression) {
  return compression.warm_up.any() && !compression.warm_up.is_dense();
}

constexpr std::array compression_conditions{
    condition<Compression, begins_dense>(
        "warm_up", "with whole gradients",
        {.needs = {gradients_every_step, stated_warm_up, compressed}, .offers = {dense_warm_up}},
        "{shape: dense, steps: 200}"),
    condition<Compression, begins_with_more>("warm_up", "",
                                             {.needs = {gradients_every_step, stated_warm_up, sparse}})};

}  // namespace

std::span<const Condition> conditions_of(std::type_identity<Compression>) { return compression_conditions; }

void describe(Fields& fields, CompressionTime& row) {
  fields.field(
      {.name = "method", .doc = "A row of `sim list compressors`.", .example = "topk", .words = method_names},
      row.method);
  fields.field({.name = "ratio",
                .doc = "Ratio at which it was measured (kept / original).",
                .fallback = "1",
                .bounds = above_up_to(0, 1),
                .example = "10 %",
                .share = true},
               row.ratio);
  fields.field({.name = "time",
                .doc = "Time to compress the whole gradient and restore all messages.",
                .example = "35 ms",
                .measure = "`calibrate probe kernels`"},
               row.time);
}

void describe(Fields& fields, Compression& compression) {
  fields.field(
      {.name = "method",
       .doc = "How gradients are sent, or, where models are exchanged, each worker's change since the last "
              "exchange: a row of `sim list compressors`.",
       .fallback = "none",
       .example = "topk",
       .words = method_words},
      compression.method);
  fields.field(
      {.name = "ratio",
       .doc = "Share of the gradient's values that is kept (kept / original); of powersgd, that both "
              "factors hold.",
       .fallback = "1",
       .bounds = above_up_to(0, 1),
       .example = "0.01",
       .share = true,
       .demands = {.needs = {stated_ratio, sparse}, .uses = {compressing}}},
      compression.ratio);
  fields.field({.name = "rank",
                .doc = "Rank of powersgd's factors, in place of `ratio`, which follows from it: r (rows + "
                       "columns) values of each layer, whose matrix is taken as square as possible, or the "
                       "layer itself where that is smaller.",
                .bounds = between(1, 4096),
                .example = "4",
                .demands = {.needs = {stated_ratio, sparse}, .uses = {low_rank}}},
               compression.rank);
  fields.field({.name = "index_bytes",
                .doc = "Bytes per index of a kept value: 4 or 8.",
                .fallback = "4",
                .bounds = between(4, 8),
                .demands = {.uses = {compressing}}},
               compression.index_bytes);
  fields.field({.name = "time",
                .doc = "Time to compress the whole gradient and restore all messages; `0 s` where it is "
                       "free; without it, "
                       "from the device.",
                .example = "12 ms",
                .measure = "`calibrate probe kernels`, or `sim fit step` from measured steps",
                .demands = {.needs = {one_compression}, .uses = {compressing}}},
               compression.time);
  fields.field(
      {.name = "times",
       .doc = "Measured times of the methods and ratios that a policy may choose; in between, interpolated "
              "over the logarithm of the ratio.",
       .example = "[{method: topk, ratio: 10 %, time: 35 ms}]",
       .demands = {.uses = {compressing}}},
      compression.times);
  fields.field(
      {.name = "kernel_times",
       .doc = "File of costs written by `calibrate fit kernels`: times of methods that `time` and `times` "
              "do not state, and of restoring each message of an all-gather. `measure`: `sim run` and `sim "
              "explain` measure the method on this machine first, at the sizes of the gradient's buckets.",
       .example = "kernel_times/epyc_thread.yaml",
       .need = Need::optional,
       .demands = {.uses = {compressing}}},
      compression.kernel_times);
  fields.field({.name = "measured",
                .doc = "What `kernel_times: measure` measured: a run writes it into scenario.resolved.yaml, "
                       "which then runs again without measuring.",
                .need = Need::optional,
                .demands = {.uses = {compressing}}},
               compression.measured);
  fields.field(
      {.name = "cost",
       .doc =
           "Which times compressing takes where none is stated: `kernels` of `kernel_times`, "
           "`framework` as measured or published for `stack`, `floor` the memory traffic alone; `automatic` "
           "the first of these that is known, and a verdict that holds for the floor and for the "
           "published times, or says where it turns.",
       .fallback = "automatic",
       .demands = {.uses = {compressing}}},
      compression.cost);
  fields.field({.name = "stack",
                .doc = "Framework whose compression times are used: a file in `scenarios/kernel_times` that "
                       "states its `stack`. Default: the file that was measured on the workload's device, "
                       "where there is one; else `pytorch`, published.",
                .fallback = "pytorch",
                .demands = {.uses = {compressing}}},
               compression.stack);
  fields.field({.name = "selection",
                .doc = "How AR-Topk chooses the worker whose indices are used.",
                .fallback = "staleness",
                .demands = {.uses = {selected_worker}}},
               compression.selection);
  fields.field(
      {.name = "topk_per_tile",
       .doc = "How many coefficients `dct_topk` sends of each tile: `fixed`, `ratio` of 4096, as DeMo's "
              "released code does (its `compression_topk`), all of a smaller tile that has no more; "
              "`proportional`, `ratio` of the tile's values.",
       .fallback = "fixed",
       .demands = {.uses = {coefficient_tiles}}},
      compression.topk_per_tile);
  describe(fields, compression.policy);
  fields.field({.name = "warm_up", .doc = "Warm-up that sends more, before the policy starts."},
               compression.warm_up);
}

}  // namespace sim::scenario
