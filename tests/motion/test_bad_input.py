"""What goes wrong is said clearly, when it happens, and nothing that was computed is lost."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from tests.motion.machines import four_bar

NAN, INF = math.nan, math.inf


@pytest.fixture(scope="module")
def linkage() -> lg.Dynamics:
    return lg.compile(four_bar())


# -- arguments -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("span", "said"),
    [
        ((5, 1), "t_span runs from 5 to 1 s; the end must come after the beginning"),
        ((0, 0), "the end must come after the beginning"),
        (-1.0, "t_span runs from 0 to -1 s"),
        ((0, INF), "a number of seconds is needed, such as 10, or the start and the end, such as (0, 10)"),
        ((NAN, 1), "a number of seconds is needed"),
        ((0, 1, 2), "a number of seconds is needed"),
        ([], "a number of seconds is needed"),
        ("long", "t_span is 'long'; a number of seconds is needed"),
        (object(), "a number of seconds is needed"),
        (None, "chain2 has no default time span; give t_span, such as t_span=10"),
    ],
)
def test_time_spans(arm: lg.Dynamics, span: Any, said: str) -> None:
    with pytest.raises(lg.ArgumentError) as error:
        lg.simulate(arm, span, [0.5, 0.1])
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"q0": [1.0]}, "q0 is [1.0]; 2 finite numbers are needed: a0, a1"),
        ({"q0": [1.0, 2.0, 3.0]}, "q0 is [1.0, 2.0, 3.0]; 2 finite numbers are needed"),
        ({"q0": [[1.0, 2.0, 3.0]]}, "q0 has shape (1, 3); a row for each motion is needed, of 2 numbers: a0, a1"),
        ({"q0": [NAN, 0.0]}, "q0 is [nan, 0.0]; 2 finite numbers are needed"),
        ({"q0": ["a", "b"]}, "q0: 'a' is not understood; write a number such as 0.5, pi/4, 30deg"),
        ({"q0": "upright"}, "q0: there is no pose 'upright'"),
        ({"qd0": [1.0]}, "qd0 is [1.0]; 2 finite numbers are needed: a0, a1"),
        ({"qd0": [INF, 0.0]}, "qd0 is [inf, 0.0]; 2 finite numbers are needed"),
        ({"qd0": {"a2": 1.0}}, "there is no speed 'a2'"),
        ({"method": "dop583"}, "there is no method 'dop583'. Did you mean 'dop853'? Known: auto, dp5"),
        ({"method": None}, "there is no method None"),
        ({"method": "rk4"}, "method 'rk4' needs a fixed time step; give one, such as step=0.001"),
        ({"method": "symplectic"}, "needs a fixed time step"),
        ({"stabilisation": "baumgart"}, "Did you mean 'baumgarte'? Known: projection, baumgarte, ggl, none"),
        ({"t_eval": 1}, "at least 2 rows are needed"),
        ({"t_eval": [0.0, 2.0]}, "t_eval must increase, within t_span from 0 to 1 s"),
        ({"t_eval": [-0.1, 0.5]}, "t_eval must increase, within t_span"),
        ({"t_eval": [0.5, 0.2]}, "t_eval must increase"),
        ({"t_eval": [0.5, 0.5]}, "t_eval must increase"),
        ({"t_eval": []}, "must be a number of rows, or an array of finite times"),
        ({"t_eval": [NAN]}, "an array of finite times"),
        ({"t_eval": "many"}, "an array of finite times"),
        ({"t_eval": True}, "an array of finite times"),
        ({"rtol": 0}, "rtol is 0; a number of at least 1e-15 and at most 1 is needed"),
        ({"rtol": -1e-8}, "rtol is -1e-08"),
        ({"rtol": NAN}, "rtol is nan"),
        ({"rtol": "tight"}, "rtol is 'tight'"),
        ({"atol": 0}, "atol is 0"),
        ({"step": 0, "method": "rk4"}, "step is 0"),
        ({"step": -1}, "step is -1"),
        ({"max_step": 0}, "max_step is 0"),
        ({"max_step": NAN}, "max_step is nan"),
        ({"restitution": 1.5}, "restitution is 1.5; a number of at least 0 and at most 1 is needed"),
        ({"alpha": -1}, "alpha is -1"),
        ({"beta": NAN}, "beta is nan"),
        ({"torque": [float("nan"), 0.0]}, "torque is [nan  0.]; 2 finite numbers are needed, one for each speed"),
        ({"torque": [1.0]}, "torque has shape (1,); 2 finite numbers are needed, one for each speed"),
        ({"torque": [NAN, 0.0]}, "2 finite numbers are needed"),
        ({"torque": {"a2": 1.0}}, "torque: there is no joint or speed 'a2'"),
        ({"torque": {"a0": "k*a0"}}, "torque of 'a0': in the expression 'k*a0': there is no name 'k'"),
        ({"torque": {"a0": "a0 +"}}, "torque of 'a0': in the expression 'a0 +'"),
        ({"torque": {"a0": None}}, "torque of 'a0' is None; a finite number, or an expression in text"),
        ({"torque": "a0"}, "it may be None, numbers, a mapping of speeds to expressions, (times, values), a function"),
        ({"torque": object()}, "torque is object"),
        ({"torque": ([0, 1], [[1, 2]])}, "a table of 2 times and values of shape (1, 2) is given; (2, 2) is needed"),
        ({"torque": ([0, 1, 0.5], [[1, 2]] * 3)}, "torque: times must increase; after 1 s comes 0.5 s"),
        ({"torque": ([0, 1, 1, 1], [[1, 2]] * 4)}, "torque: the time 1 s is given more than twice; give a time twice for a jump"),
        ({"torque": ([0, 1], [[1, 2], [NAN, 2]])}, "the table has a number that is not finite"),
        ({"torque": ([0], [[1, 2]])}, "for at least two times"),
        ({"events": "a2"}, "event: in the expression 'a2': there is no name 'a2'"),
        ({"events": lg.Event("a0", lg.LockJoints("a2"))}, "event: there is no joint or speed 'a2'"),
        ({"events": lg.Event("a0", lg.SetTorque({"b": 1.0}))}, "event: there is no joint or speed 'b'"),
        ({"events": [None]}, "event is None"),
    ],
)
def test_wrong_arguments_are_refused_by_name(arm: lg.Dynamics, value: dict[str, Any], said: str) -> None:
    with pytest.raises(lg.ArgumentError) as error:
        lg.simulate(arm, 1.0, **{"q0": [0.5, 0.1], **value})
    assert said in str(error.value)


@pytest.mark.parametrize(
    "value",
    [
        {"events": 3},
        {"events": lg.Event("a0", lg.SetTorque({"a0": "1 + t"}))},
        {"events": lg.Event("a0", lg.SetTorque({"a0": NAN}))},
        {"progress": 3},
    ],
)
def test_arguments_of_the_wrong_kind(arm: lg.Dynamics, value: dict[str, Any]) -> None:
    with pytest.raises(lg.ArgumentError):
        lg.simulate(arm, 1.0, **{"q0": [0.5, 0.1], **value})


def test_events_that_are_none() -> None:
    with pytest.raises(lg.ArgumentError, match=r"action is 'explode'; it must be 'record', 'stop', LockJoints\(...\), Unlock"):
        lg.Event("a0", "explode")
    with pytest.raises(lg.ArgumentError, match=r"there is no direction 'up'\. Known: rising, falling, both"):
        lg.Event("a0", direction="up")


@pytest.mark.parametrize(("period", "delay"), [(0, 0), (-1, 0), (NAN, 0), (INF, 0), (0.1, -1), (0.1, NAN)])
def test_controllers_that_are_none(period: float, delay: float) -> None:
    with pytest.raises(lg.ArgumentError, match=r"Sampled: (period|delay) is"):
        lg.Sampled(lambda t, q, qd: [0.0], period, delay)
    with pytest.raises(lg.ArgumentError, match=r"a function of \(t, q, qd\) is needed"):
        lg.Sampled(3, 0.1)  # type: ignore[arg-type]


def test_what_is_not_a_mechanism() -> None:
    with pytest.raises(lg.ArgumentError, match="a name of the library is needed, not float"):
        lg.simulate(1.0, 1.0)  # type: ignore[arg-type]


def test_quaternion_of_zero() -> None:
    mechanism = lg.Mechanism("body", [lg.Body("b", 1.0, (0, 0, 0), (1, 1, 1))], [lg.Joint("j", "ball", "ground", "b")])
    with pytest.raises(lg.ArgumentError, match=r"the quaternion of joint 'j' is zero, which is not a rotation"):
        lg.simulate(mechanism, 1.0, [0, 0, 0, 0])
    motion = lg.simulate(mechanism, 0.1, [2, 0, 0, 0], t_eval=2)  # any other length is made one
    assert motion.q[0] == pytest.approx([1, 0, 0, 0])


def test_speeds_by_name_without_constraints(arm: lg.Dynamics) -> None:
    motion = lg.simulate(arm, 0.1, [0.5, 0.1], {"a1": 2.0}, t_eval=2)
    assert motion.qd[0] == pytest.approx([0, 2])


# -- starts that do not fit ------------------------------------------------------------------------------------------


def test_start_off_the_constraints(linkage: lg.Dynamics) -> None:
    with pytest.raises(lg.ArgumentError) as error:
        lg.simulate(linkage, 1.0, [0.8, 0.3, 1.9])
    assert "four_bar: q0 does not close the loops: closure0." in str(error.value)
    assert "misses by 0.45 m" in str(error.value)
    near = lg.assemble(linkage, [0.8, 0.3, 1.9])
    assert f"has theta1 = {near[0]:.6g}, phi2 = {near[1]:.6g}" in str(error.value)
    assert "q0={'theta1': 0.8}, and the others follow" in str(error.value)


def test_names_of_a_start_are_those_of_q0_and_qd0(linkage: lg.Dynamics) -> None:
    with pytest.raises(lg.ArgumentError, match=r"^q0: there is no coordinate 'thet1'. Did you mean 'theta1'"):
        lg.simulate(linkage, 1.0, {"thet1": 1.0})
    with pytest.raises(lg.ArgumentError, match=r"^qd0: there is no speed 'thet1'"):
        lg.simulate(linkage, 1.0, {"theta1": 1.0}, {"thet1": 1.0})


def test_functions_of_single_torques(arm: lg.Dynamics) -> None:
    with pytest.raises(lg.ArgumentError, match=r"torque of 'a0' is a function; pass one function of \(t, q, qd\)"):
        lg.simulate(arm, 1.0, torque={"a0": lambda t, q, qd: 1.0})


def test_an_unstable_controller_ends_the_run(arm: lg.Dynamics) -> None:
    """kd T / M > 2: every sample the speed grows, and with it the work of a step of the run."""
    began = time.process_time()
    with pytest.warns(lg.SimulationWarning, match=r"grows without bound: a1 reaches .* rad/s.*sampled every 0.01 s is unstable"):
        motion = lg.simulate(arm, 100.0, [0.5, 0.2], torque=lg.Sampled(lambda t, q, qd: -1000 * qd, 0.01))
    assert time.process_time() - began < 20
    assert not motion.success
    assert np.isfinite(motion.q).all()


def test_start_a_little_off_is_put_on_the_constraints(linkage: lg.Dynamics) -> None:
    """As numbers with seven digits are."""
    q0 = np.round(lg.assemble(linkage, [0.8, 0.3, 1.9], fixed=["theta1"]), 7)
    motion = lg.simulate(linkage, 0.1, q0, t_eval=2)
    assert motion.drift.max() < 1e-14
    assert motion.q[0] == pytest.approx(q0, abs=1e-6)


def test_speeds_that_break_the_constraints(linkage: lg.Dynamics) -> None:
    q0 = lg.assemble(linkage, [0.8, 0.3, 1.9], fixed=["theta1"])
    with pytest.raises(lg.ArgumentError) as error:
        lg.simulate(linkage, 1.0, q0, [1.0, 0.0, 0.0])
    for part in (
        "four_bar: qd0 violates the constraints: closure0.",
        "per second",
        "lagrangian.consistent_speeds",
        "qd0={'joint': 1.0}",
    ):
        assert part in str(error.value)
    motion = lg.simulate(linkage, 0.1, q0, {"theta1": 1.0}, t_eval=2)
    assert motion.qd[0, 0] == pytest.approx(1.0)
    assert motion.rate_drift[0] < 1e-14
    with pytest.raises(lg.AssemblyError, match="no speeds satisfy the constraints with theta1, phi2 given"):
        lg.simulate(linkage, 0.1, q0, {"theta1": 1.0, "phi2": 5.0})


def test_mechanism_that_cannot_be_assembled() -> None:
    """A rocker and a coupler that do not reach each other: by how much, and where."""
    mechanism = four_bar(lengths=(5.0, 0.3, 0.9, 0.6))
    with pytest.raises(lg.AssemblyError) as error:
        lg.assemble(mechanism)
    assert "no configuration was found that closes the loops" in str(error.value)
    assert "'closure0' misses by 3.2" in str(error.value)  # 5 - 0.3 - 0.9 - 0.6
    with pytest.raises(lg.AssemblyError, match="with theta1 fixed"):
        lg.assemble(mechanism, fixed={"theta1": 1.0})
    with pytest.raises(lg.LagrangianError, match=r"closes? the loops"):
        lg.simulate(mechanism, 1.0)


def test_singular_start_is_refused() -> None:
    """A parallelogram that lies flat, at rest: which branch it takes is not determined."""
    with pytest.raises(
        lg.SimulationError, match="at rest in a singular configuration, and the motion from there is not determined"
    ):
        lg.simulate(lg.library("parallelogram"), 1.0, "level", t_eval=11)


def test_rest_near_a_singular_configuration() -> None:
    """The folded linkage, 0.01 rad from where it would be singular, with no torque: it has one degree of freedom, and rests."""
    mechanism = lg.library("deployable_four_bar")
    assert not lg.mobility(mechanism).singular
    motion = lg.simulate(mechanism, 1.0, torque=0, t_eval=5)
    assert motion.success, motion.message
    assert np.abs(motion.qd).max() < 1e-12


def test_where_an_assembly_begins() -> None:
    machine = lg.library("five_bar")
    q = np.array(machine.initial.q)
    assert lg.assemble(machine, {"q1": q[0]}) == pytest.approx(q)
    assert all(np.abs(lg.compile(machine).closure(m)).max() < 1e-9 for m in lg.assembly_modes(machine, {"q1": 2.1}, starts=3))
    for q0, message in (
        ({"q9": 1.0}, "no coordinate 'q9'"),
        ({"q1": "a"}, "q0: 'q1': 'a' is not understood"),
        ("there", "no pose"),
        ([1], "4 finite"),
    ):
        with pytest.raises(lg.ArgumentError, match=message):
            lg.assemble(machine, q0)
    with pytest.raises(lg.ArgumentError, match="fixed: 'q1': nan is not a finite number"):
        lg.assemble(machine, None, {"q1": math.nan})
