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

from lagrangian.equations.algebra.matrices import determinant
from lagrangian.equations.algebra.numbers import evaluate_element, generator_values
from lagrangian.equations.algebra.ring import Ring, RingElement, Symbol, angle_sum, quarter_turns
from lagrangian.equations.constraints import ConstraintEquation
from lagrangian.equations.reading.lengths import relate_length
from lagrangian.equations.reading.scalars import RingReader
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.errors import ArgumentError, MechanismError, unknown_name_message
from lagrangian.model.expression import free_symbols
from lagrangian.model.mechanism import Mechanism

_COORDINATE_KINDS = ("sine", "cosine", "coordinate", "speed", "acceleration")
# closes loops by the dependent coordinates alone: returns a configuration near the given one
LoopCloser = Callable[[SymbolicSystem, Sequence[ConstraintEquation], Sequence[int], np.ndarray], np.ndarray]


@dataclass(frozen=True)
class CoordinateReduction:
    """q = A q_i + b: for every coordinate its whole multiples of the independent ones, and a number of quarter turns."""

    independent: tuple[int, ...]
    A: tuple[tuple[int, ...], ...]
    quarters: tuple[int, ...]

    def dependent_formulas(self, names: Sequence[str]) -> list[str]:
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
    """Elements in all coordinates, rewritten in the independent ones: in the ring of `reduced_system`, which has these alone."""

    def __init__(self, system: SymbolicSystem, solution: CoordinateReduction) -> None:
        self.full_system, self.solution = system, solution
        self._names = [system.coordinates[i] for i in solution.independent]
        self.reduced_system = copy.copy(system)
        self.reduced_system.coordinates, self.reduced_system.n = tuple(self._names), len(self._names)
        self.reduced_system.links, self.reduced_system.point_springs = [], ()
        self.reduced_system.coordinate_springs, self.reduced_system.gravity_compensations = (), ()
        self.reduced_system.scalars = self._independent_scalars(system.scalars)
        self._images: list[Any] | None = None
        for length in dict.fromkeys(system.scalars.lengths.values()):
            relate_length(self.reduced_system.scalars, length._replace(square=self(length.square)))
        self.reduced_system.scalars.frozen = True

    @property
    def ring(self) -> Ring:
        return self.reduced_system.scalars.ring

    def _independent_scalars(self, old: RingReader) -> RingReader:
        """The parameters and functions of the whole system, with the independent coordinates alone."""
        scalars = RingReader(self._names, old.inertial_names, old.mass_names, old.reserved_names, list(old.parameter_order))
        scalars.angles.constant_angles = dict(old.angles.constant_angles)
        scalars.function_generators, scalars.parameter_values, scalars.notes = (
            dict(old.function_generators),
            dict(old.parameter_values),
            old.notes,
        )
        for symbol in old.ring.symbols:
            if symbol.kind == "sign" and symbol.index in self.solution.independent:
                number = self.solution.independent.index(symbol.index) + 1
                scalars.declare(Symbol("sign", scalars.sign_name(number), index=number - 1, meaning=f"sign of qd{number}"))
            elif symbol.kind not in (*_COORDINATE_KINDS, "sign"):
                if symbol.name in scalars.function_generators:
                    self._check_independent(scalars.function_generators[symbol.name][1])
                scalars.declare(symbol)
        if any(self.solution.quarters):
            scalars.declare(Symbol("parameter", "pi", math.pi, meaning="pi"))
        turning = [a for a, i in enumerate(self.solution.independent) if i in old.angles.angle_index]
        scalars.rebuild_ring()
        scalars.angles.declare_absolute_angles(
            [((a, 1),) for a in turning], {a: k for k, a in enumerate(turning)}, dict.fromkeys(turning)
        )
        scalars.rebuild_ring()
        return scalars

    def _check_independent(self, function: Any) -> None:
        for name in sorted(free_symbols(function) - {*self._names, "t"}):
            raise MechanismError(
                f"'{function}' depends on {name!r}, which is not independent; the reduced form does not support this",
                argument=name,
            )

    def __call__(self, x: RingElement) -> RingElement:
        if self._images is None:
            self._images = [self._image(symbol) for symbol in self.full_system.ring.symbols]
        for images, degree, symbol in zip(self._images, x.poly.degrees(), self.full_system.ring.symbols, strict=True):
            if images is None and degree > 0:
                raise MechanismError(
                    f"the friction at {self.full_system.coordinates[symbol.index]!r} follows the sign of a sum of speeds, which "
                    f"the reduced form does not support"
                )
        images = [self.ring.zero.poly if x is None else self.ring(x).poly for x in self._images]
        return RingElement(self.ring, self.ring.reduce(x.poly.compose(*images, ctx=self.ring.context)))

    def _image(self, symbol: Symbol) -> Any:
        """The element that takes a generator's place in the reduced system."""
        match symbol.kind:
            case "sine" | "cosine":
                return self._angle_pair(dict(symbol.angle))[symbol.kind == "sine"]
            case "coordinate" | "speed" | "acceleration":
                return self._coordinate_sum(symbol.index, symbol.kind)
            case "sign":
                terms = [(a, times) for a, times in enumerate(self.solution.A[symbol.index]) if times]
                if len(terms) != 1 or self.reduced_system.scalars.sign_name(terms[0][0] + 1) not in self.ring.generator_index:
                    return None if terms else 0
                sign = self.ring.generator(self.reduced_system.scalars.sign_name(terms[0][0] + 1))
                return sign if terms[0][1] > 0 else -sign
        return self.ring.generator(symbol.name)

    def _angle_pair(self, angle: dict[int, int]) -> Any:
        """Cosine and sine of a sum of coordinates, in the independent ones."""
        total = [0] * len(self.solution.independent)
        quarters = 0
        for k, times in angle.items():
            quarters += times * self.solution.quarters[k]
            total = [t + times * a for t, a in zip(total, self.solution.A[k], strict=True)]
        pair: Any = quarter_turns(quarters)
        for a, times in enumerate(total):
            c, s = self.reduced_system.scalars.angles.coordinate_pair(a) if times else (1, 0)
            for _ in range(abs(times)):
                pair = angle_sum(pair, (c, s if times > 0 else -s))
        return pair

    def _coordinate_sum(self, index: int, kind: str) -> Any:
        prefix = {"coordinate": "q", "speed": "qd", "acceleration": "qdd"}[kind]
        total: Any = self.ring.zero
        for a, times in enumerate(self.solution.A[index]):
            total = total + times * self.ring.generator(f"{prefix}{a + 1}")
        if kind == "coordinate" and self.solution.quarters[index]:
            total = total + self.ring.generator("pi") * Fraction(self.solution.quarters[index], 2)
        return total


def solve_loops(
    system: SymbolicSystem,
    rows: Sequence[ConstraintEquation],
    independent: Sequence[int],
    start: Sequence[float],
    close: LoopCloser,
) -> CoordinateReduction:
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
    rank = int(np.linalg.matrix_rank(numeric_jacobian(system, holonomic, first)[:, dependent], tol=1e-9)) if dependent else 0
    if rank != len(dependent):
        raise MechanismError(
            f"{name}: the loops determine {rank} of the {len(dependent)} coordinates that are not independent; "
            f"{system.n - rank} independent ones are needed, not {len(independent)}"
        )
    slopes = _dependent_slopes(system, holonomic, independent, dependent, first)
    guess = first.copy()
    guess[list(independent)] += 0.1 * np.linspace(1.0, 2.0, len(independent))
    guess[dependent] += slopes @ (guess - first)[list(independent)]
    second = close(system, holonomic, dependent, guess)
    second_slopes = _dependent_slopes(system, holonomic, independent, dependent, second)
    integer_slopes = np.round(slopes)
    if np.abs(slopes - integer_slopes).max(initial=0.0) > 1e-6 or np.abs(second_slopes - integer_slopes).max(initial=0.0) > 1e-6:
        names = ", ".join(system.coordinates[k] for k in dependent)
        raise MechanismError(
            f"{name}: its loops cannot be solved by sums of angles for {names}; keep the multipliers, or choose "
            f"other independent coordinates"
        )
    A = [[int(k == i) for i in independent] for k in range(system.n)]
    quarters = [0] * system.n
    for row, k in enumerate(dependent):
        A[k] = [int(x) for x in integer_slopes[row]]
        offset = first[k] - integer_slopes[row] @ first[list(independent)]
        quarters[k] = round(offset / (math.pi / 2)) if k in system.scalars.angles.angle_index else 0
    solution = CoordinateReduction(tuple(independent), tuple(map(tuple, A)), tuple(quarters))
    pullback = Pullback(system, solution)
    for constraint in holonomic:
        if pullback(constraint.eta):  # type: ignore[arg-type]
            raise MechanismError(f"{name}: {constraint.name}: the sums of angles found do not close the loop exactly")
    return solution


def independent_indices(mechanism: Mechanism, independent: Sequence[str] | None) -> list[int]:
    """The indices of the independent coordinates: those with the given names, or those of the actuated joints."""
    names = mechanism.coordinate_names
    if independent is None:
        actuated = {name for joint in mechanism.joints if joint.actuated for name in joint.coordinate_names}
        return [k for k, name in enumerate(names) if name in actuated]
    for name in independent:
        if name not in names:
            raise ArgumentError(unknown_name_message("coordinate", name, names), concerns="independent")
    return [names.index(name) for name in independent]


def dependent_determinant(
    system: SymbolicSystem, rows: Sequence[ConstraintEquation], independent: Sequence[str] | None
) -> RingElement:
    """The determinant of the block of Psi that belongs to the coordinates that are not independent."""
    mechanism = system.mechanism
    chosen = independent_indices(mechanism, independent)
    if not rows:
        raise MechanismError(f"{mechanism.name} has no loops; give a frame and directions to get the determinant of its Jacobian")
    dependent = [k for k in range(system.n) if k not in chosen]
    if len(dependent) != len(rows):
        raise MechanismError(
            f"{mechanism.name} has {len(rows)} constraint equations and {len(dependent)} dependent coordinates, so that "
            f"their block of Psi is not square. Choose {system.n - len(rows)} independent coordinates"
        )
    return determinant(system.ring, [[row.psi[k] for k in dependent] for row in rows])


def evaluate_elements(system: SymbolicSystem, elements: Sequence[RingElement], q: np.ndarray) -> np.ndarray:
    values = generator_values(system.scalars, q.tolist(), (), (), {})
    return np.array([evaluate_element(x, values) for x in elements])


def numeric_jacobian(system: SymbolicSystem, rows: Sequence[ConstraintEquation], q: np.ndarray) -> np.ndarray:
    return np.array([evaluate_elements(system, row.psi, q) for row in rows]).reshape(len(rows), system.n)


def _dependent_slopes(
    system: SymbolicSystem,
    rows: Sequence[ConstraintEquation],
    independent: Sequence[int],
    dependent: Sequence[int],
    q: np.ndarray,
) -> np.ndarray:
    """d q_dependent / d q_independent = -K*^-1 K."""
    Psi = numeric_jacobian(system, rows, q)
    return -np.linalg.lstsq(Psi[:, dependent], Psi[:, list(independent)], rcond=None)[0]
