// The contents of a scenario file, as a tree in which every value has its position.
#include "sim/language/value.hpp"

#include <algorithm>
#include <utility>

namespace sim::language {

Origin::Origin(std::string source) : source_(std::make_shared<const std::string>(std::move(source))) {}

Origin::Origin(std::shared_ptr<const std::string> source, Position position)
    : source_(std::move(source)), position_(position) {}

std::string Origin::text() const {
  if (!position_) return *source_;
  return *source_ + ":" + std::to_string(position_->line) + ":" + std::to_string(position_->column);
}

Value::Value() = default;
Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;

Value Value::nothing(Origin origin) {
  Value value;
  value.origin_ = std::move(origin);
  return value;
}

Value Value::scalar(std::string text, Origin origin, bool quoted) {
  Value value = nothing(std::move(origin));
  value.kind_ = Kind::scalar;
  value.text_ = std::move(text);
  value.quoted_ = quoted;
  return value;
}

Value Value::list(std::vector<Value> items, Origin origin) {
  Value value = nothing(std::move(origin));
  value.kind_ = Kind::list;
  value.items_ = std::move(items);
  return value;
}

Value Value::map(std::vector<Member> members, Origin origin) {
  Value value = nothing(std::move(origin));
  value.kind_ = Kind::map;
  value.members_ = std::move(members);
  return value;
}

const Value* Value::find(std::string_view key) const {
  const auto found = std::ranges::find(members_, key, &Member::key);
  return found == members_.end() ? nullptr : &found->value;
}

Value* Value::find(std::string_view key) {
  const auto found = std::ranges::find(members_, key, &Member::key);
  return found == members_.end() ? nullptr : &found->value;
}

Value& Value::set(std::string_view key, Value value) {
  if (Value* present = find(key)) return *present = std::move(value);
  const Origin origin = value.origin();
  members_.push_back(Member{std::string(key), origin, std::move(value)});
  return members_.back().value;
}

void Value::erase(std::string_view key) {
  std::erase_if(members_, [key](const Member& member) { return member.key == key; });
}

std::size_t Value::nodes() const {
  std::size_t count = 1;
  for (const Value& item : items_) count += item.nodes();
  for (const Member& member : members_) count += member.value.nodes();
  return count;
}

bool Value::same_as(const Value& other) const {
  if (kind_ != other.kind_ || text_ != other.text_) return false;
  if (items_.size() != other.items_.size() || members_.size() != other.members_.size()) return false;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (!items_[i].same_as(other.items_[i])) return false;
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].key != other.members_[i].key || !members_[i].value.same_as(other.members_[i].value))
      return false;
  }
  return true;
}

std::string_view Value::kind_text() const {
  switch (kind_) {
    case Kind::nothing: return "nothing";
    case Kind::scalar: return "a single value";
    case Kind::list: return "a list";
    case Kind::map: return "a map";
  }
  return "";
}

Value merge(Value base, const Value& over) {
  const bool replaces = !base.is_map() || !over.is_map() || over.find("kind") || over.find("distribution") ||
                        over.find("range") || over.find("sd");
  if (replaces) return over;
  for (const Member& member : over.members()) {
    Value* present = base.find(member.key);
    if (present)
      *present = merge(std::move(*present), member.value);
    else
      base.members().push_back(member);
  }
  return base;
}

Value with_origin(const Value& value, const Origin& origin) {
  if (value.is_list()) {
    std::vector<Value> items;
    for (const Value& item : value.items()) items.push_back(with_origin(item, origin));
    return Value::list(std::move(items), origin);
  }
  if (value.is_map()) {
    std::vector<Member> members;
    for (const Member& member : value.members())
      members.push_back({member.key, origin, with_origin(member.value, origin)});
    return Value::map(std::move(members), origin);
  }
  return value.is_scalar() ? Value::scalar(value.text(), origin, value.quoted()) : Value::nothing(origin);
}

const Value* find_path(const Value& root, std::string_view path) {
  const Value* here = &root;
  while (here && !path.empty()) {
    const std::size_t dot = path.find('.');
    here = here->find(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return here;
}

netmodels::Result<void> set_path(Value& root, std::string_view path, Value value) {
  Value* here = &root;
  std::string_view rest = path;
  while (true) {
    const std::size_t dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    if (part.empty()) {
      return netmodels::refuse(value.origin().text(), "`" + std::string(path) + "` is not a path of keys",
                               "write keys joined by dots, such as `cluster.link.bandwidth`");
    }
    if (here->is_list()) {
      return netmodels::refuse(value.origin().text(),
                               "`" + std::string(path) + "` indexes a list, and lists have no keys",
                               "set the whole list, such as `cluster.speeds=[1, 0.5]`");
    }
    if (!here->is_map()) *here = Value::map({}, value.origin());
    if (dot == std::string_view::npos) {
      here->set(part, std::move(value));
      return {};
    }
    Value* next = here->find(part);
    here = next ? next : &here->set(part, Value::map({}, value.origin()));
    rest = rest.substr(dot + 1);
  }
}

}  // namespace sim::language
