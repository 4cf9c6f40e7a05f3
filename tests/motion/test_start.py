"""A description may give some coordinates of a start or a pose: the others follow from the loops."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import lagrangian as lg
from tests.motion.machines import four_bar

START = "[initial]\nq = { theta1 = 0.9 }\nqd = { theta1 = 2 }\nt_span = [0, 0.01]\n[pose]\nsome = { theta1 = 0.7 }\n"


@pytest.fixture(scope="module")
def machine() -> lg.Mechanism:
    written = lg.dumps(four_bar())
    return lg.loads(written[: written.find("[initial]")] + START if "[initial]" in written else written + START)


@pytest.fixture(scope="module")
def read_again(machine: lg.Mechanism) -> lg.Mechanism:
    return lg.loads(lg.dumps(machine))


def test_it_runs_as_if_given_by_name(machine: lg.Mechanism) -> None:
    run = lg.simulate(machine, t_eval=2)
    same = lg.simulate(machine, q0={"theta1": 0.9}, qd0={"theta1": 2.0}, t_eval=2)
    np.testing.assert_allclose(run.q[0], same.q[0], atol=1e-12)
    assert run.q[0, 0] == pytest.approx(0.9, abs=1e-14)
    assert run.qd[0, 0] == pytest.approx(2.0, abs=1e-14)
    np.testing.assert_allclose(run.qd[0], same.qd[0], atol=1e-12)
    assert run.drift.max() < 1e-12


@pytest.mark.parametrize("of", [lambda m: lg.simulate(m, q0="some", t_eval=2).q[0], lambda m: lg.assemble(m, "some")])
def test_poses_too(machine: lg.Mechanism, of: Callable[[lg.Mechanism], np.ndarray]) -> None:
    q = of(machine)
    assert q[0] == pytest.approx(0.7, abs=1e-14)
    assert np.abs(lg.compile(machine).closure(q)).max() < 1e-12


def test_it_is_written_as_it_was_given(machine: lg.Mechanism, read_again: lg.Mechanism) -> None:
    assert read_again.initial.q.given_names == ("theta1",)
    assert read_again.initial.qd.given_names == ("theta1",)
    assert read_again.poses["some"].given_names == ("theta1",)
    assert read_again == machine


def test_what_cannot_be_held_is_reported(machine: lg.Mechanism) -> None:
    wrong = lg.loads(lg.dumps(machine).replace("q = { theta1 = 0.9 }", "q = { theta1 = 0.9, phi2 = 2.5 }"))
    with pytest.raises(lg.AssemblyError, match="with theta1, phi2 fixed"):
        lg.simulate(wrong)


def test_speeds_by_name_are_kept(machine: lg.Mechanism) -> None:
    """As in simulate: those given keep their values, whether by a mapping, as text or as `fixed`, and the others follow."""
    q = lg.assemble(machine, {"theta1": 0.9})
    dyn = lg.compile(machine)
    speeds = lg.consistent_speeds(machine, q, {"theta1": 2.0})
    assert speeds[0] == 2.0
    np.testing.assert_allclose(dyn.constraint_rate(q, speeds), 0, atol=1e-12)
    np.testing.assert_array_equal(speeds, lg.consistent_speeds(machine, q, "theta1=2"))
    np.testing.assert_array_equal(speeds, lg.consistent_speeds(machine, q, fixed={"theta1": 2.0}))
    np.testing.assert_allclose(speeds, lg.consistent_speeds(machine, {"theta1": 0.9}, {"theta1": 2.0}), atol=1e-12)
    with pytest.raises(lg.ArgumentError, match="speed 'theta7'"):
        lg.consistent_speeds(machine, q, {"theta7": 2.0})


@pytest.mark.parametrize("of", [lg.linearise, lg.mobility, lg.consistent_speeds], ids=lambda f: f.__name__)
def test_numbers_that_leave_a_loop_open_are_refused(machine: lg.Mechanism, of: Callable[..., object]) -> None:
    """As in simulate: they would be moved to another configuration than the one that was given."""
    with pytest.raises(lg.ArgumentError, match=r"q does not close the loops: closure0\.\w misses by .* nearest configuration"):
        of(machine, [0.9, 0.1, 0.2])
    closed = lg.assemble(machine, {"theta1": 0.9})
    of(machine, closed.round(8))  # rounded when it was written down


def test_speeds_that_open_a_loop_are_refused_by_linearise(machine: lg.Mechanism) -> None:
    with pytest.raises(lg.ArgumentError, match="qd violates the constraints"):
        lg.linearise(machine, {"theta1": 0.9}, [1.0, 0.0, 0.0])
