"""The vector sine and cosine, through a mechanism whose Jacobian is just that, against exact arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.kernels.llvm import target
from tests.kernels.test_forms import targets

# a crank of length 1: its tip is at (cos q, sin q)
CRANK = lg.Mechanism(
    "crank",
    [lg.Body("crank", 1.0, (0.5, 0, 0))],
    [lg.Joint("q", "revolute", "ground", "crank")],
    frames=[lg.Frame("tip", "crank", lg.Transform(position=(1, 0, 0)))],
)

# pi to 100 digits, and the Taylor series: sin of a double to far more digits than a double holds
PI = Fraction("3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170679")


def exact(x: float) -> tuple[float, float]:
    r = Fraction(x)
    turns = round(r / (2 * PI))
    r -= turns * 2 * PI
    r = Fraction(round(r * 10**40), 10**40)
    sine, cosine, term, k = Fraction(0), Fraction(0), Fraction(1), 0
    while abs(term) > Fraction(1, 10**30):
        if k % 2 == 0:
            cosine += term * (-1) ** (k // 2)
        else:
            sine += term * (-1) ** (k // 2)
        k += 1
        term = Fraction(round(term * r / k * 10**40), 10**40)
    return float(sine), float(cosine)


@pytest.mark.parametrize("name", targets())
@pytest.mark.parametrize("many", [False, True], ids=["one", "many"])
@pytest.mark.parametrize("rolled", [False, True], ids=["unrolled", "rolled"])
def test_sines_and_cosines_are_accurate_to_rounding(name: str, many: bool, rolled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(target.VARIABLE, name)
    if rolled:
        monkeypatch.setattr("lagrangian.kernels.programs.sweeps.MAX_UNROLLED_LINKS", -1)
    dyn = lg.compile(CRANK)
    rng = np.random.default_rng(0)
    quadrants = np.arange(-9, 10) * np.pi / 4
    spans = [rng.uniform(-s, s, 40) for s in (1e-3, 1.0, 10.0, 1e3, 9e5, 9e8, 1e12, 1e18)]
    x = np.concatenate([quadrants, np.nextafter(quadrants, 9), *spans, [0.0, -0.0, 1e-300, 5e-324, 1e60]])
    poses = dyn.pose(x[:, None], "tip") if many else np.array([dyn.pose([t], "tip") for t in x])
    expected = np.array([exact(t) for t in x])
    got = poses[:, [1, 0], 3]
    error = np.abs(got - expected).max(axis=1)
    # about one unit in the last place of numbers up to 1; twice that where the angle was first brought within one turn
    assert error[np.abs(x) < 9e5].max() < 2.3e-16
    assert error.max() < 6e-16


def test_what_is_not_a_number_stays_so() -> None:
    dyn = lg.compile(CRANK)
    for bad in (np.nan, np.inf, -np.inf):
        assert np.isnan(dyn.pose([bad], "tip")[:2, 3]).all()
        many = dyn.pose([[0.1], [bad], [0.2]], "tip")
        assert np.isnan(many[1, :2, 3]).all()
        np.testing.assert_allclose(many[[0, 2], 0, 3], np.cos([0.1, 0.2]))
