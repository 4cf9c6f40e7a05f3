"""Linkages with known closed forms."""

from __future__ import annotations

import lagrangian as lg

_BODY = """
[[body]]
name = "{name}"
mass = {mass}
center = ["{length}/2", 0, 0]
inertia = [0, 0.01, 0.01]
"""
_JOINT = """
[[joint]]
name = "{name}"
type = "{kind}"
parent = "{parent}"
child = "{child}"
axis = "{axis}"
xyz = {at}
actuated = {driven}
"""
_LOOP = """
[[loop]]
name = "{name}"
type = "point"
a = "{a}"
b = "{b}"
a_xyz = {at_a}
b_xyz = {at_b}
directions = ["x", "y"]
"""


def body(name: str, length: float = 0.0, mass: float = 1.0) -> str:
    return _BODY.format(name=name, length=length, mass=mass)


def joint(
    name: str, parent: str, child: str, at: tuple[float, float, float] = (0, 0, 0), kind: str = "revolute", axis: str = "z",
    driven: bool = False,
) -> str:  # fmt: skip
    return _JOINT.format(
        name=name, parent=parent, child=child, at=list(at), kind=kind, axis=axis, driven="true" if driven else "false"
    )


def loop(name: str, a: str, at_a: tuple[float, ...], b: str, at_b: tuple[float, ...]) -> str:
    return _LOOP.format(name=name, a=a, b=b, at_a=list(at_a), at_b=list(at_b))


def frame(name: str, on: str, at: tuple[float, ...]) -> str:
    return f'\n[[frame]]\nname = "{name}"\nbody = "{on}"\nxyz = {list(at)}\n'


def four_bar(ground: float, crank: float, coupler: float, rocker: float, point: tuple[float, float] = (0.0, 0.0)) -> lg.Mechanism:
    """Crank at the origin, rocker at (ground, 0); the frame P is a point of the coupler."""
    text = "name = 'bars'\ngravity = [0, -9.81, 0]\n"
    text += body("crank", crank) + body("coupler", coupler) + body("rocker", rocker)
    text += joint("a", "ground", "crank", driven=True) + joint("b", "crank", "coupler", (crank, 0, 0))
    text += joint("d", "ground", "rocker", (ground, 0, 0))
    text += loop("c", "coupler", (coupler, 0, 0), "rocker", (rocker, 0, 0)) + frame("P", "coupler", (*point, 0))
    return lg.loads(text)


def offset_slider_crank(r: float, l: float, e: float) -> lg.Mechanism:
    """The slider moves along x at the height e."""
    text = "name = 'offset'\ngravity = [0, 0, 0]\n" + body("crank", r) + body("rod", l) + body("slider")
    text += joint("theta", "ground", "crank", driven=True) + joint("phi", "crank", "rod", (r, 0, 0))
    text += joint("x", "ground", "slider", (0, e, 0), "prismatic", "x") + loop("pin", "rod", (l, 0, 0), "slider", (0, 0, 0))
    return lg.loads(text)


def scissor(length: float) -> lg.Mechanism:
    """Two bars pinned at their middles, one on a pivot, the other on a slider along x."""
    text = "name = 'scissor'\ngravity = [0, 0, 0]\n" + body("bar1", length) + body("slider") + body("bar2", length)
    text += joint("theta", "ground", "bar1") + joint("x", "ground", "slider", (0, 0, 0), "prismatic", "x", driven=True)
    text += joint("phi", "slider", "bar2")
    text += loop("middle", "bar1", (length / 2, 0, 0), "bar2", (length / 2, 0, 0)) + frame("top", "bar2", (length, 0, 0))
    return lg.loads(text)


def five_bar(ground: float, near: float, far: float) -> lg.Mechanism:
    """Two driven arms at (0, 0) and (ground, 0), each with a near and a far link, whose far links meet at P."""
    text = "name = 'five'\ngravity = [0, 0, 0]\n"
    for k, x in (("1", 0.0), ("2", ground)):
        text += body(f"near{k}", near) + body(f"far{k}", far)
        text += joint(f"q{k}", "ground", f"near{k}", (x, 0, 0), driven=True) + joint(f"p{k}", f"near{k}", f"far{k}", (near, 0, 0))
    return lg.loads(text + loop("tip", "far1", (far, 0, 0), "far2", (far, 0, 0)) + frame("P", "far1", (far, 0, 0)))


def pan_tilt_arm(upper: float, fore: float) -> lg.Mechanism:
    """A turret about z, and two links that turn about y."""
    text = "name = 'turret arm'\n" + body("turret") + body("upper", upper) + body("fore", fore)
    text += joint("yaw", "ground", "turret", driven=True)
    text += joint("shoulder", "turret", "upper", axis="y", driven=True)
    text += joint("elbow", "upper", "fore", (upper, 0, 0), axis="y", driven=True)
    return lg.loads(text + frame("tip", "fore", (fore, 0, 0)) + frame("wrist", "upper", (upper, 0, 0)))
