"""The closed form as machine code: the formulas as written, traced and compiled like the recursions.

A second way to every number, from other equations: run against `lagrangian.compile` it checks both.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from lagrangian.equations import forces, lagrange
from lagrangian.equations.constraints import Row
from lagrangian.equations.numbers import generator_values
from lagrangian.equations.ring import Element, Symbol
from lagrangian.equations.writing.horner import nested
from lagrangian.equations.writing.tree import Tree, evaluate
from lagrangian.equations.writing.writer import sparse
from lagrangian.errors import ArgumentError, one_of
from lagrangian.kernels.kernel import Kernel, Threads
from lagrangian.kernels.program import Straight
from lagrangian.kernels.store import cores
from lagrangian.kernels.trace import Graph
from lagrangian.model.expression import Expression
from lagrangian.proof.prove import Derived

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import Equations


class CompiledEquations:
    """`mass_matrix(q)`, `coriolis_matrix(q, qd)`, `gravity(q)` and so on, each for one state or a batch.

    Parameters have the values of the mechanism unless others are given. Each function is compiled when first called.
    """

    def __init__(
        self, eom: Equations, derived: Derived, rows: Sequence[Row], parameters: Mapping[str, float], threads: int | None
    ) -> None:
        self.equations, self.nq, self.nv = eom, eom.n, eom.n
        self._derived, self._rows = derived, rows
        self._system = eom.system
        known = eom.parameters()
        for name in parameters:
            if name not in known:
                raise ArgumentError(f"compile: {one_of('parameter', name, known)}")
        self._given = {name: float(x) for name, x in parameters.items()}
        self._threads = Threads(threads or cores())
        self._kernels: dict[str, Kernel] = {}
        # constants as numbers: parameters, and what is made of them
        values = generator_values(self._system.scalars, (), (), (), self._given)
        self._values = {
            k: values[s.name] for k, s in enumerate(self._system.ring.symbols) if s.kind not in _STATE and _constant(self._system, s)
        }

    def mass_matrix(self, q: Any) -> Any:
        """M(q)."""
        n = self.nv
        return self._kernel("mass_matrix", ("q",), (n, n), lambda: [x for row in self._derived.M for x in row])(q)

    def coriolis_matrix(self, q: Any, qd: Any) -> Any:
        """C(q, qd) of the Christoffel symbols."""
        n = self.nv
        return self._kernel("coriolis_matrix", ("q", "qd"), (n, n), self._coriolis)(q, qd)

    def _coriolis(self) -> list[Element]:
        return [x for row in lagrange.coriolis_matrix(self._system, self._derived.christoffel) for x in row]

    def gravity(self, q: Any) -> Any:
        """G(q) = dV/dq, springs included."""
        return self._kernel("gravity", ("q",), (self.nv,), lambda: self.equations._slopes)(q)

    def friction(self, qd: Any, q: Any = None) -> Any:
        """F(qd); dampers between points need q too."""
        if q is None:
            q = [0.0] * self.nq
        return self._kernel("friction", ("q", "qd"), (self.nv,), lambda: forces.friction(self._system))(q, qd)

    def inverse_dynamics(self, q: Any, qd: Any, qdd: Any) -> Any:
        """tau = M qdd + C qd + G + F."""
        return self._kernel("inverse_dynamics", ("q", "qd", "qdd"), (self.nv,), lambda: self.equations._torques)(q, qd, qdd)

    def kinetic_energy(self, q: Any, qd: Any) -> Any:
        return self._kernel("kinetic_energy", ("q", "qd"), (), lambda: [self.equations.kinetic_energy.element])(q, qd)

    def potential_energy(self, q: Any) -> Any:
        return self._kernel("potential_energy", ("q",), (), lambda: [self.equations.potential_energy.element])(q)

    def constraint_jacobian(self, q: Any) -> Any:
        """Psi(q); where it depends on time too, at t = 0."""
        shape = (len(self._rows), self.nv)
        return self._kernel("constraint_jacobian", ("q",), shape, lambda: [x for row in self._rows for x in row.psi])(q)

    def loops(self, q: Any) -> Any:
        """eta(q): zero where the loops are closed."""
        found = [row.eta for row in self._rows if row.eta is not None]
        return self._kernel("loops", ("q",), (len(found),), lambda: found)(q)

    def __repr__(self) -> str:
        return f"<CompiledEquations of {self.equations.mechanism.name!r}: {self.nv} coordinates>"

    # -- compiling ---------------------------------------------------------------------------------------------------

    def _kernel(self, name: str, inputs: Sequence[str], shape: tuple[int, ...], elements: Callable[[], Sequence[Element]]) -> Kernel:
        found = self._kernels.get(name)
        if found is None:
            numeric = [self._numeric(x) for x in elements()]
            digest = hashlib.sha256()
            for polynomial in numeric:
                digest.update(repr(sorted(polynomial.items())).encode())
            symbols = self._system.ring.symbols
            digest.update(repr([(s.kind, s.name, s.angle, s.index) for s in symbols]).encode())
            names = [symbol.name for symbol in symbols]
            trees = [nested(polynomial, names) for polynomial in numeric]
            angles = sorted(self._system.scalars.angle_of)
            program = Straight(
                f"closed_form_{name}",
                dict.fromkeys(inputs, self.nv),
                len(trees),
                angles,
                lambda graph: _traced(self._system, graph, trees),
                digest.digest(),
            )
            found = self._kernels[name] = Kernel(program, shape, self._threads)
        return found

    def _numeric(self, x: Element) -> dict[Any, Any]:
        """Constants put in: what is left is a polynomial in the state, with floating-point coefficients."""
        result: dict[Any, float] = {}
        for monomial, c in sparse(x).items():
            factor = float(c)
            for k, power in monomial:
                if k in self._values:
                    factor *= self._values[k] ** power
            rest = tuple(pair for pair in monomial if pair[0] not in self._values)
            result[rest] = result.get(rest, 0.0) + factor
        return {m: c for m, c in result.items() if c}


_STATE = ("sine", "cosine", "coordinate", "speed", "acceleration", "sign", "time", "load")


def _constant(system: Any, symbol: Symbol) -> bool:
    """Whether a generator has the same value in every state."""
    if symbol.name in system.scalars.lengths:
        return False
    return symbol.kind in ("parameter", "inertial") or symbol.value is not None


def _traced(system: Any, graph: Graph, trees: Sequence[Tree]) -> list[Any]:
    """The formulas recorded on a graph."""
    scalars, ring = system.scalars, system.ring
    q = [graph.input("q", k) for k in range(system.n)]
    own: dict[int, tuple[Any, Any]] = {}
    known: dict[str, Any] = {}

    def pair(angle: Sequence[tuple[int, int]]) -> tuple[Any, Any]:
        total: tuple[Any, Any] = (1, 0)
        for k, sign in angle:
            if k not in own:
                own[k] = (q[k].cos(), q[k].sin())
            c, s = own[k]
            s = s if sign > 0 else -s
            total = (total[0] * c - total[1] * s, total[1] * c + total[0] * s)
        return total

    def value(name: str) -> Any:
        if name not in known:
            known[name] = of(ring.symbols[ring.number[name]])
        return known[name]

    def of(symbol: Symbol) -> Any:
        match symbol.kind:
            case "sine":
                return pair(symbol.angle)[1]
            case "cosine":
                return pair(symbol.angle)[0]
            case "coordinate":
                return q[symbol.index]
            case "speed":
                return graph.input("qd", symbol.index)
            case "acceleration":
                return graph.input("qdd", symbol.index)
            case "sign":
                return graph.input("qd", symbol.index).by_sign(1.0, -1.0)
            case "time" | "load":
                return 0
        if symbol.name in scalars.lengths:
            length = evaluate(nested(_floats(scalars.lengths[symbol.name]), [s.name for s in ring.symbols]), value_or_constant).sqrt()
            return length if symbol.kind == "root" else 1 / length
        return _function(scalars.atoms[symbol.name][1], scalars.coordinates, q)

    def value_or_constant(name: str) -> Any:
        symbol = ring.symbols[ring.number[name]]
        return symbol.value if symbol.value is not None else value(name)

    return [evaluate(tree, value) for tree in trees]


def _floats(x: Element) -> dict[Any, Fraction]:
    return sparse(x)


def _function(x: Any, coordinates: Mapping[str, int], q: Sequence[Any]) -> Any:
    """An expression of the coordinates; what the processor cannot do in one operation is refused."""
    if not isinstance(x, Expression):
        return float(x)
    if x.value is not None:
        return x.value
    if x.operation == "symbol":
        return q[coordinates[x.name]] if x.name in coordinates else 0.0
    a = [_function(argument, coordinates, q) for argument in x.arguments]
    match x.operation:
        case "+":
            return a[0] + a[1]
        case "-":
            return a[0] - a[1]
        case "*":
            return a[0] * a[1]
        case "/":
            return a[0] / a[1]
        case "neg":
            return -a[0]
        case "sin" | "cos" | "sqrt":
            return getattr(a[0], x.operation)() if not isinstance(a[0], float) else getattr(math, x.operation)(a[0])
    raise ArgumentError(f"compile: {x.operation} of coordinates in '{x}' is not compiled")
