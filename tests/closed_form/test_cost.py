"""The forecast of a derivation's cost: it counts terms, so that it is the same on a busy machine."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import pytest

import lagrangian as lg
from lagrangian.closed_form import cost
from lagrangian.equations.reading.system import SymbolicSystem


def chain(joints: int, alpha: float) -> lg.Mechanism:
    rows = [lg.DHParameters("R", a=0.1, alpha=alpha * (-1) ** i, mass=1, center=(0.05, 0, 0)) for i in range(joints)]
    return lg.Mechanism.from_dh(rows, convention="standard", name="chain")


def disturbed_clock(clock: Callable[[], float]) -> Callable[[], float]:
    """A clock of a machine that now and then does something else for a second."""
    calls = 0

    def now() -> float:
        nonlocal calls
        calls += 1
        return clock() + calls // 5

    return now


def test_a_busy_machine_gets_the_same_forecast(monkeypatch: pytest.MonkeyPatch) -> None:
    quiet = cost.forecast(SymbolicSystem(lg.library("snake_chain"), "given"))
    monkeypatch.setattr(cost.time, "thread_time", disturbed_clock(time.thread_time))
    busy = cost.forecast(SymbolicSystem(lg.library("snake_chain"), "given"))
    assert quiet is not None
    assert busy is not None
    assert busy.terms == quiet.terms
    assert busy.seconds < 60


@pytest.mark.parametrize(("joints", "alpha"), [(9, math.pi / 2), (14, 0.0)])
def test_terms_that_are_forecast_are_those_that_come(monkeypatch: pytest.MonkeyPatch, joints: int, alpha: float) -> None:
    system = SymbolicSystem(chain(joints, alpha), "given")
    monkeypatch.setattr(cost, "TRIAL_TERMS", math.inf)
    whole = cost.forecast(system)  # all links are derived: nothing is carried on
    monkeypatch.setattr(cost, "TRIAL_TERMS", 3000)
    expected = cost.forecast(system)
    assert whole is not None
    assert expected is not None
    assert expected.terms == pytest.approx(whole.terms, rel=0.3)


def test_thirty_links_in_a_plane_are_not_refused() -> None:
    expected = cost.forecast(SymbolicSystem(chain(30, 0.0), "given"))
    cost.check_cost(expected, 600.0, "chain", 30)
    assert expected is not None
    assert expected.bytes < cost.MAX_MEMORY
