"""Closed mechanisms in independent coordinates.

Where the loops can be solved by sums of angles, as in a parallelogram, `q = A q_i + b` with whole numbers in A and quarter
turns in b; then the equations of the tree, pulled back, are those of the mechanism: M_r = A^T M A, C_r = A^T C A, G_r = A^T
G, and no multiplier remains. The solution is found from the mechanism in a closed pose, and proved: put into the loops'
equations it gives zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.equations.algebra.exact import turned
from lagrangian.equations.algebra.numbers import generator_values, value
from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.constraints import Row
from lagrangian.equations.reading.system import System
from lagrangian.errors import ArgumentError, MechanismError

# the configuration near one in which rows of loops close by the dependent coordinates alone
Closing = Callable[[System, Sequence[Row], Sequence[int], np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Solution:
    """q = A q_i + b: for every coordinate its whole multiples of the independent ones, and a number of quarter turns."""

    independent: tuple[int, ...]
    A: tuple[tuple[int, ...], ...]
    quarters: tuple[int, ...]

    def text(self, names: Sequence[str]) -> list[str]:
        """The dependent coordinates, each as a formula."""
        lines = []
        for k, (row, quarters) in enumerate(zip(self.A, self.quarters, strict=True)):
            if k in self.independent:
                continue
            words = [(n, names[i]) for n, i in zip(row, self.independent, strict=True) if n]
            text = " ".join(f"{'-' if n < 0 else '+'} {'' if abs(n) == 1 else f'{abs(n)}*'}{word}" for n, word in words)
            text = "-" + text[2:] if text.startswith("- ") else text.removeprefix("+ ")
            if quarters:
                turn = {1: "pi/2", 2: "pi"}.get(abs(quarters), f"{abs(quarters)}*pi/2")
                text = f"{text} {'-' if quarters < 0 else '+'} {turn}".strip()
            lines.append(f"{names[k]} = {text or '0'}")
        return lines


class Pullback:
    """Elements in all coordinates, rewritten in the independent ones."""

    def __init__(self, system: System, solution: Solution) -> None:
        self.system, self.solution = system, solution
        ring, scalars = system.ring, system.scalars
        self._values: dict[int, Any] = {}
        for k, symbol in enumerate(ring.symbols):
            if symbol.kind in ("sine", "cosine"):
                pair = self._pair(dict(symbol.angle))
                self._values[k] = pair[1] if symbol.kind == "sine" else pair[0]
            elif symbol.kind in ("coordinate", "speed", "acceleration"):
                self._values[k] = self._sum(symbol.index, symbol.kind, symbol.name)
        self._turning = set(scalars.angles.angle_of)

    def _pair(self, angle: dict[int, int]) -> Any:
        """Cosine and sine of a sum of coordinates, in the independent ones."""
        total = [0] * len(self.solution.independent)
        quarters = 0
        for k, times in angle.items():
            quarters += times * self.solution.quarters[k]
            total = [t + times * a for t, a in zip(total, self.solution.A[k], strict=True)]
        pair: Any = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarters % 4]
        for i, times in zip(self.solution.independent, total, strict=True):
            c, s = self.system.scalars.angles.coordinate_pair(i)
            for _ in range(abs(times)):
                pair = turned(pair, (c, s if times > 0 else -s))
        return pair

    def _sum(self, index: int, kind: str, name: str) -> Any:
        if index in self.solution.independent:
            return self.system.ring.generator(name)
        prefix = {"coordinate": "q", "speed": "qd", "acceleration": "qdd"}[kind]
        total: Any = self.system.ring.zero
        for i, times in zip(self.solution.independent, self.solution.A[index], strict=True):
            total = total + times * self.system.ring.generator(f"{prefix}{i + 1}")
        return total

    def __call__(self, x: Element) -> Element:
        degrees = x.poly.degrees()
        for k in range(self.system.n):
            if degrees[self.system.ring.number[f"q{k + 1}"]] > 0 and self.solution.quarters[k] and k in self._turning:
                raise MechanismError(
                    f"coordinate {self.system.coordinates[k]!r} appears as an angle itself, not only in a sine or cosine, "
                    f"as a spring at its joint makes it; the reduced form does not carry that"
                )
        return self.system.ring.substitute(x, self._values)


def solve(system: System, rows: Sequence[Row], independent: Sequence[int], start: Sequence[float], close: Closing) -> Solution:
    """The loops solved for the other coordinates, from a pose that `close` closes nearby."""
    name = system.mechanism.name
    holonomic = [row for row in rows if row.eta is not None]
    if len(holonomic) != len(rows):
        raise MechanismError(f"{name}: a constraint on speeds cannot be solved for coordinates; its multiplier stays")
    dependent = [k for k in range(system.n) if k not in independent]
    begin = np.array(start, dtype=float)
    if begin.shape != (system.n,) or not np.isfinite(begin).all():
        raise ArgumentError(f"{name}: the pose to start from needs {system.n} finite numbers: {', '.join(system.coordinates)}")
    first = close(system, holonomic, dependent, begin)
    rank = int(np.linalg.matrix_rank(jacobian(system, holonomic, first)[:, dependent], tol=1e-9)) if dependent else 0
    if rank != len(dependent):
        raise MechanismError(
            f"{name}: the loops determine {rank} of the {len(dependent)} coordinates that are not independent; "
            f"{system.n - rank} independent ones are needed, not {len(independent)}"
        )
    slopes = _slopes(system, holonomic, independent, dependent, first)
    moved = first.copy()
    moved[list(independent)] += 0.1 * np.linspace(1.0, 2.0, len(independent))
    moved[dependent] += slopes @ (moved - first)[list(independent)]
    second = close(system, holonomic, dependent, moved)
    again = _slopes(system, holonomic, independent, dependent, second)
    whole = np.round(slopes)
    if np.abs(slopes - whole).max(initial=0.0) > 1e-6 or np.abs(again - whole).max(initial=0.0) > 1e-6:
        names = ", ".join(system.coordinates[k] for k in dependent)
        raise MechanismError(
            f"{name}: its loops cannot be solved by sums of angles for {names}; keep the multipliers, or choose "
            f"other independent coordinates"
        )
    A = [[int(k == i) for i in independent] for k in range(system.n)]
    quarters = [0] * system.n
    for row, k in enumerate(dependent):
        A[k] = [int(x) for x in whole[row]]
        rest = first[k] - whole[row] @ first[list(independent)]
        quarters[k] = round(rest / (math.pi / 2)) if k in system.scalars.angles.angle_of else 0
    solution = Solution(tuple(independent), tuple(map(tuple, A)), tuple(quarters))
    pulled = Pullback(system, solution)
    for constraint in holonomic:
        if pulled(constraint.eta):  # type: ignore[arg-type]
            raise MechanismError(f"{name}: {constraint.name}: the sums of angles found do not close the loop exactly")
    return solution


def numeric(system: System, elements: Sequence[Element], q: np.ndarray) -> np.ndarray:
    given = generator_values(system.scalars, q.tolist(), (), (), {})
    return np.array([value(x, given) for x in elements])


def jacobian(system: System, rows: Sequence[Row], q: np.ndarray) -> np.ndarray:
    return np.array([numeric(system, row.psi, q) for row in rows]).reshape(len(rows), system.n)


def _slopes(
    system: System, rows: Sequence[Row], independent: Sequence[int], dependent: Sequence[int], q: np.ndarray
) -> np.ndarray:
    """d q_dependent / d q_independent = -K*^-1 K."""
    Psi = jacobian(system, rows, q)
    return -np.linalg.lstsq(Psi[:, dependent], Psi[:, list(independent)], rcond=None)[0]
