"""One step of a Rosenbrock method for stiff systems, with the exact Jacobian (Hairer and Wanner II, IV.7).

The functions are those of `explicit`. `slopes` holds the slope at the beginning, the stages u, and the slope at the end.
"""

from __future__ import annotations

from typing import Any

from lagrangian.cached import cached_property
from lagrangian.kernels.llvm.ir import INTEGER, Array, Value
from lagrangian.motion.integrators.method import ARGUMENTS, Module, finish_interpolant
from lagrangian.motion.tableaus.tableau import Rosenbrock

# equations up to which the matrix is inverted, not only factorised
INVERTED = 12


class RosenbrockMethod:
    """The functions of one tableau. The module has `jacobian`: df/dy by rows, then df/dt."""

    adaptive = True
    safety = 0.8
    smooths = False
    jacobian = True
    canonical = False
    stiff_beyond = 0.0
    free_interpolant = False

    def __init__(self, tableau: Rosenbrock) -> None:
        self.tableau = tableau
        self.name = tableau.name
        self.exponent = -0.5 / (tableau.error_order + 1)
        self.last = len(tableau.m) + 1
        self.slopes = self.last + 1
        self.degree = 4

    @cached_property
    def key(self) -> str:
        return repr(("rosenbrock", repr(self.tableau)))

    def emit(self, module: Module) -> None:
        self._factorise(module)
        self._solve(module)
        self._step(module)
        self._dense(module)

    def _step(self, module: Module) -> None:
        T, n = self.tableau, module.size
        b = module.function("step", ARGUMENTS)
        clock, y, u, K, end, report = (b.array(name) for name in ARGUMENTS)
        h, m = clock[1], self._order(module)
        time, state, right = b.local_array(1), b.local_array(n), b.local_array(n)
        J, W, order, inverse_of = (
            b.local_array(m * n + m),
            b.local_array(m * m),
            b.local_array(m),
            b.local_array(2 * m * m if m <= INVERTED else 1),
        )
        stages, drift = K.offset(n), J.offset(m * n)  # drift is df/dt, of the last m rates
        b.call("jacobian", clock, y, u, J)
        b.call("factorise", clock, J, W, order)
        if m <= INVERTED:
            b.call("invert", clock, J, W, order, inverse_of)
        for i in range(len(T.m)):

            def place(k: Any, i: int = i) -> None:
                state[k] = b.scaled_combination(
                    y[k], [(w, stages.offset(j * n)[k]) for j, w in enumerate(T.a[i]) if w], b.value(1.0, "double")
                )

            slope = right
            if i == 0:
                b.copy(K, right, n)
            else:
                b.for_each(n, place)
                time[0] = clock[0] + h * T.alpha[i]
                module.rates(b, time, state, u, right)
            shift, inverse = h * T.gamma_sums[i], 1.0 / h

            def load(k: Any, i: int = i, shift: Value = shift, inverse: Value = inverse, slope: Array = slope) -> None:
                level = slope[k]
                if T.gamma_sums[i] and m == n:
                    level = b.fma(drift[k], shift, level)
                right[k] = b.scaled_combination(level, [(w, stages.offset(j * n)[k]) for j, w in enumerate(T.c[i]) if w], inverse)

            b.for_each(n, load)
            if T.gamma_sums[i] and m < n:

                def add_drift(k: Any, shift: Value = shift) -> None:
                    right[k + m] = b.fma(drift[k], shift, right[k + m])

                b.for_each(m, add_drift)
            b.call("solve", clock, J, W, order, inverse_of, right, stages.offset(i * n))

        def finish(k: Any) -> None:
            end[k] = b.scaled_combination(
                y[k], [(w, stages.offset(j * n)[k]) for j, w in enumerate(T.m) if w], b.value(1.0, "double")
            )

        b.for_each(n, finish)
        time[0] = clock[0] + h
        module.settle(b, time, end, u, K.offset(self.last * n), report)
        total = b.variable(0.0)

        def error(k: Any) -> None:
            terms = [(w, stages.offset(j * n)[k]) for j, w in enumerate(T.error) if w]
            scaled = b.scaled_combination(b.value(0.0, "double"), terms, module.weight(b, k, y, end, clock))
            total.set(b.fma(scaled, scaled, total.get()))

        b.for_each(n, error)
        report[0] = total.get() / float(n)
        b.return_status()
        module.add(b)

    def _factorise(self, module: Module) -> None:
        """W = I / (h gamma) - J, or what remains of it, as P L U in place; `order` holds the exchanges.

        Of a second-order system J = [0 I; A B], and with p = 1 / (h gamma) the speeds are found first, from
        (p - B - A / p) x = r + A s / p, then the coordinates from p z = s + x. The matrix is half as large.
        """
        n, m = module.size, self._order(module)
        b = module.function("factorise", ["clock", "jacobian", "matrix", "order"])
        clock, J, A, order = (b.array(name) for name in b.arguments)
        pole = 1.0 / (clock[1] * self.tableau.gamma)
        step = clock[1] * self.tableau.gamma
        with b.for_range(m) as i:
            with b.for_range(m) as j:
                if module.second_order:
                    A[i * m + j] = -b.fma(J[i * n + j], step, J[i * n + j + m])
                else:
                    A[i * m + j] = -J[i * n + j]
            A[i * m + i] = A[i * m + i] + pole
        with b.for_range(m) as k:
            best, at = b.variable(b.absolute(A[k * m + k])), b.variable(k, INTEGER)
            with b.for_range(m, k + 1) as i:
                size = b.absolute(A[i * m + k])
                with b.if_then(size > best.get()):
                    best.set(size)
                    at.set(i)
            order[k] = b.to_double(at.get())
            with b.if_then(at.get().differs(k)), b.for_range(m) as j:
                p = at.get() * m + j
                x, z = A[k * m + j], A[p]
                A[k * m + j] = z
                A[p] = x
            inverse = 1.0 / A[k * m + k]
            A[k * m + k] = inverse  # of the diagonal, its inverse is kept
            with b.for_range(m, k + 1) as i:
                factor = A[i * m + k] * inverse
                A[i * m + k] = factor
                with b.for_range(m, k + 1) as j:
                    A[i * m + j] = b.fma(-factor, A[k * m + j], A[i * m + j])
        b.return_status()
        module.add(b)

    @staticmethod
    def _order(module: Module) -> int:
        return module.size // 2 if module.second_order else module.size

    def _solve(self, module: Module) -> None:
        """x with P L U x = right, in place."""
        m = self._order(module)
        b = module.function("substitute", ["matrix", "order", "x"])
        A, order, x = (b.array(name) for name in b.arguments)
        with b.for_range(m) as k:
            p = b.to_integer(order[k])
            here, there = x[k], x[p]
            x[k] = there
            x[p] = here
        with b.for_range(m) as i:
            total = b.variable(x[i])
            with b.for_range(i) as j:
                total.set(b.fma(-A[i * m + j], x[j], total.get()))
            x[i] = total.get()
        with b.for_range(m) as back:
            i = (m - 1) - back
            total = b.variable(x[i])
            with b.for_range(m, i + 1) as j:
                total.set(b.fma(-A[i * m + j], x[j], total.get()))
            x[i] = total.get() * A[i * m + i]
        b.return_status()
        module.add(b)
        if m <= INVERTED:
            self._invert(module)
        self._stage(module)

    def _invert(self, module: Module) -> None:
        """The inverse, row by row; and of a second-order system h gamma times its product with A, behind it.

        For eight stages two short products, whose sums do not wait for each other, take less time than substitution.
        """
        n, m = module.size, self._order(module)
        b = module.function("invert", ["clock", "jacobian", "matrix", "order", "inverse"])
        clock, J, A, order, W = (b.array(name) for name in b.arguments)
        column = b.local_array(m)
        with b.for_range(m) as j:
            with b.for_range(m) as i:
                column[i] = 0.0
            column[j] = 1.0
            b.call("substitute", A, order, column)
            with b.for_range(m) as i:
                W[i * m + j] = column[i]
        if module.second_order:
            step = clock[1] * self.tableau.gamma
            with b.for_range(m) as i, b.for_range(m) as j:
                total = b.variable(0.0)
                with b.for_range(m) as k:
                    total.set(b.fma(W[i * m + k], J[k * n + j], total.get()))
                W[i * m + j + m * m] = total.get() * step
        b.return_status()
        module.add(b)

    def _stage(self, module: Module) -> None:
        """u of one stage from its right side."""
        n, m = module.size, self._order(module)
        b = module.function("solve", ["clock", "jacobian", "matrix", "order", "inverse", "right", "result"])
        clock, J, A, order, W, right, result = (b.array(name) for name in b.arguments)
        step = clock[1] * self.tableau.gamma
        x = b.local_array(m)
        if m <= INVERTED:
            first = right.offset(m) if module.second_order else right
            for i in range(m):
                total = W[i * m] * first[0]
                for j in range(1, m):
                    total = b.fma(W[i * m + j], first[j], total)
                if module.second_order:
                    other = W[m * m + i * m] * right[0]
                    for j in range(1, m):
                        other = b.fma(W[m * m + i * m + j], right[j], other)
                    total = total + other
                x[i] = total
        else:
            if module.second_order:
                with b.for_range(m) as i:
                    carried = b.variable(0.0)
                    with b.for_range(m) as j:
                        carried.set(b.fma(J[i * n + j], right[j], carried.get()))
                    x[i] = b.fma(carried.get(), step, right[i + m])
            else:
                b.copy(right, x, m)
            b.call("substitute", A, order, x)
        if module.second_order:

            def entry(i: Any) -> None:
                result[i] = (right[i] + x[i]) * step
                result[i + m] = x[i]

            b.for_each(m, entry)
        else:
            b.copy(x, result, m)
        b.return_status()
        module.add(b)

    def _dense(self, module: Module) -> None:
        T, n = self.tableau, module.size
        b = module.function("dense", ARGUMENTS)
        _, y, _, K, end, F = (b.array(name) for name in ARGUMENTS)
        stages = K.offset(n)

        def entry(k: Any) -> None:
            def weighted(weights: tuple[float, ...]) -> Value:
                terms = [(w, stages.offset(j * n)[k]) for j, w in enumerate(weights) if w]
                return b.scaled_combination(b.value(0.0, "double"), terms, b.value(1.0, "double"))

            rise = weighted(T.m)
            d1, d2, d3 = (weighted(row) for row in T.dense)
            F[k] = rise + d1
            F.offset(n)[k] = d2 - d1
            F.offset(2 * n)[k] = d3 - d2
            F.offset(3 * n)[k] = -d3

        b.for_each(n, entry)
        finish_interpolant(b, n, self.degree, y, end, F)
        b.return_status()
        module.add(b)
