// Transformers: parameter counts equal the published ones, FLOPs and activations follow their formulas.
#include "netmodels/transformer.hpp"

#include <cmath>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "tests/netmodels/published_csv.hpp"

namespace netmodels {
namespace {

Transformer gpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads) {
  Transformer model;
  model.layers = layers;
  model.hidden = hidden;
  model.heads = heads;
  model.sequence = 1024;
  model.vocabulary = 50257;
  return model;
}

Transformer llama(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t kv_heads,
                  std::int64_t ffn, std::int64_t vocabulary) {
  Transformer model = gpt(layers, hidden, heads);
  model.kv_heads = kv_heads;
  model.ffn = ffn;
  model.vocabulary = vocabulary;
  model.ffn_kind = FeedForward::swiglu;
  model.norm = Normalisation::rms;
  model.positions = PositionEncoding::rotary;
  model.bias = Biases::none;
  model.tied = false;
  return model;
}

Transformer bert(std::int64_t layers, std::int64_t hidden, std::int64_t heads) {
  Transformer model = gpt(layers, hidden, heads);
  model.vocabulary = 30522;
  model.sequence = 512;
  model.encoder = true;
  model.token_types = 2;
  return model;
}

struct PublishedCount {
  std::string name;
  Transformer model;
  std::int64_t parameters;
};

// Counts as the models' own code and the safetensors files of the Hub state them.
std::vector<PublishedCount> published_counts() {
  Transformer pythia = gpt(32, 2560, 32);
  pythia.vocabulary = 50304;
  pythia.tied = false;
  pythia.positions = PositionEncoding::rotary;
  Transformer qwen = llama(28, 3584, 28, 4, 18944, 152064);
  qwen.bias = Biases::query_key_value;
  Transformer gemma = llama(26, 2304, 8, 4, 9216, 256000);
  gemma.head_size = 256;
  gemma.norms_per_layer = 4;
  gemma.tied = true;
  Transformer mixtral = llama(32, 4096, 32, 8, 14336, 32000);
  mixtral.experts = 8;
  mixtral.active_experts = 2;
  Transformer opt = gpt(24, 2048, 32);
  opt.vocabulary = 50272;
  opt.position_rows = 2050;
  Transformer llama32 = llama(16, 2048, 32, 8, 8192, 128256);
  llama32.tied = true;
  return {{"GPT-2", gpt(12, 768, 12), 124439808},
          {"GPT-2 medium", gpt(24, 1024, 16), 354823168},
          {"GPT-2 large", gpt(36, 1280, 20), 774030080},
          {"GPT-2 XL", gpt(48, 1600, 25), 1557611200},
          {"BERT base", bert(12, 768, 12), 109482240},
          {"BERT large", bert(24, 1024, 16), 335141888},
          {"OPT 1.3B", opt, 1315758080},
          {"Pythia 2.8B", pythia, 2775208960},
          {"Llama 2 7B", llama(32, 4096, 32, 32, 11008, 32000), 6738415616},
          {"Llama 2 13B", llama(40, 5120, 40, 40, 13824, 32000), 13015864320},
          {"Llama 2 70B", llama(80, 8192, 64, 8, 28672, 32000), 68976648192},
          {"Llama 3.1 8B", llama(32, 4096, 32, 8, 14336, 128256), 8030261248},
          {"Llama 3.1 70B", llama(80, 8192, 64, 8, 28672, 128256), 70553706496},
          {"Llama 3.1 405B", llama(126, 16384, 128, 8, 53248, 128256), 405853388800},
          {"Llama 3.2 1B", llama32, 1235814400},
          {"Mistral 7B", llama(32, 4096, 32, 8, 14336, 32000), 7241732096},
          {"Qwen2.5 7B", qwen, 7615616512},
          {"Gemma 2 2B", gemma, 2614341888},
          {"Mixtral 8x7B", mixtral, 46702792704}};
}

TEST(Transformer, HasThePublishedNumberOfParameters) {
  for (const PublishedCount& row : published_counts()) {
    ASSERT_TRUE(check(row.model)) << row.name << ": " << check(row.model).error().text();
    EXPECT_EQ(parameters(row.model), row.parameters) << row.name;
  }
}

TEST(Transformer, ItsLayersAddUpToItsParameters) {
  for (const PublishedCount& row : published_counts()) {
    std::int64_t sum = 0;
    for (const Layer& layer : transformer_layers(row.model)) sum += layer.parameters;
    EXPECT_EQ(sum, row.parameters) << row.name;
  }
}

/// A row of models.csv that describes a language model; nothing for vision models.
std::optional<Transformer> model_of(const tests::PublishedRow& row) {
  const auto count = [&](const std::string& column) {
    return static_cast<std::int64_t>(tests::published_number(row, column).value_or(0));
  };
  if (count("vocabulary_rows") == 0) return std::nullopt;
  Transformer model = gpt(count("layers"), count("hidden"), count("heads"));
  model.kv_heads = count("kv_heads");
  model.head_size = count("head_dim");
  model.ffn = count("ffn");
  model.vocabulary = count("vocabulary_rows");
  model.ffn_kind = count("mlp_matrices") == 3 ? FeedForward::swiglu : FeedForward::gelu;
  model.norm = row.at("norm") == "rms" ? Normalisation::rms : Normalisation::layer;
  model.norms_per_layer = count("norms_per_layer");
  model.tied = count("tied") == 1;
  model.bias = count("bias_mlp") == 1   ? Biases::all
               : count("bias_qkv") == 1 ? Biases::query_key_value
                                        : Biases::none;
  model.experts = count("experts");
  model.active_experts = count("active_experts");
  const std::int64_t positions = count("learned_positions");
  model.positions = positions > 0 ? PositionEncoding::learned : PositionEncoding::rotary;
  if (positions > 0) model.position_rows = positions;
  if (positions > 0) model.sequence = positions;
  model.encoder = row.at("family") == "BERT";
  if (model.encoder) model.token_types = 2;
  model.qk_norm = row.at("family") == "OLMo 2";
  if (model.qk_norm) model.norms_per_layer -= 2;  // the file counts those of queries and keys among them
  return model;
}

TEST(Transformer, CountsEqualEveryExactRowOfPublishedModels) {
  int exact = 0;
  int rounded = 0;
  for (const tests::PublishedRow& row : tests::published_rows(tests::llm_data / "models.csv")) {
    const std::optional<Transformer> model = model_of(row);
    if (!model) continue;
    const double published = *tests::published_number(row, "published");
    const auto ours = static_cast<double>(parameters(*model));
    // Sizes that publications round, and Hub totals that count rotary buffers of L e / 2 values.
    const bool is_rounded = std::fmod(published, 1e6) == 0;
    const double rotary = row.at("note").find("rotary") != std::string::npos
                              ? static_cast<double>(model->layers * model->size_of_head()) / 2
                              : 0;
    if (is_rounded) {
      ++rounded;
      continue;
    }
    EXPECT_EQ(ours + rotary, published) << row.at("family") << " " << row.at("model");
    ++exact;
  }
  std::cout << exact << " exact rows equal, " << rounded << " rounded rows left out\n";
  EXPECT_GE(exact, 60);
}

TEST(Transformer, ActiveParametersOfMixtralAreThePublishedOnes) {  // 12.88 G of 46.7 G
  for (const PublishedCount& row : published_counts()) {
    if (row.name == "Mixtral 8x7B") {
      EXPECT_EQ(active_parameters(row.model), 12879925248);
    } else {
      EXPECT_EQ(active_parameters(row.model), row.parameters) << row.name;
    }
  }
}

TEST(Transformer, TrainingTakesSixFlopsAParameterAndTwelveLhsOfAttention) {
  // GPT-2 XL: 6 x 1557611200 + 12 x 48 x 1600 x 1024 = 10.289 GFLOP a token
  EXPECT_DOUBLE_EQ(training_flops(gpt(48, 1600, 25)).count, (6.0 * 1557611200 + 943718400.0) * 1024);
}

TEST(Transformer, LayersHaveTheFlopsOfTheirProductsAndAttention) {
  const Transformer model = gpt(2, 64, 4);
  double forward = 0;
  for (const Layer& layer : transformer_layers(model)) {
    forward += layer.forward_flops.count;
    EXPECT_DOUBLE_EQ(layer.backward_flops.count, 2 * layer.forward_flops.count) << layer.name;
  }
  const double weights = 2 * 12 * 64.0 * 64 + 50257.0 * 64;
  EXPECT_DOUBLE_EQ(forward, (2 * weights + 2 * 4 * 64.0 * 1024) * 1024);
}

// One token of each sample passes the pooler: 2 x 64 x 64 flops, and 64 values.
TEST(Transformer, ThePoolerOfAnEncoderTakesOneTokenOfEachSample) {
  const std::vector<Layer> layers = transformer_layers(bert(2, 64, 4));
  EXPECT_EQ(layers.back().name, "pooler");
  EXPECT_DOUBLE_EQ(layers.back().forward_flops.count, 8192);
  EXPECT_DOUBLE_EQ(layers.back().activation.count, layers[layers.size() - 2].activation.count / 512);
}

TEST(Transformer, BlocksAreNumberedBetweenTheEmbeddingAndTheHead) {
  const std::vector<Layer> layers = transformer_layers(gpt(3, 64, 4));
  EXPECT_EQ(layers.front().block, 0U);
  EXPECT_EQ(layers.back().block, 4U);
  EXPECT_EQ(layers.back().name, "head");
  EXPECT_EQ(layers[2].name, "block 1.norm 1");
}

TEST(Transformer,
     KeepsTheActivationsOfKorthikantisFormula) {  // s b h (34 + 5 a s / h); GPT-3: 2048, 12288, 96
  Transformer model = gpt(96, 12288, 96);
  model.sequence = 2048;
  model.dropout = true;
  const double sh = 2048.0 * 12288;
  const auto kept = [&](Recomputation recomputation, bool flash) {
    return kept_activations(model, {.recomputation = recomputation, .flash = flash}).count;
  };
  EXPECT_DOUBLE_EQ(kept(Recomputation::none, false), sh * (34 + 5 * 96 * 2048.0 / 12288));
  EXPECT_DOUBLE_EQ(kept(Recomputation::none, true), 34 * sh);
  EXPECT_DOUBLE_EQ(kept(Recomputation::selective, false), 34 * sh);
  EXPECT_DOUBLE_EQ(kept(Recomputation::full, false), 2 * sh);
  model.dropout = false;
  EXPECT_DOUBLE_EQ(kept(Recomputation::none, true), 32 * sh);
  EXPECT_DOUBLE_EQ(logit_activations(model).count, 10.0 * 2048 * 50257);
  EXPECT_DOUBLE_EQ(logit_activations(model, 6).count, 6.0 * 2048 * 50257);
}

/// 8 wide, 4 heads that share 2 keys and values of 2 values each, 20 inside, 10 tokens.
Transformer gated() {
  Transformer model = gpt(3, 8, 4);
  model.kv_heads = 2;
  model.ffn = 20;
  model.ffn_kind = FeedForward::swiglu;
  model.bias = Biases::none;
  model.sequence = 10;
  model.vocabulary = 50;
  return model;
}

// Query, key, value, output, gate, up, down: the first, third, fifth and seventh are kept.
TEST(Transformer, KeepsTheOutputsOfEverySecondProductAndOfAttention) {
  const ActivationRule rule{.recomputation = Recomputation::every_second_product, .value_bytes = 2};
  const double input = 8, query = 8, value = 4, attention = 8, gate = 20, down = 8;
  EXPECT_DOUBLE_EQ(kept_activations(gated(), rule).count,
                   2 * 10 * (input + query + value + attention + gate + down));
  Transformer plain = gated();
  plain.ffn_kind = FeedForward::gelu;  // up is the fifth, down the sixth
  EXPECT_DOUBLE_EQ(kept_activations(plain, rule).count, 2 * 10 * (input + query + value + attention + 20));
}

TEST(Transformer, RepeatsTheShareOfTheForwardPassThatIsNotKept) {
  const double key = 8 * 4, output = 8 * 8, up = 8 * 20;
  const double block = 2 * (8 * 8 + key) + 3 * up + 2 * 8 * 10;  // attention: 2 H e s multiply-adds a token
  EXPECT_DOUBLE_EQ(repeated_forward(gated(), Recomputation::every_second_product),
                   3 * (key + output + up) / (3 * block + 8 * 50));
  EXPECT_DOUBLE_EQ(repeated_forward(gated(), Recomputation::none), 0);
  EXPECT_DOUBLE_EQ(repeated_forward(gated(), Recomputation::selective), 0);
  EXPECT_DOUBLE_EQ(repeated_forward(gated(), Recomputation::full), 1);
}

// Of 3 blocks, one attends to 10 tokens and two to 4: 12 x 8 x (10 + 4 + 4) FLOPs a token.
TEST(Transformer, AWindowShortensAttentionInItsBlocksOnly) {
  Transformer model = gated();
  const double whole = training_flops(model).count;
  const double scores = kept_activations(model, {.flash = false}).count - kept_activations(model, {}).count;
  model.window = 4;
  model.full_attention_blocks = {2};
  ASSERT_TRUE(check(model)) << check(model).error().text();
  EXPECT_DOUBLE_EQ(attended_tokens(model), 6);
  EXPECT_DOUBLE_EQ(training_flops(model).count, whole - 12 * 8.0 * (6 + 6) * 10);
  std::vector<double> work;
  for (const Layer& layer : transformer_layers(model))
    if (layer.kind == "attention") work.push_back(layer.forward_flops.count);
  EXPECT_EQ(work, (std::vector<double>{4 * 8.0 * 4 * 10, 4 * 8.0 * 10 * 10, 4 * 8.0 * 4 * 10}));
  const double fewer = kept_activations(model, {.flash = false}).count - kept_activations(model, {}).count;
  EXPECT_DOUBLE_EQ(scores, 4 * 10 * 10 * 2);
  EXPECT_DOUBLE_EQ(fewer, 4 * 10 * 6 * 2);
}

TEST(Transformer, AWindowAsLongAsTheSampleChangesNothing) {
  Transformer model = gated();
  const Flops whole = training_flops(model);
  model.window = 10;
  EXPECT_EQ(training_flops(model).count, whole.count);
  model.window = 11;
  EXPECT_EQ(training_flops(model).count, whole.count);
}

// One weight for each value of a head, of queries and of keys: 2 x 2 a block; over the whole width: 8 + 4.
TEST(Transformer, NormsOfHeadsShareTheirWeights) {
  Transformer model = gated();
  model.norm = Normalisation::rms;
  const std::int64_t plain = parameters(model);
  model.qk_norm_of_heads = true;
  EXPECT_EQ(parameters(model), plain + 3 * (2 + 2));
  model.qk_norm_of_heads = false;
  model.qk_norm = true;
  EXPECT_EQ(parameters(model), plain + 3 * (8 + 4));
}

// Queries 8, keys and values 4 each, output 8; gate and up 20 each, down 8.
TEST(Transformer, BiasesAreThoseOfTheNamedLayers) {
  Transformer model = gated();
  const std::int64_t plain = parameters(model);
  const auto more = [&](Biases bias) {
    model.bias = bias;
    return parameters(model) - plain;
  };
  EXPECT_EQ(more(Biases::query_key_value), 3 * 16);
  EXPECT_EQ(more(Biases::attention), 3 * 24);
  EXPECT_EQ(more(Biases::feed_forward), 3 * 48);
  EXPECT_EQ(more(Biases::all), 3 * 72);
}

void expect_refused(const Transformer& model, const std::string& text) {
  const auto checked = check(model);
  ASSERT_FALSE(checked) << text;
  EXPECT_EQ(checked.error().text(), text);
}

TEST(Transformer, RefusesShapesThatDoNotFitTogether) {
  expect_refused(gpt(12, 770, 12),
                 "`hidden` is 770, which 12 heads do not divide; write a multiple of `heads`, or state "
                 "`head_size`");
  expect_refused(gpt(0, 768, 12), "`layers` is 0; accepted: 1 to 10000");
  expect_refused(gpt(10000, 1000000000, 1), "a model of up to 1.6e+23 parameters; accepted: up to 1e+15");
  expect_refused(gpt(10001, 768, 12), "`layers` is 10001; accepted: 1 to 10000");
  expect_refused(gpt(12, 768, 0), "`heads` is 0; accepted: 1 to 1000000000");
  Transformer model = gpt(12, 768, 12);
  model.kv_heads = 5;
  expect_refused(
      model,
      "`heads` is 12, which 5 key and value heads do not divide; write for `kv_heads` a divisor of "
      "`heads`");
  model.kv_heads = 24;
  expect_refused(model,
                 "`heads` is 12, which 24 key and value heads do not divide; write for `kv_heads` a divisor "
                 "of `heads`");
  model = gpt(12, 768, 12);
  model.active_experts = 2;
  expect_refused(model, "`active_experts` is 2 of 1 experts; accepted: 1 to 1");
  model = gpt(12, 768, 12);
  model.position_rows = 512;
  expect_refused(model, "`sequence` is 1024, and there are 512 learned positions; accepted: 1 to 512");
  model = gpt(12, 768, 12);
  model.full_attention_blocks = {2};
  expect_refused(
      model,
      "`full_attention_blocks` without `window`: every block attends to all tokens; state `window`, "
      "or leave it out");
  model.window = 128;
  model.full_attention_blocks = {2, 2};
  expect_refused(model, "`full_attention_blocks` has 2 after 2; accepted: rising numbers from 1 to 12");
  model.full_attention_blocks = {13};
  expect_refused(model, "`full_attention_blocks` has 13 after 0; accepted: rising numbers from 1 to 12");
  model.full_attention_blocks = {};
  model.qk_norm = model.qk_norm_of_heads = true;
  expect_refused(model, "both `qk_norm` and `qk_norm_of_heads` are stated; write one of them");
}

}  // namespace
}  // namespace netmodels
