"""Exits before anything is trained."""
import sys

sys.exit("state a model")
