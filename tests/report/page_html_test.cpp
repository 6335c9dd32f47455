// Pages as HTML: texts stay texts, nothing is fetched, and charts are there only with a library and data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/page.hpp"

namespace sim::report {

using command_line::Measure;
using command_line::Table;

namespace {

using testing::HasSubstr;
using testing::Not;

const std::string attack = "</script><script>alert('x & \"y\"')</script>";

Table two_arms(const std::string& first) {
  return {{{"arm", "arm", Measure::none}, {"step_time_s", "step", Measure::time}},
          {{first, 0.25}, {std::string("b"), 0.5}}};
}

Page a_page(const std::string& arm = "a") {
  Page page{
      .title = "s.yaml", .question = "Does `it` pay?", .answers = {"`" + arm + "` wins.", "It is close."}};
  page.sections.push_back({.title = "Arms", .table = two_arms(arm)});
  page.sections.push_back(
      {.title = "Time of a step",
       .chart = Chart{.kind = ChartKind::bars, .data = "arms", .y = {"step_time_s"}, .by = {"arm"}}});
  page.data.emplace_back("arms", two_arms(arm));
  return page;
}

TEST(HtmlText, SignsOfMarkupAreWrittenOut) {
  EXPECT_EQ(html_text(R"(<a href="x">'&'</a>)"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
}

TEST(PageHtml, ShowsQuestionAnswersAndTablesWithTheirUnits) {
  const std::string html = page_html(a_page(), "library");
  EXPECT_THAT(html, HasSubstr("<h1>Does `it` pay?</h1>"));
  EXPECT_THAT(html, HasSubstr("<p class=\"answer\"><code>a</code> wins.</p>\n<p>It is close.</p>"));
  EXPECT_THAT(html, HasSubstr("<tr><th>arm</th><th class=\"number\">step (ms)</th></tr>"));
  EXPECT_THAT(html, HasSubstr("<tr><td>b</td><td class=\"number\">500.0</td></tr>"));
}

TEST(PageHtml, WarningsAndThePictureStandAboveFurtherAnswers) {
  Page page = a_page();
  page.warnings = {"it may not fit"};
  page.picture =
      Section{.title = "Over bandwidth",
              .chart = Chart{.data = "arms", .x = {"step_time_s"}, .y = {"step_time_s"}, .by = {"arm"}}};
  const std::string html = page_html(page, "library");
  const std::size_t answer = html.find("wins."), warning = html.find("Warning: it may not fit"),
                    picture = html.find("<h2>Over bandwidth</h2>"), more = html.find("It is close.");
  EXPECT_LT(answer, warning);
  EXPECT_LT(warning, picture);
  EXPECT_LT(picture, more);
  EXPECT_NE(more, std::string::npos);
  EXPECT_THAT(html, HasSubstr("data-chart=\"1\""));
  EXPECT_LT(html.find("\"title\":\"Over bandwidth\""), html.find("\"title\":\"Time of a step\""));
}

TEST(PageHtml, WithALibraryItBringsChartsDataAndScripts) {
  const std::string html = page_html(a_page(), "the library");
  EXPECT_THAT(html, HasSubstr("<figure class=\"chart\" data-chart=\"0\">"));
  EXPECT_THAT(html, HasSubstr("<script>\nthe library\n</script>"));
  EXPECT_THAT(html, HasSubstr("id=\"report-data\">{\"data\":"));
  EXPECT_THAT(html, Not(HasSubstr("libjs-chart.js")));
}

TEST(PageHtml, WithoutALibraryTheTablesAreThereAndALineNamesThePackage) {
  const std::string html = page_html(a_page(), std::nullopt);
  EXPECT_THAT(html, HasSubstr("<td>b</td>"));
  EXPECT_THAT(html, HasSubstr("Charts are left out: Chart.js was not found, or could not be read, when this "
                              "page was written. It is in the Debian package libjs-chart.js"));
  for (const char* no : {"<figure", "<script", "Time of a step"}) EXPECT_THAT(html, Not(HasSubstr(no)));
}

TEST(PageHtml, WithoutChartsItNeedsNoLibrary) {
  Page page = a_page();
  page.sections.pop_back();
  EXPECT_EQ(page_html(page, std::nullopt), page_html(page, "the library"));
  EXPECT_THAT(page_html(page, std::nullopt), Not(HasSubstr("libjs-chart.js")));
}

TEST(PageHtml, NamesAndQuestionsCannotBecomeMarkup) {
  Page page = a_page(attack);
  page.question = page.title = attack;
  page.sections[0].title = attack;
  page.sections[0].sentences = {attack};
  page.sections.push_back({.title = "Scenario", .folded = attack});
  EXPECT_THAT(page_html(page, "library"), Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page_html(page, std::nullopt), Not(HasSubstr("<script>alert")));
}

TEST(PageHtml, ALibraryThatSpeaksOfScriptsDoesNotEndItsOwn) {
  EXPECT_THAT(page_html(a_page(), "a = '</SCRIPT>'; b = '</div></script>'"),
              HasSubstr("a = '<\\/SCRIPT>'; b = '</div><\\/script>'\n</script>"));
}

TEST(PageHtml, ForbidsToLoadAnything) {
  const std::string html = page_html(a_page(), "library");
  EXPECT_THAT(html, HasSubstr("Content-Security-Policy\" content=\"default-src 'none';"));
  for (const char* no : {"http:", "https:", " src=", "@import", "url("})
    EXPECT_THAT(html, Not(HasSubstr(no)));
}

TEST(PageHtml, LongTextsMayBreak) {
  Page page = a_page(std::string(61, 'x'));
  EXPECT_THAT(page_html(page, std::nullopt), HasSubstr("<td class=\"long\">xxx"));
}

}  // namespace
}  // namespace sim::report
