// Shapes from config.json: published counts of the families, reach of attention, parts, refusals, each key.
#include "sim/inputs/model_config.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/scenario/scenario_text.hpp"
#include "tests/scratch_folder.hpp"

namespace sim::scenario {
namespace {

/// The shape in a config.json, or the error without the folder.
struct ConfigRead {
  netmodels::Result<netmodels::Transformer> model;
  std::string error;
  std::vector<std::string> warnings = {};
};

ConfigRead config_of(const std::string& text, std::optional<std::int64_t> sequence = std::nullopt) {
  const tests::ScratchFolder scratch;
  const std::filesystem::path file = scratch.write("config.json", text);
  const auto read = inputs::read_model_config(file, sequence);
  const std::string folder = file.parent_path().string() + "/";
  const auto bare = [&](const std::string& line) {
    return line.starts_with(folder) ? line.substr(folder.size()) : line;
  };
  if (!read) return {tl::unexpected(read.error()), bare(read.error().text())};
  ConfigRead found{read->model, "accepted"};
  for (const std::string& warning : read->warnings) found.warnings.push_back(bare(warning));
  return found;
}

struct Published {
  std::string config;
  std::int64_t parameters;
};

// The values of the models' own files.
const std::vector<Published> published_configs{
    {R"({"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "n_ctx": 1024, "n_embd": 1600, "n_head": 25,
        "n_layer": 48, "n_positions": 1024, "vocab_size": 50257, "n_inner": null})",
     1557611200},
    {R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
        "num_hidden_layers": 32, "num_key_value_heads": 8, "vocab_size": 128256, "tie_word_embeddings": false,
        "rope_scaling": {"factor": 8.0, "rope_type": "llama3"}, "max_position_embeddings": 131072})",
     8030261248},
    {R"({"model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
        "num_hidden_layers": 32, "vocab_size": 32000, "sliding_window": 4096})",
     7241732096},
    {R"({"model_type": "bert", "hidden_size": 1024, "intermediate_size": 4096, "num_attention_heads": 16,
        "num_hidden_layers": 24, "vocab_size": 30522, "max_position_embeddings": 512, "type_vocab_size": 2})",
     335141888},
    {R"({"model_type": "opt", "hidden_size": 2048, "ffn_dim": 8192, "num_attention_heads": 32,
        "num_hidden_layers": 24, "vocab_size": 50272, "max_position_embeddings": 2048,
        "word_embed_proj_dim": 2048, "do_layer_norm_before": true})",
     1315758080},
    {R"({"model_type": "gpt_neox", "hidden_size": 2560, "intermediate_size": 10240, "num_attention_heads": 32,
        "num_hidden_layers": 32, "vocab_size": 50304, "tie_word_embeddings": false})",
     2775208960},
    {R"({"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944, "num_attention_heads": 28,
        "num_hidden_layers": 28, "num_key_value_heads": 4, "vocab_size": 152064, "tie_word_embeddings": false})",
     7615616512},
    {R"({"model_type": "gemma2", "hidden_size": 2304, "intermediate_size": 9216, "num_attention_heads": 8,
        "num_hidden_layers": 26, "num_key_value_heads": 4, "head_dim": 256, "vocab_size": 256000})",
     2614341888},
    {R"({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
        "num_hidden_layers": 32, "num_key_value_heads": 8, "vocab_size": 32000, "num_local_experts": 8,
        "num_experts_per_tok": 2, "tie_word_embeddings": false})",
     46702792704},
    {R"({"model_type": "phi3", "hidden_size": 3072, "intermediate_size": 8192, "num_attention_heads": 32,
        "num_hidden_layers": 32, "num_key_value_heads": 32, "vocab_size": 32064})",
     3821079552}};

const std::string known_families =
    "bert, cohere, falcon, gemma, gemma2, gemma3_text, gpt2, gpt_neox, granite, llama, ministral, mistral, "
    "mixtral, olmo2, olmo3, opt, phi, phi3, qwen2, qwen3, smollm3, stablelm, starcoder2";

TEST(ModelConfig, ShapesHaveThePublishedParameters) {
  for (const Published& row : published_configs) {
    const ConfigRead read = config_of(row.config, 512);
    ASSERT_TRUE(read.model) << read.error;
    EXPECT_EQ(parameters(*read.model), row.parameters) << row.config;
    EXPECT_EQ(read.model->sequence, 512);
  }
}

TEST(ModelConfig, SamplesAreAsLongAsLearnedPositions) {
  EXPECT_EQ(config_of(published_configs[0].config).model->sequence, 1024);
  EXPECT_EQ(
      config_of(published_configs[1].config).error,
      "config.json:1:1: the length of a sample is not part of the configuration; write `sequence` beside "
      "`config`, at most 131072");
  EXPECT_EQ(config_of(published_configs[0].config, 2048).error,
            "config.json:1:1: `sequence` is 2048, and there are 1024 learned positions; accepted: 1 to 1024");
}

TEST(ModelConfig, RefusesOtherArchitecturesAndShapes) {
  EXPECT_EQ(
      config_of(R"({"model_type": "t5"})").error,
      "config.json:1:16: the architecture `t5` is not modelled: it is an encoder and a decoder, joined by "
      "attention from one to the other; accepted: " +
          known_families + "; or describe a model by `transformer`");
  EXPECT_EQ(config_of(R"({"hidden_size": 5})").error,
            "config.json:1:1: the key `model_type` is missing; a config.json with one of " + known_families);
  EXPECT_EQ(config_of(R"({"model_type": "gpt2", "n_embd": 1600})").error,
            "config.json:1:1: the key `n_layer` is missing; a config.json as transformers writes it");
  EXPECT_EQ(
      config_of(R"({"model_type": "gpt2", "n_layer": "many"})").error,
      "config.json:1:35: `n_layer`: expected an integer, found `many`; a config.json as transformers writes "
      "it");
  EXPECT_EQ(
      config_of(R"({"model_type": "opt", "hidden_size": 1024, "ffn_dim": 4096, "num_attention_heads": 16,
                          "num_hidden_layers": 24, "vocab_size": 50272, "max_position_embeddings": 2048,
                          "word_embed_proj_dim": 512, "do_layer_norm_before": false})")
          .error,
      "config.json:1:1: a post-norm model, or one whose embedding is narrower than its blocks; accepted: "
      "pre-norm models with an embedding of their whole width");
  EXPECT_EQ(config_of(R"({"model_type": "llama", "hidden_size": 100, "num_attention_heads": 3,
                          "num_hidden_layers": 2, "vocab_size": 10})",
                      8)
                .error,
            "config.json:1:1: `hidden` is 100, which 3 heads do not divide; write a multiple of `heads`, or "
            "state `head_size`");
}

TEST(ModelConfig, RefusesValuesOfTheWrongKind) {
  const std::string llama = R"("model_type": "llama", "hidden_size": 64, "num_attention_heads": 4,
                               "num_hidden_layers": 2, "vocab_size": 10)";
  const auto refused = [&](const std::string& more) {
    std::string text = config_of("{" + llama + ", " + more + "}", 8).error;
    return text.substr(text.find(": `") + 2);
  };
  const std::string hint = "; a config.json as transformers writes it";
  EXPECT_EQ(refused(R"("tie_word_embeddings": "yes")"),
            "`tie_word_embeddings`: expected `true` or `false`, found `yes`" + hint);
  EXPECT_EQ(refused(R"("tie_word_embeddings": [true])"),
            "`tie_word_embeddings`: expected `true` or `false`, found a list" + hint);
  EXPECT_EQ(refused(R"("max_position_embeddings": "x")"),
            "`max_position_embeddings`: expected an integer, found `x`" + hint);
  EXPECT_EQ(refused(R"("word_embed_proj_dim": [64])"),
            "`word_embed_proj_dim`: expected an integer, found a list" + hint);
  EXPECT_EQ(refused(R"("head_dim": -8)"), "`head_size` is -8; accepted: 1 to 1000000000");
  EXPECT_EQ(config_of("[1, 2]", 8).error,
            "config.json:1:1: the key `model_type` is missing; a config.json with one of " + known_families);
}

TEST(ModelConfig, RowsWithoutAPositionAreNotSamplesOfIt) {  // OPT has two more rows than positions
  const std::string opt = R"({"model_type": "opt", "hidden_size": 64, "ffn_dim": 256,
      "num_attention_heads": 4, "num_hidden_layers": 2, "vocab_size": 10, "max_position_embeddings": POSITIONS})";
  const auto with = [&](const std::string& positions) {
    std::string text = opt;
    return text.replace(text.find("POSITIONS"), 9, positions);
  };
  EXPECT_EQ(config_of(with("2048"), 2048).model->position_rows, 2050);
  EXPECT_EQ(config_of(with("2048"), 2049).error,
            "config.json:1:1: `sequence` is 2049, and there are 2048 learned positions; accepted: 1 to 2048");
  EXPECT_EQ(config_of(with("9223372036854775807"), 8).error,
            "config.json:1:1: `position_rows` is 1000000002; accepted: 1 to 1000000000");
}

TEST(ModelConfig, IsReadFromBesideTheScenario) {
  const tests::ScratchFolder scratch;
  scratch.write("config.json", published_configs[0].config);
  const auto reading =
      read(scratch,
           "# Question?\n"
           "workload: {config: config.json, device: h100_sxm_datasheet, mfu: 40 %, name: mine}\n"
           "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\n"
           "training: {batch: 2, steps: 3}\n");
  ASSERT_TRUE(reading) << reading.error().text();
  EXPECT_EQ(reading->study.arms.front().work.workload.parameters(), 1557611200);
  EXPECT_EQ(reading->study.arms.front().work.workload.name, "mine");
}

/// A configuration of the sizes that most families state.
struct Sizes {
  std::string type;
  int layers, hidden, ffn, heads, kv_heads, vocabulary;
  std::string more = {};  ///< other keys, each behind a comma
};

std::string config_text(const Sizes& sizes) {
  return fmt::format(
      R"({{"model_type": "{}", "num_hidden_layers": {}, "hidden_size": {}, "intermediate_size": {},
          "num_attention_heads": {}, "num_key_value_heads": {}, "vocab_size": {}{}}})",
      sizes.type, sizes.layers, sizes.hidden, sizes.ffn, sizes.heads, sizes.kv_heads, sizes.vocabulary,
      sizes.more);
}

struct PublishedSizes {
  std::string name;
  Sizes sizes;
  std::int64_t parameters;
};

const std::string tied = R"(, "tie_word_embeddings": true)";
const std::string untied = R"(, "tie_word_embeddings": false)";

// Sizes as the models' own config.json state them; counts as the safetensors index of each states them (total
// of tensors, tied ones once), which formulas of the published blocks give again:
//   N = L (h (H + 2 K) e + H e h + 3 h f + norms + biases) + V h (tied ? 1 : 2) + h.
const std::vector<PublishedSizes> published_sizes{
    {"Llama 3.2 1B", {"llama", 16, 2048, 8192, 32, 8, 128256, tied}, 1235814400},
    {"Llama 3.2 3B", {"llama", 28, 3072, 8192, 24, 8, 128256, R"(, "head_dim": 128)" + tied}, 3212749824},
    {"Llama 3.3 70B", {"llama", 80, 8192, 28672, 64, 8, 128256, untied}, 70553706496},
    {"SmolLM2 135M", {"llama", 30, 576, 1536, 9, 3, 49152, tied}, 134515008},
    {"SmolLM2 360M", {"llama", 32, 960, 2560, 15, 5, 49152, tied}, 361821120},
    {"SmolLM2 1.7B", {"llama", 24, 2048, 8192, 32, 32, 49152, tied}, 1711376384},
    {"SmolLM3 3B", {"smollm3", 36, 2048, 11008, 16, 4, 128256}, 3075098624},
    {"Qwen2.5 0.5B", {"qwen2", 24, 896, 4864, 14, 2, 151936, tied}, 494032768},
    {"Qwen2.5 1.5B", {"qwen2", 28, 1536, 8960, 12, 2, 151936, tied}, 1543714304},
    {"Qwen2.5 3B", {"qwen2", 36, 2048, 11008, 16, 2, 151936, tied}, 3085938688},
    {"Qwen2.5 14B", {"qwen2", 48, 5120, 13824, 40, 8, 152064, untied}, 14770033664},
    {"Qwen2.5 32B", {"qwen2", 64, 5120, 27648, 40, 8, 152064, untied}, 32763876352},
    {"Qwen2.5 72B", {"qwen2", 80, 8192, 29568, 64, 8, 152064, untied}, 72706203648},
    {"Qwen3 0.6B", {"qwen3", 28, 1024, 3072, 16, 8, 151936, R"(, "head_dim": 128)" + tied}, 596049920},
    {"Qwen3 1.7B", {"qwen3", 28, 2048, 6144, 16, 8, 151936, R"(, "head_dim": 128)" + tied}, 1720574976},
    {"Qwen3 4B", {"qwen3", 36, 2560, 9728, 32, 8, 151936, R"(, "head_dim": 128)" + tied}, 4022468096},
    {"Qwen3 8B", {"qwen3", 36, 4096, 12288, 32, 8, 151936, R"(, "head_dim": 128)" + untied}, 8190735360},
    {"Qwen3 14B", {"qwen3", 40, 5120, 17408, 40, 8, 151936, R"(, "head_dim": 128)" + untied}, 14768307200},
    {"Qwen3 32B", {"qwen3", 64, 5120, 25600, 64, 8, 151936, R"(, "head_dim": 128)" + untied}, 32762123264},
    {"Gemma 2B", {"gemma", 18, 2048, 16384, 8, 1, 256000, R"(, "head_dim": 256)"}, 2506172416},
    {"Gemma 7B", {"gemma", 28, 3072, 24576, 16, 16, 256000, R"(, "head_dim": 256)"}, 8537680896},
    {"Gemma 2 9B", {"gemma2", 42, 3584, 14336, 16, 8, 256000, R"(, "head_dim": 256)"}, 9241705984},
    {"Gemma 2 27B", {"gemma2", 46, 4608, 36864, 32, 16, 256000, R"(, "head_dim": 128)"}, 27227128320},
    {"Gemma 3 270M", {"gemma3_text", 18, 640, 2048, 4, 1, 262144, R"(, "head_dim": 256)"}, 268098176},
    {"Gemma 3 1B", {"gemma3_text", 26, 1152, 6912, 4, 1, 262144, R"(, "head_dim": 256)"}, 999885952},
    {"Gemma 3 12B, text",
     {"gemma3_text", 48, 3840, 15360, 16, 8, 262208, R"(, "head_dim": 256)"},
     11766034176},
    {"Gemma 3 27B, text",
     {"gemma3_text", 62, 5376, 21504, 32, 16, 262208, R"(, "head_dim": 128)"},
     27009346304},
    {"Phi-3 medium", {"phi3", 40, 5120, 17920, 40, 10, 32064, untied}, 13960238080},
    {"Phi-4", {"phi3", 40, 5120, 17920, 40, 10, 100352, untied}, 14659507200},
    {"Phi-4 mini", {"phi3", 32, 3072, 8192, 24, 8, 200064, tied}, 3836021760},
    {"Phi-2", {"phi", 32, 2560, 10240, 32, 32, 51200, untied}, 2779683840},
    {"Mistral Nemo",
     {"mistral", 40, 5120, 14336, 32, 8, 131072, R"(, "head_dim": 128)" + untied},
     12247782400},
    {"Mistral Small 3",
     {"mistral", 40, 5120, 32768, 32, 8, 131072, R"(, "head_dim": 128)" + untied},
     23572403200},
    {"Mistral Large 2", {"mistral", 88, 12288, 28672, 96, 8, 32768, untied}, 122610069504},
    {"OLMo 2 1B", {"olmo2", 16, 2048, 8192, 16, 16, 100352, untied}, 1484916736},
    {"OLMo 2 7B", {"olmo2", 32, 4096, 11008, 32, 32, 100352, untied}, 7298617344},
    {"OLMo 2 13B", {"olmo2", 40, 5120, 13824, 40, 40, 100352, untied}, 13716198400},
    {"OLMo 2 32B", {"olmo2", 64, 5120, 27648, 40, 8, 100352, untied}, 32234279936},
    {"Granite 3.1 2B", {"granite", 40, 2048, 8192, 32, 8, 49155, tied}, 2533531648},
    {"Granite 3.1 8B", {"granite", 40, 4096, 12800, 32, 8, 49155, tied}, 8170848256},
    {"Command R", {"cohere", 40, 8192, 22528, 64, 64, 256000}, 34980831232},
    {"StableLM 2 1.6B",
     {"stablelm", 24, 2048, 5632, 32, 32, 100352, R"(, "use_qkv_bias": true)" + untied},
     1644515328},
    {"StarCoder2 3B", {"starcoder2", 30, 3072, 12288, 24, 2, 49152}, 3030371328}};

TEST(ModelConfig, FamiliesOfTodayHaveThePublishedParameters) {
  for (const PublishedSizes& row : published_sizes) {
    const ConfigRead read = config_of(config_text(row.sizes), 512);
    ASSERT_TRUE(read.model) << row.name << ": " << read.error;
    EXPECT_EQ(parameters(*read.model), row.parameters) << row.name;
  }
}

// Falcon names its sizes its own way; 7B: L (h (H + 2) e + h h + 8 h h + 2 h) + V h + 2 h.
TEST(ModelConfig, FalconHasOneNormOrTwoByItsBlocks) {
  const ConfigRead small = config_of(R"({"model_type": "falcon", "hidden_size": 4544, "num_hidden_layers": 32,
      "num_attention_heads": 71, "vocab_size": 65024, "multi_query": true, "parallel_attn": true, "bias": false,
      "new_decoder_architecture": false})",
                                     2048);
  ASSERT_TRUE(small.model) << small.error;
  EXPECT_EQ(parameters(*small.model), 6921720704);
  const ConfigRead large = config_of(R"({"model_type": "falcon", "hidden_size": 8192, "num_hidden_layers": 60,
      "num_attention_heads": 128, "num_kv_heads": 8, "vocab_size": 65024, "parallel_attn": true, "bias": false,
      "new_decoder_architecture": true})",
                                     2048);
  ASSERT_TRUE(large.model) << large.error;
  EXPECT_EQ(parameters(*large.model), 41303293952);
}

// attention_bias: one bias on queries, keys, values and the output, 4 x 4096 a block of Llama 2 7B; mlp_bias:
// gate, up and down, 2 x 11008 + 4096.
TEST(ModelConfig, BiasesOfAttentionReachItsOutput) {
  const auto count = [](const std::string& more) {
    const ConfigRead read =
        config_of(config_text({"llama", 32, 4096, 11008, 32, 32, 32000, untied + more}), 512);
    EXPECT_TRUE(read.model) << read.error;
    return read.model ? parameters(*read.model) : 0;
  };
  EXPECT_EQ(count(""), 6738415616);
  EXPECT_EQ(count(R"(, "attention_bias": true)"), 6738415616 + 32 * 4 * 4096);
  EXPECT_EQ(count(R"(, "mlp_bias": true)"), 6738415616 + 32 * (2 * 11008 + 4096));
  EXPECT_EQ(count(R"(, "attention_bias": true, "mlp_bias": true)"), 6738415616 + 32 * (5 * 4096 + 2 * 11008));
}

/// Blocks of four that attend to all tokens; nothing where there is no window.
std::optional<std::vector<std::int64_t>> full_blocks(const std::string& type, const std::string& more) {
  const ConfigRead read = config_of(config_text({type, 4, 64, 128, 4, 4, 100, more}), 512);
  EXPECT_TRUE(read.model) << read.error;
  if (!read.model || !read.model->window) return std::nullopt;
  return read.model->full_attention_blocks;
}

TEST(ModelConfig, WindowsAreThoseOfTheFamily) {
  using Blocks = std::vector<std::int64_t>;
  EXPECT_EQ(full_blocks("mistral", ""), Blocks{});
  EXPECT_EQ(full_blocks("mistral", R"(, "sliding_window": null)"), std::nullopt);
  EXPECT_EQ(full_blocks("llama", R"(, "sliding_window": 64)"), std::nullopt);
  EXPECT_EQ(full_blocks("phi3", ""), std::nullopt);
  EXPECT_EQ(full_blocks("phi3", R"(, "sliding_window": 64)"), Blocks{});
  EXPECT_EQ(full_blocks("gemma2", ""), (Blocks{2, 4}));
  EXPECT_EQ(full_blocks("gemma3_text", R"(, "sliding_window_pattern": 3)"), Blocks{3});
  EXPECT_EQ(full_blocks("olmo3", ""), Blocks{4});
  EXPECT_EQ(full_blocks("qwen2", R"(, "sliding_window": 64)"), std::nullopt);
  EXPECT_EQ(full_blocks("qwen2", R"(, "use_sliding_window": true, "max_window_layers": 3)"),
            (Blocks{1, 2, 3}));
  EXPECT_EQ(full_blocks("qwen3", R"(, "use_sliding_window": true, "max_window_layers": 4)"), std::nullopt);
  EXPECT_EQ(
      full_blocks("gemma2", R"(, "layer_types": ["full_attention", "sliding_attention", "full_attention",
                                       "sliding_attention"])"),
      (Blocks{1, 3}));
}

TEST(ModelConfig, RefusesOtherKindsOfBlocks) {
  const auto refused = [](const std::string& more) {
    const std::string text = config_of(config_text({"qwen2", 2, 64, 128, 4, 4, 100, more}), 8).error;
    return text.substr(text.find(": `") + 2);
  };
  EXPECT_EQ(refused(R"(, "layer_types": ["linear_attention", "full_attention"])"),
            "`layer_types`: blocks of `linear_attention` are not described; accepted: full_attention, "
            "sliding_attention");
  EXPECT_EQ(refused(R"(, "layer_types": ["full_attention"])"),
            "`layer_types` has 1 entries for 2 blocks; a config.json as transformers writes it");
  EXPECT_EQ(refused(R"(, "layer_types": "full_attention")"),
            "`layer_types`: expected a list of words, found `full_attention`; a config.json as transformers "
            "writes it");
  EXPECT_EQ(refused(R"(, "num_experts": 8)"),
            "`num_experts`: blocks of `qwen2` have no such part here; describe a dense model, or one by "
            "`transformer`");
  EXPECT_EQ(refused(R"(, "add_cross_attention": true)"),
            "`add_cross_attention`: attention to an encoder is not described; describe the model by "
            "`transformer`");
}

TEST(ModelConfig, FamiliesThatCannotBeReadAreNamedWithWhatIsMissing) {
  for (const inputs::UnreadFamily& row : inputs::unread_families()) {
    std::istringstream types{std::string(row.types)};
    for (std::string type; types >> type;) {
      const std::string error = config_of(R"({"model_type": ")" + type + R"("})", 8).error;
      EXPECT_EQ(error, "config.json:1:16: the architecture `" + type +
                           "` is not modelled: " + std::string(row.lacks) + "; accepted: " + known_families +
                           "; or describe a model by `transformer`");
    }
  }
  EXPECT_EQ(config_of(R"({"model_type": "qwen9"})").error,
            "config.json:1:16: the architecture `qwen9` cannot be read; accepted: " + known_families +
                "; or describe a model by `transformer`");
}

// google/gemma-3-4b: sizes that are the family's are left out of its `text_config`; 4 300 079 472 parameters
// with vision.
TEST(ModelConfig, OfSeveralPartsTheTextIsReadAndTheOthersAreNamed) {
  const ConfigRead read = config_of(R"({"model_type": "gemma3", "text_config": {"hidden_size": 2560,
      "intermediate_size": 10240, "model_type": "gemma3_text", "num_hidden_layers": 34, "sliding_window": 1024},
      "vision_config": {"hidden_size": 1152}, "mm_tokens_per_image": 256})",
                                    8192);
  ASSERT_TRUE(read.model) << read.error;
  EXPECT_EQ(parameters(*read.model), 3880263168);
  EXPECT_EQ(read.model->window, 1024);
  EXPECT_EQ(read.model->full_attention_blocks, (std::vector<std::int64_t>{6, 12, 18, 24, 30}));
  ASSERT_EQ(read.warnings.size(), 1U);
  EXPECT_EQ(read.warnings[0].substr(read.warnings[0].find(": ") + 2),
            "`vision_config` = a map left out: only the language model, `text_config`, is simulated");
}

// Pixtral's text part is Mistral Small 3.1; where it states no tie, the whole does.
TEST(ModelConfig, ATieOfTheWholeHoldsForTheText) {
  const auto count = [](const std::string& whole) {
    const ConfigRead read =
        config_of(R"({"model_type": "mistral3", "text_config": {"model_type": "mistral", "head_dim": 128,
            "hidden_size": 5120, "intermediate_size": 32768, "num_attention_heads": 32, "num_hidden_layers": 40,
            "num_key_value_heads": 8, "vocab_size": 131072, "sliding_window": null})" +
                      whole + "}",
                  512);
    EXPECT_TRUE(read.model) << read.error;
    return read.model ? parameters(*read.model) : 0;
  };
  EXPECT_EQ(count(""), 23572403200);
  EXPECT_EQ(count(tied), 23572403200 - 131072LL * 5120);
  EXPECT_EQ(count(untied), 23572403200);
}

TEST(ModelConfig, DropoutOfTheBlocksIsRead) {
  const auto with = [](const std::string& more) {
    return config_of(config_text({"phi3", 2, 64, 128, 4, 4, 100, more}), 8);
  };
  EXPECT_TRUE(with(R"(, "resid_pdrop": 0.1, "attention_dropout": 0.1)").model->dropout);
  EXPECT_FALSE(with(R"(, "resid_pdrop": 0.0)").model->dropout);
  EXPECT_TRUE(with(R"(, "resid_pdrop": 0.1, "attention_dropout": 0.1)").warnings.empty());
  const ConfigRead scores = with(R"(, "attention_dropout": 0.1)");
  ASSERT_EQ(scores.warnings.size(), 1U);
  EXPECT_NE(scores.warnings[0].find("`attention_dropout` = 0.1 left out: masks of scores"),
            std::string::npos);
}

/// A row of the table, with a value that is not harmless.
std::string stated_alone(const files::ForeignKey& row) {
  const std::string key(row.key);
  if (key == "pruned_heads") return R"({"1": [0]})";
  if (key == "quantization_config") return R"({"bits": 4})";
  return row.harmless == "false" ? "true" : row.harmless == "true" ? "false" : "\"other\"";
}

/// Configurations of three families.
std::vector<std::string> three_bases() {
  std::vector<std::string> bases{
      R"({"model_type": "gpt2", "n_layer": 2, "n_embd": 64, "n_head": 4, "n_positions": 8, "vocab_size": 100})"};
  for (const char* type : {"llama", "gemma3_text"})
    bases.push_back(config_text({type, 2, 64, 128, 4, 4, 100}));
  return bases;
}

ConfigRead with_key(const std::string& base, const files::ForeignKey& row, const std::string& value) {
  std::string stated = base;
  stated.insert(stated.rfind('}'), ", \"" + std::string(row.key) + "\": " + value);
  return config_of(stated, 8);
}

TEST(ModelConfig, EveryKeyThatChangesTheAnswerWarnsOrIsRefusedInThreeFamilies) {
  int judged = 0;
  for (const std::string& base : three_bases()) {
    const ConfigRead plain = config_of(base, 8);
    ASSERT_TRUE(plain.model) << plain.error;
    for (const files::ForeignKey& row : inputs::model_config_keys()) {
      const bool changes = row.use == files::KeyUse::changes;
      if (!changes && row.use != files::KeyUse::refused) continue;
      const ConfigRead read = with_key(base, row, stated_alone(row));
      const std::string said = !changes ? read.error : read.warnings.empty() ? "" : read.warnings[0];
      EXPECT_NE(said.find(std::string(row.text)), std::string::npos) << row.key << ": " << said;
      EXPECT_EQ(static_cast<bool>(read.model), changes) << row.key;
      if (changes) {
        EXPECT_EQ(read.model.value_or(netmodels::Transformer{}), *plain.model) << row.key;
      }
      ++judged;
    }
  }
  EXPECT_GE(judged, 60);
}

TEST(ModelConfig, KeysWithoutEffectChangeNoShapeOfThreeFamilies) {
  for (const std::string& base : three_bases()) {
    const ConfigRead plain = config_of(base, 8);
    ASSERT_TRUE(plain.model) << plain.error;
    for (const files::ForeignKey& row : inputs::model_config_keys()) {
      if (row.use != files::KeyUse::no_effect) continue;
      for (const char* value : {"7", "true"}) {
        const ConfigRead read = with_key(base, row, value);
        ASSERT_TRUE(read.model) << row.key << ": " << read.error;
        EXPECT_EQ(*read.model, *plain.model) << row.key;
        EXPECT_TRUE(read.warnings.empty()) << row.key << ": " << read.warnings.front();
      }
    }
  }
}

/// Whether one of these values changes the shape, is named or is refused.
bool is_noticed(const std::string& base, const netmodels::Transformer& plain, const files::ForeignKey& row) {
  const auto is_silent = [&](const char* value) {
    const ConfigRead read = with_key(base, row, value);
    return read.model && *read.model == plain && read.warnings.empty();
  };
  return !std::ranges::all_of(
      std::array{"1", "3", "true", "false", "0.5", R"(["sliding_attention", "full_attention"])"}, is_silent);
}

// Keys that are in the base are needed; `text_config` is a map.
TEST(ModelConfig, KeysThatSomeFamilyReadsAreNoticedInThreeFamilies) {
  for (const std::string& base : three_bases()) {
    const ConfigRead plain = config_of(base, 8);
    ASSERT_TRUE(plain.model) << plain.error;
    for (const files::ForeignKey& row : inputs::model_config_keys()) {
      const bool is_stated = base.find("\"" + std::string(row.key) + "\"") != std::string::npos;
      if (row.use != files::KeyUse::read || is_stated || row.key == "text_config") continue;
      EXPECT_TRUE(is_noticed(base, *plain.model, row)) << row.key << " in " << base;
    }
  }
}

TEST(ModelConfig, NoKeyHasTwoRowsAndUnknownOnesAreNamed) {
  std::set<std::string_view> seen;
  for (const files::ForeignKey& row : inputs::model_config_keys())
    EXPECT_TRUE(seen.insert(row.key).second) << row.key;
  const ConfigRead read = config_of(
      config_text({"llama", 2, 64, 128, 4, 4, 100, R"(, "novel_key": 3, "rope_theta": 10000.0)"}), 8);
  ASSERT_EQ(read.warnings.size(), 1U);
  EXPECT_EQ(read.warnings[0], "config.json:2:95: `novel_key` = 3 left out: the key is unknown");
}

/// What a family says of keys that only other families read.
std::vector<std::string> warnings_of(const std::string& type, const std::string& more) {
  ConfigRead read = config_of(config_text({type, 2, 64, 128, 4, 4, 100, more}), 8);
  EXPECT_TRUE(read.model) << read.error;
  for (std::string& warning : read.warnings) warning = warning.substr(warning.find(": ") + 2);
  return read.warnings;
}

TEST(ModelConfig, KeysOfOtherFamiliesAreNamed) {
  using Warnings = std::vector<std::string>;
  EXPECT_EQ(warnings_of("llama", R"(, "layer_types": ["sliding_attention", "full_attention"])"),
            Warnings{"`layer_types` = a list left out: the family `llama` does not read it"});
  EXPECT_EQ(warnings_of("llama", R"(, "layer_types": ["full_attention", "full_attention"])"), Warnings{});
  EXPECT_EQ(warnings_of("mistral", R"(, "attention_bias": true)"),
            Warnings{"`attention_bias` = true left out: the family `mistral` does not read it"});
  EXPECT_EQ(warnings_of("llama", R"(, "num_experts_per_tok": 2)"),
            Warnings{"`num_experts_per_tok` = 2 left out: the family `llama` does not read it"});
  EXPECT_EQ(warnings_of("llama", R"(, "sliding_window": 64)"),
            Warnings{"`sliding_window` = 64 left out: the family `llama` does not read it"});
}

// Values at which no family differs, and keys that a family reads but does not need.
TEST(ModelConfig, KeysThatAFamilyKnowsAreNotNamed) {
  using Warnings = std::vector<std::string>;
  EXPECT_EQ(warnings_of("mistral", R"(, "attention_bias": false, "mlp_bias": false, "use_qk_norm": false)"),
            Warnings{});
  EXPECT_EQ(warnings_of("llama", R"(, "num_experts_per_tok": 0, "sliding_window": null, "dropout": 0.0)"),
            Warnings{});
  EXPECT_EQ(warnings_of("qwen2", R"(, "use_sliding_window": false, "max_window_layers": 2,
                                     "sliding_window": 131072)"),
            Warnings{});
  EXPECT_EQ(warnings_of("gemma3_text", R"(, "sliding_window_pattern": 2, "sliding_window": null)"),
            Warnings{});
  EXPECT_EQ(warnings_of("phi3", R"(, "resid_pdrop": 0.1, "attention_dropout": 0.1)"), Warnings{});
  EXPECT_EQ(warnings_of("gpt_neox", R"(, "use_parallel_residual": true, "hidden_dropout": 0.0)"), Warnings{});
  EXPECT_EQ(warnings_of("falcon", R"(, "new_decoder_architecture": true, "multi_query": true,
                                      "num_kv_heads": 4, "num_ln_in_parallel_attn": 2)"),
            (Warnings{"`intermediate_size` = 128 left out: the family `falcon` does not read it",
                      "`num_key_value_heads` = 4 left out: the family `falcon` does not read it"}));
}

TEST(ModelConfig, WarningsReachTheStudy) {
  const tests::ScratchFolder scratch;
  scratch.write("config.json", config_text({"llama", 2, 64, 128, 4, 4, 100, R"(, "pretraining_tp": 2)"}));
  const auto reading =
      read(scratch,
           "# Question?\n"
           "workload: {config: config.json, sequence: 8, device: h100_sxm_datasheet, mfu: 40 %}\n"
           "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\n"
           "training: {batch: 2, steps: 3}\n");
  ASSERT_TRUE(reading) << reading.error().text();
  ASSERT_EQ(reading->study.warnings.size(), 1U);
  EXPECT_NE(reading->study.warnings[0].find("`pretraining_tp` = 2 left out"), std::string::npos);
}

}  // namespace
}  // namespace sim::scenario
