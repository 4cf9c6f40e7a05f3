"""What of a motion can be plotted: panels of curves of one unit each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lagrangian.errors import ArgumentError, one_of
from lagrangian.model.constraint import KnifeEdge, Rolling
from lagrangian.model.joint import Joint
from lagrangian.motion.motion import Motion

DEGREES = 180 / np.pi
# of joints' coordinates and speeds; those of a body that flies, or slides on a plane, stand apart from those of hinges and slides
ANGLE, SLIDE, ORIENTATION, POSITION, UNKNOWN = "angle", "slide", "orientation", "position", "unknown"
# what work is done by, as it is called
WORKS = {
    "torque": "work of torques",
    "friction": "work of friction",
    "wrenches": "work of wrenches",
    "constraints": "work of constraints",
    "impacts": "lost in impacts",
}
Like = dict[str, tuple[str, str, float]]  # label, unit and factor by kind


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves over time that share an axis. `groups` says which of them belong together, `parts` what they are there."""

    what: str
    label: str
    unit: str
    names: tuple[str, ...]
    values: np.ndarray  # (rows, curves), in the unit
    groups: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    log: bool = False
    of_joints: bool = False  # its curves are named as coordinates or speeds

    @property
    def empty(self) -> bool:
        return not self.names or not np.any(self.values)

    def without_zeros(self) -> Panel:
        """The curves that are not zero throughout."""
        kept = [k for k in range(len(self.names)) if np.any(self.values[:, k])]
        groups, parts = (tuple(x[k] for k in kept) if x else () for x in (self.groups, self.parts))
        return Panel(
            self.what, self.label, self.unit, tuple(self.names[k] for k in kept), self.values[:, kept], groups, parts, self.log,
            self.of_joints,
        )  # fmt: skip


class Chosen:
    """Coordinates and speeds, all or those of some joints, with the kind of each."""

    def __init__(self, motion: Motion, joints: str | Iterable[str] | None = None) -> None:
        self.motion = motion
        self.kinds_q, self.kinds_v = kinds(motion)
        self.q = list(range(len(motion.coordinate_names)))
        self.v = list(range(len(motion.speed_names)))
        self.joints = None
        if joints is not None:
            names = [joints] if isinstance(joints, str) else list(joints)
            found = [self._named(name) for name in names]
            self.q = sorted({k for q, _, _ in found for k in q})
            self.v = sorted({k for _, v, _ in found for k in v})
            self.joints = {j for _, _, j in found}

    def _named(self, name: str) -> tuple[list[int], list[int], str]:
        """The coordinates and speeds of a joint, or those of the same place in it as the one that is named."""
        motion = self.motion
        for joint, q, v in spans(motion):
            if name == joint.name:
                return list(q), list(v), joint.name
            labels = (*joint.coordinate_names, *joint.speed_names)
            if name in labels:
                exact_q = [q[k] for k, x in enumerate(joint.coordinate_names) if x == name]
                exact_v = [v[k] for k, x in enumerate(joint.speed_names) if x == name]
                if len(q) == len(v):  # one place in the joint, whether its coordinate is named or its speed
                    place = (exact_q or exact_v)[0] - (q[0] if exact_q else v[0])
                    return [q[place]], [v[place]], joint.name
                return exact_q, exact_v, joint.name
        if motion.mechanism is None and name in (*motion.coordinate_names, *motion.speed_names):
            return (
                [k for k, x in enumerate(motion.coordinate_names) if x == name],
                [k for k, x in enumerate(motion.speed_names) if x == name],
                name,
            )
        known = dict.fromkeys([*(j.name for j, _, _ in spans(motion)), *motion.coordinate_names, *motion.speed_names])
        raise ArgumentError(one_of("joint or coordinate", name, known), concerns="joints")

    def over(
        self, what: str, names: Sequence[str], values: np.ndarray, kinds: Sequence[str], at: Sequence[int], like: Like
    ) -> Iterable[Panel]:
        """A panel for each kind, or for kinds that share a label."""
        for label in dict.fromkeys(like.values()):
            some = [k for k in at if like.get(kinds[k]) == label]
            if some:
                text, unit, factor = label
                yield Panel(what, text, unit, tuple(names[k] for k in some), factor * values[:, some], of_joints=True)


def spans(motion: Motion) -> list[tuple[Joint, range, range]]:
    """The joints that move, with where their coordinates and speeds are; none of a motion without its mechanism."""
    found, iq, iv = [], 0, 0
    for joint in motion.mechanism.joints if motion.mechanism is not None else ():
        nq, nv = joint.kind.nq, joint.kind.nv
        if nv:
            found.append((joint, range(iq, iq + nq), range(iv, iv + nv)))
        iq, iv = iq + nq, iv + nv
    return found


def kinds(motion: Motion) -> tuple[list[str], list[str]]:
    """Of every coordinate and every speed."""
    if motion.mechanism is None:
        return [UNKNOWN] * len(motion.coordinate_names), [UNKNOWN] * len(motion.speed_names)
    q: list[str] = []
    v: list[str] = []
    for joint, _, _ in spans(motion):
        kind = joint.kind
        length = SLIDE if kind.nv == 1 else POSITION
        q += [{"m": length, "rad": ANGLE, "": ORIENTATION}[unit] for unit in kind.units]
        v += [length if slides else ORIENTATION if kind.quaternion else ANGLE for slides in kind.slides]
    return q, v


def _coordinates(chosen: Chosen) -> Iterable[Panel]:
    like: Like = {
        ANGLE: ("angle", "deg", DEGREES),
        SLIDE: ("displacement", "m", 1.0),
        ORIENTATION: ("quaternion", "1", 1.0),
        POSITION: ("position", "m", 1.0),
        UNKNOWN: ("coordinate", "rad or m", 1.0),
    }
    m = chosen.motion
    return chosen.over("coordinates", m.coordinate_names, m.q, chosen.kinds_q, chosen.q, like)


def _of_speeds(what: str, attribute: str, like: Like) -> Callable[[Chosen], Iterable[Panel]]:
    def panels(chosen: Chosen) -> Iterable[Panel]:
        m = chosen.motion
        for panel in chosen.over(what, m.speed_names, getattr(m, attribute), chosen.kinds_v, chosen.v, like):
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
        raise ArgumentError(f"{m.name} has no constraints, and so no multipliers to plot")
    units = multiplier_units(m)
    labels = {"N": "constraint force λ", "N m": "constraint moment λ", "N or N m": "multiplier λ"}
    for unit in dict.fromkeys(units):
        at = [k for k, x in enumerate(units) if x == unit]
        names = tuple(m.constraint_names[k] for k in at)
        groups, parts = zip(*(whole(m, name) for name in names), strict=True)
        yield Panel("multipliers", labels[unit], unit, names, m.multipliers[:, at], groups, parts)


def _reactions(chosen: Chosen) -> Iterable[Panel]:
    m = chosen.motion
    wrenches = m.reactions
    assert m.mechanism is not None
    at = [k for k, j in enumerate(m.mechanism.joints) if chosen.joints is None or j.name in chosen.joints]
    names = tuple(m.mechanism.joints[k].name for k in at)
    for label, unit, part in (("reaction, |moment|", "N m", slice(0, 3)), ("reaction, |force|", "N", slice(3, 6))):
        yield Panel("reactions", label, unit, names, np.linalg.norm(wrenches[:, at, part], axis=2))


def _energy(chosen: Chosen) -> Iterable[Panel]:
    """Potential energy is counted from the lowest of the run: where its zero is says nothing, and would dwarf the rest."""
    m = chosen.motion
    curves = {"kinetic": m.kinetic_energy}
    potential = m.potential_energy - m.potential_energy.min()
    if np.any(potential):
        curves |= {"potential − min": potential, "total": m.kinetic_energy + potential}
    for source, done in m.work.items():
        total = np.asarray(done).reshape(len(m.t), -1).sum(axis=1)
        if np.abs(total).max() > 1e-9 * m.energy_scale:
            curves[WORKS.get(source, f"work of {source}")] = total
    yield Panel("energy", "energy", "J", tuple(curves), np.column_stack(list(curves.values())))


def _balance(chosen: Chosen) -> Iterable[Panel]:
    yield Panel("balance", "energy balance", "J", ("balance",), chosen.motion.balance[:, None])


def _drift(chosen: Chosen) -> Iterable[Panel]:
    m = chosen.motion
    if not m.constraint_names:
        raise ArgumentError(f"{m.name} has no constraints, and so no drift to plot")
    names = ("constraints [m or 1]", "their rates [m/s or 1/s]")
    both = Panel("drift", "drift", "SI", names, np.column_stack([m.drift, m.rate_drift]), log=True)
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
    "speeds": _of_speeds("speeds", "qd", _SPEEDS),
    "accelerations": _of_speeds("accelerations", "qdd", _ACCELERATIONS),
    "torques": _of_speeds("torques", "tau", _FORCES),
    "friction": _of_speeds("friction", "friction", {k: ("friction", unit, x) for k, (_, unit, x) in _FORCES.items()}),
    "multipliers": _multipliers,
    "reactions": _reactions,
    "energy": _energy,
    "balance": _balance,
    "drift": _drift,
}
ON_DEMAND = ("accelerations", "reactions")
OF_CONSTRAINTS = ("multipliers", "drift")


def panels(motion: Motion, what: Sequence[str] = (), joints: str | Iterable[str] | None = None) -> list[Panel]:
    """Those that are named, or all that have something to show."""
    if not len(motion.t):
        raise ArgumentError(f"{motion.name}: the motion has no rows to plot")
    for name in what:
        if name not in WHAT:
            raise ArgumentError(one_of("quantity to plot called", name, WHAT), concerns="what")
    chosen = Chosen(motion, joints)
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
    return found


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
