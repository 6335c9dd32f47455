"""Starts its ranks by itself."""
import torch.multiprocessing as processes


def train(rank):
    raise SystemExit(rank)


if __name__ == "__main__":
    processes.spawn(train, nprocs=8)
