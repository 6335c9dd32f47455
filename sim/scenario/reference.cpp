// Writes the reference of scenario files: a listener to described keys, and the page's frame.
#include "sim/scenario/reference.hpp"

#include <algorithm>
#include <cctype>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "netmodels/unit.hpp"
#include "settings/type.hpp"
#include "sim/inputs/device_file.hpp"
#include "sim/inputs/model_config.hpp"
#include "sim/inputs/stack_file.hpp"
#include "sim/inputs/transport_file.hpp"
#include "sim/inputs/workload_file.hpp"
#include "sim/scenario/fields_planning.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/step_figures.hpp"
#include "sim/scenario/study.hpp"

namespace sim::scenario {
namespace {

using settings::Key;
using settings::Need;
using settings::Type;

/// The anchor that Markdown renderers derive from a heading: lower case, without punctuation.
std::string anchor(std::string_view heading) {
  std::string text;
  for (const char letter : heading) {
    const auto code = static_cast<unsigned char>(letter);
    if (std::isalnum(code) != 0 || letter == '_' || letter == '-')
      text += static_cast<char>(std::tolower(code));
    if (letter == ' ') text += '-';
  }
  return text;
}

std::string code(std::string_view text) { return fmt::format("`{}`", text); }

std::string link(std::string_view heading) {
  return fmt::format("[{}](#{})", code(heading), anchor(heading));
}

std::string cell(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '|') escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + code(word);
  return text;
}

/// One key as a row of a table.
struct KeyRow {
  std::string name, type, fallback, accepted, meaning;
  std::vector<std::string> words;  ///< alternatives that add the key; none: the key is always there
  std::string choice;              ///< the key that chooses among them

  bool operator==(const KeyRow&) const = default;
};

/// A map whose keys are still to be described.
struct Section {
  std::string heading;
  std::string path;  ///< of the map in a file, with which those of its maps begin
  std::string doc;
  const Type* type;
  std::vector<Key> more = {};  ///< keys that no struct describes
};

/// The sections of the page, those of the maps of a map after its own. Each type of map is described once,
/// under the heading at which it was met first.
class Sections {
 public:
  /// @returns the heading that describes maps of this type
  std::string add(Section section) {
    const auto [place, is_new] = headings_.emplace(section.type, section.heading);
    if (is_new) met_.push_back(std::move(section));
    return place->second;
  }

  std::optional<Section> next() {
    waiting_.insert(waiting_.begin(), met_.begin(), met_.end());
    met_.clear();
    if (waiting_.empty()) return std::nullopt;
    Section section = std::move(waiting_.front());
    waiting_.pop_front();
    return section;
  }

 private:
  std::map<const Type*, std::string> headings_;
  std::vector<Section> met_;
  std::deque<Section> waiting_;
};

std::string bound(const Type& type, const Key& key, double value) {
  if (type.kind == Type::Kind::quantity) return type.print(value);
  if (key.share && value > 0 && value <= 1) return settings::types::to_text(value * 100) + " %";
  return settings::types::to_text(value);
}

/// The accepted values: bounds, or the words of a closed list.
std::string accepted(const Key& key, const Type& type) {
  if (type.inner != nullptr) return accepted(key, *type.inner);
  if (type.kind == Type::Kind::word) {
    return joined(std::vector<std::string>(type.words.begin(), type.words.end()));
  }
  const settings::Bounds& bounds = key.bounds;
  std::string text;
  if (bounds.min) text = (bounds.open_below ? "> " : "≥ ") + bound(type, key, *bounds.min);
  if (bounds.max)
    text += (text.empty() ? "" : ", ") + std::string(bounds.open_above ? "< " : "≤ ") +
            bound(type, key, *bounds.max);
  return text;
}

std::string_view dimension(const Type& type) {
  for (const netmodels::Dimension& dimension : netmodels::dimensions()) {
    if (dimension.accepted == type.units()) return dimension.noun;
  }
  return "a quantity";
}

/// Listens to the keys of one map.
class RowWriter final : public settings::Fields {
 public:
  using Fields::choice;
  using Fields::field;

  /// @param path  of the map; empty for the file itself
  RowWriter(std::string path, Sections& sections) : path_(std::move(path)), sections_(sections) {}

  void field(const Key& key, const Type& type, void*) override {
    add(key, type_text(key, type), accepted(key, type), required(key, type));
  }

  void choice(const Key& key, const Type& type, void* target) override {
    field(key, type, target);
    choice_ = key.name;
  }

  void deferred(const Key& key) override {
    add(key, "name, path, or map: " + link(inside(key.name)), "", false);
  }

  void figure(const Key& key, std::optional<double>&, std::string_view) override {
    add(key, "figure, in the unit of the metric", "", false);
  }

  /// A key that no struct describes.
  void more(const Key& key, std::string type) { add(key, std::move(type), "", false); }

  [[nodiscard]] std::string text() const;

 private:
  void alternative(bool, std::string_view word, Rest describe_rest, void* rest) override {
    word_ = word;
    describe_rest(rest, *this);
    word_.clear();
  }

  [[nodiscard]] std::string inside(std::string_view name) const {
    return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
  }

  static bool required(const Key& key, const Type& type) {
    if (key.need == Need::required) return true;
    const bool lenient = key.fallback || key.need == Need::optional || type.may_be_absent();
    return !lenient && type.kind != Type::Kind::map;
  }

  std::string section_of(const std::string& path, const Key& key, const Type& type) {
    return link(sections_.add({.heading = path, .path = path, .doc = std::string(key.doc), .type = &type}));
  }

  std::string type_text(const Key& key, const Type& type);
  void add(const Key& key, std::string type, std::string accepted, bool is_required);

  std::string path_;
  Sections& sections_;
  std::vector<KeyRow> rows_;
  std::string choice_;
  std::string word_;  ///< the alternative that is being described
};

std::string RowWriter::type_text(const Key& key, const Type& type) {
  switch (type.kind) {
    case Type::Kind::optional: return type_text(key, *type.inner);
    case Type::Kind::list: {
      if (type.inner->kind != Type::Kind::map) return "list: " + type_text(key, *type.inner);
      return "list of maps: " + section_of(inside(key.name) + "[]", key, *type.inner);
    }
    case Type::Kind::map: {
      const std::string map = "map: " + section_of(inside(key.name), key, type);
      return type.choice_key.empty() ? map : map + ", or its " + code(type.choice_key) + " alone";
    }
    case Type::Kind::word: return "word";
    case Type::Kind::quantity: return fmt::format("[{}](#units)", dimension(type));
    case Type::Kind::moment: return "[moment](#units)";
    case Type::Kind::boolean: return "`true` or `false`";
    case Type::Kind::integer: return "integer";
    case Type::Kind::number: return key.share ? "number or percentage" : "number";
    case Type::Kind::text: break;
  }
  return "text";
}

/// A key that several alternatives add in the same words is one row.
void RowWriter::add(const Key& key, std::string type, std::string accepted, bool is_required) {
  KeyRow row{.name = std::string(key.name),
             .type = std::move(type),
             .fallback = key.fallback  ? code(*key.fallback)
                         : is_required ? "required"
                                       : "",
             .accepted = std::move(accepted),
             .meaning = std::string(key.doc),
             .words = {},
             .choice = {}};
  if (!key.example.empty()) row.meaning += " Example: " + code(fmt::format("{}: {}", key.name, key.example));
  if (!word_.empty()) row.choice = choice_;
  for (KeyRow& known : rows_) {
    const std::vector<std::string> words = std::exchange(known.words, {});
    const bool is_same = !word_.empty() && known == row;
    known.words = words;
    if (is_same) return known.words.push_back(word_);
  }
  if (!word_.empty()) row.words.push_back(word_);
  rows_.push_back(std::move(row));
}

std::string RowWriter::text() const {
  std::vector<std::vector<std::string>> groups{{}};
  for (const KeyRow& row : rows_) {
    if (std::ranges::find(groups, row.words) == groups.end()) groups.push_back(row.words);
  }
  std::string text;
  for (const std::vector<std::string>& words : groups) {
    std::string table;
    std::string choice;
    for (const KeyRow& row : rows_) {
      if (row.words != words) continue;
      choice = row.choice;
      table += fmt::format("| {} | {} | {} | {} | {} |\n", code(row.name), row.type, cell(row.fallback),
                           row.accepted, cell(row.meaning));
    }
    if (table.empty()) continue;
    if (!words.empty()) text += fmt::format("\nAdded by {} {}:\n", code(choice + ":"), joined(words));
    text += "\n| key | type | default | accepted | meaning |\n|---|---|---|---|---|\n" + table;
  }
  return text;
}

std::string section_text(const Section& section, Sections& sections) {
  RowWriter writer(section.path, sections);
  for (const Key& key : section.more) {
    const bool is_file = key.name == "use";
    const bool is_list = key.name == "expect";
    writer.more(key, is_file ? "name or path" : is_list ? "list of maps" : "map of maps");
  }
  section.type->describe_default(writer);
  return fmt::format("\n## `{}`\n\n{}\n{}", section.heading, section.doc, writer.text());
}

std::string units() {
  std::string text =
      "\n## Units\n\nA quantity is a number and a unit, as in `10 Gbit/s`; a quantity without a unit is an "
      "error. In a scenario it, and any number that need not be whole, may state how certain it is, with the "
      "most "
      "likely value and its ends, "
      "`{value: 4 Gbit/s, range: [3 Gbit/s, 5 Gbit/s]}`, or as a normal value, `{mean: 4 Gbit/s, sd: 0.5 "
      "Gbit/s}`, cut off where the key accepts none: see `uncertainty`. A "
      "percentage is a number and `%`, as in `1 %`. A moment is a time, `step N` or `epoch X`, both counted "
      "from 0.\n\n"
      "| quantity | units |\n|---|---|\n";
  for (const netmodels::Dimension& dimension : netmodels::dimensions())
    text += fmt::format("| {} | {} |\n", dimension.noun, dimension.accepted);
  return text;
}

/// The figures that `expect` may name.
std::string metric_words(language::ExpectableMetrics metrics) {
  std::vector<std::string> words;
  for (const language::ExpectableMetric& metric : metrics) words.emplace_back(metric.name);
  return "\n`metric` is one of " + joined(words) + ".\n";
}

/// The keys of the file itself.
std::string root_text(Sections& sections) {
  RowWriter writer("", sections);
  writer.more(keys_of_study::use, "path");
  writer.more(keys_of_study::compare, "map of maps");
  writer.more(keys_of_study::axes, "map of maps of maps");
  settings::type_of<Scenario>().describe_default(writer);
  writer.more(keys_of_study::expect, "list of maps: " + link("expect[]"));
  writer.more(keys_of_study::planning, "map: " + link("planning"));
  writer.more(keys_of_study::advice, "map: " + link("advice"));
  return "\n## The file\n" + writer.text();
}

constexpr std::string_view page_head =
    "# Scenario reference\n\n"
    "Every key of a scenario file, from the descriptions that the reader itself uses. This page is "
    "generated: `./dev "
    "docs` rewrites it, and the test `docs.generated` fails where it is out of date. `sim schema` prints the "
    "same as a "
    "JSON "
    "schema for editors; [catalogue.md](catalogue.md) lists what the keys may name.\n\n"
    "A key that is not marked `required` may be left out. Some keys depend on each other; the error for a "
    "key that is "
    "missing or does not fit names the file, the line, the key, the value and what is accepted. A map may be "
    "written "
    "over several lines or in braces. A list of one number or text may be written without brackets. Headings "
    "are paths "
    "of keys; `[]` is an item of a list.\n";

/// The families of `config`, and every key of theirs.
std::string config_keys_text() {
  std::string families;
  for (const inputs::ModelFamily& row : inputs::model_families())
    families += (families.empty() ? "`" : ", `") + std::string(row.type) + "`";
  std::string unread = "\n| not read | because |\n|---|---|\n";
  for (const inputs::UnreadFamily& row : inputs::unread_families())
    unread += "| `" + std::string(row.types) + "` | " + std::string(row.lacks) + " |\n";
  return "\n## config.json\n\nFamilies (`model_type`) of `workload.config`: " + families +
         ". Of a model of several parts, the text is read. A key that is not modelled is warned of at other "
         "values than those without effect, and so are one that only other families read and one that is "
         "unknown.\n" +
         unread + "\n" + files::print_markdown(inputs::model_config_keys());
}

}  // namespace

std::string reference(language::ExpectableMetrics metrics) {
  using settings::type_of;
  Sections sections;
  const auto add = [&](std::string_view path, std::string_view with, std::string doc, const Type& type,
                       std::vector<Key> more = {}) {
    sections.add(
        {std::string(path) + std::string(with), std::string(path), std::move(doc), &type, std::move(more)});
  };
  for (const inputs::WorkloadForm& form : inputs::workload_forms())
    add("workload", form.with, std::string(form.doc), *form.type, {keys_of_study::workload_use});
  add("cluster", "", "The machines and the network between them.", type_of<Cluster>(),
      {keys_of_study::cluster_use});
  std::string text = std::string(page_head) + root_text(sections);
  add("expect[]", "",
      std::string(keys_of_study::expect.doc) + " Each item is a figure, or one of the two bounds below.\n" +
          metric_words(metrics),
      type_of<Expectation>());
  add("expect[]", " with a mean error", "A bound on the mean error over many figures.",
      type_of<MeanErrorBound>());
  add("expect[]", " with the best arm", "How often the best arm must be the published one.",
      type_of<BestAlongAxis>());
  add("planning", "", std::string(keys_of_study::planning.doc), type_of<Planning>(),
      {keys_of_study::planning_compare, keys_of_study::planning_expect});
  add("planning.expect[]", "", std::string(keys_of_study::planning_expect.doc), type_of<AdviceBound>());
  add("advice", "", std::string(keys_of_study::advice.doc), type_of<PolicyAdvice>(),
      {keys_of_study::advice_networks, keys_of_study::advice_expect});
  add("advice.expect[]", "", std::string(keys_of_study::advice_expect.doc), type_of<PolicyBound>());
  add("device", " file", "A file of scenarios/devices, which a workload names.",
      type_of<inputs::DeviceKeys>());
  add("stack", " file",
      "A file of scenarios/stacks, which a transformer names: the utilisation of devices by software.",
      type_of<inputs::StackKeys>());
  add("transport", " file", "A file of scenarios/transports, which a fabric names.",
      type_of<inputs::Transport>());
  add("measured_steps", " file",
      "The file of `sim fit step`: measured figures, and the scenario they belong to.",
      type_of<StepFigures>());
  while (const auto section = sections.next()) text += section_text(*section, sections);
  return text + config_keys_text() + units();
}

}  // namespace sim::scenario
