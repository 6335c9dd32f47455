"""A small Llama by the Trainer of Hugging Face's transformers, with DDP, or with FSDP where the argument is `fsdp`."""
import sys

import torch
from torch.utils.data import Dataset
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments


class Sequences(Dataset):
    def __len__(self):
        return 2000

    def __getitem__(self, index):
        tokens = (torch.arange(128) + index) % 1000
        return {"input_ids": tokens, "labels": tokens, "attention_mask": torch.ones(128, dtype=torch.long)}


sharding = {}
if "fsdp" in sys.argv:
    sharding = {"fsdp": "full_shard auto_wrap", "fsdp_config": {"transformer_layer_cls_to_wrap": ["LlamaDecoderLayer"]}}
model = LlamaForCausalLM(LlamaConfig(vocab_size=1000, hidden_size=256, intermediate_size=512, num_hidden_layers=3,
                                     num_attention_heads=4, num_key_value_heads=4))
arguments = TrainingArguments("checkpoints", per_device_train_batch_size=4, gradient_accumulation_steps=2, max_steps=30, bf16=True,
                              logging_steps=10, report_to=[], save_strategy="no", **sharding)
Trainer(model, arguments, train_dataset=Sequences()).train()
