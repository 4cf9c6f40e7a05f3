"""Which samples a study has: a grid, random numbers, a Latin hypercube, Sobol's sequence, or Saltelli's design for indices.

Every sample follows from the seed and its index alone. Any worker can make any of them, however long the study is, and the same
seed gives the same samples wherever and in whatever order they are computed.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.arguments import count
from lagrangian.cached import cached_property
from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.studies.distributions import Distribution, GridAxis, VariedInput

_ROUNDS = 8  # of the permutation
METHODS = ("grid", "random", "latin", "sobol", "saltelli")
SAMPLES = 1024  # the default number of draws
MAX_SAMPLES = 10**9  # samples of a study


@dataclass(frozen=True)
class SamplingDesign:
    """The samples of a study.

    Names with a `GridAxis` make a grid. At each of its points there are `draws` samples of the names with a distribution. They
    are the same at every point, so that differences between points are those of the grid. A grid alone has one draw.
    """

    over: Mapping[str, VariedInput]
    method: str
    draws: int
    seed: int

    @staticmethod
    def from_arguments(
        over: Mapping[str, VariedInput], method: str = "auto", samples: int | None = None, seed: int = 0
    ) -> SamplingDesign:
        """Make a design from the arguments of `study`, which are checked."""
        distribution_names = [name for name, x in over.items() if isinstance(x, Distribution)]
        grid_names = [name for name in over if name not in distribution_names]
        if method not in ("auto", *METHODS):
            raise ArgumentError(unknown_name_message("method", method, METHODS), concerns="method")
        method = method if method != "auto" else "sobol" if distribution_names else "grid"
        if method == "grid" and distribution_names:
            needed = f"give it a grid or a list of values, or choose another method: {', '.join(METHODS[1:])}"
            raise ArgumentError(
                f"{distribution_names[0]!r} has a distribution, but the method is 'grid'", concerns="method", remedy=needed
            )
        if method != "grid" and not distribution_names:
            remedy = "give it a distribution, such as uniform(low, high)"
            raise ArgumentError(
                f"{grid_names[0]!r} is a grid, but the method {method!r} draws from distributions",
                concerns="method",
                remedy=remedy,
            )
        if method == "saltelli" and grid_names:
            raise ArgumentError(
                f"{grid_names[0]!r} is a grid, but Sobol's indices need distributions",
                concerns="method",
                remedy="give it uniform(low, high)",
            )
        if not distribution_names and samples is not None:
            raise ArgumentError("applies to distributions only; a grid has as many samples as points", argument="samples")
        draws = (
            1
            if not distribution_names
            else count(SAMPLES if samples is None else samples, "samples", "samples", most=MAX_SAMPLES)
        )
        design = SamplingDesign(dict(over), method, draws, count(seed, "seed", least=0, most=2**63 - 1))
        if design.count > MAX_SAMPLES:
            raise ArgumentError(
                f"the study has {design.count:.3g} samples; at most {MAX_SAMPLES:g} are possible", concerns="over"
            )
        return design

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.over)

    @cached_property
    def grid_axes(self) -> dict[str, GridAxis]:
        return {name: x for name, x in self.over.items() if isinstance(x, GridAxis)}

    @cached_property
    def distributions(self) -> dict[str, Distribution]:
        return {name: x for name, x in self.over.items() if isinstance(x, Distribution)}

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The number of values along each axis of the grid."""
        return tuple(len(x.values) for x in self.grid_axes.values())

    @property
    def group_size(self) -> int:
        """The number of samples of Saltelli's design that belong together: A, B, and A with one column of B for each name."""
        return len(self.distributions) + 2

    @cached_property
    def samples_per_point(self) -> int:
        """The number of samples at every point of the grid."""
        return self.draws * (self.group_size if self.method == "saltelli" else 1)

    @cached_property
    def count(self) -> int:
        """The number of all samples."""
        points = 1
        for n in self.shape:
            points *= n
        return points * self.samples_per_point

    @property
    def digest_content(self) -> tuple[Any, ...]:
        """What the samples depend on. Their number matters to a grid and a Latin hypercube only: others can be extended."""
        depends = bool(self.grid_axes) or self.method == "latin"
        return (tuple((name, str(x)) for name, x in self.over.items()), self.method, self.seed, self.draws if depends else 0)

    def values(self, first: int, last: int) -> np.ndarray:
        """The samples from index `first` up to, but without, `last`: a row for each, a column for every name."""
        index = np.arange(first, last, dtype=np.int64)
        samples = np.empty((len(index), len(self.over)))
        grid_index = np.unravel_index(index // self.samples_per_point, self.shape) if self.grid_axes else ()
        for axis_index, (name, x) in zip(grid_index, self.grid_axes.items(), strict=True):
            samples[:, self.names.index(name)] = np.array(x.values)[axis_index]
        if self.distributions:
            u = self._unit_samples(index % self.samples_per_point)
            for k, (name, distribution) in enumerate(self.distributions.items()):
                samples[:, self.names.index(name)] = distribution.quantile(u[:, k])
        return samples

    def _unit_samples(self, index: np.ndarray) -> np.ndarray:
        """Numbers between 0 and 1 for draws whose indices increase by one, or begin again at 0."""
        d = len(self.distributions)
        starts = [0, *(np.flatnonzero(index[1:] == 0) + 1).tolist(), len(index)]
        pieces = []
        for a, b in itertools.pairwise(starts):
            first, n = int(index[a]), b - a
            if self.method == "random":
                pieces.append(_random(self.seed, first, n, d))
            elif self.method == "latin":
                pieces.append(self._latin(index[a:b], d))
            elif self.method == "sobol":
                pieces.append(_sobol(self.seed, first, n, d))
            else:
                pieces.append(self._saltelli(first, n, d))
        return np.concatenate(pieces) if pieces else np.empty((0, d))

    def _latin(self, index: np.ndarray, d: int) -> np.ndarray:
        """A Latin hypercube: each name has as many slices as there are draws, and one sample at a random place in each slice.

        McKay, Beckman and Conover, Technometrics 21 (1979) 239.
        """
        fractions = _random(self.seed, int(index[0]), len(index), d)
        slices = np.column_stack(
            [permute(index, self.draws, self.seed * 0x9E3779B9 + 0xD1B54A32D192ED03 * (k + 1)) for k in range(d)]
        )
        return (slices + fractions) / self.draws

    def _saltelli(self, first: int, n: int, d: int) -> np.ndarray:
        """Rows of A, of B, and of A with column i from B, in turn: Saltelli et al., Comput. Phys. Commun. 181 (2010) 259."""
        index = np.arange(first, first + n)
        base, part = np.divmod(index, self.group_size)
        low = int(base[0])
        base_samples = _sobol(self.seed, low, int(base[-1]) - low + 1, 2 * d)[base - low]
        a, b = base_samples[:, :d], base_samples[:, d:]
        from_b = (part == 1)[:, None] | (part[:, None] == np.arange(2, 2 + d))
        return np.where(from_b, b, a)


def _random(seed: int, first: int, n: int, d: int) -> np.ndarray:
    """Rows of random numbers by their index, from a counter-based generator: Salmon et al., SC11 (2011)."""
    blocks = -(-d // 4)  # a count gives four numbers
    generator = np.random.Generator(np.random.Philox(key=seed).advance(first * blocks))
    return generator.random((n, 4 * blocks))[:, :d]


def _sobol(seed: int, first: int, n: int, d: int) -> np.ndarray:
    """Rows of Sobol's sequence, scrambled by the seed, as SciPy has it."""
    import warnings

    from scipy.stats import qmc

    generator = np.random.default_rng(seed)
    try:
        sequence = qmc.Sobol(d, rng=generator)
    except TypeError:  # as SciPy called it before 1.15
        sequence = qmc.Sobol(d, seed=generator)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that a piece of the sequence has no power of two of points
        if first:
            sequence.fast_forward(first)
        return np.asarray(sequence.random(n))


def permute(index: np.ndarray, n: int, key: int) -> np.ndarray:
    """The images of indices under a permutation of 0 ... n-1 that `key` selects, without a list of all of them.

    It is a Feistel network on as many bits as n needs, walked along its cycles until it is below n: Black and Rogaway, "Ciphers
    with arbitrary finite domains", CT-RSA 2002. Its rounds are those of the generator splitmix64: Steele, Lea and Flood,
    OOPSLA 2014.
    """
    half = np.uint64(max(1, ((n - 1).bit_length() + 1) // 2))
    x = _network(index.astype(np.uint64), half, key)
    beyond = x >= np.uint64(n)
    while beyond.any():
        x[beyond] = _network(x[beyond], half, key)
        beyond = x >= np.uint64(n)
    return x.astype(np.int64)


def _network(x: np.ndarray, half: np.uint64, key: int) -> np.ndarray:
    mask = (np.uint64(1) << half) - np.uint64(1)
    left, right = x >> half, x & mask
    for round_number in range(_ROUNDS):
        left, right = right, left ^ (_mix(right, key + round_number * 0x632BE59BD9B4E019) & mask)
    return (left << half) | right


def _mix(x: np.ndarray, key: int) -> np.ndarray:
    """The output function of splitmix64, of x and a key."""
    z = x * np.uint64(0x9E3779B97F4A7C15) + np.uint64(key & 0xFFFFFFFFFFFFFFFF)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
