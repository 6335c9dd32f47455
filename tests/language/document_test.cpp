// YAML into trees: what is read, and each refusal with its place.
#include "sim/language/document.hpp"

#include <gtest/gtest.h>

#include "tests/scratch_folder.hpp"

namespace sim::scenario {
namespace {

std::string document_error(std::string_view text, const language::DocumentLimits& limits = {}) {
  const auto document = language::parse_document(text, "s.yaml", limits);
  return document ? "accepted" : document.error().text();
}

TEST(Document, EveryValueKnowsItsPlace) {
  const auto document = language::parse_document("# Why?\na:\n  - 1\n  - {b: two}\n", "s.yaml");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->question, "Why?");
  const language::Value& list = *document->root.find("a");
  EXPECT_EQ(list.items()[0].origin().text(), "s.yaml:3:5");
  EXPECT_EQ(list.items()[1].find("b")->text(), "two");
  EXPECT_EQ(list.items()[1].find("b")->origin().text(), "s.yaml:4:9");
  EXPECT_EQ(document->root.members()[0].origin.text(), "s.yaml:2:1");
}

TEST(Document, KeepsTheOrderOfKeysAndTellsQuotesApart) {
  const auto document = language::parse_document("{z: 1, a: \"1\", m: }", "s.yaml");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root.members()[0].key, "z");
  EXPECT_FALSE(document->root.members()[0].value.quoted());
  EXPECT_TRUE(document->root.members()[1].value.quoted());
  EXPECT_EQ(document->root.members()[2].value.kind(), language::Value::Kind::nothing);
}

TEST(Document, WritesAliasesOut) {
  const auto document = language::parse_document("a: &x {b: 1}\nc: *x\n", "s.yaml");
  ASSERT_TRUE(document);
  EXPECT_TRUE(document->root.find("a")->same_as(*document->root.find("c")));
}

TEST(Document, SkipsAByteOrderMark) {
  const auto document = language::parse_document("\xEF\xBB\xBF# Why?\na: 1\n", "s.yaml");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->question, "Why?");
}

TEST(Document, RefusesDuplicateKeys) {
  EXPECT_EQ(document_error("a: 1\nb: 2\na: 3\n"),
            "s.yaml:3:1: duplicate key `a`; the first is at s.yaml:1:1; keep one of them");
}

TEST(Document, RefusesWhatIsNoYaml) {
  EXPECT_EQ(document_error("a: [1, 2\nb: 3\n"),
            "s.yaml:2:2: invalid YAML: end of sequence flow not found; check blanks, colons, quotes and "
            "brackets before this position");
  EXPECT_EQ(document_error("a: *x\n"),
            "s.yaml:1:4: invalid YAML: the referenced anchor is not defined; check blanks, colons, quotes "
            "and brackets before this position");
  EXPECT_EQ(document_error("a: 1\n\tb: 2\n").substr(0, 8), "s.yaml:2");
}

TEST(Document, RefusesEmptyText) {
  const std::string text =
      "s.yaml: the file is empty; write a map of keys, such as `workload: resnet50_v100`";
  EXPECT_EQ(document_error(""), text);
  EXPECT_EQ(document_error("# only a comment\n"), text);
  EXPECT_EQ(document_error("---\n"), text);
}

TEST(Document, RefusesEscapesThatWriteWhatTextMayNotHold) {
  const std::string what = " an escape in quotes writes a control character; write plain text";
  EXPECT_EQ(document_error(R"(a: "\e[31mred")"), "s.yaml:1:4:" + what);
  EXPECT_EQ(document_error(R"("\x07": 1)"), "s.yaml:1:1:" + what);
  EXPECT_EQ(document_error(R"(a: "x\u202Ey")"), "s.yaml:1:4:" + what);
  EXPECT_EQ(document_error(R"(a: "x\ny")"),
            "s.yaml:1:4: the text has several lines; write it on one line, or fold it by `>`");
  EXPECT_EQ(document_error("a: >\n  one\n  line\n"), "accepted");
}

TEST(Document, RefusesBinaryAndInvalidText) {
  EXPECT_EQ(document_error(std::string_view("a: 1\nb\0c", 8)),
            "s.yaml:2:2: the file is binary: it contains the control character 0; write plain text in UTF-8");
  EXPECT_EQ(document_error("a: \xC3("),
            "s.yaml:1:4: the text is not valid UTF-8 at byte 3; save the file in UTF-8");
  EXPECT_EQ(document_error("a: \xED\xA0\x80"),
            "s.yaml:1:4: the text is not valid UTF-8 at byte 3; save the file in UTF-8");
  EXPECT_EQ(document_error("a: \xC0\xAF"),
            "s.yaml:1:4: the text is not valid UTF-8 at byte 3; save the file in UTF-8");
}

TEST(Document, RefusesTagsMergeKeysAndSecondDocuments) {
  EXPECT_EQ(document_error("a: !!python/object 1\n"),
            "s.yaml:1:4: the tag `tag:yaml.org,2002:python/object` is not accepted; leave it out");
  EXPECT_EQ(document_error("a: &x {b: 1}\nc: {<<: *x}\n"),
            "s.yaml:2:5: merge keys (`<<`) are not supported; write out the keys, or name a base file by "
            "`use`");
  EXPECT_EQ(document_error("a: 1\n---\nb: 2\n"),
            "s.yaml:2:1: second YAML document; write one document per file");
  EXPECT_EQ(document_error("{[1]: 2}\n"),
            "s.yaml:1:2: expected a key, found a list or a map; write plain text as the key");
}

TEST(Document, RefusesAliasBombs) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 1; j < 10; ++j) text += ", " + before;
    text += "]\n";
  }
  EXPECT_EQ(document_error(text),
            "s.yaml:5:45: the document has more than 100000 values after expanding aliases; make it smaller");
  EXPECT_EQ(document_error("a: &a [*a]\n"),
            "s.yaml:1:8: an alias refers to a value that contains it; refer to a complete value");
}

TEST(Document, RefusesDepthAndSize) {
  EXPECT_EQ(document_error("a: " + std::string(64, '[') + std::string(64, ']')),
            "s.yaml:1:67: values are nested deeper than 64 levels; reduce the nesting");
  std::string dashes;
  for (int i = 0; i < 100000; ++i) dashes += "- ";
  EXPECT_EQ(document_error(dashes),
            "s.yaml:1:129: values are nested deeper than 64 levels; reduce the "
            "nesting");
  EXPECT_EQ(document_error(std::string(200000, '[')).substr(0, 10), "s.yaml:1:1");
  EXPECT_EQ(document_error(std::string(200000, '{')).substr(0, 10), "s.yaml:1:1");
  EXPECT_EQ(document_error("a: 12345\n", {.bytes = 5}),
            "s.yaml: the text has more than 5 bytes; make it smaller");
}

TEST(ReadDocument, RefusesFilesThatAreNone) {
  const tests::ScratchFolder scratch;
  scratch.write("quickstart.yaml", "a: 1\n");
  const std::string folder = scratch.path().string();
  const auto text = [&](const std::string& name) {
    const auto document = language::read_document(scratch / name);
    return document ? std::string("accepted") : document.error().text();
  };
  EXPECT_EQ(text("quickstart.yaml"), "accepted");
  EXPECT_EQ(text("quikstart.yaml"),
            folder + "/quikstart.yaml: file not found; did you mean `" + folder + "/quickstart.yaml`?");
  EXPECT_EQ(text("none/at/all.yaml"), folder + "/none/at/all.yaml: file not found; check the path");
  EXPECT_EQ(text("."), folder + "/.: this is a folder; name a file in it");
  EXPECT_EQ(language::read_document("/dev/null").error().text(),
            "/dev/null: this is not a regular file; name a file on a disk");
}

TEST(ReadDocument, RefusesAHugeFileWithoutReadingIt) {
  const tests::ScratchFolder scratch;
  const auto file = scratch.write("huge.yaml", "a: 1\n");
  std::filesystem::resize_file(file, 100'000'000);
  EXPECT_EQ(
      language::read_document(file).error().text(),
      file.string() + ": the file has 100 MB, above the limit for such a file; give a file of at most 8 MB");
}

TEST(ParseValue, BearsOneOrigin) {
  const auto value = language::parse_value("[1, {a: 2}]", language::Origin("--set x"));
  ASSERT_TRUE(value);
  EXPECT_EQ(value->items()[1].find("a")->origin().text(), "--set x");
  EXPECT_EQ(language::parse_value("[1", language::Origin("--set x")).error().where, "--set x");
}

}  // namespace
}  // namespace sim::scenario
