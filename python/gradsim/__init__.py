"""gradsim: predicts distributed training over real networks.

The package records training scripts without a GPU (`gradsim.capture`), and running jobs, whose gradients it compresses
(`gradsim.torch`).
"""

__version__ = "0.2.0"
