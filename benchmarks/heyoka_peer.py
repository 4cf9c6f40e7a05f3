"""heyoka.py as a peer: the closed form of an open mechanism, integrated by its Taylor method, one motion or a vector of them."""

from __future__ import annotations

from typing import Any

import heyoka as hy
import numpy as np
import sympy

import lagrangian as lg


def equations(mechanism: lg.Mechanism, torques: dict[str, str] | None = None) -> list[tuple[Any, Any]]:
    """q' = qd and qd' = M^-1 (tau - C qd - G) of a mechanism of two joints, its parameters as numbers."""
    equations = lg.derive(mechanism).to_sympy()
    values = {name: float(x) for name, x in mechanism.parameters.items()}
    names, speeds = mechanism.coordinate_names, [f"qd_{name}" for name in mechanism.speed_names]
    qd = sympy.Matrix(sympy.symbols(speeds))
    tau = sympy.Matrix([sympy.sympify((torques or {}).get(name, "0")) for name in mechanism.speed_names])
    M, force = equations["M"], tau - equations["C"] * qd - equations["G"]

    def expression(x: Any) -> Any:
        return hy.from_sympy(sympy.expand(x.subs(values)))  # its numbers multiplied out

    a, b, d = (expression(x) for x in (M[0, 0], M[0, 1], M[1, 1]))
    f, g = (expression(x) for x in force)
    det = a * d - b * b
    rates = [hy.expression(s) for s in speeds] + [(d * f - b * g) / det, (a * g - b * f) / det]
    time = hy.expression("t")
    return list(zip([hy.expression(n) for n in (*names, *speeds)], [hy.subs(r, {time: hy.time}) for r in rates], strict=True))


class Single:
    """Rows at given times, by one integrator for each tolerance."""

    def __init__(self, system: list[tuple[Any, Any]], start: np.ndarray, times: np.ndarray) -> None:
        self.system, self.start, self.times = system, start, times
        self._made: dict[float, Any] = {}

    def __call__(self, rtol: float, atol: float = 0.0) -> np.ndarray:
        if rtol not in self._made:
            self._made[rtol] = hy.taylor_adaptive(self.system, self.start, tol=rtol)
        ta = self._made[rtol]
        ta.time = self.times[0]
        ta.state[:] = self.start
        return np.asarray(ta.propagate_grid(self.times)[5])


class Many:
    """The ends of many motions, a vector of them at a time."""

    def __init__(self, system: list[tuple[Any, Any]], end: float, width: int) -> None:
        self.system, self.end, self.width = system, end, width
        self._made: dict[float, Any] = {}

    def __call__(self, starts: np.ndarray, rtol: float) -> np.ndarray:
        width = self.width
        if rtol not in self._made:
            self._made[rtol] = hy.taylor_adaptive_batch(self.system, np.zeros((starts.shape[1], width)), tol=rtol)
        ta, result = self._made[rtol], np.empty_like(starts)
        assert len(starts) % width == 0
        for k in range(0, len(starts), width):
            ta.set_time(0.0)
            ta.state[:] = starts[k : k + width].T
            ta.propagate_until(self.end)
            result[k : k + width] = ta.state.T
        return result
