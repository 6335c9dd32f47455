// Network namespaces that threads enter: what a thread sees there, and names that cannot be entered.
#include "calibrate/probes/network_namespace.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>

namespace calibrate::probes {
namespace {

using testing::HasSubstr;

bool run_command(const std::string& command) {
  return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

/// A namespace with a network device `inside`, made and removed by `ip`.
class MadeNamespace {
 public:
  MadeNamespace() : made_(run_command("ip netns add " + name_)) {
    made_ = made_ && run_command("ip -n " + name_ + " link add inside type bridge");
  }
  ~MadeNamespace() { (void)run_command("ip netns del " + name_); }
  MadeNamespace(const MadeNamespace&) = delete;
  MadeNamespace& operator=(const MadeNamespace&) = delete;
  MadeNamespace(MadeNamespace&&) = delete;
  MadeNamespace& operator=(MadeNamespace&&) = delete;

  [[nodiscard]] bool made() const { return made_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_ = "gradsim-test-" + std::to_string(getpid());
  bool made_;
};

bool sees_inside() { return if_nametoindex("inside") != 0; }

TEST(NetworkNamespace, IsEnteredByOneThreadAndTheThreadsThatItStarts) {
  const MadeNamespace made;
  if (!made.made()) GTEST_SKIP() << "skipped: network namespaces are refused";
  const auto network = NetworkNamespace::open(made.name());
  ASSERT_TRUE(network) << network.error().text();
  bool seen = false;
  bool inherited = false;
  network->run([&] {
    seen = sees_inside();
    std::thread([&] { inherited = sees_inside(); }).join();
  });
  EXPECT_TRUE(seen);
  EXPECT_TRUE(inherited);
  EXPECT_FALSE(sees_inside());
}

TEST(NetworkNamespace, PassesOnWhatTheWorkThrows) {
  const MadeNamespace made;
  if (!made.made()) GTEST_SKIP() << "skipped: network namespaces are refused";
  const auto network = NetworkNamespace::open(made.name());
  ASSERT_TRUE(network) << network.error().text();
  EXPECT_THROW(network->run([] { throw std::out_of_range("work"); }), std::out_of_range);
}

TEST(NetworkNamespace, ThatIsUnknownIsRefusedWithTheNamesThatExist) {
  const MadeNamespace made;
  if (!made.made()) GTEST_SKIP() << "skipped: network namespaces are refused";
  const auto opened = NetworkNamespace::open("no-such-namespace");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().where, "--namespaces");
  EXPECT_EQ(opened.error().what, "unknown network namespace `no-such-namespace`");
  EXPECT_THAT(opened.error().hint, HasSubstr(made.name()));
}

TEST(NetworkNamespace, IsANameAndNoPath) {
  for (const char* name : {"", ".", "..", "../../../proc/self/ns/net", "/proc/self/ns/net"})
    EXPECT_FALSE(NetworkNamespace::open(name)) << name;
}

TEST(NetworkNamespace, NeedsRootToBeEntered) {
  const MadeNamespace made;
  if (!made.made()) GTEST_SKIP() << "skipped: network namespaces are refused";
  EXPECT_EXIT(
      {
        if (setuid(65534) != 0) _exit(2);
        const auto opened = NetworkNamespace::open(made.name());
        const std::string expected = "--namespaces: network namespace `" + made.name() +
                                     "` cannot be entered: Operation not permitted; run this as root";
        _exit(!opened && opened.error().text() == expected ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace calibrate::probes
