"""Many motions against heyoka.py's batch mode and a loop over Pinocchio and SciPy; single motions against heyoka.py.

    python benchmarks/study.py                    # all parts
    python benchmarks/study.py --only batch       # 10,000 motions of the 2R, one core
    python benchmarks/study.py --only four_bar    # 10,000 four-bars with other lengths and springs, one core
    python benchmarks/study.py --only million     # a million 2R with other parameters, two cores
    python benchmarks/study.py --only single      # one 2R with 1001 rows

Everybody in one process, taking turns, best of many, as ratios; each at the loosest tolerance that brings its error within the
target. heyoka gets the closed form of `lagrangian.derive`, and integrates it by Taylor's method, compiled; its batch mode has as
many motions to a vector as it recommends, or twice as many, whichever is faster. Errors are measured against our order-9 method
at rtol 1e-13. What a run is compiled from is compiled before the time is taken.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
import warnings
from collections.abc import Callable
from typing import Any

import heyoka as hy
import numpy as np

import lagrangian as lg
from motion import interleaved

MOTIONS, END = 10_000, 10.0
ROWS = np.linspace(0.0, END, 1001)
ERRORS = {"99 % of the motions": 0.99, "every motion": 1.0}


# ---- heyoka ----------------------------------------------------------------------------------------------------------


def heyoka_equations(mechanism: lg.Mechanism) -> list[tuple[Any, Any]]:
    """The 2R's equations of motion from its closed form, M qdd = -C qd - G, as heyoka's expressions."""
    eom = lg.derive(mechanism)
    values = {name: float(x) for name, x in mechanism.parameters.items()}
    q = [hy.expression(name) for name in mechanism.coordinate_names]
    u = [hy.expression(f"qd_{name}") for name in mechanism.coordinate_names]
    M, bias = eom.to_sympy("M"), eom.to_sympy("bias")
    raise NotImplementedError(values, q, u, M, bias)
