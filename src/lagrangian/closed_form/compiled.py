"""The closed form as machine code: the formulas as written, traced and compiled like the recursions.

A second way to every number, from other equations: run against `lagrangian.compile` it checks both.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.cached import cached_property
from lagrangian.equations.algebra.numbers import as_float, constant_values, placed
from lagrangian.equations.algebra.ring import Element, Symbol
from lagrangian.equations.constraints import Row
from lagrangian.equations.writing.horner import nested
from lagrangian.equations.writing.tree import evaluate
from lagrangian.errors import ArgumentError, one_of
from lagrangian.kernels.kernel import Kernel
from lagrangian.kernels.not_finite import NotFinite
from lagrangian.kernels.program import Straight
from lagrangian.kernels.threads import Threads, cores
from lagrangian.kernels.trace.node import Graph
from lagrangian.model.expression import Expression, free_symbols, functions, parameters

if TYPE_CHECKING:
    from lagrangian.closed_form.parts.basis import Basis
    from lagrangian.closed_form.terms import Terms


class CompiledEquations:
    """The closed form of the equations as machine code.

    `Equations.compile` returns this object. Every function takes one state, `(n,)`, or a batch, `(batch, n)`, and is compiled
    when you first call it. Parameters have the values of the mechanism unless you gave others.

    Attributes
    ----------
    equations : Equations
        The equations.
    nq, nv : int
        Number of coordinates.

    Examples
    --------
    >>> import lagrangian as lg
    >>> eom = lg.derive("two_r")
    >>> q, qd = [0.3, 0.8], [0.5, -1.0]
    >>> print(eom.compile().inverse_dynamics(q, qd, [1.0, 2.0]).round(6))
    [296.291447  54.502294]
    >>> print(lg.compile("two_r").inverse_dynamics(q, qd, [1.0, 2.0]).round(6))
    [296.291447  54.502294]
    """

    def __init__(
        self, eom: Basis, terms: Terms, rows: Sequence[Row], parameters: Mapping[str, float], threads: int | None
    ) -> None:
        self.equations, self.nq, self.nv = eom, eom.n, eom.n
        self._terms, self._derived, self._rows = terms, terms.derived, rows
        self._system = eom.system
        known = eom.parameters()
        for name in parameters:
            if name not in known:
                raise ArgumentError(f"compile: {one_of('parameter', name, known)}", concerns="parameters")
        self._given = {name: float(x) for name, x in parameters.items()}
        self._threads = Threads(threads or cores())
        self._kernels: dict[str, Kernel] = {}
        self._environment = {**self._system.scalars.values, **known, **self._given}
        self._values = constant_values(self._system.scalars, self._given)  # by number of the generator

    def mass_matrix(self, q: ArrayLike) -> np.ndarray:
        """Compute the mass matrix M(q).

        Parameters
        ----------
        q : array_like, shape (n,) or (batch, n)
            Coordinates.

        Returns
        -------
        ndarray, shape (n, n) or (batch, n, n)
            The matrix.
        """
        return self._kernel("mass_matrix", ("q",), (self.nv, self.nv), self._mass_matrix)(q)

    def coriolis_matrix(self, q: ArrayLike, qd: ArrayLike) -> np.ndarray:
        """Compute the Coriolis matrix C(q, qd) of the Christoffel symbols.

        Parameters
        ----------
        q, qd : array_like, shape (n,) or (batch, n)
            Coordinates and speeds.

        Returns
        -------
        ndarray, shape (n, n) or (batch, n, n)
            The matrix.
        """
        return self._kernel("coriolis_matrix", ("q", "qd"), (self.nv, self.nv), self._coriolis_matrix)(q, qd)

    def gravity(self, q: ArrayLike) -> np.ndarray:
        """Compute G(q) = dV/dq, springs included.

        Parameters
        ----------
        q : array_like, shape (n,) or (batch, n)
            Coordinates.

        Returns
        -------
        ndarray, shape (n,) or (batch, n)
            The forces.
        """
        return self._kernel("gravity", ("q",), (self.nv,), lambda trace: [trace(x) for x in self._terms.slopes])(q)

    def friction(self, qd: ArrayLike, q: ArrayLike | None = None) -> np.ndarray:
        """Compute the friction F(q, qd).

        Parameters
        ----------
        qd : array_like, shape (n,) or (batch, n)
            Speeds.
        q : array_like, shape (n,) or (batch, n), optional
            Coordinates; dampers between points need them. The default is zeros.

        Returns
        -------
        ndarray, shape (n,) or (batch, n)
            The forces.
        """
        q = [0.0] * self.nq if q is None else q
        return self._kernel("friction", ("q", "qd"), (self.nv,), lambda trace: [trace(x) for x in self._terms.friction])(q, qd)

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> np.ndarray:
        """Compute tau = M qdd + C qd + G + F.

        Parameters
        ----------
        q, qd, qdd : array_like, shape (n,) or (batch, n)
            Coordinates, speeds and accelerations.

        Returns
        -------
        ndarray, shape (n,) or (batch, n)
            The joint forces.
        """
        return self._kernel("inverse_dynamics", ("q", "qd", "qdd"), (self.nv,), self._torques)(q, qd, qdd)

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> float | np.ndarray:
        """Compute the kinetic energy, 1/2 qd^T M qd.

        Parameters
        ----------
        q, qd : array_like, shape (n,) or (batch, n)
            Coordinates and speeds.

        Returns
        -------
        float or ndarray, shape (batch,)
            The energy.
        """
        return self._kernel("kinetic_energy", ("q", "qd"), (), self._kinetic_energy)(q, qd)

    def potential_energy(self, q: ArrayLike) -> float | np.ndarray:
        """Compute the potential energy V(q) of gravity and springs.

        Parameters
        ----------
        q : array_like, shape (n,) or (batch, n)
            Coordinates.

        Returns
        -------
        float or ndarray, shape (batch,)
            The energy.
        """
        return self._kernel(
            "potential_energy", ("q",), (), lambda trace: [trace(self._derived.V + self._terms.spring_potential)]
        )(q)

    def constraint_jacobian(self, q: ArrayLike) -> np.ndarray:
        """Compute the constraint Jacobian Psi(q); if it depends on time, at t = 0.

        Parameters
        ----------
        q : array_like, shape (n,) or (batch, n)
            Coordinates.

        Returns
        -------
        ndarray, shape (m, n) or (batch, m, n)
            The matrix.
        """
        shape = (len(self._rows), self.nv)
        return self._kernel("constraint_jacobian", ("q",), shape, lambda trace: [trace(x) for r in self._rows for x in r.psi])(q)

    def closure(self, q: ArrayLike) -> np.ndarray:
        """Compute the loop-closure residual eta(q), which is zero where the loops are closed.

        Parameters
        ----------
        q : array_like, shape (n,) or (batch, n)
            Coordinates.

        Returns
        -------
        ndarray, shape (holonomic,) or (batch, holonomic)
            The residual.
        """
        found = [row.eta for row in self._rows if row.eta is not None]
        return self._kernel("closure", ("q",), (len(found),), lambda trace: [trace(x) for x in found])(q)

    # -- what is traced ----------------------------------------------------------------------------------------------

    def _mass_matrix(self, trace: Tracer) -> list[Any]:
        return [trace(x) for row in self._derived.M for x in row]

    def _coriolis_matrix(self, trace: Tracer) -> list[Any]:
        """From the derivatives of M, a third as many formulas as there are Christoffel symbols."""
        n, rate = self.nv, self._derived.christoffel.rate
        slopes = {(i, j, k): trace(rate(i, j, k)) for i in range(n) for j in range(n) for k in range(n)}
        C = []
        for i in range(n):
            for j in range(n):
                twice: Any = 0
                for k in range(n):
                    twice = twice + (slopes[i, j, k] + slopes[i, k, j] - slopes[j, k, i]) * trace.graph.input("qd", k)
                C.append(twice * 0.5)
        return C

    def _torques(self, trace: Tracer) -> list[Any]:
        n, graph = self.nv, trace.graph
        M, C = self._mass_matrix(trace), self._coriolis_matrix(trace)
        tau = []
        for i in range(n):
            x = trace(self._terms.slopes[i]) + trace(self._terms.friction[i])
            for j in range(n):
                x = x + M[i * n + j] * graph.input("qdd", j) + C[i * n + j] * graph.input("qd", j)
            tau.append(x)
        return tau

    def _kinetic_energy(self, trace: Tracer) -> list[Any]:
        n, M = self.nv, self._mass_matrix(trace)
        rates = [trace.graph.input("qd", k) for k in range(n)]
        twice: Any = 0
        for i in range(n):
            for j in range(n):
                twice = twice + M[i * n + j] * (rates[i] * rates[j])
        return [twice * 0.5]

    def __repr__(self) -> str:
        return f"<CompiledEquations of {self.equations.mechanism.name!r}: {self.nv} coordinates>"

    # -- compiling ---------------------------------------------------------------------------------------------------

    def _kernel(self, name: str, inputs: Sequence[str], shape: tuple[int, ...], outputs: Callable[[Tracer], list[Any]]) -> Kernel:
        found = self._kernels.get(name)
        if found is None:
            program = Straight(
                f"closed_form_{name}",
                dict.fromkeys(inputs, self.nv),
                shape,
                sorted(self._system.scalars.angles.angle_of),
                lambda graph: outputs(Tracer(self._system, graph, self._numeric, self._environment)),
                self._digest,
            )
            found = self._kernels[name] = Kernel(program, self._threads, NotFinite(self.equations.mechanism.name))
        return found

    @cached_property
    def _digest(self) -> bytes:
        """Of all that the functions are made from."""
        elements = (
            [x for row in self._derived.M for x in row]
            + self._terms.slopes
            + self._terms.friction
            + [self._derived.V, self._terms.spring_potential]
        )
        elements += [x for row in self._rows for x in row.psi] + [row.eta for row in self._rows if row.eta is not None]
        digest = hashlib.sha256()
        for x in elements:
            digest.update(repr(sorted(self._numeric(x).items())).encode())
        scalars = self._system.scalars
        for name, length in scalars.lengths.items():
            digest.update(repr((name, sorted(self._numeric(length.square).items()))).encode())
        for name, (_, expression) in scalars.atoms.items():
            values = [(p, self._environment.get(p)) for p in sorted(parameters(expression))]
            digest.update(repr((name, str(expression), values)).encode())
        digest.update(repr([(s.kind, s.name, s.angle, s.index) for s in self._system.ring.symbols]).encode())
        return digest.digest()

    def _numeric(self, x: Element) -> dict[Any, Any]:
        """Constants put in: what is left is a polynomial in the state, with floating-point coefficients."""
        result: dict[Any, float] = {}
        for monomial, c in x.poly.terms():
            factor = as_float(Fraction(int(c.numerator), int(c.denominator)))
            rest = []
            for k, power in enumerate(monomial):
                if power and k in self._values:
                    factor *= self._values[k] ** int(power)
                elif power:
                    rest.append((k, int(power)))
            key = tuple(rest)
            result[key] = result.get(key, 0.0) + factor
        return {m: c for m, c in result.items() if c}


class Tracer:
    """Records formulas on a graph: `trace(element)` is the node of its value."""

    def __init__(
        self, system: Any, graph: Graph, numeric: Callable[[Element], dict[Any, Any]], environment: Mapping[str, Any]
    ) -> None:
        self.system, self.graph, self._numeric, self._environment = system, graph, numeric, environment
        self._names = [symbol.name for symbol in system.ring.symbols]
        self._q = [graph.input("q", k) for k in range(system.n)]
        self._own: dict[int, tuple[Any, Any]] = {}
        self._known: dict[str, Any] = {}

    def __call__(self, x: Element) -> Any:
        return evaluate(nested(self._numeric(x), self._names), self._value)

    def _value(self, name: str) -> Any:
        if name not in self._known:
            self._known[name] = self._symbol(self.system.ring.symbols[self.system.ring.number[name]])
        return self._known[name]

    def _symbol(self, symbol: Symbol) -> Any:
        match symbol.kind:
            case "sine":
                return self._pair(symbol.angle)[1]
            case "cosine":
                return self._pair(symbol.angle)[0]
            case "coordinate":
                return self._q[symbol.index]
            case "speed":
                return self.graph.input("qd", symbol.index)
            case "acceleration":
                return self.graph.input("qdd", symbol.index)
            case "sign":
                return self.graph.input("qd", symbol.index).by_sign(1.0, -1.0)
            case "time" | "load":
                return 0
        scalars = self.system.scalars
        if symbol.name in scalars.lengths:
            length = functions.sqrt(self(scalars.lengths[symbol.name].square))  # constant between points of one body
            return length if symbol.kind == "root" else 1 / length
        return self._function(scalars.atoms[symbol.name][1])

    def _pair(self, angle: Sequence[tuple[int, int]]) -> tuple[Any, Any]:
        """Cosine and sine of a sum of coordinates, from their own."""
        total: tuple[Any, Any] = (1, 0)
        for k, sign in angle:
            if k not in self._own:
                self._own[k] = (self._q[k].cos(), self._q[k].sin())
            c, s = self._own[k]
            s = s if sign > 0 else -s
            total = (total[0] * c - total[1] * s, total[1] * c + total[0] * s)
        return total

    def _function(self, x: Any) -> Any:
        """An expression of the coordinates; what is no sum, product, root, sine or cosine is refused."""
        if not isinstance(x, Expression) or not free_symbols(x):
            return float(placed(x, self._environment))
        if x.operation == "symbol":
            return self._q[self.system.scalars.coordinates[x.name]] if x.name != "t" else 0.0
        if x.operation == "^" and isinstance(x.arguments[1], int) and x.arguments[1] > 0:
            base = self._function(x.arguments[0])
            return math.prod([base] * (x.arguments[1] - 1), start=base)
        a = [self._function(argument) for argument in x.arguments]
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
        raise ArgumentError(f"compile: {x.operation} of coordinates in '{x}' cannot be compiled; use evaluate()")
