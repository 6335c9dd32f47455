// Times: figures by hand, terms, limits, measured points, and how many evaluations a second there are.
#include "netmodels/nccl/time.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "tests/netmodels/nccl/described.hpp"

namespace netmodels::nccl {
namespace {

using namespace literals;

Model model_of(const Hardware& hardware, std::uint32_t ranks, std::uint32_t nodes = 1) {
  auto model = Model::make(hardware, {.ranks = ranks, .nodes = nodes});
  EXPECT_TRUE(model.has_value()) << model.error().text();
  return *model;
}

constexpr Bytes gibibyte = {1073741824};

TEST(NcclTime, OneRankCostsNothing) {
  const Model model = model_of(switched(80, 12, 8), 1);
  EXPECT_EQ(model.time(Operation::all_reduce, gibibyte)->total(), Seconds{});
}

TEST(NcclTime, TwoV100OnOneLinkByHand) {
  // Ring Simple: 6 us + 8.4 us + 1.3 * 2 * 3.4 us + 1 GiB / (25 GB/s * .905).
  const Time time = *model_of(v100_mesh(), 2).time(Operation::all_reduce, gibibyte);
  EXPECT_EQ(time.choice->algorithm, Algorithm::ring);
  EXPECT_EQ(time.choice->protocol, Protocol::simple);
  EXPECT_EQ(time.choice->channels, 2);
  EXPECT_DOUBLE_EQ(time.launch.count, 6e-6);
  EXPECT_DOUBLE_EQ(time.base.count, 8.4e-6);
  EXPECT_NEAR(time.hops.count, 1.3 * 2 * 3.4e-6, 1e-12);
  EXPECT_NEAR(time.wire.count, 1073741824 / (25e9 * .905), 1e-9);
  EXPECT_EQ(time.fill, Seconds{});
  EXPECT_EQ(time.enqueue, Seconds{});
}

TEST(NcclTime, TwoNodesWithSwitchesThatSumAreNotFasterThanOne) {
  Hardware hardware = switched(90, 18, 8);
  hardware.nvlink.multicast = true;
  hardware.network = interfaces(8, 400);
  const Time one = *model_of(hardware, 8).time(Operation::all_reduce, gibibyte);
  const Time two = *model_of(hardware, 16, 2).time(Operation::all_reduce, gibibyte);
  EXPECT_EQ(one.choice->algorithm, Algorithm::nvls);
  EXPECT_EQ(two.choice->algorithm, Algorithm::nvls_tree);
  EXPECT_GE(two.total(), one.total());
}

TEST(ShareOf, IsWhatNcclTestsCallsBusOverAlgorithmBandwidth) {
  EXPECT_DOUBLE_EQ(share_of(Operation::all_reduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(share_of(Operation::all_gather, 8), 0.875);
  EXPECT_DOUBLE_EQ(share_of(Operation::alltoall, 8), 0.875);
  EXPECT_DOUBLE_EQ(share_of(Operation::broadcast, 8), 1);
  EXPECT_DOUBLE_EQ(share_of(Operation::send_recv, 2), 1);
}

TEST(NcclTime, EightA100ByHand) {
  // Bus 12 * 25 * .8 / (1 + .7/64) GB/s; fill: .3 of 2 MiB on each of 24 channels.
  const Time time = *model_of(switched(80, 12, 8), 8).time(Operation::all_reduce, gibibyte);
  const double bus = 12 * 25e9 * .8 / (1 + .7 / 64);
  EXPECT_NEAR(time.wire.count, 1.75 * 1073741824 / bus, 1e-9);
  EXPECT_NEAR(time.fill.count, .3 * 2 * 1048576 * 24 / bus, 1e-9);
  EXPECT_EQ(time.choice->chunk, 2_MiB);
}

TEST(NcclTime, OneThreadThatDrivesEightGpusIsTheFloorOfSmallSizes) {
  Hardware hardware = switched(80, 12, 8);
  hardware.gpu.per_process = 8;
  const Time time = *model_of(hardware, 8).time(Operation::all_reduce, {8});
  // Ring LL, 1 channel: 8 * (4 + .2) us; the GPUs take 6 + 6.6 + 14 * .6 = 21 us, hidden below 25.
  EXPECT_EQ(time.choice->channels, 1);
  EXPECT_NEAR(time.total().count, 33.6e-6, 1e-9);
  EXPECT_LT(time.enqueue.count, 33.6e-6);
}

TEST(NcclTime, OneThreadEnqueuesABroadcastAlongItsChain) {
  Hardware hardware = switched(80, 12, 8);
  hardware.gpu.per_process = 8;
  const Time time = *model_of(hardware, 8).time(Operation::broadcast, 4_MiB);
  // Simple, 24 channels: 8 * (4 + 24 * .2) us to enqueue; 7 hops of 1.8 * 3.4 us are shorter than 8.8 us
  // each.
  EXPECT_EQ(time.choice->channels, 24);
  const double hops = 7 * 1.8 * 3.4e-6, wire = 4194304 / (12 * 25e9 * .8);
  EXPECT_NEAR(time.hops.count, hops, 1e-12);
  EXPECT_NEAR(time.total().count, 70.4e-6 + 6e-6 + 8.4e-6 + hops + wire - (25e-6 + hops), 1e-9);
  hardware.gpu.per_process = 1;  // each GPU by its own thread: all hops are seen
  EXPECT_NEAR(model_of(hardware, 8).time(Operation::broadcast, 4_MiB)->total().count,
              6e-6 + 8.4e-6 + hops + wire, 1e-9);
}

TEST(NcclTime, BroadcastUsesOneWayOfPcie) {
  Hardware hardware;
  hardware.version = "2.18";
  hardware.gpu = {.compute_capability = 75, .per_node = 2};
  hardware.pcie = {.peer_to_peer = false, .gpus_per_uplink = 2};
  const Model model = model_of(hardware, 2);
  EXPECT_NEAR(model.rates().one_way.count, 13e9 * .9, 1);
  EXPECT_NEAR(model.rates().two_way.count, 13e9 * .9 * .75 / 2, 1);
  EXPECT_LT(model.time(Operation::broadcast, gibibyte)->total().count,
            model.time(Operation::all_gather, gibibyte)->total().count);
}

TEST(NcclTime, OnlyTheHopsBetweenNodesFillATreeAtTheNetworksRate) {
  Hardware hardware = switched(80, 12, 8);
  hardware.network = interfaces(1, 10);
  hardware.network->kind = NetworkKind::socket;
  hardware.network->measured_rate = Bandwidth{1e9};
  hardware.environment = {.protocols = {Protocol::simple}, .algorithms = {Algorithm::tree}};
  const Time time = *model_of(hardware, 16, 2).time(Operation::all_reduce, 64_MiB);
  // 512 KiB up and down: 2 hops at 1 GB/s over the channels, 14 at 12 GB/s, which a channel reaches on
  // NVLink.
  const double channels = time.choice->channels;
  EXPECT_NEAR(time.fill.count, 524288 * (2 * channels / 1e9 + 14 / 12e9), 1e-9);
  EXPECT_NEAR(time.wire.count, 67108864 / 1e9, 1e-9);
}

/// 16 nodes of 8 V100 over 25 Gbit/s of TCP: a tree of depth 11.
TEST(NcclTime, SmallMessagesFollowEachOtherDownATreeInSmallerChunks) {
  Hardware hardware = v100_mesh();
  hardware.network = interfaces(1, 25);
  hardware.network->kind = NetworkKind::socket;
  hardware.environment = {.protocols = {Protocol::simple}, .algorithms = {Algorithm::tree}};
  const Model model = model_of(hardware, 128, 16);
  const auto chunk = [&](double size) {
    return model.time(Operation::all_reduce, {size})->choice->chunk.count;
  };
  EXPECT_EQ(model.time(Operation::all_reduce, {1e6})->choice->channels, 2);
  EXPECT_EQ(chunk(1e6), 32768);     // 15 chunks of 32 KiB a channel: fewer than 4 x 11 of 64 KiB
  EXPECT_EQ(chunk(6e6), 65536);     // 46 of 64 KiB: at least 4 x 11
  EXPECT_EQ(chunk(24e6), 131072);   // 92 of 128 KiB: at least 8 x 11
  EXPECT_EQ(chunk(100e6), 524288);  // 95 of 512 KiB
}

TEST(NcclTime, MeasuredRateReplacesTheUsualShare) {
  Hardware hardware = switched(90, 18, 8);
  hardware.network = interfaces(8, 400);
  EXPECT_NEAR(model_of(hardware, 16, 2).rates().node.count, 8 * 50e9 * .9, 1);
  hardware.network->measured_rate = Bandwidth{46e9};
  EXPECT_NEAR(model_of(hardware, 16, 2).rates().node.count, 8 * 46e9, 1);
}

TEST(NcclTime, ThePluginsLatencyCountsInTheChoiceAndNotInTheTime) {
  Hardware hardware;
  hardware.gpu = {.compute_capability = 86};
  hardware.network = interfaces(1, 25);
  hardware.network->kind = NetworkKind::efa;
  const Time without = *model_of(hardware, 2, 2).time(Operation::all_reduce, 512_B);
  hardware.network->plugin_latency = 75_us;
  const Time with = *model_of(hardware, 2, 2).time(Operation::all_reduce, 512_B);
  EXPECT_EQ(without.total(), with.total());
  EXPECT_NEAR((with.choice->estimate - without.choice->estimate).count, 2 * 75e-6, 1e-9);
}

TEST(NcclTime, AlltoallAddsLocalAndRemotePartsWithoutNvlink) {
  Hardware hardware = switched(80, 12, 8);
  hardware.network = interfaces(8, 200);
  const Model joined = model_of(hardware, 16, 2);
  const Time by_switch = *joined.time(Operation::alltoall, gibibyte);
  EXPECT_FALSE(by_switch.choice.has_value());
  EXPECT_NEAR(by_switch.wire.count, 1073741824 * .5 / (25e9 * .9), 1e-7);
  hardware.nvlink = {};
  const Model alone = model_of(hardware, 16, 2);
  const Time by_pcie = *alone.time(Operation::alltoall, gibibyte);
  EXPECT_NEAR(by_pcie.wire.count, 1073741824 * .5 / (25e9 * .9) + 1073741824 * 7. / 16 / (26e9 * .9), 1e-7);
}

/// 8 x H100: 16 channels sum 128 KiB of each of 8 shares at a time, 16 MiB in all.
TEST(NcclTime, OfTheLastRoundOfChunksThroughSwitchesAPartIsAlone) {
  Hardware hardware = switched(90, 18, 8);
  hardware.nvlink.multicast = true;
  hardware.environment = {.algorithms = {Algorithm::nvls}};
  const Model model = model_of(hardware, 8);
  const Time small = *model.time(Operation::all_reduce, 4_MiB);
  const Time large = *model.time(Operation::all_reduce, gibibyte);
  EXPECT_EQ(large.choice->channels, 16);
  EXPECT_NEAR(small.fill / small.wire, .55, 1e-12);
  EXPECT_NEAR(large.fill / large.wire, .55 / 64, 1e-12);
}

TEST(NcclTime, SendOnAMeshIsAsFastAsItsNarrowestPair) {
  // Of GPU 0 to 1 there is one link; 3 and 4 exchange through 0, 7 and 0 through 4, on two links each.
  const Time time = *model_of(v100_mesh(), 8).time(Operation::send_recv, gibibyte);
  EXPECT_NEAR(time.wire.count, 1073741824 / (25e9 * .905), 1e-9);
}

TEST(NcclTime, AlltoallOnAMeshCarriesPartsOfPairsWithoutALink) {
  // From 0 to 1, one link: what 0 sends to 1, and what 0 sends to 5 and 4 to 1 with a GPU between.
  const Time time = *model_of(v100_mesh(), 8).time(Operation::alltoall, gibibyte);
  EXPECT_NEAR(time.wire.count, 1073741824 / 8. * (1 + 2 / .82) / (25e9 * .905), 1e-9);
}

TEST(NcclTime, PairsWithoutAWayOfTwoLinksExchangeOverPcie) {
  Hardware hardware = v100_mesh();
  hardware.gpu.per_node = 6;
  hardware.nvlink.mesh = {{0, 1, 2}, {1, 2, 2}, {2, 3, 2}, {3, 4, 2}, {4, 5, 2}, {5, 0, 2}};
  const Time time = *model_of(hardware, 6).time(Operation::alltoall, gibibyte);
  EXPECT_NEAR(time.wire.count, 1073741824 * (5. / 6) / (13e9 * .9), 1e-9);
}

TEST(NcclTime, SendPassesOneInterface) {
  Hardware hardware = switched(90, 18, 8);
  hardware.network = interfaces(8, 400);
  const Time time = *model_of(hardware, 16, 2).time(Operation::send_recv, gibibyte);
  EXPECT_NEAR(time.wire.count, 1073741824 / (50e9 * .9), 1e-7);
}

TEST(NcclTime, TimesRiseWithSizeWhileTheChoiceStays) {
  for (const Hardware& hardware : {switched(80, 12, 8), v100_mesh(), switched(100, 18, 8)}) {
    const Model model = model_of(hardware, 8);
    for (const Operation operation : {Operation::all_reduce, Operation::all_gather, Operation::broadcast}) {
      Time before = *model.time(operation, {8});
      for (double size = 9; size < 1e10; size *= 1.1) {
        const Time now = *model.time(operation, {size});
        const bool same = now.choice->algorithm == before.choice->algorithm &&
                          now.choice->protocol == before.choice->protocol;
        if (same) {
          EXPECT_GE(now.total(), before.total()) << size;
        }
        before = now;
      }
    }
  }
}

TEST(NcclTime, TwoMeasuredPointsAreReproduced) {
  Hardware hardware = switched(80, 12, 8);
  hardware.measured = {.points = {{{8}, 30_us}, {gibibyte, 9_ms}}};
  const Model model = model_of(hardware, 8);
  EXPECT_NEAR(model.time(Operation::all_reduce, {8})->total().count, 30e-6, 1e-9);
  EXPECT_NEAR(model.time(Operation::all_reduce, gibibyte)->total().count, 9e-3, 1e-7);
}

TEST(NcclTime, ThreeMeasuredPointsAreReproducedAndInterpolated) {
  Hardware hardware = switched(80, 12, 8);
  hardware.measured = {.points = {{{8}, 30_us}, {1_MiB, 100_us}, {gibibyte, 9_ms}}};
  const Model model = model_of(hardware, 8);
  const auto of = [&](Bytes size) { return model.time(Operation::all_reduce, size)->total().count; };
  EXPECT_NEAR(of({8}), 30e-6, 1e-9);
  EXPECT_NEAR(of(1_MiB), 100e-6, 1e-9);
  EXPECT_NEAR(of(gibibyte), 9e-3, 1e-7);
  hardware.measured->points.erase(hardware.measured->points.begin() + 1);
  const Model two = model_of(hardware, 8);
  const auto by_two = [&](Bytes size) { return two.time(Operation::all_reduce, size)->total().count; };
  // 32 MiB is half way from 1 MiB to 1 GiB, so that half of the correction is left.
  EXPECT_NEAR(of({33554432}), by_two({33554432}) * std::sqrt(100e-6 / by_two(1_MiB)), 1e-9);
  EXPECT_EQ(model.time(Operation::all_gather, 1_MiB)->total(),
            two.time(Operation::all_gather, 1_MiB)->total());
}

TEST(NcclTime, AnOffsetOfOneOperationLeavesOthersTheTimeOfTheirBytes) {
  Hardware hardware = v100_mesh();
  hardware.measured = {.operation = Operation::alltoall, .points = {{{8}, 1_us}, {gibibyte, 50_ms}}};
  const Model model = model_of(hardware, 8);
  for (const Operation operation : {Operation::all_reduce, Operation::broadcast, Operation::send_recv}) {
    for (const Bytes size : {Bytes{1}, 1_MiB, gibibyte}) {
      const auto time = model.time(operation, size);
      EXPECT_GE(time->total().count, (time->wire + time->fill).count - 1e-15)  // but for rounding
          << to_string(operation) << " " << size.count;
      EXPECT_GT(time->wire.count, 0);
    }
  }
  EXPECT_NEAR(model.time(Operation::alltoall, {8})->total().count, 1e-6, 1e-9);
}

TEST(NcclTime, ARateMeasuredOnTwoRanksHoldsForEight) {
  Hardware hardware = v100_mesh();
  hardware.measured = {.ranks = 2, .points = {{gibibyte, 100_ms}}};
  const Seconds plain = model_of(v100_mesh(), 8).time(Operation::all_reduce, gibibyte)->wire;
  const Seconds slower = model_of(hardware, 8).time(Operation::all_reduce, gibibyte)->wire;
  EXPECT_NEAR(slower / plain, (.1 - 23.24e-6) / (1073741824 / (25e9 * .905)), 1e-6);
}

TEST(NcclTime, AnOperationWithoutAlgorithmIsRefused) {
  Hardware hardware = switched(80, 12, 8);
  hardware.environment.algorithms = {Algorithm::tree};
  const Model model = model_of(hardware, 8);
  EXPECT_TRUE(model.time(Operation::all_reduce, gibibyte).has_value());
  EXPECT_EQ(
      model.time(Operation::broadcast, gibibyte).error().text(),
      "broadcast has no algorithm left; allow more in `environment`: every operation has a ring in LL and "
      "Simple");
}

TEST(NcclTime, ClassesFollowNodesAndNetwork) {
  Hardware hardware = switched(90, 18, 8);
  hardware.network = interfaces(8, 400);
  EXPECT_EQ(error_class(hardware, {.ranks = 8}).key, "nvlink");
  EXPECT_EQ(error_class(hardware, {.ranks = 16, .nodes = 2}).key, "rdma");
  hardware.network->kind = NetworkKind::efa;
  EXPECT_EQ(error_class(hardware, {.ranks = 16, .nodes = 2}).key, "socket");
  hardware.environment.tuner = TunerKind::plugin;
  EXPECT_EQ(error_class(hardware, {.ranks = 16, .nodes = 2}).key, "plugin");
}

// The tables behind `measured` begin at the smallest size.
TEST(NcclTime, TheUsualErrorIsOfTheSizeAndOfWhatWasMeasured) {
  constexpr Bytes kibibyte{1024};
  Hardware hardware = switched(90, 18, 8);
  const Group eight{.ranks = 8};
  EXPECT_FALSE(usual_error(hardware, {.ranks = 1}, gibibyte));
  ASSERT_TRUE(usual_error(hardware, eight, Bytes{1048575}));
  EXPECT_EQ(usual_error(hardware, eight, Bytes{1048575})->p90, error_class(hardware, eight).small.p90);
  ASSERT_TRUE(usual_error(hardware, eight, Bytes{1048576}));
  EXPECT_EQ(usual_error(hardware, eight, gibibyte)->median, error_class(hardware, eight).alone.median);
  hardware.measured = Measured{.points = {{gibibyte, Seconds{4e-3}}}};
  EXPECT_EQ(usual_error(hardware, eight, kibibyte)->p90, error_class(hardware, eight).small.p90);
  EXPECT_EQ(usual_error(hardware, eight, gibibyte)->p90, error_class(hardware, eight).alone.p90);
  hardware.measured->points = {{kibibyte, Seconds{20e-6}}, {gibibyte, Seconds{4e-3}}};
  ASSERT_TRUE(usual_error(hardware, eight, kibibyte));
  EXPECT_EQ(usual_error(hardware, eight, kibibyte)->p90, error_class(hardware, eight).measured.p90);
  hardware.gpu.ranks_per_gpu = 2;
  EXPECT_FALSE(usual_error(hardware, eight, gibibyte));
}

// Prints a rate; nothing is held to the clock.
TEST(NcclTime, CountsEvaluationsASecond) {
  Hardware hardware = switched(90, 18, 8);
  hardware.nvlink.multicast = true;
  hardware.network = interfaces(8, 400);
  const Model model = model_of(hardware, 64, 8);
  constexpr int evaluations = 200'000;
  double sum = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < evaluations; ++i)
    sum += model.time(Operation::all_reduce, {1024. + i * 997})->total().count;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%.2f million evaluations a second\n", evaluations / took.count() / 1e6);
  EXPECT_GT(sum, 0);
}

}  // namespace
}  // namespace netmodels::nccl
