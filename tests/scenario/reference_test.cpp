// The reference of scenario files: every key with its facts, alternatives under the words that add them.
#include "sim/scenario/reference.hpp"

#include <array>
#include <string>

#include <gmock/gmock.h>

namespace sim::scenario {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::array metrics{language::ExpectableMetric{"step_time", language::MetricUnit::time}};

std::string section(const std::string& heading) {
  const std::string page = reference(metrics);
  const std::size_t begin = page.find("\n## " + heading + "\n");
  if (begin == std::string::npos) return "no section " + heading;
  return page.substr(begin, page.find("\n## ", begin + 1) - begin);
}

TEST(Reference, AKeyHasItsTypeDefaultBoundsMeaningAndExample) {
  EXPECT_THAT(
      section("`exchange`"),
      HasSubstr("| `hysteresis` | number or percentage | `0` | ≥ 0, < 100 % | Relative improvement that a "
                "new collective needs before it is chosen. Example: `hysteresis: 5 %` |\n"));
  EXPECT_THAT(
      section("`cluster.link`"),
      HasSubstr("| `bandwidth` | [a bandwidth](#units) | required | > 0 bit/s | Capacity in each direction. "
                "Example: `bandwidth: 10 Gbit/s` |\n"));
}

TEST(Reference, KeysOfAlternativesAreUnderTheWordThatAddsThem) {
  const std::string text = section("`cluster.topology`");
  const std::size_t torus = text.find("Added by `kind:` `torus`:");
  ASSERT_NE(torus, std::string::npos) << text;
  EXPECT_GT(text.find("| `dimensions` |"), torus);
  EXPECT_LT(text.find("| `dimensions` |"), text.find("Added by `kind:` `racks`:"));
}

TEST(Reference, AKeyThatSeveralWordsAddIsThereOnce) {
  EXPECT_THAT(section("`learner.dataset`"),
              HasSubstr("Added by `name:` `mnist`, `fashion_mnist`, `cifar10`:\n"));
}

TEST(Reference, SettingsOfAPolicyAreASectionOfTheirOwn) {
  EXPECT_THAT(section("`compression`"), HasSubstr("[`compression.gravac`](#compressiongravac)"));
  EXPECT_THAT(section("`compression.gravac`"), HasSubstr("| key | type | default |"));
}

TEST(Reference, AMapThatOccursTwiceIsDescribedOnce) {
  EXPECT_THAT(section("`cluster`"), HasSubstr("| `inner_link` | map: [`cluster.link`](#clusterlink) |"));
  EXPECT_THAT(reference(metrics), Not(HasSubstr("## `cluster.inner_link`")));
}

TEST(Reference, ABarInAMeaningDoesNotEndTheCell) {
  EXPECT_THAT(section("`synchronisation`"), HasSubstr("\\|\\|g\\|\\|^2"));
}

TEST(Reference, NamesTheMetricsThatItIsGiven) {
  EXPECT_THAT(section("`expect[]`"), HasSubstr("`metric` is one of `step_time`.\n"));
}

TEST(Reference, EveryLinkLeadsToASection) {
  const std::string page = reference(metrics);
  for (std::size_t at = page.find("](#"); at != std::string::npos; at = page.find("](#", at + 1)) {
    const std::string anchor = page.substr(at + 3, page.find(')', at) - at - 3);
    bool found = anchor == "units";
    for (std::size_t line = page.find("\n## `"); line != std::string::npos && !found;
         line = page.find("\n## `", line + 1)) {
      std::string heading = page.substr(line + 4, page.find('\n', line + 1) - line - 4);
      std::erase_if(heading, [](char letter) {
        return letter == '`' || letter == '.' || letter == '[' || letter == ']';
      });
      found = heading == anchor;
    }
    EXPECT_TRUE(found) << anchor;
  }
}

}  // namespace
}  // namespace sim::scenario
