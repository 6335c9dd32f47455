"""In a PyTorch training job: `record` writes what `sim run` needs of it, `hook` compresses its gradients as `sim` predicts.

    gradsim.torch.record(model, "runs/mine")                                    # model: DistributedDataParallel
    model.register_comm_hook(None, gradsim.torch.hook("topk", ratio=0.01))

Importing raises Refused where PyTorch is absent or of a version that was not tested.
"""

from gradsim.torch.refusal import Refused, check_pytorch

check_pytorch()

from gradsim.torch.hooks import hook, low_rank_ratio  # noqa: E402
from gradsim.torch.recorder import Recording  # noqa: E402
from gradsim.torch.recording import record  # noqa: E402

__all__ = ["Recording", "Refused", "hook", "low_rank_ratio", "record"]
