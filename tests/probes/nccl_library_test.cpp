// Private copies of NCCL in one process, and one in a network namespace, where the library is installed; none
// of this needs a GPU.
#include <gtest/gtest.h>

#if GRADSIM_HAS_NCCL
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>

#include "calibrate/probes/nccl_ranks.hpp"
#include "calibrate/probes/network_namespace.hpp"
#include "tests/scratch_folder.hpp"

namespace calibrate::probes {
namespace {

namespace fs = std::filesystem;

/// Where NCCL lies; empty where it is not installed.
fs::path installed() {
  for (const char* name : {"libnccl.so.2", "/usr/local/cuda/lib64/libnccl.so.2"}) {
    const auto path = locate_library(name);
    if (path && fs::exists(*path)) return *path;
  }
  return {};
}

TEST(NcclLibrary, OpensAsSeveralCopiesThatShareNothing) {
  const fs::path original = installed();
  if (original.empty()) GTEST_SKIP() << "skipped: libnccl.so.2 is not installed";
  const tests::ScratchFolder folder;
  std::vector<std::shared_ptr<const NcclLibrary>> copies;
  for (const char* name : {"one.so", "two.so"}) {
    fs::copy_file(original, folder / name);
    auto opened = NcclLibrary::open((folder / name).string());
    ASSERT_TRUE(opened) << opened.error().text();
    copies.push_back(std::move(*opened));
  }
  EXPECT_EQ(copies[0]->version(), copies[1]->version());
  EXPECT_NE(copies[0]->all_reduce, copies[1]->all_reduce);
  copies.clear();
}

/// A namespace with an `eth0` that has an address, made and removed by `ip`.
class NamespaceWithEth0 {
 public:
  NamespaceWithEth0() {
    made_ = run("ip netns add " + name_) && run("ip -n " + name_ + " link add eth0 type bridge") &&
            run("ip -n " + name_ + " addr add 10.77.0.1/24 dev eth0") &&
            run("ip -n " + name_ + " link set eth0 up");
  }
  ~NamespaceWithEth0() { (void)run("ip netns del " + name_); }
  NamespaceWithEth0(const NamespaceWithEth0&) = delete;
  NamespaceWithEth0& operator=(const NamespaceWithEth0&) = delete;
  NamespaceWithEth0(NamespaceWithEth0&&) = delete;
  NamespaceWithEth0& operator=(NamespaceWithEth0&&) = delete;

  [[nodiscard]] bool made() const { return made_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  static bool run(const std::string& command) {
    return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
  }

  std::string name_ = "gradsim-nccl-" + std::to_string(getpid());
  bool made_ = false;
};

/// How many threads of this process are in another network namespace than its first one.
int threads_elsewhere() {
  int found = 0;
  const fs::path own = fs::read_symlink("/proc/self/ns/net");
  for (const auto& thread : fs::directory_iterator("/proc/self/task"))
    found += fs::read_symlink(thread.path() / "ns/net") != own ? 1 : 0;
  return found;
}

/// Opens NCCL and gets an id, for which a thread of NCCL listens, in a thread of the namespace.
[[noreturn]] void listen_there(const std::string& library, const std::string& name) {
  setenv("NCCL_SOCKET_IFNAME", "eth0", 1);
  setenv("NCCL_SOCKET_FAMILY", "AF_INET", 1);
  const auto network = NetworkNamespace::open(name);
  if (!network) _exit(2);
  std::shared_ptr<const NcclLibrary> opened;
  network->run([&] {
    opened = *NcclLibrary::open(library);
    ncclUniqueId id{};
    opened->check(opened->get_unique_id(&id), "ncclGetUniqueId");
  });
  _exit(threads_elsewhere() > 0 ? 0 : 1);
}

TEST(NcclLibrary, ListensInTheNamespaceOfTheThreadThatOpenedIt) {
  const fs::path original = installed();
  if (original.empty()) GTEST_SKIP() << "skipped: libnccl.so.2 is not installed";
  const NamespaceWithEth0 made;
  if (!made.made()) GTEST_SKIP() << "skipped: network namespaces are refused";
  EXPECT_EXIT(listen_there(original.string(), made.name()), testing::ExitedWithCode(0), "");
}

TEST(NcclLibrary, RefusesWhatIsNoLibrary) {
  const auto opened = NcclLibrary::open("/nowhere/libnccl.so.2");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().where, "--library");
  EXPECT_EQ(
      opened.error().hint,
      "name the file of libnccl.so.2, or its folder's parent by NCCL_HOME; PyTorch includes one, in lib of: "
      "python3 -c 'import nvidia.nccl as n; print(list(n.__path__)[0])'");
}

}  // namespace
}  // namespace calibrate::probes
#else
TEST(NcclLibrary, OpensAsSeveralCopiesThatShareNothing) { GTEST_SKIP() << "skipped: built without NCCL"; }
#endif
