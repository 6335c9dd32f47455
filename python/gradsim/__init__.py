"""gradsim: predicts distributed training over real networks. The package records training scripts (`gradsim.capture`)."""

__version__ = "0.1.0"
