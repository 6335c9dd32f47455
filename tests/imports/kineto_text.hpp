// Small PyTorch profiler traces for tests, one event a line, times in microseconds.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace calibrate::imports {

/// A complete event; `arguments` is the inside of its `args`.
inline std::string kineto_event(const std::string& category, const std::string& name, int thread,
                                double begin, double duration, const std::string& arguments = "") {
  return fmt::format(R"({{"ph":"X","cat":"{}","name":"{}","pid":1,"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                     category, name, thread, begin, duration, arguments);
}

inline std::string kineto_document(const std::vector<std::string>& events,
                                   const std::string& head = R"("schemaVersion":1)") {
  return fmt::format("{{{},\n\"traceEvents\":[\n{}\n]}}\n", head, fmt::join(events, ",\n"));
}

/// One step of 1000 us on the host, from `begin` on: conv2d and linear forward, both backward on a second
/// thread, an all-reduce of 1000 values within the backward pass of linear and one of 3000 after that of
/// conv2d.
inline std::vector<std::string> kineto_step(int number, double begin) {
  const auto at = [begin](double moment) { return begin + moment; };
  const auto sequence = [number](int op) {
    return fmt::format(R"("Sequence number":{},"Fwd thread id":)", 10 * number + op);
  };
  const auto bucket = [](int values) {
    return fmt::format(R"("Collective name":"allreduce","In msg nelems":{},"Group size":2,"dtype":"Float")",
                       values);
  };
  return {
      kineto_event("user_annotation", fmt::format("ProfilerStep#{}", number), 1, at(0), 1000),
      kineto_event("cpu_op", "aten::conv2d", 1, at(100), 100, sequence(0) + "0"),
      kineto_event("cpu_op", "aten::convolution", 1, at(110), 80, sequence(0) + "0"),
      kineto_event("cpu_op", "aten::linear", 1, at(300), 50, sequence(1) + "0"),
      kineto_event("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", 2, at(400), 50,
                   sequence(1) + "1"),
      kineto_event("cpu_op", "record_param_comms", 2, at(460), 10, bucket(1000)),
      kineto_event("cpu_op", "autograd::engine::evaluate_function: ConvolutionBackward0", 2, at(500), 100,
                   sequence(0) + "1"),
      kineto_event("cpu_op", "record_param_comms", 2, at(610), 10, bucket(3000)),
      kineto_event("user_annotation", "Optimizer.step#SGD.step", 1, at(800), 100),
  };
}

/// A kernel and the call of the host that launched it.
inline std::vector<std::string> kineto_kernel(const std::string& name, int correlation, double launched,
                                              double begin, double duration) {
  const std::string tie = fmt::format(R"("correlation":{},"stream":7)", correlation);
  return {kineto_event("cuda_runtime", "cudaLaunchKernel", 1, launched, 5, tie),
          kineto_event("kernel", name, 7, begin, duration, tie)};
}

}  // namespace calibrate::imports
