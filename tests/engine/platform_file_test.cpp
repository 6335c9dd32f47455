// SimGrid platform files: a valid one, and errors of invalid ones without a crash.
#include <exception>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/engine/platform.hpp"
#include "sim/engine/simgrid.hpp"
#include "sim/engine/simgrid_evaluator.hpp"
#include "tests/engine/clusters.hpp"
#include "tests/scratch_folder.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

/// Three hosts: a shared cable of 125 MB/s and 50 us, a duplex wire of 250 MB/s and 10 us.
const std::string kGood = R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="site" routing="Full">
    <host id="bob" speed="1Gf"/>
    <host id="alice" speed="1Gf"/>
    <host id="carol" speed="1Gf"/>
    <link id="cable" bandwidth="125MBps" latency="50us"/>
    <link id="wire" bandwidth="250MBps" latency="10us" sharing_policy="SPLITDUPLEX"/>
    <route src="bob" dst="alice"><link_ctn id="cable"/></route>
    <route src="bob" dst="carol"><link_ctn id="wire" direction="UP"/></route>
    <route src="alice" dst="carol"><link_ctn id="cable"/><link_ctn id="wire" direction="UP"/></route>
  </zone>
</platform>
)";

std::string replaced(std::string text, const std::string& old, const std::string& replacement) {
  text.replace(text.find(old), old.size(), replacement);
  return text;
}

/// Clusters on a temporary platform file.
class PlatformFile : public ::testing::Test {
 protected:
  scenario::Cluster cluster(const std::string& text, int workers, std::vector<std::string> hosts = {}) const {
    folder_.write("platform.xml", text);
    scenario::Cluster cluster;
    cluster.workers = workers;
    cluster.topology =
        scenario::topology("platform", scenario::PlatformFile{path_.string(), std::move(hosts)});
    return cluster;
  }
  std::string refusal(const std::string& text, int workers = 3, std::vector<std::string> hosts = {}) const {
    const auto made = Platform::make(cluster(text, workers, std::move(hosts)));
    if (made) return "";
    EXPECT_EQ(made.error().where, path_.string());
    return made.error().what + "; " + made.error().hint;
  }

  tests::ScratchFolder folder_;
  std::filesystem::path path_ = folder_ / "platform.xml";
};

constexpr const char* kAccepted = "; a SimGrid 3.32 platform file (version 4.1) is accepted";

TEST_F(PlatformFile, HostsStandByNameUnlessTheScenarioOrdersThem) {
  EXPECT_EQ((*Platform::make(cluster(kGood, 3)))->host_name(0), "alice");
  EXPECT_EQ((*Platform::make(cluster(kGood, 2, {"carol", "bob"})))->host_name(0), "carol");
}

TEST_F(PlatformFile, LinksKeepBandwidthAndLatencyOfTheFile) {
  const auto platform = std::move(*Platform::make(cluster(kGood, 3)));
  ASSERT_EQ(platform->links().size(), 3U);
  EXPECT_EQ(platform->links()[0].name, "cable");
  EXPECT_EQ(platform->links()[0].nominal.bandwidth.count, 125e6);
  EXPECT_DOUBLE_EQ(platform->links()[0].nominal.latency.count, 50e-6);
  EXPECT_EQ(platform->links()[0].role, LinkRole::trunk);
  EXPECT_EQ(platform->links()[0].latency_factor, 1);
  EXPECT_EQ(platform->links()[0].bandwidth_factor, 1);
  EXPECT_EQ(platform->links()[2].name, "wire_UP");
}

TEST_F(PlatformFile, AMessagePaysTheWayOfTheFile) {  // alice to carol: 60 us and 25 MB at 125 MB/s
  const auto platform = std::move(*Platform::make(cluster(kGood, 3, {"alice", "bob", "carol"})));
  const netmodels::Schedule one{3, {{{{{0, 2, 25_MB}}}, 1}}};
  EXPECT_NEAR(SimGridEvaluator(*platform).evaluate(one, everyone(3), nominal(*platform))->duration.count,
              0.20006, 1e-12);
}

TEST_F(PlatformFile, BothWaysOfASharedCableShareIt) {  // 25 MB each way through 125 MB/s
  const auto platform = std::move(*Platform::make(cluster(kGood, 2, {"alice", "bob"})));
  const netmodels::Schedule swap{2, {{{{{0, 1, 25_MB}, {1, 0, 25_MB}}}, 1}}};
  EXPECT_NEAR(SimGridEvaluator(*platform).evaluate(swap, everyone(2), nominal(*platform))->duration.count,
              0.40005, 1e-12);
}

TEST_F(PlatformFile, ALinkOfTheFileMayChange) {
  scenario::Scenario scenario = plain(2, {}, 1_Gbps, 2);
  scenario.cluster = cluster(kGood, 2, {"alice", "bob"});
  scenario.exchange.collective = "tree_allreduce";  // one message at a time: 2 (50 us + 16 MB / 125 MB/s)
  scenario.cluster.changes = {
      {{scenario::Moment::Unit::step, 1}, netmodels::Bandwidth{62.5e6}, {}, {}, {"cable"}}};
  const auto steps = steps_of(scenario);
  EXPECT_NEAR(steps[0].parts.exchange.count, 2 * (50e-6 + 0.128), 1e-12);
  EXPECT_NEAR(steps[1].parts.exchange.count, 2 * (50e-6 + 0.256), 1e-12);
}

TEST_F(PlatformFile, MalformedXmlIsRefusedWithSimGridsOwnWords) {
  EXPECT_EQ(refusal(replaced(kGood, "  </zone>\n", "")),
            "SimGrid refuses the platform file: Parse error at " + path_.string() +
                ":13: Invalid XML (XML input line 13, state 158): Unexpected end-tag `</platform>': "
                "`</zone>' expected." +
                kAccepted);
}

TEST_F(PlatformFile, AnUndefinedLinkIsRefusedWithItsName) {
  EXPECT_EQ(refusal(replaced(kGood, "link id=\"cable\"", "link id=\"cabel\"")),
            std::string("SimGrid refuses the platform file: Link not found: cable") + kAccepted);
}

TEST_F(PlatformFile, AnUnknownHostIsRefusedWithTheNearest) {
  EXPECT_EQ(refusal(kGood, 2, {"alice", "bobb"}),
            "unknown host `bobb` in the platform file; did you mean `bob`?");
  EXPECT_EQ(refusal(kGood, 2, {"alice", "zacharias"}),
            "unknown host `zacharias` in the platform file; accepted: its hosts");
}

TEST_F(PlatformFile, MoreWorkersThanHostsAreRefused) {
  EXPECT_EQ(refusal(kGood, 4), "the platform file has 3 hosts for 4 workers; at least one host per worker");
}

TEST_F(PlatformFile, AFileWithoutHostsIsRefused) {
  const std::string empty = kGood.substr(0, kGood.find("    <host")) + "  </zone>\n</platform>\n";
  EXPECT_EQ(refusal(empty), "the platform file has no hosts; at least one host per worker");
}

TEST_F(PlatformFile, ProfilesOfItsOwnAreRefused) {
  EXPECT_EQ(refusal(replaced(kGood, "latency=\"50us\"", "latency=\"50us\" bandwidth_file=\"a.bw\"")),
            "the platform file has its own time-varying profiles (bandwidth_file); state them as "
            "`cluster.traces` or `cluster.changes`, so that they are applied without stalling flows");
}

TEST_F(PlatformFile, AMissingRouteIsRefusedWithItsEnds) {
  const std::string route =
      "    <route src=\"alice\" dst=\"carol\"><link_ctn id=\"cable\"/><link_ctn id=\"wire\" "
      "direction=\"UP\"/></route>\n";
  EXPECT_EQ(refusal(replaced(kGood, route, "")),
            "the platform file has no route from `alice` to `carol`; a route between any two hosts used is "
            "needed");
}

TEST_F(PlatformFile, AMissingRouteIsRefusedWhereSimGridWouldAbort) {  // Floyd's zones throw, Dijkstra's abort
  for (const char* routing : {"Floyd", "Dijkstra"}) {
    std::string text = replaced(kGood, "routing=\"Full\"", std::string("routing=\"") + routing + "\"");
    const auto first = text.find("    <route src=\"bob\" dst=\"carol\"");
    text.erase(first, text.find("  </zone>") - first);
    EXPECT_TRUE(refusal(text).starts_with("the platform file has no route from `alice` to `")) << routing;
  }
}

TEST_F(PlatformFile, AMissingRouteOfAHostThatIsNotNeededIsNoMatter) {
  const std::string route =
      "    <route src=\"alice\" dst=\"carol\"><link_ctn id=\"cable\"/><link_ctn id=\"wire\" "
      "direction=\"UP\"/></route>\n";
  EXPECT_EQ(refusal(replaced(kGood, route, ""), 2), "");
}

TEST_F(PlatformFile, AComplaintOfSeveralLinesIsToldInOne) {
  std::string text = replaced(kGood, "latency=\"50us\"", "latency=\"inf\"");
  text = replaced(text, "link id=\"cable\"", "link id=\"a&#10;cable\"");
  for (int uses = 0; uses < 2; ++uses)
    text = replaced(text, "link_ctn id=\"cable\"", "link_ctn id=\"a&#10;cable\"");
  EXPECT_THAT(refusal(text),
              ::testing::HasSubstr("the link `a cable` has a latency of inf s and a bandwidth of"));
}

// Of more than 256 hosts, not every pair is tried: from the first, to the first, and to the next.
TEST_F(PlatformFile, OfManyHostsAMissingRouteToTheNextIsRefused) {
  constexpr int kHosts = 258;
  std::string text =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\"><zone id=\"site\" routing=\"Full\">\n";
  const auto host = [](int number) { return std::to_string(1000 + number); };
  for (int i = 0; i < kHosts; ++i) text += "<host id=\"" + host(i) + "\" speed=\"1Gf\"/>\n";
  text += "<link id=\"cable\" bandwidth=\"125MBps\" latency=\"50us\"/>\n";
  const auto route = [&](int from, int to) {
    text += "<route src=\"" + host(from) + "\" dst=\"" + host(to) + "\"><link_ctn id=\"cable\"/></route>\n";
  };
  for (int i = 1; i < kHosts; ++i) route(0, i);
  for (int i = 1; i + 1 < kHosts; ++i)
    if (i != 7) route(i, i + 1);
  EXPECT_EQ(refusal(text + "</zone></platform>\n", kHosts),
            "the platform file has no route from `1007` to `1008`; a route between any two hosts used is "
            "needed");
}

TEST_F(PlatformFile, LinksWithoutATimeAreRefused) {
  EXPECT_THAT(
      refusal(replaced(kGood, "latency=\"50us\"", "latency=\"inf\"")),
      ::testing::HasSubstr("the link `cable` has a latency of inf s and a bandwidth of 1.25e+08 byte/s"));
  EXPECT_NE(refusal(replaced(kGood, "125MBps", "0Bps")), "");
}

TEST_F(PlatformFile, AFileWithoutAnEndIsRefused) {
  scenario::Cluster cluster;
  cluster.workers = 2;
  cluster.topology = scenario::topology("platform", scenario::PlatformFile{"/dev/zero", {}});
  EXPECT_EQ(Platform::make(cluster).error().text(),
            "/dev/zero: this is not a regular file; name a file on a disk");
}

TEST_F(PlatformFile, AFileThatIsNotThereIsRefused) {
  scenario::Cluster missing = cluster(kGood, 2);
  std::filesystem::remove(path_);
  EXPECT_EQ(Platform::make(missing).error().text(), path_.string() + ": file not found; check the path");
}

TEST_F(PlatformFile, AFileThatIsGoneWhenSimGridOpensItIsSaidToBe) {
  try {
    (void)simgrid_module().load("gone.xml");
    FAIL() << "loaded";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), ::testing::EndsWith("Does this file exist? No such file or directory"));
  }
}

TEST_F(PlatformFile, AFileAfterAnotherTopologyIsRefusedWhereSimGridWouldCrash) {
  ASSERT_TRUE(Platform::make(star(2, {}, {1e9})).has_value());
  EXPECT_EQ(refusal(kGood),
            "a platform file and another topology cannot be used in one run: SimGrid 3.32 crashes; put the "
            "arms with a platform file into a separate scenario, and run it separately");
}

TEST_F(PlatformFile, ABadFileLeavesTheNextOneAlone) {
  EXPECT_NE(refusal("no XML at all"), "");
  EXPECT_TRUE(Platform::make(cluster(kGood, 3)).has_value());
}

}  // namespace
}  // namespace sim::engine
