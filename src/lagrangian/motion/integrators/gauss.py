"""A symplectic integrator of a fixed step for long runs: Gauss's collocation of order six, in coordinates and momenta.

Hairer, Lubich and Wanner, Geometric Numerical Integration, II.1 and VI.4: the energy of a conservative system neither grows nor
falls over any length of time, but stays within a small band. The stages are found by fixed-point iteration (VIII.6).
"""

from __future__ import annotations

from typing import Any

from lagrangian.cached import cached_property
from lagrangian.kernels.llvm.ir import INTEGER, TRUTH, Value
from lagrangian.motion.integrators.method import ARGUMENTS, Module, finish_interpolant

_R = 15**0.5
C = (0.5 - _R / 10, 0.5, 0.5 + _R / 10)
A = (
    (5 / 36, 2 / 9 - _R / 15, 5 / 36 - _R / 30),
    (5 / 36 + _R / 24, 2 / 9, 5 / 36 - _R / 24),
    (5 / 36 + _R / 30, 2 / 9 + _R / 15, 5 / 36),
)
B = (5 / 18, 4 / 9, 5 / 18)
TURNS = 60


class GaussMethod:
    """The module has `momenta` (p of a state), `canonical` (q' and p' of (q, p)).

    `slopes` holds the slope of (q, qd) at the beginning and at the end, then the three stages' of (q, p).
    """

    name = "Gauss 6"
    adaptive = False
    safety = 1.0
    smooths = False
    jacobian = False
    canonical = True
    stiff_beyond = 0.0
    exponent = -0.5 / 6
    last = 1
    slopes = 5
    degree = 5
    free_interpolant = False

    @cached_property
    def key(self) -> str:
        return repr(("gauss", A, B, C))

    def emit(self, module: Module) -> None:
        self._step(module)
        self._dense(module)

    def _step(self, module: Module) -> None:
        n = module.size
        half = n // 2
        b = module.function("step", ARGUMENTS)
        clock, y, u, K, end, report = (b.array(name) for name in ARGUMENTS)
        h = clock[1]
        time, z, state, slope = b.local_array(1), b.local_array(n), b.local_array(n), b.local_array(n)
        stages = K.offset(2 * n)
        b.copy(y, z, half)
        b.call("momenta", clock, y, u, z.offset(half))
        b.call("canonical", clock, z, u, stages)
        for i in (1, 2):
            b.copy(stages, stages.offset(i * n), n)
        going, turns, change = b.variable(True, TRUTH), b.variable(0, INTEGER), b.variable(0.0)
        before = b.variable(1e300)
        # of coordinates and of momenta: one that is zero has changes of rounding, which are nothing beside the others
        sizes = (b.variable(1e-300), b.variable(1e-300))
        with b.while_loop(lambda: going.get()):
            change.set(0.0)
            for i in range(3):

                def place(k: Any, i: int = i) -> None:
                    state[k] = b.scaled_combination(z[k], [(A[i][j], stages.offset(j * n)[k]) for j in range(3)], h)

                b.for_each(n, place)
                time[0] = clock[0] + h * C[i]
                b.call("canonical", time, state, u, slope)

                def take(k: Any, i: int = i) -> None:
                    old, new = stages.offset(i * n)[k], slope[k]
                    size = sizes[k >= half]
                    size.set(b.maximum(size.get(), b.maximum(b.absolute(z[k]), b.absolute(h * new))))
                    change.set(b.maximum(change.get(), b.absolute(h * (new - old)) / size.get()))
                    stages.offset(i * n)[k] = new

                b.for_each(n, take, n)
            turns.set(turns.get() + 1)
            # until rounding is all that changes; before that, changes need not fall at every turn
            falling = (change.get() < before.get()) | (change.get() > 1e-13)
            before.set(change.get())
            going.set((change.get() > 1e-16) & falling & (turns.get() < TURNS))

        def finish(k: Any) -> None:
            state[k] = b.scaled_combination(z[k], [(B[j], stages.offset(j * n)[k]) for j in range(3)], h)

        b.for_each(n, finish)
        time[0] = clock[0] + h
        b.copy(state, end, half)
        b.call("canonical", time, state, u, slope)
        b.copy(slope, end.offset(half), half)  # q' at the end, which are the speeds
        module.rates(b, time, end, u, K.offset(n))
        # stages that were not found make the step unusable
        found: Value = b.select(change.get() < 1e-10, 0.0, float("nan"))
        report[0], report[1] = found, b.value(1.0, "double")
        b.return_status()
        module.add(b)

    def _dense(self, module: Module) -> None:
        """Coordinates by the quintic through values, speeds and accelerations at both ends; speeds as its derivative."""
        n = module.size
        half = n // 2
        b = module.function("dense", ARGUMENTS)
        clock, y, _, K, end, F = (b.array(name) for name in ARGUMENTS)
        h = clock[1]
        inverse = 1.0 / h

        def entry(k: Any) -> None:
            rise = end[k] - y[k]
            v0, v1 = h * K[k], h * K.offset(n)[k]
            a0, a1 = h * h * K[k + half], h * h * K.offset(n)[k + half]
            c = (
                v0,
                0.5 * a0,
                10.0 * rise - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1,
                8.0 * v0 - 15.0 * rise + 7.0 * v1 + 1.5 * a0 - a1,
                6.0 * rise - 3.0 * v0 - 3.0 * v1 - 0.5 * a0 + 0.5 * a1,
            )
            for power in range(self.degree):
                F.offset(power * n)[k] = c[power]
                F.offset(power * n)[k + half] = c[power + 1] * (inverse * (power + 2.0)) if power < 4 else b.value(0.0, "double")

        b.for_each(half, entry)
        finish_interpolant(b, n, self.degree, y, end, F)
        b.return_status()
        module.add(b)
