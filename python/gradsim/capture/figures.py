"""FLOPs, bytes and kind of one aten operation."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.utils.flop_counter import flop_registry, register_flop_formula, sdpa_backward_flop_count, sdpa_flop_count

# They read as many rows of their first tensor as they write, not all of it.
ROW_READERS = frozenset({"embedding", "index_select", "index", "gather", "nll_loss_forward", "nll_loss2d_forward"})
COPIES = frozenset({"copy_", "clone", "_to_copy", "cat", "stack", "_foreach_copy_", "split_with_sizes_copy", "all_gather_copy_in",
                    "chunk_cat", "_chunk_cat", "chunk_cat_mixed_dtype", "contiguous", "repeat", "constant_pad_nd",
                    "slice_backward", "select_backward"})
REDUCTIONS = frozenset({"sum", "mean", "amax", "amin", "max", "min", "argmax", "var_mean", "linalg_vector_norm", "_foreach_norm",
                        "_softmax", "_log_softmax", "_softmax_backward_data", "_log_softmax_backward_data", "logsumexp",
                        "native_layer_norm", "native_layer_norm_backward", "_fused_rms_norm", "_fused_rms_norm_backward",
                        "native_batch_norm", "native_batch_norm_backward", "_native_batch_norm_legit", "cumsum",
                        "native_group_norm", "native_group_norm_backward", "nll_loss_forward", "nll_loss_backward"})
# Without work on the device: views, allocation, bookkeeping.
WITHOUT_WORK = frozenset({"detach", "detach_", "alias", "lift_fresh", "empty", "empty_like", "empty_strided", "new_empty",
                          "new_empty_strided", "_unsafe_view", "_reshape_alias", "set_", "resize_", "view", "record_stream",
                          "_local_scalar_dense", "is_same_size", "sym_size", "sym_numel", "device", "_version"})


aten = torch.ops.aten

if aten._scaled_dot_product_flash_attention_for_cpu not in flop_registry:  # PyTorch 2.9 counts only the GPU's operators
    @register_flop_formula(aten._scaled_dot_product_flash_attention_for_cpu)
    def _attention_flops(query: Any, key: Any, value: Any, *_: Any, out_shape: Any = None, **__: Any) -> int:
        return sdpa_flop_count(query, key, value)

    @register_flop_formula(aten._scaled_dot_product_flash_attention_for_cpu_backward)
    def _attention_backward_flops(grad_out: Any, query: Any, key: Any, value: Any, *_: Any, out_shape: Any = None,
                                  **__: Any) -> int:
        return sdpa_backward_flop_count(grad_out, query, key, value)


def tensor_bytes(tensor: torch.Tensor) -> int:
    """Bytes that a pass over the tensor moves: expanded dimensions (stride 0) count once."""
    counted = [size for size, stride in zip(tensor.shape, tensor.stride()) if stride != 0 or size == 0]
    return math.prod(counted) * tensor.element_size()


def moved_bytes(func: Any, name: str, args: tuple, kwargs: dict, inputs: list, outputs: list) -> int:
    """Bytes of the inputs and outputs of an operation; what is changed in place is read and written.

    Leaves out: caches of the device, and workspaces of its kernels.
    """
    written = sum(map(tensor_bytes, outputs or changed_tensors(func, args, kwargs)))
    if name in ROW_READERS and inputs:
        return 2 * written + sum(map(tensor_bytes, inputs[1:]))
    return sum(map(tensor_bytes, inputs)) + written


def changed_tensors(func: Any, args: tuple, kwargs: dict) -> list[torch.Tensor]:
    """The arguments that an operation without outputs changes."""
    changed: list[torch.Tensor] = []
    for position, argument in enumerate(func._schema.arguments):
        if argument.alias_info is None or not argument.alias_info.is_write:
            continue
        value = args[position] if position < len(args) else kwargs.get(argument.name)
        changed += [one for one in (value if isinstance(value, (list, tuple)) else [value]) if isinstance(one, torch.Tensor)]
    return changed


def flops_of(func: Any, args: tuple, kwargs: dict, out: Any) -> int:
    """FLOPs by torch.utils.flop_counter's formula; 0 without one."""
    formula = flop_registry.get(func._overloadpacket)
    return int(formula(*args, **kwargs, out_val=out)) if formula else 0


def kind_of(func: Any, name: str, flops: int) -> str:
    """The kind of an operation, for `Operation.kind`."""
    if "scaled_dot_product" in name or "flash_attention" in name or "efficient_attention" in name:
        return "attention"
    if flops or func._overloadpacket in flop_registry:
        return "matmul"
    if "embedding" in name:
        return "embedding"
    if name in COPIES or func.namespace == "fsdp":
        return "copy"
    if name in REDUCTIONS:
        return "reduction"
    if torch.Tag.pointwise in func.tags or name.startswith("_foreach_") or name.endswith("_"):
        return "pointwise"
    return "other"


def device_name_of(name: str) -> str:
    """The name that the operation has on a GPU."""
    return name.replace("_for_cpu", "")
