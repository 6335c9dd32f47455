"""Records its step as a CUDA graph."""
import torch

graph = torch.cuda.CUDAGraph()
