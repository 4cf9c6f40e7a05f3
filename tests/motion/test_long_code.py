"""Loops whose equations are long are compiled once for rates and projection, in pieces: the motion is the same."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.kernels.llvm import object_cache
from lagrangian.kernels.trace import schedule
from lagrangian.motion.solver import solver
from lagrangian.motion.system import functions
from tests.motion.machines import four_bar


@pytest.mark.parametrize("friction", [{}, {"friction": lg.Friction(coulomb=0.4)}])
def test_a_loop_in_pieces(friction: dict[str, lg.Friction], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    m = four_bar()
    first, *others = m.joints
    m = m.replace(joints=(replace(first, **friction), *others))
    whole = lg.simulate(m, 2.0)
    written: list[set[str]] = []
    together = functions.write_functions
    monkeypatch.setattr(
        functions, "write_functions", lambda expected, *rest: written.append(set(expected)) or together(expected, *rest)
    )
    monkeypatch.setattr(schedule, "MAX_SHORT_OPERATIONS", 40)
    monkeypatch.setattr(schedule, "MAX_WHOLE_OPERATIONS", 40)
    monkeypatch.setattr(schedule, "PIECE_OPERATIONS", 40)
    monkeypatch.setattr(solver, "_SOLVERS", {})
    monkeypatch.setattr(object_cache, "_modules", OrderedDict())
    monkeypatch.setenv("LAGRANGIAN_CACHE", str(tmp_path))
    cut = lg.simulate(m, 2.0)
    assert written == [{"response" if friction else "rates", "project"}]
    assert np.abs(whole.q[-1] - whole.q[0]).max() > 0.1
    np.testing.assert_allclose(cut.q, whole.q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(cut.qd, whole.qd, rtol=0, atol=1e-7)
    assert len(cut.events) == len(whole.events)


def test_forces_of_many_free_bodies_read_nothing_that_does_not_act() -> None:
    """Reading what no force depends on took minutes to compile for a world of hundreds of bodies."""
    bodies = [lg.Body(f"b{k}", 1.0, inertia=(0.1, 0.1, 0.1)) for k in range(100)]
    joints = [lg.Joint(f"j{k}", "free", "ground", f"b{k}") for k in range(100)]
    motion = lg.simulate(lg.Mechanism("world", bodies, joints), 1.0, t_eval=11)
    np.testing.assert_allclose(motion.q[-1].reshape(-1, 7)[:, 6], -9.81 / 2, rtol=1e-10)
    assert motion.trajectory is not None
    assert not motion.trajectory.outputs(motion.t, np.hstack([motion.q, motion.qd]))["tau"].any()
    kernel = motion.trajectory.segments[0].solver.programs.acting
    assert [code.operations for code in kernel._codes.values()] == [0]
