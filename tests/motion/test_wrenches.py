"""Wrenches from outside in `simulate`, and limits of effort: against J^T F, exact solutions, and the energy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.errors import ArgumentError, SimulationError
from tests.motion.machines import chain, pendulum, slider

PUSH = (1.0, -2.0, 0.5, 10.0, 5.0, -8.0)


def free_body(mass: float = 2.0, inertia: float = 0.3) -> lg.Mechanism:
    body = lg.Body("body", mass, (0, 0, 0), (inertia,) * 3)
    frames = [lg.Frame("corner", "body", lg.Transform(position=(0.2, 0, 0)))]
    return lg.Mechanism("free", [body], [lg.Joint("body", "free", "ground", "body")], frames=frames, gravity=(0, 0, 0))


def kinds(values: Any) -> list[Any]:
    """The same wrench as numbers, as expressions and as a function."""
    return [values, tuple(f"{x} + 0*t" for x in values), lambda t, q, qd: values]


@pytest.mark.parametrize("which", range(3))
def test_against_the_jacobian(which: int) -> None:
    """On the hand of a PUMA: the motion is that of the torques J^T F, which are no torques of the motors."""
    puma = lg.library("puma560")
    joints = [replace(joint, friction=lg.Friction()) for joint in puma.joints]
    arm = puma.replace(joints=joints, frames=[lg.Frame("tool", "link6", lg.Transform(position=(0.1, 0, 0.2)))])
    dyn = lg.compile(arm)
    hold = [0.0, 20.0, 5.0, 0.0, 0.0, 0.0]
    motion = lg.simulate(arm, 0.5, q0="qn", torque=hold, wrenches={"tool": kinds(PUSH)[which]}, limits=False, method="dop853")
    other = lg.simulate(
        arm, 0.5, q0="qn", torque=lambda t, q, qd: hold + dyn.jacobian(q, "tool").T @ PUSH, limits=False, method="dop853"
    )
    assert motion.q == pytest.approx(other.q, abs=1e-9)
    assert motion.qdd == pytest.approx(other.qdd, abs=1e-6)
    assert (motion.tau == hold).all()
    assert motion.qdd == pytest.approx(dyn.forward_dynamics(motion.q, motion.qd, motion.tau, motion.wrenches), abs=1e-7)
    assert motion.wrenches["tool"] == pytest.approx(np.tile(PUSH, (len(motion.t), 1)))
    done = (other.work["torque"] - motion.work["torque"]).sum(axis=1)
    assert motion.work["wrenches"] == pytest.approx(done, abs=1e-7)
    assert np.abs(motion.energy_balance).max() < 1e-7 * motion.energy_scale
    expected = dyn.reactions(motion.q, motion.qd, motion.qdd, {"tool": PUSH})
    assert motion.reactions == pytest.approx(expected, abs=1e-9)


def test_a_constant_force_on_a_free_body() -> None:
    """x = F t^2 / 2m, and a moment turns a sphere by M t^2 / 2I; a force at a corner does both."""
    mass, inertia, force, moment = 2.0, 0.3, 3.0, 0.6
    motion = lg.simulate(free_body(mass, inertia), 2.0, wrenches={"body": (0, 0, moment, force, 0, 0)})
    t = motion.t
    assert motion.q[:, 4] == pytest.approx(force * t**2 / (2 * mass), abs=1e-8)
    angle = moment * t**2 / (2 * inertia)
    assert motion.q[:, 0] == pytest.approx(np.cos(angle / 2), abs=1e-8)
    assert motion.q[:, 3] == pytest.approx(np.sin(angle / 2), abs=1e-8)
    assert motion.work["wrenches"] == pytest.approx(motion.kinetic_energy, abs=1e-7)
    assert motion.kinetic_energy == pytest.approx((force * t) ** 2 / (2 * mass) + (moment * t) ** 2 / (2 * inertia), abs=1e-7)
    along = lg.simulate(free_body(mass, inertia), 0.5, wrenches={"corner": (0, 0, 0, 0, force, 0)})
    assert along.qdd[0, 2] == pytest.approx(0.2 * force / inertia)
    assert np.abs(along.energy_balance).max() < 1e-8 * along.energy_scale


def test_forces_of_the_state() -> None:
    """A spring and a damper to the origin, written as expressions of coordinates and speeds, or as parts of the mechanism."""
    block = slider(2.0)
    sprung = block.replace(springs=[lg.PointSpring("s", "ground", "block", stiffness=50.0, damping=3.0)])
    by_wrench = lg.simulate(block, 3.0, [0.4], wrenches={"block": (0, 0, 0, "-50*x - 3*qd_x + 7*t", 0, 0)})
    by_spring = lg.simulate(sprung, 3.0, [0.4], torque={"x": "7*t"})
    assert by_wrench.q == pytest.approx(by_spring.q, abs=1e-7)
    assert by_wrench.wrenches["block"][:, 3] == pytest.approx(-50 * by_wrench.q[:, 0] - 3 * by_wrench.qd[:, 0] + 7 * by_wrench.t)
    stiff = lg.simulate(block, 3.0, [0.4], wrenches={"block": (0, 0, 0, "-50*x - 3*qd_x + 7*t", 0, 0)}, method="rodas5p")
    assert stiff.q == pytest.approx(by_wrench.q, abs=1e-6)
    motion = lg.simulate(block, 3.0, [0.4], wrenches={"block": (0, 0, 0, "-50*x", 0, 0)}, method="symplectic", step=1e-3)
    assert np.abs(motion.energy_balance).max() < 1e-6
    assert motion.q[:, 0] == pytest.approx(0.4 * np.cos(5 * motion.t), abs=1e-6)


def test_a_linkage() -> None:
    """The constraints take their part: a wrench on the coupler is J^T F at the joints of the open tree."""
    bar = lg.library("four_bar")
    dyn = lg.compile(bar)
    F = (0, 0, 1.0, 4.0, -3.0, 0)
    motion = lg.simulate(bar, 1.0, torque=0, wrenches={"coupler": F}, method="dop853")
    other = lg.simulate(bar, 1.0, torque=lambda t, q, qd: dyn.jacobian(q, "coupler").T @ F, method="dop853")
    assert motion.q == pytest.approx(other.q, abs=1e-8)
    assert motion.multipliers == pytest.approx(other.multipliers, abs=1e-6)
    assert not motion.tau.any()
    assert motion.reactions == pytest.approx(
        dyn.reactions(motion.q, motion.qd, motion.qdd, {"coupler": F}, motion.multipliers), abs=1e-9
    )
    assert not np.allclose(motion.reactions, other.reactions)
    assert np.abs(motion.energy_balance).max() < 1e-7 * motion.energy_scale


def test_who_carries_it() -> None:
    """A body that is welded to the ground passes on all of it, and a slide all but the force along it."""
    bodies = [lg.Body("post", 1.0), lg.Body("block", 2.0)]
    joints = [lg.Joint("weld", "fixed", "ground", "post"), lg.Joint("x", "prismatic", "post", "block", axis="x")]
    mechanism = lg.Mechanism("post", bodies, joints, gravity=(0, 0, 0))
    motion = lg.simulate(mechanism, 0.1, wrenches={"block": (1, 2, 3, 4, 5, 6), "post": (10, 0, 0, 0, 0, 20)})
    assert motion.qdd[:, 0] == pytest.approx(np.full(len(motion.t), 2.0))
    first = motion.reactions[0]
    assert first[1] == pytest.approx([-1, -2, -3, 0, -5, -6])
    assert first[0] == pytest.approx([-11, -2, -3, 0, -5, -26])


def test_dry_friction_holds_against_it() -> None:
    block = slider(2.0, friction=lg.Friction(coulomb=3.0))
    for force in (2.5, (lambda t, q, qd: (0, 0, 0, 2.5, 0, 0))):
        values = force if callable(force) else (0, 0, 0, force, 0, 0)
        held = lg.simulate(block, 1.0, [0.0], wrenches={"block": values})
        assert not held.q.any()
        assert held.friction[-1, 0] == pytest.approx(2.5)
    slides = lg.simulate(block, 1.0, [0.0], wrenches={"block": (0, 0, 0, 5.0, 0, 0)})
    assert slides.q[-1, 0] == pytest.approx(0.5 * (5.0 - 3.0) / 2.0, abs=1e-9)
    # it begins to slip when the force has grown to 3 N, and then x'' = (t - 3) / 2
    grows = lg.simulate(block, 5.0, [0.0], wrenches={"block": (0, 0, 0, "t", 0, 0)})
    assert grows.events[0].t == pytest.approx(3.0, abs=1e-9)
    assert grows.q[-1, 0] == pytest.approx(2.0**3 / 12, abs=1e-8)


def test_functions_and_stops() -> None:
    """A block pushed against its limit by a function: the run is prepared anew there, and goes on."""
    block = slider(1.0, limits=(-1.0, 0.5))
    motion = lg.simulate(
        block, 4.0, [0.0], wrenches={"block": lambda t, q, qd: (0, 0, 0, 1.0 if t < 2 else -2.0, 0, 0)}, max_step=0.01
    )
    assert motion.q[:, 0].max() == pytest.approx(0.5, abs=1e-9)
    assert motion.q[-1, 0] == pytest.approx(-1.0, abs=1e-6)
    both = lg.simulate(
        slider(1.0),
        1.0,
        [0.0],
        torque=lg.Sampled(lambda t, q, qd: [2.0], 0.1),
        wrenches={"block": lambda t, q, qd: (0, 0, 0, 1.0, 0, 0)},
    )
    assert both.q[-1, 0] == pytest.approx(1.5, abs=1e-9)
    assert (both.tau == 2.0).all()


def test_a_long_chain() -> None:
    """Past what is written out, the loop over the links takes it too."""
    n = 80
    mechanism = chain(n)
    q0 = np.zeros(n)
    motion = lg.simulate(mechanism, 0.2, q0, wrenches={f"link{n - 1}": (0, 0, 0, "20*cos(t)", 3.0, 0)}, t_eval=5)
    assert motion.trajectory is not None
    assert motion.trajectory.system.large
    assert motion.wrenches[f"link{n - 1}"][:, 3] == pytest.approx(20 * np.cos(motion.t))
    dyn = lg.compile(mechanism)
    assert motion.qdd == pytest.approx(dyn.forward_dynamics(motion.q, motion.qd, motion.tau, motion.wrenches), abs=1e-6)
    assert np.abs(motion.q).max() > 1e-3
    assert not motion.tau.any()
    assert np.abs(motion.energy_balance).max() < 1e-6 * motion.energy_scale


def test_wrenches_are_read_back_from_a_file(tmp_path: Path) -> None:
    block = slider(2.0)
    motion = lg.simulate(block, 1.0, [0.1], wrenches={"block": (0, 0, 0, "3*t", 1, 0), "ground": (0, 0, 0, 0, 0, 7)})
    again = lg.read(motion.save(tmp_path / "run.nc"), block)
    assert list(again.wrenches) == ["block", "ground"]
    assert (again.wrenches["block"] == motion.wrenches["block"]).all()
    assert (again.reactions == motion.reactions).all()
    assert (again.work["wrenches"] == motion.work["wrenches"]).all()
    assert (again.energy_balance == motion.energy_balance).all()
    bare = lg.simulate(block, 1.0, [0.1])
    assert lg.read(bare.save(tmp_path / "bare.nc")).wrenches == bare.wrenches == {}
    rows = motion.resample(11)
    assert rows.wrenches["block"][:, 3] == pytest.approx(3 * rows.t)
    assert motion.error_against() < 1e-5


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"blok": PUSH}, "wrenches: there is no frame or body 'blok'. Did you mean 'block'"),
        ({"x": PUSH}, "'x' is a joint; the body it moves is 'block'"),
        ({3: PUSH}, "frames and bodies are given by their names, .*this is a int"),
        ({"block": PUSH[:5]}, r"wrench on 'block' is \(1.0.*six numbers or expressions are needed, \(mx, my, mz, fx, fy, fz\)"),
        ({"block": "x"}, "six numbers or expressions"),
        ({"block": 3.0}, "six numbers or expressions"),
        ({"block": (0, 0, 0, np.nan, 0, 0)}, "wrench on 'block': fx is nan; a finite number"),
        ({"block": (0, 0, True, 0, 0, 0)}, "wrench on 'block': mz is True"),
        ({"block": (0, 0, 0, 0, 0, "2*y")}, "wrench on 'block': fz: .*there is no name 'y'"),
        ([PUSH], "wrenches is a list; a mapping of frames"),
    ],
)
def test_bad_wrenches(value: Any, says: str) -> None:
    with pytest.raises(ArgumentError, match=says):
        lg.simulate(slider(), 1.0, wrenches=value)


def test_functions_that_fail() -> None:
    def one_over(t: float, q: Any, qd: Any) -> Any:
        return (0, 0, 0, 1 / 0, 0, 0) if t > 0.5 else np.zeros(6)

    with pytest.raises(
        SimulationError, match="the function of the wrench on 'block' raised ZeroDivisionError: division by zero"
    ) as caught:
        lg.simulate(slider(), 1.0, wrenches={"block": one_over})
    assert 0 < caught.value.motion.t[-1] <= 0.5
    for actual, says in ((np.zeros(5), r"the function of the wrench on 'block' returned shape \(5,\)"), ([np.inf] * 6, "finite")):
        with pytest.raises(SimulationError, match=says):
            lg.simulate(slider(), 1.0, wrenches={"block": lambda t, q, qd, actual=actual: actual})
    with pytest.raises(ArgumentError, match="does not support joint limits, locks, or Python functions of torques or wrenches"):
        lg.simulate(slider(), 1.0, wrenches={"block": one_over}, method="symplectic", step=1e-3)


def test_other_wrenches_are_other_code() -> None:
    """A frame moved, or the same numbers on another frame, is another run."""

    def final_angle(at: float, frame: str) -> float:
        frames = [lg.Frame("a", "bar", lg.Transform(position=(0, -at, 0))), lg.Frame("b", "bar")]
        return float(lg.simulate(pendulum().replace(frames=frames), 0.5, [0.0], wrenches={frame: (0, 0, 0, 1, 0, 0)}).q[-1, 0])

    assert final_angle(1.0, "b") == 0
    assert final_angle(1.0, "a") > final_angle(0.5, "a") > 0.01


@pytest.mark.parametrize(
    "torque", [[9.0], {"x": "9 + 0*t"}, lambda t, q, qd: [9.0], (np.array([0.0, 9.0]), np.array([9.0, 9.0]))]
)
def test_limits_of_effort(torque: Any) -> None:
    """A force beyond the limit is the limit, in either direction; without `saturate` it is as given."""
    block = slider(2.0, limits=lg.JointLimits(effort=4.0))
    free = lg.simulate(block, 1.0, [0.0], torque=torque)
    assert free.q[-1, 0] == pytest.approx(9.0 / 4, abs=1e-9)
    bound = lg.simulate(block, 1.0, [0.0], torque=torque, saturate=True, wrenches={"block": (0, 0, 0, 6.0, 0, 0)})
    assert (bound.tau == 4.0).all()
    assert bound.q[-1, 0] == pytest.approx(10.0 / 4, abs=1e-9)  # wrenches are no torques of motors
    back = lg.simulate(block, 1.0, [0.0], torque={"x": "-100*t"}, saturate=True)
    assert back.tau[:, 0] == pytest.approx(np.maximum(-100 * back.t, -4.0))


def test_bad_saturation() -> None:
    with pytest.raises(
        ArgumentError, match="saturate: no joint of slider has a limit of effort; give joints limits with an `effort`"
    ):
        lg.simulate(slider(), 1.0, saturate=True)
    with pytest.raises(ArgumentError, match="saturate is 3"):
        lg.simulate(slider(), 1.0, saturate=3)  # type: ignore[arg-type]
