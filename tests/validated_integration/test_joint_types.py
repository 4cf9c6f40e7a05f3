"""Every type of joint, placed and turned anyhow: the tightest simulation, which rounds its numbers, is near the proven state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lagrangian as lg

TYPES: dict[str, dict[str, Any]] = {
    "revolute": {"axis": (1, 2, 2)},
    "prismatic": {"axis": (3, 0, 4)},
    "helical": {"axis": (1, 1, 0), "pitch": 0.3},
    "universal": {"axis": "x", "axis2": "y"},
    "gimbal": {"axis": "z", "axis2": "y", "axis3": "x"},
    "planar": {"axis": (2, 2, 1)},
    "cam": {"axis": "z", "advance": "0.1*sin(angle)/3"},
    "ball": {},
    "free": {},
}


def mechanism(kind: str) -> lg.Mechanism:
    """A link on a joint of this type, and a second one on it, both placed by rounded numbers."""
    first = lg.Body("a", 1.3, (0.2, -0.1, 0.3), (0.11, 0.13, 0.17))
    second = lg.Body("b", 0.7, (0.1, 0.3, -0.2), (0.05, 0.06, 0.07))
    return lg.Mechanism(
        f"{kind}_and_revolute",
        [first, second],
        [
            lg.Joint(
                "j",
                kind,
                "ground",
                "a",
                lg.Transform.from_rpy((0.1, 0.2, 0.3), (0.3, -0.5, 0.7)),
                lg.Transform.from_rpy((0.05, -0.02, 0.01), (0.1, 0.2, 0.3)),
                **TYPES[kind],
            ),
            lg.Joint("k", "revolute", "a", "b", (0.3, 0.1, -0.2), axis=(0, 3, 4), rotor={"inertia": 0.001, "ratio": 7}),
        ],
        gravity=(0.3, -2, -9.7),
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", TYPES)
def test_joint_types(kind: str) -> None:
    m = mechanism(kind)
    rng = np.random.default_rng(3)
    q0 = m.random_configuration(4)
    qd0 = rng.uniform(-1, 1, m.nv)
    certified_motion = lg.certify(m, 0.2, q0, qd0, digits=14)
    motion = lg.simulate(m, 0.2, q0, qd0, method="verner9", rtol=1e-14, atol=1e-15)
    assert certified_motion.contains(motion, within=1e-13)
    assert 0 in certified_motion.energy_balance
    assert certified_motion.energy_balance.radius < 1e-12
