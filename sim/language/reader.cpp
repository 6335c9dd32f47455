// Reads values by the types of their keys.
#include "sim/language/reader.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "netmodels/nearest.hpp"
#include "settings/type.hpp"
#include "sim/language/metric.hpp"
#include "sim/language/place.hpp"
#include "sim/language/print.hpp"

namespace sim::language {

using netmodels::Error;
using netmodels::Result;
using settings::Key;
using settings::Need;
using settings::Type;

namespace {

/// Names of the keys that a part of a description has.
class KeyNames final : public settings::Fields {
 public:
  using Fields::field;
  void field(const Key& key, const Type&, void*) override { names_.push_back(key.name); }
  void deferred(const Key& key) override { names_.push_back(key.name); }
  void figure(const Key& key, std::optional<double>&, std::string_view) override {
    names_.push_back(key.name);
  }
  [[nodiscard]] const std::vector<std::string_view>& names() const { return names_; }

 private:
  void alternative(bool, std::string_view, Rest describe_rest, void* rest) override {
    describe_rest(rest, *this);
  }

  std::vector<std::string_view> names_;
};

Result<void> read_map_value(const Field& field, const Type& type, void* target) {
  if (!type.choice_key.empty() && field.value.is_scalar()) {
    Value map = Value::map({}, field.value.origin());
    map.set(type.choice_key, field.value);
    return read_map_value(Field{map, field.path, field.key}, type, target);
  }
  if (!field.value.is_map()) return refuse_shape(field, "a map of keys");
  Reader reader(field.value, field.path);
  type.describe(reader, target);
  if (auto finished = reader.finish(); !finished) return finished;
  if (type.problem == nullptr) return {};
  const auto problem = type.problem(target);
  if (!problem) return {};
  const std::string path = problem->key.empty() ? field.path : field.path + "." + problem->key;
  std::vector<netmodels::Change> remedy;
  if (!problem->value.empty()) remedy.push_back({path, problem->value});
  return netmodels::refuse(place_of(field.value, problem->key), "`" + path + "`: " + problem->what,
                           problem->hint, std::move(remedy));
}

Result<void> read_list(const Field& field, const Type& type, void* target) {
  type.clear(target);
  if (!field.value.is_list()) {
    if (type.inner->kind == Type::Kind::map || !field.value.is_scalar()) return refuse_shape(field, "a list");
    return read_value(field, *type.inner, type.grow(target));
  }
  if (field.value.items().empty() && field.key.need == Need::required)
    return refuse_shape(field, "a non-empty list");
  std::vector<Error> errors;
  for (std::size_t i = 0; i < field.value.items().size(); ++i) {
    const Field inner{field.value.items()[i], field.path + "[" + std::to_string(i) + "]", field.key};
    if (auto read = read_value(inner, *type.inner, type.grow(target)); !read) errors.push_back(read.error());
  }
  if (errors.empty()) return {};
  return tl::unexpected(netmodels::merge_errors(std::move(errors)));
}

/// The number that is written, in the unit of the key's example: `10 Gbit/s` for `10 GB`.
std::string in_unit_of_example(std::string_view text, std::string_view example) {
  const std::string number(text.substr(0, text.find_first_not_of("0123456789.")));
  const std::size_t space = example.find(' ');
  if (number.empty() || space == std::string_view::npos) return std::string(example);
  return number + std::string(example.substr(space));
}

Result<void> read_quantity(const Field& field, const Type& type, void* target) {
  GRADSIM_TRY(text, scalar_text(field, "a number with a unit (" + std::string(type.units()) + ")"));
  const auto value = type.parse(*text);
  if (!value)
    return refuse_field(field, value.error().what, value.error().hint,
                        in_unit_of_example(*text, field.key.example));
  const settings::Bounds& bounds = field.key.bounds;
  auto inside =
      check_bounds(field, *value, type.print(bounds.min.value_or(0)), type.print(bounds.max.value_or(0)));
  if (inside) type.set_number(target, *value);
  return inside;
}

/// Stores the value that was read.
template <class T>
Result<void> store(Result<T> read, void* target) {
  if (!read) return tl::unexpected(std::move(read.error()));
  *static_cast<T*>(target) = std::move(*read);
  return {};
}

}  // namespace

Result<void> read_value(const Field& field, const Type& type, void* target) {
  switch (type.kind) {
    case Type::Kind::optional: {
      auto read = read_value(field, *type.inner, type.grow(target));
      if (!read) type.clear(target);
      return read;
    }
    case Type::Kind::list: return read_list(field, type, target);
    case Type::Kind::map: return read_map_value(field, type, target);
    case Type::Kind::word: {
      GRADSIM_TRY(index, read_word(field, type.words));
      type.set_word(target, *index);
      return {};
    }
    case Type::Kind::quantity: return read_quantity(field, type, target);
    case Type::Kind::moment: return store(read_moment(field), target);
    case Type::Kind::boolean: return store(read_bool(field), target);
    case Type::Kind::integer: {
      GRADSIM_TRY(value, read_integer(field, type.max));
      type.set_integer(target, *value);
      return {};
    }
    case Type::Kind::number: return store(read_number(field), target);
    case Type::Kind::text: return store(read_text_value(field), target);
  }
  return {};
}

void Reader::field(const Key& key, const Type& type, void* target) {
  known_.push_back(key.name);
  if (const Value* value = map_.find(key.name))
    return collect(read_value(Field{*value, join(key.name), key}, type, target));
  if (key.fallback) {
    const Value value = Value::scalar(std::string(*key.fallback), Origin());
    return collect(read_value(Field{value, join(key.name), key}, type, target));
  }
  if (key.need == Need::required) return missing(key);
  if (key.need == Need::optional || type.may_be_absent()) return;
  if (type.kind != Type::Kind::map) return missing(key);
  const Value empty = Value::map({}, map_.origin());
  collect(read_value(Field{empty, join(key.name), key}, type, target));
}

void Reader::choice(const Key& key, const Type& type, void* target) {
  choice_ = key.name;
  field(key, type, target);
}

void Reader::alternative(bool chosen, std::string_view word, Rest describe_rest, void* rest) {
  if (chosen) return describe_rest(rest, *this);
  KeyNames keys;
  describe_rest(rest, keys);
  for (const std::string_view key : keys.names()) elsewhere_.push_back({key, word});
}

void Reader::deferred(const Key& key) {
  known_.push_back(key.name);
  if (map_.find(key.name) == nullptr) missing(key);
}

std::string Reader::join(std::string_view name) const {
  return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
}

void Reader::missing(const Key& key) {
  const std::string hint =
      key.example.empty() ? fmt::format("write `{}` ({})", key.name, key.doc)
                          : fmt::format("write for example `{}: {}` ({})", key.name, key.example, key.doc);
  Error error{map_.origin().text(), "the key `" + join(key.name) + "` is missing", hint, {}, {}};
  if (!key.example.empty()) error.remedy = {{join(key.name), std::string(key.example)}};
  missing_.push_back(std::move(error));
}

void Reader::figure(const Key& key, std::optional<double>& target, std::string_view metric) {
  known_.push_back(key.name);
  const Value* value = map_.find(key.name);
  if (!value) return;
  const Field field{*value, join(key.name), key};
  const auto row = find_metric(metrics_, metric);
  if (!row && !metric.empty()) return;  // the key `metric` is refused by its own check
  const auto text = scalar_text(field, "a figure");
  if (!text) return collect(tl::unexpected(text.error()));
  const auto figure = parse_figure(row ? (*row)->unit : MetricUnit::number, *text);
  if (!figure) return collect(refuse_field(field, figure.error().what, figure.error().hint));
  if (*figure < 0)
    return collect(
        refuse_field(field, "`" + std::string(*text) + "` is too small", "accepted: at least 0", "0"));
  target = *figure;
}

namespace {

constexpr std::string_view unknown_key_text = "unknown key `";
constexpr std::string_view accepted_text = "accepted: ";  // start of netmodels::accepted_names

}  // namespace

std::string unknown_path(const Error& error) {
  const bool unknown =
      error.what.starts_with(unknown_key_text) && error.hint.find(accepted_text) != std::string::npos;
  return unknown && !error.remedy.empty() ? error.remedy.front().key : "";
}

Error Reader::unknown_key(const Member& member) const {
  std::string choices;
  for (const Elsewhere& other : elsewhere_) {
    if (other.key == member.key) choices += (choices.empty() ? "" : ", ") + std::string(other.choice);
  }
  Error error{member.origin.text(), std::string(unknown_key_text) + join(member.key) + "`", {}, {}, {}};
  error.remedy = {{join(member.key), {}}};
  if (!choices.empty()) {
    error.hint =
        "it is accepted where `" + join(choice_) + "` is " + choices + ": write that too, or leave this out";
    return error;
  }
  error.hint = netmodels::accepted_names(member.key, known_);
  const auto meant = netmodels::nearest(member.key, known_);
  if (meant && map_.find(*meant) == nullptr)
    error.remedy.push_back({join(*meant), print_on_one_line(member.value)});
  return error;
}

Result<void> Reader::finish() {
  std::vector<Error> errors;
  for (const Member& member : map_.members()) {
    if (std::ranges::find(known_, member.key) == known_.end()) errors.push_back(unknown_key(member));
  }
  std::ranges::move(errors_, std::back_inserter(errors));
  const bool has_unknown = errors.size() > errors_.size();
  if (!has_unknown) std::ranges::move(missing_, std::back_inserter(errors));
  if (errors.empty()) return {};
  return tl::unexpected(netmodels::merge_errors(std::move(errors)));
}

tl::unexpected<Error> refuse_shape(const Field& field, std::string_view expected) {
  std::string hint = fmt::format("write for example `{}: {}`", field.key.name, field.key.example);
  const bool may_be_left_out = expected == "a list" && field.key.need != Need::required;
  if (field.key.example.empty())
    hint = (may_be_left_out ? "write a list, or leave it out: " : "") + std::string(field.key.doc);
  const std::string found = field.value.is_scalar() ? "`" + field.value.text().substr(0, 60) + "`"
                                                    : std::string(field.value.kind_text());
  auto refused = refuse_field(field, "expected " + std::string(expected) + ", found " + found, hint);
  if (refused.value().remedy.empty() && may_be_left_out) refused.value().remedy.push_back({field.path, {}});
  return refused;
}

}  // namespace sim::language
