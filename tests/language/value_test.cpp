// Trees of values: places, merging, dotted paths.
#include "sim/language/value.hpp"

#include <gtest/gtest.h>

#include "sim/language/document.hpp"

namespace sim::scenario {
namespace {

language::Value tree(const std::string& text) {
  auto document = language::parse_document(text, "t.yaml");
  EXPECT_TRUE(document) << (document ? "" : document.error().text());
  return document ? document->root : language::Value();
}

TEST(Origin, NamesFileLineAndColumn) {
  EXPECT_EQ(language::Origin().text(), "default");
  EXPECT_EQ(language::Origin("--set seed").text(), "--set seed");
  EXPECT_EQ(language::Origin(std::make_shared<const std::string>("a.yaml"), {3, 7}).text(), "a.yaml:3:7");
}

TEST(Merge, JoinsMapsKeyByKeyAndReplacesTheRest) {
  const language::Value merged =
      merge(tree("{a: {x: 1, y: 2}, b: [1, 2], c: 3}"), tree("{a: {y: 5, z: 6}, b: [9], d: 4}"));
  EXPECT_TRUE(merged.same_as(tree("{a: {x: 1, y: 5, z: 6}, b: [9], c: 3, d: 4}")));
}

TEST(Merge, KeepsThePlaceOfTheWinner) {
  const language::Value merged = merge(tree("{a: {x: 1}}"), tree("\n{a: {x: 2}}"));
  EXPECT_EQ(language::find_path(merged, "a.x")->origin().text(), "t.yaml:2:9");
}

TEST(Merge, AMapThatNamesItsKindReplaces) {
  const language::Value merged =
      merge(tree("{t: {kind: racks, workers_per_rack: 4}}"), tree("{t: {kind: torus, dimensions: [2]}}"));
  EXPECT_TRUE(merged.same_as(tree("{t: {kind: torus, dimensions: [2]}}")));
}

TEST(FindPath, EndsWhereNothingIs) {
  const language::Value root = tree("{a: {b: 1}}");
  EXPECT_EQ(language::find_path(root, "a.b")->text(), "1");
  EXPECT_EQ(language::find_path(root, "a.c"), nullptr);
  EXPECT_EQ(language::find_path(root, "a.b.c"), nullptr);
}

TEST(SetPath, MakesMapsOnTheWay) {
  language::Value root = tree("{a: {b: 1}}");
  ASSERT_TRUE(
      language::set_path(root, "a.c.d", language::Value::scalar("2", language::Origin("--set a.c.d"))));
  EXPECT_TRUE(root.same_as(tree("{a: {b: 1, c: {d: 2}}}")));
}

TEST(SetPath, RefusesListsAndEmptyParts) {
  language::Value root = tree("{a: [1]}");
  const language::Value value = language::Value::scalar("2", language::Origin("--set K"));
  EXPECT_EQ(language::set_path(root, "a.0", value).error().text(),
            "--set K: `a.0` indexes a list, and lists have no keys; set the whole list, such as "
            "`cluster.speeds=[1, 0.5]`");
  EXPECT_EQ(
      language::set_path(root, "b..c", value).error().text(),
      "--set K: `b..c` is not a path of keys; write keys joined by dots, such as `cluster.link.bandwidth`");
}

}  // namespace
}  // namespace sim::scenario
