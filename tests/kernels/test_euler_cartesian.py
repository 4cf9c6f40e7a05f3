"""Cartesian equations with Euler angles (G27): all sequences, against SciPy's rotations, differences, and J^-T M J^-1."""

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import lagrangian as lg
from lagrangian.model.rotation.euler import MOVING_SEQUENCES, EulerSequence

SEQUENCES = (*MOVING_SEQUENCES, *(name.lower() for name in MOVING_SEQUENCES))
q = np.array([0.4, -0.7, 0.9, 0.5, 0.8, -0.6])
qd = np.array([0.5, -0.4, 0.7, -0.3, 0.9, 0.6])
qdd = np.array([1.0, 0.8, -0.5, 0.4, -0.9, 1.2])


@pytest.fixture(scope="module")
def puma() -> lg.Dynamics:
    return lg.compile(lg.library("puma560"))


@pytest.mark.parametrize("name", SEQUENCES)
def test_angles_and_their_rates(name: str) -> None:
    """Against SciPy: the rotation, the angles, E and E' by central differences."""
    sequence, rng = EulerSequence.from_name(name), np.random.default_rng(3)
    R = Rotation.random(30, random_state=1)
    assert sequence.angles(R.as_matrix()) == pytest.approx(R.as_euler(name), abs=1e-12)
    assert sequence.rotation(R.as_euler(name)) == pytest.approx(R.as_matrix(), abs=1e-14)
    phi, rate, second = rng.uniform(-1, 1, (3, 1, 3))

    def at(t: float) -> Rotation:
        return Rotation.from_euler(name, phi + rate * t + second * t * t / 2)

    def velocity(t: float, h: float = 1e-4) -> np.ndarray:
        return (at(t + h) * at(t - h).inv()).as_rotvec() / (2 * h)

    E = sequence.rates_matrix(phi)[0]
    assert E @ rate[0] == pytest.approx(velocity(0.0)[0], abs=1e-7)
    slope = (velocity(1e-3) - velocity(-1e-3))[0] / 2e-3
    assert E @ second[0] + sequence.rates_matrix_bias(phi, rate)[0] == pytest.approx(slope, abs=1e-5)
    assert sequence.abs_determinant(phi)[0] == pytest.approx(abs(np.linalg.det(E)), abs=1e-14)


@pytest.mark.parametrize("name", SEQUENCES)
def test_equations_of_six_coordinates(puma: lg.Dynamics, name: str) -> None:
    """M_x = J^-T M J^-1 with the Jacobian of (angles, position) by differences; F and tau = J^T F agree along a motion."""
    cartesian_dynamics = puma.cartesian(q, qd, "link6", euler=name)
    assert cartesian_dynamics.directions == ("alpha", "beta", "gamma", "x", "y", "z")

    def x(at: np.ndarray) -> np.ndarray:
        pose = puma.pose(at, "link6")
        return np.append(Rotation.from_matrix(pose[:3, :3]).as_euler(name), pose[:3, 3])

    h = 1e-6
    J = np.array([(x(q + h * e) - x(q - h * e)) / (2 * h) for e in np.eye(6)]).T
    assert pytest.approx(J, rel=1e-6, abs=1e-8) == cartesian_dynamics.J
    inverse = np.linalg.inv(cartesian_dynamics.J)
    assert cartesian_dynamics.M_x == pytest.approx(inverse.T @ puma.mass_matrix(q) @ inverse, rel=1e-9)
    assert cartesian_dynamics.G_x == pytest.approx(inverse.T @ puma.gravity(q), rel=1e-9)

    def place(t: float) -> np.ndarray:
        return x(q + qd * t + qdd * t * t / 2)

    step = 1e-4
    acceleration = (place(step) - 2 * place(0.0) + place(-step)) / step**2
    assert cartesian_dynamics.J @ qdd + cartesian_dynamics.J_dot_qd == pytest.approx(acceleration, rel=1e-5, abs=1e-6)
    force = (
        cartesian_dynamics.M_x @ (cartesian_dynamics.J @ qdd + cartesian_dynamics.J_dot_qd)
        + cartesian_dynamics.C_x
        + cartesian_dynamics.G_x
        + cartesian_dynamics.F_x
    )
    assert cartesian_dynamics.J.T @ force == pytest.approx(puma.inverse_dynamics(q, qd, qdd), rel=1e-9)


def test_energy_is_that_of_the_rates(puma: lg.Dynamics) -> None:
    cartesian_dynamics = puma.cartesian(q, qd, "link6", euler="ZXZ")
    rates = cartesian_dynamics.J @ qd
    assert rates @ cartesian_dynamics.M_x @ rates / 2 == pytest.approx(puma.kinetic_energy(q, qd), rel=1e-12)


def test_some_of_the_angles() -> None:
    """A planar arm has one angle; it is the sum of its joints' angles, so that alpha of ZYX is wz."""
    dyn = lg.compile(lg.library("three_r"))
    state = [0.3, 0.8, -0.5], [1.0, -0.5, 0.7], "tip"
    by_angle = dyn.cartesian(*state, ("alpha", "x", "y"), euler="ZYX")
    by_speed = dyn.cartesian(*state, ("wz", "x", "y"))
    for name in ("M_x", "C_x", "G_x", "J", "J_dot_qd"):
        assert getattr(by_angle, name) == pytest.approx(getattr(by_speed, name), rel=1e-12, abs=1e-12)
    with pytest.raises(lg.ArgumentError, match="there is no direction 'wz'"):
        dyn.cartesian(*state, ("wz", "x", "y"), euler="ZYX")
    with pytest.raises(lg.ArgumentError, match=r"Independent directions are gamma, x, y"):
        dyn.cartesian(*state, euler="XYZ")


def test_gimbal_lock_is_reported(puma: lg.Dynamics) -> None:
    wrist = lg.compile(lg.library("three_r"))
    with pytest.raises(
        lg.ArgumentError, match=r"gimbal lock: the ZXZ angles of 'tip' are singular where beta is 0 or 180 deg"
    ) as e:
        wrist.cartesian([0.1, 0.2, 0.3], [0, 0, 0], "tip", ("alpha", "x"), euler="ZXZ")
    assert e.value.argument == "euler"
    wrist.cartesian([0.1, 0.2, 0.3], [0, 0, 0], "tip", ("x", "y"), euler="ZXZ")  # no angle is asked for
    beta = EulerSequence.from_name("ZYX").angles(puma.pose(q, "link6")[None, :3, :3])[0, 1]
    assert abs(beta) < 1.4  # nothing is said of a place that is no lock
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        puma.cartesian(q, qd, "link6", euler="ZYX")
    # the wrist turned until the second angle is nearly a right one
    pose = puma.pose(q, "link6")
    for off, word in ((0.5, "near gimbal lock"), (0.0, "gimbal lock")):
        pose[:3, :3] = Rotation.from_euler("ZYX", [20, 90 - off, 10], degrees=True).as_matrix()
        near = lg.inverse_kinematics(puma.mechanism, pose, "link6", q0=q)
        if off:
            with pytest.warns(lg.SingularWarning, match=rf"{word}: the ZYX angles of 'link6' .* it is 89\.5"):
                cartesian_dynamics = puma.cartesian(near, qd, "link6", euler="ZYX")
            assert not cartesian_dynamics.singular
            inverse = np.linalg.inv(cartesian_dynamics.J)
            assert cartesian_dynamics.M_x == pytest.approx(inverse.T @ puma.mass_matrix(near) @ inverse, rel=1e-7)
        else:
            with pytest.raises(lg.ArgumentError, match=r"gimbal lock: the ZYX .* it is 90; use another sequence"):
                puma.cartesian(near, qd, "link6", euler="ZYX")
            puma.cartesian(near, qd, "link6", euler="ZXZ")


def test_batches_and_bad_states(puma: lg.Dynamics) -> None:
    rows = np.array([q, q + 0.1, np.full(6, np.nan)])
    cartesian_dynamics = puma.cartesian(rows, np.tile(qd, (3, 1)), "link6", euler="XYZ")
    one = puma.cartesian(q, qd, "link6", euler="XYZ")
    assert cartesian_dynamics.M_x[0] == pytest.approx(one.M_x, rel=1e-10)
    assert np.isnan(cartesian_dynamics.M_x[2]).all()
    for wrong in ("ZZX", "ZyX", 3, "xy"):
        with pytest.raises(lg.ArgumentError, match=r"XYX, XYZ, .* lower case") as e:
            puma.cartesian(q, qd, "link6", euler=wrong)
        assert e.value.argument == "euler"
