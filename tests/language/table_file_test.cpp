// CSV tables: what they hold, and each refusal with its place.
#include "sim/language/table_file.hpp"

#include <array>

#include <gtest/gtest.h>

#include "tests/scratch_folder.hpp"

namespace sim::scenario {
namespace {

constexpr std::array<std::string_view, 2> columns{"layer", "size"};

std::string table_error(std::string_view text) {
  const tests::ScratchFolder scratch;
  const auto path = scratch.write("table.csv", text);
  const auto table = language::TableFile::read(path, columns);
  EXPECT_FALSE(table.has_value());
  return table ? std::string() : table.error().text().substr(scratch.path().string().size() + 1);
}

TEST(TableFile, KeepsCellsWithTheirPlaces) {
  const tests::ScratchFolder scratch;
  const auto path = scratch.write("table.csv", "# comment\r\nsize,layer\r\n\n 12 , conv1\n0.5,fc");
  const auto table = language::TableFile::read(path, columns);
  ASSERT_TRUE(table.has_value()) << table.error().text();
  ASSERT_EQ(table->rows(), 2U);
  EXPECT_EQ(table->text(0, "layer"), "conv1");
  EXPECT_EQ(table->where(0, "layer"), path.string() + ":4:7");
  EXPECT_EQ(*table->count(0, "size"), 12);
  EXPECT_EQ(*table->number(1, "size"), 0.5);
}

TEST(TableFile, AnAbsentOptionalColumnIsEmptyInAllRows) {
  constexpr std::array<std::string_view, 2> optional{"kind", "note"};
  const tests::ScratchFolder scratch;
  const auto path = scratch.write("table.csv", "layer,size,note\na,1,x\n");
  const auto table = language::TableFile::read(path, columns, optional);
  ASSERT_TRUE(table.has_value()) << table.error().text();
  EXPECT_EQ(table->text(0, "note"), "x");
  EXPECT_TRUE(table->has("note"));
  EXPECT_FALSE(table->has("kind"));
  EXPECT_EQ(table->text(0, "kind"), "");
  EXPECT_EQ(table->where(0, "kind"), path.string() + ":2:1");
  const auto wrong =
      language::TableFile::read(scratch.write("w.csv", "layer,size,kinds\na,1,x\n"), columns, optional);
  EXPECT_EQ(wrong.error().text(), (scratch.path() / "w.csv").string() +
                                      ":1:12: unknown column `kinds`; did you mean `kind`? accepted: layer, "
                                      "size, kind, note");
}

TEST(TableFile, RefusesCellsThatAreNoNumber) {
  const tests::ScratchFolder scratch;
  const auto path = scratch.write("table.csv", "layer,size\na,1.5\nb,\nc,-2\nd,nan\ne,3x\n");
  const auto table = language::TableFile::read(path, columns);
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->count(0, "size").error().text(),
            path.string() + ":2:3: column `size` is `1.5`; a whole number of at least 0");
  EXPECT_EQ(table->number(1, "size").error().text(),
            path.string() + ":3:3: column `size` is empty; a number of at least 0");
  EXPECT_FALSE(table->number(2, "size").has_value());
  EXPECT_FALSE(table->number(3, "size").has_value());
  EXPECT_FALSE(table->number(4, "size").has_value());
}

TEST(TableFile, RefusesWrongHeaders) {
  EXPECT_EQ(table_error("layer,sise\n"),
            "table.csv:1:7: unknown column `sise`; did you mean `size`? accepted: layer, size");
  EXPECT_EQ(table_error("layer\na\n"), "table.csv:1:1: column `size` is missing; columns are layer, size");
  EXPECT_EQ(table_error("layer,size,layer\n"), "table.csv:1:12: duplicate column `layer`");
}

TEST(TableFile, RefusesRowsOfAnotherWidth) {
  EXPECT_EQ(table_error("layer,size\na,1\nb,1,2\n"),
            "table.csv:3:1: a row of 3 cells; one for each of the 2 columns");
}

TEST(TableFile, RefusesTablesWithoutRows) {
  EXPECT_EQ(table_error("# nothing\n"),
            "table.csv: the file has no table; write a line that names the columns layer, size");
  EXPECT_EQ(table_error("layer,size\n"), "table.csv: the table has no rows; at least one");
}

}  // namespace
}  // namespace sim::scenario
