"""Rotors of joints of every type are identified, those of joints with several axes too."""

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.model.joints import TYPES
from tests.mechanisms import MOVING, own_entries, random_body

ROTOR = lg.Rotor(0.004, 10)


def machine(kind: str) -> lg.Mechanism:
    """Frames at right angles, so that the exact grouping is at hand."""
    rng = np.random.default_rng(3)
    own = own_entries(TYPES[kind], (0, 0, 1), (0, 1, 0), axis2=(1, 0, 0), axis3=(0, 1, 0), pitch=0.25)
    rotor = None if "rotor" in TYPES[kind].refuses else ROTOR
    joints = [
        lg.Joint("first", kind, "ground", "b0", **own, rotor=rotor),
        lg.Joint("second", "revolute", "b0", "b1", lg.Transform(position=(0.5, 0.25, 0)), axis=(0, 1, 0), rotor=ROTOR),
    ]
    return lg.Mechanism("machine", [random_body(rng, "b0"), random_body(rng, "b1")], joints)


@pytest.mark.parametrize("kind", MOVING)
def test_of_every_joint(kind: str) -> None:
    mechanism = machine(kind)
    dyn, rng, n = lg.compile(mechanism), np.random.default_rng(1), 400
    q = np.array([mechanism.random_configuration(rng) for _ in range(n)])
    qd, qdd = rng.normal(size=(2, n, dyn.nv))
    tau = dyn.inverse_dynamics(q, qd, qdd)
    identification = lg.identify(
        mechanism, np.arange(n) * 0.01, q, tau, qd, qdd, friction=False, rotors=True, slow=0.0, physical=False
    )
    again = lg.compile(identification.mechanism)
    np.testing.assert_allclose(again.inverse_dynamics(q, qd, qdd), tau, rtol=0, atol=1e-6 * np.abs(tau).max())
    assert max(identification.residuals.percent_error) < 1e-5


@pytest.mark.parametrize("kind", [k for k in MOVING if k not in ("ball", "free")])
def test_paths_that_excite_them(kind: str) -> None:
    path = lg.excitation_trajectory(machine(kind), harmonics=3, rotors=True, friction=False, iterations=0)
    assert 1 < path.condition < 1e6
