"""A start that does not close the loops, or speeds that do not keep them so: how far it is off, and the nearest that does."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lagrangian.cli import output
from lagrangian.errors import AssemblyError

if TYPE_CHECKING:
    import numpy as np

    from lagrangian.model.mechanism import Mechanism

NEAR = 1e-6  # what `simulate` takes for closed
_LISTED = 12  # coordinates


def gap(m: Mechanism, q: Any, t: float = 0.0) -> tuple[float, str]:
    """How far the worst loop misses at q, and that in words."""
    import numpy as np

    from lagrangian.configuration.assemble import closure_unit, dynamics_of

    dyn = dynamics_of(m)
    if not dyn.holonomic.any():
        return 0.0, ""
    off = np.abs(dyn.closure(np.array([float(x) for x in q]), t))
    names = [name for name, kept in zip(dyn.constraint_names, dyn.holonomic, strict=True) if kept]
    worst = int(np.argmax(off))
    return float(off[worst]), f"{names[worst]} misses by {off[worst]:.3g}{closure_unit(m, names[worst])}"


def pasted(q: Any) -> str:
    """A configuration as a line for a description."""
    return f"q = [{', '.join(f'{float(x):.10g}' for x in q)}]"


def told(m: Mechanism, q: Any) -> str:
    """The same for people: angles in degrees."""
    units = [
        unit
        for j in m.joints
        for unit in (("m" if slides else "deg" for slides in j.slides) if j.kind.nq == j.kind.nv else [""] * j.kind.nq)
    ]
    found = [
        f"{name} = {math.degrees(x) if unit == 'deg' else float(x):.5g} {unit}".rstrip()
        for name, x, unit in zip(m.coordinate_names, q, units, strict=True)
    ]
    return ", ".join(found[:_LISTED]) + (" ..." if len(found) > _LISTED else "")


def closed(m: Mechanism, q0: Any, qd0: Any, t: float) -> tuple[Any, Any]:
    """Where a run begins: what was given, or the nearest that closes the loops, of which it is told.

    What is given by name is kept as it is, and `simulate` finds the others.
    """
    import numpy as np

    from lagrangian import assemble
    from lagrangian.model.configuration import Partial

    own = q0 is None
    given = m.initial.q if own else m.poses.get(q0) if isinstance(q0, str) else q0
    if given is None or isinstance(given, (Mapping, Partial)) or len(given) != m.nq:
        return q0, qd0
    q = np.array([float(x) for x in given])
    off, miss = gap(m, q, t)
    if off > NEAR:
        where = "[initial] q" if own else f"pose {q0!r}" if isinstance(q0, str) else "--q0"
        try:
            q0 = assemble(m, q, t=t)
        except AssemblyError as error:
            raise AssemblyError(f"{where} does not close the loops: {miss}. {error}") from None
        output.warning(
            f"{where} does not close the loops: {miss}. The run begins at the nearest that does: {told(m, q0)}\n"
            f"  {pasted(q0)}\n"
            f"That line is for [initial]. Or give some coordinates, and the others follow: {_example(m, q)}"
        )
        q = q0
    wanted = qd0 if qd0 is not None else m.initial.qd if own else None
    if isinstance(wanted, Partial):
        wanted = {name: x for name, x in zip(m.speed_names, wanted, strict=True) if name in wanted.given}
    if wanted is None or isinstance(wanted, Mapping) or len(wanted) != m.nv:
        return q0, wanted
    return q0, _speeds(m, q, np.array([float(x) for x in wanted]), t, "[initial] qd" if qd0 is None else "--qd0")


def _speeds(m: Mechanism, q: np.ndarray, qd: np.ndarray, t: float, where: str) -> np.ndarray:
    """The speeds, or the nearest that keep the constraints, of which it is told."""
    import numpy as np

    from lagrangian import consistent_speeds
    from lagrangian.configuration.assemble import dynamics_of

    dyn = dynamics_of(m)
    rate = np.abs(dyn.constraint_rate(q, qd, t))
    if rate.max(initial=0.0) <= NEAR * (1 + np.abs(dyn.constraint_jacobian(q, t)).max(initial=0.0) * np.abs(qd).max(initial=0.0)):
        return qd
    nearest = consistent_speeds(dyn, q, qd, t=t)
    output.warning(
        f"{where} does not keep the constraints: {dyn.constraint_names[rate.argmax()]} changes at {rate.max():.3g} a second. "
        f"The run begins with the nearest that does:\n"
        f"  qd = [{', '.join(f'{x:.10g}' for x in nearest)}]\n"
        f"That line is for [initial]. Or give some speeds, and the others follow: --qd0 {m.speed_names[0]}={qd[0]:.3g}"
    )
    return nearest


def _example(m: Mechanism, q: np.ndarray) -> str:
    """One coordinate by name, as the option takes it."""
    from lagrangian.configuration.assemble import single_coordinates

    slides = [s for j in m.joints for s in j.slides]
    for name, (iq, iv) in single_coordinates(m).items():
        return f"--q0 {name}={q[iq]:.3g}" if slides[iv] else f"--q0 {name}={math.degrees(q[iq]):.0f}deg"
    return "--q0 NAME=VALUE"
