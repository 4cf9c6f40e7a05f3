"""Numbers that no mechanism has are refused, with the bound; whatever is within it is computed with."""

import numpy as np
import pytest

import lagrangian as lg


@pytest.mark.parametrize("x", [1.1e9, 1e11, 1e308, 10**400, np.longdouble("1e300")])
def test_lengths_out_of_bounds_are_refused(x: float) -> None:
    for make in (
        lambda: lg.Body("b", mass=1.0, center=(x, 0, 0)),
        lambda: lg.Joint("j", "revolute", "ground", "b", placement=(0, x, 0)),
        lambda: lg.PointSpring("s", "ground", "b", a_point=(x, 0, 0)),
    ):
        with pytest.raises(lg.MechanismError, match="up to 1e"):
            make()


@pytest.mark.parametrize("x", [1e31, 1e308, 10**400, -(10**400), np.longdouble("1e300")])
def test_other_numbers(x: float) -> None:
    for make in (
        lambda: lg.Body("b", mass=x),
        lambda: lg.Body("b", mass=1.0, inertia=(x, x, x)),
        lambda: lg.PointSpring("s", "ground", "b", stiffness=x),
        lambda: lg.Rotor(inertia=x),
        lambda: lg.Friction(viscous=x),
        lambda: lg.JointSpring(stiffness=x),
        lambda: lg.Mechanism("m", [], [], gravity=(0, 0, x)),
    ):
        with pytest.raises(lg.MechanismError, match=r"1e\+30|negative"):
            make()


def test_giant_integers_in_a_file() -> None:
    with pytest.raises(lg.LagrangianError):
        lg.loads(lg.dumps(lg.library("two_r")).replace("9.81", "1" + "0" * 400))


@pytest.mark.parametrize("mass", [1e-300, 5e-324, 9e-31])
def test_masses_that_nothing_has(mass: float) -> None:
    with pytest.raises(lg.MechanismError, match=r"0, or at least 1e-30 kg, is needed"):
        lg.Body("b", mass=mass)


@pytest.mark.parametrize(("length", "mass"), [(1e9, 1e20), (1e-9, 1e-30), (1e9, 1e-30), (1e-6, 1e30)])
def test_what_is_within_the_bounds_is_right(length: float, mass: float) -> None:
    """A pendulum of any size turns as one of length one does in time measured by sqrt(l/g)."""
    body = lg.Body("b", mass=mass, center=(length, 0, 0))
    model = lg.Mechanism("m", [body], [lg.Joint("j", "revolute", "ground", "b", axis="y")])
    acceleration = lg.compile(model).forward_dynamics(np.array([0.3]), np.array([0.0]), np.array([0.0]))
    assert acceleration[0] * length / 9.81 == pytest.approx(np.cos(0.3), rel=1e-9)
    time = np.sqrt(length / 9.81)
    motion = lg.simulate(model, 5 * time, [0.3], [0.0], atol=1e-14 / max(1.0, time))
    assert motion.success
    assert np.ptp(motion.energy) < 1e-6 * motion.energy_scale
