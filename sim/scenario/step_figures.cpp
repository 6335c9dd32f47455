// Reads measured figures of steps, and describes their keys.
#include "sim/scenario/step_figures.hpp"

#include <algorithm>
#include <string_view>

#include "files/input_file.hpp"
#include "netmodels/collective.hpp"
#include "settings/type.hpp"
#include "sim/language/document.hpp"
#include "sim/language/place.hpp"
#include "sim/language/reader.hpp"
#include "sim/language/text_file.hpp"

namespace sim::scenario {

namespace fs = std::filesystem;
using netmodels::Result;
using settings::Problem;

void describe(settings::Fields& fields, StepFigure& figure) {
  using namespace settings;
  fields.field({.name = "step",
                .doc = "Measured time of one step without stragglers, the mean of many.",
                .bounds = above(0),
                .example = "182 ms"},
               figure.step);
  fields.field({.name = "allreduce",
                .doc = "Measured time of one all-reduce of `bytes`, with nothing else running.",
                .bounds = above(0),
                .example = "35 ms"},
               figure.allreduce);
  fields.field({.name = "alone",
                .doc = "Measured time of one step of one worker that exchanges nothing.",
                .bounds = above(0),
                .example = "95 ms"},
               figure.alone);
  fields.field({.name = "bytes",
                .doc = "Size of the all-reduce: of the buffer that every worker holds.",
                .bounds = at_least(4),
                .example = "100 MB"},
               figure.bytes);
  fields.field({.name = "arm",
                .doc = "Arm of the scenario that was measured; without it, the first one.",
                .example = "dense"},
               figure.arm);
  fields.field({.name = "workers",
                .doc = "Number of workers; without it, as the arm states.",
                .bounds = between(1, netmodels::most_ranks),
                .example = "8"},
               figure.workers);
  fields.field({.name = "within",
                .doc = "Relative error of the figure: 95 % of such measurements stay within it.",
                .fallback = "5 %",
                .bounds = above_up_to(0, 1),
                .example = "3 %",
                .share = true},
               figure.within);
}

std::optional<Problem> problem_of(const StepFigure& figure) {
  const int times =
      int{figure.step.has_value()} + int{figure.allreduce.has_value()} + int{figure.alone.has_value()};
  if (times != 1)
    return Problem{{},
                   times == 0 ? "it has no measured time" : "it has more than one measured time",
                   "write one of `step`, `allreduce` and `alone`, and an item for each measurement"};
  if (figure.allreduce && !figure.bytes)
    return Problem{"allreduce", "the size of the all-reduce is missing", "write `bytes: 100 MB` beside it"};
  if (figure.bytes && !figure.allreduce)
    return Problem{"bytes", "only `allreduce` has a size", "leave out `bytes`"};
  if (figure.alone && figure.workers)
    return Problem{"workers", "`alone` is measured on one worker", "leave out `workers`"};
  if (figure.allreduce && figure.workers == 1)
    return Problem{"workers", "an all-reduce needs 2 workers or more", "write how many there were"};
  return {};
}

void describe(settings::Fields& fields, StepFigures& figures) {
  using namespace settings;
  fields.field({.name = "scenario",
                .doc = "The scenario as assumed so far, which the unknowns belong to: a path, or a shipped "
                       "scenario.",
                .example = "quickstart.yaml",
                .need = Need::required},
               figures.scenario);
  fields.field({.name = "measured", .doc = "Measured figures, each a map."}, figures.measured);
  fields.field(
      {.name = "fit",
       .doc = "Unknowns to find: `goodput` of the links between nodes (`cluster.link.bandwidth`; of one "
              "interface, `cluster.nccl.network.measured_rate`, where NCCL's times are computed), "
              "`host_overhead` of a step (`compute.host_overhead`), `overlap_slowdown` "
              "(`exchange.overlap_slowdown`), and the time of `compression` of each measured arm "
              "that compresses (`compression.time`). Without it, all of them.",
       .example = "[goodput, host_overhead]"},
      figures.fit);
}

namespace {

Result<void> find_assumed(StepFigures& figures, const language::Value& root, const fs::path& data_dir) {
  const language::Value& named = *root.find("scenario");
  const fs::path file = language::find_file(figures.scenario, {folder_of(named), data_dir});
  std::error_code failed;
  if (fs::is_regular_file(file, failed)) {
    figures.scenario = file.lexically_normal().string();
    return {};
  }
  return language::refuse_at(root, "scenario", "unknown file `" + figures.scenario + "`",
                             files::nearest_file(folder_of(named) / figures.scenario));
}

}  // namespace

Result<StepFigures> read_step_figures(const fs::path& file, const fs::path& data_dir) {
  GRADSIM_TRY(document, language::read_document(file));
  const language::Value& root = document->root;
  StepFigures figures;
  const language::Field field{root, "", settings::Key{.name = "the file", .doc = "a map of keys"}};
  if (auto read = language::read_map(field, figures); !read) return tl::unexpected(read.error());
  if (figures.measured.empty()) {
    return language::refuse_at(root, "measured", "no measured figure",
                               "write for example `measured: [{step: 182 ms, workers: 8}, {alone: 95 ms}]`");
  }
  if (figures.measured.size() > most_step_figures) {
    return language::refuse_at(root, "measured", std::to_string(figures.measured.size()) + " figures",
                               "accepted: 1 to " + std::to_string(most_step_figures));
  }
  for (std::size_t i = 0; i < figures.measured.size(); ++i)
    figures.measured[i].where = place_of(root, language::item("measured", i));
  if (auto found = find_assumed(figures, root, data_dir); !found) return tl::unexpected(found.error());
  return figures;
}

}  // namespace sim::scenario
