// Sentences of reasons: each kind has one, and figures are printed in their unit.
#include "sim/report/reason_text.hpp"

#include <gtest/gtest.h>

namespace sim::report {
namespace {

using namespace netmodels::literals;
using engine::Figure;
using engine::Reason;
using engine::ReasonKind;

/// Every figure that a sentence may name.
std::vector<Figure> all_figures() {
  std::vector<Figure> figures;
  for (const std::string_view name :
       {"share",   "through", "part",    "hidden",   "left",   "resumed", "members", "present", "step",
        "batches", "least",   "most",    "low",      "high",   "of",      "method",  "source",  "ratio",
        "error",   "fastest", "slowest", "workload", "origin", "file",    "device"})
    figures.push_back(Figure::named(name, "x"));
  return figures;
}

TEST(ReasonText, EveryKindHasASentenceWithAllItsFigures) {
  for (std::size_t kind = 0; kind < engine::reason_kinds; ++kind) {
    const std::string text = reason_text({static_cast<ReasonKind>(kind), all_figures()});
    EXPECT_FALSE(text.empty()) << kind;
    EXPECT_EQ(text.find_first_of("{}"), std::string::npos) << text;
  }
}

TEST(ReasonText, FiguresArePrintedByTheirUnitAndForm) {
  const auto text = [](ReasonKind kind, std::vector<Figure> figures) {
    return reason_text({kind, std::move(figures)});
  };
  EXPECT_EQ(text(ReasonKind::failure_recovered, {Figure::named("part", "worker 1"), Figure::count("left", 2),
                                                 Figure::time("resumed", 1.2345678_s)}),
            "worker 1 failed: 2 workers continue at 1.23457 s");
  EXPECT_EQ(text(ReasonKind::left, {Figure::members("members", "node", {0, 2}), Figure::count("present", 1)}),
            "nodes 0, 2 left: 1 continue");
  EXPECT_EQ(text(ReasonKind::batches, {Figure::list("batches", {20, 54})}), "batches: 20, 54");
  EXPECT_EQ(text(ReasonKind::collective_times, {Figure::share("error", 0.056)}),
            "up to 5.6 % off in nine of ten sizes");
  EXPECT_EQ(text(ReasonKind::utilisation, {Figure::number("fastest", 91.4), Figure::share("slowest", 1.1)}),
            "91 to 110 % of the predicted time of the passes");
}

TEST(ReasonText, RangesOfGoodputAreInTheUnitOfTheirFabric) {
  const Reason range{ReasonKind::goodput,
                     {Figure::named("of", "nccl_tcp over 50 Gbit/s Ethernet"),
                      Figure::rate("low", 10_Gbps, inputs::FabricKind::ethernet),
                      Figure::rate("high", 40_Gbps, inputs::FabricKind::ethernet)}};
  EXPECT_EQ(reason_text(range), "10 Gbit/s to 40 Gbit/s");
  EXPECT_EQ(input_text(range).name, "goodput of nccl_tcp over 50 Gbit/s Ethernet");
}

TEST(InputText, EveryRangeHasANameAndACommandThatMeasuresIt) {
  for (auto kind = ReasonKind::goodput; kind <= ReasonKind::utilisation;
       kind = static_cast<ReasonKind>(static_cast<int>(kind) + 1)) {
    const InputText text = input_text({kind, all_figures()});
    EXPECT_FALSE(text.name.empty());
    EXPECT_FALSE(text.measure.empty());
  }
}

}  // namespace
}  // namespace sim::report
