"""Forces of joints at rest that are not unique: the least, by NumPy's least squares where no bound is met."""

from __future__ import annotations

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.motion.run.complementarity import Bounds
from lagrangian.motion.run.discs import Disc
from lagrangian.motion.run.least import least
from tests.motion.machines import formula


def test_they_are_those_of_least_squares() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        B = rng.normal(size=(2, 5))
        s = rng.normal(size=5)
        wide = Bounds(np.full(5, -np.inf), np.full(5, np.inf))
        actual = least(B, s, wide, [], list(range(5)))
        np.testing.assert_allclose(actual, np.linalg.lstsq(B, B @ s, rcond=None)[0], atol=1e-10)


def test_within_bounds_they_are_least_by_their_conditions() -> None:
    """No other forces nearby do the same and are less; with discs they are no more than they were."""
    rng = np.random.default_rng(1)
    met = 0
    for _ in range(40):
        B, most = rng.normal(size=(2, 5)), rng.uniform(0.2, 1.0, 5)
        s = rng.uniform(-1, 1, 5) * most
        radius = float(np.linalg.norm(s[:2]) * 1.05) if rng.random() < 0.5 else np.inf
        discs = [Disc((0, 1), radius)] if np.isfinite(radius) else []
        most[:2] = np.inf if discs else most[:2]
        actual = least(B, s, Bounds(-most, most), discs, list(range(5)))
        np.testing.assert_allclose(B @ actual, B @ s, atol=1e-11)
        assert np.linalg.norm(actual) <= np.linalg.norm(s) + 1e-12
        assert np.linalg.norm(actual[:2]) <= radius
        free = np.abs(actual) < most * (1 - 1e-12)
        met += int(not free.all())
        across = np.linalg.svd(B)[2][2:]
        for _ in range(50):  # no way without effect that stays within the bounds makes them less
            step = 1e-3 * (rng.normal(size=3) @ across)
            if np.all(np.abs(actual + step) <= most) and not discs:
                assert np.linalg.norm(actual + step) >= np.linalg.norm(actual) - 1e-12
    assert met > 3


def test_three_blocks_on_one_bar_share_what_they_hold() -> None:
    """A push of 1.2 N that begins at once: each block gives according to its mass, unless it has less to give."""
    masses, push = (1.0, 2.0, 4.0), 1.2
    bodies = [lg.Body(f"body_{n}", m) for n, m in zip("xyz", masses, strict=True)]
    bars = [lg.HolonomicConstraint("one", formula("x - y", "x y z")), lg.HolonomicConstraint("two", formula("y - z", "x y z"))]

    def holding_friction(friction: tuple[float, ...]) -> np.ndarray:
        joints = [
            lg.Joint(n, "prismatic", "ground", f"body_{n}", axis="x", friction=lg.Friction(coulomb=c))
            for n, c in zip("xyz", friction, strict=True)
        ]
        blocks = lg.Mechanism("blocks", bodies, joints, constraints=bars, gravity=(0, 0, 0))
        motion = lg.simulate(blocks, 1.0, torque=[push, 0.0, 0.0])
        assert not motion.events
        return motion.friction[-1]

    # the sum is given; least by the sum of f^2/m: in proportion to the masses
    assert holding_friction((9.0, 9.0, 9.0)) == pytest.approx(push * np.array(masses) / sum(masses), rel=1e-9)
    # the third can give no more than 0.2: the others have the rest
    assert holding_friction((9.0, 9.0, 0.2)) == pytest.approx([1 / 3, 2 / 3, 0.2], rel=1e-9)
