"""Joints whose lower and upper limit are the same, as files write it of what is fixed: they are held, and the rest moves on."""

import numpy as np
import pytest

import lagrangian as lg

AT = 0.3


def arm(first):
    bodies = [lg.Body("a", 1.0, (0.4, 0, 0), (0.1, 0.1, 0.1)), lg.Body("b", 2.0, (0.5, 0, 0), (0.2, 0.2, 0.2))]
    second = lg.Joint("q", "revolute", "a", "b", lg.Transform(position=(1, 0, 0)), axis="y")
    return lg.Mechanism("arm", bodies, [first, second])


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("speed", [0.0, 0.7])
def test_it_moves_as_with_a_fixed_joint(friction, speed):
    """A speed that it begins with is gone at once, as in any impact, and takes of that of the other joint what it does."""
    limits = lg.JointLimits(AT, AT)
    held = arm(lg.Joint("p", "revolute", "ground", "a", axis="y", limits=limits, friction=lg.Friction(0.1, friction)))
    fixed = arm(lg.Joint("p", "fixed", "ground", "a", lg.Transform.from_rpy((0, 0, 0), (0, AT, 0))))
    mass = lg.compile(held).mass_matrix([AT, 1.0])
    after = 0.2 + speed * mass[0, 1] / mass[1, 1]  # the impulse is at p: the momentum of q stays
    ours, theirs = lg.simulate(held, 1.0, [AT, 1.0], [speed, 0.2]), lg.simulate(fixed, 1.0, [1.0], [after])
    assert ours.success
    np.testing.assert_allclose(ours.q[:, 0], AT, atol=1e-12)
    np.testing.assert_allclose(ours.q[-1, 1], theirs.q[-1, 0], atol=1e-6)


def test_without_limits_it_is_free():
    held = arm(lg.Joint("p", "revolute", "ground", "a", axis="y", limits=lg.JointLimits(0, 0)))
    assert abs(lg.simulate(held, 0.5, limits=False).q[-1, 0]) > 0.1


def test_it_cannot_be_unlocked():
    held = arm(lg.Joint("p", "revolute", "ground", "a", axis="y", limits=lg.JointLimits(0, 0)))
    free = [lg.Event("t - 0.1", action=lg.UnlockJoints("p"))]
    with pytest.raises(lg.ArgumentError, match="arm: an event unlocks 'p', whose limits leave it no room; limits=False leaves"):
        lg.simulate(held, 0.5, events=free)
    assert lg.simulate(held, 0.5, events=free, limits=False).success
