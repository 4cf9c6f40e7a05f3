"""The closed form integrated: a motion from the equations as they are read, to check `lagrangian.simulate` with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.arguments import array, count, floats, number
from lagrangian.errors import Argument, ArgumentError, MechanismError, shown

if TYPE_CHECKING:
    from lagrangian.closed_form.parts.output import OutputPart

STAGES = 12  # of a step
Torque = Sequence[float] | Callable[[float, np.ndarray, np.ndarray], Any] | None


@dataclass(frozen=True)
class Integrated:
    """A motion that was integrated from closed-form equations.

    `Equations.simulate` returns this object.

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
        return f"<Integrated: {', '.join(self.coordinates)}, {len(self.t)} rows, {self.t[0]:g} to {self.t[-1]:g} s>"


def integrated(
    eom: OutputPart, t_span: Any, q0: Any, qd0: Any, torque: Torque, t_eval: Any, rtol: float, atol: float, max_steps: int
) -> Integrated:
    """M q'' = tau - C q' - G - F by the Runge-Kutta pair of Dormand and Prince of order 8."""
    from scipy.integrate import solve_ivp

    _check(eom)
    n = eom.n
    begin, end = _span(t_span)
    start = [_numbers(name, x, n, eom) for name, x in (("q0", q0), ("qd0", qd0))]
    dyn, still = eom.compile(), np.zeros(n)

    def tau(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        given = torque(t, q, qd) if callable(torque) else torque
        return still if given is None else _numbers("torque", given, n, eom)

    left = STAGES * count(max_steps, "max_steps", most=10**15)

    def slope(t: float, x: np.ndarray) -> np.ndarray:
        nonlocal left
        left -= 1
        if left < 0:
            raise MechanismError(
                f"{eom.mechanism.name}: the run stopped at t = {t:g} s after {max_steps} steps",
                remedy=f"increase {Argument('max_steps')}",
            )
        q, qd = x[:n], x[n:]
        f = tau(t, q, qd) - dyn.inverse_dynamics(q, qd, still)
        return np.concatenate([qd, np.linalg.solve(dyn.mass_matrix(q), f)])

    times = None if t_eval is None else _times(t_eval, begin, end)
    rtol, atol = number(rtol, "rtol", above=0.0), number(atol, "atol", least=1e-300)
    try:
        found = solve_ivp(slope, (begin, end), np.concatenate(start), "DOP853", times, rtol=rtol, atol=atol)
    except np.linalg.LinAlgError:
        raise MechanismError(f"{eom.mechanism.name}: the mass matrix becomes singular during the run") from None
    if not found.success:
        last = found.t[-1] if len(found.t) else begin
        raise MechanismError(f"{eom.mechanism.name}: the run stopped at t = {last:g} s: {found.message}")
    q, qd = found.y[:n].T, found.y[n:].T
    energy = np.array([float(dyn.kinetic_energy(a, b)) + float(dyn.potential_energy(a)) for a, b in zip(q, qd, strict=True)])
    return Integrated(eom.coordinates, found.t, q, qd, energy)


def _span(given: Any) -> tuple[float, float]:
    """The begin and the end, of which the first is 0 if one number is given."""
    found = array(given, "t_span")
    ends = np.append(0.0, found) if found.ndim == 0 else found
    if ends.shape != (2,) or not np.isfinite(ends).all() or not ends[0] < ends[1]:
        raise ArgumentError(f"is {shown(given)}", argument="t_span", remedy="give an end after 0, or a start and an end after it")
    return float(ends[0]), float(ends[1])


def _times(given: Any, begin: float, end: float) -> np.ndarray:
    """Those of the rows, or as many even ones."""
    if np.ndim(given) == 0:
        return np.linspace(begin, end, count(given, "t_eval", "rows", least=2))
    found = array(given, "t_eval")
    if found.ndim != 1 or not len(found) or not (begin <= found[0] and found[-1] <= end) or not (np.diff(found) > 0).all():
        raise ArgumentError(
            f"is {shown(given)}", argument="t_eval", remedy=f"times that increase, from {begin:g} to {end:g} s, are needed"
        )
    return found


def _numbers(name: str, x: Any, n: int, eom: OutputPart) -> np.ndarray:
    try:
        made = np.zeros(n) if x is None else floats(x)
    except (TypeError, ValueError):
        made = np.empty(0)
    if made.shape != (n,) or not np.isfinite(made).all():
        raise ArgumentError(f"needs {n} finite numbers: {', '.join(eom.coordinates)}", argument=name)
    return made


def _check(eom: OutputPart) -> None:
    """What these equations alone do not determine is left to `lagrangian.simulate`."""
    name = eom.mechanism.name
    if eom.constraint_names:
        raise MechanismError(f"{name}: its coordinates are not independent", remedy="use reduced().simulate or lg.simulate")
    for x in eom._terms.friction:
        if any(s.kind == "sign" and e > 0 for s, e in zip(x.ring.symbols, x.poly.degrees(), strict=True)):
            raise MechanismError(
                f"{name} has Coulomb friction, which can stick", remedy="use lg.simulate, which handles sticking"
            )
