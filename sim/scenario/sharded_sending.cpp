// Conditions on what sharded steps compress, and words for it.
#include "sim/scenario/sharded_sending.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/language/place.hpp"
#include "sim/scenario/parallelism.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {
namespace {

using netmodels::QuantizedForm;
using netmodels::Result;
using netmodels::Sharding;
using netmodels::ShardSending;

constexpr std::string_view all_together = "zero++";

/// All names can be used together.
Result<ShardSending> combined(const Parallelism& stated, const language::Value& tree) {
  ShardSending sum;
  for (std::size_t i = 0; i < stated.compress.size(); ++i) {
    const std::string place = language::item("parallelism.compress", i);
    const auto row = netmodels::find_shard_sending(stated.compress[i]);
    if (!row) return language::refuse_at(tree, place, row.error().what, row.error().hint);
    const auto next = netmodels::together(sum, (*row)->sending);
    if (!next) return language::refuse_at(tree, place, next.error().what, next.error().hint);
    sum = *next;
  }
  return sum;
}

/// Why the stated way of sharding does not take all that is sent so; nothing where it does.
std::optional<settings::Problem> misfit(const Parallelism& stated, const ShardSending& sending) {
  const Sharding sharding = stated.sharding();
  const bool gathers_for_passes = sharding == Sharding::fsdp || sharding == Sharding::hsdp;
  const std::string_view name = settings::name_of(stated.data);
  if (sending.differences && gathers_for_passes)
    return settings::Problem{
        {},
        fmt::format("differences are added to whole parameters, which workers do not keep with `{}`", name),
        "write `data: zero2`, or `compress: [qwz, qgz]`"};
  if (sending.parameters && !sending.differences && !gathers_for_passes)
    return settings::Problem{
        {},
        fmt::format("`{}` gathers the parameters that workers keep, which would stay quantised", name),
        "write `data: fsdp`, or `compress: [sdp4bit]`"};
  if (sending.secondary && (sharding != Sharding::fsdp || !stated.reshard_after_forward))
    return settings::Problem{{},
                             "second copies inside nodes serve gathers of the backward pass from all workers",
                             "write `data: fsdp` with `reshard_after_forward: true`, or leave out `hpz`"};
  if (sending.replicas && sharding != Sharding::hsdp)
    return settings::Problem{
        {},
        fmt::format("what is sent between nodes follows sums inside them, and `{}` sums among all workers",
                    name),
        "write `data: hsdp`, or leave out `flexdemo`"};
  if (sending.gradients_within && sharding == Sharding::hsdp)
    return settings::Problem{{},
                             "`hsdp` sums gradients inside nodes, then between them in whole values",
                             "write `data: fsdp`, or leave out what compresses gradients"};
  return std::nullopt;
}

/// The first ways of sharding that take all of it, as a hint names them; empty: none does.
std::string fitting_data(const Parallelism& stated, const ShardSending& sending) {
  for (const Sharding data : {Sharding::fsdp, Sharding::zero2, Sharding::hsdp}) {
    Parallelism other = stated;
    other.data = data;
    other.reshard_after_forward = true;
    other.shard_within.reset();
    if (!misfit(other, sending)) return std::string(settings::name_of(data));
  }
  return "";
}

/// What is compressed can be sent in some kind of sharded step, and in the stated one.
Result<void> check_fit(const Scenario& scenario, const ShardSending& sending, const language::Value& tree) {
  const Parallelism& stated = scenario.parallelism;
  const std::string path = "parallelism.compress";
  const std::string fitting = fitting_data(stated, sending);
  if (!stated.compress.empty() && fitting.empty()) {
    Parallelism tried = stated;
    if (stated.data == Sharding::none) tried.data = Sharding::fsdp;
    return language::refuse_at(tree, path,
                               fmt::format("no way of sharding takes {} together: {}",
                                           fmt::join(stated.compress, ", "), misfit(tried, sending)->what),
                               "leave some of them out");
  }
  if (stated.compress.empty() || stated.data != Sharding::none) {
    const auto problem = misfit(stated, sending);
    return problem ? language::refuse_at(tree, path, problem->what, problem->hint) : Result<void>{};
  }
  const bool needs_nodes =
      fitting == settings::name_of(Sharding::hsdp) && scenario.cluster.workers_per_node == 1;
  return language::refuse_at(
      tree, path, fmt::format("`{}` is of sharded steps, and nothing is sharded", stated.compress.front()),
      fmt::format("write `data: {}`{}, or `compression` for gradients that are summed whole", fitting,
                  needs_nodes ? " and `cluster.workers_per_node` of at least 2" : ""));
}

Result<void> check_nodes(const Scenario& scenario, const ShardSending& sending, const language::Value& tree) {
  if (!sending.secondary && !sending.gradients_within) return {};
  const Cluster& cluster = scenario.cluster;
  if (cluster.workers % cluster.workers_per_node != 0)
    return language::refuse_at(
        tree, "cluster.workers",
        fmt::format("{} workers do not fill nodes of {}, and exchanges inside nodes are of whole ones",
                    cluster.workers, cluster.workers_per_node),
        "write a multiple of `workers_per_node`");
  if (sending.secondary && (cluster.workers_per_node == 1 || cluster.workers == cluster.workers_per_node))
    return language::refuse_at(
        tree, "parallelism",
        fmt::format("second copies are kept in shares of a node, and {}",
                    cluster.workers_per_node == 1 ? "nodes have 1 worker" : "there is 1 node"),
        "write several nodes of several workers, or leave out `hpz`");
  if (cluster.collective_times.empty()) return {};
  return language::refuse_at(tree, "cluster.collective_times", "exchanges inside nodes were not measured",
                             "leave it out, or leave out `hpz` and what compresses gradients");
}

/// Whether the learner knows what values of few bits do to it.
Result<void> check_learning(const Scenario& scenario, const ShardSending& sending,
                            const language::Value& tree) {
  const learning::learners::LearnerChoice& learner = scenario.learner.kind;
  if (!sending.changes_values() || !learner->traits.learns) return {};
  const Parallelism& stated = scenario.parallelism;
  const auto changes = [](const std::string& way) {
    return (*netmodels::find_shard_sending(way))->sending.changes_values();
  };
  const auto by = std::ranges::find_if(stated.compress, changes);
  const bool by_kind = by == stated.compress.end();
  const std::string path = by_kind ? "parallelism.data" : "parallelism.compress";
  const std::string name(by_kind ? settings::name_of(stated.data) : std::string_view(*by));
  if (!learner->traits.trains)
    return language::refuse_at(
        tree, path,
        fmt::format("a {} learner does not know the effect of `{}` on gradients", learner.name(), name),
        "write `learner: {kind: live}`, or none");
  if (records(learner))
    return language::refuse_at(tree, "learner.record",
                               fmt::format("a record needs exact gradients, and `{}` rounds them", name),
                               "leave it out, or leave out `" + path + "`");
  if (stated.site == SiteKind::none) return {};
  return language::refuse_at(tree, path,
                             fmt::format("with `site` the learner does not model what `{}` rounds", name),
                             "leave out `learner`, or write `site: none`");
}

bool has_time(const Scenario& scenario, const QuantizedForm& form) {
  const Compression& compression = scenario.compression;
  if (scenario.device || compression.time) return true;
  const auto of_kernel = [&](const auto& row) { return row.method == kernel_of(form); };
  return std::ranges::any_of(compression.times, of_kernel) ||
         std::ranges::any_of(compression.kernels.rows, of_kernel) ||
         std::ranges::any_of(compression.framework.rows, of_kernel);
}

/// "8 bits".
std::string bits_text(const QuantizedForm& form) {
  return fmt::format("{:g} bits{}", form.bits, form.integer ? "" : " of a float");
}

}  // namespace

ShardSending sending_of(const Parallelism& stated) {
  ShardSending sum;
  const auto add = [&sum](std::string_view name) {
    const auto row = netmodels::find_shard_sending(name);
    if (!row) return;
    if (const auto next = netmodels::together(sum, (*row)->sending)) sum = *next;
  };
  if (stated.data == Sharding::zeropp) add(all_together);
  for (const std::string& name : stated.compress) add(name);
  return sum;
}

std::string_view kernel_of(const QuantizedForm& form) {
  constexpr double byte = 8;
  if (form.share < 1) return "dct_topk";
  if (!form.integer) return "";
  return form.bits == byte ? "int8" : "block_4bit";
}

std::string describe_sending(const ShardSending& sending) {
  std::string text;
  if (sending.parameters)
    text +=
        fmt::format("; {} gathered in {}", sending.differences ? "differences of parameters" : "parameters",
                    bits_text(*sending.parameters));
  if (sending.secondary) text += "; gathered inside nodes for the backward pass, from second copies";
  if (sending.gradients_within)
    text += fmt::format("; gradients summed all to all in {} inside nodes, {} between them",
                        bits_text(*sending.gradients_within), bits_text(*sending.gradients_between));
  if (sending.replicas)
    text += fmt::format("; between nodes {:.2g} % of the values, {:g} bits each",
                        100 * sending.replicas->share, sending.replicas->bits);
  if (sending.error_bytes > 0) text += "; with error feedback";
  return text;
}

Result<void> check_sending(const Scenario& scenario, const language::Value& tree) {
  const Parallelism& stated = scenario.parallelism;
  if (stated.data == Sharding::zeropp && !stated.compress.empty())
    return language::refuse_at(tree, "parallelism.compress", "`zero++` is qwz, hpz and qgz together",
                               "leave it out, or write `data: fsdp`");
  const auto sum = combined(stated, tree);
  if (!sum) return tl::unexpected(sum.error());
  const ShardSending sending = sending_of(stated);
  if (auto checked = check_fit(scenario, sending, tree); !checked) return checked;
  if (auto checked = check_nodes(scenario, sending, tree); !checked) return checked;
  if (auto checked = check_learning(scenario, sending, tree); !checked) return checked;
  for (const auto& form : sending.forms()) {
    if (form && !has_time(scenario, *form))
      return language::refuse_at(
          tree, "parallelism",
          "the time of quantising is unknown: no file describes the device of the workload",
          "state `compression.time`, or a `device` in the workload");
  }
  return {};
}

}  // namespace sim::scenario
