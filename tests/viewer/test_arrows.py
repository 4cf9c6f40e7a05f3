"""Forces as arrows: where they act and how large they are, by virtual work and by statics."""

from __future__ import annotations

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.viewer.scene.force_arrows import force_arrows
from lagrangian.viewer.scene.scene import Arrows
from lagrangian.viewer.scene.scene_builder import mechanism_scene
from lagrangian.viewer.scene.track import motion_track
from tests.mechanisms import random_mechanism, state


def by_name(arrows: tuple[Arrows, ...]) -> dict[str, Arrows]:
    return {a.name: a for a in arrows}


@pytest.mark.parametrize("name", ["four_bar", "stewart", "bricard", "wire_particles", "three_rrr", "slider_crank"])
def test_loop_forces_do_the_work_of_the_constraints(name: str) -> None:
    """Psi^T lambda is what the arrows do, on body a at their point and the opposite on body b."""
    m = lg.library(name)
    motion = lg.simulate(m, t_span=(0, 0.3))
    motion = motion.resample(4)
    dyn = lg.compile(m)
    actual = by_name(force_arrows(motion, motion.t, motion.q, mechanism_scene(m)))
    total = np.zeros_like(motion.qd)
    none = np.zeros((len(motion.t), 3))
    for loop in m.loops:
        mine = {what: actual.get(f"{what} of {loop.name}") for what in ("force", "moment")}
        (point, *_) = (x.points for x in mine.values() if x is not None)
        force, moment = (none if x is None else x.vectors for x in mine.values())
        for body, sign in ((loop.a, 1), (loop.b, -1)):
            if body != "ground":
                about = moment + np.cross(point - dyn.pose(motion.q, body)[:, :3, 3], force)
                J = dyn.jacobian(motion.q, body)
                total += sign * np.einsum("sij,si->sj", J, np.concatenate([about, force], axis=1))
    np.testing.assert_allclose(total, motion.constraint_forces, atol=1e-8 * np.abs(motion.constraint_forces).max())


def test_a_hanging_pendulum_pulls_at_its_joint() -> None:
    m = lg.library("pendulum")
    weight = float(m.bodies[0].mass) * 9.81
    seen = motion_track(lg.simulate(m, q0=[-np.pi / 2], qd0=[0], t_span=(0, 0.2)))
    arrow = by_name(seen.arrows)["reaction of theta"]
    np.testing.assert_allclose(arrow.vectors, np.tile([0, weight, 0], (len(seen.t), 1)), atol=1e-9)
    np.testing.assert_allclose(arrow.points, 0, atol=1e-12)
    assert arrow.scale * weight == pytest.approx(0.4 * seen.scene.size)
    assert (arrow.group, arrow.unit) == ("reactions", "N")


def test_torques_are_along_their_axes() -> None:
    m = lg.library("puma560")
    motion = lg.simulate(m, torque={"q2": 10.0}, t_span=(0, 0.2))
    seen = motion_track(motion)
    arrow = by_name(seen.arrows)["torque of q2"]
    dyn = lg.compile(m)
    J = dyn.jacobian(motion(seen.t)[0], "link2")
    np.testing.assert_allclose(arrow.vectors, 10 * J[:, :3, 1], atol=1e-9)
    assert [a.name for a in seen.arrows if a.group == "torques"] == ["torque of q2"]


def test_a_slides_force_is_in_newtons() -> None:
    m = lg.library("stewart")
    seen = motion_track(lg.simulate(m, t_span=(0, 0.2)))
    leg = by_name(seen.arrows)["force of leg1"]
    assert leg.unit == "N"
    foot, ball = (seen.positions[:, seen.scene.frames.index(x)] for x in ("lower1", "upper1"))
    along = (ball - foot) / np.linalg.norm(ball - foot, axis=1, keepdims=True)
    np.testing.assert_allclose(np.cross(leg.vectors, along), 0, atol=1e-6 * np.abs(leg.vectors).max())


def test_wrenches_from_outside_act_at_their_frames() -> None:
    m = lg.library("two_r")
    seen = motion_track(lg.simulate(m, wrenches={"tip": (0, 0, 0, 3, 4, 0)}, t_span=(0, 0.2)))
    arrow = by_name(seen.arrows)["force on tip"]
    np.testing.assert_allclose(arrow.vectors, np.tile([3, 4, 0], (len(seen.t), 1)))
    np.testing.assert_allclose(arrow.points, seen.positions[:, seen.scene.frames.index("tip")])
    assert arrow.group == "wrenches"


def driven(types: list[str], seed: int) -> lg.Motion:
    """A chain of these joints with a torque along every speed, a wrench on its last body, and a spring to that."""
    m = random_mechanism(types, seed, chain=True)
    last = m.bodies[-1].name
    spring = lg.PointSpring("stay", "ground", last, (0.3, 0.1, 0.2), (0.1, 0.2, -0.1), stiffness=7.0, rest=0.4, damping=0.8)
    m = m.replace(springs=(spring,), frames=(lg.Frame("tip", last, lg.Transform(position=(0.1, -0.2, 0.3))),))
    q, qd, *_ = state(m, seed)
    torque = np.random.default_rng(seed).normal(size=m.nv)
    return lg.simulate(m, (0, 0.2), q, 0.3 * qd, torque=torque, wrenches={"tip": (0.3, -0.2, 0.1, 2.0, 1.0, -3.0)})


MOTIONS = {
    "free, universal": lambda: driven(["free", "universal"], 3),
    "ball, helical": lambda: driven(["ball", "helical"], 4),
    "planar": lambda: driven(["planar"], 5),
    "rolling": lambda: lg.simulate(lg.library("rolling_disc"), (0, 0.2)),
    "knife edge": lambda: lg.simulate(
        lg.Mechanism(
            "sleigh",
            [lg.Body("b", 2, (0.3, 0.1, 0.2), (0.1, 0.1, 0.2))],
            [lg.Joint("j", "planar", "ground", "b", axis=(0, 0, 1))],
            constraints=[lg.KnifeEdgeConstraint("blade", "b", (0, 1, 0), (-0.2, 0, 0.1))],
        ),
        (0, 0.2),
        qd0=(1.0, 0.4, 2.0),  # at the blade, along it
    ),
}


QUICK = ("knife edge", "free, universal")


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in MOTIONS])
def test_what_is_drawn_on_a_body_moves_it(name: str) -> None:
    """Newton and Euler: forces and moments of all arrows at a body, with its weight and springs, change its momentum."""
    motion = MOTIONS[name]()
    m, dyn = motion.mechanism, lg.compile(motion.mechanism)
    t, h = np.array([0.05, 0.1, 0.15]), 1e-3
    rows = motion.resample(t)
    actual = by_name(force_arrows(rows, rows.t, rows.q, mechanism_scene(m)))
    twists = {b.name: dyn.jacobian(rows.q, b.name) @ rows.qd[..., None] for b in m.bodies}
    poses = {"ground": np.tile(np.eye(4), (3, 1, 1)), **{b.name: dyn.pose(rows.q, b.name) for b in m.bodies}}
    acting: dict[str, list[tuple[np.ndarray, np.ndarray, np.ndarray]]] = {x: [] for x in poses}  # point, force, moment

    def act(what: str, of: str, on: str, against: str = "ground") -> None:
        for kind in (what, f"{what} moment") if what == "reaction" else (what, {"force": "moment", "torque": "force"}[what]):
            arrow = actual.get(f"{kind} {of}")
            if arrow is not None:
                pair = (arrow.vectors, 0 * arrow.vectors) if arrow.unit == "N" else (0 * arrow.vectors, arrow.vectors)
                acting[on].append((arrow.points, *pair))
                acting[against].append((arrow.points, -pair[0], -pair[1]))

    for joint in m.joints:
        act("torque" if joint.type == "free" else "reaction", f"of {joint.name}", joint.child, joint.parent)
    for loop in m.loops:
        act("force", f"of {loop.name}", loop.a, loop.b)
    for constraint in m.constraints:
        act("force", f"of {constraint.name}", constraint.body)
    for frame in motion.wrenches:
        act("force", f"on {frame}", m.frame(frame).body)
    for spring in m.springs:
        ends = [poses[x][:, :3, :3] @ np.array(at) for x, at in ((spring.a, spring.a_point), (spring.b, spring.b_point))]
        a, b = (poses[x][:, :3, 3] + r for x, r in zip((spring.a, spring.b), ends, strict=True))
        moved = twists[spring.b][..., 0]
        speed = moved[:, 3:] + np.cross(moved[:, :3], ends[1])
        length = np.linalg.norm(b - a, axis=1, keepdims=True)
        along = (b - a) / length
        pull = spring.stiffness * (length - spring.rest) + spring.damping * (speed * along).sum(axis=1, keepdims=True)
        acting[spring.b].append((b, -pull * along, 0 * along))

    for body in m.bodies:
        c = poses[body.name][:, :3, :3] @ np.array(body.center, dtype=float) + poses[body.name][:, :3, 3]
        force = sum((f for _, f, _ in acting[body.name]), np.tile(float(body.mass) * np.array(m.gravity, dtype=float), (3, 1)))
        moment = sum((n + np.cross(x - c, f) for x, f, n in acting[body.name]), np.zeros((3, 3)))
        before, after = (momentum(dyn, body, *motion(t + s)) for s in (-h, h))
        change = (after - before) / (2 * h)
        scale = max(float(np.abs(f).max()) for _, f, _ in acting[body.name])
        np.testing.assert_allclose(force, change[:, 3:], atol=2e-4 * scale)
        np.testing.assert_allclose(moment, change[:, :3], atol=2e-4 * scale)


def momentum(dyn: lg.Dynamics, body: lg.Body, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Angular, about the body's centre of mass, and linear; along the world's axes."""
    R = dyn.pose(q, body.name)[:, :3, :3]
    twist = (dyn.jacobian(q, body.name) @ qd[..., None])[..., 0]
    w = twist[:, :3]
    p = float(body.mass) * (twist[:, 3:] + np.cross(w, R @ np.array(body.center, dtype=float)))
    return np.concatenate([np.einsum("sij,jk,slk,sl->si", R, body.inertia_matrix, R, w), p], axis=1)


def test_no_arrow_is_longer_than_the_picture() -> None:
    """Where a linkage locks its forces grow without bound: the arrows stay in sight, and ordinary ones too."""
    seen = motion_track(lg.simulate(lg.library("deployable_four_bar")))
    longest = max(float(np.linalg.norm(a.vectors, axis=1).max()) * a.scale for a in seen.arrows)
    assert longest <= 1.6 * seen.scene.size * (1 + 1e-9)
