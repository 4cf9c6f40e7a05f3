"""A system and an integrator as machine code."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np

from lagrangian.errors import ArgumentError
from lagrangian.kernels.kernel import address
from lagrangian.kernels.llvm import machine_code, object_cache, target
from lagrangian.kernels.llvm.object_cache import load_or_compile
from lagrangian.kernels.program import prepare_constants
from lagrangian.kernels.programs.sweeps import MAX_UNROLLED_LINKS
from lagrangian.motion.integrators.method import Method, Module
from lagrangian.motion.solver import late_rows, places
from lagrangian.motion.solver.response import ARGUMENTS as RESPONSE_ARGUMENTS
from lagrangian.motion.solver.segment import Segment
from lagrangian.motion.solver.text import SolverText, effort
from lagrangian.motion.system.large import RolledResponse
from lagrangian.motion.system.programs import Programs
from lagrangian.motion.system.system import System

_NONE = np.zeros(1)


class Solver:
    """Compiled when made, or taken from the cache, or from a system of the same structure."""

    def __init__(self, system: System, method: Method, callback: bool = False) -> None:
        self.system, self.method, self.callback = system, method, callback
        self.n = system.size
        self.programs = Programs(system)
        chosen = target.current()
        self._late = late_rows.lanes(method, self.n, chosen.width) if not (callback or system.large) else 0
        self.workspace = places.SolverWorkspace(self.n, method, len(system.table), system.table.looks, self._late)
        self.rolled = RolledResponse(system, chosen) if system.large else None
        name = object_cache.key(
            "motion",
            *system.key,
            method.key,
            str(callback),
            str(system.large),
            chosen.key,
            self.rolled.key if self.rolled is not None else b"",
        )
        if self.rolled is not None and (method.jacobian or method.canonical):
            raise ArgumentError(
                f"method {method.name!r} needs derivatives written out, and {system.mechanism.name} is too large for that; "
                f"use dop853, dp5, verner9 or rk4",
                concerns="method",
            )
        self.data = self.rolled.data() if self.rolled is not None else []
        # a fixed step promises nothing; of Python functions, and of what is too large to write out, the balance itself is taken
        written = self.rolled is None or len(system.tree) <= MAX_UNROLLED_LINKS
        self.balances = method.adaptive and not callback and written

        def compiled() -> tuple[dict[str, object], bytes]:
            text, numbers = self._text(chosen.fma).written()
            passes = (
                machine_code.UNROLLING_PASSES if self.rolled is None else None
            )  # many coordinates: their loops stay, and gain from more
            return {"numbers": numbers}, machine_code.compile_object(text, chosen, effort(text), passes)

        header, self._code = load_or_compile(name, chosen, compiled)
        self.numbers = prepare_constants(system.numbers.values, int(header["numbers"]), self._code)
        self.prepare = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._code.address("prepare"))
        self.integrate = self._function("integrate", len(places.LOOP_ARGUMENTS))
        self._replay = self._function("replay", len(places.REPLAY_ARGUMENTS))
        self._balance = self._function("balance", len(places.BALANCE_ARGUMENTS)) if self.balances else None
        self._responses = self._function("responses", len(RESPONSE_ARGUMENTS)) if system.responds else None

    @property
    def asks_events(self) -> bool:
        """Whether Python functions tell of events."""
        return bool(self.system.table.functions)

    def _function(self, name: str, pointers: int) -> Callable[..., int]:
        return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * pointers)(self._code.address(name))

    def _text(self, fma: bool) -> SolverText:
        asked = self._ask if self.callback else None
        return SolverText(self.system, self.method, fma, self.workspace, self._late, self.rolled, self.balances, asked)

    def _ask(self, module: Module) -> None:
        """Torques from Python: the address of the function is in u."""
        b = module.function("ask", ["time", "state", "u"])
        u = b.array("u")
        b.call_pointer(u.offset(self.system.inputs.torque_function), b.array("time"), b.array("state"), u)
        b.return_status()
        module.add(b)

    def responses(self, u: np.ndarray, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """What the system answers to all that acts, for states y at times t, each with its row of u: see `System.response`."""
        assert self._responses is not None
        counts = np.array([len(t)])  # named, as all of these: machine code reads it when the tuple below is gone
        u, t, y = (np.ascontiguousarray(x, dtype=float) for x in (u, t, y))
        responses = np.empty((len(t), self.system.responses))
        self._responses(*(address(a) for a in (counts, t, y, u, responses)))
        return responses

    def replay(self, segment: Segment, which: np.ndarray, theta: np.ndarray, rtol: float, atol: float) -> np.ndarray:
        """States within steps made before: at the part `theta` of step `which`, for each."""
        s = np.zeros(places.REALS)
        s[[places.RTOL, places.ATOL]] = rtol, atol
        dense = segment.dense if segment.dense is not None else _NONE
        c = np.array([len(which), segment.dense is not None], dtype=np.int64)
        u = segment.u.copy()  # Python functions that are asked again write into it
        which, theta = np.ascontiguousarray(which, dtype=np.int64), np.ascontiguousarray(theta, dtype=float)
        rows, work = np.empty((len(which), self.n)), np.zeros(self.workspace.size)
        self._replay(*(address(a) for a in (s, c, segment.steps, dense, u, work, which, theta, rows)))
        return rows

    def balance(self, segment: Segment, totals: np.ndarray, rtol: float, atol: float) -> None:
        """Go on with the energy balance of a run over another segment: see `solver.balance`."""
        assert self._balance is not None
        s = np.zeros(places.REALS)
        s[places.RTOL], s[places.ATOL], s[places.END] = rtol, atol, segment.until
        dense = segment.dense if segment.dense is not None else _NONE
        c = np.array([len(segment.steps), segment.dense is not None], dtype=np.int64)
        work = np.zeros(self.workspace.size)
        self._balance(*(address(a) for a in (s, c, segment.steps, dense, segment.u, work, totals)))


_SOLVERS: dict[tuple[int, str, bool], Solver] = {}


def solver_of(system: System, method: Method, callback: bool) -> Solver:
    """A solver made before for this system, or a new one, which shares its code with those of the same structure."""
    key = (id(system), method.key, callback)
    found = _SOLVERS.get(key)
    if found is None or found.system is not system:
        if len(_SOLVERS) > 64:
            _SOLVERS.clear()
        found = _SOLVERS[key] = Solver(system, method, callback)
    return found
