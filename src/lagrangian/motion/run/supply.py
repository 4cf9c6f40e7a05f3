"""What Python supplies to a run while compiled code goes: torques and event values asked for, tables, samples, interrupts."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from lagrangian.errors import SimulationError
from lagrangian.kernels.kernel import address
from lagrangian.motion import torque
from lagrangian.motion.solver import places
from lagrangian.motion.solver.solver import Solver
from lagrangian.motion.system.system import System
from lagrangian.motion.torque import Torque

_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)

HANGS = 0.1  # s that a function takes at least, if it is taken for one that does not return

EventFunction = Callable[[float, np.ndarray, np.ndarray], float]


class Supply:
    """The inputs of a run. `u` is what compiled code reads, and where what Python functions give is written."""

    def __init__(self, source: Torque, functions: Sequence[EventFunction], origin: float) -> None:
        self.source, self.functions, self.origin = source, list(functions), origin
        self.error: BaseException | None = None  # what a function raised, or an interrupt
        self.failing = ""  # which function raised
        self.samples: list[tuple[float, np.ndarray]] = []
        self.jump = np.inf  # the next time at which something jumps
        self._same_until = -np.inf  # the same, once it has been looked for
        self.end = origin  # where the run ends
        self.u = np.zeros(0)
        self.hangs = False  # whether one of them did not return, and is not asked again
        self._calls = 0  # functions of the user's that have not returned
        self._began = self._longest = 0.0  # s: when the first of these was called, and how long one took at most
        self.system: System
        self._counters: np.ndarray | None = None  # of the stepper at work
        self._views: dict[tuple[int, int], np.ndarray] = {}
        self._kept: list[object] = []  # callbacks and arrays that segments of the run point to

    def serve(self, solver: Solver) -> None:
        """Go on with this solver: u is laid out for its system, and torques and wrenches stay as they are."""
        before, self.system = self.u, solver.system
        places_of = self.system.inputs
        self.u = np.zeros(places_of.size)
        kept = min(len(before), places_of.joint(0))
        self.u[:kept] = before[:kept]
        whole = self.u.view(np.int64)
        callbacks = [
            (self._ask, places_of.torque_function, self.source.asks),
            (self._ask_events, places_of.event_function, bool(self.functions)),
        ]
        for function, place, needed in callbacks:
            if needed:
                callback = _CALLBACK(function)
                self._kept.append(callback)
                whole[place] = ctypes.cast(callback, ctypes.c_void_p).value or 0
        for k, array in enumerate(solver.data):
            own = array.copy()  # scratch memory among them, which runs at the same time must not share
            self._kept.append(own)
            whole[places_of.data + k] = address(own)
        whole[places_of.numbers] = address(solver.numbers)

    def watch(self, counters: np.ndarray) -> None:
        """From now on, failures are told to the compiled code that has these counters."""
        self._counters = counters
        self._views.clear()

    # -- asked by compiled code --------------------------------------------------------------------------------------

    def _view(self, address: int, size: int) -> np.ndarray:
        """Memory of compiled code as an array; the same few places come again and again."""
        found = self._views.get((address, size))
        if found is None:
            found = self._views[address, size] = np.ctypeslib.as_array((ctypes.c_double * size).from_address(address))
        return found

    def _ask(self, time: int, state: int, u: int) -> None:
        """Called from compiled code: torques and wrenches from the user's functions."""
        given = self._view(u, self.system.inputs.joint(0))
        try:
            if self.error is not None or self.hangs:
                self.forget_in(given)
            else:
                t, y = float(self._view(time, 1)[0]), self._view(state, self.system.size)
                # a step that ends where torques jump has those from before
                self.ask_into(given, min(t, float(np.nextafter(self.jump, -np.inf))), y)
        except BaseException as error:  # nothing may pass through compiled code; it is raised again behind it
            self._fail(error)
            self.forget_in(given)

    def _ask_events(self, time: int, state: int, output: int) -> None:
        values = self._view(output, len(self.functions))
        try:
            if self.error is None:
                t, y = float(self._view(time, 1)[0]), self._view(state, self.system.size)
                q, qd = y[: self.system.nq].copy(), y[self.system.nq :].copy()
                values[:] = [_number(self.call(function, t, q, qd), t) for function in self.functions]
                if not np.isfinite(values).all():
                    raise SimulationError(f"an event function returned {values[~np.isfinite(values)][0]} at t = {t:g} s")
        except BaseException as error:
            self._fail(error)
            values[:] = np.nan

    def interrupt(self) -> None:
        """Ctrl-C: the run ends where compiled code looks next; a function of the user's, which may never return, ends at once.

        One that takes longer than ever before is not asked again when the run is worked up.
        """
        self._fail(KeyboardInterrupt())
        if self._calls:
            self.hangs = self.hangs or perf_counter() - self._began > max(HANGS, 2 * self._longest)
            raise KeyboardInterrupt

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a function of the user's gives."""
        if not self._calls:
            self._began = perf_counter()
        self._calls += 1
        try:
            return function(*arguments)
        except Exception:
            self.failing = self.failing or self._what(function)
            raise
        finally:
            self._calls -= 1
            self._longest = max(self._longest, perf_counter() - self._began)

    def _what(self, function: Callable[..., Any]) -> str:
        """What a function of the user's is for."""
        for wrench in self.source.wrenches:
            if function is wrench.called:
                return f"the function of the wrench on {wrench.frame.name!r}"
        return "an event function" if any(function is x for x in self.functions) else "the torque function"

    def _fail(self, error: BaseException) -> None:
        self.error = self.error or error
        if self._counters is not None:
            self._counters[places.FAILED] = 1

    # -- asked by Python ---------------------------------------------------------------------------------------------

    def ask_into(self, u: np.ndarray, t: float, y: np.ndarray) -> None:
        """Write into u what Python functions give at a state: torques and wrenches."""
        nq, nv, first = self.system.nq, self.system.nv, self.system.inputs.wrench
        if self.source.called is not None:
            u[:nv] = torque.checked(self.call(self.source.called, t, y[:nq].copy(), y[nq:].copy()), nv, t)
        for j, wrench in enumerate(self.source.wrenches):
            if wrench.called is not None:
                found = self.call(wrench.called, t, y[:nq].copy(), y[nq:].copy())
                u[first + 6 * j : first + 6 * j + 6] = torque.checked(
                    found, 6, t, f"the function of the wrench on {wrench.frame.name!r}"
                )

    def forget_in(self, u: np.ndarray) -> None:
        """What Python functions failed to give is not known."""
        if self.source.called is not None:
            u[: self.system.nv] = np.nan
        u[self.system.inputs.wrench : self.system.inputs.joint(0)] = np.nan

    def inputs_at(self, u: np.ndarray, system: System, t: float, y: np.ndarray) -> np.ndarray:
        """A system's u with what Python functions give at a state, and without addresses, which are no numbers."""
        return self.with_functions(without_addresses(u, system), t, y)

    def with_functions(self, u: np.ndarray, t: float, y: np.ndarray) -> np.ndarray:
        """A copy of u with what Python functions give at a state."""
        found = u.copy()
        if self.hangs:
            self.forget_in(found)
        elif self.source.asks:
            try:
                self.ask_into(found, t, y)
            except Exception:  # it failed in the run, or would now: what it cannot say is not known
                self.forget_in(found)
        return found

    # -- torques over time -------------------------------------------------------------------------------------------

    @property
    def changes(self) -> bool:
        """Whether inputs change at certain times."""
        return self.source.table is not None or self.source.sampled is not None or bool(self.source.breaks)

    def from_now(self, t: float, y: np.ndarray) -> float:
        """Set the torques that hold from t on; until when they do."""
        source = self.source
        if not t < self._same_until:  # a time in the piece tells the side of every jump; it stays until the next
            self._same_until = self.jump = source.jump(t)
            self.u[self.system.inputs.decided] = 0.5 * (t + min(self.jump, self.end))
        if source.table is not None:
            return min(self.jump, self._from_table(*source.table, t))
        if source.sampled is not None:
            return min(self.jump, self._sample(source.sampled, t, y))
        return self.jump

    def _from_table(self, times: np.ndarray, values: np.ndarray, t: float) -> float:
        n = self.system.nv
        k = int(np.searchsorted(times, t, side="right")) - 1
        if k < 0 or k >= len(times) - 1:  # before and after the table its first and last values hold
            self.u[:n], self.u[n : 2 * n] = values[0 if k < 0 else -1], 0.0
            return float(times[0]) if k < 0 else np.inf
        self.u[:n] = values[k]
        self.u[n : 2 * n] = (values[k + 1] - values[k]) / (times[k + 1] - times[k])
        self.u[self.system.inputs.since] = times[k]
        return float(times[k + 1])

    def _sample(self, controller: torque.Sampled, t: float, y: np.ndarray) -> float:
        n, nq, period, delay = self.system.nv, self.system.nq, controller.period, controller.delay
        k = int(np.floor((t - self.origin) / period + 1e-9))
        if k >= len(self.samples):
            found = self.call(controller.function, t, y[:nq].copy(), y[nq:].copy())
            self.samples.append((t, torque.checked(found, n, t)))
        recent = self.samples[-2 - int(min(delay / period, 1e9)) :]
        acting = [tau for at, tau in recent if at + delay <= t + 1e-9 * period]
        self.u[:n] = acting[-1] if acting else 0.0
        due = [at + delay for at, _ in recent if at + delay > t + 1e-9 * period]
        return min([self.origin + (k + 1) * period, *due])


def without_addresses(u: np.ndarray, system: System) -> np.ndarray:
    """A copy of u, or of rows of it, whose addresses are zero: they are no numbers."""
    found = u.copy()
    at = system.inputs
    found[..., at.torque_function] = found[..., at.event_function] = 0.0
    found[..., at.data :] = 0.0
    return found


def _number(value: object, t: float) -> float:
    """What an event function gave."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise SimulationError(f"an event function returned {value!r} at t = {t:g} s; a number is needed") from None
