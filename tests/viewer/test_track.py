"""Where a scene's frames are: against the compiled kinematics."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.model.rotation import quaternion
from lagrangian.viewer.scene.poses import all_poses, drawn_configuration, frame_names
from lagrangian.viewer.scene.track import motion_track, still_track
from tests.mechanisms import random_mechanism, state

TYPES = ["revolute", "prismatic", "helical", "universal", "ball", "planar", "free", "fixed", "continuous"]


@pytest.mark.parametrize("seed", [1, 2])
def test_poses_are_those_of_the_kernels(seed: int) -> None:
    mechanism = random_mechanism(TYPES, seed)
    mechanism = mechanism.replace(
        frames=(lg.Frame("tip", mechanism.bodies[3].name, lg.Transform.from_rpy((1, 2, 3), (0.1, 0.2, 0.3))),)
    )
    dyn = lg.compile(mechanism)
    q = np.stack([state(mechanism, k)[0] for k in range(3)])
    actual = all_poses(mechanism, q)
    for k, name in enumerate(frame_names(mechanism)):
        np.testing.assert_allclose(actual[:, k], dyn.pose(q, name), atol=1e-12)


def test_a_track_follows_the_motion() -> None:
    motion = lg.simulate(lg.library("four_bar"))
    seen = motion_track(motion, rows=40, trace="coupler")
    assert seen.scene.frames[seen.traces[0]] == "coupler"
    assert len(seen.t) == 40
    assert (seen.t[0], seen.t[-1]) == (motion.first, motion.last)
    dyn = lg.compile(lg.library("four_bar"))
    q, _ = motion(seen.t)
    for k, name in enumerate(seen.scene.frames):
        T = dyn.pose(q, name)
        np.testing.assert_allclose(seen.positions[:, k], T[:, :3, 3], atol=1e-12)
        np.testing.assert_allclose(quaternion.matrix(seen.quaternions[:, k]), T[:, :3, :3], atol=1e-12)


def test_quaternions_keep_their_sign() -> None:
    """A link that turns round several times passes where w changes its sign."""
    spin = lg.Mechanism(
        "spin", [lg.Body("a", 1, (0.5, 0, 0), (0, 1, 1))], [lg.Joint("q", "revolute", "ground", "a")], gravity=(0, 0, 0)
    )
    seen = motion_track(lg.simulate(spin, q0=[0], qd0=[6.0], t_span=(0, 5)))
    assert seen.quaternions[:, 1, 0].min() < -0.99
    assert np.abs(np.diff(seen.quaternions, axis=0)).max() < 0.2


def test_rows_are_thirty_a_second_within_bounds() -> None:
    m = lg.library("pendulum")
    assert len(motion_track(lg.simulate(m, t_span=(0, 10)), forces=False).t) == 301
    assert len(motion_track(lg.simulate(m, t_span=(0, 0.1)), forces=False).t) == 61
    assert len(motion_track(lg.simulate(m, t_span=(0, 60)), forces=False).t) == 601


def changed_copy(motion: lg.Motion, **rows: np.ndarray) -> lg.Motion:
    """A copy, as if read from a file, with other rows."""
    altered = copy.copy(motion)
    altered.__dict__.update(rows)
    return altered


def test_rows_that_are_not_finite_are_left_out() -> None:
    """A run that broke down is drawn as far as it goes, with its forces."""
    motion = lg.simulate(lg.library("four_bar"), 1.0).resample(41)
    half = {name: getattr(motion, name).copy() for name in ("q", "qd", "qdd", "multipliers", "tau")}
    for rows in half.values():
        rows[21:] = np.nan
    seen = motion_track(changed_copy(motion, **half))
    assert 25 < len(seen.t) < 61
    assert 0.45 < seen.t[-1] <= 0.5
    assert np.isfinite(seen.positions).all()
    assert {a.group for a in seen.arrows} >= {"torques", "constraints"}
    for arrow in seen.arrows:
        assert np.isfinite(arrow.vectors).all()
        assert np.isfinite(arrow.scale)
    with pytest.raises(lg.ArgumentError, match="no row of the motion is finite"):
        motion_track(changed_copy(motion, q=np.full_like(motion.q, np.nan)))


def test_a_still_takes_numbers_a_pose_or_the_start() -> None:
    m = lg.library("two_r")
    tip = m.frames[0].name
    for q, at in (([0, 0], (2, 0, 0)), ("upright", (0, 2, 0)), ({"theta1": 0.0, "theta2": np.pi / 2}, (1, 1, 0))):
        seen = still_track(m, q)
        np.testing.assert_allclose(seen.positions[0, seen.scene.frames.index(tip)], at, atol=1e-12)
    np.testing.assert_allclose(drawn_configuration(m), m.initial.q)


def test_a_still_closes_its_loops() -> None:
    m = lg.library("four_bar").replace(initial=lg.InitialState(), poses={"rough": (1.5, -1.2, 1.9)})
    q = drawn_configuration(m)
    assert np.abs(lg.compile(m).closure(q)).max() < 1e-9
    assert not np.allclose(q, m.poses["rough"])


def test_loops_that_cannot_close_are_drawn_open_with_a_warning() -> None:
    m = lg.library("four_bar")
    (loop,) = m.loops
    m = m.replace(loops=(replace(loop, b_placement=lg.Transform(position=(5, 0, 0))),))
    with pytest.warns(lg.MechanismWarning, match="open loops"):
        seen = still_track(m)
    assert np.isfinite(seen.positions).all()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda m: still_track(m, "upwright"), "Did you mean 'upright'"),
        (lambda m: still_track(m, [0, 0, 0]), "2 finite numbers"),
        (lambda m: still_track(m, [0, np.nan]), "2 finite numbers"),
        (lambda m: still_track(m, {"theta9": 1}), "there is no coordinate"),
        (lambda m: motion_track(lg.simulate(m, t_span=(0, 0.1)), trace="tipp"), "Did you mean 'tip'"),
        (lambda m: motion_track(lg.simulate(m, t_span=(0, 0.1)), rows=0), "at least 1"),
    ],
)
def test_bad_arguments_are_reported(call: object, says: str) -> None:
    with pytest.raises(lg.ArgumentError, match=says):
        call(lg.library("two_r"))  # type: ignore[operator]
