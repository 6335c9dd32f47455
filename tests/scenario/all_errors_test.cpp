// All errors of a file at once: each once, at its place, in the order of the file.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

/// Errors of a scenario, one by one, without the folder.
std::vector<std::string> errors_of(const std::string& text) {
  std::vector<std::string> lines;
  std::string all = refusal(text);
  for (std::size_t end = all.find('\n'); end != std::string::npos; end = all.find('\n')) {
    lines.push_back(all.substr(0, end));
    all.erase(0, end + 1);
  }
  if (!all.empty()) lines.push_back(all);
  return lines;
}

TEST(AllErrors, AreThoseOfFilesAndNamesWithThoseOfKeys) {
  EXPECT_THAT(
      errors_of("# Does it pay?\n"
                "workload: resnet50_v1000\n"
                "cluster:\n"
                "  workers: eight\n"
                "  device: H100\n"
                "  fabric: {kind: ethernet, rate: 10 Gbit/s, transport: nccl_tpc}\n"
                "  traces: [{file: nowhere.csv}]\n"
                "training: {batch_size: 32, steps: 10}\n"
                "compression: {method: tokp, ratio: 1 %, kernel_times: no_times.csv}\n"
                "exchange: {collective: rign}\n"
                "price: {machine: aws/p3.2xlrage}\n"),
      ElementsAre(StartsWith("s.yaml:2:11: unknown workload `resnet50_v1000`"),
                  StartsWith("s.yaml:4:12: `cluster.workers`: `eight` is not a whole number"),
                  StartsWith("s.yaml:5:11: unknown device `H100`"),
                  StartsWith("s.yaml:6:56: unknown transport `nccl_tpc`"),
                  StartsWith("s.yaml:7:19: `cluster.traces[0].file`: `nowhere.csv`: file not found"),
                  StartsWith("s.yaml:8:12: unknown key `training.batch_size`"),
                  StartsWith("s.yaml:9:23: `compression.method`: unknown compression method `tokp`"),
                  StartsWith("s.yaml:9:55: `compression.kernel_times`: `no_times.csv`: file not found"),
                  StartsWith("s.yaml:10:24: `exchange.collective`: unknown collective `rign`"),
                  StartsWith("s.yaml:11:18: `price.machine`: unknown machine `aws/p3.2xlrage`")));
}

TEST(AllErrors, AreThoseOfBothNamesToUse) {
  EXPECT_THAT(errors_of("# Does it pay?\n"
                        "workload: {use: resnet50_v1000}\n"
                        "cluster: {use: nvidia_dgx_h10, workers: 4}\n"
                        "training: {batch: 32, steps: 10}\n"),
              ElementsAre(StartsWith("s.yaml:2:17: unknown workload file `resnet50_v1000`"),
                          StartsWith("s.yaml:3:16: unknown cluster file `nvidia_dgx_h10`")));
}

TEST(AllErrors, NameThePlaceOfAMissingConfig) {
  EXPECT_THAT(errors_of("# Does it pay?\n"
                        "workload: {config: nothere.json, device: h100_sxm_datasheet, mfu: 40 %}\n"
                        "cluster: {workers: 4, device: H100, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\n"
                        "training: {batch: 32, steps: 10}\n"),
              ElementsAre(StartsWith("s.yaml:2:20: `workload.config`: `nothere.json`: file not found"),
                          StartsWith("s.yaml:3:31: unknown device `H100`")));
  EXPECT_THAT(refusal("# Does it pay?\nworkload: nowhere/mine.yaml\n"
                      "cluster: {workers: 1}\ntraining: {batch: 32, steps: 10}\n"),
              StartsWith("s.yaml:2:11: `workload`: `nowhere/mine.yaml`: file not found"));
}

TEST(AllErrors, AreThoseOfAllNamesOfAnArm) {
  EXPECT_THAT(
      errors_of(least + "compare:\n"
                        "  a: {compression: {method: tokp}, exchange: {collective: rign, execution: ddp}}\n"
                        "  b: {}\n"),
      ElementsAre(StartsWith("s.yaml:6:29: `compression.method`: unknown compression method `tokp`"),
                  StartsWith("s.yaml:6:59: `exchange.collective`: unknown collective `rign`"),
                  StartsWith("s.yaml:6:76: `exchange.execution`: unknown execution model `ddp`")));
}

TEST(AllErrors, AreThoseOfAllExpectedFigures) {
  EXPECT_THAT(errors_of(least + "expect:\n"
                                "  - {metric: step_tme, value: 1 ms, source: here}\n"
                                "  - {metric: step_time, source: here}\n"
                                "  - {metric: step_time, value: 1 ms, source: here, within: 2 parsec}\n"),
              ElementsAre(StartsWith("s.yaml:6:"), StartsWith("s.yaml:7:"), StartsWith("s.yaml:8:")));
}

TEST(SetArms, MayBeAddedAsAWhole) {
  const auto names = [](const std::string& text, const std::string& setting) {
    std::vector<std::string> found;
    for (const Scenario& arm : study(text, {setting}).arms) found.push_back(arm.name);
    return found;
  };
  const std::string compared = least + "compare:\n  dense: {}\n";
  const std::string added = "compare={topk: {compression: {method: topk, ratio: 1 %}}}";
  EXPECT_THAT(names(compared, added), ElementsAre("dense", "topk"));
  EXPECT_THAT(names(least, added), ElementsAre("topk"));
  EXPECT_THAT(refusal(compared, {"compare.tokp.seed=2"}),
              testing::EndsWith("unknown arm `tokp`; accepted: dense; a new arm is set as a whole, such as "
                                "`compare={new: {seed: 2}}`"));
}

TEST(SetArms, AreNamedWhereOneOfThemRefusesASetting) {
  const std::string text =
      least + "compare:\n  dense: {}\n  topk: {compression: {method: topk, ratio: 1 %}}\n";
  EXPECT_THAT(
      refusal(text, {"compression.ratio=0.1"}),
      testing::EndsWith("; to set it in the arm `topk` alone, write `compare.topk.compression.ratio`"));
  EXPECT_EQ(refusal(text, {"compare.topk.compression.ratio=0.1"}), "accepted");
}

}  // namespace
}  // namespace sim::scenario
