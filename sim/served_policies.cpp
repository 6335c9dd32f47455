// Observations as JSON, and decisions of JSON.
#include "sim/served_policies.hpp"

#include <utility>

#include <fmt/format.h>

namespace sim {
namespace {

using nlohmann::ordered_json;

template <class Question>
policies::PolicyFailure failure_of_policy(const Question& question, const std::string& why) {
  return policies::PolicyFailure(netmodels::Error{
      "--policies", fmt::format("policy `{}` failed in step {}: {}", question.name, question.seen.step, why),
      ""});
}

/// The client's decision.
/// @throws PolicyFailure  where the policy failed
template <class Question>
ordered_json answer_to(const Question& question, const serve::Ask& ask) {
  ordered_json answer = ask(question_json(question));
  if (const auto error = answer.find("error"); error != answer.end())
    throw failure_of_policy(question, error->is_string() ? error->get<std::string>() : error->dump());
  return answer.value("decision", ordered_json());
}

/// A list, left out where it is empty.
template <class Values>
void put_values(ordered_json& object, const char* name, const Values& values) {
  if (values.empty()) return;
  ordered_json& list = object[name] = ordered_json::array();
  for (const auto value : values) list.push_back(value);
}

/// A number, left out where it is not known.
void put_known(ordered_json& object, const char* name, const std::optional<double>& value) {
  if (value) object[name] = *value;
}

}  // namespace

ordered_json question_json(const policies::ExternalQuestion& question) {
  const policies::SynchronisationObservation& seen = question.seen;
  ordered_json object{{"policy", question.name},
                      {"run", question.run},
                      {"step", seen.step},
                      {"epoch", seen.epoch},
                      {"last", seen.last}};
  put_values(object, "workers", seen.workers);
  put_values(object, "squared_norms", seen.squared_norms);
  put_values(object, "squared_drifts", seen.squared_drifts);
  put_known(object, "loss", seen.loss);
  put_known(object, "learning_rate", seen.warmed_up_rate);
  if (seen.measured_change) {
    const policies::MeasuredChange& change = *seen.measured_change;
    object["measured_change"] = {{"largest", change.largest},
                                 {"window", change.measure.window},
                                 {"smoothing", change.measure.smoothing}};
  }
  if (seen.present > 0) object["present"] = seen.present;
  return object;
}

ordered_json question_json(const policies::RatioQuestion& question) {
  const policies::CompressionObservation& seen = question.seen;
  ordered_json object{{"policy", question.name}, {"run", question.run}, {"asks", "ratio"},
                      {"step", seen.step},       {"epoch", seen.epoch}, {"workers", seen.workers},
                      {"values", seen.values},   {"done", seen.done}};
  if (seen.network)
    object["network"] = {{"latency_s", seen.network->latency.count},
                         {"bandwidth_bytes_per_s", seen.network->bandwidth.count},
                         {"age_s", seen.network->age.count}};
  if (!question.last) return object;
  const policies::CompressionOutcome& last = *question.last;
  ordered_json& previous = object["previous"];
  previous = {{"ratio", last.sent.compresses() ? last.sent.ratio : 1.0},
              {"compute_s", last.compute.count},
              {"compress_s", last.compress.count},
              {"exchange_s", last.exchange.count},
              {"step_s", last.step.count},
              {"samples", last.samples}};
  put_known(previous, "gain", last.gain);
  put_known(previous, "squared_norm", last.squared_norm);
  return object;
}

ServedPolicies::ServedPolicies(ordered_json hashes, const serve::Ask& ask)
    : hashes_(std::move(hashes)), ask_(ask) {}

std::optional<std::string> ServedPolicies::source_hash(std::string_view name) const {
  const auto found = hashes_.find(std::string(name));
  if (found == hashes_.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

policies::ExternalDecision ServedPolicies::decide(const policies::ExternalQuestion& question) {
  const ordered_json decision = answer_to(question, ask_);
  if (decision.is_string()) return {decision.get<std::string>(), false};
  const ordered_json kind = decision.is_object() ? decision.value("kind", ordered_json()) : ordered_json();
  const ordered_json dense =
      decision.is_object() ? decision.value("dense", ordered_json(false)) : ordered_json(false);
  if (!kind.is_string() || !dense.is_boolean())
    throw failure_of_policy(
        question, fmt::format("the decision `{}` is not a name, or `kind` and `dense`", decision.dump()));
  return {kind.get<std::string>(), dense.get<bool>()};
}

double ServedPolicies::ratio(const policies::RatioQuestion& question) {
  const ordered_json decision = answer_to(question, ask_);
  if (!decision.is_number())
    throw failure_of_policy(question, fmt::format("the decision `{}` is not a ratio", decision.dump()));
  return decision.get<double>();
}

}  // namespace sim
