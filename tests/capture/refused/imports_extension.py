"""Imports a CUDA extension that is not installed."""
import absent_cuda_extension  # noqa: F401
