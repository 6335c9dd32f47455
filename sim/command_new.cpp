// `sim new`: writes a scenario to begin with, from options or from answers at the terminal.
#include <charconv>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command_line/error_output.hpp"
#include "files/output_file.hpp"
#include "netmodels/quantity.hpp"
#include "sim/commands.hpp"
#include "sim/exit_code.hpp"
#include "sim/new_scenario.hpp"
#include "sim/scenario_files.hpp"

namespace sim {
namespace {

using netmodels::refuse;
using netmodels::Result;

struct NewOptions {
  std::optional<std::string> model, config, device, network, rate, question, out;
  std::optional<int> gpus, gpus_per_node, batch, sequence;
};

bool is_asked_at_terminal() { return isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1; }

/// The option, else the answer at the terminal, else the default.
/// @param usual  empty: the option must be given
Result<std::string> answer(const std::optional<std::string>& option, const std::string& name,
                           const std::string& prompt, const std::string& usual) {
  if (option) return *option;
  if (!is_asked_at_terminal()) {
    if (!usual.empty()) return usual;
    return refuse("--" + name, "the option is missing", prompt);
  }
  std::cerr << prompt << (usual.empty() ? "" : " [" + usual + "]") << ": ";
  std::string line;
  std::getline(std::cin, line);
  if (line.empty() && usual.empty()) return refuse("--" + name, "no answer", prompt);
  return line.empty() ? usual : line;
}

Result<int> number(const std::optional<int>& option, const std::string& name, const std::string& prompt,
                   const std::string& usual) {
  if (option) return *option;
  GRADSIM_TRY(text, answer(std::nullopt, name, prompt, usual));
  int value = 0;
  const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (failed != std::errc() || end != text->data() + text->size())
    return refuse("--" + name, "`" + *text + "` is not a whole number", "write digits only");
  return value;
}

Result<void> ask_for_model(const NewOptions& options, NewScenario& stated) {
  if (options.config && options.model)
    return refuse("--model", "`--config` states a model as well", "leave one of them out");
  if (options.config) {
    stated.config = *options.config;
    return {};
  }
  GRADSIM_TRY(model, answer(options.model, "model",
                            "a model of `sim list workloads`, or --config with a config.json", ""));
  stated.model = *model;
  return {};
}

std::string question_names() {
  std::vector<std::string_view> names;
  for (const NewQuestion& row : new_questions()) names.push_back(row.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The network between nodes, and its rate. Options of it are refused where all GPUs share one node.
Result<void> ask_for_network(const NewOptions& options, NewScenario& stated) {
  if (stated.gpus <= stated.gpus_per_node) {
    const std::string option = options.network ? "--network" : options.rate ? "--rate" : "";
    if (option.empty()) return {};
    return refuse(option, fmt::format("one node has all {} GPUs, and no network between nodes", stated.gpus),
                  "leave it out, or state fewer GPUs by --gpus-per-node");
  }
  GRADSIM_TRY(network, answer(options.network, "network", "between nodes: a name of `sim list transports`",
                              stated.network));
  GRADSIM_TRY(rate, answer(options.rate, "rate", "line rate of a node's network", stated.rate));
  if (const auto parsed = netmodels::parse<netmodels::Bandwidth>(*rate); !parsed)
    return refuse("--rate", parsed.error().what, parsed.error().hint);
  stated.network = *network;
  stated.rate = *rate;
  return {};
}

Result<NewScenario> stated_scenario(const NewOptions& options) {
  NewScenario stated;
  stated.batch = options.batch;
  stated.sequence = options.sequence;
  if (auto asked = ask_for_model(options, stated); !asked) return tl::unexpected(asked.error());
  GRADSIM_TRY(device, answer(options.device, "device",
                             "the GPU: a name of `sim list devices`, or as nvidia-smi prints it", ""));
  GRADSIM_TRY(gpus, number(options.gpus, "gpus", "GPUs in all", ""));
  GRADSIM_TRY(per_node, number(options.gpus_per_node, "gpus-per-node", "GPUs of a node",
                               std::to_string(*gpus < 8 ? *gpus : 8)));
  stated.device = *device;
  stated.gpus = *gpus;
  stated.gpus_per_node = *per_node;
  if (auto asked = ask_for_network(options, stated); !asked) return tl::unexpected(asked.error());
  GRADSIM_TRY(question, answer(options.question, "question", question_names(), stated.question));
  stated.question = *question;
  return stated;
}

Result<std::string> new_scenario_text(const NewOptions& options) {
  GRADSIM_TRY(stated, stated_scenario(options));
  return write_scenario(*stated, data_folder());
}

int write_new(const NewOptions& options) {
  const auto text = new_scenario_text(options);
  if (!text) {
    command_line::print_error(std::cerr, text.error());
    return exit_refused;
  }
  if (!options.out) {
    std::cout << *text;
    return exit_done;
  }
  std::error_code unknown;
  if (std::filesystem::exists(*options.out, unknown)) {
    std::cerr << "--out: " << *options.out << " exists; name a new file\n";
    return exit_refused;
  }
  files::write_file(*options.out, *text);
  std::cerr << "written: " << *options.out << "; `sim run " << *options.out << "` runs it\n";
  return exit_done;
}

}  // namespace

void add_new(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand(
      "new", "writes a scenario to begin with; options that are missing are asked for at a terminal");
  const auto options = std::make_shared<NewOptions>();
  command->add_option("--model", options->model, "a name of `sim list workloads`")->type_name("NAME");
  command->add_option("--config", options->config, "a config.json of Hugging Face transformers, in its place")
      ->type_name("FILE");
  command->add_option("--device", options->device, "a name of `sim list devices`, or as nvidia-smi prints it")
      ->type_name("NAME");
  command->add_option("--gpus", options->gpus, "GPUs in all")->type_name("N");
  command
      ->add_option("--gpus-per-node", options->gpus_per_node, "GPUs of a node; default: 8, or all if fewer")
      ->type_name("N");
  command
      ->add_option("--network", options->network,
                   "between nodes: a name of `sim list transports`; default: nccl_tcp")
      ->type_name("NAME");
  command->add_option("--rate", options->rate, "line rate of a node's network; default: 100 Gbit/s")
      ->type_name("RATE");
  command->add_option("--question", options->question, question_names() + "; default: compression")
      ->type_name("NAME");
  command
      ->add_option("--batch", options->batch,
                   "samples of a GPU in a step; default: the most of 8, 4, 2 and 1 that fit")
      ->type_name("N");
  command
      ->add_option(
          "--sequence", options->sequence,
          "tokens of a sample of a transformer; default: those of the model; most config.json state none")
      ->type_name("N");
  command->add_option("--out", options->out, "a new file; default: standard output")->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  sim new --model gpt2_xl --device h100_sxm_datasheet --gpus 32 --question sharding --out mine.yaml\n"
      "  sim new --model resnet50_v100 --device \"Tesla V100-SXM2-32GB\" --gpus 8 --gpus-per-node 1 | sim "
      "run -");
  command->callback([options, &exit_code] { exit_code = write_new(*options); });
}

}  // namespace sim
