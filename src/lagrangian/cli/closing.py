"""A start that does not close the loops, or speeds that do not keep them so: how far it is off, and the nearest that does."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from lagrangian.cli import output
from lagrangian.errors import Argument, AssemblyError
from lagrangian.report.findings import pasted, told

if TYPE_CHECKING:
    import numpy as np

    from lagrangian.configuration.start import Start
    from lagrangian.model.mechanism import Mechanism


def closed(m: Mechanism, q0: Any, qd0: Any, t: float) -> tuple[Any, Any]:
    """Where a run begins: what was given, or the nearest that closes the loops, of which the user is told.

    What is given by name is kept as it is, and `simulate` finds the others.
    """
    from lagrangian.configuration.dynamics_of import dynamics_of
    from lagrangian.configuration.start import Start

    start = Start(dynamics_of(m), q0, t)
    if not start.given.complete:
        return q0, qd0
    q = start.given.q
    if start.off is not None:
        where = start.given.where
        try:
            q0 = q = start.closed()
        except AssemblyError as error:
            raise AssemblyError(f"{where} does not close the loops: {start.off}. {error}") from None
        output.warning(
            f"{where} does not close the loops: {start.off}. The run begins at the nearest configuration that does: "
            f"{told(m, q)}\n"
            f"  {pasted(q)}\n"
            f"Copy this line into [initial], or give some coordinates and the others follow: {_example(m, start.given.q)}"
        )
    return q0, _speeds(m, start, q, qd0)


def _speeds(m: Mechanism, start: Start, q: np.ndarray, qd0: Any) -> Any:
    """The speeds, or the nearest that keep the constraints, of which the user is told."""
    from lagrangian import consistent_speeds

    qd = start.wanted(qd0)
    breaks = start.breaking(q, qd) if qd is not None and not isinstance(qd, dict) else None
    if qd is None or isinstance(qd, dict) or breaks is None:
        return qd
    nearest = consistent_speeds(start.dyn, q, qd, t=start.t)
    output.warning(
        f"{'[initial] qd' if qd0 is None else Argument('qd0')} does not keep the constraints: {breaks.name} changes by "
        f"{breaks.amount:.3g} per second. The run begins with the nearest speeds that do:\n"
        f"  qd = [{', '.join(f'{x:.10g}' for x in nearest)}]\n"
        f"Copy this line into [initial], or give some speeds and the others follow: --qd0 {m.speed_names[0]}={qd[0]:.3g}"
    )
    return nearest


def _example(m: Mechanism, q: np.ndarray) -> str:
    """One coordinate by name, as the option takes it."""
    from lagrangian.configuration.coordinates import single_coordinates

    slides = [s for j in m.joints for s in j.slides]
    for name, (iq, iv) in single_coordinates(m).items():
        return f"--q0 {name}={q[iq]:.3g}" if slides[iv] else f"--q0 {name}={math.degrees(q[iq]):.0f}deg"
    return "--q0 NAME=VALUE"
