"""Operations that PyTorch chooses by device: the fake device is a CPU, the script's a GPU."""

from __future__ import annotations

import warnings
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_map

from gradsim.capture.devices import is_accelerator
from gradsim.capture.patches import Patches
from gradsim.capture.recorder import Recorder

# Operations that autocast of CUDA computes in fp32 and that of the CPU does not, with their overloads.
# Source: ATen/autocast_mode.h of PyTorch 2.15, AT_FORALL_FP32 and AT_FORALL_FP32_SET_OPT_DTYPE.
FP32_ON_CUDA = ("acos", "asin", "cosh", "erfinv", "exp", "expm1", "log", "log10", "log2", "log1p", "reciprocal", "rsqrt", "sinh", "tan",
                "pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar", "softplus", "layer_norm", "native_layer_norm", "rms_norm",
                "group_norm", "cosine_similarity", "nll_loss", "kl_div", "l1_loss", "smooth_l1_loss", "huber_loss", "logsumexp",
                "softmax.int", "log_softmax.int", "cumprod", "cumsum", "linalg_vector_norm", "sum", "sum.dim_IntList", "prod",
                "prod.dim_int")


def autocast_as_on_cuda(patches: Patches) -> torch.library.Library:
    """`torch.autocast("cuda")` has no effect on CPU tensors: everything would be recorded in fp32, silently.

    It becomes autocast of the CPU in the type of the GPU (float16 where none is stated), with CUDA's list of operations.
    Returns the library that holds the list: it applies until `_destroy`.
    """
    mode = torch.amp.autocast_mode.autocast
    init = mode.__init__

    def construct(self: Any, device_type: str, dtype: Any = None, *args: Any, **kwargs: Any) -> None:
        if is_accelerator(device_type):
            device_type, dtype = "cpu", dtype or torch.float16
        init(self, device_type, dtype, *args, **kwargs)

    patches.set(mode, "__init__", construct)
    patches.wrap(torch, "is_autocast_enabled", lambda function: lambda *_: function("cpu"))
    patches.wrap(torch, "get_autocast_dtype", lambda function: lambda *_: function("cpu"))
    patches.set(torch, "get_autocast_gpu_dtype", lambda: torch.get_autocast_dtype("cpu"))
    library = torch.library.Library("aten", "IMPL", "AutocastCPU")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that kernels are replaced, which is the purpose
        for name in FP32_ON_CUDA:
            packet, _, overload = name.partition(".")
            operation = getattr(getattr(torch.ops.aten, packet), overload or "default")
            library.impl(name, _in_fp32(operation), allow_override=True)
    return library


def _in_fp32(operation: Any) -> Any:
    excluded = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU)

    def widened(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.dtype in (torch.float16, torch.bfloat16):
            return value.float()
        return value

    def call(*args: Any, **kwargs: Any) -> Any:
        with torch._C._ExcludeDispatchKeyGuard(excluded):
            return operation(*tree_map(widened, args), **tree_map(widened, kwargs))

    return call


def fused_attention(patches: Patches) -> None:
    """Attention with dropout, and dropout itself, are one kernel on a GPU and a chain of operations on the CPU."""
    functional = torch.nn.functional
    attention, dropout = functional.scaled_dot_product_attention, functional.dropout

    def scaled_dot_product_attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
                                     *args: Any, **kwargs: Any) -> Any:
        return attention(query, key, value, attn_mask, 0.0, *args, **kwargs)

    def one_dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        if not training or p == 0.0:
            return input
        return dropout(input, p, training, inplace) if inplace else torch.native_dropout(input, p, True)[0]

    patches.set(functional, "scaled_dot_product_attention", scaled_dot_product_attention)
    patches.set(functional, "dropout", one_dropout)


def optimizers_as_on_cuda(patches: Patches, recorder: Recorder) -> None:
    """On a GPU optimizers take the form for lists of tensors (foreach) by default; on a CPU one tensor at a time."""
    import torch.optim.optimizer as optimizer
    import torch.utils._foreach_utils as foreach

    devices = foreach._get_foreach_kernels_supported_devices
    patches.replace_everywhere(devices, lambda: [*devices(), "cpu"])
    for types in {id(one): one for one in (foreach._foreach_supported_types, optimizer._foreach_supported_types)}.values():
        if FakeTensor not in types:
            types.append(FakeTensor)
    # The scaler reads whether gradients overflowed, and leaves the step out where they did: they did not.
    scaler = torch.amp.GradScaler

    def step(self: Any, chosen: Any, state: dict, *args: Any, **kwargs: Any) -> Any:
        recorder.wait_on_host("read of a value", recorder.current.head())
        return chosen.step(*args, **kwargs)

    patches.set(scaler, "_maybe_opt_step", step)
