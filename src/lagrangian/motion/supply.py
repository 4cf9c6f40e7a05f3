"""What Python supplies to a run while compiled code goes: torques and event values asked for, tables, samples, interrupts."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from lagrangian.errors import SimulationError
from lagrangian.motion import loop, torque
from lagrangian.motion.record import Record
from lagrangian.motion.solver import Solver

_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class Supplied(Record):
    """A run with what Python gives it. `u` is what compiled code reads."""

    u: np.ndarray
    solver: Solver
    run: Any
    error: BaseException | None
    samples: list[tuple[float, np.ndarray]]
    _origin: float
    _views: dict[tuple[int, int], np.ndarray]
    _functions: list[Callable[..., Any]]
    _kept: list[Any]

    def _addresses(self) -> None:
        places = self.problem.inputs
        whole = self.u.view(np.int64)
        for function, place in ((self._ask, places.torque_function), (self._ask_events, places.event_function)):
            callback = _CALLBACK(function)
            self._kept.append(callback)
            whole[place] = ctypes.cast(callback, ctypes.c_void_p).value or 0
        for k, array in enumerate(self.solver.data):
            self._kept.append(array.copy())  # scratch memory among them, which runs at the same time must not share
            whole[places.data + k] = self._kept[-1].ctypes.data

    def _view(self, address: int, size: int) -> np.ndarray:
        """Memory of compiled code as an array; the same few places come again and again."""
        found = self._views.get((address, size))
        if found is None:
            found = self._views[address, size] = np.ctypeslib.as_array((ctypes.c_double * size).from_address(address))
        return found

    def _ask(self, time: int, state: int, u: int) -> None:
        """Called from compiled code: torques and wrenches from the user's functions."""
        given = self._view(u, self.problem.inputs.joint(0))
        try:
            if self.error is None:
                t, y = float(self._view(time, 1)[0]), self._view(state, self.problem.size)
                # a step that ends where torques jump has those from before
                self.ask_into(given, min(t, float(np.nextafter(self._jump, -np.inf))), y)
        except BaseException as error:  # nothing may pass through compiled code; it is raised again behind it
            self._fail(error)
            self.forget_in(given)

    def _ask_events(self, time: int, state: int, output: int) -> None:
        values = self._view(output, len(self._functions))
        try:
            if self.error is None:
                t, y = float(self._view(time, 1)[0]), self._view(state, self.problem.size)
                q, qd = y[: self.problem.nq].copy(), y[self.problem.nq :].copy()
                values[:] = [_number(function(t, q, qd), t) for function in self._functions]
                if not np.isfinite(values).all():
                    raise SimulationError(f"an event function gave {values[~np.isfinite(values)][0]} at t = {t:g} s")
        except BaseException as error:
            self._fail(error)
            values[:] = np.nan

    def interrupt(self) -> None:
        """Ctrl-C: the run ends where compiled code looks next."""
        self.error = self.error or KeyboardInterrupt()
        if self.run is not None:
            self.run.c[loop.FAILED] = 1

    def _fail(self, error: BaseException) -> None:
        self.error = self.error or error
        self.run.c[loop.FAILED] = 1

    # -- torques over time -------------------------------------------------------------------------------------------

    def _supply(self) -> float:
        """Set the torques that hold from now; until when they do."""
        n, places, source = self.problem.nv, self.problem.inputs, self.source
        if source.table is not None:
            times, values = source.table
            k = int(np.searchsorted(times, self.t, side="right")) - 1
            if k < 0 or k >= len(times) - 1:  # before and after the table its first and last values hold
                self.u[:n], self.u[n : 2 * n] = values[0 if k < 0 else -1], 0.0
                return float(times[0]) if k < 0 else np.inf
            self.u[:n] = values[k]
            self.u[n : 2 * n] = (values[k + 1] - values[k]) / (times[k + 1] - times[k])
            self.u[places.since] = times[k]
            return float(times[k + 1])
        if source.sampled is not None:
            return self._sample(source.sampled)
        self._jump = source.jump(self.t)
        return self._jump

    def _sample(self, controller: torque.Sampled) -> float:
        n, period, delay = self.problem.nv, controller.period, controller.delay
        k = int(np.floor((self.t - self._origin) / period + 1e-9))
        if k >= len(self.samples):
            found = controller.function(self.t, self.y[: self.problem.nq].copy(), self.y[self.problem.nq :].copy())
            self.samples.append((self.t, torque.checked(found, n, self.t)))
        recent = self.samples[-2 - int(delay / period) :]
        acting = [tau for at, tau in recent if at + delay <= self.t + 1e-9 * period]
        self.u[:n] = acting[-1] if acting else 0.0
        due = [at + delay for at, _ in recent if at + delay > self.t + 1e-9 * period]
        return min([self._origin + (k + 1) * period, *due])


def _number(value: Any, t: float) -> float:
    """What an event function gave."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise SimulationError(f"an event function gave {value!r} at t = {t:g} s; a number is needed") from None
