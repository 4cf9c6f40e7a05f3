"""A torque function that says when it jumps: steps end there, so the solution is as exact as between the jumps."""

import numpy as np
import pytest

import lagrangian as lg

MASS, JUMP = 2.0, 0.7137


def slider():
    body = lg.Body("block", MASS)
    return lg.Mechanism("slider", [body], [lg.Joint("x", "prismatic", "ground", "block", axis="x")])


class Steps:
    """Forces 3, then -5, then 1, from these times on."""

    def __init__(self, discontinuities=(0.0, JUMP, 1.3)):
        self.discontinuities = discontinuities

    def __call__(self, t, q, qd):
        return [3.0 if t < JUMP else -5.0 if t < 1.3 else 1.0]


def exact(t):
    x, v, previous = 0.2, -0.4, 0.0
    for until, force in ((JUMP, 3.0), (1.3, -5.0), (np.inf, 1.0)):
        h = min(t, until) - previous
        x, v = x + v * h + force / MASS * h * h / 2, v + force / MASS * h
        if t <= until:
            return x, v
        previous = until
    raise AssertionError


@pytest.mark.parametrize("method", ["auto", "dp5", "verner9", "rodas5p"])
def test_the_slider_is_exact(method):
    motion = lg.simulate(slider(), (0, 2), [0.2], [-0.4], torque=Steps(), method=method, t_eval=21)
    tolerance = 1e-12 if method != "verner9" else 1e-11  # whose interpolation has large coefficients
    np.testing.assert_allclose(np.hstack([motion.q, motion.qd]), [exact(t) for t in motion.t], rtol=0, atol=tolerance)
    assert np.abs(motion.energy_balance).max() < tolerance
    for t in (JUMP, np.nextafter(JUMP, 0), 1.3, 0.71, 1.99):
        np.testing.assert_allclose(np.concatenate(motion(t)), exact(t), rtol=0, atol=tolerance)


def test_rows_at_the_jumps_have_what_comes_after():
    motion = lg.simulate(slider(), (0, 2), [0.2], [-0.4], torque=Steps(), t_eval=[0, np.nextafter(JUMP, 0), JUMP, 1.3, 2])
    np.testing.assert_array_equal(motion.tau[:, 0], [3, 3, -5, 1, 1])
    np.testing.assert_array_equal(motion.qdd[:, 0] * MASS, motion.tau[:, 0])


def test_any_order_and_outside_of_the_run():
    motion = lg.simulate(slider(), (0, 1), [0.2], [-0.4], torque=Steps([1.3, 9.0, JUMP, -4.0]))
    np.testing.assert_allclose(motion.q[-1], exact(1.0)[0], rtol=0, atol=1e-12)
    from_the_jump = lg.simulate(slider(), (JUMP, 1), [0.0], [0.0], torque=Steps())
    np.testing.assert_allclose(from_the_jump.qd[-1], -5 / MASS * (1 - JUMP), rtol=0, atol=1e-12)


def test_without_discontinuities_it_is_not():
    """What the discontinuities are for."""
    motion = lg.simulate(slider(), (0, 2), [0.2], [-0.4], torque=lambda t, q, qd: Steps()(t, q, qd))
    assert 1e-12 < np.abs(motion.q[-1] - exact(2.0)[0]).max() < 1e-5


def test_dry_friction_that_a_jump_overcomes():
    """At rest under 1 N until it is 5 N: friction of 2 N holds, then slips."""
    held = lg.Mechanism(
        "slider",
        [lg.Body("block", MASS)],
        [lg.Joint("x", "prismatic", "ground", "block", axis="x", friction=lg.Friction(coulomb=2.0))],
    )

    def force(t, q, qd):
        return [1.0 if t < JUMP else 5.0]

    force.discontinuities = (JUMP,)
    motion = lg.simulate(held, (0, 2), [0.0], [0.0], torque=force, t_eval=[0, 0.5, JUMP, 2])
    np.testing.assert_allclose(motion.q[:, 0], [0, 0, 0, 0.5 * 3 / MASS * (2 - JUMP) ** 2], rtol=0, atol=1e-10)


@pytest.mark.parametrize("discontinuities", [3, "soon", [np.nan], [0.1, None]])
def test_bad_discontinuities(discontinuities):
    with pytest.raises(lg.ArgumentError, match="the function's `discontinuities` are"):
        lg.simulate(slider(), (0, 1), torque=Steps(discontinuities))


@pytest.mark.parametrize("argument", ["torque", "wrenches"])
def test_the_name_before_version_0_1_is_refused(argument):
    """A function's `breaks` would be ignored, and its jumps with them."""

    def force(t, q, qd):
        return [1.0 if t < JUMP else 5.0]

    force.breaks = (JUMP,)
    arguments = {"torque": force} if argument == "torque" else {"wrenches": {"block": force}}
    with pytest.raises(
        lg.ArgumentError, match=f"{argument}: the function has an attribute `breaks`; it must be `discontinuities`"
    ):
        lg.simulate(slider(), (0, 1), **arguments)
