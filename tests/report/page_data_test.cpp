// Data of charts: columns, texts stored once, and no sign that could end the element.
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/report/page.hpp"

namespace sim::report {

using command_line::Measure;
using command_line::Table;

namespace {

nlohmann::json parsed_page(const Page& page) { return nlohmann::json::parse(page_data(page)); }

Page with(Table table) {
  Page page;
  page.data.emplace_back("d", std::move(table));
  return page;
}

TEST(PageData, SheetsStandColumnByColumn) {
  const auto data = parsed_page(with({{{"arm", "arm", Measure::none}, {"t_s", "time", Measure::time}},
                                      {{std::string("a"), 0.12345678},
                                       {std::string("b"), std::int64_t{12345678}},
                                       {std::string("a"), std::monostate{}}}}))["data"]["d"];
  EXPECT_EQ(data["rows"], 3);
  EXPECT_EQ(data["columns"]["arm"]["texts"], nlohmann::json({"a", "b"}));
  EXPECT_EQ(data["columns"]["arm"]["values"], nlohmann::json({0, 1, 0}));
  EXPECT_EQ(data["columns"]["t_s"]["values"], nlohmann::json({0.123457, 12345678, nullptr}));
  EXPECT_EQ(data["columns"]["t_s"]["measure"], "time");
}

TEST(PageData, WhatIsNoNumberIsNone) {
  const auto data = parsed_page(with({{{"t_s", "time", Measure::time}},
                                      {{std::numeric_limits<double>::infinity()},
                                       {std::numeric_limits<double>::quiet_NaN()}}}))["data"]["d"];
  EXPECT_EQ(data["columns"]["t_s"]["values"], nlohmann::json({nullptr, nullptr}));
}

TEST(PageData, NumbersOfAFrontHaveAllTheirDigits) {
  const double almost = 0.1 + 1e-15;
  Page page = with({{{"a", "a", Measure::none}, {"b", "b", Measure::none}, {"c", "c", Measure::none}},
                    {{almost, almost, almost}}});
  page.sections.push_back(
      {.title = "Front", .chart = Chart{.kind = ChartKind::front, .data = "d", .x = {"a"}, .y = {"b"}}});
  page.sections.push_back({.title = "Others", .chart = Chart{.data = "d", .x = {"c"}, .thinned = true}});
  const auto json = parsed_page(page);
  const auto value = [&](const char* key) { return json["data"]["d"]["columns"][key]["values"][0]; };
  EXPECT_EQ(value("a"), almost);
  EXPECT_EQ(value("b"), almost);
  EXPECT_EQ(value("c"), 0.1);
  EXPECT_EQ(json["charts"][1]["thinned"], true);
}

TEST(PageData, ChartsSayWhatMayBeChosen) {
  Page page;
  page.sections.push_back({.title = "No chart"});
  page.sections.push_back({.title = "Front",
                           .chart = Chart{.kind = ChartKind::front,
                                          .data = "d",
                                          .x = {"a", "b"},
                                          .y = {"b"},
                                          .by = {"arm"},
                                          .naming_columns = {"arm", "seed"},
                                          .greatest = {"b"}}});
  EXPECT_EQ(parsed_page(page)["charts"],
            nlohmann::json::parse(R"([{"title":"Front","kind":"front","data":"d","x":["a","b"],"y":["b"],
              "by":["arm"],"filters":[],"told":["arm","seed"],"greatest":["b"],"thinned":false,"wide":false,"stripes":[]}])"));
}

TEST(PageData, NoTextEndsTheElementItStandsIn) {
  const std::string attack = "</script><!-- \xff \"";
  Page page = with({{{attack, attack, Measure::none}}, {{attack}}});
  page.sections.push_back({.title = attack, .chart = Chart{.data = attack}});
  EXPECT_EQ(page_data(page).find('<'), std::string::npos);
  EXPECT_EQ(parsed_page(page)["data"]["d"]["columns"].begin().value()["title"], "</script><!-- \uFFFD \"");
}

}  // namespace
}  // namespace sim::report
