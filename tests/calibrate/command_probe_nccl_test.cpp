// `calibrate probe nccl`: its errors, which need no GPU.
#include <map>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/commands.hpp"
#include "calibrate/exit_code.hpp"

namespace calibrate {
namespace {

const char* first_of_two(const char* name) {
  static const std::map<std::string, const char*> set{
      {"RANK", "0"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", "0"}};
  const auto found = set.find(name);
  return found == set.end() ? nullptr : found->second;
}

TEST(ProbeNccl, RefusesARankCountThatIsNotTheLaunchers) {
  ProbeNcclOptions options;
  options.id = "localhost:29500";
  options.variable = first_of_two;
  options.ranks = 3;
  options.ranks_stated = true;
  std::ostringstream log;
  EXPECT_EQ(run_probe_nccl(options, log), exit_refused);
  EXPECT_EQ(log.str(), "--ranks: 3 ranks, and torchrun has started 2; leave out --ranks\n");
}

std::string refusal_of(const ProbeNcclOptions& options) {
  std::ostringstream log;
  EXPECT_EQ(run_probe_nccl(options, log), exit_refused);
  return log.str();
}

TEST(ProbeNccl, RefusesNamespacesOfAProcessThatIsOneRank) {
  ProbeNcclOptions options;
  options.id = "localhost:29500";
  options.variable = first_of_two;
  options.namespaces = {"a", "b"};
  EXPECT_EQ(
      refusal_of(options),
      "--namespaces: ranks are threads of this process, and --id makes each process one rank; leave out one "
      "of both\n");
}

TEST(ProbeNccl, RefusesNamespacesThatAreNotOneForEachRank) {
  ProbeNcclOptions options;
  options.namespaces = {"a", "b", "c"};
  options.ranks = 2;
  options.ranks_stated = true;
  EXPECT_EQ(refusal_of(options),
            "--namespaces: 3 namespaces for 2 ranks; name one for each rank, or leave out --ranks\n");
  options.ranks_stated = false;
  options.namespaces = {"a", "b", "a"};
  EXPECT_EQ(refusal_of(options), "--namespaces: duplicate name `a`; name another for each rank\n");
}

}  // namespace
}  // namespace calibrate
