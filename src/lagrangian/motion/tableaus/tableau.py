"""What an integrator's coefficients are; every method is data of one of these two forms.

`f(t, y)` is the right-hand side, h the step, y0 the state at its beginning, y1 at its end, and theta in [0, 1] the place in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lagrangian.errors import ArgumentError

Row = tuple[float, ...]


@dataclass(frozen=True)
class Explicit:
    """An explicit Runge-Kutta method.

    The step is `k_i = f(t + c_i h, y0 + h sum_j a_ij k_j)`, `y1 = y0 + h sum_i b_i k_i`. What comes after it may also use
    `k_new = f(t + h, y1)`, which is the first stage of the next step: where a method is published with it as its last stage, the
    stage is not among `c`, `a` and `b`. The interpolant is `y(theta) = y0 + h sum_i k_i sum_j dense[i][j] theta^(j + 1)`.
    """

    name: str
    order: int  # of y1
    c: Row
    a: tuple[Row, ...]  # strictly lower: row i has i entries
    b: Row
    errors: tuple[Row, ...]  # each row e an estimate h sum e_i k_i of the error; over the main stages, then k_new
    error_order: int  # q, such that the estimate behaves like h^(q + 1): the step's factor is err^(-1 / (q + 1))
    extra_c: Row  # further stages that the dense output alone needs
    extra_a: tuple[Row, ...]  # row j has len(b) + 1 + j entries: over the main stages, k_new, the further stages before it
    dense: tuple[Row, ...]  # a row for every main stage, k_new, every further stage: coefficients of theta, theta^2, ...

    def check(self) -> None:
        """Refuse a table whose rows do not fit together."""
        stages, further = len(self.b), len(self.extra_c)
        lengths: dict[str, tuple[Any, Any]] = {
            "c": (len(self.c), stages),
            "a": ([len(row) for row in self.a], list(range(stages))),
            "errors": ([len(row) for row in self.errors], [stages + 1] * len(self.errors)),
            "extra_a": ([len(row) for row in self.extra_a], [stages + 1 + j for j in range(further)]),
            "dense": (len(self.dense), stages + 1 + further),
        }
        for name, (given, needed) in lengths.items():
            if given != needed:
                raise ArgumentError(
                    f"method {self.name!r}: `{name}` has {given} entries; {needed} are needed for {stages} stages"
                )
        if abs(sum(self.b) - 1) > 1e-12:
            raise ArgumentError(f"method {self.name!r}: the entries of `b` add up to {sum(self.b):g}; 1 is needed")
        for i, (row, at) in enumerate(zip(self.a, self.c, strict=True)):
            if abs(sum(row) - at) > 1e-9:
                raise ArgumentError(
                    f"method {self.name!r}: row {i + 1} of `a` adds up to {sum(row):g}; {at:g} is needed, as in `c`"
                )


@dataclass(frozen=True)
class Rosenbrock:
    """A Rosenbrock-Wanner method, in the variables that need no product with the Jacobian (Hairer and Wanner II, IV.7).

    With `J = df/dy` and `f_t = df/dt`, both at (t, y0), the step solves one after another, with one matrix for all,

        (I / (h gamma) - J) u_i = f(t + alpha_i h, y0 + sum_j a_ij u_j) + sum_j (c_ij / h) u_j + gamma_sums_i h f_t

    and `y1 = y0 + sum_i m_i u_i`; the u are of the size of h f. The error is estimated by `sum_i error_i u_i`. The interpolant is
    `y(theta) = (1 - theta) y0 + theta (y1 + (1 - theta) (d_1 + theta (d_2 + theta d_3)))` with `d_k = sum_i dense[k - 1][i] u_i`.
    """

    name: str
    order: int  # of y1
    gamma: float
    alpha: Row
    gamma_sums: Row
    a: tuple[Row, ...]  # strictly lower: row i has i entries
    c: tuple[Row, ...]  # strictly lower: row i has i entries
    m: Row
    error: Row
    error_order: int  # q, such that the estimate behaves like h^(q + 1): the step's factor is err^(-1 / (q + 1))
    dense: tuple[Row, ...]
