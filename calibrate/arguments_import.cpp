// Options of `calibrate import`, tool by tool.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/arguments.hpp"
#include "calibrate/check_scenario.hpp"
#include "calibrate/commands.hpp"
#include "calibrate/imports/training_config.hpp"
#include "command_line/known_words.hpp"

namespace calibrate {
namespace {

void add_import_tool(CLI::App& import, const std::string& tool, const std::string& what, int& exit_code) {
  CLI::App* command = import.add_subcommand(tool, what);
  const auto options = std::make_shared<ImportOptions>();
  options->tool = tool;
  command->add_option("FILE", options->files, "logs of one collective on the same ranks; - is standard input")
      ->required()
      ->type_name("");
  add_output(*command, options->output, "measurements file (CSV)");
  command
      ->add_option("--collective", options->collective,
                   "all_reduce, all_gather, ...; without it, as in the log")
      ->type_name("NAME");
  command->add_option("--ranks", options->ranks, "N, where the log does not list its ranks")->type_name("N");
  command->add_option("--nodes", options->nodes, "machines that the ranks shared")->type_name("N");
  command->add_option("--network", options->network, "provenance: links and transport")->type_name("TEXT");
  command->add_option("--source", options->source, "provenance: source of the log; default: FILE's name")
      ->type_name("TEXT");
  command->add_option("--licence", options->licence, "provenance: licence of the figures")->type_name("TEXT");
  command->add_flag("--quiet", options->quiet, "prints only errors");
  command->callback([options, &exit_code] { exit_code = run_import(*options, std::cout, std::cerr); });
}

void add_import_trace(CLI::App& import, const std::string& tool, const std::string& what,
                      const std::string& files, int& exit_code) {
  CLI::App* command = import.add_subcommand(tool, what);
  const auto options = std::make_shared<ImportTraceOptions>();
  options->tool = tool;
  command->add_option("FILE", options->files, files)->required()->type_name("");
  command
      ->add_option(
          "-o,--output", options->output,
          "workload NAME.yaml, with NAME_layers.csv and NAME_times.csv, or NAME_graph.csv, beside it; a "
          "time-independent trace goes to any file; - is standard output")
      ->required()
      ->type_name("FILE");
  command
      ->add_option(
          "--format", options->format,
          "workload: layers and buckets of data-parallel training; graph: the step as it was traced, its "
          "collectives to be evaluated on another cluster; smpi-ti: one step of every rank in one file that "
          "SimGrid's SMPI replays")
      ->type_name("NAME")
      ->capture_default_str()
      ->check(command_line::known_words({"workload", "graph", "smpi-ti"}));
  command->add_option("--batch", options->batch, "samples per rank and step; without it, as in the trace")
      ->type_name("N");
  command
      ->add_option("--ranks", options->ranks,
                   "of the job (of the replay, for smpi-ti); without it, as in the trace")
      ->type_name("N");
  command->add_option("--source", options->source, "provenance: source of the trace; default: FILE's name")
      ->type_name("TEXT");
  command->add_option("--licence", options->licence, "provenance: licence of the figures")->type_name("TEXT");
  command->add_flag("--quiet", options->quiet, "prints only errors");
  command->callback([options, &exit_code] { exit_code = run_import_trace(*options, std::cout, std::cerr); });
}

void add_config_hints(CLI::App& command, ImportConfigOptions& options) {
  command
      .add_option("--stack", options.stack,
                  "software whose published utilisation gives the time: a file of "
                  "scenarios/stacks")
      ->type_name("NAME");
  command.add_option("--mfu", options.mfu, "measured share of the peak, in place of --stack")
      ->type_name("SHARE");
  command
      .add_option(
          "--model", options.model,
          "a file of scenarios/workloads, or a config.json of transformers; without it, as in FILE, or "
          "the config.json beside it")
      ->type_name("NAME");
  command.add_option("--sequence", options.sequence, "tokens of a sample, in place of FILE's")
      ->type_name("N");
  command.add_option("--batch", options.batch, "samples of a micro-batch, in place of FILE's")
      ->type_name("N");
  command.add_option("--steps", options.steps, "in place of FILE's")->type_name("N");
  command
      .add_option("--recomputation", options.recomputation,
                  "what the backward pass computes again: none, selective or full; without it, as in FILE")
      ->type_name("NAME")
      ->check(command_line::known_words({"none", "selective", "full"}));
}

void add_import_config(CLI::App& import, const imports::ConfigFormat& format, int& exit_code) {
  CLI::App* command =
      import.add_subcommand(std::string(format.name), std::string(format.summary) + " as a scenario");
  const auto options = std::make_shared<ImportConfigOptions>();
  options->format = format.name;
  options->simulator = simulator_beside();
  command->add_option("FILE", options->file, std::string(format.summary))->required()->type_name("");
  add_output(*command, options->output, "scenario (YAML)");
  command->add_option("--cluster", options->cluster, "a file of scenarios/clusters, or a path")
      ->required()
      ->type_name("NAME");
  command->add_option("--workers", options->workers, "GPUs of the job")->required()->type_name("N");
  command
      ->add_option("--workers-per-node", options->workers_per_node,
                   "GPUs of a node; without it, as the cluster")
      ->type_name("N");
  command->add_option("--device", options->device, "a file of scenarios/devices")
      ->required()
      ->type_name("NAME");
  add_config_hints(*command, *options);
  command->add_flag("--quiet", options->quiet, "prints only errors");
  command->callback([options, &exit_code] { exit_code = run_import_config(*options, std::cout, std::cerr); });
}

void add_import_topology(CLI::App& import, int& exit_code) {
  CLI::App* command = import.add_subcommand(
      "topology", "a node as `nvidia-smi topo -m` or NCCL (NCCL_TOPO_DUMP_FILE) prints it, for cluster.use");
  const auto options = std::make_shared<ImportTopologyOptions>();
  options->simulator = simulator_beside();
  command->add_option("FILE", options->file, "what the program printed; - is standard input")
      ->required()
      ->type_name("");
  add_output(*command, options->output, "part of a cluster (YAML)");
  command
      ->add_option("--compute-capability", options->compute_capability,
                   "10 x major + minor of the GPUs, which a matrix does not print: 80 for an A100, 90 for an "
                   "H100")
      ->type_name("N");
  command
      ->add_option("--network", options->network,
                   "infiniband, roce, slingshot, efa, socket, tcpx or tcpxo; without it, by the names of "
                   "interfaces")
      ->type_name("KIND");
  command->add_option("--rate", options->rate, "line rate of one interface, which a matrix does not print")
      ->type_name("RATE");
  command
      ->add_option("--cpu", options->cpu,
                   "vendor of the processors, which a matrix does not print: intel (default), amd or arm")
      ->type_name("NAME");
  command
      ->add_option("--pcie", options->pcie,
                   "PCIe generation of the GPUs, which a matrix does not print: 3 (default) to 6")
      ->type_name("N");
  command->add_flag("--without-nvlink", options->without_nvlink,
                    "leaves NVLink out: GPUs exchange over PCIe alone");
  command->callback(
      [options, &exit_code] { exit_code = run_import_topology(*options, std::cout, std::cerr); });
}

void add_import_mahimahi(CLI::App& import, int& exit_code) {
  CLI::App* command =
      import.add_subcommand("mahimahi", "trace of Mahimahi as bandwidth over time, for cluster.traces");
  const auto options = std::make_shared<ImportMahimahiOptions>();
  command->add_option("FILE", options->file, "trace; - is standard input")->required()->type_name("");
  add_output(*command, options->output, "bandwidth over time (CSV)");
  command->add_option("--interval-ms", options->interval_ms, "over which packets are counted")
      ->type_name("N")
      ->capture_default_str();
  command->callback(
      [options, &exit_code] { exit_code = run_import_mahimahi(*options, std::cout, std::cerr); });
}

/// `calibrate import keys`: what becomes of every key of the configurations.
void add_import_keys(CLI::App& import, int& exit_code) {
  CLI::App* command =
      import.add_subcommand("keys", "prints what becomes of every key of these configurations, in Markdown");
  const auto format = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const imports::ConfigFormat& row : imports::config_formats()) names.emplace_back(row.name);
  command->add_option("FORMAT", *format, "one of them; without it, all")
      ->type_name("")
      ->check(command_line::known_words(names));
  command->callback([format, &exit_code] { exit_code = run_import_keys(*format, std::cout); });
}

}  // namespace

void add_import(CLI::App& program, int& exit_code) {
  CLI::App* import = program.add_subcommand("import",
                                            "converts logs of other tools into measurements, traces into "
                                            "workloads, configurations into scenarios, and what machines "
                                            "print into parts of clusters");
  import->require_subcommand(1);
  import->footer(
      "Examples:\n  calibrate import nccl-tests all_reduce.log -o all_reduce.csv\n"
      "  calibrate import osu osu_allreduce.txt --ranks 16 --nodes 4 -o all_reduce.csv\n"
      "  calibrate import kineto trace.json.gz --batch 32 -o resnet50.yaml\n"
      "  calibrate import torchtitan llama3_8b.toml --cluster nvidia_dgx_h100 --workers 64 --device "
      "h100_sxm_datasheet --stack pytorch-fsdp-2023 -o llama3_8b.yaml");
  add_import_tool(*import, "nccl-tests", "text of nccl-tests since 2.0, or its JSON (-J)", exit_code);
  add_import_tool(*import, "osu", "text of the OSU Micro-Benchmarks' latency tests", exit_code);
  add_import_trace(*import, "kineto", "trace of the PyTorch profiler (Kineto), plain or gzip",
                   "trace of one rank; - is standard input", exit_code);
  add_import_trace(*import, "chakra", "Chakra execution trace, protobuf or JSON, plain or gzip",
                   "traces of one run, one for each rank", exit_code);
  for (const imports::ConfigFormat& format : imports::config_formats())
    add_import_config(*import, format, exit_code);
  add_import_keys(*import, exit_code);
  add_import_topology(*import, exit_code);
  add_import_mahimahi(*import, exit_code);
}

}  // namespace calibrate
