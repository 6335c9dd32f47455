// SimGrid platform files: a valid one, and errors of invalid ones without a crash.
#include <algorithm>
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
    const std::string& where = made.error().where;
    EXPECT_TRUE(where.starts_with(path_.string())) << where;
    const std::string line = where.substr(std::min(where.size(), path_.string().size()));
    return (line.empty() ? "" : line + ": ") + made.error().what + "; " + made.error().hint;
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

TEST_F(PlatformFile, MalformedXmlIsRefusedAtItsLine) {
  EXPECT_EQ(refusal(replaced(kGood, "  </zone>\n", "")),
            ":13:3: the platform file is not XML: mismatched tag; check the element on this line and the one "
            "before it");
}

// SimGrid sees another text, line by line.
TEST_F(PlatformFile, SimGridsOwnWordsNameTheFileAndItsLine) {
  EXPECT_EQ(refusal(replaced(kGood, "latency=\"50us\"", "latency=\"1furlong\"")),
            "SimGrid refuses the platform file: Parse error at " + path_.string() +
                ":8: unknown unit: furlong" + kAccepted);
}

struct RefusedPart {
  std::string instead_of;
  std::string written;
  std::string what;  ///< from the line on
};

// None of them reaches SimGrid, which writes files, reads them, or counts by models of its own.
TEST_F(PlatformFile, WhatSetsSimGridUpOrReadsFilesIsRefusedByLineAndName) {
  const std::string link = "<link id=\"cable\" bandwidth=\"125MBps\" latency=\"50us\"/>";
  const std::string profiles =
      "is a time-varying profile; state them as `cluster.traces` or `cluster.changes`, so that they are "
      "applied "
      "without stalling flows";
  const auto in_link = [&](const std::string& attribute) {
    return replaced(link, " latency", " " + attribute + "=\"a\" latency");
  };
  std::vector<RefusedPart> parts{
      {"  <zone", "<config><prop id=\"tracing/filename\" value=\"x\"/></config><zone",
       ":4:1: <config> sets SimGrid up: it may name files to write, and other models of bandwidth; leave it "
       "out; "
       "`cluster.preset` has SimGrid's models of TCP"},
      {link, "<include file=\"more.xml\"/>", ":8:5: <include> reads another file; write its contents here"},
      {link, "<trace id=\"t\" periodicity=\"1\"/>", ":8:5: <trace> " + profiles},
      {link, "<trace_connect trace=\"t\" element=\"e\"/>",
       ":8:5: <trace_connect> connects a time-varying profile; state them as `cluster.traces` or "
       "`cluster.changes`, so that they are applied without stalling flows"},
      {link, "<storage_type id=\"s\" size=\"1\" content=\"f\"/>",
       ":8:5: <storage_type> reads a file of contents; leave it out"},
      {link, "<actor host=\"bob\" function=\"f\"/>",
       ":8:5: <actor> runs a program, and belongs to a deployment; leave it out"},
      {link, "<wormhole/>",
       ":8:5: <wormhole> is not accepted; accepted are the parts of simgrid.dtd 4.1 that describe zones, "
       "hosts, "
       "links and routes"},
      {link, in_link("colour"),
       ":8:5: `colour` of <link> is not accepted; accepted are the parts of simgrid.dtd 4.1 that describe "
       "zones, "
       "hosts, links and routes"},
      {link, replaced(link, " latency", " sharing_policy=\"WIFI\" latency"),
       ":8:5: links of Wi-Fi are not simulated; write SHARED, SPLITDUPLEX or FATPIPE"},
      {link, "no element",
       ":8:1: text between elements is not accepted; write it as a comment, or leave it out"},
      {"\"https://simgrid.org/simgrid.dtd\"", "\"d\" [<!ENTITY l \"99\">]",
       ":2:43: the entity `l` is not accepted; write its contents where it is used"},
      {link, link + "&other;",
       ":8:58: the entity `other` is not accepted; write its contents where it is used"},
      {link, replaced(link, "50us", "&other;50us"),
       ":8:5: the entity `other` is not accepted; write its contents where it is used"},
      {link,
       "<cluster id=\"c\" prefix=\"p\" suffix=\"\" radical=\"0-9997\" speed=\"1Gf\" bw=\"1\" lat=\"1\"/>",
       ":8:5: the platform file has more than 10000 hosts; leave out those that no worker is on"},
  };
  for (const char* profile : {"bandwidth_file", "latency_file", "state_file"})
    parts.push_back({link, in_link(profile), ":8:5: `" + std::string(profile) + "` of <link> " + profiles});
  for (const RefusedPart& part : parts)
    EXPECT_EQ(refusal(replaced(kGood, part.instead_of, part.written)), part.what) << part.written;
}

TEST_F(PlatformFile, AFileInAnAttributeIsNeverWritten) {
  const std::filesystem::path victim = folder_.write("victim.txt", "precious");
  EXPECT_NE(
      refusal(replaced(kGood, "  <zone",
                       "<config><prop id=\"tracing\" value=\"yes\"/><prop id=\"tracing/filename\" value=\"" +
                           victim.string() + "\"/></config><zone")),
      "");
  EXPECT_EQ(std::filesystem::file_size(victim), 8U);
}

TEST_F(PlatformFile, ValuesReachSimGridAsTheyAreWritten) {
  std::string text =
      replaced(kGood, "link id=\"cable\"", "link id=\"a &amp; &lt;b&gt; &quot;c&quot; \u00e9\"");
  for (int uses = 0; uses < 2; ++uses)
    text = replaced(text, "link_ctn id=\"cable\"", "link_ctn id='a &#38; &lt;b> \"c\" \u00e9'");
  const auto platform = std::move(*Platform::make(cluster(text, 3)));
  EXPECT_EQ(platform->links()[0].name, "a & <b> \"c\" \u00e9");
}

TEST_F(PlatformFile, ARouteFromAHostToItselfIsNoMatter) {
  EXPECT_EQ(
      refusal(replaced(kGood, "    <route",
                       "    <route src=\"bob\" dst=\"bob\"><link_ctn id=\"cable\"/></route>\n    <route")),
      "");
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
    EXPECT_THAT(error.what(), ::testing::EndsWith("gone.xml: file not found; check the path"));
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
