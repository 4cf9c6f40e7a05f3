"""One step of an explicit Runge-Kutta method, and its dense output, as compiled functions (Hairer, Norsett and Wanner I, II.4-6).

    void step(ptr clock, ptr y, ptr u, ptr slopes, ptr end, ptr report)
    void dense(ptr clock, ptr y, ptr u, ptr slopes, ptr end, ptr F)

`clock` holds t, h, rtol, atol; `slopes` the stages one after the other, the first of which is given; `end` the state at the end
of the step, on the constraints if it is projected; `report` the squared error, and what the projection found.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.kernels.llvm.ir import Array, FunctionBuilder, Value
from lagrangian.motion.integrators.method import ARGUMENTS, Module, finish_interpolant
from lagrangian.motion.tableaus.tableau import Explicit


class ExplicitMethod:
    """The functions of one tableau."""

    jacobian = False
    canonical = False
    stiff_beyond = 6.0  # h times the largest rate, near the edge of stability

    def __init__(self, tableau: Explicit) -> None:
        tableau.check()
        self.tableau = tableau
        self.name = tableau.name
        self.exponent = -0.5 / (tableau.error_order + 1)  # of the squared error
        self.last = len(tableau.b)  # the slope at the end of the step
        self.slopes = len(tableau.b) + 1 + len(tableau.extra_c)
        self.degree = max(len(row) for row in tableau.dense)
        self.adaptive = bool(tableau.errors)
        # Estimates of high order vary more from step to step. Of eight mechanisms of the library, at errors from 1e-4 to 1e-10,
        # with DOP853 0.75 makes 1 % more steps than 0.8 at the same tolerance, 3 % fewer at the same error, and 5 % fewer of open
        # chains with the errors of two steps looked at. With Verner's pair 0.7 makes 4 % more, 3 % fewer; one error is enough.
        self.safety = 0.8 if tableau.error_order < 6 else 0.75 if tableau.error_order < 8 else 0.7
        self.smooths = 6 <= tableau.error_order < 8
        self.free_interpolant = not tableau.extra_c

    @cached_property
    def key(self) -> str:
        return repr(("explicit", repr(self.tableau)))

    def emit(self, module: Module) -> None:
        self._step(module)
        self.emit_dense(module)

    def _stage(self, b: FunctionBuilder, module: Module, time: Array, at: float, state: Array, slope: Array) -> None:
        clock = b.array("clock")
        time[0] = clock[0] + clock[1] * at
        module.rates(b, time, state, b.array("u"), slope)

    def _step(self, module: Module) -> None:
        T, n = self.tableau, module.size
        b = module.function("step", ARGUMENTS)
        clock, y, u, K, end, report = (b.array(name) for name in ARGUMENTS)
        h = clock[1]
        time, state, mean = b.local_array(1), b.local_array(n), b.local_array(n)
        s = len(T.b)

        def sum_to(target: Array, weights: tuple[float, ...], mean: Array | None = None) -> None:
            def entry(i: object) -> None:
                total = b.linear_combination(self._terms(K, n, i, weights))
                assert total is not None
                target[i] = b.fma(h, total, y[i])
                if mean is not None:
                    mean[i] = total

            b.for_each(n, entry)

        for j in range(1, s):
            sum_to(state, T.a[j])
            self._stage(b, module, time, T.c[j], state, K.offset(j * n))
        sum_to(end, T.b, mean)
        time[0] = clock[0] + h
        module.settle(b, time, end, u, K.offset(s * n), report)
        report[0] = self._error(b, module, y, end, K, mean) if T.errors else b.value(0.0, "double")
        report[3] = self._stiffness(b, module, state, end, K, h) if T.errors and T.c[-1] == 1.0 else b.value(0.0, "double")
        b.return_status()
        module.add(b)

    @staticmethod
    def _terms(K: Array, n: int, i: object, weights: Sequence[float]) -> list[tuple[float, Value]]:
        return [(w, K.offset(j * n)[i]) for j, w in enumerate(weights) if w]

    def _stiffness(self, b: FunctionBuilder, module: Module, state: Array, end: Array, K: Array, h: Value) -> Value:
        """Positive if h lambda is beyond the edge of stability (Hairer and Wanner II, IV.2).

        lambda is how the slope differs between two states at the end of the step, over how they differ; nothing is divided.
        """
        n, s = module.size, len(self.tableau.b)
        slopes, states = b.variable(0.0), b.variable(0.0)

        def entry(i: object) -> None:
            a, d = K.offset(s * n)[i] - K.offset((s - 1) * n)[i], end[i] - state[i]
            slopes.set(b.fma(a, a, slopes.get()))
            states.set(b.fma(d, d, states.get()))

        b.for_each(n, entry)
        return b.fma(states.get(), -(self.stiff_beyond**2), h * h * slopes.get())

    def _error(self, b: FunctionBuilder, module: Module, y: Array, end: Array, K: Array, mean: Array) -> Value:
        """The squared norm of the estimate, each part in units of what is allowed; `mean` is the slope of the step, sum b k."""
        T, n = self.tableau, module.size
        clock = b.array("clock")
        h = clock[1]
        sums = [b.variable(0.0) for _ in T.errors]

        def entry(i: object) -> None:
            weight = module.weight(b, i, y, end, clock)
            for total, weights in zip(sums, T.errors, strict=True):
                # where fewer, as of two methods with most weights in common, from the slope of the step on
                others = [e - w for e, w in zip(weights, (*T.b, 0.0), strict=True)]
                fewer = np.count_nonzero(others) < np.count_nonzero(weights)
                terms = self._terms(K, n, i, others if fewer else weights)
                estimate = b.linear_combination(terms, mean[i] if fewer else None)
                assert estimate is not None
                scaled = estimate * weight
                total.set(b.fma(scaled, scaled, total.get()))

        b.for_each(n, entry)
        if len(sums) == 1:
            return h * h * sums[0].get() / float(n)
        # Dormand and Prince's 8(5,3): the fifth-order estimate corrected by the third-order one
        fifth, third = (total.get() for total in sums)
        return h * h * fifth * fifth / ((fifth + third * 0.01) * float(n) + 1e-300)

    def emit_dense(self, module: Module) -> None:
        """The interpolant alone."""
        T, n = self.tableau, module.size
        b = module.function("dense", ARGUMENTS)
        clock, y, _, K, end, F = (b.array(name) for name in ARGUMENTS)
        h = clock[1]
        time, state = b.local_array(1), b.local_array(n)
        s = len(T.b)
        for j, (at, weights) in enumerate(zip(T.extra_c, T.extra_a, strict=True)):

            def entry(i: object, weights: tuple[float, ...] = weights) -> None:
                state[i] = b.scaled_combination(y[i], [(w, K.offset(k * n)[i]) for k, w in enumerate(weights) if w], h)

            b.for_each(n, entry)
            self._stage(b, module, time, at, state, K.offset((s + 1 + j) * n))

        for power in range(self.degree):

            def coefficient(i: object, power: int = power) -> None:
                terms = [(row[power], K.offset(k * n)[i]) for k, row in enumerate(T.dense) if power < len(row) and row[power]]
                F.offset(power * n)[i] = b.scaled_combination(b.value(0.0, "double"), terms, h)

            b.for_each(n, coefficient)
        finish_interpolant(b, n, self.degree, y, end, F)
        b.return_status()
        module.add(b)
