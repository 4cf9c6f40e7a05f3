"""What of a motion can be plotted: panels of curves of one unit each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, one_of
from lagrangian.kernels.dynamics import compile as compiled
from lagrangian.model.constraint import KnifeEdge, Rolling
from lagrangian.motion.motion import Motion
from lagrangian.motion.result.over_limits import limits
from lagrangian.pictures.chosen import ANGLE, DEGREES, ORIENTATION, POSITION, SLIDE, UNKNOWN, Chosen, Like, Panel
from lagrangian.pictures.style import SEVERAL

# what work is done by, as it is called
WORKS = {
    "torque": "work of torques",
    "friction": "work of friction",
    "wrenches": "work of wrenches",
    "constraints": "work of constraints",
    "impacts": "work in impacts",
    "payloads": "added by payloads",
    "parameters": "added by parameters",
}
STEEP = 100  # how often the median of a force its peak is, above which a linear axis shows the peak alone
ROUNDING = 1e-12  # of the largest


def _coordinates(chosen: Chosen) -> Iterable[Panel]:
    like: Like = {
        ANGLE: ("angle", "deg", DEGREES),
        SLIDE: ("displacement", "m", 1.0),
        ORIENTATION: ("quaternion", "1", 1.0),
        POSITION: ("position", "m", 1.0),
        UNKNOWN: ("coordinate", "rad or m", 1.0),
    }
    m = chosen.motion
    return chosen.over("coordinates", m.coordinate_names, m.q, chosen.kinds_q, chosen.q, like, limits(m, "position"))


def _of_speeds(what: str, attribute: str, like: Like, limited: str = "") -> Callable[[Chosen], Iterable[Panel]]:
    def panels(chosen: Chosen) -> Iterable[Panel]:
        m = chosen.motion
        allowed = limits(m, limited) if limited else None
        for panel in chosen.over(what, m.speed_names, getattr(m, attribute), chosen.kinds_v, chosen.v, like, allowed):
            # joints without a motor have no torque, and need no curve
            yield panel.without_zeros() if attribute in ("tau", "friction") and not panel.empty else panel

    return panels


def multiplier_units(motion: Motion) -> list[str]:
    """Of the multiplier of every constraint equation; those of expressions do not tell theirs."""
    units: dict[str, str] = {}
    m = motion.mechanism
    for loop in m.loops if m is not None else ():
        units |= {f"{loop.name}.{d}": "N" for d in ("x", "y", "z", "length")}
        units |= {f"{loop.name}.{d}": "N m" for d in ("xz", "yz", "xy", "axes")}
    for constraint in m.constraints if m is not None else ():
        if isinstance(constraint, (KnifeEdge, Rolling)):
            units |= {name: "N" for name in motion.constraint_names if whole(motion, name)[0] == constraint.name}
    return [units.get(name, "N or N m") for name in motion.constraint_names]


def whole(motion: Motion, equation: str) -> tuple[str, str]:
    """The constraint or loop an equation is of, and which of its equations it is; names may have dots of their own."""
    m = motion.mechanism
    known = {x.name for x in (*m.loops, *m.constraints)} if m is not None else set()
    name, dot, part = equation.rpartition(".")
    return (equation, "") if equation in known or not dot or (known and name not in known) else (name, part)


def _multipliers(chosen: Chosen) -> Iterable[Panel]:
    m = chosen.motion
    if not m.constraint_names:
        raise ArgumentError(f"{m.name} has no constraints and therefore no multipliers to plot")
    units, values = multiplier_units(m), chosen.rounding.without(m.multipliers, "multipliers")
    labels = {"N": "constraint force λ", "N m": "constraint moment λ", "N or N m": "multiplier λ"}
    for unit in dict.fromkeys(units):
        at = [k for k, x in enumerate(units) if x == unit]
        names = tuple(m.constraint_names[k] for k in at)
        groups, parts = zip(*(whole(m, name) for name in names), strict=True)
        yield _of_forces(chosen, Panel("multipliers", labels[unit], unit, names, values[:, at], groups, parts))


def _of_forces(chosen: Chosen, panel: Panel) -> Panel:
    """A panel of forces on an axis that shows small and large ones: they may grow by orders of magnitude, as at a lock."""
    if chosen.scale == "log" and not panel.empty:
        size = np.abs(panel.values)
        # what is zero but for rounding would take all of the axis
        size = np.where(size > ROUNDING * np.nanmax(size), size, 0.0)
        return replace(panel, label=panel.label.replace("λ", "|λ|"), values=size, scale="log")
    if chosen.scale == "linear" or panel.empty:
        return panel
    size = np.abs(panel.values).max(axis=1)
    size = size[np.isfinite(size)]
    steep = bool(size.size) and size.max() > STEEP * np.median(size) > 0
    return replace(panel, scale="symlog") if steep else panel


def _reactions(chosen: Chosen) -> Iterable[Panel]:
    m = chosen.motion
    wrenches = m.reactions
    assert m.mechanism is not None
    at = [k for k, j in enumerate(m.mechanism.joints) if chosen.joints is None or j.name in chosen.joints]
    names = tuple(m.mechanism.joints[k].name for k in at)
    for label, unit, part in (("reaction, |moment|", "N m", slice(0, 3)), ("reaction, |force|", "N", slice(3, 6))):
        size = chosen.rounding.without(np.linalg.norm(wrenches[:, at, part], axis=2), "reactions")
        yield _of_forces(chosen, Panel("reactions", label, unit, names, size))


def _positions(chosen: Chosen) -> Iterable[Panel]:
    """x, y and z of frames in the world; what stays zero is left out."""
    m = chosen.motion
    places = {name: origins(m, name) for name in frames_of(m, chosen.frames)}
    names = tuple(f"{name}.{axis}" for name in places for axis in "xyz")
    groups, parts = zip(*((name, axis) for name in places for axis in "xyz"), strict=True)
    values = chosen.rounding.without(np.hstack(list(places.values())), "positions")
    panel = Panel("positions", "position", "m", names, values, groups, parts)
    yield panel if panel.empty else panel.without_zeros()


def frames_of(motion: Motion, given: Sequence[str]) -> list[str]:
    """The frames or bodies named; else the mechanism's own frames, or its last body."""
    m = motion.model("positions of frames need")
    known = [*(f.name for f in m.frames), *(b.name for b in m.bodies)]
    for name in given:
        if name not in known:
            raise ArgumentError(one_of("frame or body", name, known), concerns="frames")
    if not m.bodies:
        raise ArgumentError(f"{motion.name} has no moving bodies")
    return list(dict.fromkeys(given)) or [f.name for f in m.frames][:SEVERAL] or [m.bodies[-1].name]


def origins(motion: Motion, name: str) -> np.ndarray:
    """The positions of a frame in the world, by rows."""
    dyn = motion.trajectory.dyn if motion.trajectory is not None else compiled(motion.model("positions of frames need"))
    return np.asarray(dyn.pose(motion.q, name))[:, :3, 3]


def _energy(chosen: Chosen) -> Iterable[Panel]:
    """Potential energy is counted from the lowest of the run: where its zero is says nothing, and would dwarf the rest."""
    m, rounding = chosen.motion, chosen.rounding
    kinetic = rounding.without(m.kinetic_energy, "energy")
    curves = {"kinetic": kinetic}
    potential = rounding.without(m.potential_energy - m.potential_energy.min(), "potential")
    if np.any(potential):
        curves |= {"potential − min": potential, "total": kinetic + potential}
    for source, done in m.work.items():
        total = rounding.without(np.asarray(done).reshape(len(m.t), -1).sum(axis=1), "energy")
        if np.abs(total).max() > 1e-9 * m.energy_scale:
            curves[WORKS.get(source, f"work of {source}")] = total
    yield Panel("energy", "energy", "J", tuple(curves), np.column_stack(list(curves.values())))


def _balance(chosen: Chosen) -> Iterable[Panel]:
    balance = chosen.rounding.without(chosen.motion.balance, "balance")
    yield Panel("balance", "energy balance", "J", ("balance",), balance[:, None])


def _drift(chosen: Chosen) -> Iterable[Panel]:
    m = chosen.motion
    if not m.constraint_names:
        raise ArgumentError(f"{m.name} has no constraints and therefore no drift to plot")
    names = ("constraints [m or 1]", "their rates [m/s or 1/s]")
    both = Panel("drift", "drift", "SI", names, np.column_stack([m.drift, m.rate_drift]), scale="log")
    yield both if both.empty else both.without_zeros()


_FORCES: Like = {
    **dict.fromkeys((ANGLE, ORIENTATION), ("torque", "N m", 1.0)),
    **dict.fromkeys((SLIDE, POSITION), ("force", "N", 1.0)),
    UNKNOWN: ("joint force", "N m or N", 1.0),
}
_SPEEDS: Like = {
    ANGLE: ("angular speed", "deg/s", DEGREES),
    SLIDE: ("speed", "m/s", 1.0),
    ORIENTATION: ("angular velocity", "deg/s", DEGREES),
    POSITION: ("velocity", "m/s", 1.0),
    UNKNOWN: ("speed", "rad/s or m/s", 1.0),
}
_ACCELERATIONS: Like = {
    **dict.fromkeys((ANGLE, ORIENTATION), ("angular acceleration", "deg/s²", DEGREES)),
    **dict.fromkeys((SLIDE, POSITION), ("acceleration", "m/s²", 1.0)),
    UNKNOWN: ("acceleration", "rad/s² or m/s²", 1.0),
}
WHAT: dict[str, Callable[[Chosen], Iterable[Panel]]] = {
    "coordinates": _coordinates,
    "speeds": _of_speeds("speeds", "qd", _SPEEDS, "speed"),
    "accelerations": _of_speeds("accelerations", "qdd", _ACCELERATIONS),
    "torques": _of_speeds("torques", "tau", _FORCES, "effort"),
    "friction": _of_speeds("friction", "friction", {k: ("friction", unit, x) for k, (_, unit, x) in _FORCES.items()}),
    "multipliers": _multipliers,
    "reactions": _reactions,
    "positions": _positions,
    "energy": _energy,
    "balance": _balance,
    "drift": _drift,
}
ON_DEMAND = ("accelerations", "reactions", "positions")
OF_CONSTRAINTS = ("multipliers", "drift")


def panels(motion: Motion, what: Sequence[str] = (), joints: str | Iterable[str] | None = None, **how: Any) -> list[Panel]:
    """Those that are named, or all that have something to show. `how` are frames, angles and scale of `Chosen`."""
    if not len(motion.t):
        raise ArgumentError(f"{motion.name}: the motion has no rows to plot")
    what, of = _named(motion, what)
    chosen = Chosen(motion, joints, **how)
    chosen.frames += of
    if chosen.frames and "positions" not in what:
        what = (*what, "positions")
    if what:
        # of forces and torques, those that are all zero are left out where the others are not
        named = [list(WHAT[name](chosen)) for name in dict.fromkeys(what)]
        found = [panel for some in named for panel in [p for p in some if not p.empty] or some]
    else:
        names = [n for n in WHAT if n not in ON_DEMAND and (motion.constraint_names or n not in OF_CONSTRAINTS)]
        by_name = {name: [p for p in WHAT[name](chosen) if not p.empty or name == "coordinates"] for name in names}
        # a coordinate and its rate stand side by side
        found = _paired(by_name.pop("coordinates"), by_name.pop("speeds")) + [p for ps in by_name.values() for p in ps]
    if not found:
        raise ArgumentError(
            f"{motion.name} has no {' or '.join(what) or 'coordinates'} to plot{' of these joints' if joints else ''}"
        )
    return [replace(panel, t=motion.t) for panel in found]


def _named(motion: Motion, what: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Quantities, and the names among them of frames or bodies, whose positions are plotted."""
    m = motion.mechanism
    frames = dict.fromkeys([*(f.name for f in m.frames), *(b.name for b in m.bodies)] if m is not None else ())
    for name in what:
        if not isinstance(name, str) or (name not in WHAT and name not in frames):
            raise ArgumentError(one_of("quantity or frame to plot called", name, (*WHAT, *frames)), concerns="what")
    of = [name for name in what if name not in WHAT]
    return tuple(dict.fromkeys("positions" if name in of else name for name in what)), of


def _paired(coordinates: list[Panel], speeds: list[Panel]) -> list[Panel]:
    """Each with its rates, where they are shown; what is without a partner last."""
    partner = {"angle": "angular speed", "displacement": "speed", "quaternion": "angular velocity", "position": "velocity"}
    left = {p.label: p for p in speeds}
    pairs, single = [], []
    for panel in coordinates:
        other = left.pop(partner.get(panel.label, "speed"), None)
        pairs += [panel, other] if other is not None else []
        single += [] if other is not None else [panel]
    return [*pairs, *single, *left.values()]
