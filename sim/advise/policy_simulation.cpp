// Plays candidates and sums up what they did.
#include "sim/advise/policy_simulation.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/engine/simulate.hpp"

namespace sim::advise {
namespace {

using engine::StepRecord;
using netmodels::Bytes;
using netmodels::Result;
using netmodels::Seconds;
using PlainJson = nlohmann::json;

/// Sums over steps.
class Sums {
 public:
  void add(const StepRecord& step) {
    ++steps_;
    sums_.step += step.duration;
    sums_.parts += step.parts;
    sums_.exchange_busy += step.exchange_busy;
    sums_.margin += step.margin;
    if (step.sent && sent_)
      *sent_ += *step.sent * step.workers;
    else
      sent_.reset();
    if (!step.collective.empty()) ++uses_[std::string(step.collective)];
  }

  /// @param outside  time outside the steps
  [[nodiscard]] SimulatedPolicy means(Seconds outside) const {
    const auto count = static_cast<double>(std::max<std::int64_t>(1, steps_));
    SimulatedPolicy played = sums_;
    played.step = (sums_.step + outside) / count;
    played.parts = sums_.parts / count;
    played.exchange_busy = sums_.exchange_busy / count;
    played.margin = sums_.margin / count;
    if (sent_) played.sent_by_all = *sent_ / count;
    played.steps = count;
    const auto most = std::ranges::max_element(uses_, {}, [](const auto& use) { return use.second; });
    if (most != uses_.end()) played.collective = most->first;
    return played;
  }

 private:
  SimulatedPolicy sums_;
  std::int64_t steps_ = 0;
  std::optional<Bytes> sent_ = Bytes{};
  std::map<std::string, std::int64_t> uses_;
};

PlainJson plain_json_of(const std::optional<double>& value) {
  return value ? PlainJson(*value) : PlainJson(nullptr);
}

std::optional<double> number_in(const PlainJson& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

}  // namespace

Result<SimulatedPolicy> simulate_sample(const SampledRun& sampled, engine::LearnerShelf& shelf,
                                        engine::ClusterCache& clusters) {
  std::atomic<bool> over = false;
  Sums sums;
  engine::Listeners listeners;
  listeners.stop = &over;
  listeners.step = [&](const StepRecord& step) {
    if (sampled.period && step.start >= *sampled.period)
      over = true;
    else
      sums.add(step);
  };
  GRADSIM_TRY(played, engine::simulate(sampled.scenario, listeners, shelf, clusters));
  if (sampled.period && !over && played->time < *sampled.period) {
    return netmodels::refuse(
        "",
        fmt::format("`{}` steps end before the period of {} does, in which the network repeats itself",
                    sampled.scenario.training.steps.value_or(0), print(*sampled.period, 4)),
        "a shorter period, or a workload whose steps take longer");
  }
  return sums.means(played->outside_steps);
}

Result<SimulatedPolicy> simulate_to_target(const scenario::Scenario& training, engine::LearnerShelf& shelf,
                                           engine::ClusterCache& clusters) {
  scenario::Scenario whole = training;
  whole.output.steps_every = 1;
  whole.output.timeline_steps = 0;
  std::atomic<bool> over = false;
  Sums sums;
  engine::Listeners listeners;
  listeners.stop = &over;
  listeners.step = [&](const StepRecord& step) {
    sums.add(step);
    const bool tested = step.learning && step.learning->evaluated;
    if (tested && step.learning->evaluated->accuracy >= whole.learner.target.value_or(2)) over = true;
  };
  GRADSIM_TRY(result, engine::simulate(whole, listeners, shelf, clusters));
  SimulatedPolicy played = sums.means(result->outside_steps);
  played.learner = result->learner;
  played.reached = result->learning->target.has_value();
  played.accuracy =
      played.reached ? std::optional(result->learning->target->accuracy) : result->learning->best_accuracy;
  return played;
}

std::string pack(const SimulatedPolicy& played) {
  const engine::Parts& parts = played.parts;
  const PlainJson sent = played.sent_by_all ? PlainJson(played.sent_by_all->count) : PlainJson(nullptr);
  const PlainJson json{{"step", played.step.count},
                       {"parts",
                        {parts.compute.count, parts.wait.count, parts.compress.count, parts.exchange.count,
                         parts.stream_wait.count}},
                       {"busy", played.exchange_busy.count},
                       {"margin", played.margin.count},
                       {"sent", sent},
                       {"collective", played.collective},
                       {"steps", played.steps},
                       {"accuracy", plain_json_of(played.accuracy)},
                       {"reached", played.reached},
                       {"learner", played.learner}};
  std::string bytes;
  PlainJson::to_cbor(json, bytes);
  return bytes;
}

SimulatedPolicy unpack_policy(const std::string& bytes) {
  const PlainJson json = PlainJson::from_cbor(bytes);
  const auto seconds = [](const PlainJson& value) { return Seconds{value.get<double>()}; };
  SimulatedPolicy played;
  played.step = seconds(json.at("step"));
  const PlainJson& parts = json.at("parts");
  played.parts = {seconds(parts[0]), seconds(parts[1]), seconds(parts[2]), seconds(parts[3]),
                  seconds(parts[4])};
  played.exchange_busy = seconds(json.at("busy"));
  played.margin = seconds(json.at("margin"));
  if (const auto sent = number_in(json.at("sent"))) played.sent_by_all = Bytes{*sent};
  played.collective = json.at("collective").get<std::string>();
  played.steps = json.at("steps").get<double>();
  played.accuracy = number_in(json.at("accuracy"));
  played.reached = json.at("reached").get<bool>();
  played.learner = json.at("learner").get<std::string>();
  return played;
}

}  // namespace sim::advise
