// Ranks as threads of network namespaces, on a stub of NCCL whose ranks talk over TCP: what they measure is
// the link between the namespaces.
#include <array>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/probes/nccl_plan.hpp"
#include "tests/scratch_folder.hpp"

namespace calibrate::probes {
namespace {

using netmodels::Bytes;
using netmodels::Seconds;
using testing::ElementsAre;

/// Two network namespaces, one link of 100 Mbit/s per direction.
class ShapedPair {
 public:
  ShapedPair() {
    made_ = run("ip netns add " + names_[0]) && run("ip netns add " + names_[1]) &&
            run("ip -n " + names_[0] + " link add eth0 type veth peer name eth0 netns " + names_[1]) &&
            set_up(0) && set_up(1);
  }
  ~ShapedPair() {
    for (const std::string& name : names_) (void)run("ip netns del " + name);
  }
  ShapedPair(const ShapedPair&) = delete;
  ShapedPair& operator=(const ShapedPair&) = delete;
  ShapedPair(ShapedPair&&) = delete;
  ShapedPair& operator=(ShapedPair&&) = delete;

  [[nodiscard]] bool made() const { return made_; }
  [[nodiscard]] std::vector<std::string> names() const { return {names_.begin(), names_.end()}; }

 private:
  static bool run(const std::string& command) {
    return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
  }
  bool set_up(std::size_t at) const {
    const std::string in = " -n " + names_[at] + " ";
    return run("ip" + in + "link set lo up") &&
           run("ip" + in + "addr add 10.77.0." + std::to_string(at + 1) + "/24 dev eth0") &&
           run("ip" + in + "link set dev eth0 gso_max_segs 1") && run("ip" + in + "link set eth0 up") &&
           run("tc" + in + "qdisc add dev eth0 root tbf rate 100mbit burst 3125 limit 8000000");
  }

  std::array<std::string, 2> names_{"gradsim-stub-" + std::to_string(getpid()) + "-a",
                                    "gradsim-stub-" + std::to_string(getpid()) + "-b"};
  bool made_ = false;
};

class NcclInNamespaces : public testing::Test {
 protected:
  NcclInNamespaces() {
    setenv("STUB_NCCL_TCP", "1", 1);
    setenv("STUB_CUDA_DEVICES", "1", 1);
    plan_.library = GRADSIM_STUB_NCCL;
    plan_.sizes = {Bytes{1e6}};
    plan_.warm_up = 1;
    plan_.calls = 1;
    plan_.repetitions = 3;
    plan_.namespaces = pair_.names();
  }

  /// Of 1 MB, and what went wrong.
  Seconds time_of(const std::string& operation) {
    plan_.operations = {operation};
    const auto measured = probe_nccl(plan_, {});
    EXPECT_TRUE(measured) << measured.error().text();
    if (!measured) return Seconds{0};
    EXPECT_THAT(measured->failures, ElementsAre());
    return measured->exchanges.empty() ? Seconds{0} : measured->exchanges.front().samples.front().median();
  }

  const ShapedPair pair_;
  NcclPlan plan_;
};

// 1 MB takes 80 ms at 100 Mbit/s, and headers 4 ms more; a busy machine may take longer, loopback takes less
// than 5.
constexpr double line_ms = 80, patient_ms = 400;

TEST_F(NcclInNamespaces, AMessageTakesAsLongAsTheLinkBetweenThem) {
  if (!pair_.made()) GTEST_SKIP() << "skipped: network namespaces or shaped links are refused";
  const double ms = time_of("point_to_point").count * 1e3;
  EXPECT_GT(ms, line_ms);
  EXPECT_LT(ms, patient_ms);
}

TEST_F(NcclInNamespaces, ARingSendsHalfOfTheSumTwiceEachWay) {
  if (!pair_.made()) GTEST_SKIP() << "skipped: network namespaces or shaped links are refused";
  const double ms = time_of("all_reduce").count * 1e3;
  EXPECT_GT(ms, line_ms);
  EXPECT_LT(ms, patient_ms);
}

TEST_F(NcclInNamespaces, EachRankHasAPrivateCopyWhereThereAreDevicesForAll) {
  if (!pair_.made()) GTEST_SKIP() << "skipped: network namespaces or shaped links are refused";
  setenv("STUB_CUDA_DEVICES", "4", 1);
  plan_.operations = {"broadcast"};
  const auto measured = probe_nccl(plan_, {});
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_THAT(measured->failures, ElementsAre());
  EXPECT_EQ(measured->way, NcclWay::private_copies);
  EXPECT_EQ(measured->nodes, 2);
  EXPECT_EQ(measured->device, "2x stub device");
  EXPECT_THAT(measured->warnings, ElementsAre());  // 80 ms are the link's, not the device's
}

TEST_F(NcclInNamespaces, AfterACrashTheNextCaseMeetsAgain) {
  if (!pair_.made()) GTEST_SKIP() << "skipped: network namespaces or shaped links are refused";
  setenv("STUB_NCCL_CRASH", "ncclAllGather", 1);
  plan_.operations = {"all_gather", "all_reduce"};
  const auto measured = probe_nccl(plan_, {});
  unsetenv("STUB_NCCL_CRASH");
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_THAT(measured->failures, ElementsAre("all_gather of 1 MB: its process was ended by signal 9"));
  ASSERT_EQ(measured->exchanges.size(), 1U);
  EXPECT_EQ(measured->exchanges.front().operation->name, "all_reduce");
}

TEST_F(NcclInNamespaces, AnUnknownNameIsRefusedBeforeADeviceIsLookedFor) {
  setenv("STUB_CUDA_DEVICES", "0", 1);
  plan_.operations = {"all_reduce"};
  plan_.namespaces = {"no-such-a", "no-such-b"};
  const auto measured = probe_nccl(plan_, {});
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().where, "--namespaces");
  EXPECT_EQ(measured.error().what, "unknown network namespace `no-such-a`");
}

}  // namespace
}  // namespace calibrate::probes
