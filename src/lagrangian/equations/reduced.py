"""Closed mechanisms in independent coordinates.

Where the loops can be solved by sums of angles, as in a parallelogram, `q = A q_i + b` with whole numbers in A and quarter
turns in b; then the equations of the tree, pulled back, are those of the mechanism: M_r = A^T M A, C_r = A^T C A, G_r = A^T
G, and no multiplier remains. The solution is found from the mechanism in a closed pose, and proved: put into the loops'
equations it gives zero.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from lagrangian.equations.algebra.exact import turned
from lagrangian.equations.algebra.numbers import generator_values, value
from lagrangian.equations.algebra.ring import Element, Ring, Symbol
from lagrangian.equations.constraints import Row
from lagrangian.equations.reading import lengths
from lagrangian.equations.reading.scalars import Scalars
from lagrangian.equations.reading.system import System
from lagrangian.errors import ArgumentError, MechanismError
from lagrangian.model.expression import free_symbols

_OF_COORDINATES = ("sine", "cosine", "coordinate", "speed", "acceleration")
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
    """Elements in all coordinates, rewritten in the independent ones: in the ring of `reduced`, a system of these alone."""

    def __init__(self, system: System, solution: Solution) -> None:
        self.whole, self.solution = system, solution
        self._names = [system.coordinates[i] for i in solution.independent]
        self.reduced = copy.copy(system)
        self.reduced.coordinates, self.reduced.n = tuple(self._names), len(self._names)
        self.reduced.links, self.reduced.springs = [], ()
        self.reduced.coordinate_springs, self.reduced.compensations = (), ()
        self.reduced.scalars = self._scalars(system.scalars)
        self._into: list[Any] | None = None
        for length in dict.fromkeys(system.scalars.lengths.values()):
            lengths.relate_one(self.reduced.scalars, length._replace(square=self(length.square)))
        self.reduced.scalars.settled_for_good = True

    @property
    def ring(self) -> Ring:
        return self.reduced.scalars.ring

    def _scalars(self, old: Scalars) -> Scalars:
        """The parameters and functions of the whole system, with the independent coordinates alone."""
        made = Scalars(self._names, old.inertial, old.masses, old.reserved, list(old.names))
        made.angles.constants = dict(old.angles.constants)
        made.atoms, made.values, made.notes = dict(old.atoms), dict(old.values), old.notes
        for symbol in old.ring.symbols:
            if symbol.kind == "sign" and symbol.index in self.solution.independent:
                number = self.solution.independent.index(symbol.index) + 1
                made.declare(Symbol("sign", made.sign_name(number), index=number - 1, meaning=f"sign of qd{number}"))
            elif symbol.kind not in (*_OF_COORDINATES, "sign"):
                if symbol.name in made.atoms:
                    self._check(made.atoms[symbol.name][1])
                made.declare(symbol)
        if any(self.solution.quarters):
            made.declare(Symbol("parameter", "pi", math.pi, meaning="pi"))
        turning = [a for a, i in enumerate(self.solution.independent) if i in old.angles.angle_of]
        made.rebuild()
        made.angles.add_up([((a, 1),) for a in turning], {a: k for k, a in enumerate(turning)}, dict.fromkeys(turning))
        made.rebuild()
        return made

    def _check(self, function: Any) -> None:
        for name in sorted(free_symbols(function) - {*self._names, "t"}):
            raise MechanismError(
                f"'{function}' depends on {name!r}, which is not independent; the reduced form does not support this",
                argument=name,
            )

    def __call__(self, x: Element) -> Element:
        if self._into is None:
            self._into = [self._symbol(symbol) for symbol in self.whole.ring.symbols]
        for into, degree, symbol in zip(self._into, x.poly.degrees(), self.whole.ring.symbols, strict=True):
            if into is None and degree > 0:
                raise MechanismError(
                    f"the friction at {self.whole.coordinates[symbol.index]!r} follows the sign of a sum of speeds, which the "
                    f"reduced form does not support"
                )
        into = [self.ring.zero.poly if x is None else self.ring(x).poly for x in self._into]
        return Element(self.ring, self.ring.reduce(x.poly.compose(*into, ctx=self.ring.context)))

    def _symbol(self, symbol: Symbol) -> Any:
        """What takes a generator's place."""
        match symbol.kind:
            case "sine" | "cosine":
                return self._pair(dict(symbol.angle))[symbol.kind == "sine"]
            case "coordinate" | "speed" | "acceleration":
                return self._sum(symbol.index, symbol.kind)
            case "sign":
                terms = [(a, times) for a, times in enumerate(self.solution.A[symbol.index]) if times]
                if len(terms) != 1 or self.reduced.scalars.sign_name(terms[0][0] + 1) not in self.ring.number:
                    return None if terms else 0
                sign = self.ring.generator(self.reduced.scalars.sign_name(terms[0][0] + 1))
                return sign if terms[0][1] > 0 else -sign
        return self.ring.generator(symbol.name)

    def _pair(self, angle: dict[int, int]) -> Any:
        """Cosine and sine of a sum of coordinates, in the independent ones."""
        total = [0] * len(self.solution.independent)
        quarters = 0
        for k, times in angle.items():
            quarters += times * self.solution.quarters[k]
            total = [t + times * a for t, a in zip(total, self.solution.A[k], strict=True)]
        pair: Any = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarters % 4]
        for a, times in enumerate(total):
            c, s = self.reduced.scalars.angles.coordinate_pair(a) if times else (1, 0)
            for _ in range(abs(times)):
                pair = turned(pair, (c, s if times > 0 else -s))
        return pair

    def _sum(self, index: int, kind: str) -> Any:
        prefix = {"coordinate": "q", "speed": "qd", "acceleration": "qdd"}[kind]
        total: Any = self.ring.zero
        for a, times in enumerate(self.solution.A[index]):
            total = total + times * self.ring.generator(f"{prefix}{a + 1}")
        if kind == "coordinate" and self.solution.quarters[index]:
            total = total + self.ring.generator("pi") * Fraction(self.solution.quarters[index], 2)
        return total


def solve(system: System, rows: Sequence[Row], independent: Sequence[int], start: Sequence[float], close: Closing) -> Solution:
    """The loops solved for the other coordinates, from a pose that `close` closes nearby."""
    name = system.mechanism.name
    holonomic = [row for row in rows if row.eta is not None]
    if len(holonomic) != len(rows):
        raise MechanismError(f"{name}: a constraint on speeds cannot be solved for coordinates; keep its multiplier")
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
