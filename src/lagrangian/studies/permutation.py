"""A permutation of 0 ... n-1 that gives the place of any index by itself, without a list of all of them.

It is a Feistel network on as many bits as n needs, walked along its cycles until it is below n: Black and Rogaway, "Ciphers with
arbitrary finite domains", CT-RSA 2002. Its rounds are those of the generator splitmix64: Steele, Lea and Flood, OOPSLA 2014.
"""

from __future__ import annotations

import numpy as np

ROUNDS = 8


def permuted(index: np.ndarray, n: int, key: int) -> np.ndarray:
    """Where a permutation of 0 ... n-1, chosen by `key`, takes these indices."""
    half = np.uint64(max(1, ((n - 1).bit_length() + 1) // 2))
    x = _network(index.astype(np.uint64), half, key)
    outside = x >= np.uint64(n)
    while outside.any():
        x[outside] = _network(x[outside], half, key)
        outside = x >= np.uint64(n)
    return x.astype(np.int64)


def _network(x: np.ndarray, half: np.uint64, key: int) -> np.ndarray:
    mask = (np.uint64(1) << half) - np.uint64(1)
    left, right = x >> half, x & mask
    for turn in range(ROUNDS):
        left, right = right, left ^ (_mixed(right, key + turn * 0x632BE59BD9B4E019) & mask)
    return (left << half) | right


def _mixed(x: np.ndarray, key: int) -> np.ndarray:
    """The output function of splitmix64, of x and a key."""
    z = x * np.uint64(0x9E3779B97F4A7C15) + np.uint64(key & 0xFFFFFFFFFFFFFFFF)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
