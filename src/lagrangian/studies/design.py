"""Which samples a study has: a grid, random numbers, a Latin hypercube, Sobol's sequence, or Saltelli's design for indices.

Every sample follows from the seed and its index alone. Any worker can make any of them, however long the study is, and the
same seed gives the same samples wherever and in whatever order they are computed.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.arguments import count
from lagrangian.cached import cached_property
from lagrangian.errors import ArgumentError, one_of
from lagrangian.studies.distributions import Distribution, Span, Varied
from lagrangian.studies.permutation import permuted

METHODS = ("grid", "random", "latin", "sobol", "saltelli")
SAMPLES = 1024  # draws if none are asked for
MOST = 10**9  # samples of a study


@dataclass(frozen=True)
class Design:
    """The samples of a study.

    Names with a `Span` make a grid. At each of its points there are `draws` samples of the names with a distribution, the same
    at every point, so that differences between points are those of the grid. A grid alone has one draw.
    """

    over: Mapping[str, Varied]
    method: str
    draws: int
    seed: int

    @staticmethod
    def of(over: Mapping[str, Varied], method: str = "auto", samples: int | None = None, seed: int = 0) -> Design:
        """The design that is asked for, checked."""
        drawn = [name for name, x in over.items() if isinstance(x, Distribution)]
        spans = [name for name in over if name not in drawn]
        if method not in ("auto", *METHODS):
            raise ArgumentError(one_of("method", method, METHODS), concerns="method")
        method = method if method != "auto" else "sobol" if drawn else "grid"
        if method == "grid" and drawn:
            needed = f"give it a span or a list of values, or choose another method: {', '.join(METHODS[1:])}"
            raise ArgumentError(f"{drawn[0]!r} has a distribution, but the method is 'grid'", concerns="method", remedy=needed)
        if method != "grid" and not drawn:
            remedy = "give it a distribution, such as uniform(low, high)"
            raise ArgumentError(
                f"{spans[0]!r} is a grid, but the method {method!r} draws from distributions", concerns="method", remedy=remedy
            )
        if method == "saltelli" and spans:
            raise ArgumentError(
                f"{spans[0]!r} is a grid, but Sobol's indices need distributions",
                concerns="method",
                remedy="give it uniform(low, high)",
            )
        if not drawn and samples is not None:
            raise ArgumentError("applies to distributions only; a grid has as many samples as points", argument="samples")
        draws = 1 if not drawn else count(SAMPLES if samples is None else samples, "samples", "samples", most=MOST)
        made = Design(dict(over), method, draws, count(seed, "seed", least=0, most=2**63 - 1))
        if made.count > MOST:
            raise ArgumentError(f"the study has {made.count:.3g} samples; at most {MOST:g} are possible", concerns="over")
        return made

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.over)

    @cached_property
    def spans(self) -> dict[str, Span]:
        return {name: x for name, x in self.over.items() if isinstance(x, Span)}

    @cached_property
    def drawn(self) -> dict[str, Distribution]:
        return {name: x for name, x in self.over.items() if isinstance(x, Distribution)}

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """How many values each span has."""
        return tuple(len(x.values) for x in self.spans.values())

    @property
    def group(self) -> int:
        """Samples of Saltelli's design that belong together: A, B, and A with one column of B for each name."""
        return len(self.drawn) + 2

    @cached_property
    def per_point(self) -> int:
        """Samples at every point of the grid."""
        return self.draws * (self.group if self.method == "saltelli" else 1)

    @cached_property
    def count(self) -> int:
        """All samples."""
        points = 1
        for n in self.shape:
            points *= n
        return points * self.per_point

    @property
    def what_counts(self) -> tuple[Any, ...]:
        """What samples depend on: how many there are matters to a grid and a Latin hypercube only, so others can be extended."""
        depends = bool(self.spans) or self.method == "latin"
        return (tuple((name, str(x)) for name, x in self.over.items()), self.method, self.seed, self.draws if depends else 0)

    def values(self, first: int, last: int) -> np.ndarray:
        """The samples from index `first` until `last`, which is not among them: a row each, a column for every name."""
        index = np.arange(first, last, dtype=np.int64)
        found = np.empty((len(index), len(self.over)))
        at = np.unravel_index(index // self.per_point, self.shape) if self.spans else ()
        for place, (name, x) in zip(at, self.spans.items(), strict=True):
            found[:, self.names.index(name)] = np.array(x.values)[place]
        if self.drawn:
            u = self._uniform(index % self.per_point)
            for k, (name, distribution) in enumerate(self.drawn.items()):
                found[:, self.names.index(name)] = distribution.at(u[:, k])
        return found

    def _uniform(self, index: np.ndarray) -> np.ndarray:
        """Numbers between 0 and 1 of these draws, each index following the one before it, or beginning again at 0."""
        d = len(self.drawn)
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
        """One sample in each of as many slices of every name as there are draws, at a random place in it.

        McKay, Beckman and Conover, Technometrics 21 (1979) 239.
        """
        places = _random(self.seed, int(index[0]), len(index), d)
        slices = np.column_stack(
            [permuted(index, self.draws, self.seed * 0x9E3779B9 + 0xD1B54A32D192ED03 * (k + 1)) for k in range(d)]
        )
        return (slices + places) / self.draws

    def _saltelli(self, first: int, n: int, d: int) -> np.ndarray:
        """Rows of A, of B, and of A with column i from B, in turn: Saltelli et al., Comput. Phys. Commun. 181 (2010) 259."""
        index = np.arange(first, first + n)
        base, part = np.divmod(index, self.group)
        low = int(base[0])
        both = _sobol(self.seed, low, int(base[-1]) - low + 1, 2 * d)[base - low]
        a, b = both[:, :d], both[:, d:]
        from_b = (part == 1)[:, None] | (part[:, None] == np.arange(2, 2 + d))
        return np.where(from_b, b, a)


def _random(seed: int, first: int, n: int, d: int) -> np.ndarray:
    """Rows of random numbers by their index, from a generator that counts: Salmon et al., SC11 (2011)."""
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
