"""Mechanisms moved by hand: loops stay closed, the hand is followed, and where it cannot be, the mechanism stops."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.configuration.coordinates import integrate
from lagrangian.model.rotation import quaternion
from lagrangian.posing import handles
from lagrangian.posing.posture import Posture
from lagrangian.viewer.scene.poses import all_poses

CLOSED = 1e-9


def drag_along(posture: Posture, name: str, goal: float, steps: int = 12) -> Any:
    """As a hand does: from slider event to slider event; all is checked on the way."""
    k = posture.index[name]
    here = float(posture.values[k])
    standing = [posture.index[other] for other in posture.held_handle_names(name)]
    initial, result = posture.values[standing].copy(), None
    for value in np.linspace(here, goal, steps + 1)[1:]:
        result = posture.drag(name, float(value))
        assert posture.closure < CLOSED
        assert np.abs(posture.values[standing] - initial).max(initial=0.0) < 1e-9
        if not result.reached:
            assert abs(posture.values[k] - here) <= abs(value - here) + 1e-12
            assert name in result.message
            assert "stops at" in result.message
            break
        assert abs(posture.values[k] - value) < 1e-10
    return result


def apart(mechanism: Any, a: np.ndarray, b: np.ndarray) -> float:
    """How far bodies move, by the mechanism's size. Angles may change faster: a rod spins where its universal joint folds."""
    A, B = (all_poses(mechanism, q)[0, :, :3, 3] for q in (a, b))
    return float(np.linalg.norm(A - B, axis=1).max()) / max(1e-9, float(np.abs(A).max()))


CLOSED_CHAINS = ["four_bar", "slider_crank", "five_bar", "three_rrr", "delta", "stewart", "bricard", "parallelogram"]


def but_slow(*names: str) -> list[Any]:
    """All of them, of which some run with `-m slow`: the others show the same."""
    return [pytest.param(name, marks=pytest.mark.slow) if name in names else name for name in CLOSED_CHAINS]


@pytest.mark.parametrize("name", but_slow("delta", "three_rrr"))
def test_every_actuated_joint_goes_through_its_range_and_back(name: str) -> None:
    mechanism = lg.library(name)
    posture = Posture(mechanism)
    start = posture.q.copy()
    for handle in posture.handles:
        if not handle.actuated:
            continue
        k = posture.index[handle.name]
        home = float(posture.values[k])
        reach = math.pi if handle.angle else 0.5
        for goal in (home + reach, home - reach, home):
            straight = Posture(mechanism, posture.q)
            straight.drag(handle.name, goal)
            drag_along(posture, handle.name, goal)
            assert apart(mechanism, posture.q, straight.q) < 1e-3  # at once, or step by step: it is the same branch
        # the way back leads through the same configurations: it stayed on its branch, also where it stopped
        assert posture.values[k] == pytest.approx(home, abs=1e-12)
        # but for a whole turn
        assert np.abs(np.sin((posture.q - start) / 2)).max() < 1e-6, handle.name


@pytest.mark.parametrize("name", but_slow("delta", "stewart"))
def test_bodies_do_not_jump(name: str) -> None:
    """Where the hand makes a quarter of a step they make half of one at most, as near a dead point; a jump would stay."""
    farthest = []
    for steps in (60, 240):
        posture = Posture(lg.library(name))
        handle = next(h for h in posture.handles if h.actuated)
        home = float(posture.values[posture.index[handle.name]])
        moved = [0.0]
        for value in np.linspace(home, home + (math.pi if handle.angle else 0.5), steps + 1)[1:]:
            before = posture.q
            if not posture.drag(handle.name, float(value)).reached:
                break
            moved.append(apart(posture.mechanism, posture.q, before))
        farthest.append(max(moved))
    assert 0 < farthest[1] < 0.65 * farthest[0]


def test_four_bar_is_where_two_circles_meet() -> None:
    """Crank, coupler, rocker and ground of the library's linkage; the elbow stays on its side."""
    mechanism = lg.library("four_bar")
    posture, dyn = Posture(mechanism), lg.compile(mechanism)
    A, B = np.zeros(2), dyn.pose(posture.q, "rocker")[:2, 3]
    knuckle = dyn.pose(posture.q, "coupler")[:2, 3]
    crank = float(np.linalg.norm(knuckle - A))
    tip = lambda q: _tip(mechanism, dyn, q)  # noqa: E731
    coupler, rocker = (float(np.linalg.norm(tip(posture.q) - x)) for x in (knuckle, B))
    side = np.sign(_cross(B - knuckle, tip(posture.q) - knuckle))
    for theta in np.linspace(math.pi / 2, -1.4 * math.pi, 60):
        assert posture.drag("theta1", float(theta)).reached
        P = crank * np.array([math.cos(theta), math.sin(theta)])
        d = float(np.linalg.norm(B - P))
        along = (coupler**2 - rocker**2 + d**2) / (2 * d)
        e = (B - P) / d
        expected = P + along * e + side * math.sqrt(coupler**2 - along**2) * np.array([-e[1], e[0]])
        assert np.abs(tip(posture.q) - expected).max() < 1e-9


def _tip(mechanism: Any, dyn: Any, q: np.ndarray) -> np.ndarray:
    """Where the loop is closed."""
    loop = mechanism.loops[0]
    at = dyn.pose(q, loop.a) @ loop.a_placement.matrix()
    return np.asarray(at[:2, 3], dtype=float)


def _cross(a: np.ndarray, b: np.ndarray) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def test_a_slider_crank_stops_where_its_rod_is_stretched() -> None:
    mechanism = lg.library("slider_crank")
    posture, dyn = Posture(mechanism), lg.compile(mechanism)
    crank = float(np.linalg.norm(dyn.pose(posture.q, mechanism.joint("phi").child)[:3, 3]))
    rod = math.sqrt(float(posture.values[posture.index["x"]]) ** 2 + crank**2)
    for goal, end in ((1.0, rod + crank), (-1.0, rod - crank)):
        result = posture.drag("x", goal)
        assert not result.reached
        assert posture.values[posture.index["x"]] == pytest.approx(end, abs=1e-6)
        assert result.message.endswith("the loops cannot close beyond this point.")
        again = posture.drag("x", goal)  # and stays there
        assert not again.reached
        assert posture.closure < CLOSED
    assert posture.drag("x", 0.5 * (rod - crank) + 0.5 * (rod + crank)).reached
    # the crank goes through both
    assert drag_along(posture, "theta", posture.values[0] + 4 * math.pi, 60).reached


def test_motors_stand_still_and_a_platform_moves_along_one_axis() -> None:
    stewart = Posture(lg.library("stewart"))
    assert set(stewart.held_handle_names("leg1")) == {f"leg{k}" for k in range(2, 7)}
    assert set(stewart.held_handle_names("platform.z")) == {
        "platform.rx",
        "platform.ry",
        "platform.rz",
        "platform.x",
        "platform.y",
    }
    assert set(Posture(lg.library("delta")).held_handle_names("x")) == {"y", "z"}
    assert Posture(lg.library("five_bar")).held_handle_names("q1") == ("q2",)
    # of motors that are more than the degrees of freedom, those that must move do
    four_bar = lg.library("four_bar")
    driven = four_bar.replace(joints=tuple(lg.Joint(**{**_fields(j), "actuated": True}) for j in four_bar.joints))
    posture = Posture(driven)
    assert posture.held_handle_names("theta1") == ()
    assert posture.drag("theta1", 1.0).reached
    assert posture.closure < CLOSED


def _fields(item: Any) -> dict[str, Any]:
    from dataclasses import fields

    return {f.name: getattr(item, f.name) for f in fields(item)}


def test_a_platform_turned_by_hand_has_legs_as_long_as_its_corners_are_apart() -> None:
    mechanism = lg.library("stewart")
    posture, dyn = Posture(mechanism), lg.compile(mechanism)
    turn = np.array([0.3, -0.2, 0.4])
    for axis, angle in zip("xyz", turn, strict=True):
        assert posture.drag(f"platform.r{axis}", float(angle)).reached
    T = dyn.pose(posture.q, "platform")
    assert np.allclose(T[:3, :3], quaternion.matrix(quaternion.exponential(turn)), atol=1e-9)
    assert np.allclose(T[:3, 3], (0, 0, 2), atol=1e-9)
    for k, loop in enumerate(mechanism.loops):
        corner = T @ (loop.b_placement if loop.b == "platform" else loop.a_placement).matrix()
        foot = np.array(mechanism.joint(f"hip{k + 1}").placement.position, dtype=float)
        length = float(np.linalg.norm(corner[:3, 3] - foot))
        assert posture.values[posture.index[f"leg{k + 1}"]] == pytest.approx(length, abs=1e-9)


def test_a_car_drives_as_its_wheels_roll_and_does_not_go_sideways() -> None:
    posture = Posture(lg.library("differential_drive"))
    assert posture.held_handle_names("right") == ("left",)
    assert not posture.drag("chassis.y", 0.2).reached
    assert np.abs(posture.values[posture.index["chassis.y"]]) < 1e-12
    for wheel in ("right", "left"):  # one after the other: a turn, and back
        assert posture.drag(wheel, 2.0).reached
    assert posture.values[posture.index["chassis.angle"]] == pytest.approx(0.0, abs=1e-4)
    x, y = (posture.values[posture.index[f"chassis.{c}"]] for c in "xy")
    assert math.hypot(x, y) > 0.01
    # driven sideways by steering: the way is along the wheels
    posture.drag("chassis.angle", 0.5)
    before = posture.values.copy()
    assert posture.drag("chassis.x", float(before[0]) + 0.3).reached
    gone = posture.values - before
    assert gone[1] / gone[0] == pytest.approx(math.tan(posture.values[2]), rel=1e-6)


def test_limits_of_other_joints_stop_the_hand() -> None:
    four_bar = lg.library("four_bar")
    joints = [lg.Joint(**_fields(j)) for j in four_bar.joints]
    joints[2] = lg.Joint(**{**_fields(joints[2]), "limits": lg.JointLimits(1.6, 2.2)})
    posture = Posture(four_bar.replace(joints=tuple(joints)))
    result = posture.drag("theta1", 4.0)
    assert not result.reached
    assert result.message.endswith("phi3 is at its limit.")
    assert posture.values[2] == pytest.approx(2.2, abs=1e-6)
    own = Posture(lg.library("panda"))
    assert own.drag("q4", 1.0).reached  # as far as its own limit lets it
    assert own.q[3] == pytest.approx(-0.0698)


def test_rotation_vectors_change_as_their_gradient_says() -> None:
    rng = np.random.default_rng(5)
    stewart = lg.library("stewart")
    every = handles.joint_handles(stewart)
    for scale in (1e-6, 0.5, 3.0, 5.0):
        q = np.array(stewart.initial.q, dtype=float)
        r = rng.normal(size=3)
        r *= scale / np.linalg.norm(r)
        q[18:22] = quaternion.exponential(r)
        last = np.zeros(len(every))
        last[18:21] = r
        at = handles.handle_values(every, q, last)
        assert np.allclose(at[18:21], r, atol=1e-12)  # also beyond half a turn
        G = handles.handle_jacobian(every, q, at, 24)
        speeds = rng.normal(size=24)
        h = 1e-6
        moved = [integrate(stewart, q, s * h * speeds) for s in (1, -1)]
        rates = (handles.handle_values(every, moved[0], at) - handles.handle_values(every, moved[1], at)) / (2 * h)
        assert np.allclose(rates, G @ speeds, atol=1e-7)


def test_a_free_body_turns_and_moves_alone() -> None:
    free = lg.Mechanism(
        "free",
        [lg.Body("box", 1.0, inertia=(1, 0, 0, 1, 0, 1)), lg.Body("arm", 1.0, inertia=(1, 0, 0, 1, 0, 1))],
        [lg.Joint("fly", "free", "ground", "box"), lg.Joint("elbow", "revolute", "box", "arm")],
    )
    posture = Posture(free)
    goal = {"fly.rx": 0.4, "fly.rz": -1.0, "fly.y": 2.0, "elbow": 0.7}
    for name, value in goal.items():
        assert posture.drag(name, value).reached
    assert np.allclose(posture.q[:4], quaternion.exponential(np.array([0.4, 0.0, -1.0])), atol=1e-12)
    assert np.allclose(posture.q[4:], (0, 2, 0, 0.7))
    assert [posture.values[posture.index[name]] for name in goal] == pytest.approx(list(goal.values()))
    assert not posture.has_loops


def test_names_and_numbers_are_checked() -> None:
    posture = Posture(lg.library("four_bar"))
    with pytest.raises(lg.LagrangianError, match=r"there is no handle 'theta'\. Did you mean 'theta1'"):
        posture.drag("theta", 1.0)
    with pytest.raises(lg.LagrangianError, match="is not a valid value"):
        posture.drag("theta1", math.nan)
