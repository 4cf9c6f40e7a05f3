"""The spring of a ball joint, which pulls by the angle of the shortest turn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import lagrangian as lg

STIFFNESS, INERTIA = 5.0, 0.2


@pytest.fixture(scope="module")
def ball() -> lg.Mechanism:
    """A body whose inertia is that of a ball, at a ball joint through its centre."""
    joint = lg.Joint("b", "ball", "ground", "body", spring=lg.JointSpring(STIFFNESS))
    return lg.Mechanism("ball", [lg.Body("body", 1.0, inertia=(INERTIA,) * 3)], [joint], gravity=(0, 0, 0))


def quaternion_of(vector: np.ndarray) -> np.ndarray:
    return Rotation.from_rotvec(vector).as_quat(scalar_first=True)


@pytest.mark.parametrize("size", [0.0, 1e-200, 1e-20, 1e-15, 1e-9, 1e-3, 1.0, 3.14])
@pytest.mark.parametrize("scale", [1.0, -1.0, 3.0])
def test_torque_and_energy(ball: lg.Mechanism, size: float, scale: float) -> None:
    """Of turns of any size, by either of their two quaternions, of any length."""
    vector = size * np.array([2.0, -1.0, 2.0]) / 3
    dyn, q = lg.compile(ball), scale * np.r_[np.cos(size / 2), np.sinc(size / 2 / np.pi) * vector / 2]
    assert dyn.gravity(q) == pytest.approx(STIFFNESS * vector, rel=1e-13, abs=0)
    assert dyn.forward_dynamics(q, np.zeros(3), np.zeros(3)) == pytest.approx(-STIFFNESS / INERTIA * vector, rel=1e-13, abs=0)
    assert dyn.potential_energy(q) == pytest.approx(0.5 * STIFFNESS * size**2, rel=1e-13, abs=0)


def test_code_in_a_loop_over_the_links(ball: lg.Mechanism, rolled_only: None) -> None:
    vector = np.array([1.0, -0.8, 0.5])
    assert lg.compile(ball).gravity(quaternion_of(vector)) == pytest.approx(STIFFNESS * vector, rel=1e-13)


def test_a_ball_swings_about_one_axis(ball: lg.Mechanism) -> None:
    vector = np.array([1.0, -0.8, 0.5])
    motion = lg.simulate(ball, 2.0, quaternion_of(vector), rtol=1e-10)
    expected = [quaternion_of(vector * np.cos(np.sqrt(STIFFNESS / INERTIA) * t)) for t in motion.t]
    np.testing.assert_allclose(motion.q, np.array(expected) * np.sign(np.array(expected)[:, :1]), atol=1e-8)


def test_small_motions(ball: lg.Mechanism) -> None:
    """Also at rest, where the turn has no direction."""
    linear_model = lg.linearise(ball).eigenvalues()
    np.testing.assert_allclose(np.sort(np.abs(linear_model.imag)), np.full(6, np.sqrt(STIFFNESS / INERTIA)), rtol=1e-12)


def test_it_is_written_and_read(ball: lg.Mechanism) -> None:
    assert lg.loads(lg.dumps(ball)).joints == ball.joints


def test_what_has_no_such_spring_says_so(ball: lg.Mechanism) -> None:
    with pytest.raises(lg.MechanismError, match=r"joint 'b'.*spring: rest is 0\.3.*where the two joint frames coincide"):
        lg.Joint("b", "ball", "ground", "body", spring=lg.JointSpring(1.0, 0.3))
    with pytest.raises(lg.MechanismError, match=r"joint 'b'.*whole rotation and has no closed form"):
        lg.derive(ball)
    with pytest.raises(lg.ArgumentError, match=r"joint 'b'.*jumps where it has made half a turn"):
        lg.certify(ball, 1.0)
