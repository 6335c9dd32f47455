// Verdicts: errors by hand, bands kept and broken, sizes left out, and times counted once.
#include "calibrate/ledger/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace calibrate::ledger {
namespace {

using testing::HasSubstr;
using testing::Not;

/// 10 % too much at 1 MB, 30 % too little at 2 MB; the second lies on the other side of 1.
netmodels::Result<std::vector<Prediction>> predict_two(const Evidence&) {
  return std::vector<Prediction>{{"t.csv", "1 MB", "s", netmodels::Bytes{1e6}, 2, 2.2},
                                 {"t.csv", "2 MB", "s", netmodels::Bytes{2e6}, 1, 0.7}};
}

constexpr Rule two{"two", "nothing", "two figures", false, predict_two};

LedgerEntry entry_with(const Band& band) {
  LedgerEntry entry;
  entry.name = "two, figures";
  entry.rule = &two;
  entry.band = band;
  return entry;
}

std::string print(const std::string& format, const Outcome& outcome) {
  return command_line::print(format, outcome_document(outcome));
}

TEST(Verdict, ErrorsAreAsByHand) {
  const auto verdict = judge(entry_with({}), {});
  ASSERT_TRUE(verdict);
  EXPECT_NEAR(verdict->errors.mean, 0.2, 1e-12);
  EXPECT_NEAR(verdict->errors.bias, -0.1, 1e-12);
  EXPECT_DOUBLE_EQ(verdict->right_side, 0.5);
}

TEST(Verdict, EachBoundCanBreakTheBand) {
  EXPECT_TRUE(judge(entry_with({0.21, 0.21, 0.29, 0.5}), {})->not_worse());
  EXPECT_FALSE(judge(entry_with({.mean = 0.19}), {})->not_worse());
  EXPECT_FALSE(judge(entry_with({.median = 0.19}), {})->not_worse());
  EXPECT_FALSE(judge(entry_with({.p90 = 0.27}), {})->not_worse());
  EXPECT_FALSE(judge(entry_with({.right_side = 0.51}), {})->not_worse());
}

TEST(Verdict, DecisionsAreScoredWhereFiguresCompete) {
  LedgerEntry entry = entry_with({});
  EXPECT_FALSE(judge(entry, {})->decisions);
  entry.choices = {"table"};
  const Verdict verdict = *judge(entry, {});  // 2 MB wins, as predicted
  EXPECT_EQ(verdict.decisions->right, 1);
  EXPECT_TRUE(verdict.keeps({.winners = 1, .regret = 0}));
  entry.choices = {"table", "metric"};
  EXPECT_EQ(judge(entry, {}).error().text(), "no two figures compete; name fewer columns under `choices`");
}

TEST(Verdict, WrongDecisionsBreakTheirBounds) {
  constexpr Rule wrong{"wrong", "nothing", "two figures", false, [](const Evidence&) {
                         return netmodels::Result<std::vector<Prediction>>(std::vector<Prediction>{
                             {"t", "a", "s", std::nullopt, 1, 3}, {"t", "b", "s", std::nullopt, 1.5, 2}});
                       }};
  LedgerEntry entry = entry_with({});
  entry.rule = &wrong;
  entry.choices = {"table"};
  const Verdict verdict = *judge(entry, {});
  EXPECT_FALSE(verdict.keeps({.winners = 0.01}));
  EXPECT_FALSE(verdict.keeps({.regret = 0.49}));
  EXPECT_TRUE(verdict.keeps({.regret = 0.51}));
  EXPECT_THAT(print("table", {{verdict}, {}}), HasSubstr("; 0 of 1 decisions right, regret 50.0 %; "));
  EXPECT_THAT(print("markdown", {{verdict}, {}}), HasSubstr(" | 1 | 0 | 50.0 % | not worse |\n"));
  EXPECT_THAT(
      print("markdown", {{verdict}, {}}),
      HasSubstr("Of 1 decisions 0 are right; regret 50.0 %, at worst 50.0 %; rank correlation -1.00.\n"));
  EXPECT_THAT(print("json", {{verdict}, {}}), HasSubstr("\"worst_regret_percent\": 50.0"));
}

TEST(Verdict, GoalsAreMetOrMissedApartFromWhatWasRecorded) {
  LedgerEntry entry = entry_with({.mean = 0.21});
  EXPECT_FALSE(judge(entry, {})->meets_goal());
  entry.goal = Band{.mean = 0.1};
  const Verdict missed = *judge(entry, {});
  EXPECT_EQ(missed.meets_goal(), false);
  EXPECT_TRUE(missed.not_worse());
  EXPECT_THAT(
      print("table", {{missed}, {}}),
      HasSubstr("; goal mean 10 %: MISSED; not worse than recorded: mean 21 %\n0 of 1 goals met; 1 of 1 "
                "entries not worse than recorded; "));
  EXPECT_THAT(print("markdown", {{missed}, {}}), HasSubstr("| two, figures | mean 10 % | **missed** | 2 |"));
  EXPECT_THAT(print("json", {{missed}, {}}), HasSubstr("\"goal_met\": false"));
  entry.goal = Band{.mean = 0.3};
  EXPECT_EQ(judge(entry, {})->meets_goal(), true);
}

TEST(Verdict, FiguresOutsideTheSizesAreLeftOut) {
  LedgerEntry entry = entry_with({});
  entry.least_size = netmodels::Bytes{1.5e6};
  EXPECT_EQ(judge(entry, {})->predictions.size(), 1);
  entry.least_size = netmodels::Bytes{3e6};
  EXPECT_EQ(judge(entry, {}).error().text(),
            "`two, figures` has no figure within its sizes; lower `least_size` or raise `most_size`");
}

TEST(Verdict, TimesThatStandInTwoEntriesCountOnce) {
  const Verdict verdict = *judge(entry_with({}), {});
  EXPECT_EQ(distinct_times({{verdict, verdict}, {}}).size(), 2);
}

TEST(VerdictText, EveryFormNamesWhatHoldsAndWhatIsSkipped) {
  const Outcome outcome{{*judge(entry_with({.mean = 0.19}), {})}, {{"far away", 2, "a.csv"}}};
  EXPECT_EQ(
      print("table", outcome),
      "two, figures      2 figures: mean 20.0 %, median 20.0 %, p90 28.0 %, worst 30.0 %, bias -10.0 %; "
      "WORSE THAN RECORDED: mean 19 %\n"
      "skipped: far away (2 files are missing, the first a.csv)\n"
      "0 of 1 entries not worse than recorded, 1 skipped; all 2 times: mean 20.0 %, median 20.0 %, p90 28.0 "
      "%, worst 30.0 %, "
      "bias -10.0 %\n");
  EXPECT_THAT(print("csv", outcome), HasSubstr("\"two, figures\",two,t.csv,1 MB,s,2,2.2,10.000,no\n"));
  EXPECT_THAT(print("json", outcome), HasSubstr("\"missing_files\": 2"));
  EXPECT_THAT(print("json", outcome), HasSubstr("\"p90_percent\": 28.0"));
  EXPECT_THAT(print("markdown", outcome), HasSubstr("| two, figures |  |  | 2 | 20.0 % |"));
  EXPECT_THAT(print("markdown", outcome), HasSubstr("Seen: nothing. Predicted: two figures."));
}

TEST(VerdictText, SkippedEntriesKeepTheFiguresOfTheLastPage) {
  LedgerEntry entry = entry_with({.mean = 0.3});
  entry.line = 2;
  const Outcome whole{{*judge(entry, {})}, {}};
  const std::string last = print_page(whole);
  entry.name = "near";
  entry.line = 5;
  const Outcome clone{{*judge(entry, {})}, {{"two, figures", 2, "a.csv", 2}, {"new", 1, "b.csv", 9}}};
  const std::string page = print_page(clone, last);
  EXPECT_THAT(
      page,
      HasSubstr(
          "| two, figures |  |  | 2 | 20.0 % | 20.0 % | 28.0 % | 30.0 % | -10.0 % |  |  |  |  | not run "
          "here |\n| near |  |  | 2 |"));
  EXPECT_THAT(page, HasSubstr("| new | | | | | | | | | | | | | not run here |\n"));
  EXPECT_THAT(page, HasSubstr("\n## two, figures\n\nSeen: nothing."));
  EXPECT_THAT(page, HasSubstr("1 of 1 entries not worse than recorded, 2 skipped; "));
  EXPECT_THAT(page, Not(HasSubstr("skipped: ")));
  EXPECT_EQ(print_page(clone, page), page) << "a second run in the same clone changes nothing";
}

TEST(VerdictText, OfAPageWithOtherColumnsTheSectionsAreKept) {
  LedgerEntry entry = entry_with({.mean = 0.3});
  const Outcome clone{{*judge(entry, {})}, {{"far", 2, "a.csv", 2}}};
  const std::string page =
      print_page(clone, "| entry | figures |\n|---|---|\n| far | 7 | holds |\n\n## far\n\nSeen: much.");
  EXPECT_THAT(page, HasSubstr("| far | | | | | | | | | | | | | not run here |\n"));
  EXPECT_THAT(page, HasSubstr("\n## far\n\nSeen: much.\n"));
}

TEST(VerdictText, SourceStandsInPageAndJson) {
  Outcome outcome{{*judge(entry_with({.mean = 0.19}), {})}, {}};
  EXPECT_THAT(print("markdown", outcome), Not(HasSubstr("Source: ")));
  outcome.verdicts.front().entry.source = "github.com/a/b";
  EXPECT_THAT(print("markdown", outcome),
              HasSubstr("Predicted: two figures.\n\nRecorded: mean 19 %.\n\nSource: github.com/a/b.\n\n|"));
  EXPECT_THAT(print("json", outcome), HasSubstr("\"source\": \"github.com/a/b\""));
}

TEST(VerdictText, AQuestionHasARowASectionAndAPageOfItsEntries) {
  LedgerEntry entry = entry_with({.mean = 0.3});
  entry.question = *find_question("ddp");
  entry.goal = Band{.mean = 0.1};
  LedgerEntry again = entry;
  again.name = "the same, once more";
  again.goal.reset();
  const std::string page = print_page({{*judge(entry, {}), *judge(again, {})}, {}});
  EXPECT_THAT(page, HasSubstr("<!-- accuracy: begin -->\n| predicted | figures |"));
  EXPECT_THAT(page,
              HasSubstr("| [DDP step, from hardware alone](ACCURACY.md#ddp-step-from-hardware-alone) | 2 | "
                        "20.0 % | 28.0 % | -30.0 %, +10.0 % |  | 1 of 1 |\n<!-- accuracy: end -->\n"))
      << "figures that two entries have count once";
  EXPECT_THAT(page, HasSubstr("\n- -30.0 %: `t.csv`, 2 MB: 0.7 s predicted, 1 s measured; entry [two, "
                              "figures](docs/accuracy/ddp.md#two-figures)\n"));
  EXPECT_THAT(
      page, HasSubstr("\nMissed goals:\n\n- [two, figures](docs/accuracy/ddp.md#two-figures): mean 10 %\n"));
  EXPECT_THAT(page, HasSubstr("\n<!-- page: docs/accuracy/ddp.md -->\n# DDP step, from hardware alone\n"));
  EXPECT_LT(page.find("<!-- page: "), page.find("\n## two, figures\n\nSeen: nothing."));
}

TEST(VerdictText, ChoicesAreCountedApartFromErrors) {
  LedgerEntry entry = entry_with({.right_side = 0.5});
  entry.question = *find_question("compression");
  EXPECT_THAT(
      print_page({{*judge(entry, {})}, {}}),
      HasSubstr("(ACCURACY.md#compressed-or-dense-which-is-faster) |  | | |  | 1 of 2 | no goal |\n"));
}

TEST(VerdictText, ASkippedEntryStaysOnThePageOfItsQuestion) {
  LedgerEntry entry = entry_with({.mean = 0.3});
  entry.line = 2;
  entry.question = *find_question("ddp");
  LedgerEntry other = entry;
  other.name = "other";
  other.line = 5;
  other.question = *find_question("nccl");
  const std::string last = print_page({{*judge(entry, {}), *judge(other, {})}, {}});
  const Outcome clone{{*judge(other, {})}, {{"two, figures", 1, "a.csv", 2, entry.question}}};
  const std::string page = print_page(clone, last);
  EXPECT_THAT(page, HasSubstr("; 1 more not run here.\n"));
  EXPECT_THAT(page, HasSubstr("\n## two, figures\n\nSeen: nothing. Predicted: two figures."));
  EXPECT_EQ(print_page(clone, page), page) << "a second run in the same clone changes nothing";
}

}  // namespace
}  // namespace calibrate::ledger
