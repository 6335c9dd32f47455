// Multiplies shardings with micro-batches; each candidate is read as a scenario of its own.
#include "sim/scenario/sharding_question.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sim/language/place.hpp"
#include "sim/language/reader.hpp"
#include "sim/scenario/arm_reader.hpp"
#include "sim/scenario/arms.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/fields_planning.hpp"
#include "sim/scenario/file_keys.hpp"
#include "sim/scenario/overlay.hpp"
#include "sim/scenario/rental.hpp"
#include "sim/scenario/study.hpp"

namespace sim::scenario {
namespace {

namespace fs = std::filesystem;
using netmodels::refuse;
using netmodels::Result;

constexpr std::string_view whole_method = "bf16";  // tried beside dense gradients where models are whole

language::Value text(std::string_view written) {
  return language::Value::scalar(std::string(written), language::Origin());
}

/// @param sending  of `parallelism.compress`; empty: nothing
language::Value map_of(const netmodels::ShardingKind& kind, std::string_view sending) {
  language::Value map = language::Value::map({}, language::Origin());
  map.set("data", text(kind.name));
  if (!sending.empty()) map.set("compress", language::Value::list({text(sending)}, language::Origin()));
  return map;
}

/// One entry of the list, and how whole gradients are sent.
struct Entry {
  language::Value parallelism;
  std::string method;
};

std::vector<Entry> entries_of(const language::Value& advice) {
  std::vector<Entry> entries;
  const language::Value* stated = advice.find("parallelism");
  if (stated != nullptr) {
    for (const language::Value& map : stated->items()) entries.push_back({map, "none"});
    return entries;
  }
  for (const netmodels::ShardingKind& kind : netmodels::sharding_kinds) {
    entries.push_back({map_of(kind, ""), "none"});
    if (!kind.shares.any()) entries.push_back({map_of(kind, ""), std::string(whole_method)});
    for (const std::string_view sending : kind.advised_sendings)
      entries.push_back({map_of(kind, sending), "none"});
  }
  return entries;
}

std::vector<int> accumulations_of(const PolicyAdvice& advice, int batch) {
  if (!advice.accumulations.empty()) {
    std::vector<int> stated = advice.accumulations;
    std::ranges::sort(stated);
    return stated;
  }
  std::vector<int> powers;
  for (int power = 1; power <= batch && batch % power == 0; power *= 2) powers.push_back(power);
  return powers;
}

language::Value& map_below(language::Value& tree, std::string_view key) {
  language::Value* found = tree.find(key);
  return found != nullptr ? *found : tree.set(key, language::Value::map({}, language::Origin()));
}

language::Value tree_of(const language::Value& training, const Entry& entry, int accumulation) {
  language::Value tree = training;
  language::Value& parallelism = map_below(tree, "parallelism");
  for (const std::string_view key : {"data", "compress", "shard_within"}) parallelism.erase(key);
  parallelism = merge(std::move(parallelism), entry.parallelism);
  const language::Value* data = parallelism.find("data");
  const bool whole = data == nullptr || (data->is_scalar() && data->text() == "none");
  map_below(tree, "training").set("accumulation", text(std::to_string(accumulation)));
  language::Value& compression = map_below(tree, "compression");
  compression.erase("ratio");
  if (whole && entry.method == "none") compression.erase("time");  // which is of quantising
  compression.set("method", text(entry.method));
  return tree;
}

/// Kind as frameworks name it: `fsdp` within nodes is hsdp.
std::string sharding_name(const Parallelism& stated) {
  const netmodels::ShardingKind& kind = *stated.data;
  if (!kind.shares.any()) return "ddp";
  return std::string(kind.shares == stated.sharding() ? kind.name : stated.sharding_name());
}

std::string compression_name(const Parallelism& stated, const std::string& method) {
  if (stated.compress.empty()) return method;
  return fmt::format("{}", fmt::join(stated.compress, "+"));
}

ShardingCandidate candidate_of(const language::Value& training, const Entry& entry, int accumulation,
                               int batch, ArmReader& reader) {
  ShardingCandidate candidate;
  candidate.accumulation = accumulation;
  candidate.micro_batch = batch / accumulation;
  language::Value tree = tree_of(training, entry, accumulation);
  Parallelism stated;
  const language::Field field{*tree.find("parallelism"), "parallelism",
                              settings::Key{.name = "parallelism", .doc = "a map of keys"}};
  const auto known = language::read_map(field, stated);
  candidate.sharding = sharding_name(stated);
  candidate.compression = compression_name(stated, entry.method);
  auto scenario = known ? reader.read("advice", tree) : Result<Scenario>(tl::unexpected(known.error()));
  if (scenario)
    candidate.scenario = std::move(*scenario);
  else
    candidate.refused = scenario.error().what;
  return candidate;
}

/// Whether a device shows more as taken than it has.
bool exceeds_device(const std::optional<netmodels::WorkerMemory>& memory,
                    const std::optional<netmodels::Device>& device) {
  return memory && device && device->memory_size && memory->total() > *device->memory_size;
}

/// Leaves out candidates that fit by what is allocated alone, where others fit with the framework's share.
void keep_headroom(std::vector<ShardingCandidate>& candidates) {
  const auto fits = [](const ShardingCandidate& one) {
    return one.scenario &&
           !exceeds_device(needed_memory(one.scenario->work, one.scenario->cluster, one.scenario->exchange),
                           one.scenario->work.device);
  };
  if (std::ranges::none_of(candidates, fits)) return;
  for (ShardingCandidate& candidate : candidates) {
    if (!candidate.scenario || fits(candidate)) continue;
    const netmodels::WorkerMemory memory =
        *needed_memory(candidate.scenario->work, candidate.scenario->cluster, candidate.scenario->exchange);
    constexpr int digits = 3;
    candidate.refused =
        fmt::format("it allocates {}, with which the framework's share makes {}, and {} has {}",
                    netmodels::print(memory.allocated(), digits), netmodels::print(memory.total(), digits),
                    candidate.scenario->work.device->name,
                    netmodels::print(*candidate.scenario->work.device->memory_size, digits));
    candidate.scenario.reset();
  }
}

/// Keys of `advice` that are about policies.
Result<void> check_keys(const language::Value& advice) {
  for (const std::string_view key : {"synchronisation", "compression", "ratios", "collectives", "batches",
                                     "networks", "expect", "price_per_gigabyte"}) {
    const language::Value* stated = advice.find(key);
    if (stated == nullptr) continue;
    return refuse(stated->origin().text(),
                  fmt::format("`advice.{}` is about policies of plain data parallelism", key),
                  "leave it out, or leave out `parallelism`");
  }
  return {};
}

/// Keys beside `advice` that no candidate could keep.
Result<void> check_training(const language::Value& root) {
  for (const std::string_view key : {"compare", "axes"}) {
    const language::Value* stated = root.find(key);
    if (stated == nullptr) continue;
    return refuse(stated->origin().text(),
                  fmt::format("advice on sharding is about one training, and `{}` states several", key),
                  "leave it out, and ask about each by `--set`");
  }
  const language::Value* method = language::find_path(root, "compression.method");
  if (method == nullptr || (method->is_scalar() && method->text() == "none")) return {};
  return refuse(method->origin().text(),
                "`compression.method`: advice on sharding tries how to send by itself",
                "leave it out; `advice.parallelism` names what is tried");
}

/// Micro-batches of whole samples, and at least one way to share.
Result<void> check_lists(const PolicyAdvice& advice, const language::Value& written, int batch) {
  const language::Value* ways = written.find("parallelism");
  if (ways != nullptr && ways->items().empty())
    return refuse(ways->origin().text(), "`advice.parallelism`: nothing to choose from", "name at least one");
  for (const int accumulation : advice.accumulations) {
    if (accumulation >= 1 && batch % accumulation == 0) continue;
    return refuse(written.find("accumulations")->origin().text(),
                  fmt::format("`advice.accumulations`: {} micro-batches do not divide a batch of {}",
                              accumulation, batch),
                  "name divisors of `training.batch`");
  }
  return {};
}

Result<PolicyAdvice> advice_with_defaults(language::Value advice) {
  const auto one = [&](std::string_view key, std::string_view value) {
    advice.set(key, language::Value::list({text(value)}, language::Origin()));
  };
  const auto method = [&](std::string_view key, std::string_view name) {
    language::Value map = language::Value::map({}, language::Origin());
    map.set("method", text(name));
    advice.set(key, language::Value::list({std::move(map)}, language::Origin()));
  };
  method("synchronisation", "bsp");
  method("compression", "none");
  one("ratios", "1 %");
  one("collectives", "auto");
  one("batches", "1");
  PolicyAdvice read;
  const language::Field field{advice, "advice", settings::Key{.name = "advice", .doc = "a map of keys"}};
  if (auto done = language::read_map(field, read); !done) return tl::unexpected(done.error());
  return read;
}

/// What keeps every candidate out.
Result<void> check_candidates(const ShardingQuestion& question, const std::string& place) {
  const auto& all = question.candidates;
  const auto good = std::ranges::find_if(all, [](const auto& one) { return one.scenario.has_value(); });
  if (good == all.end()) {
    const auto least = std::ranges::find(all, "fsdp", &ShardingCandidate::sharding);  // shares the most
    return refuse(place,
                  "no candidate can be trained: " + (least == all.end() ? all.front() : *least).refused,
                  "another cluster, batch or model");
  }
  const auto has_replicas = [](const auto& one) {
    return one.scenario && one.scenario->work.workload.replica;
  };
  if (std::ranges::any_of(all, has_replicas))
    return refuse(place, "advice is about models of which each worker computes the whole",
                  "leave out `tensor` and `pipeline` of `parallelism`, or compare arms by `sim run`");
  const policies::SynchronisationChoice& stated = good->scenario->exchange.synchronisation;
  if (!stated->traits.every_step)
    return refuse(
        place,
        fmt::format("advice on sharding is about gradients that are exchanged in each step, and not "
                    "about `{}`",
                    stated.name()),
        "leave out `synchronisation` and `parallelism.site`, or compare arms by `sim run`");
  if (!good->scenario->work.workload.memory)
    return refuse(place,
                  fmt::format("the memory that `{}` takes is unknown", good->scenario->work.workload.name),
                  "describe the model by `transformer`, `config` or `model`");
  return {};
}

Result<void> read_sharding_price(ShardingQuestion& question, const language::Value& advice,
                                 const fs::path& data_dir) {
  const bool by_cost = question.advice.objective == policies::PlanningObjective::cost;
  if (!question.advice.price) {
    if (!by_cost) return {};
    return refuse(advice.origin().text(), "`advice.objective`: `cost` needs the price of a machine",
                  "write `price: {machine: NAME}` of `sim list prices`, or `objective: time`");
  }
  language::Value tree = language::Value::map({}, advice.origin());
  tree.set("advice", advice);
  if (auto checked = check_price(*question.advice.price, tree, "advice.price"); !checked) return checked;
  GRADSIM_TRY(rental, rental_of(*question.advice.price, {}, tree, "advice.price", data_dir));
  const auto good =
      std::ranges::find_if(question.candidates, [](const auto& one) { return one.scenario.has_value(); });
  question.rental = share_node(*rental, good->scenario->cluster.workers_per_node);
  return {};
}

}  // namespace

bool asks_about_sharding(const fs::path& file, std::span<const std::string> settings,
                         const fs::path& data_dir) {
  const auto document = read_root(file, settings, data_dir);
  if (!document) return false;
  const language::Value& root = document->root;
  const language::Value* data = language::find_path(root, "parallelism.data");
  const bool shares = data != nullptr && data->is_scalar() && data->text() != "none";
  return root.find("planning") == nullptr &&
         (shares || language::find_path(root, "advice.parallelism") != nullptr ||
          language::find_path(root, "advice.accumulations") != nullptr);
}

Result<ShardingQuestion> read_sharding_question(const fs::path& file, std::span<const std::string> settings,
                                                const fs::path& data_dir) {
  GRADSIM_TRY(document, read_root(file, settings, data_dir));
  if (auto in_file = check_asked_in_file(document->root, "planning"); !in_file)
    return tl::unexpected(in_file.error());
  const language::Value* written = document->root.find("advice");
  const std::string place = file.string() + ":1:1";
  const language::Value advice =
      written == nullptr || !written->is_map() ? language::Value::map({}, language::Origin(place)) : *written;
  if (auto checked = check_keys(advice); !checked) return tl::unexpected(checked.error());
  if (auto checked = check_training(document->root); !checked) return tl::unexpected(checked.error());
  GRADSIM_TRY(read, advice_with_defaults(advice));
  ShardingQuestion question;
  question.question = document->question;
  question.advice = std::move(*read);
  language::Value training = document->root;
  for (const std::string_view key : study_keys) training.erase(key);
  Training stated;
  if (const language::Value* map = training.find("training")) {
    const language::Field field{*map, "training", settings::Key{.name = "training", .doc = "a map of keys"}};
    if (auto done = language::read_map(field, stated); !done) return tl::unexpected(done.error());
  }
  if (auto checked = check_lists(question.advice, advice, stated.batch); !checked)
    return tl::unexpected(checked.error());
  ArmReader reader(data_dir);
  for (const Entry& entry : entries_of(advice)) {
    for (const int accumulation : accumulations_of(question.advice, stated.batch))
      question.candidates.push_back(candidate_of(training, entry, accumulation, stated.batch, reader));
  }
  question.warnings = reader.take_warnings();
  keep_headroom(question.candidates);
  if (auto checked = check_candidates(question, place); !checked) return tl::unexpected(checked.error());
  if (auto priced = read_sharding_price(question, advice, data_dir); !priced)
    return tl::unexpected(priced.error());
  return question;
}

}  // namespace sim::scenario
