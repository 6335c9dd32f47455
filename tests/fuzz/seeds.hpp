// Inputs of the fuzz targets of `calibrate` that are accepted.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tests/imports/chakra_bytes.hpp"
#include "tests/imports/kineto_text.hpp"
#include "tests/source_tree.hpp"

namespace fuzz {

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string bytes_in_tree(const std::string& path) {
  return bytes_of(std::filesystem::path(tests::source_dir()) / path);
}

inline std::vector<std::string> nccl_tests_seeds() {
  return {
      bytes_in_tree("tests/calibrate/logs/all_gather_4_ranks.log"),
      R"({"args":["all_reduce_perf"],"devices":[{"rank":0,"hostname":"a"},{"rank":1,"hostname":"a"}],"results":[)"
      R"({"size":8,"count":2,"type":"float","redop":"sum","root":-1,"out_of_place":{"time":9.5,"alg_bw":0.1,"bus_bw":)"
      R"(0.1,"nwrong":"0"}},{"size":16,"count":4,"type":"float","redop":"sum","root":-1,"in_place":{"time":10,)"
      R"("alg_bw":0.1,"bus_bw":0.1,"nwrong":0}}]})"};
}

inline std::vector<std::string> kineto_seeds() {
  auto events = calibrate::imports::kineto_step(4, 0);
  for (const std::string& event :
       calibrate::imports::kineto_kernel("ncclKernel_AllReduce_RING", 1, 460, 470, 300))
    events.push_back(event);
  for (const std::string& event : calibrate::imports::kineto_kernel("gemm", 2, 480, 500, 300))
    events.push_back(event);
  for (const std::string& event : calibrate::imports::kineto_step(5, 2000)) events.push_back(event);
  return {calibrate::imports::kineto_document(events)};
}

inline std::vector<std::string> chakra_seeds() {
  namespace imports = calibrate::imports;
  return {
      imports::chakra_file({imports::chakra_node(1, "conv", 4, 5),
                            imports::chakra_all_reduce_node(3, 4000, {2}),
                            imports::chakra_node(2, "convBackward0", 4, 7, {1})}),
      R"({"workload_graph":[{"Id":5,"Name":"x","NodeType":4,"data_deps":[],"runtime":318},)"
      R"({"Id":6,"Name":"y","NodeType":7,"data_deps":[5],"comm_type":0,"comm_size":4000}]})",
      R"({"version":"0.0.4"}{"id":"7","name":"all","type":"COMM_COLL_NODE","dataDeps":["1"],"durationMicros":)"
      R"("12","attr":[{"name":"comm_size","int64Val":"4096"},{"name":"comm_type","int64Val":"0"}]})"};
}

/// @param target  a name of `targets_of_calibrate`
inline std::vector<std::string> seeds_of_calibrate(std::string_view target) {
  if (target == "nccl_tests") return nccl_tests_seeds();
  if (target == "osu")
    return {
        "# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n4                       "
        "3.21\n8  "
        "                     3.30\n16                      3.35\n"};
  if (target == "kineto") return kineto_seeds();
  if (target == "chakra") return chakra_seeds();
  if (target == "training_config") {
    const std::string configs = "tests/imported/configs/";
    return {bytes_in_tree(configs + "llama3_70b_tp8.toml"), bytes_in_tree(configs + "zeropp.json"),
            bytes_in_tree(configs + "with_model/training_args.json")};
  }
  if (target == "node_topology")
    return {
        "\tGPU0\tGPU1\tNIC0\tCPU Affinity\nGPU0\t X \tNV18\tPIX\t0-51\nGPU1\tNV18\t X \tSYS\t0-51\n"
        "NIC0\tPIX\tSYS\t X \n\nNIC Legend:\n\n  NIC0: mlx5_0\n",
        "<system version=\"1\"><cpu arch=\"x86_64\" vendor=\"GenuineIntel\"><pci busid=\"a\" "
        "link_speed=\"32.0 "
        "GT/s PCIe\" link_width=\"16\"><gpu dev=\"0\" sm=\"90\"><nvlink target=\"s\" count=\"18\" "
        "tclass=\"0x068000\"/></gpu></pci><pci><nic><net name=\"mlx5_0\" speed=\"400000\" "
        "gdr=\"1\"/></nic></pci></cpu></system>"};
  if (target == "mahimahi") return {"0\n10\n2500\n3100\n3200\n3500\n"};
  if (target == "kernel_times") return {bytes_in_tree("scenarios/kernel_times/epyc_thread.csv")};
  if (target == "measurements")
    return {bytes_in_tree("scenarios/measurements/a100x8_nvswitch_all_reduce.csv")};
  if (target == "nccl_machines")
    return {
        "machines:\n  - tables: [2080ti]\n    kind: pcie\n    version: 2.18\n    gpu: {compute_capability: "
        "75, "
        "per_node: 2}\n    pcie: {generation: 3, peer_to_peer: false, gpus_per_uplink: 2}\n  - tables: "
        "[v100]\n"
        "    kind: nvlink\n    version: 2.18\n    gpu: {compute_capability: 70, per_node: 4}\n    nvlink: "
        "{fabric: mesh, mesh: [[0, 1, 1], [0, 2, 1], [0, 3, 2], [1, 2, 2], [1, 3, 1], [2, 3, 2]]}\n    pcie: "
        "{generation: 3}\n    network: {kind: infiniband, nics_per_node: 4, rate: 100 Gbit/s, path: PXB}\n"};
  if (target == "sim_result")
    return {
        R"({"schema_version": 1, "scenario": "papers/a.yaml", "arms": [], "expectations": {"figures": [)"
        R"({"arm": "dense", "metric": "step_time", "over": "topk", "phase": null, "theirs": 2, "ours": 2.1, )"
        R"("source": "T 1"}, {"arm": "dense", "metric": "share", "theirs": null, "ours": 3, "source": "F 2"}]}})",
        R"({"schema_version": 1, "scenario": "b.yaml", "arms": [{"name": "knee", "configurations": [{"workers": 12, )"
        R"("batch": 1024, "profiled": "yes", "predicted_time_s": 10, "true_time_s": 11}]}]})"};
  return {"progress,iteration,metric,grad_sqr,grad_var\n1,0,0.5,2,3\n391,390,0.6,1,2\n",
          "placement,local_bsz,step_time\n1144,64,0.25\n4,128,0.5\n",
          "num_nodes,num_replicas,local_bsz,step_time\n2,8,64,0.25\n",
          "size(B),count,type,time(ns),busbw(GB/s),time(ns),busbw(GB/"
          "s)\n1048576,262144,float,44210,23.72,45100,23.25\n",
          "# GPUs,global batch,micro batch,hidden size,attention heads,# layers,sequence length,tensor "
          "parallelism,data parallelism,pipeline parallelism,iteration time "
          "(ms)\n2,16,8,1024,16,24,1024,1,1,2,372.1\n",
          "stack,collective,algorithm,ranks,bandwidth_mbit,latency_us,bytes,reps,median_us\n"
          "gloo,allreduce,ring,4,100,5000,1048576,5,2000\n"};
}

}  // namespace fuzz
