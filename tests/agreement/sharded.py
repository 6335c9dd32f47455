"""Fully sharded training whose shards are sent in few bits, on nodes of two workers. Each gives (losses, exchanged)."""
from compressors import Mean, by_block, integers

NODE = 2
FOUR_BITS, EIGHT_BITS = by_block(4096, integers(7)), by_block(4096, integers(127))


def mean_between_nodes(messages):
    """The sum inside each node is rounded again before it goes to the other nodes."""
    sums = [sum(messages[i : i + NODE]) for i in range(0, len(messages), NODE)]
    return sum(FOUR_BITS(node) for node in sums) / len(messages)


def zero_plus_plus(job, optimizer, rate):
    """ZeRO++ (Wang et al. 2023): parameters gathered in 8 bits, gradients summed in 4 bits inside nodes and between."""
    parameters, losses = job.first, []
    for step in range(job.steps):
        loss, gradients = job.gradients([EIGHT_BITS(parameters)] * job.workers, step)
        losses.append(loss)
        parameters = optimizer.step(parameters, mean_between_nodes([FOUR_BITS(g) for g in gradients]), rate)
    return losses, [True] * job.steps


def loco(job, optimizer, rate):
    """LoCo (Xie et al. 2024) in 4 bits: what a worker's rounding left is added to its next gradient."""
    parameters, losses, workers = job.first, [], Mean(FOUR_BITS)
    for step in range(job.steps):
        loss, gradients = job.gradients([parameters] * job.workers, step)
        losses.append(loss)
        sent = [workers.sent(worker, gradient) for worker, gradient in enumerate(gradients)]
        parameters = optimizer.step(parameters, mean_between_nodes(sent), rate)
    return losses, [True] * job.steps
