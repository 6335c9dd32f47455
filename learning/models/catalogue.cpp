// Rows of the table of models, and the layers that each is made of.
#include "learning/models/catalogue.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learning/models/gpt.hpp"
#include "learning/models/layers.hpp"
#include "learning/models/resnet.hpp"
#include "learning/models/stack.hpp"
#include "netmodels/nearest.hpp"

namespace learning::models {
namespace {

using datasets::SampleKind;
using datasets::Shape;
using Layers = std::vector<std::unique_ptr<const Layer>>;

constexpr std::size_t largest_hidden = 65536;
constexpr std::size_t most_parameters = std::size_t{1} << 28U;  // 1 GiB for each copy
constexpr int smallest_image = 4;                               // two poolings leave one position

bool tokens_only(SampleKind kind) { return kind == SampleKind::tokens; }
bool images_only(SampleKind kind) { return kind == SampleKind::image; }
bool no_tokens(SampleKind kind) { return kind != SampleKind::tokens; }

constexpr std::string_view resnet_source =
    "He, Zhang, Ren & Sun, \"Deep Residual Learning for Image Recognition\", CVPR 2016";
constexpr std::string_view gpt_source =
    "Radford et al., \"Language Models are Unsupervised Multitask Learners\", 2019";

constexpr std::array model_table{
    Row{{"softmax", "Softmax regression: one dense layer."}, no_tokens},
    Row{{"mlp_32", "One hidden layer of 32 values with ReLU."}, no_tokens},
    Row{{"mlp_64", "One hidden layer of 64 values with ReLU."}, no_tokens},
    Row{{"mlp_128", "One hidden layer of 128 values with ReLU."}, no_tokens},
    Row{{"mlp_256_128", "Hidden layers of 256 and 128 values with ReLU."}, no_tokens},
    Row{{"mlp_128_64_bn", "Hidden layers of 128 and 64 values with batch norm and ReLU."}, no_tokens},
    Row{{"cnn", "Two convolutions (8 and 16 of 5x5) with ReLU and pooling, then 64 values with ReLU."},
        images_only},
    Row{{"resnet_8_bn",
         "Small residual network with batch norm: 8, 16 and 32 channels, three 3x3 convolutions each, "
         "pooling between them.",
         resnet_source},
        images_only},
    Row{{"resnet_8_gn", "As `resnet_8_bn`, with group norm: 8 channels a group.",
         "Wu & He, \"Group Normalization\", ECCV 2018"},
        images_only},
    Row{{"resnet_20_bn", "As `resnet_8_bn`, with seven convolutions for each number of channels.",
         resnet_source},
        images_only},
    Row{{"lstm_64", "Embedding of 32 values, LSTM of 64, next token from the last hidden vector."},
        tokens_only},
    Row{{"attention_64", "Embedding of 64 values, attention of the last position, then 64 values with ReLU."},
        tokens_only},
    Row{{"gpt_2_64_2", "Decoder-only transformer: 2 layers of width 64, 2 heads (0.1 M parameters).",
         gpt_source},
        tokens_only},
    Row{{"gpt_3_96_4", "Decoder-only transformer: 3 layers of width 96, 4 heads (0.3 M parameters).",
         gpt_source},
        tokens_only},
    Row{{"gpt_4_144_4", "Decoder-only transformer: 4 layers of width 144, 4 heads (1 M parameters).",
         gpt_source},
        tokens_only},
    Row{{"gpt_6_384_6", "Decoder-only transformer: 6 layers of width 384, 6 heads (11 M parameters).",
         gpt_source},
        tokens_only},
};

/// Whether the layers of one name take values of a kind; hidden layers of any sizes take what `mlp_32` takes.
bool takes(std::string_view name, SampleKind kind) {
  if (parse_gpt(name)) return tokens_only(kind);
  if (parse_resnet(name)) return images_only(kind);
  const Row* row = settings::find_row(std::span<const Row>(model_table), name);
  return (row == nullptr ? no_tokens : row->takes)(kind);
}

std::string_view plural(SampleKind kind) {
  switch (kind) {
    case SampleKind::image: return "images";
    case SampleKind::vector: return "plain vectors";
    case SampleKind::tokens: break;
  }
  return "tokens";
}

/// The layer widths in a name of the free form.
struct Hidden {
  std::vector<std::size_t> sizes;
  bool batch_norm = false;
};

/// @returns nothing where the name does not have the form; sizes may be out of range
std::optional<Hidden> parse_hidden(std::string_view name) {
  constexpr std::string_view start = "mlp";
  if (!name.starts_with(start)) return {};
  name.remove_prefix(start.size());
  Hidden hidden;
  hidden.batch_norm = name.ends_with("_bn");
  if (hidden.batch_norm) name.remove_suffix(3);
  while (!name.empty()) {
    if (!name.starts_with('_')) return {};
    name.remove_prefix(1);
    std::size_t size = 0;
    const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), size);
    if (error == std::errc::invalid_argument) return {};
    if (error == std::errc::result_out_of_range) size = largest_hidden + 1;
    hidden.sizes.push_back(size);
    name.remove_prefix(static_cast<std::size_t>(rest - name.data()));
  }
  if (hidden.sizes.empty()) return {};
  return hidden;
}

template <class Kind, class... Arguments>
void add(Layers& layers, Arguments&&... arguments) {
  layers.push_back(std::make_unique<const Kind>(std::forward<Arguments>(arguments)...));
}

Layers perceptron(const Hidden& hidden, const Task& task) {
  Layers layers;
  std::size_t width = task.shape.size();
  for (const std::size_t size : hidden.sizes) {
    add<Dense>(layers, width, size, Next::relu);
    if (hidden.batch_norm) add<BatchNorm>(layers, size, std::size_t{1});
    add<Relu>(layers, size);
    width = size;
  }
  add<Dense>(layers, width, static_cast<std::size_t>(task.classes), Next::other);
  return layers;
}

Layers convolutional(const Task& task) {
  Layers layers;
  Shape shape = task.shape;
  if (shape.channels > 1) add<ChannelsLast>(layers, shape);
  for (const int filters : {8, 16}) {
    const Convolution::Settings settings{.input = shape, .filters = filters, .size = 5, .padding = 2};
    add<Convolution>(layers, settings);
    shape = Convolution::output_of(settings);
    add<Relu>(layers, shape.size());
    add<MaxPool>(layers, shape);
    shape = MaxPool::output_of(shape);
  }
  Layers top = perceptron({.sizes = {64}}, {.shape = shape, .classes = task.classes});
  std::ranges::move(top, std::back_inserter(layers));
  return layers;
}

Layers recurrent(const Task& task) {
  constexpr std::size_t embedded = 32;
  constexpr std::size_t hidden = 64;
  const auto alphabet = static_cast<std::size_t>(task.classes);
  const std::size_t length = task.shape.size();
  Layers layers;
  add<Embedding>(layers, alphabet, length, embedded);
  add<Lstm>(layers, length, embedded, hidden);
  add<Dense>(layers, hidden, alphabet, Next::other);
  return layers;
}

Layers attentive(const Task& task) {
  constexpr std::size_t embedded = 64;
  constexpr std::size_t hidden = 64;
  const auto alphabet = static_cast<std::size_t>(task.classes);
  const std::size_t length = task.shape.size();
  Layers layers;
  add<Embedding>(layers, alphabet, length, embedded);
  add<Attention>(layers, length, embedded);
  add<Dense>(layers, embedded, hidden, Next::relu);
  add<Relu>(layers, hidden);
  add<Dense>(layers, hidden, alphabet, Next::other);
  return layers;
}

Layers layers_of(std::string_view name, const Task& task) {
  if (name == "cnn") return convolutional(task);
  if (name == "lstm_64") return recurrent(task);
  if (name == "attention_64") return attentive(task);
  if (const auto resnet = parse_resnet(name))
    return resnet_layers(*resnet, task.shape, static_cast<std::size_t>(task.classes));
  if (const auto gpt = parse_gpt(name))
    return gpt_layers(*gpt, static_cast<std::size_t>(task.classes), task.shape.size());
  return perceptron(parse_hidden(name).value_or(Hidden{}), task);
}

tl::unexpected<netmodels::Error> unknown(std::string_view name) {
  std::array<std::string_view, model_table.size()> names;
  std::ranges::transform(model_table, names.begin(), &Row::name);
  return netmodels::refuse("", "unknown model `" + std::string(name) + "`",
                           netmodels::accepted_names(name, names) +
                               ", or mlp_A_B_... and mlp_A_B_..._bn with any hidden sizes, or " +
                               std::string(resnet_form) + " of depth 8, 14, 20, ..., or " +
                               std::string(gpt_form) + " of any sizes, `_untied` behind it or not");
}

/// Whether a name is one of the table, or of a form with possible sizes.
netmodels::Result<void> check_name(std::string_view name) {
  const auto problem_text = [name](const std::string& problem) {
    return "model `" + std::string(name) + "` " + problem;
  };
  if (const auto resnet = parse_resnet(name)) {
    if (const auto problem = problem_of(*resnet))
      return netmodels::refuse("", problem_text(*problem),
                               "name it " + std::string(resnet_form) + ", for example resnet_14_gn");
    return {};
  }
  if (const auto gpt = parse_gpt(name)) {
    if (const auto problem = problem_of(*gpt))
      return netmodels::refuse("", problem_text(*problem),
                               "name it " + std::string(gpt_form) + ", for example gpt_2_64_2");
    return {};
  }
  const std::optional<Hidden> hidden = parse_hidden(name);
  if (!hidden && std::ranges::find(model_table, name, &Row::name) == model_table.end()) return unknown(name);
  for (const std::size_t size : hidden.value_or(Hidden{}).sizes) {
    if (size >= 1 && size <= largest_hidden) continue;
    return netmodels::refuse("", problem_text("has a hidden layer of an impossible size"),
                             "hidden sizes are whole numbers in [1, " + std::to_string(largest_hidden) + "]");
  }
  return {};
}

/// Conflicts between the name and the task.
netmodels::Result<void> check(std::string_view name, const Task& task) {
  if (auto known = check_name(name); !known) return known;
  if (!takes(name, task.kind)) {
    std::vector<std::string_view> able;
    for (const Row& row : model_table) {
      if (takes(row.name, task.kind)) able.push_back(row.name);
    }
    const std::string kind(plural(task.kind));
    return netmodels::refuse("", "model `" + std::string(name) + "` cannot take " + kind,
                             "models for " + kind + ": " + netmodels::join(able));
  }
  const bool pools = name == "cnn" || parse_resnet(name);
  if (pools && std::min(task.shape.height, task.shape.width) < smallest_image) {
    return netmodels::refuse("",
                             "model `" + std::string(name) + "` cannot take images of " +
                                 std::to_string(task.shape.height) + "x" + std::to_string(task.shape.width) +
                                 " positions",
                             "both sides must be at least " + std::to_string(smallest_image));
  }
  return {};
}

}  // namespace

std::span<const Row> catalogue() { return model_table; }

netmodels::Result<std::shared_ptr<const Model>> make(std::string_view name, const Task& task) {
  if (const auto checked = check(name, task); !checked) return tl::unexpected(checked.error());
  const std::size_t predictions = parse_gpt(name) ? task.shape.size() : 1;
  auto stack = std::make_shared<const Stack>(std::string(name), layers_of(name, task), predictions);
  if (stack->parameter_count() <= most_parameters) return stack;
  return netmodels::refuse(
      "", "model `" + std::string(name) + "` has " + std::to_string(stack->parameter_count()) + " parameters",
      "at most " + std::to_string(most_parameters) +
          " can be trained here; take fewer or smaller hidden layers");
}

}  // namespace learning::models
