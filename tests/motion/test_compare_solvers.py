"""Integrators and tolerances side by side: rows hold what the runs themselves have, and tighter is better."""

from __future__ import annotations

import numpy as np
import pytest

import lagrangian as lg


@pytest.fixture(scope="module")
def pendulum() -> lg.Dynamics:
    return lg.compile(lg.library("pendulum"))


def test_rows_are_those_of_the_runs(pendulum: lg.Dynamics) -> None:
    comparison = lg.compare_solvers(pendulum, 3, methods=("dp5", "dop853"), rtols=(1e-5, 1e-8))
    assert [(r.method, r.rtol) for r in comparison.rows] == [("dp5", 1e-5), ("dp5", 1e-8), ("dop853", 1e-5), ("dop853", 1e-8)]
    best = lg.simulate(pendulum, 3, rtol=1e-13, atol=1e-15, t_eval=201)
    for row in comparison.rows:
        motion = lg.simulate(pendulum, 3, method=row.method, rtol=row.rtol, atol=1e-2 * row.rtol, t_eval=201)
        s = motion.statistics
        assert (row.steps, row.rejected, row.evaluations) == (s["accepted"], s["rejected"], s["evaluations"])
        error = max(np.abs(motion.q - best.q).max(), np.abs(motion.qd - best.qd).max())
        assert row.difference == pytest.approx(error, rel=1e-3, abs=1e-12)
        assert row.energy_error == pytest.approx(np.abs(motion.energy_balance).max() / motion.energy_scale, rel=1e-6)
        assert row.seconds > 0
    loose, tight = comparison.rows[:2]
    assert tight.difference < 1e-2 * loose.difference
    assert tight.steps > loose.steps
    text = str(comparison).splitlines()
    assert text[1].split() == [
        "method",
        "rtol",
        "or",
        "step",
        "steps",
        "rejected",
        "evaluations",
        "ms",
        "energy",
        "error",
        "difference",
    ]
    assert len(text) == 6


def test_methods_of_a_fixed_step(pendulum: lg.Dynamics) -> None:
    """rk4 is of order 4: half the step, a sixteenth of the error."""
    comparison = lg.compare_solvers(pendulum, 2, methods="rk4", steps=(0.02, 0.01))
    first, second = comparison.rows
    assert (first.step, second.step) == (0.02, 0.01)
    assert first.difference / second.difference == pytest.approx(16, rel=0.1)
    assert comparison.to_dict()["rows"][1]["steps"] == 200
    with pytest.raises(lg.ArgumentError, match=r"methods has 'rk4', whose step is fixed; give steps=\[0\.001\]"):
        lg.compare_solvers(pendulum, 2, methods="rk4")


def test_constraints_have_a_column_of_drift() -> None:
    comparison = lg.compare_solvers("four_bar", 0.5, methods=["dp5"], rtols=1e-6, stabilisation="none")
    assert "drift" in str(comparison)
    assert 0 < comparison.rows[0].drift < 1e-3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": ["dopp"]}, "no method 'dopp'"),
        ({"methods": []}, "methods is empty; at least one of"),
        ({"rtols": []}, "rtols is empty"),
        ({"rtols": [0.0]}, r"rtols has 0\.0; positive numbers are needed"),
        ({"method": "dp5"}, "compare_solvers: 'method' is what the comparison varies"),
        ({"rtolls": 1}, "no argument 'rtolls'. Did you mean 'rtols'"),
    ],
)
def test_what_is_refused(pendulum: lg.Dynamics, options: dict[str, object], message: str) -> None:
    with pytest.raises(lg.ArgumentError, match=message):
        lg.compare_solvers(pendulum, 1, **options)
