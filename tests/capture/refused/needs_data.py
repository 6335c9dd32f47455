"""Reads a file that is absent."""
import numpy

data = numpy.memmap("train.bin", dtype=numpy.uint16, mode="r")
