// Output formats: the text that each prints of a document, and when.
#include "command_line/output_format.hpp"

#include <array>
#include <sstream>

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace command_line {
namespace {

using testing::ElementsAre;

Table times() {
  return {{{"arm", "arm"}, {"time_s", "time", Measure::time}},
          {{std::string("dense"), 0.5}, {"topk", Cell()}}};
}

std::string printed(std::string_view format, int documents) {
  std::ostringstream out;
  Printer printer(output_format(format), out);
  for (int i = 0; i < documents; ++i) printer.add(table_document(times(), "arms"));
  printer.finish();
  return out.str();
}

TEST(OutputFormat, TextHasABlankLineBetweenDocuments) {
  EXPECT_EQ(printed("table", 1), "arm    time (ms)\ndense      500.0\ntopk           -\n");
  EXPECT_EQ(printed("table", 2), printed("table", 1) + "\n" + printed("table", 1));
}

TEST(OutputFormat, CsvHasOneHeader) {
  EXPECT_EQ(printed("csv", 2), "arm,time_s\ndense,0.5\ntopk,\ndense,0.5\ntopk,\n");
}

TEST(OutputFormat, JsonOfOneDocumentIsItsObjectAndOfSeveralAList) {
  const auto one = nlohmann::json::parse(printed("json", 1));
  EXPECT_EQ(one["schema_version"], json_schema_version);
  EXPECT_EQ(one["arms"][0], nlohmann::json::parse(R"({"arm": "dense", "time_s": 0.5})"));
  EXPECT_EQ(one["arms"][1]["time_s"], nullptr);
  const auto two = nlohmann::json::parse(printed("json", 2));
  EXPECT_EQ(two["schema_version"], json_schema_version);
  EXPECT_EQ(two["studies"][1]["arms"], one["arms"]);
}

TEST(OutputFormat, AllHasTextRowsAndDataOfEachDocumentOnOneLine) {
  const std::string line = printed("all", 2);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto all = nlohmann::json::parse(line);
  EXPECT_EQ(all["schema_version"], json_schema_version);
  ASSERT_EQ(all["documents"].size(), 2U);
  const auto& first = all["documents"][0];
  EXPECT_EQ(first["text"], printed("table", 1));
  EXPECT_EQ(first["columns"][1], nlohmann::json::parse(R"({"key": "time_s", "title": "time"})"));
  EXPECT_EQ(first["rows"][0], nlohmann::json::parse(R"({"arm": "dense", "time_s": 0.5})"));
  EXPECT_EQ(first["data"]["arms"], first["rows"]);
}

TEST(OutputFormat, NothingIsPrintedOfNoDocument) {
  for (const OutputFormat& format : output_formats()) EXPECT_EQ(printed(format.name, 0), "") << format.name;
}

TEST(OutputFormat, OneDocumentIsPrintedAsAPrinterDoes) {
  for (const char* format : {"table", "csv", "json"})
    EXPECT_EQ(print(format, table_document(times(), "arms")), printed(format, 1)) << format;
}

TEST(OutputFormat, RowOfATableStandsBesideTheVersion) {
  const Table table{{{"time_s", "time", Measure::time}, {"messages", "messages", Measure::none}},
                    {{0.5, Cell()}}};
  const auto json = nlohmann::json::parse(print("json", row_document(table)));
  EXPECT_EQ(json["schema_version"], json_schema_version);
  EXPECT_DOUBLE_EQ(json["time_s"], 0.5);
  EXPECT_EQ(json["messages"], nullptr);
}

TEST(OutputFormat, OptionOffersTheFormatsOfTheFormsThatACommandHas) {
  EXPECT_THAT(format_names(common_forms), ElementsAre("table", "csv", "json", "all"));
  CLI::App program;
  std::string format;
  constexpr std::array forms{Form::rows, Form::page};
  add_format(program, format, forms);
  EXPECT_EQ(format, "csv");
  EXPECT_EQ(program.get_option("--format")->get_description(), "csv or markdown");
  program.parse("--format markdown");
  EXPECT_EQ(format, "markdown");
  EXPECT_THROW(program.parse("--format json"), CLI::ValidationError);
}

}  // namespace
}  // namespace command_line
