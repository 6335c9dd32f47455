// Lists of flat entries: blocks, flows, lists over several lines, quotes, and errors with their places.
#include "files/entries.hpp"

#include <gtest/gtest.h>

namespace files {
namespace {

std::string entry_error(const std::string& text) {
  const auto entries = read_entries(text, "ledger", "l.yaml");
  return entries ? "read" : entries.error().text();
}

TEST(Entries, BlocksAndFlowsSayTheSame) {
  const auto entries =
      read_entries("# why\nledger:\n  - name: a: b\n    files: [x, y]\n  - {name: 'a, b', files: [x, y]}\n",
                   "ledger", "l");
  ASSERT_TRUE(entries) << entries.error().text();
  ASSERT_EQ(entries->size(), 2);
  EXPECT_EQ((*entries)[0].fields[0].value->text, "a: b");
  EXPECT_EQ((*entries)[0].line, 3);
  EXPECT_EQ((*entries)[1].fields[0].value->text, "'a, b'");
  for (const Entry& entry : *entries) {
    ASSERT_EQ(entry.fields[1].items.size(), 2);
    EXPECT_EQ(entry.fields[1].items[1].text, "y");
  }
  EXPECT_EQ((*entries)[1].fields[1].items[1].line, 5);
  EXPECT_EQ((*entries)[1].fields[1].items[1].column, 31);
}

TEST(Entries, ListsGoOverSeveralLines) {
  const auto entries = read_entries(
      "ledger:\n- files: [\n    x,\n    y]\n  name: a\n- files:\n    - {x: 1}\n    - z\n", "ledger", "l");
  ASSERT_TRUE(entries) << entries.error().text();
  EXPECT_EQ((*entries)[0].fields[0].items.size(), 2);
  EXPECT_EQ((*entries)[0].fields[1].value->text, "a");
  EXPECT_EQ((*entries)[1].fields[0].items[0].text, "{x: 1}");
  EXPECT_EQ((*entries)[1].last_line, 8);
}

TEST(Entries, WrongLinesAreRefusedWithTheirPlace) {
  EXPECT_EQ(entry_error("# nothing\n"), "l.yaml: `ledger:` is missing; it begins the list");
  EXPECT_EQ(entry_error("fits:\n"), "l.yaml:1:1: `fits:` is not `ledger:`; begin the list with `ledger:`");
  EXPECT_EQ(entry_error("ledger:\n  name: a\n"),
            "l.yaml:2:3: `name: a` is before the first entry; start an entry with `- `");
  EXPECT_EQ(entry_error("ledger:\n  - name: a\n    name: b\n"), "l.yaml:3:5: duplicate `name` in one entry");
  EXPECT_EQ(entry_error("ledger:\n  - name\n"), "l.yaml:2:5: `name` is not `name: value`; write it so");
  EXPECT_EQ(entry_error("ledger:\n  - name: a\n    - b\n"),
            "l.yaml:3:7: `b` is outside of any list; start a list by a line `name:`");
  EXPECT_EQ(entry_error("ledger:\n  - a: [b,\n"),
            "l.yaml:2:5: the list in brackets is not closed; close it with ]");
  EXPECT_EQ(entry_error("ledger:\n  - {a: b\n"),
            "l.yaml:2:5: `{a: b` is not an entry on one line; accepted: {name: value, name: value}");
}

TEST(Entries, QuotesComeBackAsTheyWere) {
  EXPECT_EQ(*unquoted(quoted("it's one\nline")), "it's one line");
  EXPECT_EQ(*unquoted("bare"), "bare");
  EXPECT_EQ(unquoted("'it's'").error().text(), "unescaped quote inside the text; write it twice");
}

}  // namespace
}  // namespace files
