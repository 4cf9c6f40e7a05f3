"""The classical method of fourth order (Kutta 1901).

There is no error estimate. The dense output is the cubic Hermite polynomial through both ends and their slopes, of third order
and with a continuous derivative.
"""

from __future__ import annotations

from lagrangian.motion.tableaus.tableau import Explicit

# fmt: off
RK4 = Explicit(
    name="RK4",
    order=4,
    c=(0.0, 0.5, 0.5, 1.0),
    a=(
        (),
        (0.5,),
        (0.0, 0.5),
        (0.0, 0.0, 1.0),
    ),
    b=(1 / 6, 1 / 3, 1 / 3, 1 / 6),
    errors=(),
    error_order=0,
    extra_c=(),
    extra_a=(),
    dense=(
        (1.0, -3 / 2, 2 / 3),
        (0.0, 1.0, -2 / 3),
        (0.0, 1.0, -2 / 3),
        (0.0, 1 / 2, -1 / 3),
        (0.0, -1.0, 1.0),
    ),
)
# fmt: on
