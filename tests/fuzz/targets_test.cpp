// The fuzzers' targets for a moment each, in every build: seeded mutations of inputs that are accepted.
#include "tests/fuzz/targets.hpp"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "tests/fuzz/mutator.hpp"
#include "tests/imports/chakra_bytes.hpp"
#include "tests/imports/kineto_text.hpp"
#include "tests/source_tree.hpp"

namespace fuzz {
namespace {

constexpr int rounds_per_target = 3000;

void run(void (*target)(std::string_view), const std::string& seed) {
  Mutator mutated;
  target(seed);
  for (int i = 0; i < rounds_per_target; ++i) target(mutated(seed));
}

TEST(FuzzTargets, NcclTestsSurvivesMutations) {
  std::ifstream file(tests::source_dir() + "/tests/calibrate/logs/all_gather_4_ranks.log");
  run(nccl_tests, {std::istreambuf_iterator<char>(file), {}});
  run(nccl_tests,
      R"({"args":["all_reduce_perf"],"devices":[{"rank":0,"hostname":"a"},{"rank":1,"hostname":"a"}],"results":[)"
      R"({"size":8,"count":2,"type":"float","redop":"sum","root":-1,"out_of_place":{"time":9.5,"alg_bw":0.1,"bus_bw":)"
      R"(0.1,"nwrong":"0"}},{"size":16,"count":4,"type":"float","redop":"sum","root":-1,"in_place":{"time":10,)"
      R"("alg_bw":0.1,"bus_bw":0.1,"nwrong":0}}]})");
}

TEST(FuzzTargets, OsuSurvivesMutations) {
  run(osu,
      "# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n4                       3.21\n8  "
      "         "
      "            3.30\n16                      3.35\n");
}

TEST(FuzzTargets, KinetoSurvivesMutations) {
  auto events = calibrate::imports::kineto_step(4, 0);
  for (const std::string& event :
       calibrate::imports::kineto_kernel("ncclKernel_AllReduce_RING", 1, 460, 470, 300))
    events.push_back(event);
  for (const std::string& event : calibrate::imports::kineto_kernel("gemm", 2, 480, 500, 300))
    events.push_back(event);
  for (const std::string& event : calibrate::imports::kineto_step(5, 2000)) events.push_back(event);
  run(kineto, calibrate::imports::kineto_document(events));
}

TEST(FuzzTargets, ChakraSurvivesMutations) {
  namespace imports = calibrate::imports;
  run(chakra, imports::chakra_file({imports::chakra_node(1, "conv", 4, 5),
                                    imports::chakra_all_reduce_node(3, 4000, {2}),
                                    imports::chakra_node(2, "convBackward0", 4, 7, {1})}));
  run(chakra, R"({"workload_graph":[{"Id":5,"Name":"x","NodeType":4,"data_deps":[],"runtime":318},)"
              R"({"Id":6,"Name":"y","NodeType":7,"data_deps":[5],"comm_type":0,"comm_size":4000}]})");
  run(chakra,
      R"({"version":"0.0.4"}{"id":"7","name":"all","type":"COMM_COLL_NODE","dataDeps":["1"],"durationMicros":)"
      R"("12","attr":[{"name":"comm_size","int64Val":"4096"},{"name":"comm_type","int64Val":"0"}]})");
}

TEST(FuzzTargets, ConfigurationsSurviveMutations) {
  for (const char* name : {"llama3_70b_tp8.toml", "zeropp.json", "with_model/training_args.json"}) {
    std::ifstream file(tests::source_dir() + "/tests/imported/configs/" + name);
    run(training_config, {std::istreambuf_iterator<char>(file), {}});
  }
}

}  // namespace
}  // namespace fuzz
