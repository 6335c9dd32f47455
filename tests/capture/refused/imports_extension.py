"""Imports a CUDA extension that is not installed."""
import a_cuda_extension_that_nobody_has  # noqa: F401
