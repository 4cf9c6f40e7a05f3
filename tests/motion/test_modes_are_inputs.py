"""What holds a joint is an input of compiled code: the equations with it, in every form; nothing is compiled in a run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.algorithms.forward_dynamics import LOCKED_DYNAMICS
from lagrangian.algorithms.regroup import regroup
from lagrangian.algorithms.sweep import run
from lagrangian.kernels.llvm import machine_code, object_cache
from lagrangian.kernels.programs.sweeps import links_at_state
from lagrangian.motion.run.run import Run
from lagrangian.motion.solver import solver
from lagrangian.motion.system import prepared, system
from tests.motion.machines import chain, four_bar, slider


def tree(base: str = "revolute", links: int = 7) -> lg.Mechanism:
    """A branched one: all its joints have friction, and limits, which some of them meet soon."""
    bodies = [lg.Body("base", 2.0, inertia=(0.1, 0, 0, 0.2, 0, 0.15))]
    joints = [lg.Joint("base", base, "ground", "base", **({} if base == "free" else {"axis": (1, 0, 0)}))]
    for i in range(links):
        size = 0.2 + 0.02 * i
        bodies.append(lg.Body(f"l{i}", size, center=(0, 0.02, -size / 2), inertia=(0.01, 0, 0, 0.02, 0.001, 0.015)))
        at = lg.Transform(position=(0.1 * i, 0.05, 0) if i % 3 == 0 else (0, 0.03, -0.2))
        parent = "base" if i % 3 == 0 else f"l{i - 1}"
        friction = lg.Friction(viscous=0.01, coulomb=(0.3, 0.02, 0.004)[i % 3])
        limits = lg.JointLimits(-0.1 - 0.05 * i, 0.15)
        joints.append(lg.Joint(f"j{i}", "revolute", parent, f"l{i}", at, axis=np.eye(3)[i % 2], friction=friction, limits=limits))
    return lg.Mechanism(f"tree of {base}", bodies, joints)


@pytest.mark.parametrize("base", ["revolute", "free"])
def test_articulated_bodies_of_which_some_are_held(base: str) -> None:
    """M qdd + bias = tau + holding, qdd = 0 where it is held, and nothing holds the others: by the dense equations."""
    dyn, rng = lg.compile(tree(base)), np.random.default_rng(1)
    q = dyn.mechanism.random_configuration(rng)
    qd, tau, held = rng.normal(size=dyn.nv), rng.normal(size=dyn.nv), (rng.random(dyn.nv) < 0.4).astype(float)
    still = replace(dyn.tree, constants={**dyn.tree.constants, "coulomb_positive": 0 * dyn.tree.constants["coulomb_positive"]})
    still.constants["coulomb_negative"] = 0 * still.constants["coulomb_negative"]
    shown = regroup(still)
    values = {"q": q, "qd": qd, "tau": tau, "locked": held}
    state = links_at_state(shown, LOCKED_DYNAMICS.inputs, lambda name, k: float(values[name][k]), np.cos, np.sin)
    qdd, holding = np.array(run(LOCKED_DYNAMICS, shown, state), dtype=float).reshape(2, -1)
    M, free = dyn.mass_matrix(q), held == 0
    force = tau - dyn.inverse_dynamics(q, qd, np.zeros(dyn.nv)) + dyn.friction(qd) - 0.01 * qd * (np.arange(dyn.nv) >= dyn.nv - 7)
    expected = np.zeros(dyn.nv)
    expected[free] = np.linalg.solve(M[np.ix_(free, free)], force[free])
    assert qdd == pytest.approx(expected, rel=1e-11, abs=1e-11)
    assert np.all(qdd[~free] == 0.0)
    assert holding == pytest.approx(np.where(free, 0.0, M @ expected - force), rel=1e-10, abs=1e-10)


def forget() -> None:
    """What was compiled in this process, so that it is compiled again."""
    solver._SOLVERS.clear()
    prepared._PREPARED.clear()
    object_cache._modules.clear()


@pytest.mark.parametrize("base", ["revolute", "free"])
def test_a_loop_over_the_links_moves_as_what_is_written_out(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sticking, slipping and stops of a tree: the same events at the same times, and the same rows."""
    monkeypatch.setenv("LAGRANGIAN_CACHE", "off")
    motions = []
    for large in (False, True):
        forget()
        monkeypatch.setattr(system, "too_large", lambda _, large=large: large)
        torque = {"j1": "0.2*sin(9*t)", "j3": "0.5"}
        motions.append(lg.simulate(tree(base), 0.6, torque=torque, rtol=1e-10, atol=1e-12, t_eval=61))
        assert motions[-1].success
        assert motions[-1].trajectory.system.large is large
    forget()
    written, rolled = motions
    assert [e.name for e in rolled.events] == [e.name for e in written.events]
    assert [e.t for e in rolled.events] == pytest.approx([e.t for e in written.events], abs=1e-9)
    assert any("meets its" in e.name for e in rolled.events)
    assert any("comes to rest" in e.name for e in rolled.events)
    for name in ("q", "qd", "qdd", "tau", "friction"):
        assert np.abs(getattr(rolled, name) - getattr(written, name)).max() < 1e-6, name
    assert rolled.work["friction"][-1] == pytest.approx(written.work["friction"][-1], abs=1e-8)
    assert np.abs(rolled.energy_balance).max() < 1e-8 * max(1.0, rolled.energy_scale)


def with_friction(mechanism: lg.Mechanism, **joint: Any) -> lg.Mechanism:
    return mechanism.replace(joints=[replace(j, **joint) for j in mechanism.joints])


@pytest.mark.parametrize("closed", [False, True])
def test_nothing_is_compiled_after_a_run_has_begun(closed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Joints that stick, slip, and meet limits that they were not at before: all of it is known to the code of the run."""
    monkeypatch.setenv("LAGRANGIAN_CACHE", "off")
    machine = with_friction(four_bar() if closed else chain(2), friction=lg.Friction(coulomb=0.11))
    start = lg.assemble(machine, fixed={"theta1": 0.7}) if closed else np.array([0.9, 0.3])
    machine = machine.replace(
        joints=[replace(j, limits=lg.JointLimits(x - 0.4, x + 0.3)) for j, x in zip(machine.joints, start, strict=True)]
    )
    forget()
    times, compile_object, go = [0, 0], machine_code.compile_object, Run.go
    began: list[int] = []

    def count_and_compile(*arguments: Any, **options: Any) -> bytes:
        times[len(began)] += 1
        return compile_object(*arguments, **options)

    def going(self: Run, end: float) -> Any:
        began.append(1)
        try:
            return go(self, end)
        finally:
            began.clear()

    monkeypatch.setattr(machine_code, "compile_object", count_and_compile)
    monkeypatch.setattr(Run, "go", going)
    motion = lg.simulate(machine, 3.0, start, {machine.speed_names[0]: 2.0})
    assert motion.success
    names = " ".join(e.name for e in motion.events)
    assert "meets its" in names
    assert "comes to rest" in names or "reverses" in names
    assert times[0] >= 2
    assert times[1] == 0


def test_a_light_joint_comes_to_rest_at_its_stop_beside_a_fast_heavy_one() -> None:
    """What is left of its speed is rounding beside the other's momentum, but more than counts as rest: it is stopped."""
    heavy, light = slider(1e4).joints[0], slider(1e-6).joints[0]
    joints = [
        replace(heavy, name="x", child="heavy"),
        replace(light, name="y", child="light", limits=lg.JointLimits(0.0, 1.0)),
    ]
    machine = lg.Mechanism("two", [lg.Body("heavy", 1e4), lg.Body("light", 1e-6)], joints, gravity=(0, 0, 0))
    motion = lg.simulate(machine, 1.0, [0.0, 0.0], [1e3, -3e-9], torque={"y": -1e-6})
    assert motion.success, motion.message
    assert np.abs(motion.q[:, 1]).max() < 1e-12
    assert np.all(motion.qd[-1] == [1e3, 0.0])
