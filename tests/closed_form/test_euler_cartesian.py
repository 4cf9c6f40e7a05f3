"""Cartesian equations with Euler angles in closed form: against the angles as coordinates, and against the compiled ones."""

import pytest

import lagrangian as lg
from lagrangian.equations.operational_space import square_root
from lagrangian.model.rotation.euler import MOVING_SEQUENCES

Q, QD = [0.3, 0.5, -0.8], [1.0, -0.4, 0.7]


@pytest.fixture(scope="module")
def gimbal() -> dict[str, lg.EquationsOfMotion]:
    """For every sequence of three different axes, or first and last the same, a body on a gimbal that turns about these."""
    body = lg.Body("body", mass=2.0, center=(0.1, -0.2, 0.15), inertia=(0.3, 0.4, 0.5))
    results = {}
    for name in MOVING_SEQUENCES:
        axes = {word: tuple(float(a == b) for b in "XYZ") for word, a in zip(("axis", "axis2", "axis3"), name, strict=True)}
        joint = lg.Joint("turn", "gimbal", "ground", "body", **axes)
        results[name] = lg.derive(lg.Mechanism(name, (body,), (joint,), gravity=(0.0, 0.0, -9.81)))
    return results


@pytest.mark.parametrize("name", MOVING_SEQUENCES)
def test_the_angles_of_a_gimbal_are_its_coordinates(gimbal: dict[str, lg.EquationsOfMotion], name: str) -> None:
    """Where x is q, M_x is M, C_x is C q', G_x is G: exactly, and J is the unit matrix."""
    eom = gimbal[name]
    x = eom.cartesian("body", ("alpha", "beta", "gamma"), euler=name)
    velocity = [sum((c * lg.Formula(eom.writer, eom.system.speed(k)) for k, c in enumerate(row)), 0 * row[0]) for row in eom.C]
    for i in range(3):
        assert x.G_x[i] == eom.G[i]
        assert x.C_x[i] == velocity[i]
        for j in range(3):
            assert x.M_x[i, j] == eom.M[i, j]
            assert x.J[i, j] == int(i == j)
    assert x.determinant == 1
    turned = eom.cartesian("body", ("gamma", "beta", "alpha"), euler=name[::-1].lower())  # about fixed axes
    assert turned.M_x[0, 2] == eom.M[0, 2]


def test_one_angle_of_a_planar_arm_and_numbers() -> None:
    arm = lg.library("three_r")
    eom, dyn = lg.derive(arm), lg.compile(arm)
    closed = eom.cartesian("tip", ("alpha", "x", "y"), euler="ZYX")
    compiled = dyn.cartesian(Q, QD, "tip", ("alpha", "x", "y"), euler="ZYX")
    assert closed.M_x.evaluate(Q) == pytest.approx(compiled.M_x, rel=1e-9)
    assert closed.C_x.evaluate(Q, QD) == pytest.approx(compiled.C_x, rel=1e-9)
    assert closed.G_x.evaluate(Q) == pytest.approx(compiled.G_x, rel=1e-9)
    with pytest.raises(lg.ArgumentError, match=r"gimbal lock: the ZXZ angles of 'tip' are singular .* and here it always is"):
        eom.cartesian("tip", ("alpha", "x", "y"), euler="ZXZ")


def test_another_sequence_than_the_joints(gimbal: dict[str, lg.EquationsOfMotion]) -> None:
    """Alpha and gamma have polynomial rates in any sequence; beta stands over a root, which is said."""
    eom = gimbal["ZYX"]
    with pytest.raises(lg.MechanismError, match=r"rate of beta of the ZXZ angles of 'body' has a root"):
        eom.cartesian("body", ("alpha", "beta", "gamma"), euler="ZXZ")
    # turned by a right angle about z, the sequence ZXY sees what ZYX saw: its beta has the joint's cosine below it
    fork = lg.Mechanism(
        "fork",
        (lg.Body("a"), lg.Body("b", mass=1.0, center=(0.1, 0.0, 0.2), inertia=(0.1, 0.2, 0.25))),
        (
            lg.Joint("q1", "revolute", "ground", "a"),
            lg.Joint("q2", "revolute", "a", "b", axis=(1.0, 0.0, 0.0)),
        ),
        gravity=(0.0, 0.0, -9.81),
    )
    both = lg.derive(fork)
    closed = both.cartesian("b", ("alpha", "beta"), euler="ZXY")
    compiled = lg.compile(fork).cartesian(Q[:2], QD[:2], "b", ("alpha", "beta"), euler="ZXY")
    for name, arguments in (("M_x", (Q[:2],)), ("C_x", (Q[:2], QD[:2])), ("G_x", (Q[:2],))):
        assert getattr(closed, name).evaluate(*arguments) == pytest.approx(getattr(compiled, name), rel=1e-10, abs=1e-12)
    with pytest.raises(lg.ArgumentError, match="there is no direction 'wx'"):
        both.cartesian("b", ("wx", "beta"), euler="ZXY")
    with pytest.raises(lg.ArgumentError, match=r"XYX, XYZ, .* lower case"):
        both.cartesian("b", ("alpha", "beta"), euler="ABC")


def test_square_roots(gimbal: dict[str, lg.EquationsOfMotion]) -> None:
    ring = gimbal["ZYX"].system.ring
    c, s = ring.generator("c2"), ring.generator("s2")
    assert square_root(ring(1 - s * s)) in (c, -c)
    assert square_root(ring(c * c * 9) / 4) == ring(c * 3) / 2 or square_root(ring(c * c * 9) / 4) == -ring(c * 3) / 2
    assert square_root(ring(1 - c * c)) == s
    assert square_root(ring(1 + c)) is None
    assert square_root(ring(-c * c)) is None
    assert square_root(ring(2 * c * c)) is None
