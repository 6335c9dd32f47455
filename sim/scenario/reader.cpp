// The visitor that fills scenario structs from a tree of values, and refuses what it cannot take.
#include "sim/scenario/reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "netmodels/nearest.hpp"

namespace sim::scenario {

using netmodels::Error;
using netmodels::Result;

std::string Reader::join(std::string_view name) const {
  return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
}

void Reader::missing(const Key& key) {
  const std::string mend =
      key.example.empty() ? fmt::format("write `{}` ({})", key.name, key.doc)
                          : fmt::format("write for example `{}: {}` ({})", key.name, key.example, key.doc);
  keep(netmodels::refuse(map_.origin().text(), "the key `" + join(key.name) + "` is missing", mend));
}

void Reader::figure(const Key& key, std::optional<double>& target, const std::string& metric) {
  known_.push_back(key.name);
  const Value* value = map_.find(key.name);
  if (!value) return;
  const Field field{*value, join(key.name), key};
  const auto row = find_metric(metric);
  if (!row && metric != plain_number) return;  // the key `metric` is refused by its own check
  const auto text = scalar_text(field, "a figure");
  if (!text) return keep(tl::unexpected(text.error()));
  const auto figure = row ? parse_figure(**row, *text) : parse_number(*text, true);
  if (!figure) return keep(refuse_field(field, figure.error().what, figure.error().mend));
  if (*figure < 0)
    return keep(refuse_field(field, "`" + std::string(*text) + "` is too small", "accepted: at least 0"));
  target = *figure;
}

std::string Reader::mend_of_unknown(std::string_view key) const {
  std::string choices;
  for (const Elsewhere& other : elsewhere_) {
    if (other.key == key) choices += (choices.empty() ? "" : ", ") + std::string(other.choice);
  }
  if (choices.empty()) return netmodels::accepted_names(key, known_);
  return "it is one where `" + join(choice_) + "` is " + choices + ": write that, too, or leave it out";
}

Result<void> Reader::finish() {
  for (const Member& member : map_.members()) {
    if (std::ranges::find(known_, member.key) != known_.end()) continue;
    return netmodels::refuse(member.origin.text(), "the key `" + join(member.key) + "` is not known",
                             mend_of_unknown(member.key));
  }
  if (error_) return tl::unexpected(*error_);
  return {};
}

tl::unexpected<Error> refuse_shape(const Field& field, std::string_view expected) {
  const std::string mend = field.key.example.empty()
                               ? std::string(field.key.doc)
                               : fmt::format("write for example `{}: {}`", field.key.name, field.key.example);
  const std::string found = field.value.is_scalar() ? "`" + field.value.text().substr(0, 60) + "`"
                                                    : std::string(field.value.kind_text());
  return refuse_field(field, found + " stands where " + std::string(expected) + " is expected", mend);
}

Result<void> check_struct(const Field& field, const LinkChange& change) {
  if (!change.bandwidth && !change.latency) {
    return refuse_field(field, "the change changes neither bandwidth nor latency",
                        "write `bandwidth`, `latency`, or both");
  }
  if (!change.workers.empty() && !change.links.empty()) {
    return refuse_field(field, "both `workers` and `links` are given",
                        "write one of them, or neither for every link between nodes");
  }
  return {};
}

Result<void> check_struct(const Field& field, const Failure& failure) {
  if (failure.worker.has_value() == failure.link.has_value()) {
    return refuse_field(field,
                        failure.worker ? "both `worker` and `link` are given" : "nothing is said to break",
                        "write `worker` or `link`");
  }
  if (failure.worker && failure.until) {
    return refuse_field(field, "a lost worker does not come back", "leave out `until`, or let a `link` fail");
  }
  if (failure.until && *failure.until <= failure.at)
    return refuse_field(field, "the failure ends before it begins", "write an `until` after `at`");
  return {};
}

Result<void> check_struct(const Field& field, const Slowdown& slowdown) {
  if (slowdown.until && *slowdown.until <= slowdown.at) {
    return refuse_field(field, "the slow-down ends before it begins", "write an `until` after `at`");
  }
  return {};
}

Result<void> check_struct(const Field& field, const Topology& topology) {
  const FatTree& tree = topology.fat_tree;
  if (tree.down.size() != tree.up.size() || tree.down.size() != tree.parallel.size()) {
    return refuse_field(field,
                        fmt::format("`down`, `up` and `parallel` have {}, {} and {} levels", tree.down.size(),
                                    tree.up.size(), tree.parallel.size()),
                        "give each one number per level");
  }
  const Dragonfly& fly = topology.dragonfly;
  if (fly.groups > fly.routers) {
    return refuse_field(
        field,
        fmt::format("{} groups need more than the {} routers of a chassis; SimGrid 3.32 crashes on it",
                    fly.groups, fly.routers),
        "write at most as many `groups` as `routers`");
  }
  return {};
}

Result<void> check_struct(const Field& field, const StreamRateChange& change) {
  if (change.factor.has_value() != change.rate.has_value()) return {};
  return refuse_field(field,
                      change.rate ? "both `factor` and `rate` are given" : "the change changes no rate",
                      "write `factor` or `rate`");
}

}  // namespace sim::scenario
