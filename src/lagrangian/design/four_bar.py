"""Planar four-bar linkages: their lengths, and their kind by Grashof's rule (1883) with the names of Barker (1985)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lagrangian.configuration.poses import body_poses
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import GROUND

EQUALITY_TOLERANCE = 1e-9  # of the longest link: sums that differ by less are equal


@dataclass(frozen=True)
class FourBar:
    """A planar four-bar linkage: the lengths of its links, and its kind by Grashof's rule.

    Parameters
    ----------
    ground, input, coupler, output : float
        The distances between the axes of the links, in m.

    See Also
    --------
    analyse_cycle : Its attribute `four_bar` is the four-bar of a mechanism.

    Notes
    -----
    The rule is due to Grashof (1883); the names of the kinds are those of Barker (1985).

    Examples
    --------
    >>> import lagrangian as lg
    >>> linkage = lg.FourBar(ground=0.4, input=0.1, coupler=0.35, output=0.3)
    >>> linkage.kind, linkage.input_turns
    ('crank-rocker', True)
    >>> print(linkage)
    four-bar, crank-rocker: ground 0.4, input 0.1, coupler 0.35, output 0.3 m; shortest and longest link are together 0.15 m
    shorter than the other two: the input turns fully
    """

    ground: float
    input: float
    coupler: float
    output: float

    @property
    def margin(self) -> float:
        """The length in m by which the shortest and the longest link together are shorter than the other two."""
        a, b, c, d = sorted((self.ground, self.input, self.coupler, self.output))
        return (b + c) - (a + d)

    @property
    def grashof(self) -> bool:
        """Whether a link turns fully: the shortest and the longest link together are not longer than the other two."""
        return self.margin > -EQUALITY_TOLERANCE * max(self.ground, self.input, self.coupler, self.output)

    @property
    def kind(self) -> str:
        """The kind of linkage: "crank-rocker", "double-crank", "double-rocker", "rocker-crank", "triple-rocker", and so on.

        The motion of the input comes first. A linkage that can fold flat is a "change-point linkage"; one with a link without
        length is "degenerate".
        """
        lengths = {
            "double-crank": self.ground,
            "crank-rocker": self.input,
            "double-rocker": self.coupler,
            "rocker-crank": self.output,
        }
        longest = max(lengths.values())
        if min(lengths.values()) <= EQUALITY_TOLERANCE * longest:
            return "degenerate"
        if abs(self.margin) <= EQUALITY_TOLERANCE * longest:
            return "change-point linkage"
        return min(lengths, key=lambda name: lengths[name]) if self.grashof else "triple-rocker"

    @property
    def input_turns(self) -> bool:
        """Whether the input can turn fully. This holds as well if the linkage can fold flat."""
        lengths = sorted((self.ground, self.input, self.coupler, self.output))
        short = lengths[0] + EQUALITY_TOLERANCE * lengths[-1]
        return self.grashof and min(self.ground, self.input) <= short

    def __str__(self) -> str:
        sides = f"ground {self.ground:.6g}, input {self.input:.6g}, coupler {self.coupler:.6g}, output {self.output:.6g} m"
        if self.kind == "degenerate":
            longest = max(self.ground, self.input, self.coupler, self.output)
            lengthless = [x for x in ("ground", "input", "coupler", "output") if getattr(self, x) <= EQUALITY_TOLERANCE * longest]
            return f"degenerate four-bar: {sides}; the {' and the '.join(lengthless)} has no length, so two joints share one axis"
        if abs(self.margin) <= EQUALITY_TOLERANCE * max(self.ground, self.input, self.coupler, self.output):
            rule = "its shortest and longest link are together as long as the other two, so it can fold flat"
        else:
            comparison = "shorter" if self.margin > 0 else "longer"
            turning_link = "the input turns" if self.input_turns else "a link turns" if self.grashof else "no link turns"
            exception = ", but not the input" if self.grashof and not self.input_turns else ""
            rule = (
                f"shortest and longest link are together {abs(self.margin):.4g} m {comparison} than the other two: "
                f"{turning_link} fully{exception}"
            )
        return f"four-bar, {self.kind}: {sides}; {rule}"


def find_four_bar(dyn: Dynamics, q: np.ndarray, input_name: str) -> FourBar | None:
    """The lengths of a planar four-bar that is driven at the ground, from rows of configurations; None for other mechanisms."""
    model = dyn.mechanism
    moving = [j for j in model.joints if j.kind.nv]
    if len(moving) != 3 or dyn.nv != 3 or len(model.loops) != 1 or model.constraints or any(j.slides[0] for j in moving):
        return None
    poses, loop = body_poses(model, q), model.loops[0]
    axes = []
    for k, joint in enumerate(moving):
        twist = np.asarray(dyn.jacobian(q, joint.child))[:, :, k]
        if np.abs((twist[:, :3] * twist[:, 3:]).sum(axis=1)).max() > 1e-9:  # the joint advances while it turns
            return None
        axes.append(twist[:, :3])
    pins = [
        (poses[body] @ placement.matrix())[:, :3, 3]
        for body, placement in ((loop.a, loop.a_placement), (loop.b, loop.b_placement))
    ]
    axis = axes[0][0]
    pin_distance = np.cross(axis, pins[0] - pins[1])
    if np.abs(np.cross(axis, np.array(axes))).max() > 1e-9 or np.abs(pin_distance).max() > 1e-9:
        return None
    pin_positions = {j.name: (poses[j.parent][0] @ j.placement.matrix())[:3, 3] for j in moving} | {"": pins[0][0]}
    ends = {j.name: (j.parent, j.child) for j in moving} | {"": (loop.a, loop.b)}
    return _lengths_around_loop(pin_positions, ends, axis, input_name, _rigid_groups(dyn))


def _rigid_groups(dyn: Dynamics) -> dict[str, str]:
    """The body that stands for each body and for all that fixed joints join to it, by name."""
    groups = {GROUND: GROUND}
    for joint in dyn.mechanism.outward_joints():
        groups[joint.child] = joint.child if joint.kind.nv else groups[joint.parent]
    return groups


def _lengths_around_loop(
    pin_positions: dict[str, np.ndarray],
    ends: dict[str, tuple[str, str]],
    axis: np.ndarray,
    input_name: str,
    groups: dict[str, str],
) -> FourBar | None:
    """The lengths in order around the loop, from the ground through the input; None if the loop is no four-bar."""
    links: dict[str, list[str]] = {}
    for pin, bodies in ends.items():
        for body in bodies:
            links.setdefault(groups[body], []).append(pin)
    if len(links) != 4 or any(len(pins) != 2 for pins in links.values()) or input_name not in links.get(GROUND, ()):
        return None
    lengths, link, pin = [], GROUND, input_name
    last_pin = next(p for p in links[GROUND] if p != input_name)
    for _ in range(3):
        link = next(b for b in links if pin in links[b] and b != link)
        next_pin = next(p for p in links[link] if p != pin)
        lengths.append(_distance_across(pin_positions[pin], pin_positions[next_pin], axis))
        pin = next_pin
    return (
        FourBar(_distance_across(pin_positions[input_name], pin_positions[last_pin], axis), *lengths) if pin == last_pin else None
    )


def _distance_across(a: np.ndarray, b: np.ndarray, axis: np.ndarray) -> float:
    d = b - a
    return float(np.linalg.norm(d - (d @ axis) * axis))
