"""The closed form as machine code, and integrated: the formulas, traced and compiled like the recursive algorithms.

This is a second way to every number, from other equations: compared with `lagrangian.compile` and `lagrangian.simulate` it checks
both.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import array, count, floats, number
from lagrangian.cached import cached_property
from lagrangian.equations.algebra.numbers import as_float, constant_values, with_values
from lagrangian.equations.algebra.ring import RingElement, Symbol
from lagrangian.equations.constraints import ConstraintEquation
from lagrangian.equations.writing.tree import evaluate_tree, horner_form
from lagrangian.errors import ArgumentError, ArgumentName, MechanismError, format_value, unknown_name_message
from lagrangian.kernels.kernel import Kernel, NonFiniteReporter, Threads, available_cores
from lagrangian.kernels.program import TracedProgram
from lagrangian.kernels.trace.node import Graph
from lagrangian.model.expression import Expression, free_symbols, functions, parameters

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import OutputPart
    from lagrangian.closed_form.equations_part import EquationsPart
    from lagrangian.closed_form.terms import Terms


STAGES_PER_STEP = 12  # number of evaluations in a step of the integrator
TorqueLike = Sequence[float] | Callable[[float, np.ndarray, np.ndarray], Any] | None


class CompiledEquations:
    """The closed form of the equations as machine code.

    `EquationsOfMotion.compile` returns this object. Every function takes one state, `(n,)`, or a batch, `(batch, n)`, and is
    compiled when you first call it. Parameters have the values of the mechanism unless you gave others.

    Attributes
    ----------
    equations : EquationsOfMotion
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
        self,
        eom: EquationsPart,
        terms: Terms,
        rows: Sequence[ConstraintEquation],
        parameters: Mapping[str, float],
        threads: int | None,
    ) -> None:
        self.equations, self.nq, self.nv = eom, eom.n, eom.n
        self._terms, self._derived, self._rows = terms, terms.derived, rows
        self._system = eom.system
        parameter_values = eom.parameters()
        for name in parameters:
            if name not in parameter_values:
                raise ArgumentError(
                    f"compile: {unknown_name_message('parameter', name, parameter_values)}", concerns="parameters"
                )
        self._parameter_overrides = {name: float(x) for name, x in parameters.items()}
        self._threads = Threads(threads or available_cores())
        self._kernels: dict[str, Kernel] = {}
        self._environment = {**self._system.scalars.parameter_values, **parameter_values, **self._parameter_overrides}
        self._constant_values = constant_values(self._system.scalars, self._parameter_overrides)  # by number of the generator

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
        return self._kernel("gravity", ("q",), (self.nv,), lambda record: [record(x) for x in self._terms.potential_gradient])(q)

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
        kernel = self._kernel(
            "friction", ("q", "qd"), (self.nv,), lambda record: [record(x) for x in self._terms.friction_forces]
        )
        return kernel(q, qd)

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
        kernel = self._kernel(
            "potential_energy", ("q",), (), lambda record: [record(self._derived.V + self._terms.spring_potential)]
        )
        return kernel(q)

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
        kernel = self._kernel("constraint_jacobian", ("q",), shape, lambda record: [record(x) for r in self._rows for x in r.psi])
        return kernel(q)

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
        residuals = [row.eta for row in self._rows if row.eta is not None]
        return self._kernel("closure", ("q",), (len(residuals),), lambda record: [record(x) for x in residuals])(q)

    # -- what is recorded --------------------------------------------------------------------------------------------

    def _mass_matrix(self, record: FormulaRecorder) -> list[Any]:
        return [record(x) for row in self._derived.M for x in row]

    def _coriolis_matrix(self, record: FormulaRecorder) -> list[Any]:
        """C from the derivatives of M, which are fewer formulas than the Christoffel symbols."""
        n, rate = self.nv, self._derived.christoffel.mass_derivative
        slopes = {(i, j, k): record(rate(i, j, k)) for i in range(n) for j in range(n) for k in range(n)}
        C = []
        for i in range(n):
            for j in range(n):
                twice: Any = 0
                for k in range(n):
                    twice = twice + (slopes[i, j, k] + slopes[i, k, j] - slopes[j, k, i]) * record.graph.input("qd", k)
                C.append(twice * 0.5)
        return C

    def _torques(self, record: FormulaRecorder) -> list[Any]:
        n, graph = self.nv, record.graph
        M, C = self._mass_matrix(record), self._coriolis_matrix(record)
        tau = []
        for i in range(n):
            x = record(self._terms.potential_gradient[i]) + record(self._terms.friction_forces[i])
            for j in range(n):
                x = x + M[i * n + j] * graph.input("qdd", j) + C[i * n + j] * graph.input("qd", j)
            tau.append(x)
        return tau

    def _kinetic_energy(self, record: FormulaRecorder) -> list[Any]:
        n, M = self.nv, self._mass_matrix(record)
        rates = [record.graph.input("qd", k) for k in range(n)]
        twice: Any = 0
        for i in range(n):
            for j in range(n):
                twice = twice + M[i * n + j] * (rates[i] * rates[j])
        return [twice * 0.5]

    def __repr__(self) -> str:
        return f"<CompiledEquations of {self.equations.mechanism.name!r}: {self.nv} coordinates>"

    # -- compiling ---------------------------------------------------------------------------------------------------

    def _kernel(
        self, name: str, inputs: Sequence[str], shape: tuple[int, ...], outputs: Callable[[FormulaRecorder], list[Any]]
    ) -> Kernel:
        kernel = self._kernels.get(name)
        if kernel is None:
            program = TracedProgram(
                f"closed_form_{name}",
                dict.fromkeys(inputs, self.nv),
                shape,
                sorted(self._system.scalars.angles.angle_index),
                lambda graph: outputs(FormulaRecorder(self._system, graph, self._numeric_polynomial, self._environment)),
                self._digest,
            )
            kernel = self._kernels[name] = Kernel(program, self._threads, NonFiniteReporter(self.equations.mechanism.name))
        return kernel

    @cached_property
    def _digest(self) -> bytes:
        """The digest of all that the functions are made from."""
        elements = (
            [x for row in self._derived.M for x in row]
            + self._terms.potential_gradient
            + self._terms.friction_forces
            + [self._derived.V, self._terms.spring_potential]
        )
        elements += [x for row in self._rows for x in row.psi] + [row.eta for row in self._rows if row.eta is not None]
        digest = hashlib.sha256()
        for x in elements:
            digest.update(repr(sorted(self._numeric_polynomial(x).items())).encode())
        scalars = self._system.scalars
        for name, length in scalars.lengths.items():
            digest.update(repr((name, sorted(self._numeric_polynomial(length.square).items()))).encode())
        for name, (_, expression) in scalars.function_generators.items():
            values = [(p, self._environment.get(p)) for p in sorted(parameters(expression))]
            digest.update(repr((name, str(expression), values)).encode())
        digest.update(repr([(s.kind, s.name, s.angle, s.index) for s in self._system.ring.symbols]).encode())
        return digest.digest()

    def _numeric_polynomial(self, x: RingElement) -> dict[Any, Any]:
        """An element with the values of constants: a polynomial in the state, with floating-point coefficients."""
        result: dict[Any, float] = {}
        for monomial, c in x.poly.terms():
            factor = as_float(Fraction(int(c.numerator), int(c.denominator)))
            state_powers = []
            for k, power in enumerate(monomial):
                if power and k in self._constant_values:
                    factor *= self._constant_values[k] ** int(power)
                elif power:
                    state_powers.append((k, int(power)))
            key = tuple(state_powers)
            result[key] = result.get(key, 0.0) + factor
        return {m: c for m, c in result.items() if c}


class FormulaRecorder:
    """Records formulas on a graph: `record(element)` is the node of its value."""

    def __init__(
        self, system: Any, graph: Graph, numeric: Callable[[RingElement], dict[Any, Any]], environment: Mapping[str, Any]
    ) -> None:
        self.system, self.graph, self._numeric, self._environment = system, graph, numeric, environment
        self._names = [symbol.name for symbol in system.ring.symbols]
        self._q = [graph.input("q", k) for k in range(system.n)]
        self._coordinate_pairs: dict[int, tuple[Any, Any]] = {}
        self._nodes: dict[str, Any] = {}

    def __call__(self, x: RingElement) -> Any:
        return evaluate_tree(horner_form(self._numeric(x), self._names), self._node)

    def _node(self, name: str) -> Any:
        if name not in self._nodes:
            self._nodes[name] = self._record_symbol(self.system.ring.symbols[self.system.ring.generator_index[name]])
        return self._nodes[name]

    def _record_symbol(self, symbol: Symbol) -> Any:
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
        return self._record_expression(scalars.function_generators[symbol.name][1])

    def _pair(self, angle: Sequence[tuple[int, int]]) -> tuple[Any, Any]:
        """Cosine and sine of a sum of coordinates, from their own."""
        total: tuple[Any, Any] = (1, 0)
        for k, sign in angle:
            if k not in self._coordinate_pairs:
                self._coordinate_pairs[k] = (self._q[k].cos(), self._q[k].sin())
            c, s = self._coordinate_pairs[k]
            s = s if sign > 0 else -s
            total = (total[0] * c - total[1] * s, total[1] * c + total[0] * s)
        return total

    def _record_expression(self, x: Any) -> Any:
        """Record an expression of the coordinates; an error if it is no sum, product, root, sine or cosine."""
        if not isinstance(x, Expression) or not free_symbols(x):
            return float(with_values(x, self._environment))
        if x.operation == "symbol":
            return self._q[self.system.scalars.coordinates[x.name]] if x.name != "t" else 0.0
        if x.operation == "^" and isinstance(x.arguments[1], int) and x.arguments[1] > 0:
            base = self._record_expression(x.arguments[0])
            return math.prod([base] * (x.arguments[1] - 1), start=base)
        arguments = [self._record_expression(argument) for argument in x.arguments]
        match x.operation:
            case "+":
                return arguments[0] + arguments[1]
            case "-":
                return arguments[0] - arguments[1]
            case "*":
                return arguments[0] * arguments[1]
            case "/":
                return arguments[0] / arguments[1]
            case "neg":
                return -arguments[0]
            case "sin" | "cos" | "sqrt":
                return (
                    getattr(arguments[0], x.operation)()
                    if not isinstance(arguments[0], float)
                    else getattr(math, x.operation)(arguments[0])
                )
        raise ArgumentError(f"compile: {x.operation} of coordinates in '{x}' cannot be compiled; use evaluate()")


def integrate_closed_form(
    eom: OutputPart, t_span: Any, q0: Any, qd0: Any, torque: TorqueLike, t_eval: Any, rtol: float, atol: float, max_steps: int
) -> ReferenceMotion:
    """Integrate M q'' = tau - C q' - G - F by the Runge-Kutta pair of order 8 of Dormand and Prince."""
    from scipy.integrate import solve_ivp

    _check_integrable(eom)
    n = eom.n
    begin, end = _time_span(t_span)
    start = [_state_vector(name, x, n, eom) for name, x in (("q0", q0), ("qd0", qd0))]
    dyn, zeros = eom.compile(), np.zeros(n)

    def tau(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        torques = torque(t, q, qd) if callable(torque) else torque
        return zeros if torques is None else _state_vector("torque", torques, n, eom)

    remaining_evaluations = STAGES_PER_STEP * count(max_steps, "max_steps", most=10**15)

    def slope(t: float, x: np.ndarray) -> np.ndarray:
        nonlocal remaining_evaluations
        remaining_evaluations -= 1
        if remaining_evaluations < 0:
            raise MechanismError(
                f"{eom.mechanism.name}: the run stopped at t = {t:g} s after {max_steps} steps",
                remedy=f"increase {ArgumentName('max_steps')}",
            )
        q, qd = x[:n], x[n:]
        f = tau(t, q, qd) - dyn.inverse_dynamics(q, qd, zeros)
        return np.concatenate([qd, np.linalg.solve(dyn.mass_matrix(q), f)])

    times = None if t_eval is None else _times(t_eval, begin, end)
    rtol, atol = number(rtol, "rtol", above=0.0), number(atol, "atol", least=1e-300)
    try:
        solution = solve_ivp(slope, (begin, end), np.concatenate(start), "DOP853", times, rtol=rtol, atol=atol)
    except np.linalg.LinAlgError:
        raise MechanismError(f"{eom.mechanism.name}: the mass matrix becomes singular during the run") from None
    if not solution.success:
        last = solution.t[-1] if len(solution.t) else begin
        raise MechanismError(f"{eom.mechanism.name}: the run stopped at t = {last:g} s: {solution.message}")
    q, qd = solution.y[:n].T, solution.y[n:].T
    energy = np.array([float(dyn.kinetic_energy(a, b)) + float(dyn.potential_energy(a)) for a, b in zip(q, qd, strict=True)])
    return ReferenceMotion(eom.coordinates, solution.t, q, qd, energy)


@dataclass(frozen=True)
class ReferenceMotion:
    """A motion that was integrated from closed-form equations.

    `EquationsOfMotion.simulate` returns this object.

    Attributes
    ----------
    coordinates : tuple of str
        Names of the coordinates.
    t : ndarray, shape (rows,)
        Times, in s.
    q, qd : ndarray, shape (rows, n)
        Coordinates and speeds.
    energy : ndarray, shape (rows,)
        Kinetic and potential energy together, in J.

    Examples
    --------
    >>> import lagrangian as lg
    >>> motion = lg.derive("pendulum").simulate(1.0, q0=[0.5], t_eval=3)
    >>> print(motion.q[:, 0].round(4))
    [ 0.5    -0.6367 -3.0428]
    """

    coordinates: tuple[str, ...]
    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    energy: np.ndarray

    def __repr__(self) -> str:
        return f"<ReferenceMotion: {', '.join(self.coordinates)}, {len(self.t)} rows, {self.t[0]:g} to {self.t[-1]:g} s>"


def _check_integrable(eom: OutputPart) -> None:
    """Raise an error if these equations alone do not determine the motion: constraints, and friction that can stick."""
    name = eom.mechanism.name
    if eom.constraint_names:
        raise MechanismError(
            f"{name}: its coordinates are not independent", remedy="use in_independent_coordinates().simulate or lg.simulate"
        )
    for x in eom._terms.friction_forces:
        if any(s.kind == "sign" and e > 0 for s, e in zip(x.ring.symbols, x.poly.degrees(), strict=True)):
            raise MechanismError(
                f"{name} has Coulomb friction, which can stick", remedy="use lg.simulate, which handles sticking"
            )


def _time_span(t_span: Any) -> tuple[float, float]:
    """The begin and the end of a run; one number is the end of a run that begins at 0."""
    times = array(t_span, "t_span")
    ends = np.append(0.0, times) if times.ndim == 0 else times
    if ends.shape != (2,) or not np.isfinite(ends).all() or not ends[0] < ends[1]:
        raise ArgumentError(
            f"is {format_value(t_span)}", argument="t_span", remedy="give an end after 0, or a start and an end after it"
        )
    return float(ends[0]), float(ends[1])


def _times(t_eval: Any, begin: float, end: float) -> np.ndarray:
    """The times of the rows: as given, or as many evenly spaced ones."""
    if np.ndim(t_eval) == 0:
        return np.linspace(begin, end, count(t_eval, "t_eval", "rows", least=2))
    times = array(t_eval, "t_eval")
    if times.ndim != 1 or not len(times) or not (begin <= times[0] and times[-1] <= end) or not (np.diff(times) > 0).all():
        raise ArgumentError(
            f"is {format_value(t_eval)}",
            argument="t_eval",
            remedy=f"times that increase, from {begin:g} to {end:g} s, are needed",
        )
    return times


def _state_vector(name: str, x: Any, n: int, eom: OutputPart) -> np.ndarray:
    """A vector with a number for each coordinate; zeros if there is none."""
    try:
        vector = np.zeros(n) if x is None else floats(x)
    except (TypeError, ValueError):
        vector = np.empty(0)
    if vector.shape != (n,) or not np.isfinite(vector).all():
        raise ArgumentError(f"needs {n} finite numbers: {', '.join(eom.coordinates)}", argument=name)
    return vector
