"""In a PyTorch training job: `hook` compresses its gradients as `sim` predicts.

    model.register_comm_hook(None, gradsim.torch.hook("topk", ratio=0.01))

Importing raises Refused where PyTorch is absent or of a version that was not tested.
"""

from gradsim.torch.refusal import Refused, check_pytorch

check_pytorch()

from gradsim.torch.hooks import hook, low_rank_ratio  # noqa: E402

__all__ = ["Refused", "hook", "low_rank_ratio"]
