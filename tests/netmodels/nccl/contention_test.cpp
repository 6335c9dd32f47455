// NCCL's rings and trees as flows: as long as the model says on a quiet network, longer on one that is not.
#include "netmodels/nccl/contention.hpp"

#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "tests/netmodels/nccl/described.hpp"

namespace netmodels::nccl {
namespace {

using namespace literals;

/// Ranks in nodes on a star: each has a link of its own inside its node, each node one to the others; ids
/// are up and down in turn, those of ranks first. Links have what the model's hardware reaches.
class ModelStar {
 public:
  explicit ModelStar(const Model& model) : group_(model.group()) {
    const auto add = [&](std::uint32_t count, Bandwidth bandwidth) {
      state_.links.insert(state_.links.end(), 2 * static_cast<std::size_t>(count), {1_us, bandwidth});
    };
    add(group_.ranks, group_.per_node() > 1 ? model.rates().two_way : Bandwidth{1e15});
    add(group_.nodes, group_.nodes > 1 ? model.rates().node : Bandwidth{1e15});
    links_.most.assign(state_.links.size(), Bandwidth{std::numeric_limits<double>::infinity()});
    links_.latency.assign(state_.links.size(), 1_us);
  }

  [[nodiscard]] LinkId up(std::uint32_t node) const { return 2 * (group_.ranks + node); }
  [[nodiscard]] NetworkState& state() { return state_; }
  [[nodiscard]] ModelLinks& links() { return links_; }

  /// Channels cross nodes by all ranks: only the nodes' links are loaded.
  const Route& route(std::uint32_t from, std::uint32_t to) const {
    const auto per_node = static_cast<std::uint32_t>(group_.per_node());
    const auto [place, is_new] = routes_.try_emplace({from, to});
    if (!is_new) return place->second;
    if (from / per_node == to / per_node) return place->second = {2 * from, 2 * to + 1};
    return place->second = {up(from / per_node), up(to / per_node) + 1};
  }

  ContendedTime time(const Model& model, Operation operation, Bytes size) const {
    const Time quiet = *model.time(operation, size);
    const Pattern pattern = pattern_of(model, operation, quiet);
    Flows flows;
    flows.links.emplace_back();
    for (const Edge& edge : pattern.edges) {
      const Route& links = route(edge.from, edge.to);
      flows.edges.emplace_back(links);
      flows.links[0].insert(flows.links[0].end(), links.begin(), links.end());
    }
    return contended(
        quiet, pattern, flows, links_, state_,
        [this](std::uint32_t from, std::uint32_t to) -> const Route& { return route(from, to); });
  }

 private:
  Group group_;
  NetworkState state_;
  ModelLinks links_;
  mutable std::map<std::pair<std::uint32_t, std::uint32_t>, Route> routes_;
};

struct Machine {
  Hardware hardware;
  Group group;
};

std::vector<Machine> machines() {
  Hardware h100 = switched(90, 18, 8);
  h100.nvlink.multicast = true;
  h100.network = interfaces(8, 400);
  Hardware dgx1 = v100_mesh();
  dgx1.network = interfaces(4, 100);
  Hardware lone = switched(80, 12, 1);
  lone.nvlink = {};
  lone.network = interfaces(1, 100);
  return {{switched(80, 12, 8), {.ranks = 8}}, {v100_mesh(), {.ranks = 5}},
          {v100_mesh(), {.ranks = 8}},         {h100, {.ranks = 8}},
          {h100, {.ranks = 16, .nodes = 2}},   {h100, {.ranks = 40, .nodes = 5}},
          {dgx1, {.ranks = 32, .nodes = 4}},   {lone, {.ranks = 2, .nodes = 2}},
          {lone, {.ranks = 16, .nodes = 16}}};
}

Model four_nodes(std::vector<Algorithm> algorithms = {Algorithm::ring},
                 std::vector<Protocol> protocols = {Protocol::simple}) {
  Hardware lone = switched(80, 12, 1);
  lone.nvlink = {};
  lone.network = interfaces(1, 100);
  lone.environment = {.protocols = std::move(protocols), .algorithms = std::move(algorithms)};
  return *Model::make(lone, {.ranks = 4, .nodes = 4});
}

constexpr Bytes big = 64_MiB;
constexpr Bytes kilobyte{1024};

TEST(NcclContention, AQuietNetworkTakesWhatTheModelSays) {
  int cases = 0;
  for (const Machine& machine : machines()) {
    for (const Algorithm algorithm : {Algorithm::ring, Algorithm::tree}) {
      Hardware hardware = machine.hardware;
      hardware.environment.algorithms = {algorithm, Algorithm::ring};
      const Model model = *Model::make(hardware, machine.group);
      const ModelStar star(model);
      for (const Operation operation :
           {Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter, Operation::broadcast}) {
        for (Bytes size = kilobyte; size <= 1024_MiB; size *= 4) {
          const Seconds quiet = model.time(operation, size)->total();
          const ContendedTime taken = star.time(model, operation, size);
          EXPECT_NEAR(taken.time.total() / quiet, 1, 1e-6);
          EXPECT_TRUE(taken.reusable);
          ++cases;
        }
      }
    }
  }
  EXPECT_GT(cases, 500);
}

TEST(NcclContention, TheSlowestLinkSetsTheRateOfARing) {
  const Model model = four_nodes();
  ModelStar star(model);
  const Time quiet = star.time(model, Operation::all_reduce, big).time;
  EXPECT_EQ(quiet.contention, Seconds{});
  star.state().links[star.up(2)].bandwidth *= .25;
  EXPECT_NEAR(star.time(model, Operation::all_reduce, big).time.contention / (wire_of(quiet) * 3), 1, 1e-9);
}

TEST(NcclContention, ABackgroundFlowTakesHalfOfItsLink) {
  const Model model = four_nodes();
  ModelStar star(model);
  star.state().background = {{1, 2}};
  const Time time = star.time(model, Operation::all_reduce, big).time;
  EXPECT_NEAR(time.contention / wire_of(time), 1, 1e-9);
  star.state().background = {{1, 3}, {1, 3}};  // the upward link of node 1 has three flows
  EXPECT_NEAR(star.time(model, Operation::all_reduce, big).time.contention / wire_of(time), 2, 1e-9);
}

/// Two trees over four nodes load a node's link with three edges, two where it has children or a parent and a
/// child, and one where it is a leaf: two more flows leave them three of five parts.
TEST(NcclContention, EdgesOfATreeShareTheLinkOfTheirNode) {
  const Model model = four_nodes({Algorithm::tree});
  ModelStar star(model);
  const Time quiet = star.time(model, Operation::all_reduce, big).time;
  const Pattern pattern = pattern_of(model, Operation::all_reduce, quiet);
  EXPECT_EQ(pattern.edges.size(), 12U);  // two trees of three edges, up and down
  EXPECT_EQ(pattern.quiet_rate, model.rates().node / 3);
  for (std::uint32_t node = 0; node < 4; ++node) {
    star.state().background.push_back({node, (node + 1) % 4});
    star.state().background.push_back({node, (node + 1) % 4});
  }
  EXPECT_NEAR(star.time(model, Operation::all_reduce, big).time.contention / wire_of(quiet), 2. / 3, 1e-9);
}

TEST(NcclContention, ChangesActOnWhatIsLeft) {
  const Model model = four_nodes();
  ModelStar star(model);
  const Time quiet = star.time(model, Operation::all_reduce, big).time;
  NetworkState& state = star.state();
  state.now = {100};
  const Seconds half = quiet.total() - wire_of(quiet) / 2;
  const std::vector<LinkChange> changes{
      {state.now + half, star.up(0), {1_us, state.links[star.up(0)].bandwidth / 3}}};
  state.upcoming = changes;
  const ContendedTime taken = star.time(model, Operation::all_reduce, big);
  EXPECT_NEAR(taken.time.contention / wire_of(quiet), 1, 1e-6);  // half of the bytes at a third of the rate
  EXPECT_FALSE(taken.reusable);
}

TEST(NcclContention, BackgroundThatBeginsActsOnWhatIsLeft) {
  const Model model = four_nodes();
  ModelStar star(model);
  const Time quiet = star.time(model, Operation::all_reduce, big).time;
  const Seconds begin = quiet.total() - wire_of(quiet) / 2;
  const std::vector<BackgroundChange> changes{{begin, {{3, 0}}}, {begin + wire_of(quiet) / 4, {}}};
  star.state().upcoming_background = changes;
  EXPECT_NEAR(star.time(model, Operation::all_reduce, big).time.contention / wire_of(quiet), .125, 1e-6);
}

/// Six dependent steps of four ranks, each over two links that are 10 us farther than on a quiet network.
TEST(NcclContention, LatencyBeyondTheQuietOneCountsOnEveryStep) {
  const Model model = four_nodes({Algorithm::ring}, {Protocol::LL});
  ModelStar star(model);
  for (LinkState& link : star.state().links) link.latency += 10_us;
  const auto added = [&](Operation operation) {
    return (star.time(model, operation, kilobyte).time.hops - model.time(operation, kilobyte)->hops).count;
  };
  EXPECT_NEAR(added(Operation::all_reduce), 6 * 20e-6, 1e-12);
  EXPECT_NEAR(added(Operation::all_gather), 3 * 20e-6, 1e-12);
  EXPECT_NEAR(added(Operation::broadcast), 3 * 20e-6, 1e-12);
}

TEST(NcclContention, AProtocolThatLeavesLinksIdleIsSlowedOnlyBelowItsOwnLimit) {
  Hardware h100 = switched(90, 18, 8);
  h100.network = interfaces(8, 400);
  h100.network->measured_rate = Bandwidth{44e9};  // below what NVLink carries
  h100.environment = {.protocols = {Protocol::LL}, .algorithms = {Algorithm::ring}};
  const Model model = *Model::make(h100, {.ranks = 16, .nodes = 2});
  ModelStar star(model);
  const Time quiet = star.time(model, Operation::all_reduce, big).time;
  ASSERT_LT(quiet.link_share, .9);
  LinkState& link = star.state().links[star.up(0)];
  const Bandwidth whole = link.bandwidth;
  link.bandwidth = whole * quiet.link_share;
  EXPECT_EQ(star.time(model, Operation::all_reduce, big).time.contention, Seconds{});
  link.bandwidth = whole * (quiet.link_share / 2);
  EXPECT_NEAR(star.time(model, Operation::all_reduce, big).time.contention / wire_of(quiet), 1, 1e-6);
}

TEST(NcclContention, ALinkCarriesNoMoreThanTheHardwarePutsOnIt) {
  const Model model = four_nodes();
  ModelStar star(model);
  const Bandwidth reached = star.state().links[star.up(0)].bandwidth;
  star.links().most.assign(star.state().links.size(), reached / 2);
  const Time slowed = star.time(model, Operation::all_reduce, big).time;
  EXPECT_NEAR(slowed.contention / wire_of(slowed), 1, 1e-6);
}

/// 64 MiB around four nodes at 1 Gbit/s, 50 ms apart: 6 delays, 1.5 x 64 MiB / (1 Gbit/s), and the pipeline's
/// fill.
TEST(NcclContention, OnASlowAndFarNetworkDelaysAndBytesAreThoseOfTheNetwork) {
  const Model model = four_nodes();
  ModelStar star(model);
  for (LinkState& link : star.state().links) link = {25_ms, 1_Gbps};
  star.links().latency.assign(star.state().links.size(), {});
  const Time time = star.time(model, Operation::all_reduce, big).time;
  const Time quiet = *model.time(Operation::all_reduce, big);
  const double slower = model.rates().node / 1_Gbps;
  EXPECT_NEAR(time.total().count, 0.3 + 1.5 * big.count / 0.125e9, .06);
  EXPECT_NEAR((time.total() - Seconds{0.3}).count,
              (quiet.launch + quiet.base + quiet.hops + (quiet.wire + quiet.fill) * slower).count, 1e-9);
}

TEST(NcclContention, FasterLinksThanTheHardwareGainNothing) {
  const Model model = four_nodes();
  ModelStar star(model);
  for (LinkState& link : star.state().links) link.bandwidth *= 2;
  EXPECT_EQ(star.time(model, Operation::all_reduce, big).time.contention, Seconds{});
}

}  // namespace
}  // namespace netmodels::nccl
