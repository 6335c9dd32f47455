// The families of models whose config.json is read, one row each, and those that are refused by name.
#include <array>

#include "sim/inputs/model_config.hpp"

namespace sim::inputs {
namespace {

using netmodels::Biases;
using netmodels::FeedForward;
using netmodels::Normalisation;
using netmodels::PositionEncoding;
using netmodels::Transformer;

constexpr ModelConfigNames gpt2_names{
    .layers = "n_layer",
    .hidden = "n_embd",
    .heads = "n_head",
    .ffn = "n_inner",
    .positions = "n_positions",
    .dropout = {"resid_pdrop"},
};
constexpr ModelConfigNames opt_names{.ffn = "ffn_dim", .dropout = {"dropout"}};
constexpr ModelConfigNames falcon_names{
    .kv_heads = "num_kv_heads", .ffn = "ffn_hidden_size", .dropout = {"hidden_dropout"}};
constexpr ModelConfigNames bert_names{.dropout = {"hidden_dropout_prob"}};
constexpr ModelConfigNames hidden_dropout_names{.dropout = {"hidden_dropout"}};
constexpr ModelConfigNames phi_names{.dropout = {"resid_pdrop"}};
constexpr ModelConfigNames starcoder_names{.dropout = {"residual_dropout"}};

/// `attention_bias`: of queries, keys, values and the output; `mlp_bias`: of all three matrices.
void read_biases(ModelConfigReader& config, Transformer& model) {
  const bool attention = config.flag("attention_bias", false);
  const bool inner = config.flag("mlp_bias", false);
  if (attention && inner)
    model.bias = Biases::all;
  else if (attention)
    model.bias = Biases::attention;
  else if (inner)
    model.bias = Biases::feed_forward;
}

void read_attention_bias(ModelConfigReader& config, Transformer& model) {
  if (config.flag("attention_bias", false)) model.bias = Biases::attention;
}

/// Blocks have two norms with `use_parallel_residual` and without.
void read_neox(ModelConfigReader& config, Transformer& model) {
  config.flag("use_parallel_residual", true);
  if (!config.flag("attention_bias", true)) model.bias = Biases::feed_forward;
}

void read_opt_bias(ModelConfigReader& config, Transformer& model) {
  if (!config.flag("enable_bias", true)) model.bias = Biases::none;
}

void read_token_types(ModelConfigReader& config, Transformer& model) {
  model.token_types = config.count("type_vocab_size").value_or(2);
}

void read_experts(ModelConfigReader& config, Transformer& model) {
  model.experts = config.count("num_local_experts").value_or(8);
  model.active_experts = config.count("num_experts_per_tok").value_or(2);
}

/// Attention and feed-forward part side by side share one norm, but for the newer blocks, which have two.
void read_falcon(ModelConfigReader& config, Transformer& model) {
  const bool newer = config.flag("new_decoder_architecture", false);
  const bool parallel = config.flag("parallel_attn", true);
  const std::int64_t of_newer = config.count("num_ln_in_parallel_attn").value_or(2);
  model.norms_per_layer = newer ? of_newer : (parallel ? 1 : 2);
  const bool shared = config.flag("multi_query", true);
  if (!newer) model.kv_heads = shared ? 1 : model.heads;
  if (config.flag("bias", false)) model.bias = Biases::all;
}

void read_phi(ModelConfigReader& config, Transformer& model) {
  model.head_bias = true;
  if (config.flag("qk_layernorm", false)) model.qk_norm_of_heads = true;
}

void read_starcoder(ModelConfigReader& config, Transformer& model) {
  if (config.flag("use_bias", true)) model.bias = Biases::all;
}

void read_stablelm(ModelConfigReader& config, Transformer& model) {
  if (config.flag("use_qkv_bias", false)) model.bias = Biases::query_key_value;
  if (config.flag("use_parallel_residual", false)) model.norms_per_layer = 1;
  if (config.flag("qk_layernorm", false))
    config.fail(*config.root().find("qk_layernorm"),
                "`qk_layernorm`: norms of queries and keys with weights of each head are not described",
                "describe the model by `transformer`");
}

/// Layer normalisation without a bias, which counts as RMS does; of queries and keys, each head has weights.
void read_cohere(ModelConfigReader& config, Transformer& model) {
  read_attention_bias(config, model);
  model.qk_norm = config.flag("use_qk_norm", false);
}

constexpr WindowRule qwen_window{.has_window = true, .otherwise = 4096, .by_flag = true};

constexpr std::array families{
    ModelFamily{.type = "bert",
                .names = bert_names,
                .ffn_kind = FeedForward::gelu,
                .norm = Normalisation::layer,
                .positions = PositionEncoding::learned,
                .bias = Biases::all,
                .tied = true,
                .encoder = true,
                .read_variants = read_token_types},
    ModelFamily{.type = "cohere", .tied = true, .norms = 1, .read_variants = read_cohere},
    ModelFamily{.type = "falcon",
                .names = falcon_names,
                .ffn_kind = FeedForward::gelu,
                .norm = Normalisation::layer,
                .tied = true,
                .read_variants = read_falcon},
    ModelFamily{.type = "gemma",
                .tied = true,
                .head_size = 256,
                .nested = {28, 3072, 16, 24576, 256000},
                .read_variants = read_attention_bias},
    ModelFamily{.type = "gemma2",
                .tied = true,
                .kv_heads = 4,
                .head_size = 256,
                .norms = 4,
                .window = {.has_window = true, .otherwise = 4096, .full_every = 2},
                .read_variants = read_attention_bias},
    ModelFamily{.type = "gemma3_text",
                .tied = true,
                .kv_heads = 4,
                .head_size = 256,
                .norms = 4,
                .qk_norm_of_heads = true,
                .window = {.has_window = true,
                           .otherwise = 4096,
                           .full_every = 6,
                           .period = "sliding_window_pattern"},
                .nested = {26, 2304, 8, 9216, 262208},
                .read_variants = read_attention_bias},
    ModelFamily{.type = "gpt2",
                .names = gpt2_names,
                .ffn_kind = FeedForward::gelu,
                .norm = Normalisation::layer,
                .positions = PositionEncoding::learned,
                .bias = Biases::all,
                .tied = true},
    ModelFamily{.type = "gpt_neox",
                .names = hidden_dropout_names,
                .ffn_kind = FeedForward::gelu,
                .norm = Normalisation::layer,
                .bias = Biases::all,
                .read_variants = read_neox},
    ModelFamily{.type = "granite", .read_variants = read_biases},
    ModelFamily{.type = "llama", .nested = {32, 4096, 32, 11008, 32000}, .read_variants = read_biases},
    ModelFamily{.type = "ministral", .kv_heads = 8, .window = {.has_window = true, .otherwise = 4096}},
    ModelFamily{.type = "mistral",
                .kv_heads = 8,
                .window = {.has_window = true, .otherwise = 4096},
                .nested = {32, 4096, 32, 14336, 32000}},
    ModelFamily{
        .type = "mixtral", .kv_heads = 8, .window = {.has_window = true}, .read_variants = read_experts},
    ModelFamily{.type = "olmo2", .qk_norm = true, .read_variants = read_attention_bias},
    ModelFamily{.type = "olmo3",
                .qk_norm = true,
                .window = {.has_window = true, .otherwise = 4096, .full_every = 4},
                .read_variants = read_attention_bias},
    ModelFamily{.type = "opt",
                .names = opt_names,
                .ffn_kind = FeedForward::gelu,
                .norm = Normalisation::layer,
                .positions = PositionEncoding::learned,
                .bias = Biases::all,
                .tied = true,
                .more_rows = 2,
                .read_variants = read_opt_bias},
    ModelFamily{.type = "phi",
                .names = phi_names,
                .ffn_kind = FeedForward::gelu,
                .norm = Normalisation::layer,
                .bias = Biases::all,
                .norms = 1,
                .read_variants = read_phi},
    ModelFamily{.type = "phi3", .names = phi_names, .window = {.has_window = true}},
    ModelFamily{.type = "qwen2", .bias = Biases::query_key_value, .window = qwen_window},
    ModelFamily{.type = "qwen3",
                .head_size = 128,
                .qk_norm_of_heads = true,
                .window = qwen_window,
                .read_variants = read_attention_bias},
    ModelFamily{.type = "smollm3",
                .tied = true,
                .kv_heads = 4,
                .window = {.has_window = true, .by_flag = true},
                .read_variants = read_biases},
    ModelFamily{.type = "stablelm",
                .names = hidden_dropout_names,
                .norm = Normalisation::layer,
                .read_variants = read_stablelm},
    ModelFamily{.type = "starcoder2",
                .names = starcoder_names,
                .ffn_kind = FeedForward::gelu,
                .norm = Normalisation::layer,
                .tied = true,
                .kv_heads = 2,
                .window = {.has_window = true},
                .read_variants = read_starcoder}};

constexpr std::array aliases{
    ModelFamilyAlias{"gemma3", "gemma3_text"}, ModelFamilyAlias{"idefics3", "llama"},
    ModelFamilyAlias{"llava", "llama"},        ModelFamilyAlias{"llava_next", "llama"},
    ModelFamilyAlias{"mistral3", "mistral"},   ModelFamilyAlias{"paligemma", "gemma"},
    ModelFamilyAlias{"qwen2_5_vl", "qwen2"},   ModelFamilyAlias{"qwen2_5_vl_text", "qwen2"},
    ModelFamilyAlias{"qwen2_vl", "qwen2"},     ModelFamilyAlias{"qwen2_vl_text", "qwen2"},
    ModelFamilyAlias{"qwen3_vl", "qwen3"},     ModelFamilyAlias{"qwen3_vl_text", "qwen3"},
    ModelFamilyAlias{"smolvlm", "llama"}};

constexpr std::array unread{
    UnreadFamily{
        "deepseek_v2 deepseek_v3 deepseek_v32 kimi_k2 longcat_flash glm4_moe_lite glm_moe_dsa",
        "its attention is latent (MLA: queries, keys and values from low ranks), and its blocks share "
        "out tokens to experts"},
    UnreadFamily{"minicpm3", "its attention is latent (MLA: queries, keys and values from low ranks)"},
    UnreadFamily{
        "dbrx ernie4_5_moe flex_olmo glm4_moe gpt_oss granitemoe granitemoeshared hunyuan_v1_moe jetmoe "
        "llama4 "
        "llama4_text minimax minimax_m2 olmoe phimoe qwen2_moe qwen3_moe qwen3_vl_moe qwen3_vl_moe_text "
        "qwen3_omni_moe",
        "its blocks share out tokens to experts, whose width, count by layer and exchange are not those of "
        "`experts`"},
    UnreadFamily{
        "mamba mamba2 falcon_mamba rwkv xlstm",
        "its blocks are recurrent (state-space): neither attention nor the memory of a scan is described"},
    UnreadFamily{
        "bamba falcon_h1 granitemoehybrid jamba kimi_linear lfm2 lfm2_moe nemotron_h qwen3_next "
        "recurrent_gemma zamba zamba2",
        "some of its blocks are recurrent (state-space or linear attention), which is not described"},
    UnreadFamily{"albert camembert deberta deberta-v2 distilbert electra ernie longformer modernbert mpnet "
                 "nomic_bert roberta xlm-roberta xlm-roberta-xl",
                 "it is an encoder with another embedding, other norms or shared blocks than BERT's"},
    UnreadFamily{"bart blenderbot encoder-decoder led m2m_100 marian mbart mt5 pegasus prophetnet "
                 "speech_to_text switch_transformers t5 t5gemma umt5 whisper",
                 "it is an encoder and a decoder, joined by attention from one to the other"},
    UnreadFamily{
        "beit clip clip_vision_model convnext deit detr dinov2 dinov3_vit resnet sam segformer siglip "
        "siglip_vision_model swin vit vit_mae",
        "it is a vision model: patches and their embedding are not described"},
    UnreadFamily{"mllama mllama_text_model",
                 "some of its blocks attend to images (cross-attention), which is not described"},
    UnreadFamily{"gemma3n gemma3n_text",
                 "its embeddings by layer, blocks that share keys and values and alternating updates are not "
                 "described"},
    UnreadFamily{"phi3small phi4mm", "its attention is sparse by blocks or has adapters, not described"}};

}  // namespace

std::span<const ModelFamily> model_families() { return families; }

std::span<const ModelFamilyAlias> model_family_aliases() { return aliases; }

std::span<const UnreadFamily> unread_families() { return unread; }

}  // namespace sim::inputs
