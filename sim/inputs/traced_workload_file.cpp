// Reads workloads with a graph, key by key.
#include "sim/inputs/traced_workload_file.hpp"

#include <memory>
#include <utility>

#include "netmodels/traced_step.hpp"
#include "settings/type.hpp"
#include "sim/inputs/input_files.hpp"
#include "sim/language/text_file.hpp"

namespace sim::inputs {

using namespace settings;

void describe(Fields& fields, TracedKeys& keys) {
  fields.field({.name = "name", .doc = "Name of the workload.", .fallback = "unnamed"}, keys.name);
  fields.field({.name = "provenance",
                .doc = "Source of the trace: who recorded it, and where.",
                .fallback = "stated in place"},
               keys.provenance);
  fields.field({.name = "device", .doc = "Device that was traced.", .fallback = unstated_device},
               keys.device);
  fields.field({.name = "graph",
                .doc = "CSV file, beside this file, with the operations of a step as a trace has them, as "
                       "`calibrate import` with `--format graph` writes it.",
                .example = "my_trace_graph.csv",
                .need = Need::required},
               keys.graph);
  fields.field({.name = "parameters",
                .doc = "Trainable values.",
                .bounds = between(1, 1e15),
                .example = "25557032",
                .need = Need::required},
               keys.parameters);
  fields.field({.name = "batch",
                .doc = "Samples of the traced step; `training.batch` must be equal.",
                .bounds = between(1, 1e9),
                .example = "32",
                .need = Need::required},
               keys.batch);
}

namespace {

using netmodels::LinearTime;
using netmodels::Result;
using netmodels::TimeOrigin;
using netmodels::Workload;

/// All of it is one layer, for what asks for sizes and times.
netmodels::Layer traced_layer(const TracedKeys& keys, const netmodels::TracedStep& step) {
  netmodels::Layer layer;
  layer.name = "traced step";
  layer.kind = "trace";
  layer.parameters = keys.parameters;
  layer.backward = LinearTime{{}, undisturbed(step) / static_cast<double>(keys.batch)};
  return layer;
}

}  // namespace

Result<Workload> read_traced_workload(const language::Field& field) {
  TracedKeys keys;
  if (const auto read = language::read_map(field, keys); !read) return tl::unexpected(read.error());
  GRADSIM_TRY(step, read_traced_step(language::find_file_of(field.value, "graph")));
  Workload workload;
  workload.name = keys.name;
  workload.provenance = keys.provenance;
  workload.device = keys.device;
  workload.origin = TimeOrigin::measured;
  workload.reference_batch = keys.batch;
  workload.layers = {traced_layer(keys, *step)};
  workload.traced = std::make_shared<const netmodels::TracedStep>(std::move(*step));
  return workload;
}

}  // namespace sim::inputs
