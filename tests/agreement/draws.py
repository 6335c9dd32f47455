"""The program's random numbers: Philox 4x32-10 (Salmon et al. 2011), whose counter is a block of a stream."""
import numpy as np

MASK = 0xFFFFFFFF
PARTITION, PASS = 2, 4  # purposes of streams: who holds which samples, the order of a pass over them
GOLDEN, MODEL = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9  # seeds of first weights and of PowerSGD's factors


def stream(purpose, owner=0, number=0):
    return purpose << 56 | owner << 40 | number


def seed_of(seed, number):
    """An independent seed: 1 for first weights, 2 for the factors of PowerSGD."""
    return (seed * GOLDEN + number * MODEL) % 2**64


def philox(blocks, step, seed):
    """Four words of 32 bits of each block, one after the other."""
    mask, shift = np.uint64(MASK), np.uint64(32)
    blocks = np.asarray(blocks, dtype=np.uint64)
    counter = [blocks & mask, blocks >> shift, np.full_like(blocks, step & MASK), np.full_like(blocks, step >> 32)]
    key = [seed & MASK, seed >> 32 & MASK]
    for _ in range(10):
        even, odd = np.uint64(0xD2511F53) * counter[0], np.uint64(0xCD9E8D57) * counter[2]
        counter = [odd >> shift ^ counter[1] ^ np.uint64(key[0]), odd & mask,
                   even >> shift ^ counter[3] ^ np.uint64(key[1]), even & mask]
        key = [(key[0] + 0x9E3779B9) & MASK, (key[1] + 0xBB67AE85) & MASK]
    return np.stack(counter, -1).reshape(-1)


def words(count, step, seed):
    return philox(np.arange(-(-count // 4)), step, seed)[:count]


def shuffled(values, step, seed):
    """Fisher and Yates from the last place on."""
    values = list(values)
    for word, left in zip(words(len(values), step, seed).tolist(), range(len(values), 1, -1)):
        place = word * left >> 32
        values[left - 1], values[place] = values[place], values[left - 1]
    return values


def uniform(count, step, seed, bound):
    """fp32 in [-bound, bound), of the upper 24 bits of each word."""
    unit = (words(count, step, seed) >> np.uint64(8)).astype(np.float32) * np.float32(2**-24)
    return np.float32(bound) * (2 * unit - 1)
