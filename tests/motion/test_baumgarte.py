"""Baumgarte's stabilisation as the lecture has it: a start off the constraints fades as a damped oscillator does."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg

OFF = np.array([0.0, 0.02, -0.01])


@pytest.fixture(scope="module")
def bar() -> lg.Dynamics:
    return lg.compile(lg.library("four_bar"))


def run(bar: lg.Dynamics, **more: Any) -> lg.Motion:
    q = lg.assemble(bar) + OFF
    return lg.simulate(bar, 1.5, q, torque=0, off_constraint=True, rtol=1e-11, atol=1e-13, t_eval=151, **more)


def damped_solution(t: np.ndarray, alpha: float, beta: float, eta: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """The solution of eta'' + 2 alpha eta' + beta^2 eta = 0, row by row of t."""
    t = t[:, None]
    if beta > alpha:
        w = math.sqrt(beta**2 - alpha**2)
        return np.exp(-alpha * t) * (eta * np.cos(w * t) + (rate + alpha * eta) / w * np.sin(w * t))
    if beta == alpha:
        return np.exp(-alpha * t) * (eta + (rate + alpha * eta) * t)
    w = math.sqrt(alpha**2 - beta**2)
    return np.exp(-alpha * t) * (eta * np.cosh(w * t) + (rate + alpha * eta) / w * np.sinh(w * t))


@pytest.mark.parametrize(("alpha", "beta"), [(3.0, 5.0), (4.0, 4.0), (6.0, 2.0)])
def test_eta_fades_as_the_equation_says(bar: lg.Dynamics, alpha: float, beta: float) -> None:
    """Swinging, critical and creeping; speeds are given too, so that eta' begins away from zero."""
    qd0 = np.array([0.3, -0.2, 0.5])
    motion = run(bar, qd0=qd0, stabilisation="baumgarte", alpha=alpha, beta=beta)
    q0 = lg.assemble(bar) + OFF
    np.testing.assert_array_equal(motion.q[0], q0)
    np.testing.assert_array_equal(motion.qd[0], qd0)
    eta = bar.closure(motion.q)
    assert np.abs(eta[0]).max() > 1e-3
    exact = damped_solution(motion.t, alpha, beta, eta[0], bar.constraint_rate(q0, qd0))
    np.testing.assert_allclose(eta, exact, rtol=0, atol=1e-10)
    np.testing.assert_allclose(motion.drift, np.abs(exact).max(axis=1), rtol=0, atol=1e-10)
    assert motion.plot("drift").axes[0].get_yscale() == "log"


def test_without_stabilisation_it_stays_off(bar: lg.Dynamics) -> None:
    """eta'' = 0: at rest it begins, and so it stays as far off as it was."""
    motion = run(bar, qd0=np.zeros(3), stabilisation="none")
    np.testing.assert_allclose(bar.closure(motion.q), [bar.closure(motion.q[0])] * len(motion.t), rtol=0, atol=1e-9)


def test_alpha_and_beta_are_recorded(bar: lg.Dynamics, tmp_path: Path) -> None:
    motion = run(bar, stabilisation="baumgarte", alpha=3.0)
    expected = {"stabilisation": "baumgarte", "alpha": 3.0, "beta": 10.0}
    assert {name: motion.statistics[name] for name in expected} == expected
    assert "baumgarte, alpha 3/s, beta 10/s" in str(motion)
    motion.save(tmp_path / "run.nc")
    again = lg.read(tmp_path / "run.nc")
    assert {name: again.statistics[name] for name in expected} == expected
    plain = lg.simulate(bar, 0.1, t_eval=2)
    assert plain.statistics["stabilisation"] == "projection"
    assert "alpha" not in plain.statistics


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 3.0}, "alpha applies to stabilisation='baumgarte'; this run uses 'projection', where it has no effect"),
        ({"beta": 3.0, "stabilisation": "ggl"}, "beta applies to stabilisation='baumgarte'; this run uses 'ggl'"),
        ({"off_constraint": True}, "off_constraint needs stabilisation='baumgarte'.*this run uses 'projection'"),
        ({"off_constraint": 1, "stabilisation": "none"}, "off_constraint is 1; True or False is needed"),
        ({"alpha": -1.0, "stabilisation": "baumgarte"}, r"alpha is -1\.0; a number of at least 0"),
    ],
)
def test_what_is_refused(bar: lg.Dynamics, options: dict[str, Any], message: str) -> None:
    with pytest.raises(lg.ArgumentError, match=message):
        lg.simulate(bar, 0.1, **options)


def test_a_start_off_the_constraints_has_to_be_requested(bar: lg.Dynamics) -> None:
    with pytest.raises(lg.ArgumentError, match="does not close the loops"):
        lg.simulate(bar, 0.1, lg.assemble(bar) + OFF, stabilisation="baumgarte")
