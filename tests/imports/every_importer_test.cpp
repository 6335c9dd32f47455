// What holds for every importer: a file in other line ends, doubled, cut, shuffled or in UTF-16 gives the
// same figures or is refused; no line is read twice.
#include <algorithm>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "calibrate/imports/adaptdl.hpp"
#include "calibrate/imports/chakra.hpp"
#include "calibrate/imports/kineto.hpp"
#include "calibrate/imports/live_mpi.hpp"
#include "calibrate/imports/mahimahi.hpp"
#include "calibrate/imports/nccl_tests.hpp"
#include "calibrate/imports/node_topology.hpp"
#include "calibrate/imports/osu.hpp"
#include "calibrate/imports/training_config.hpp"
#include "calibrate/imports/vtrain.hpp"
#include "files/input_file.hpp"
#include "files/text_file.hpp"
#include "tests/calibrate/printed_log.hpp"
#include "tests/imports/chakra_bytes.hpp"
#include "tests/imports/kineto_text.hpp"
#include "tests/imports/layer_lines.hpp"
#include "tests/scratch_folder.hpp"

namespace calibrate::imports {
namespace {

using Figures = netmodels::Result<std::string>;

/// What may become of a file that lacks its last lines.
enum class Cut {
  refused,  ///< it is never read
  prefix,   ///< or the figures are the first ones of the whole
  other,    ///< or what is left is a whole file of its own
};

/// How a command reads the file.
enum class Door {
  terminal,  ///< what a terminal showed: its codes are taken out
  text,      ///< UTF-8, without a byte order mark
  bytes,     ///< a stream, packed or not
};

struct Importer {
  std::string name;
  std::string sample;
  Figures (*read)(const std::string& text);
  bool is_ordered = true;  ///< shuffled lines are refused, or mean the same
  Cut cut = Cut::refused;
  Door door = Door::terminal;
  bool has_lines = true;  ///< else the bytes are no text
};

std::string print_points(const measurements::Measurements& measured) {
  std::string text = fmt::format("{} {}\n", measured.operation->name, measured.ranks);
  for (const measurements::MeasuredPoint& point : measured.points)
    text += fmt::format("{} {}\n", point.size.count, point.time.count);
  return text;
}

Figures points_of(netmodels::Result<Imported> imported) {
  if (!imported) return tl::unexpected(imported.error());
  return print_points(imported->measured);
}

Figures nccl_figures(const std::string& text) {
  return points_of(import_nccl_tests(text, "a", {*measurements::find_operation("all_reduce"), {}, {}}));
}

Figures osu_figures(const std::string& text) { return points_of(import_osu(text, "a", {nullptr, 4, 2})); }

template <const char* format>
Figures config_figures(const std::string& text) {
  auto config = find_config_format(format)->read(text, "a");
  if (!config) return tl::unexpected(config.error());
  std::vector<std::string> left_out;
  for (const LeftOutKey& one : config->left_out) left_out.push_back(one.key + one.value);
  std::ranges::sort(left_out);
  std::string all =
      fmt::format("{} {} {} {} {} {}", config->precision, config->sharding, config->tensor,
                  config->micro_batch.value_or(0), config->optimizer_bytes, config->gradient_bytes);
  for (const std::string& one : left_out) all += " " + one;
  return all;
}

Figures node_figures(const std::string& text) {
  const auto node = read_topology(text, "a");
  if (!node) return tl::unexpected(node.error());
  const auto printed =
      print_node(*node, {.compute_capability = 90, .network_kind = "roce", .rate = "100 Gbit/s"});
  return printed ? Figures(printed->text) : Figures(tl::unexpected(printed.error()));
}

Figures link_figures(const std::string& text) {
  const auto link = import_mahimahi(text, "a", netmodels::Seconds{1});
  if (!link) return tl::unexpected(link.error());
  return print_link_steps(*link, "a");
}

std::string sorted(std::vector<std::string> lines) {
  std::ranges::sort(lines);
  return fmt::format("{}", fmt::join(lines, "\n"));
}

Figures workload_figures(const netmodels::Result<TracedWorkload>& workload) {
  if (!workload) return tl::unexpected(workload.error());
  return fmt::format("{} {} {} {} {:.9g} {:.9g}", workload->ranks, workload->batch.value_or(0),
                     fmt::join(layer_lines(*workload), "\n"), fmt::join(workload->buckets, " "),
                     workload->host_overhead.count, workload->optimizer.count);
}

Figures kineto_figures(const std::string& text) {
  std::istringstream stream(text);
  return workload_figures(import_kineto(stream, "a", {}));
}

Figures chakra_figures(const std::string& text) {
  std::istringstream stream(text);
  const auto trace = read_chakra(stream, "a");
  if (!trace) return tl::unexpected(trace.error());
  return workload_figures(import_chakra({*trace}, {}));
}

Figures vtrain_table_figures(const std::string& text) {
  const auto table = import_vtrain_table(text, "AR_GPU2_1M_1024M_LUT");
  if (!table) return tl::unexpected(table.error());
  return print_points(*table);
}

Figures vtrain_figures(const std::string& text) {
  const auto runs = read_vtrain_iterations(text, "a");
  if (!runs) return tl::unexpected(runs.error());
  std::vector<std::string> lines;
  for (const VtrainIteration& run : *runs)
    lines.push_back(
        fmt::format("{} {} {} {} {}", run.batch, run.hidden, run.tensor, run.pipeline, run.time.count));
  return sorted(lines);
}

Figures validation_figures(const std::string& text) {
  const auto run = import_adaptdl(text, "validation-64.csv");
  if (!run) return tl::unexpected(run.error());
  std::string lines;
  for (const AdaptdlRow& row : run->rows)
    lines +=
        fmt::format("{} {} {} {} {}\n", row.progress, row.iteration, row.metric, row.grad_sqr, row.grad_var);
  return lines;
}

Figures placement_figures(const std::string& text) {
  const auto steps = read_adaptdl_placements(text, "a");
  if (!steps) return tl::unexpected(steps.error());
  std::vector<std::string> lines;
  for (const AdaptdlStep& one : *steps)
    lines.push_back(
        fmt::format("{} {} {}", one.placement, one.step.placement.local_batch, one.step.time.count));
  return sorted(lines);
}

Figures live_figures(const std::string& text) {
  const auto rows = read_live_mpi(text, "a");
  if (!rows) return tl::unexpected(rows.error());
  std::vector<std::string> lines;
  for (const LiveRow& row : *rows)
    lines.push_back(fmt::format("{} {} {} {} {} {} {}", row.setting.stack, row.setting.ranks,
                                row.setting.line.count, row.setting.delay.count, row.collective,
                                row.size.count, row.time.count));
  return sorted(lines);
}

constexpr char deepspeed_name[] = "deepspeed";
constexpr char trainer_name[] = "hf-trainer";
constexpr char torchtitan_name[] = "torchtitan";

const std::string osu_sample =
    "# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n4 3.50\n16 3.61\n64 3.90\n256 "
    "5.20\n"
    "1024 9.85\n";
const std::string matrix_sample =
    "\tGPU0\tGPU1\tNIC0\tCPU Affinity\nGPU0\t X \tNV18\tPIX\t0-51\nGPU1\tNV18\t X \tSYS\t0-51\n"
    "NIC0\tPIX\tSYS\t X \n";
const std::string xml_sample =
    "<system version=\"1\">\n<cpu arch=\"x86_64\" vendor=\"GenuineIntel\">\n<pci busid=\"a\" "
    "class=\"0x030200\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">\n<gpu dev=\"0\" sm=\"90\">\n<nvlink "
    "target=\"s\" count=\"18\" tclass=\"0x068000\"/>\n</gpu>\n</pci>\n</cpu>\n</system>\n";

const std::string chakra_json_sample =
    R"({"workload_graph": [
{"Id": 1, "Name": "conv", "NodeType": 4, "runtime": 5},
{"Id": 2, "Name": "convBackward0", "NodeType": 4, "runtime": 11, "data_deps": [1]},
{"Id": 3, "Name": "ncclKernel_AllReduce", "NodeType": 7, "runtime": 10, "data_deps": [2], "comm_type": 0, "comm_size": 4000},
{"Id": 4, "Name": "sgd", "NodeType": 4, "runtime": 3, "data_deps": [3]}
]}
)";
const std::string vtrain_table_sample =
    "size(B),count,type,time(ns),busbw(GB/s),time(ns),busbw(GB/"
    "s)\n1048576,262144,float,44210,23.72,45100,23.25\n"
    "2097152,524288,float,61000,34.38,61500,34.10\n";
const std::string vtrain_sample =
    "# GPUs,global batch,micro batch,hidden size,attention heads,# layers,sequence length,tensor "
    "parallelism,data "
    "parallelism,pipeline parallelism,iteration time (ms)\n2,16,8,1024,16,24,1024,1,1,2,372.160408\n"
    "4,16,4,1024,16,24,1024,2,1,2,214.5\n";
const std::string validation_sample =
    "progress,iteration,metric,grad_sqr,grad_var\n391,390,0.51,2.5,3.25\n782,781,0.62,1.5,2.25\n";
const std::string placement_sample =
    "placement,local_bsz,step_time\n1,128,0.125\n1144,32,0.0625\n22,64,0.0875\n";
const std::string live_sample =
    "# setup\nstack,collective,algorithm,ranks,bandwidth_mbit,latency_us,bytes,reps,median_us\n"
    "gloo,allreduce,ring,4,100,5000,1048576,5,200125\ngloo,bcast,binomial,4,100,5000,65536,5,20510\n";

std::string chakra_sample() {
  return chakra_file({chakra_node(1, "conv", 4, 5), chakra_node(2, "convBackward0", 4, 11, {1}),
                      chakra_all_reduce_node(3, 4000, {2}), chakra_node(4, "sgd", 4, 3, {3})});
}

std::vector<Importer> all_importers() {
  const measurements::Measurements printed =
      random_measurements(**measurements::find_operation("all_reduce"), 4, 2, 5);
  std::vector<Importer> importers{
      {"nccl-tests", print_nccl_tests(printed, {}), nccl_figures, true, Cut::prefix},
      {"nccl-tests JSON", print_nccl_tests_json(printed), nccl_figures, true, Cut::refused},
      {"osu", osu_sample, osu_figures, true, Cut::prefix},
      {"deepspeed",
       "{\n\"bf16\": {\"enabled\": true},\n\"train_micro_batch_size_per_gpu\": 4,\n\"zero_optimization\": "
       "{\"stage\": 2},\n\"odd\": 1\n}\n",
       config_figures<deepspeed_name>, true, Cut::refused},
      {"hf-trainer", "{\n\"bf16\": true,\n\"fsdp\": \"full_shard\",\n\"tf32\": true,\n\"odd\": 1\n}\n",
       config_figures<trainer_name>, true, Cut::refused},
      {"torchtitan",
       "[training]\nlocal_batch_size = 4\nseq_len = 4096\n[parallelism]\ntensor_parallel_degree = 2\n",
       config_figures<torchtitan_name>, false, Cut::other},
      {"topology matrix", matrix_sample, node_figures, true, Cut::refused},
      {"mahimahi", "0\n10\n2500\n3100\n3200\n3500\n", link_figures, true, Cut::other, Door::text},
      {"kineto", kineto_document(kineto_step(4, 5000)), kineto_figures, true, Cut::refused, Door::bytes},
      {"chakra JSON", chakra_json_sample, chakra_figures, true, Cut::refused, Door::bytes},
      {"chakra", chakra_sample(), chakra_figures, false, Cut::other, Door::bytes, false},
      {"vTrain's table", vtrain_table_sample, vtrain_table_figures, true, Cut::prefix, Door::text},
      {"vTrain's iterations", vtrain_sample, vtrain_figures, true, Cut::prefix, Door::text},
      {"AdaptDL's validation", validation_sample, validation_figures, true, Cut::prefix, Door::text},
      {"AdaptDL's placements", placement_sample, placement_figures, true, Cut::prefix, Door::text},
      {"live MPI", live_sample, live_figures, true, Cut::prefix, Door::text}};
#if GRADSIM_HAS_EXPAT
  importers.push_back({"NCCL's XML", xml_sample, node_figures, true, Cut::refused});
#endif
  return importers;
}

/// As a command reads a file.
Figures figures_of(const Importer& importer, const std::string& bytes) {
  const tests::ScratchFolder scratch;
  if (importer.door == Door::bytes) return importer.read(bytes);
  const std::string file = scratch.write("a", bytes).string();
  const auto text = importer.door == Door::text ? files::read_text(file) : files::read_terminal_text(file);
  if (!text) return tl::unexpected(text.error());
  return importer.read(*text);
}

std::string wholly(const Importer& importer) {
  const Figures figures = figures_of(importer, importer.sample);
  EXPECT_TRUE(figures) << importer.name << ": " << figures.error().text();
  return figures.value_or("");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// ASCII in two bytes a character, behind the mark of their order.
std::string utf16(const std::string& text) {
  std::string wide = "\xFF\xFE";
  for (const char c : text) wide += {c, '\0'};
  return wide;
}

/// A file that is the same but for its form gives the same figures; or, where it may, it is refused.
void expect_same(const Importer& importer, const std::string& bytes, bool may_refuse) {
  const Figures figures = figures_of(importer, bytes);
  if (!figures && may_refuse)
    EXPECT_FALSE(figures.error().where.empty()) << importer.name;
  else
    EXPECT_EQ(figures.value_or("refused"), wholly(importer)) << importer.name;
}

TEST(EveryImporter, LineEndsAndCodesOfTerminalsChangeNothing) {
  for (const Importer& importer : all_importers()) {
    if (!importer.has_lines) continue;
    expect_same(importer, replaced(importer.sample, "\n", "\r\n"), false);
    expect_same(importer, "\x1b[4m" + replaced(importer.sample, "\n", "\x1b[0m\n"),
                importer.door != Door::terminal);
    expect_same(importer, "\xEF\xBB\xBF" + importer.sample, importer.door == Door::bytes);
  }
}

TEST(EveryImporter, OtherEncodingsAreRefusedByTheirPlace) {
  for (const Importer& importer : all_importers()) {
    for (const std::string& bytes : {utf16(importer.sample), importer.sample + "\xE9\n"}) {
      const Figures figures = figures_of(importer, bytes);
      ASSERT_FALSE(figures) << importer.name;
      EXPECT_FALSE(figures.error().where.empty()) << importer.name;
      if (importer.door == Door::bytes) continue;
      EXPECT_NE(figures.error().text().find("the text is not valid UTF-8"), std::string::npos)
          << figures.error().text();
    }
  }
}

TEST(EveryImporter, NothingIsReadTwice) {
  for (const Importer& importer : all_importers()) {
    const std::string whole = wholly(importer);
    const Figures twice = figures_of(importer, importer.sample + importer.sample);
    EXPECT_TRUE(!twice || *twice == whole) << importer.name << ":\n" << twice.value_or("");
  }
}

TEST(EveryImporter, ACutFileIsRefusedOrGivesItsFirstFigures) {
  for (const Importer& importer : all_importers()) {
    const std::string whole = wholly(importer);
    if (importer.cut == Cut::other) continue;
    for (std::size_t end = 0; end + 1 < importer.sample.size(); end += 1 + importer.sample.size() / 150) {
      const Figures cut = figures_of(importer, importer.sample.substr(0, end));
      if (!cut) continue;
      EXPECT_TRUE(*cut == whole || (importer.cut == Cut::prefix && whole.starts_with(*cut)))
          << importer.name << " at " << end << ":\n"
          << *cut;
    }
  }
}

TEST(EveryImporter, ShuffledLinesAreRefusedOrMeanTheSame) {
  std::mt19937 generator(7);
  for (const Importer& importer : all_importers()) {
    if (!importer.is_ordered) continue;
    const std::string whole = wholly(importer);
    for (int repeat = 0; repeat < 40; ++repeat) {
      std::vector<std::string_view> lines = files::lines_of(importer.sample);
      std::swap(lines[generator() % lines.size()], lines[generator() % lines.size()]);
      std::string text;
      for (const std::string_view line : lines) text += std::string(line) + "\n";
      const Figures figures = figures_of(importer, text);
      EXPECT_TRUE(!figures || *figures == whole) << importer.name << ":\n" << text << figures.value_or("");
    }
  }
}

}  // namespace
}  // namespace calibrate::imports
