"""Mechanisms of one structure share compiled code: what one of them ran with is in no other's motion."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

from tests.processes import PATIENCE

# four mechanisms of two structures, with torques, events and loops; alone, or one after another
PROGRAM = """
import sys
import numpy as np
import lagrangian as lg

def runs():
    arm, bar = lg.library("two_r"), lg.library("four_bar")
    torque, events = {"theta1": "-m2*qd_theta1"}, [lg.Event("theta2 - l1/4", name="bent")]
    yield "arm", lambda: lg.simulate(arm, 1.0, torque=torque, events=events)
    yield "other arm", lambda: lg.simulate(arm.with_parameters(l1=1.3, m2=7.0, g=3.0), 1.0, torque=torque, events=events)
    yield "bar", lambda: lg.simulate(bar, 1.0)
    yield "other bar", lambda: lg.simulate(bar.with_parameters(l1=0.25, m2=2.5), 1.0)

wanted, target = sys.argv[1].split(","), sys.argv[2]
made = dict(runs())
found = {}
for name in wanted:
    motion = made[name]()
    happened = [x for e in motion.events for x in (e.t, *e.q, *e.qd)]
    found[name] = np.concatenate([motion.q.ravel(), motion.qd.ravel(), motion.tau.ravel(), motion.energy_balance, happened])
np.savez(target, **found)
"""


def compute_in_a_process(folder: Path, *names: str) -> dict[str, np.ndarray]:
    """What a process of its own makes of these, one after another."""
    (folder / "program.py").write_text(PROGRAM)
    target = folder / f"{'-'.join(names)}.npz"
    subprocess.run([sys.executable, folder / "program.py", ",".join(names), target], check=True, timeout=PATIENCE)
    with np.load(target) as arrays:
        return dict(arrays)


def test_mechanisms_of_one_structure_do_not_know_of_each_other(tmp_path: Path) -> None:
    together = compute_in_a_process(tmp_path, "arm", "other arm", "other bar", "bar")
    fresh = compute_in_a_process(tmp_path, "arm", "bar") | compute_in_a_process(
        tmp_path, "other arm", "other bar"
    )  # each the first of its structure
    assert together.keys() == fresh.keys()
    for name, numbers in fresh.items():
        assert np.array_equal(together[name], numbers), name
    assert not np.array_equal(together["arm"][:100], together["other arm"][:100])
    assert not np.array_equal(together["bar"][:100], together["other bar"][:100])
