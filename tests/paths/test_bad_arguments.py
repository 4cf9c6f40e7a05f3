"""Arguments of another kind than is asked for are named, wherever they are given."""

import warnings

import numpy as np
import pytest

import lagrangian as lg
from lagrangian import control, paths

TWO_R = lg.library("two_r")
CIRCLE = paths.circle((1.2, 1.2), 0.2, 10.0, frame="tip")
STATE = [0.3, 0.8], [0.0, 0.0]
ROWS = np.linspace(0, 1, 50), np.zeros((50, 2)), np.zeros((50, 2))


def force(**more):
    return control.HybridForceMotion(TWO_R, CIRCLE, **more)(0.0, *STATE)


@pytest.mark.parametrize(
    ("call", "say"),
    [
        (lambda: lg.compile(TWO_R).cartesian(*STATE, "tip", directions=3), "directions is 3; give some of"),
        (lambda: lg.compile(TWO_R).cartesian(*STATE, "tip", ("x", "y"), threshold=True), "threshold is True"),
        (lambda: force(force={"x": lambda t: "a"}), "force along x is 'a' at t = 0 s"),
        (lambda: force(force={"x": lambda t: np.nan}), "force along x is nan at t = 0 s"),
        (lambda: force(force={"x": True}), "force along x is True"),
        (lambda: force(force={"x": 1.0}, measured=lambda t, q, qd: "a"), "measured returned 'a' at t = 0 s"),
        (lambda: control.Impedance(TWO_R, CIRCLE, stiffness=[["a"]]), r"stiffness is \[\['a'\]\]"),
        (lambda: control.Impedance(TWO_R, CIRCLE, stiffness=[[1], [2, 3]]), r"stiffness is \[\[1\], \[2, 3\]\]"),
        (lambda: lg.identify(TWO_R, *ROWS, joints=3), "joints is 3"),
        (lambda: lg.identify(TWO_R, *ROWS, prior=True), "prior is True"),
        (lambda: lg.excitation_trajectory(TWO_R, seed="a"), "seed is 'a'"),
        (lambda: lg.excitation_trajectory(TWO_R, progress=3), "progress is 3"),
        (lambda: lg.excitation_trajectory(TWO_R, samples=-3), "samples is -3; a whole number of at least 6 .* 12 parameters"),
        (lambda: lg.excitation_trajectory(TWO_R, samples=0), "samples is 0"),
        (lambda: lg.excitation_trajectory(TWO_R, samples=5), "samples is 5"),
        (lambda: paths.circle((0, 0), True, 1.0), "radius is True"),
        (lambda: paths.circle((0, 0), 1.0, 1.0, turns=True), "turns is True"),
        (lambda: lg.inverse_kinematics(TWO_R, (1.2, 1.2), "tip", limits="no"), "limits is 'no'; True or False"),
        (lambda: lg.inverse(TWO_R, CIRCLE, limits="no"), "limits is 'no'; True or False"),
        (lambda: lg.size_actuators(TWO_R, lg.inverse(TWO_R, CIRCLE), catalogue=[]), "catalogue has no motors; catalogue=False"),
    ],
)
def test_of_another_kind(call, say):
    with pytest.raises(lg.ArgumentError, match=say):
        call()


def test_numbers_of_numpy_are_numbers():
    dyn = lg.compile(TWO_R)
    one, other = (dyn.cartesian(*STATE, "tip", ("x", "y"), threshold=x).M_x for x in (np.float32(1e-3), 1e-3))
    np.testing.assert_array_equal(one, other)
    assert lg.excitation_trajectory(TWO_R, samples=np.int64(6), iterations=0).condition > 1


def test_a_method_that_needs_slopes_and_a_function_without():
    def torque(t, q, qd):
        return -np.asarray(qd)

    with pytest.warns(lg.SimulationWarning, match="rodas5p needs the derivatives .* or method='dop853'"):
        lg.simulate(TWO_R, 0.01, torque=torque, method="rodas5p")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lg.simulate(TWO_R, 0.01, torque={"theta1": "-qd_theta1"}, method="rodas5p")
        lg.simulate(TWO_R, 0.01, torque=torque)


def test_paths_of_any_duration_are_evaluated() -> None:
    """Squares of long durations are no floats."""
    path = lg.paths.joint_line([0.0], [1.0], 1e200)
    q, qd, qdd = path(5e199)
    assert (q[0], qdd[0]) == (0.5, 0.0)
    assert qd[0] == pytest.approx(1.875e-200)
