// Step times on some placements predict those on others.
#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "calibrate/imports/adaptdl.hpp"
#include "calibrate/ledger/rules.hpp"

namespace calibrate::ledger {
namespace {

using imports::AdaptdlStep;
using netmodels::refuse;
using netmodels::Result;

/// The file with the folder that names its model.
std::string table_name(const std::string& path) {
  const std::filesystem::path whole(path);
  return (whole.parent_path().filename() / whole.filename()).generic_string();
}

Result<void> predict_by(const std::vector<AdaptdlStep>& seen, const std::vector<AdaptdlStep>& measured,
                        const std::string& path, std::vector<Prediction>& predictions) {
  std::vector<fits::PlacedStep> steps;
  for (const AdaptdlStep& each : seen) steps.push_back(each.step);
  const auto law = fits::fit_placements(steps);
  if (!law) return refuse(path, law.error().what, law.error().hint);
  for (const AdaptdlStep& each : measured)
    predictions.push_back(
        {table_name(path), fmt::format("{} at batch {}", each.placement, each.step.placement.local_batch),
         "s", std::nullopt, each.step.time.count, fits::predict(*law, each.step.placement).count});
  return {};
}

/// All inputs of the model except the batch. Placements that share them are equal to the model.
using Pair = std::pair<bool, int>;  // several nodes, replicas

Pair pair_of(const AdaptdlStep& each) {
  return {each.step.placement.nodes > 1, each.step.placement.replicas};
}

/// The 1st, 3rd, ... number of replicas on one node, and the same on several.
std::set<Pair> odd_pairs(const std::vector<AdaptdlStep>& steps) {
  std::array<std::set<int>, 2> replicas;
  for (const AdaptdlStep& each : steps) replicas[pair_of(each).first ? 1 : 0].insert(pair_of(each).second);
  std::set<Pair> odd;
  for (const bool several : {false, true}) {
    bool is_odd = true;
    for (const int number : replicas[several ? 1 : 0]) {
      if (is_odd) odd.insert({several, number});
      is_odd = !is_odd;
    }
  }
  return odd;
}

}  // namespace

Result<std::vector<Prediction>> predict_every_second_pair(const Evidence& evidence) {
  std::vector<Prediction> predictions;
  for (const SourceText& source : evidence.measured) {
    GRADSIM_TRY(steps, imports::read_adaptdl_placements(source.text, source.path));
    std::vector<AdaptdlStep> single;
    std::vector<AdaptdlStep> several;
    for (const AdaptdlStep& each : *steps)
      (each.step.placement.replicas == 1 ? single : several).push_back(each);
    const std::set<Pair> odd = odd_pairs(several);
    for (const bool odd_are_seen : {true, false}) {
      std::vector<AdaptdlStep> seen = single;
      std::vector<AdaptdlStep> held_out;
      for (const AdaptdlStep& each : several)
        (odd.contains(pair_of(each)) == odd_are_seen ? seen : held_out).push_back(each);
      GRADSIM_TRY(done, predict_by(seen, held_out, source.path, predictions));
    }
  }
  return predictions;
}

Result<std::vector<Prediction>> predict_more_nodes(const Evidence& evidence) {
  if (evidence.seen.size() != evidence.measured.size())
    return refuse(
        "", fmt::format("{} files are seen and {} predicted", evidence.seen.size(), evidence.measured.size()),
        "name those of the same models in the same order");
  std::vector<Prediction> predictions;
  for (std::size_t i = 0; i < evidence.seen.size(); ++i) {
    GRADSIM_TRY(seen, imports::read_adaptdl_placements(evidence.seen[i].text, evidence.seen[i].path));
    GRADSIM_TRY(more, imports::read_adaptdl_placements(evidence.measured[i].text, evidence.measured[i].path));
    const auto nodes = [](const AdaptdlStep& each) { return each.step.placement.nodes; };
    if (std::ranges::min(*more, {}, nodes).step.placement.nodes <=
        std::ranges::max(*seen, {}, nodes).step.placement.nodes)
      return refuse(evidence.measured[i].path, "a step has no more nodes than those under `seen`",
                    "this rule predicts placements on more nodes");
    GRADSIM_TRY(done, predict_by(*seen, *more, evidence.measured[i].path, predictions));
  }
  return predictions;
}

}  // namespace calibrate::ledger
