// Writes a scenario to begin with, and reads it to see which of its arms run.
#include "sim/new_scenario.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "netmodels/nearest.hpp"
#include "sim/inputs/device_file.hpp"
#include "sim/inputs/stack_file.hpp"
#include "sim/inputs/transport_file.hpp"
#include "sim/language/document.hpp"
#include "sim/language/text_file.hpp"
#include "sim/scenario/arm_reader.hpp"
#include "sim/scenario/arms.hpp"

namespace sim {
namespace {

namespace fs = std::filesystem;
using netmodels::refuse;
using netmodels::Result;

/// An arm of a question.
struct NewArm {
  std::string_view question;
  std::string_view name;
  std::string_view overrides;
};

constexpr auto question_rows = std::to_array<NewQuestion>({
    {"compression", "Does compressing gradients pay on this network?"},
    {"sharding", "How should parameters, gradients and optimizer be shared among the GPUs?"},
    {"collective", "Which collective is fastest on this network?"},
    {"local-steps", "How much do local steps save on this network?"},
});

constexpr auto arm_rows = std::to_array<NewArm>({
    {"compression", "dense", "{}"},
    {"compression", "fp16", "{compression: {method: fp16}}"},
    {"compression", "topk-1%", "{compression: {method: topk, ratio: 1 %}}"},
    {"compression", "powersgd-4", "{compression: {method: powersgd, rank: 4}}"},
    {"sharding", "ddp", "{}"},
    {"sharding", "zero2", "{parallelism: {data: zero2}}"},
    {"sharding", "fsdp", "{parallelism: {data: fsdp}}"},
    {"sharding", "hsdp", "{parallelism: {data: hsdp}}"},
    {"collective", "auto", "{}"},
    {"collective", "ring", "{exchange: {collective: ring_allreduce}}"},
    {"collective", "tree", "{exchange: {collective: double_binary_tree_allreduce}}"},
    {"collective", "hierarchical", "{exchange: {collective: hierarchical_allreduce}}"},
    {"local-steps", "every-step", "{}"},
    {"local-steps", "every-10", "{synchronisation: {method: periodic, every: 10}}"},
    {"local-steps", "diloco-100", "{synchronisation: {method: diloco, every: 100}}"},
});

language::Value named_by_option(const std::string& name, const std::string& option) {
  return language::Value::scalar(name, language::Origin(option));
}

/// Stacks that were measured on the device, in bf16.
std::vector<std::string> stacks_for(const std::string& name, const fs::path& data_dir) {
  constexpr auto precision = inputs::Precision::bf16;
  const auto device = inputs::load_device(named_by_option(name, "--device"), data_dir, precision);
  std::vector<std::string> stacks = language::names_in(data_dir / "stacks");
  std::erase_if(stacks, [&](const std::string& stack) {
    if (!device) return true;
    const auto found =
        inputs::load_stack(named_by_option(stack, "stacks"), data_dir, device->name, precision, device->peak);
    return !found || !found->range.all_outside().empty();
  });
  return stacks;
}

bool describes_transformer(const fs::path& file) {
  const auto document = language::read_document(file);
  return document && document->root.find("transformer") != nullptr;
}

/// `workload` with each source of its times, the most trusted first.
Result<std::vector<std::string>> workload_lines(const NewScenario& stated, const fs::path& data_dir) {
  GRADSIM_TRY(choices, workload_choices(stated, data_dir));
  std::vector<std::string> lines;
  for (const WorkloadChoice& choice : *choices)
    lines.push_back(
        fmt::format("workload: {}{}\n", choice.value, choice.comment.empty() ? "" : "  # " + choice.comment));
  return lines;
}

std::string inner_fabric(const inputs::DeviceKeys& device) {
  if (device.nvlink && device.nvlink->count > 0)
    return fmt::format("{{kind: nvlink, rate: {}, transport: nvlink}}  # inside a node",
                       netmodels::print(*device.nvlink));
  return "{kind: pcie, rate: 32 GB/s, transport: pcie}  # inside a node: PCIe 4 x16, assumed";
}

Result<std::string> cluster_lines(const NewScenario& stated, const fs::path& data_dir) {
  GRADSIM_TRY(device, inputs::load_device_keys(named_by_option(stated.device, "--device"), data_dir));
  std::string lines =
      fmt::format("cluster:\n  workers: {}  # one for each GPU\n  device: {}\n", stated.gpus, stated.device);
  if (stated.gpus_per_node > 1)
    lines += fmt::format("  workers_per_node: {}\n  inner_fabric: {}\n", stated.gpus_per_node,
                         inner_fabric(*device));
  if (stated.gpus == stated.gpus_per_node) return lines;
  inputs::TransportFiles transports(data_dir);
  GRADSIM_TRY(transport, transports.load(named_by_option(stated.network, "--network")));
  lines += fmt::format("  fabric: {{kind: {}, rate: {}, transport: {}}}  # between nodes: one line rate\n",
                       settings::name_of((*transport)->fits.front()), stated.rate, stated.network);
  return lines;
}

std::string training_lines(int batch) {
  return fmt::format("training: {{batch: {}, steps: 100}}  # samples of a GPU in a step\n", batch);
}

/// The arms with the reasons of those that do not run.
struct TriedArms {
  std::string lines;
  std::size_t running = 0;
  std::optional<netmodels::Error> error;  ///< the first
};

/// @param head  all above `compare`
Result<TriedArms> try_arms(const std::string& head, const std::string& question, const fs::path& data_dir) {
  TriedArms tried{"compare:\n", 0, {}};
  scenario::ArmReader reader(data_dir);
  for (const NewArm& arm : arm_rows) {
    if (arm.question != question) continue;
    const std::string line = fmt::format("  {}: {}\n", arm.name, arm.overrides);
    GRADSIM_TRY(document, language::parse_document(head + "compare:\n" + line, "sim new"));
    GRADSIM_TRY(arms, scenario::spread_arms(document->root, data_dir));
    const auto read = reader.read(std::string(arm.name), arms->arms.front().tree);
    if (read) {
      ++tried.running;
      tried.lines += line;
      continue;
    }
    if (!tried.error) tried.error = read.error();
    tried.lines += fmt::format("  # {}: does not run here: {}\n", arm.name, read.error().what);
  }
  return tried;
}

Result<void> check_numbers(const NewScenario& stated) {
  if (stated.gpus < 1 || stated.gpus_per_node < 1)
    return refuse("--gpus", "fewer than one GPU", "accepted: at least 1");
  if (stated.sequence.value_or(1) < 1)
    return refuse("--sequence", "fewer than one token", "accepted: at least 1");
  if (stated.gpus % stated.gpus_per_node != 0)
    return refuse("--gpus-per-node",
                  fmt::format("nodes of {} do not divide {} GPUs", stated.gpus_per_node, stated.gpus),
                  "write a divisor of --gpus");
  return {};
}

Result<void> check_question(const std::string& question) {
  std::vector<std::string_view> names;
  for (const NewQuestion& row : question_rows) names.push_back(row.name);
  if (std::ranges::find(names, question) != names.end()) return {};
  return refuse("--question", "unknown question `" + question + "`",
                netmodels::accepted_names(question, names));
}

/// The device by the name of its file.
Result<std::string> device_name(const std::string& stated, const fs::path& data_dir) {
  if (language::is_path(stated)) return stated;
  GRADSIM_TRY(called, inputs::match_device(stated, data_dir));
  if (*called) return **called;
  GRADSIM_TRY(loaded, inputs::load_device_keys(named_by_option(stated, "--device"), data_dir));
  return stated;
}

/// The batches to try, largest first.
std::vector<int> batches_of(const NewScenario& stated) {
  if (stated.batch) return {*stated.batch};
  return {8, 4, 2, 1};
}

}  // namespace

std::span<const NewQuestion> new_questions() { return question_rows; }

Result<std::vector<WorkloadChoice>> workload_choices(const NewScenario& stated, const fs::path& data_dir) {
  if (stated.config.empty()) {
    GRADSIM_TRY(file, language::find_named(named_by_option(stated.model, "--model"), data_dir / "workloads",
                                           "workload"));
    if (!describes_transformer(*file)) return std::vector{WorkloadChoice{stated.model, ""}};
  }
  const std::string model =
      stated.config.empty() ? "model: " + stated.model : "config: " + fs::absolute(stated.config).string();
  const std::string shape =
      stated.sequence ? fmt::format("{}, sequence: {}", model, *stated.sequence) : model;
  std::vector<WorkloadChoice> choices;
  for (const std::string& stack : stacks_for(stated.device, data_dir))
    choices.push_back({fmt::format("{{{}, device: {}, stack: {}}}", shape, stated.device, stack),
                       "times: utilisation of that stack"});
  choices.push_back({fmt::format("{{{}, device: {}, mfu: 40 %}}", shape, stated.device),
                     "assumed: measure yours, 6 FLOPs for each parameter and token over the peak"});
  return choices;
}

Result<std::string> write_scenario(const NewScenario& said, const fs::path& data_dir) {
  NewScenario stated = said;
  if (auto checked = check_numbers(stated); !checked) return tl::unexpected(checked.error());
  if (auto checked = check_question(stated.question); !checked) return tl::unexpected(checked.error());
  GRADSIM_TRY(device, device_name(stated.device, data_dir));
  stated.device = *device;
  GRADSIM_TRY(workloads, workload_lines(stated, data_dir));
  GRADSIM_TRY(cluster, cluster_lines(stated, data_dir));
  const auto* question = std::ranges::find(question_rows, stated.question, &NewQuestion::name);
  std::optional<netmodels::Error> error;
  for (const std::string& workload : *workloads) {
    for (const int batch : batches_of(stated)) {
      const std::string head =
          fmt::format("# {}\n{}{}{}", question->sentence, workload, *cluster, training_lines(batch));
      GRADSIM_TRY(tried, try_arms(head, stated.question, data_dir));
      if (tried->running > 0) return head + tried->lines;
      error = tried->error;
    }
  }
  error->where = "--question " + stated.question;
  error->more.clear();
  if (!stated.config.empty() && !stated.sequence)
    error->hint += "; `--sequence N` states the tokens of a sample";
  return tl::unexpected(std::move(*error));
}

}  // namespace sim
