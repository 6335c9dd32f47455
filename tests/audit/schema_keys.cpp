// The keys that the schema of scenarios names, each with values to try.
#include "tests/audit/schema_keys.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fmt/core.h>

#include "sim/language/document.hpp"
#include "sim/report/metric.hpp"
#include "sim/scenario/study.hpp"

namespace audit {
namespace {

using sim::language::Value;

constexpr int deepest = 6;

std::string text_at(const Value& node, std::string_view key) {
  const Value* found = node.find(key);
  return found != nullptr && found->is_scalar() ? found->text() : std::string();
}

/// As `--set` takes it.
std::string written(const Value& value) {
  if (value.is_scalar()) return value.text();
  std::string text;
  if (value.is_list()) {
    for (const Value& item : value.items()) text += (text.empty() ? "" : ", ") + written(item);
    return "[" + text + "]";
  }
  for (const auto& member : value.members())
    text += (text.empty() ? "" : ", ") + member.key + ": " + written(member.value);
  return "{" + text + "}";
}

bool is_number(const std::string& text, double& number) {
  char* end = nullptr;
  number = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

/// Other numbers than the default.
void add_numbers(const Value& node, std::vector<std::string>& values) {
  double number = 0;
  if (!is_number(text_at(node, "default"), number)) return;
  for (const double other : {2 * number, number / 2, number + 1, 2.0, 1.0, 0.5, 0.3}) {
    if (other != number) values.push_back(fmt::format("{}", other));
  }
}

class Walk {
 public:
  explicit Walk(const Value& schema) : definitions_(*schema.find("$defs")) {}

  void map(const Value& node, const std::string& path, int depth) {
    if (const Value* reference = node.find("$ref")) return map(definition(*reference), path, depth);
    for (const char* of : {"oneOf", "anyOf", "allOf"}) {
      const Value* branches = node.find(of);
      for (const Value& branch : branches != nullptr ? branches->items() : std::vector<Value>{})
        map(branch, path, depth);
    }
    for (const char* branch : {"then", "else"}) {
      if (const Value* rest = node.find(branch)) map(*rest, path, depth);
    }
    const Value* properties = node.find("properties");
    if (properties == nullptr || depth == deepest || is_quantity(*properties)) return;
    for (const auto& member : properties->members())
      key(member.value, path.empty() ? member.key : path + "." + member.key, depth + 1);
  }

  Keys keys;

 private:
  static bool is_quantity(const Value& properties) {
    return properties.find("value") != nullptr && properties.find("sd") != nullptr;
  }

  const Value& definition(const Value& reference) {
    const std::string& name = reference.text();
    return *definitions_.find(name.substr(name.rfind('/') + 1));
  }

  void key(const Value& node, const std::string& path, int depth) {
    std::vector<std::string> values;
    if (single(node, values)) {
      std::vector<std::string>& known = keys[path];
      known.insert(known.end(), values.begin(), values.end());
    }
    map(node, path, depth);
  }

  /// @returns whether the key may have one value or a list of them; adds values to try
  bool single(const Value& node, std::vector<std::string>& values) {
    if (const Value* reference = node.find("$ref")) {
      add_examples(node, values);
      return single(definition(*reference), values);
    }
    add_examples(node, values);
    bool found = node.find("enum") != nullptr;
    if (const Value* words = node.find("enum")) {
      for (const Value& word : words->items()) values.push_back(written(word));
    }
    const std::string type = text_at(node, "type");
    if (type == "boolean") values.insert(values.end(), {"true", "false"});
    add_numbers(node, values);
    found = found || type == "string" || type == "number" || type == "integer" || type == "boolean" ||
            type == "array";
    for (const char* of : {"oneOf", "anyOf"}) {
      const Value* branches = node.find(of);
      for (const Value& branch : branches != nullptr ? branches->items() : std::vector<Value>{})
        found = single(branch, values) || found;
    }
    return found;
  }

  static void add_examples(const Value& node, std::vector<std::string>& values) {
    const Value* examples = node.find("examples");
    for (const Value& example : examples != nullptr ? examples->items() : std::vector<Value>{})
      values.push_back(written(example));
  }

  const Value& definitions_;
};

}  // namespace

Keys schema_keys() {
  const auto schema = sim::language::parse_document(sim::scenario::schema(sim::report::expectable_metrics()),
                                                    "the schema", {.bytes = 80'000'000, .nodes = 2'000'000});
  if (!schema) {
    std::fputs(schema.error().text().c_str(), stderr);
    std::abort();
  }
  Walk walk(schema->root);
  walk.map(schema->root, "", 0);
  return std::move(walk.keys);
}

}  // namespace audit
