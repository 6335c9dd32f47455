// Options of `calibrate probe`, by what is measured.
#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "calibrate/arguments.hpp"
#include "calibrate/commands.hpp"
#include "calibrate/exit_code.hpp"
#include "command_line/interruption.hpp"
#include "command_line/known_words.hpp"
#include "files/text_file.hpp"
#include "netmodels/quantity.hpp"

namespace calibrate {
namespace {

void add_probe_mpi(CLI::App& probe, int& exit_code) {
  CLI::App* command = probe.add_subcommand("mpi", "exchanges of gradients over the MPI it is started under");
  const auto options = std::make_shared<ProbeMpiOptions>();
  command->add_option("--collectives", options->collectives, "all, or names separated by commas")
      ->type_name("LIST")
      ->capture_default_str();
  command
      ->add_option("--repetitions", options->repetitions,
                   "timed repetitions of each size, as far as "
                   "the time allows")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--most-time", options->most_time, "time of the whole probe")
      ->type_name("TIME")
      ->capture_default_str();
  command
      ->add_option("--algorithm", options->algorithm,
                   "provenance: what MPI was pinned to; default: its settings in the environment")
      ->type_name("TEXT");
  add_exchanges(*command, *options, "prints only errors and what was skipped");
  options->version = GRADSIM_VERSION;
  command->footer("Example:\n  mpirun -n 4 calibrate probe mpi --sizes 64KiB..4MiB -o measured");
  command->callback([options, &exit_code] { exit_code = run_probe_mpi(*options, std::cerr); });
}

/// 1e6 as 1000000.
std::string whole_number(const std::string& text) {
  constexpr double most = 1e15;  // up to here every whole number is a double
  const auto number = files::read_number(text);
  if (!number || !(std::abs(*number) <= most) || *number != std::floor(*number))
    throw CLI::ValidationError("`" + text + "` is not a whole number; write it as 1000000 or 1e6");
  return std::to_string(std::llround(*number));
}

/// 1 % as 0.01.
std::string share(const std::string& text) {
  const std::string_view trimmed = files::trimmed(text);
  const bool in_percent = trimmed.ends_with('%');
  const auto number = files::read_number(in_percent ? trimmed.substr(0, trimmed.size() - 1) : trimmed);
  if (!number || !std::isfinite(*number))
    throw CLI::ValidationError("`" + text + "` is not a share; write it as 0.01 or 1%");
  constexpr double percent = 100;
  return fmt::format("{}", in_percent ? *number / percent : *number);
}

/// 100ms as 0.1; a number without a unit is in seconds.
std::string in_seconds(const std::string& text) {
  const auto number = files::read_number(text);
  const auto time = netmodels::parse<netmodels::Seconds>(text);
  const double seconds = number ? *number : time ? time->count : 0;
  if (!(seconds > 0) || !std::isfinite(seconds))
    throw CLI::ValidationError("`" + text + "` is not a time above 0; write it as 0.5 or 500ms");
  return fmt::format("{}", seconds);
}

void add_probe_kernels(CLI::App& probe, int& exit_code) {
  CLI::App* command =
      probe.add_subcommand("kernels", "times of the gradient compressors on this processor or GPU");
  const auto options = std::make_shared<ProbeKernelsOptions>();
  options->version = GRADSIM_VERSION;
  command->add_option("--device", options->device, "cpu, or cuda: the first GPU")
      ->type_name("NAME")
      ->capture_default_str()
      ->check(command_line::known_words({"cpu", "cuda"}));
  command->add_option("--compressors", options->compressors, "names separated by commas; default: all")
      ->delimiter(',')
      ->type_name("LIST");
  command
      ->add_option("--elements", options->elements,
                   "values of a gradient (1000000 or 1e6), separated by "
                   "commas")
      ->delimiter(',')
      ->transform(whole_number)
      ->type_name("LIST")
      ->capture_default_str();
  command->add_option("--ratios", options->ratios, "kept / original (0.01 or 1%), separated by commas")
      ->delimiter(',')
      ->transform(share)
      ->type_name("LIST")
      ->capture_default_str();
  command
      ->add_option("--seconds", options->seconds,
                   "steps and copies of each case, warm-up not counted (0.5 or 500ms)")
      ->type_name("TIME")
      ->capture_default_str()
      ->transform(in_seconds);
  command->add_flag("--heavy-tailed", options->heavy_tailed,
                    "a few values far above the rest; default: normal ones");
  add_output(*command, options->output, "file of kernel times (CSV)");
  command->add_option("--samples", options->samples, "file of every repetition (CSV); default: none")
      ->type_name("FILE");
  command->add_flag("--quiet", options->quiet, "prints only errors");
  command->footer("Example:\n  calibrate probe kernels --compressors topk,qsgd -o times.csv");
  command->callback([options, &exit_code] {
    options->stop = &command_line::catch_interruptions(command_line::Grace::unlimited);
    exit_code = run_probe_kernels(*options, std::cout, std::cerr);
    if (exit_code == exit_done) exit_code = command_line::interrupted().value_or(exit_code);
  });
}

void add_probe_layers(CLI::App& probe, int& exit_code) {
  CLI::App* command = probe.add_subcommand(
      "layers", "models trained under PyTorch's profiler, as workloads with their layers' times");
  const auto options = std::make_shared<ProbeLayersOptions>();
  options->script = GRADSIM_PYTORCH_SCRIPT;
  command->add_option("-o,--output", options->output, "folder: a trace and a workload per model and batch")
      ->required()
      ->type_name("FOLDER");
  command->add_option("--models", options->models, "names separated by commas; default: all")
      ->type_name("LIST");
  command
      ->add_option("--batches", options->batches,
                   "samples, separated by commas; default: two that suit each model")
      ->type_name("LIST");
  command->add_option("--device", options->device, "cuda or cpu")
      ->type_name("NAME")
      ->capture_default_str()
      ->check(command_line::known_words({"cuda", "cpu"}));
  command->add_option("--steps", options->steps, "steps to profile, after ten to warm up")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_flag("--tf32", options->tf32, "matrix products in TF32 instead of fp32");
  command->add_option("--script", options->script, "training program; default: the shipped one")
      ->type_name("FILE");
  command->add_option("--python", options->python, "a Python with PyTorch")
      ->type_name("FILE")
      ->capture_default_str();
  command->add_flag("--quiet", options->quiet, "does not print what the traces contain");
  command->footer("Example:\n  calibrate probe layers --models resnet50 --batches 32,64 -o traces");
  command->callback([options, &exit_code] { exit_code = run_probe_layers(*options, std::cout, std::cerr); });
}

}  // namespace

void add_probe(CLI::App& program, int& exit_code) {
  CLI::App* probe = program.add_subcommand("probe", "measures the machine on which it runs");
  probe->require_subcommand(1);
  add_probe_nccl(*probe, exit_code);
  add_probe_mpi(*probe, exit_code);
  add_probe_kernels(*probe, exit_code);
  add_probe_layers(*probe, exit_code);
}

}  // namespace calibrate
