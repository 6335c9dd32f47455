// Recorded messages of the CPU references for the gradients of two ranks: communication hooks of the Python
// package are tested with the same file (tests/capture/hook_test.py), so that neither changes alone.
#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/error_feedback.hpp"
#include "kernels/half.hpp"
#include "kernels/int8.hpp"
#include "kernels/power_sgd.hpp"
#include "kernels/top_k.hpp"
#include "kernels/uniform.hpp"
#include "tests/source_tree.hpp"

namespace kernels::recorded_messages {
namespace {

constexpr int ranks = 2;
constexpr std::uint64_t steps = 3;
constexpr std::int64_t rows = 12, columns = 7, bias = 12, elements = rows * columns + bias;

constexpr std::string_view head =
    "# Messages of the CPU reference compressors for the gradients of two ranks in three steps, and the "
    "mean.\n"
    "# Written by tests/kernels/recorded_messages_test.cpp; read by tests/capture/hook_test.py, too.\n"
    "# Licence: Apache 2.0, as this repository.\n"
    "# gradient[i] of rank r in step s: (2 u - 1)^3 of u = word i of the Philox stream {seed r, step s}, in "
    "float; 96 values:\n"
    "# a weight of 12 x 7 and a bias of 12. method,step,rank,quantity: values\n";

/// Heavy-tailed, of exact products: the same bits in any language.
std::vector<float> gradient(int rank, std::uint64_t step) {
  std::vector<float> values(elements);
  fill_uniform({static_cast<std::uint64_t>(rank), step}, 0, values);
  for (float& value : values) {
    const float centred = 2 * value - 1;
    value = centred * centred * centred;
  }
  return values;
}

/// The lines of one method.
class Lines {
 public:
  explicit Lines(std::string method) : method_(std::move(method)) {}

  template <class Values>
  void add(std::uint64_t step, std::string_view rank, std::string_view quantity, const Values& values) {
    text_ += fmt::format("{},{},{},{}:", method_, step, rank, quantity);
    for (const auto value : values) text_ += fmt::format(" {}", value);
    text_ += "\n";
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string method_;
  std::string text_;
};

void halve(std::span<float> values) {
  for (float& value : values) value *= 0.5F;
}

std::string top_k_lines() {
  Lines lines("topk");
  TopK compressor({0.1});
  std::array<ErrorFeedback, ranks> memory{ErrorFeedback(elements), ErrorFeedback(elements)};
  for (std::uint64_t step = 0; step < steps; ++step) {
    std::vector<float> mean(elements);
    for (int rank = 0; rank < ranks; ++rank) {
      const Message message =
          memory[static_cast<std::size_t>(rank)].compress(compressor, gradient(rank, step));
      lines.add(step, std::to_string(rank), "indices", message.indices);
      lines.add(step, std::to_string(rank), "values", message.values);
      compressor.accumulate(message, mean);
    }
    halve(mean);
    lines.add(step, "all", "mean", mean);
  }
  return lines.text();
}

/// Coded once by each rank, and summed; `recoded` by the owner of a part as well.
std::string coded_lines(const std::string& method, Compressor& compressor, bool recoded) {
  Lines lines(method);
  for (std::uint64_t step = 0; step < steps; ++step) {
    std::vector<float> mean(elements);
    for (int rank = 0; rank < ranks; ++rank) {
      const Message message = compressor.compress(gradient(rank, step));
      lines.add(step, std::to_string(rank), "codes", message.codes);
      if (!message.values.empty()) lines.add(step, std::to_string(rank), "scales", message.values);
      compressor.accumulate(message, mean);
    }
    halve(mean);
    if (recoded) compressor.restore(compressor.compress(std::vector<float>(mean)), mean);
    lines.add(step, "all", "mean", mean);
  }
  return lines.text();
}

/// The weight in two factors, with error feedback; the bias is sent as it is.
std::string power_sgd_lines() {
  Lines lines("powersgd");
  const PowerSgd::Settings settings{.rank = 2, .shape = {rows, columns}, .seed = 5};
  std::array<PowerSgd, ranks> compressors{PowerSgd(settings), PowerSgd(settings)};
  constexpr std::size_t values = rows * columns;
  std::array<ErrorFeedback, ranks> memory{ErrorFeedback(rows * columns), ErrorFeedback(rows * columns)};
  const auto reduce = [](std::span<float> a, std::span<float> b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = b[i] = (a[i] + b[i]) * 0.5F;
  };
  for (std::uint64_t step = 0; step < steps; ++step) {
    const std::array<std::vector<float>, ranks> given{gradient(0, step), gradient(1, step)};
    const auto first = memory[0].feed(std::span(given[0]).first(values));
    const auto second = memory[1].feed(std::span(given[1]).first(values));
    reduce(compressors[0].project(first), compressors[1].project(second));
    reduce(compressors[0].back_project(first), compressors[1].back_project(second));
    const std::array<Message, ranks> sent{compressors[0].message(first), compressors[1].message(second)};
    std::vector<float> mean(values);
    compressors[0].restore(sent[0], mean);
    for (std::size_t i = values; i < elements; ++i) mean.push_back((given[0][i] + given[1][i]) * 0.5F);
    lines.add(step, "all", "mean", mean);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      memory[rank].keep(compressors[rank], sent[rank]);
      lines.add(step, std::to_string(rank), "residual", memory[rank].residual());
    }
  }
  return lines.text();
}

TEST(RecordedMessages, AreThoseOfTheCpuReferences) {
  Half half(Half::Format::binary16);
  Int8 int8({16});
  const std::string text = std::string(head) + top_k_lines() + coded_lines("fp16", half, false) +
                           coded_lines("int8", int8, true) + power_sgd_lines();
  std::ifstream file(tests::source_dir() + "/tests/kernels/recorded_messages.txt");
  const std::string recorded{std::istreambuf_iterator<char>(file), {}};
  if (text == recorded) return;
  const std::string made = testing::TempDir() + "recorded_messages.txt";
  std::ofstream(made) << text;
  FAIL() << "tests/kernels/recorded_messages.txt has other messages than the references make now: " << made;
}

}  // namespace
}  // namespace kernels::recorded_messages
