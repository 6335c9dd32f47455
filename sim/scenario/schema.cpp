// The JSON schema of scenario files, made from the same descriptions that the reader uses.
#include <concepts>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "netmodels/collective.hpp"
#include "netmodels/wire_format.hpp"
#include "sim/scenario/fields_planning.hpp"
#include "sim/scenario/fields_policy_advice.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/metric.hpp"
#include "sim/scenario/reader.hpp"
#include "sim/scenario/study.hpp"

namespace sim::scenario {
namespace {

using Json = nlohmann::ordered_json;

/// What YAML would make of a default or an example.
Json json_of(std::string_view text) {
  const auto read = [&](std::string_view word) { return Json::parse(word, nullptr, false); };
  Json value = read(text);
  return value.is_discarded() ? Json(std::string(text)) : value;
}

/// Visits the described keys of one map and collects their schemas.
class SchemaVisitor {
 public:
  /// @param complete  whether required keys must stand here; not so where a base file may bring them
  explicit SchemaVisitor(bool complete) : complete_(complete) {}

  template <class T>
  void field(const Key& key, T&);

  template <Enumeration E>
  void choice(const Key& key, E& target) {
    field(key, target);
    required_.emplace_back(key.name);
  }

  /// Every alternative is listed; the reader says which belongs to which word.
  template <class E, class F>
  void when(E, E, F describe_rest) {
    SchemaVisitor inner(false);
    describe_rest(inner);
    properties_.update(inner.properties_);
  }

  template <class T>
  void workload(const Key& key, T&) {
    add(key, {{"type", Json::array({"string", "object"})}});
    need(key);
  }

  void figure(const Key& key, std::optional<double>&, const std::string&) {
    add(key, {{"type", Json::array({"string", "number"})}});
  }

  [[nodiscard]] Json object() const {
    Json json{{"type", "object"}, {"properties", properties_}, {"additionalProperties", false}};
    if (!required_.empty()) json["required"] = required_;
    return json;
  }

  [[nodiscard]] const Json& properties() const { return properties_; }

 private:
  void need(const Key& key) {
    if (complete_) required_.emplace_back(key.name);
  }

  void add(const Key& key, Json json) {
    json["description"] = key.doc;
    if (key.fallback) json["default"] = json_of(*key.fallback);
    const bool legible =
        !key.example.empty() && !key.example.starts_with('{') && !key.example.starts_with('[');
    if (legible) json["examples"] = Json::array({json_of(key.example)});
    properties_[std::string(key.name)] = std::move(json);
  }

  bool complete_;
  Json properties_ = Json::object();
  std::vector<std::string> required_;
};

/// The words that a text key of a table accepts.
Json table_words(std::string_view key) {
  Json words = Json::array();
  if (key == "method") {
    for (const auto& row : netmodels::wire_formats()) words.push_back(row.name);
  }
  if (key == "collective") {
    words.push_back("auto");
    for (const auto& row : netmodels::collectives()) words.push_back(row.name);
  }
  if (key == "metric") {
    for (const auto& row : metrics()) words.push_back(row.name);
  }
  return words;
}

Json number_schema(const Key& key, const char* type) {
  Json json{{"type", type}};
  if (key.bounds.least) json[key.bounds.open_below ? "exclusiveMinimum" : "minimum"] = *key.bounds.least;
  if (key.bounds.most) json[key.bounds.open_above ? "exclusiveMaximum" : "maximum"] = *key.bounds.most;
  if (!key.share) return json;
  return {{"anyOf", Json::array({json, Json{{"type", "string"}, {"pattern", "^[0-9.eE+-]+ *%$"}}})}};
}

/// A number and one of the units of the dimension; the reader knows the details.
template <class Q>
Json quantity_schema() {
  return {{"type", "string"},
          {"pattern", "^ *[0-9.]+([eE][+-]?[0-9]+)? *[^ 0-9].*$"},
          {"$comment", "units: " + std::string(netmodels::accepted_units<Q>())}};
}

template <class T>
Json schema_of(const Key& key, bool complete);

template <Described T>
Json map_schema(bool complete) {
  T unread{};
  SchemaVisitor visitor(complete);
  describe(visitor, unread);
  return visitor.object();
}

template <Enumeration E>
Json words_schema() {
  Json words = Json::array();
  for (const Named<E>& named : names_of<E>) words.push_back(named.name);
  return {{"enum", words}};
}

template <class T>
struct ChoiceOf {
  using type = void;
};
template <>
struct ChoiceOf<Topology> {
  using type = TopologyKind;
};
template <>
struct ChoiceOf<Jitter> {
  using type = JitterKind;
};
template <>
struct ChoiceOf<ProfileSource> {
  using type = ProfileSourceKind;
};

template <class T>
Json schema_of(const Key& key, bool complete) {
  if constexpr (is_optional<T>)
    return schema_of<typename T::value_type>(key, complete);
  else if constexpr (is_vector<T>) {
    const Json item = schema_of<typename T::value_type>(key, true);
    const Json list{{"type", "array"}, {"items", item}};
    if constexpr (Described<typename T::value_type>)
      return list;
    else
      return {{"anyOf", Json::array({list, item})}};
  } else if constexpr (!std::is_void_v<typename ChoiceOf<T>::type>) {
    return {{"anyOf", Json::array({words_schema<typename ChoiceOf<T>::type>(), map_schema<T>(complete)})}};
  } else if constexpr (Described<T>)
    return map_schema<T>(complete);
  else if constexpr (Enumeration<T>)
    return words_schema<T>();
  else if constexpr (is_quantity<T>)
    return quantity_schema<T>();
  else if constexpr (std::same_as<T, Moment>)
    return {{"type", "string"}, {"pattern", "^(epoch +[0-9.]+|step +[0-9]+|[0-9.].*)$"}};
  else if constexpr (std::same_as<T, bool>)
    return {{"type", "boolean"}};
  else if constexpr (std::integral<T>)
    return number_schema(key, "integer");
  else if constexpr (std::same_as<T, double>)
    return number_schema(key, "number");
  else {
    const Json words = table_words(key.name);
    return words.empty() ? Json{{"type", "string"}} : Json{{"enum", words}};
  }
}

template <class T>
void SchemaVisitor::field(const Key& key, T&) {
  add(key, schema_of<T>(key, complete_));
  const bool lenient = key.fallback || key.need == Need::optional || is_optional<T> || is_vector<T>;
  const bool required = key.need == Need::required || (!lenient && !Described<T>);
  if (required) need(key);
}

/// `expect`: figures and bounds.
Json expect_schema() {
  Json figure = map_schema<Expectation>(true);
  figure["required"] = {"metric", "source"};  // a study of one arm need not name it
  figure["anyOf"] = Json::array(
      {Json{{"required", {"value"}}}, Json{{"required", {"at_least"}}}, Json{{"required", {"at_most"}}}});
  return {{"type", "array"},
          {"description", "Published or measured figures, and bounds on how well ours agree."},
          {"items",
           {{"anyOf",
             Json::array({figure, map_schema<MeanErrorBound>(true), map_schema<BestAlongAxis>(true)})}}}};
}

/// `planning`: with arms of its own, and bounds on what comes of them.
Json planning_schema() {
  Json planning = map_schema<Planning>(false);
  Json arm = planning;
  planning["description"] = "What `sim advise` is asked: which cluster to rent, with which batch.";
  planning["properties"]["compare"] = {{"type", "object"},
                                       {"description", "Arms: each a set of overrides of `planning`."},
                                       {"additionalProperties", std::move(arm)},
                                       {"minProperties", 1}};
  planning["properties"]["expect"] = {{"type", "array"},
                                      {"description", "Bounds on errors and on what the search costs."},
                                      {"items", map_schema<AdviceBound>(true)}};
  return planning;
}

/// `advice`: lists that take names too, networks, and bounds on what comes of it.
Json advice_schema() {
  Json advice = map_schema<PolicyAdvice>(false);
  advice["description"] = "What `sim advise` is asked: which policies to take on this cluster.";
  for (const char* list : {"synchronisation", "compression"}) {
    Json& items = advice["properties"][list]["items"];
    items = {{"anyOf", Json::array({Json{{"type", "string"}}, items})}};
  }
  const Json network{{"anyOf", Json::array({Json{{"type", "string"}}, Json{{"type", "object"}}})}};
  advice["properties"]["networks"] = {
      {"type", "object"},
      {"description",
       "Networks, of which the worst case counts: each a map of what changes in `cluster`, or "
       "the file of a trace."},
      {"additionalProperties", network},
      {"minProperties", 1}};
  advice["properties"]["expect"] = {{"type", "array"},
                                    {"description", "Bounds on what comes of it."},
                                    {"items", map_schema<PolicyBound>(true)}};
  return advice;
}

/// `cluster`: a name, or a map that may take a file as its base.
Json cluster_schema(Json map) {
  map["properties"]["use"] = {
      {"type", "string"},
      {"description", "A file of scenarios/clusters, or a path; the keys beside it override it."}};
  const Json doc = map["description"];
  return {{"anyOf", Json::array({Json{{"type", "string"}}, std::move(map)})}, {"description", doc}};
}

/// The keys that belong to the study and to no arm.
void add_study_keys(Json& properties) {
  const Json overrides{
      {"type", "object"}, {"additionalProperties", {{"$ref", "#/$defs/overrides"}}}, {"minProperties", 1}};
  properties["use"] = {{"type", "string"},
                       {"description", "Another scenario that this one overrides; a path beside this file."}};
  properties["compare"] = overrides;
  properties["compare"]["description"] = "Arms, run side by side: each a set of overrides.";
  properties["axes"] = {{"type", "object"},
                        {"description", "Arms as a product: AXIS: {VALUE: {overrides}}."},
                        {"additionalProperties", overrides}};
  properties["expect"] = expect_schema();
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

std::string schema() {
  const Json scenario = map_schema<Scenario>(false);
  Json definitions = Json::object();
  Json properties = Json::object();
  for (const auto& [key, value] : scenario["properties"].items()) {
    definitions[key] = key == "cluster" ? cluster_schema(value) : value;
    properties[key] = {{"$ref", "#/$defs/" + key}};
  }
  definitions["overrides"] = {
      {"type", Json::array({"object", "null"})}, {"properties", properties}, {"additionalProperties", false}};
  add_study_keys(properties);
  return root_schema(std::move(properties), std::move(definitions)).dump(2) + "\n";
}

}  // namespace sim::scenario
