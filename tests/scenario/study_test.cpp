// Whole files: printing reads back to the same study, the schema names every key, and no text makes the
// reader fall.
#include "sim/scenario/study.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "settings/type.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "tests/scenario/scenario_text.hpp"
#include "tests/source_tree.hpp"

namespace sim::scenario {
namespace {

/// Writes every described field of a struct, so that two studies can be compared in full.
class Dump final : public settings::Fields {
 public:
  using Fields::field;
  void field(const settings::Key& key, const settings::Type& type, void* value) override {
    text += std::string(key.name) + "=";
    write(type, value);
    text += ";";
    names.emplace_back(key.name);
  }
  void deferred(const settings::Key& key) override { names.emplace_back(key.name); }
  void figure(const settings::Key& key, std::optional<double>& value, std::string_view) override {
    Fields::field(key, value);
  }

  std::string text;
  std::vector<std::string> names;

 private:
  void alternative(bool, std::string_view, Rest describe_rest, void* rest) override {
    describe_rest(rest, *this);
  }

  void write(const settings::Type& type, void* value) {
    using Kind = settings::Type::Kind;
    if (type.kind == Kind::map) {
      text += "{";
      type.describe(*this, value);
      text += "}";
    } else if (type.kind == Kind::optional || type.kind == Kind::list) {
      text += "[";
      for (std::size_t i = 0; i < type.count(value); ++i) write(*type.inner, type.item(value, i));
      text += "]";
    } else
      text += type.text(value) + " ";
  }
};

std::string dump(const netmodels::Workload& workload) {
  return fmt::format("{}={} {} {} {};", workload.name, workload.parameters(), workload.layers.size(),
                     workload.compute(32).count, workload.device);
}

std::string dump(Study study) {
  std::string text = study.question + "\n";
  for (Scenario& arm : study.arms) {
    Dump visitor;
    describe(visitor, arm);
    text += arm.name + ": " + dump(arm.work.workload) + visitor.text + "\n";
    for (const LinkTrace& trace : arm.cluster.traces) text += fmt::format("{} points\n", trace.points.size());
  }
  for (const std::string& axis : study.axes) text += "axis " + axis + "\n";
  const auto rows = [&text](auto& list) {
    for (auto& row : list) {
      Dump visitor;
      describe(visitor, row);
      text += visitor.text + "\n";
    }
  };
  rows(study.expectations);
  rows(study.mean_errors);
  rows(study.best_along);
  return text;
}

const std::string rich =
    "# Which collective and which ratio pay when the network degrades?\n"
    "workload: resnet50_v100\n"
    "cluster:\n"
    "  workers: 8\n"
    "  link: {latency: 1 ms, bandwidth: 10 Gbit/s}\n"
    "  changes: [{at: epoch 12, bandwidth: 1 Gbit/s}, {at: 30 s, latency: 5 ms, workers: [1, 2]}]\n"
    "  topology: {kind: racks, workers_per_rack: 4, oversubscription: 2}\n"
    "  traces: [{file: t.csv, period: 10 min}]\n"
    "  speeds: [1, 1, 1, 1, 1, 1, 0.5, 1e-1]\n"
    "  failures: [{link: \"up: 0, #1\", at: 3 s, until: 5 s}]\n"
    "training: {batch: 32, epochs: 50, samples: 50000}\n"
    "compute: {jitter: {distribution: lognormal, sigma: 0.1}}\n"
    "compression: {method: topk, ratio: 1 %, time: 12 ms}\n"
    "axes:\n"
    "  method: {dense: {compression: {method: none}}, topk: {}, ar: {compression: {method: ar_topk}, "
    "exchange: {collective: ar_topk_ring}}}\n"
    "  speed: {\"10\": {}, \"1.5\": {cluster: {link: {bandwidth: 1.5 Gbit/s}}}}\n"
    "expect:\n"
    "  - {arm: dense/10, metric: step_time, value: 152.5 ms, within: 2 %, source: \"Tyagi & Swany 2023, "
    "Table III: \\\"x\\\"\"}\n"
    "  - {mean_error_of: \"*/10\", metric: step_time, within: 4 %}\n"
    "  - {best_along: method, metric: step_time, at_least: 1}\n";

TEST(PrintStudy, IsAScenarioThatGivesTheSameStudy) {
  const tests::ScratchFolder scratch;
  scratch.write("t.csv", "time_s,latency_s\n0,0.001\n5,0.003\n");
  const auto first = read(scratch, rich, {"cluster.recovery=3 s", "exchange.bucket=64 MiB"});
  ASSERT_TRUE(first) << first.error().text();
  const std::string printed = print_study(*first);
  const auto file = scratch.write("deep/down/again.yaml", printed);
  const auto second = read_study(file, {}, tests::source_dir() + "/scenarios", some_metrics);
  ASSERT_TRUE(second) << second.error().text() << "\n" << printed;
  EXPECT_EQ(dump(first->study), dump(second->study));
}

TEST(PrintStudy, AFileWithoutAQuestionHasNoneAfterwards) {
  const tests::ScratchFolder scratch;
  scratch.write("t.csv", "time_s,latency_s\n0,0.001\n5,0.003\n");
  const auto first = read(scratch, rich.substr(rich.find('\n') + 1));
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_EQ(first->study.question, "");
  const auto file = scratch.write("again.yaml", print_study(*first));
  const auto second = read_study(file, {}, tests::source_dir() + "/scenarios", some_metrics);
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_EQ(second->study.question, "");
}

/// Makes another folder the working one for as long as it lives.
class WorkingIn {
 public:
  explicit WorkingIn(const std::filesystem::path& folder) : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder);
  }
  ~WorkingIn() { std::filesystem::current_path(before_); }
  WorkingIn(const WorkingIn&) = delete;
  WorkingIn& operator=(const WorkingIn&) = delete;

 private:
  std::filesystem::path before_;
};

TEST(PrintStudy, NamesFilesSoThatItIsReadAgainFromAnyFolder) {
  const tests::ScratchFolder scratch;
  scratch.write("in/t.csv", "time_s,latency_s\n0,0.001\n5,0.003\n");
  scratch.write("in/p.xml", "<platform/>\n");
  scratch.write("in/lab.yaml", "workers: 4\nlink: {latency: 3 ms, bandwidth: 1 Gbit/s}\n");
  scratch.write("in/layers.csv", "layer,parameters,forward_flops_per_sample,activation_bytes_per_sample\n");
  scratch.write("in/model.yaml", "parameters: 1000\ncompute: 30 ms\nbatch: 32\n");
  scratch.write("in/s.yaml", least +
                                 "compare:\n"
                                 "  traced: {cluster: {traces: [{file: t.csv}]}}\n"
                                 "  wired: {cluster: {topology: {kind: platform, file: p.xml}}}\n"
                                 "  based: {cluster: lab}\n"
                                 "  model: {workload: ./model.yaml}\n");
  std::filesystem::create_directories(scratch / "elsewhere");
  const auto read_in = [](const std::filesystem::path& folder, const std::filesystem::path& file) {
    const WorkingIn working(folder);
    return read_study(file, {}, tests::source_dir() + "/scenarios", some_metrics);
  };
  const auto first = read_in(scratch.path(), "in/s.yaml");
  ASSERT_TRUE(first) << first.error().text();
  const std::string printed = [&] {
    const WorkingIn working(scratch.path());
    return print_study(*first);
  }();
  for (const std::string name : {"t.csv", "p.xml", "lab.yaml", "model.yaml"})
    EXPECT_NE(printed.find(": " + (scratch / "in" / name).string()), std::string::npos) << name << "\n"
                                                                                        << printed;
  const auto second = read_in(scratch / "elsewhere", scratch.write("out/again.yaml", printed));
  ASSERT_TRUE(second) << second.error().text() << "\n" << printed;
  EXPECT_EQ(second->study.arms.at(0).cluster.traces.at(0).points.size(), 2u);
  EXPECT_EQ(second->study.arms.at(2).cluster.link.latency.count, 3e-3);
  EXPECT_EQ(second->study.arms.at(3).work.workload.parameters(), 1000);
}

TEST(PrintStudy, ArmsOfAnotherMethodDoNotGetDefaultsOfTheFirst) {
  const tests::ScratchFolder scratch;
  const auto first =
      read(scratch, least +
                        "learner: {kind: live, model: mlp_32, dataset: optdigits, optimizer: {method: "
                        "adamw, learning_rate: 0.003}}\n"
                        "compare: {a: {}, b: {learner: {optimizer: {method: sign}}}}\n");
  ASSERT_TRUE(first) << first.error().text();
  const std::string printed = print_study(*first);
  EXPECT_EQ(printed.find("beta1"), std::string::npos) << printed;
  const auto second = read(scratch, printed);
  ASSERT_TRUE(second) << second.error().text() << "\n" << printed;
}

TEST(PrintStudy, NamesTheOriginOfEveryValue) {
  const tests::ScratchFolder scratch;
  const auto reading = read(scratch, least, {"seed=7"});
  ASSERT_TRUE(reading) << reading.error().text();
  const std::string printed = print_study(*reading);
  EXPECT_EQ(printed.substr(0, printed.find('\n')), "# Does it pay?");
  EXPECT_NE(printed.find("# workload tiny: 64 layers, 1000000 parameters; times: total spread over layers"),
            std::string::npos)
      << printed;
  EXPECT_NE(printed.find("seed: 7                                     # --set seed\n"), std::string::npos)
      << printed;
  EXPECT_NE(printed.find("# execution: ddp_overlap (buckets of 1 MiB, then 25 MiB, overlapping"),
            std::string::npos)
      << printed;
  EXPECT_NE(printed.find("  chunks: 16                                # default\n"), std::string::npos)
      << printed;
  EXPECT_NE(printed.find("s.yaml:3:20\n"), std::string::npos) << printed;
}

/// `sim check` of one described workload with these keys and arms.
std::string printed_workload(const std::string& keys, const std::string& arms = "") {
  const tests::ScratchFolder scratch;
  const auto reading =
      read(scratch, "# Question?\nworkload: {" + keys +
                        ", device: h100_sxm_datasheet, mfu: 40 %}\n"
                        "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\n"
                        "training: {batch: 1, steps: 1}\n" +
                        arms);
  EXPECT_TRUE(reading) << reading.error().text();
  return reading ? print_study(*reading) : "";
}

TEST(PrintStudy, NamesTheDefaultsOfADescribedWorkload) {
  const std::string printed = printed_workload("model: gpt2_xl");
  for (const char* line : {"  precision: bf16                           # default\n",
                           "  recomputation: none                       # default\n",
                           "  flash: true                               # default\n",
                           "  sequence: 1024                            # of the model\n"})
    EXPECT_NE(printed.find(line), std::string::npos) << printed;
  EXPECT_NE(printed_workload("model: gpt2_xl, sequence: 512").find("sequence: 512 "), std::string::npos);
}

// Each of two models keeps its own length.
TEST(PrintStudy, NamesTheTokensOfASampleWhereAllArmsHaveThem) {
  const std::string arms =
      "compare:\n  a: {}\n  b: {workload: {model: llama2_7b}, parallelism: {data: fsdp}}\n";
  EXPECT_EQ(printed_workload("model: gpt2_xl", arms).find("sequence:"), std::string::npos);
}

TEST(Schema, IsJsonAndNamesEveryKey) {
  const auto json = nlohmann::json::parse(schema(some_metrics));
  EXPECT_EQ(json["$schema"], "https://json-schema.org/draft/2020-12/schema");
  const std::string text = json.dump();
  Dump visitor;
  Scenario scenario;
  scenario.cluster.inner_link.emplace();
  scenario.cluster.worker_links.resize(1);
  scenario.cluster.changes.resize(1);
  scenario.cluster.traces.resize(1);
  scenario.cluster.background.resize(1);
  scenario.cluster.failures.resize(1);
  scenario.cluster.topology = topology("wan", Wan{{Site{}}});
  scenario.work.compute.slowdowns.resize(1);
  describe(visitor, scenario);
  for (const char* key :
       {"use", "compare", "axes", "expect", "mean_error_of", "best_along", "at_least", "method_share"})
    visitor.names.emplace_back(key);
  visitor.names.emplace_back("ddp_hook");
  EXPECT_GT(visitor.names.size(), 80u);
  for (const std::string& name : visitor.names)
    EXPECT_NE(text.find("\"" + name + "\""), std::string::npos) << name;
}

/// One random change of a text: a part lost or doubled, or something put in that is likely to hurt.
std::string mutate(std::string text, std::mt19937& random) {
  const auto below = [&random](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
  const std::string_view poison[] = {"{",   "}",    "[",    "]",    ":",
                                     ": ",  ",",    "\n",   "\n  ", "- ",
                                     "#",   "'",    "\"",   "&a ",  "*a",
                                     "|",   "%",    "-1",   "0",    "1e999",
                                     "nan", ".inf", "null", "~",    "99999999999999999999",
                                     "b",   "\xFF", "\t",   "!x ",  "use: s.yaml\n",
                                     "é"};
  const std::size_t at = below(text.size());
  const std::size_t length = std::min(text.size() - at, below(12) + 1);
  switch (below(4)) {
    case 0: return text.erase(at, length);
    case 1: return text.insert(at, text.substr(below(text.size()), length));
    case 2: return text.insert(at, poison[below(std::size(poison))]);
    default: return text.replace(at, length, poison[below(std::size(poison))]);
  }
}

TEST(ReadStudy, AWorkloadWhoseDeviceHasAFileKnowsIt) {
  const std::string data = tests::source_dir() + "/scenarios";
  const std::vector<std::string> settings{"workload=resnet18"};
  const auto predicted = read_study(data + "/quickstart.yaml", settings, data, some_metrics);
  ASSERT_TRUE(predicted.has_value()) << predicted.error().text();
  ASSERT_TRUE(predicted->study.arms.front().work.device.has_value());
  EXPECT_EQ(predicted->study.arms.front().work.device->name,
            predicted->study.arms.front().work.workload.device);
  const auto measured = read_study(data + "/quickstart.yaml", {}, data, some_metrics);
  ASSERT_TRUE(measured->study.arms.front().work.device.has_value());
  EXPECT_EQ(measured->study.arms.front().work.device->name,
            "v100_sxm2_datasheet");  // of Tesla V100-SXM2-32GB
}

TEST(ReadStudy, AnyTextGivesAStudyOrAnErrorWithAPlace) {
  const tests::ScratchFolder scratch;
  scratch.write("t.csv", "time_s,latency_s\n0,0.001\n5,0.003\n");
  std::string small = rich;
  small.replace(small.find("resnet50_v100"), 13, "{name: tiny, parameters: 1000, compute: 30 ms, batch: 32}");
  std::mt19937 random(1);
  int accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = mutate(small, random);
    for (unsigned more = static_cast<unsigned>(random()) % 3; more > 0; --more)
      text = mutate(text.empty() ? small : text, random);
    const auto reading = read(scratch, text);
    if (reading)
      ++accepted;
    else {
      ASSERT_FALSE(reading.error().where.empty()) << text;
      ASSERT_FALSE(reading.error().what.empty()) << text;
    }
  }
  EXPECT_GT(accepted, 30);
  EXPECT_LT(accepted, 2970);
}

}  // namespace
}  // namespace sim::scenario
