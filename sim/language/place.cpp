// The place of a value in a tree, for errors that are found after reading.
#include "sim/language/place.hpp"

#include <charconv>
#include <utility>

namespace sim::language {
namespace {

/// The value at one part of a path, `changes[2]` or `at`; null where it is not there.
const Value* step(const Value& from, std::string_view part) {
  const std::size_t bracket = part.find('[');
  const Value* value = from.find(part.substr(0, bracket));
  if (!value || bracket == std::string_view::npos) return value;
  std::size_t index = 0;
  std::from_chars(part.data() + bracket + 1, part.data() + part.size(), index);
  return index < value->items().size() ? &value->items()[index] : value;
}

}  // namespace

const Value& nearest_place(const Value& root, std::string_view path) {
  const Value* here = &root;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const Value* next = step(*here, path.substr(0, dot));
    if (!next) break;
    here = next;
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return *here;
}

std::string place_of(const Value& root, std::string_view path) {
  return nearest_place(root, path).origin().text();
}

tl::unexpected<netmodels::Error> refuse_at(const Value& root, const std::string& path,
                                           const std::string& what, std::string hint,
                                           std::vector<netmodels::Change> remedy) {
  return netmodels::refuse(place_of(root, path), "`" + path + "`: " + what, std::move(hint),
                           std::move(remedy));
}

std::string path_at(const Value& root, std::string_view place) {
  const auto below = [&](const Value& value, const std::string& key) -> std::string {
    if (!value.is_map() && !value.is_list() && value.origin().text() == place) return key;
    const std::string inner = path_at(value, place);
    if (inner.empty()) return {};
    return key + (value.is_list() ? "" : ".") + inner;
  };
  for (const Member& member : root.members()) {
    if (std::string path = below(member.value, member.key); !path.empty()) return path;
  }
  for (std::size_t i = 0; i < root.items().size(); ++i) {
    if (std::string path = below(root.items()[i], "[" + std::to_string(i) + "]"); !path.empty()) return path;
  }
  return {};
}

std::string item(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

}  // namespace sim::language
