"""Forces as arrows: where they act and how large they are, by virtual work and by statics."""

from __future__ import annotations

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.viewer.arrows import arrows_of
from lagrangian.viewer.scene import Arrows
from lagrangian.viewer.shapes import scene
from lagrangian.viewer.track import track


def by_name(arrows: tuple[Arrows, ...]) -> dict[str, Arrows]:
    return {a.name: a for a in arrows}


@pytest.mark.parametrize("name", ["four_bar", "stewart", "bricard", "wire_particles", "three_rrr", "slider_crank"])
def test_loop_forces_do_the_work_of_the_constraints(name: str) -> None:
    """Psi^T lambda is what the arrows do, on body a at their point and the opposite on body b."""
    m = lg.library(name)
    motion = lg.simulate(m, t_span=(0, 0.3))
    motion = motion.resample(4)
    dyn = lg.compile(m)
    found = by_name(arrows_of(motion, motion.t, motion.q, scene(m)))
    total = np.zeros_like(motion.qd)
    none = np.zeros((len(motion.t), 3))
    for loop in m.loops:
        mine = {what: found.get(f"{what} of {loop.name}") for what in ("force", "moment")}
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
    seen = track(lg.simulate(m, q0=[-np.pi / 2], qd0=[0], t_span=(0, 0.2)))
    arrow = by_name(seen.arrows)["reaction of theta"]
    np.testing.assert_allclose(arrow.vectors, np.tile([0, weight, 0], (len(seen.t), 1)), atol=1e-9)
    np.testing.assert_allclose(arrow.points, 0, atol=1e-12)
    assert arrow.scale * weight == pytest.approx(0.4 * seen.scene.size)
    assert (arrow.group, arrow.unit) == ("reactions", "N")


def test_torques_are_along_their_axes() -> None:
    m = lg.library("puma560")
    motion = lg.simulate(m, torque={"q2": 10.0}, t_span=(0, 0.2))
    seen = track(motion)
    arrow = by_name(seen.arrows)["torque of q2"]
    dyn = lg.compile(m)
    J = dyn.jacobian(motion(seen.t)[0], "link2")
    np.testing.assert_allclose(arrow.vectors, 10 * J[:, :3, 1], atol=1e-9)
    assert [a.name for a in seen.arrows if a.group == "torques"] == ["torque of q2"]


def test_a_slides_force_is_in_newtons() -> None:
    m = lg.library("stewart")
    seen = track(lg.simulate(m, t_span=(0, 0.2)))
    leg = by_name(seen.arrows)["force of leg1"]
    assert leg.unit == "N"
    foot, ball = (seen.positions[:, seen.scene.frames.index(x)] for x in ("lower1", "upper1"))
    along = (ball - foot) / np.linalg.norm(ball - foot, axis=1, keepdims=True)
    np.testing.assert_allclose(np.cross(leg.vectors, along), 0, atol=1e-6 * np.abs(leg.vectors).max())


def test_wrenches_from_outside_act_at_their_frames() -> None:
    m = lg.library("two_r")
    seen = track(lg.simulate(m, wrenches={"tip": (0, 0, 0, 3, 4, 0)}, t_span=(0, 0.2)))
    arrow = by_name(seen.arrows)["force on tip"]
    np.testing.assert_allclose(arrow.vectors, np.tile([3, 4, 0], (len(seen.t), 1)))
    np.testing.assert_allclose(arrow.points, seen.positions[:, seen.scene.frames.index("tip")])
    assert arrow.group == "wrenches"


def test_no_arrow_is_longer_than_the_picture() -> None:
    """Where a linkage locks its forces grow without bound: the arrows stay in sight, and ordinary ones too."""
    seen = track(lg.simulate(lg.library("deployable_four_bar")))
    longest = max(float(np.linalg.norm(a.vectors, axis=1).max()) * a.scale for a in seen.arrows)
    assert longest <= 1.6 * seen.scene.size * (1 + 1e-9)
