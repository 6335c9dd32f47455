// Parameters as words of a command line.
#include "sim/serve/arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sim::serve {
namespace {

using nlohmann::ordered_json;
using testing::ElementsAre;

TEST(CommandWords, AreArgumentsOptionsAndSettingsInTheirOrder) {
  const auto words = command_words(ordered_json::parse(
      R"({"arguments":["a.yaml"],"set":{"cluster.workers":16,"training":{"batch":32},"seed":"7"},"gpus_per_node":4})"));
  ASSERT_TRUE(words);
  EXPECT_THAT(*words, ElementsAre("a.yaml", "--set", "cluster.workers=16", "--set", "training={batch: 32}",
                                  "--set", "seed=7", "--gpus-per-node", "4"));
}

TEST(CommandWords, FlagsAreTrueOrLeftOutAndListsRepeat) {
  const auto words =
      command_words(ordered_json::parse(R"({"strict":true,"details":false,"seeds":null,"arm":["a","b"]})"));
  ASSERT_TRUE(words);
  EXPECT_THAT(*words, ElementsAre("--strict", "--arm", "a", "--arm", "b"));
}

TEST(CommandWords, InputAndProgressAreNoWords) {
  const auto words = command_words({{"arguments", {"-"}}, {"input", "text"}, {"progress", true}});
  ASSERT_TRUE(words);
  EXPECT_THAT(*words, ElementsAre("-"));
}

TEST(InputText, OfAnObjectIsYamlThatQuotesNoWordsAndNoQuantities) {
  const auto text = [](const char* input) { return input_text({{"input", ordered_json::parse(input)}}); };
  EXPECT_EQ(text(R"("a: b")"), "a: b");
  EXPECT_EQ(
      text(R"({"ratio":"1 %","link":{"bandwidth":"10 Gbit/s"},"batches":[1,2.5],"on":true,"none":null})"),
      "{ratio: 1 %, link: {bandwidth: 10 Gbit/s}, batches: [1, 2.5], on: true, none: null}");
  EXPECT_EQ(text(R"({"a":"x: y","b":"","c":"-","d":"% x","e":"*x","f":"tail ","g h":"x#y"})"),
            R"({a: "x: y", b: "", c: "-", d: "% x", e: "*x", f: "tail ", g h: "x#y"})");
  EXPECT_EQ(input_text(ordered_json::object()), "");
}

TEST(CommandWords, WrongTypesAreNamedByTheirMember) {
  const auto text = [](const char* params) {
    const auto words = command_words(ordered_json::parse(params));
    return words ? "accepted" : words.error().text();
  };
  EXPECT_EQ(text(R"({"arguments":"a"})"), "params.arguments: wrong type; expected a list of words");
  EXPECT_EQ(text(R"({"arguments":[null]})"), "params.arguments: wrong type; expected a list of words");
  EXPECT_EQ(text(R"({"input":1})"), "params.input: wrong type; expected text or an object");
  EXPECT_EQ(text(R"({"input":"a","arguments":["b.yaml"]})"),
            "params.input: no word names standard input; add `-` to `arguments`");
  EXPECT_EQ(text(R"({"set":[]})"), "params.set: wrong type; expected an object of keys and values");
  EXPECT_EQ(text(R"({"progress":1})"), "params.progress: wrong type; expected true or false");
  EXPECT_EQ(text(R"({"policies":[]})"),
            "params.policies: wrong type; expected an object of names and hashes");
  EXPECT_EQ(text(R"({"seeds":{}})"),
            "params.seeds: wrong type; expected text, a number, true, false or a list");
}

}  // namespace
}  // namespace sim::serve
