"""A start that does not close the loops, or speeds that do not keep them so: how far it is off, and the nearest that does."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lagrangian.cli import output
from lagrangian.errors import ArgumentError, AssemblyError

if TYPE_CHECKING:
    import numpy as np

    from lagrangian.model.mechanism import Mechanism

NEAR = 1e-6  # what `simulate` takes for closed
_LISTED = 12  # coordinates


def gap(m: Mechanism, q: Any, t: float = 0.0) -> tuple[float, str]:
    """How far the worst loop misses at q, and that in words."""
    import numpy as np

    from lagrangian.motion.assemble import closure_unit, dynamics_of

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

    from lagrangian import assemble, consistent_speeds
    from lagrangian.model.configuration import Partial
    from lagrangian.motion.assemble import dynamics_of

    given = m.initial.q if q0 is None else m.poses.get(q0) if isinstance(q0, str) else q0
    if given is None or isinstance(given, (Mapping, Partial)) or len(given) != m.nq or not m.equations:
        return q0, qd0
    off, miss = gap(m, given, t)
    where = "[initial] q" if q0 is None else f"pose {q0!r}" if isinstance(q0, str) else "--q0"
    if off > NEAR:
        try:
            q = assemble(m, np.array([float(x) for x in given]), t=t)
        except AssemblyError as error:
            raise AssemblyError(f"{where} does not close the loops: {miss}. {error}") from None
        output.warning(
            f"{where} does not close the loops: {miss}. "
            f"The run begins at the nearest that does: {told(m, q)}\n"
            f"  {pasted(q)}\n"
            f"That line is for [initial]. Or give some coordinates, and the others follow: {_example(m, q)}"
        )
        q0, moved = q, True
    else:
        q, moved = np.array([float(x) for x in given]), False
    wanted = qd0 if qd0 is not None else m.initial.qd if moved or q0 is None else None
    if wanted is None or isinstance(wanted, (Mapping, Partial)) or len(wanted) != m.nv:
        return q0, qd0
    dyn, qd = dynamics_of(m), np.array([float(x) for x in wanted])
    rate = np.abs(dyn.constraint_rate(q, qd, t))
    if rate.max(initial=0.0) <= NEAR * (1 + np.abs(dyn.constraint_jacobian(q, t)).max() * np.abs(qd).max()):
        return q0, qd if moved else qd0
    try:
        nearest = consistent_speeds(dyn, q, qd, t=t)
    except AssemblyError as error:
        raise ArgumentError(f"{'--qd0' if qd0 is not None else '[initial] qd'} breaks the loops, and {error}") from None
    output.warning(
        f"{'--qd0' if qd0 is not None else '[initial] qd'} does not keep the loops closed: {dyn.constraint_names[rate.argmax()]} "
        f"opens at {rate.max():.3g} a second. The run begins with the nearest that does:\n"
        f"  qd = [{', '.join(f'{x:.10g}' for x in nearest)}]\n"
        f"Or give some speeds, and the others follow: --qd0 {m.speed_names[0]}={qd[0]:.3g}"
    )
    return q if moved else q0, nearest


def _example(m: Mechanism, q: np.ndarray) -> str:
    """One coordinate by name, as the option takes it."""
    from lagrangian.motion.assemble import single_coordinates

    slides = [s for j in m.joints for s in j.slides]
    for name, (iq, iv) in single_coordinates(m).items():
        return f"--q0 {name}={q[iq]:.3g}" if slides[iv] else f"--q0 {name}={math.degrees(q[iq]):.0f}deg"
    return "--q0 NAME=VALUE"
