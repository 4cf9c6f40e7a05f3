"""The energy balance that a run is checked by, estimated by compiled code: all that does work is in it, and errors show."""

from collections.abc import Callable

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.motion.result import accuracy
from lagrangian.motion.solver import balance
from tests.motion.machines import chain, formula, four_bar, particle, pendulum, slider

TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def totals(motion: lg.Motion) -> np.ndarray:
    """What the estimate is made of."""
    result = balance.no_totals()
    for segment in motion.trajectory.segments:
        segment.solver.balance(segment, result, 1e-10, 1e-12)
    return result


def ball(damping: float) -> lg.Mechanism:
    floor = lg.Wall("floor", "point", stiffness=1e4, damping=damping)
    return particle([]).replace(springs=[floor])


def damper() -> lg.Mechanism:
    between = lg.PointSpring("strut", "ground", "bar", (0.5, 0, 0), (0, -1, 0), stiffness=20.0, rest=0.3, damping=2.0)
    return pendulum().replace(springs=[between])


WORKING: dict[str, Callable[[], lg.Motion]] = {
    "torques": lambda: lg.simulate(chain(2), 2.0, [0.3, 0.4], torque={"a0": "2*sin(3*t) - qd_a1"}, **TIGHT),
    "a table": lambda: lg.simulate(slider(), 2.0, [0.0], torque=([0, 0.5, 2], [[0], [3], [-1]]), **TIGHT),
    "viscous friction": lambda: lg.simulate(pendulum(friction=lg.Friction(viscous=0.5)), 2.0, [1.5], **TIGHT),
    "dry friction": lambda: lg.simulate(pendulum(friction=lg.Friction(coulomb=0.5)), 2.0, [1.5], **TIGHT),
    "a damper": lambda: lg.simulate(damper(), 2.0, [1.5], **TIGHT),
    "a wall": lambda: lg.simulate(ball(100.0), 1.0, [0, 0, 0.5], **TIGHT),
    "wrenches": lambda: lg.simulate(slider(), 2.0, [0.1], wrenches={"block": (0, 0, 0, "3*cos(t) - qd_x", 0, 0)}, **TIGHT),
    "a constraint that moves": lambda: lg.simulate(
        pendulum().replace(constraints=[lg.HolonomicConstraint("turn", formula("a - 2*t", "a"))]), 1.0, [0.0], {"a": 2.0}, **TIGHT
    ),
    "a speed that is kept": lambda: lg.simulate(
        slider(gravity=(-3, 0, 0), constraints=[lg.PfaffianConstraint("rate", {"x": 1.0}, phi=-0.7)]),
        1.0,
        [0.0],
        {"x": 0.7},
        **TIGHT,
    ),
    "a stop": lambda: lg.simulate(pendulum(limits=lg.JointLimits(-0.4, 2.0)), 2.0, [1.5], restitution=0.5, **TIGHT),
}


@pytest.mark.parametrize("what", WORKING)
def test_all_that_does_work_is_in_it(what: str) -> None:
    """Energy less work is constant: whatever were left out would show."""
    motion = WORKING[what]()
    done = float(np.abs(motion.total_work).max())
    assert done > 0.1
    assert accuracy.estimated(motion.trajectory).unbalance < 1e-5  # a few places do not resolve forces of a motion that is led
    assert np.abs(motion.energy_balance).max() < 1e-7 * done


def test_the_amounts_are_those_of_the_motion() -> None:
    """Energies, the work in all, and how far a loop is open, against the functions of the mechanism at 10^4 rows."""
    crank = four_bar()
    q0 = lg.assemble(crank, [0.8, 0.3, 1.9], fixed=["theta1"])
    motion = lg.simulate(crank, 2.0, q0, torque={"theta1": "3*cos(2*t)"}, t_eval=10_001, rtol=1e-8, atol=1e-10)
    actual = totals(motion)
    assert actual[balance.BEGINNING] == pytest.approx(motion.energy[0], rel=1e-12)
    assert actual[balance.WORK] == pytest.approx(motion.total_work[-1], rel=1e-7)
    assert actual[balance.KINETIC] == pytest.approx(motion.kinetic_energy.max(), rel=1e-2)
    assert actual[balance.HIGHEST] == pytest.approx(motion.potential_energy.max(), rel=1e-2)
    assert actual[balance.LOWEST] == pytest.approx(motion.potential_energy.min(), rel=1e-2)
    drift = motion.statistics["drift_between_steps"]
    assert drift * accuracy.NEAR < actual[balance.DRIFT] <= 1.01 * drift


@pytest.mark.parametrize("name", ["two_r", "rolling_disc", "five_bar", "wire_particles"])
def test_an_estimate_is_near_what_it_estimates(name: str) -> None:
    """Where the estimate is well within what is promised, so is what all rows say."""
    motion = lg.simulate(lg.library(name), 3.0, t_eval=2001, rtol=1e-5, atol=1e-7)
    estimate = accuracy.estimated(motion.trajectory)
    rows = float(np.abs(motion.energy_balance).max()) / motion.energy_scale
    assert rows * accuracy.NEAR < estimate.unbalance < rows / accuracy.NEAR
    assert motion.statistics["drift_between_steps"] * accuracy.NEAR <= estimate.drift


def test_a_balance_that_is_off_is_reported() -> None:
    """An energy that jumps where nothing does work: the state of a later step is changed behind the run's back."""
    motion = lg.simulate(lg.library("two_r"), 3.0)
    steps = motion.trajectory.segments[0].steps
    steps[len(steps) // 2 :, -1] += 0.5
    assert accuracy.estimated(motion.trajectory).unbalance > 1e-3
    steps[len(steps) // 2 :, -1] = np.nan
    assert accuracy.estimated(motion.trajectory).surely_within(1.0) == (False, True)


def test_loops_that_open_spoil_the_balance() -> None:
    crank = four_bar()
    q0 = lg.assemble(crank, [0.8, 0.3, 1.9], fixed=["theta1"])
    with pytest.warns(lg.SimulationWarning, match=r"the energy balance is off by .* of the energy moved"):
        lg.simulate(crank, 200.0, q0, {"theta1": 2.0}, stabilisation="none", method="dp5", rtol=1e-5, atol=1e-7)


def test_a_mechanism_at_rest_asks_its_controller_no_more_often() -> None:
    """It comes to rest in a second. Beginning anew at rest, where powers are rounding, is no reason to look closer."""
    hold = 0.5 * 9.81 * np.sin(0.7)
    asked = {}
    for breaks in ((), (3.0, 4.0)):

        class Controller:
            calls = 0

            def __call__(self, t: float, q: np.ndarray, qd: np.ndarray) -> list[float]:
                self.calls += 1
                return [hold - 100 * (q[0] - 0.7) - 20 * qd[0]]

        controller = Controller()
        controller.discontinuities = breaks
        lg.simulate(pendulum(), 5.0, [0.0], torque=controller)
        asked[breaks] = controller.calls
    assert asked[3.0, 4.0] < 1.5 * asked[()]


def test_a_balance_that_is_no_number_is_not_taken_for_zero() -> None:
    assert np.isnan(accuracy.unbalance(np.nan, 1.0, 1.0, 1.0))
    assert np.isnan(accuracy.unbalance(1.0, 1.0, np.nan, 1.0))
    assert not accuracy.Estimate(np.nan, np.nan).surely_within(1.0)[0]
