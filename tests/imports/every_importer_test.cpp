// What holds for every importer: a file in other line ends, doubled, cut, shuffled or in UTF-16 gives the
// same figures or is refused; no line is read twice.
#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "calibrate/imports/mahimahi.hpp"
#include "calibrate/imports/nccl_tests.hpp"
#include "calibrate/imports/node_topology.hpp"
#include "calibrate/imports/osu.hpp"
#include "calibrate/imports/training_config.hpp"
#include "files/input_file.hpp"
#include "files/text_file.hpp"
#include "tests/calibrate/printed_log.hpp"
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

struct Importer {
  std::string name;
  std::string sample;
  Figures (*read)(const std::string& text);
  bool is_ordered = true;  ///< shuffled lines are refused, or mean the same
  Cut cut = Cut::refused;
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
      {"mahimahi", "0\n10\n2500\n3100\n3200\n3500\n", link_figures, true, Cut::other}};
#if GRADSIM_HAS_EXPAT
  importers.push_back({"NCCL's XML", xml_sample, node_figures, true, Cut::refused});
#endif
  return importers;
}

/// As a command reads a file.
Figures figures_of(const Importer& importer, const std::string& bytes) {
  const tests::ScratchFolder scratch;
  const auto text = files::read_terminal_text(scratch.write("a", bytes).string());
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

TEST(EveryImporter, LineEndsAndCodesOfTerminalsChangeNothing) {
  for (const Importer& importer : all_importers()) {
    const std::string whole = wholly(importer);
    EXPECT_EQ(figures_of(importer, replaced(importer.sample, "\n", "\r\n")).value_or("refused"), whole)
        << importer.name;
    EXPECT_EQ(
        figures_of(importer, "\x1b[4m" + replaced(importer.sample, "\n", "\x1b[0m\n")).value_or("refused"),
        whole)
        << importer.name;
    EXPECT_EQ(figures_of(importer, "\xEF\xBB\xBF" + importer.sample).value_or("refused"), whole)
        << importer.name;
  }
}

TEST(EveryImporter, OtherEncodingsAreRefusedByTheirPlace) {
  for (const Importer& importer : all_importers()) {
    for (const std::string& bytes : {utf16(importer.sample), importer.sample + "\xE9\n"}) {
      const Figures figures = figures_of(importer, bytes);
      ASSERT_FALSE(figures) << importer.name;
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
