// The JSON schema of scenario files, made from the same descriptions that the reader uses.
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "settings/type.hpp"
#include "sim/inputs/workload_file.hpp"
#include "sim/language/metric.hpp"
#include "sim/scenario/fields_planning.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/study.hpp"

namespace sim::scenario {
namespace {

using Json = nlohmann::ordered_json;
using settings::Key;
using settings::Need;
using settings::Type;

/// A default or an example as YAML reads it.
Json json_of(std::string_view text) {
  const auto read = [&](std::string_view word) { return Json::parse(word, nullptr, false); };
  Json value = read(text);
  return value.is_discarded() ? Json(std::string(text)) : value;
}

Json words_schema(const Type& type) {
  Json words = Json::array();
  for (const std::string_view word : type.words) words.push_back(word);
  return {{"enum", words}};
}

/// Collects the schemas of the described keys of one map.
class SchemaWriter final : public settings::Fields {
 public:
  using Fields::choice;
  using Fields::field;

  /// @param complete  whether required keys must be there; not so where a base file may bring them
  explicit SchemaWriter(bool complete) : complete_(complete) {}

  void field(const Key& key, const Type& type, void*) override;

  void choice(const Key& key, const Type& type, void* target) override {
    field(key, type, target);
    if (!key.fallback) need(key);
  }

  void deferred(const Key& key) override {
    add(key, {{"type", Json::array({"string", "object"})}});
    need(key);
  }

  void figure(const Key& key, std::optional<double>&, std::string_view) override {
    add(key, {{"type", Json::array({"string", "number"})}});
  }

  /// Of the map; where it has a key that chooses, it may be just the word of that key.
  [[nodiscard]] Json value(const Type& type) const {
    if (type.choice_key.empty()) return object();
    Json alone = properties_[type.choice_key];
    for (const char* key : {"description", "default", "examples"}) alone.erase(key);
    return {{"anyOf", Json::array({std::move(alone), object()})}};
  }

  [[nodiscard]] Json object() const {
    Json json{{"type", "object"}, {"properties", properties_}, {"additionalProperties", false}};
    if (!required_.empty()) json["required"] = required_;
    return json;
  }

 private:
  /// Every alternative is listed; the reader checks which belongs to which word.
  void alternative(bool, std::string_view, Rest describe_rest, void* rest) override {
    SchemaWriter inner(false);
    describe_rest(rest, inner);
    properties_.update(inner.properties_);
  }

  void need(const Key& key) {
    if (complete_) required_.emplace_back(key.name);
  }

  void add(const Key& key, Json json) {
    json["description"] = key.doc;
    if (key.fallback) json["default"] = json_of(*key.fallback);
    const bool plain = !key.example.empty() && !key.example.starts_with('{') && !key.example.starts_with('[');
    if (plain) json["examples"] = Json::array({json_of(key.example)});
    properties_[std::string(key.name)] = std::move(json);
  }

  bool complete_;
  Json properties_ = Json::object();
  std::vector<std::string> required_;
};

/// The rows that a text key may name.
Json table_words(const Key& key) {
  Json words = Json::array();
  if (key.words == nullptr) return words;
  for (const settings::TableWord& word : key.words()) words.push_back(word.name);
  return words;
}

Json number_schema(const Key& key, const char* type) {
  Json json{{"type", type}};
  if (key.bounds.min) json[key.bounds.open_below ? "exclusiveMinimum" : "minimum"] = *key.bounds.min;
  if (key.bounds.max) json[key.bounds.open_above ? "exclusiveMaximum" : "maximum"] = *key.bounds.max;
  Json forms = Json::array({json});
  if (key.share) forms.push_back(Json{{"type", "string"}, {"pattern", "^[0-9.eE+-]+ *%$"}});
  if (json["type"] == "number") forms.push_back(Json{{"$ref", "#/$defs/uncertain"}});
  return forms.size() == 1 ? forms.front() : Json{{"anyOf", forms}};
}

/// A number and one of the units of the dimension, or several with their names; the reader knows the details.
Json quantity_schema(const Type& type) {
  return {{"anyOf",
           Json::array({Json{{"type", "string"}, {"pattern", "^ *[0-9.]+([eE][+-]?[0-9]+)? *[^ 0-9].*$"}},
                        Json{{"$ref", "#/$defs/uncertain"}}})},
          {"$comment", "units: " + std::string(type.units())}};
}

/// A quantity or number with its range, or with its mean and standard deviation.
Json uncertain_schema() {
  const Json text{{"type", Json::array({"string", "number"})}};
  const Json ends{{"type", "array"}, {"items", text}, {"minItems", 2}, {"maxItems", 2}};
  return {{"type", "object"},
          {"properties", {{"value", text}, {"range", ends}, {"mean", text}, {"sd", text}}},
          {"additionalProperties", false},
          {"anyOf", Json::array({Json{{"required", Json::array({"value", "range"})}},
                                 Json{{"required", Json::array({"mean", "sd"})}}})}};
}

Json map_schema(const Type& type, bool complete) {
  SchemaWriter writer(complete);
  type.describe_default(writer);
  return writer.object();
}

template <settings::Described T>
Json map_schema(bool complete) {
  return map_schema(settings::type_of<T>(), complete);
}

Json schema_of(const Key& key, const Type& type, bool complete) {
  switch (type.kind) {
    case Type::Kind::optional: return schema_of(key, *type.inner, complete);
    case Type::Kind::list: {
      const Json item = schema_of(key, *type.inner, true);
      const Json list{{"type", "array"}, {"items", item}};
      return type.inner->kind == Type::Kind::map ? list : Json{{"anyOf", Json::array({list, item})}};
    }
    case Type::Kind::map: {
      SchemaWriter writer(complete);
      type.describe_default(writer);
      return writer.value(type);
    }
    case Type::Kind::word: return words_schema(type);
    case Type::Kind::quantity: return quantity_schema(type);
    case Type::Kind::moment:
      return {{"type", "string"}, {"pattern", "^(epoch +[0-9.]+|step +[0-9]+|[0-9.].*)$"}};
    case Type::Kind::boolean: return {{"type", "boolean"}};
    case Type::Kind::integer: return number_schema(key, "integer");
    case Type::Kind::number: return number_schema(key, "number");
    case Type::Kind::text: break;
  }
  const Json words = table_words(key);
  return words.empty() ? Json{{"type", "string"}} : Json{{"enum", words}};
}

void SchemaWriter::field(const Key& key, const Type& type, void*) {
  add(key, schema_of(key, type, complete_));
  const bool lenient = key.fallback || key.need == Need::optional || type.may_be_absent();
  if (key.need == Need::required || (!lenient && type.kind != Type::Kind::map)) need(key);
}

/// A row of `expect`, whose key `metric` is one of the metrics.
template <class T>
Json expect_row_schema(language::ExpectableMetrics metrics) {
  Json row = map_schema<T>(true);
  Json& metric = row["properties"]["metric"];
  Json words{{"enum", Json::array()}};
  for (const language::ExpectableMetric& known : metrics) words["enum"].push_back(known.name);
  metric.erase("type");
  words.update(metric);
  metric = std::move(words);
  return row;
}

/// `expect`: figures and bounds.
Json expect_schema(language::ExpectableMetrics metrics) {
  Json figure = expect_row_schema<Expectation>(metrics);
  figure["required"] = {"metric", "source"};  // a study of one arm need not name it
  figure["anyOf"] = Json::array(
      {Json{{"required", {"value"}}}, Json{{"required", {"at_least"}}}, Json{{"required", {"at_most"}}}});
  return {{"type", "array"},
          {"description", keys_of_study::expect.doc},
          {"items",
           {{"anyOf", Json::array({figure, expect_row_schema<MeanErrorBound>(metrics),
                                   expect_row_schema<BestAlongAxis>(metrics)})}}}};
}

/// `planning`: with its own arms, and bounds on their results.
Json planning_schema() {
  Json planning = map_schema<Planning>(false);
  Json arm = planning;
  planning["description"] = keys_of_study::planning.doc;
  planning["properties"]["compare"] = {{"type", "object"},
                                       {"description", keys_of_study::planning_compare.doc},
                                       {"additionalProperties", std::move(arm)},
                                       {"minProperties", 1}};
  planning["properties"]["expect"] = {{"type", "array"},
                                      {"description", keys_of_study::planning_expect.doc},
                                      {"items", map_schema<AdviceBound>(true)}};
  return planning;
}

/// `advice`: lists that take names too, networks, and bounds on its results.
Json advice_schema() {
  Json advice = map_schema<PolicyAdvice>(false);
  advice["description"] = keys_of_study::advice.doc;
  for (const char* list : {"synchronisation", "compression"}) {
    Json& items = advice["properties"][list]["items"];
    items = {{"anyOf", Json::array({Json{{"type", "string"}}, items})}};
  }
  const Json network{{"anyOf", Json::array({Json{{"type", "string"}}, Json{{"type", "object"}}})}};
  advice["properties"]["networks"] = {{"type", "object"},
                                      {"description", keys_of_study::advice_networks.doc},
                                      {"additionalProperties", network},
                                      {"minProperties", 1}};
  advice["properties"]["expect"] = {{"type", "array"},
                                    {"description", keys_of_study::advice_expect.doc},
                                    {"items", map_schema<PolicyBound>(true)}};
  return advice;
}

/// `workload`: a name, or a map in one of its forms.
Json workload_schema(const Json& deferred) {
  Json forms = Json::array({Json{{"type", "string"}}});
  Json over_a_file{{"type", "object"}, {"required", {"use"}}, {"additionalProperties", false}};
  over_a_file["properties"]["use"] = {{"type", "string"}, {"description", keys_of_study::workload_use.doc}};
  for (const inputs::WorkloadForm& form : inputs::workload_forms()) {
    forms.push_back(map_schema(*form.type, false));
    for (const auto& [key, value] : forms.back()["properties"].items())
      if (!over_a_file["properties"].contains(key)) over_a_file["properties"][key] = value;
  }
  forms.push_back(std::move(over_a_file));
  return {{"anyOf", std::move(forms)},
          {"description", deferred["description"]},
          {"examples", deferred["examples"]}};
}

/// `cluster`: a name, or a map that may take a file as its base.
Json cluster_schema(Json map) {
  map["properties"]["use"] = {{"type", "string"}, {"description", keys_of_study::cluster_use.doc}};
  const Json doc = map["description"];
  return {{"anyOf", Json::array({Json{{"type", "string"}}, std::move(map)})}, {"description", doc}};
}

/// The keys that belong to the study and to no arm.
void add_study_keys(Json& properties, language::ExpectableMetrics metrics) {
  const Json overrides{
      {"type", "object"}, {"additionalProperties", {{"$ref", "#/$defs/overrides"}}}, {"minProperties", 1}};
  properties["use"] = {{"type", "string"}, {"description", keys_of_study::use.doc}};
  properties["compare"] = overrides;
  properties["compare"]["description"] = keys_of_study::compare.doc;
  properties["axes"] = {
      {"type", "object"}, {"description", keys_of_study::axes.doc}, {"additionalProperties", overrides}};
  properties["expect"] = expect_schema(metrics);
  properties["planning"] = planning_schema();
  properties["advice"] = advice_schema();
}

/// A file that takes no other as its base and has no arms must be complete by itself.
Json root_schema(Json properties, Json definitions) {
  const Json brings_more = Json::array({Json{{"required", {"use"}}}, Json{{"required", {"compare"}}},
                                        Json{{"required", {"axes"}}}, Json{{"required", {"planning"}}}});
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", "gradsim scenario"},
          {"type", "object"},
          {"properties", std::move(properties)},
          {"additionalProperties", false},
          {"not", {{"required", {"compare", "axes"}}}},
          {"if", {{"not", {{"anyOf", brings_more}}}}},
          {"then", {{"required", Json::array({"workload", "cluster", "training"})}}},
          {"$defs", std::move(definitions)}};
}

}  // namespace

std::string schema(language::ExpectableMetrics metrics) {
  const Json scenario = map_schema<Scenario>(false);
  Json definitions = Json::object();
  Json properties = Json::object();
  for (const auto& [key, value] : scenario["properties"].items()) {
    definitions[key] = value;
    properties[key] = {{"$ref", "#/$defs/" + key}};
  }
  definitions["cluster"] = cluster_schema(definitions["cluster"]);
  definitions["workload"] = workload_schema(definitions["workload"]);
  definitions["uncertain"] = uncertain_schema();
  definitions["overrides"] = {
      {"type", Json::array({"object", "null"})}, {"properties", properties}, {"additionalProperties", false}};
  add_study_keys(properties, metrics);
  return root_schema(std::move(properties), std::move(definitions)).dump(2) + "\n";
}

}  // namespace sim::scenario
