"""Functions that fail during a run, and runs that are interrupted: what was computed until then is kept, and said."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.motion.run import run
from tests.processes import PATIENCE, interruptible, wait_for_work

NAN, INF = math.nan, math.inf


# -- torque functions that go wrong ----------------------------------------------------------------------------------


def raising(t: float, q: np.ndarray, qd: np.ndarray) -> list[float]:
    if t > 1:
        raise ZeroDivisionError("the drive is off")
    return [math.sin(5 * t)]


LATER = {
    "raises": (raising, "the drive is off"),
    "gives nan": (lambda t, q, qd: [NAN if t > 1 else math.sin(5 * t)], r"the torque function returned \[nan\] at t = 1\.\d+ s"),
    "wrong length": (lambda t, q, qd: [math.sin(5 * t)] * (2 if t > 1 else 1), r"returned shape \(2,\) at t = 1\.\d+ s; \(1,\)"),
    "no numbers": (
        lambda t, q, qd: "off" if t > 1 else [math.sin(5 * t)],
        r"returned 'off' at t = 1\.\d+ s; 1 numbers are needed",
    ),
}


@pytest.mark.parametrize("name", LATER)
def test_torque_that_goes_wrong_later(rail: lg.Dynamics, name: str) -> None:
    """The error says when, and holds the motion until then."""
    function, said = LATER[name]
    with pytest.raises(lg.SimulationError, match=said) as error:
        lg.simulate(rail, 3.0, [0.0], torque=function, rtol=1e-10, t_eval=301)
    assert str(error.value).startswith("slider: stopped at t = 0.")
    assert "The error's `motion` has" in str(error.value)
    motion = error.value.motion
    assert not motion.success
    assert 0.7 < motion.t[-1] <= motion.last <= 1.0
    np.testing.assert_allclose(motion.q[:, 0], motion.t / 5 - np.sin(5 * motion.t) / 25, rtol=0, atol=1e-9)
    np.testing.assert_allclose(motion.tau[:, 0], np.sin(5 * motion.t), rtol=0, atol=1e-9)
    if name == "raises":
        assert isinstance(error.value.__cause__, ZeroDivisionError)


def test_all_of_the_motion_is_there_after_a_failure(rail: lg.Dynamics) -> None:
    with pytest.raises(lg.SimulationError) as error:
        lg.simulate(rail, 3.0, [0.0], torque=raising, rtol=1e-10, t_eval=301)
    motion = error.value.motion
    assert np.abs(motion.energy_balance).max() < 1e-9
    assert motion(0.333)[0][0] == pytest.approx(0.333 / 5 - math.sin(5 * 0.333) / 25, abs=1e-9)


@pytest.mark.parametrize("value", [[NAN], [1.0, 2.0], "off", None, [1j]])
def test_torque_that_is_wrong_from_the_beginning(rail: lg.Dynamics, value: Any) -> None:
    with pytest.raises(lg.SimulationError, match="at t = 0 s") as error:
        lg.simulate(rail, 3.0, [0.0], torque=lambda t, q, qd: value)
    motion = error.value.motion
    assert list(motion.t) in ([], [0.0])  # at most its start
    assert motion.q.shape == (len(motion.t), 1)


def test_torque_that_raises_from_the_beginning(rail: lg.Dynamics) -> None:
    def broken(t: float, q: np.ndarray, qd: np.ndarray) -> list[float]:
        return [q[7]]

    with pytest.raises(
        lg.SimulationError, match="stopped at t = 0 s: the torque function raised IndexError: index 7 is out of bounds"
    ) as error:
        lg.simulate(rail, 3.0, [0.0], torque=broken)
    assert isinstance(error.value.__cause__, IndexError)
    assert error.value.motion is not None


def counting(error: BaseException, calls: int, again: bool) -> Any:
    """A function that fails at its n-th call, and at all after it, or only then."""
    made = 0

    def function(t: float, q: np.ndarray, qd: np.ndarray) -> list[float]:
        nonlocal made
        made += 1
        if made == calls or (again and made > calls):
            raise error
        return [math.sin(5 * t)]

    return function


def test_no_event_is_told_of_a_step_that_is_not_made(rail: lg.Dynamics) -> None:
    """A function that fails within a step, when it is asked for what lies between its ends, takes the step's events along."""
    events = [lg.Event(f"sin(40*t + {k})", "record") for k in range(4)]
    for last in range(60, 180):
        calls = iter(range(last))

        def fails(t: float, q: np.ndarray, qd: np.ndarray, calls: Any = calls) -> list[float]:
            if next(calls, None) is None:
                raise ZeroDivisionError("the drive is off")
            return [math.sin(5 * t)]

        with pytest.raises(lg.SimulationError, match="the drive is off") as error:
            lg.simulate(rail, 3.0, [0.0], torque=fails, events=events, t_eval=301)
        motion = error.value.motion
        assert all(event.t <= motion.last for event in motion.events), last


def test_torque_that_never_works_again(rail: lg.Dynamics) -> None:
    with pytest.raises(lg.SimulationError) as error:
        lg.simulate(rail, 30.0, [0.0], torque=counting(RuntimeError("gone"), 200, True))
    assert len(error.value.motion.t) > 2


def test_controller_that_goes_wrong_later(rail: lg.Dynamics) -> None:
    def controller(t: float, q: np.ndarray, qd: np.ndarray) -> list[float]:
        if t > 0.95:
            raise RuntimeError("no signal")
        return [1.0]

    with pytest.raises(lg.SimulationError, match="no signal") as error:
        lg.simulate(rail, 3.0, [0.0], torque=lg.Sampled(controller, 0.1), t_eval=301)
    motion = error.value.motion
    assert motion.last == pytest.approx(1.0)
    np.testing.assert_allclose(motion.q[:, 0], motion.t**2 / 2, rtol=0, atol=1e-9)
    assert len(motion.t) == 101


@pytest.mark.parametrize("result", [[NAN], [1.0, 2.0], RuntimeError("no signal")])
def test_controller_that_is_wrong_from_the_beginning(rail: lg.Dynamics, result: Any) -> None:
    def controller(t: float, q: np.ndarray, qd: np.ndarray) -> Any:
        if isinstance(result, Exception):
            raise result
        return result

    with pytest.raises(lg.SimulationError) as error:
        lg.simulate(rail, 3.0, [0.0], torque=lg.Sampled(controller, 0.1))
    assert error.value.motion is not None


def test_event_function_that_raises(rail: lg.Dynamics) -> None:
    def event(t: float, q: np.ndarray, qd: np.ndarray) -> float:
        if t > 1:
            raise RuntimeError("no sensor")
        return 1.0

    with pytest.raises(lg.SimulationError, match="no sensor") as error:
        lg.simulate(rail, 3.0, [0.0], [1.0], events=event, max_step=0.1, t_eval=31)
    motion = error.value.motion
    assert 0.8 < motion.last <= 1.11
    np.testing.assert_allclose(motion.q[:, 0], motion.t, rtol=0, atol=1e-9)


@pytest.mark.parametrize("value", [NAN, [1.0, 2.0], None])
def test_event_function_that_gives_no_number(rail: lg.Dynamics, value: Any) -> None:
    with pytest.raises(lg.SimulationError, match="event"):
        lg.simulate(rail, 3.0, [0.0], [1.0], events=lambda t, q, qd: value)


def test_torque_expression_that_becomes_infinite(rail: lg.Dynamics) -> None:
    """1/(1 - t)^2 has no end at t = 1: it stops there, says so, and keeps what it has."""
    with pytest.warns(lg.SimulationWarning, match=r"stopped at t = 0\.99|stopped at t = 1 "):
        motion = lg.simulate(rail, 2.0, [0.0], torque={"x": "1/(1 - t)^2"})
    assert not motion.success
    assert motion.last == pytest.approx(1.0, abs=1e-3)
    assert "grows without bound: x reaches" in motion.message
    assert "a torque drives it ever faster, or is singular there" in motion.message
    early = motion.t < 0.9
    np.testing.assert_allclose(motion.q[early, 0], -np.log(1 - motion.t[early]) - motion.t[early], rtol=0, atol=1e-6)


def test_traced_function_that_branches(rail: lg.Dynamics) -> None:
    with pytest.raises((lg.LagrangianError, TypeError)):
        lg.simulate(rail, 1.0, [0.0], torque=lg.Traced(lambda t, q, qd: [1.0 if t > 0.5 else 0.0]))


# -- interrupted -----------------------------------------------------------------------------------------------------


def test_interrupt_from_progress(arm: lg.Dynamics) -> None:
    """What was computed is returned, with a warning, and can be used as any other motion."""

    def progress(done: float, total: float) -> None:
        if done > 0.5:
            raise KeyboardInterrupt

    with pytest.warns(lg.SimulationWarning, match=r"interrupted at t = 0\.\d+ s; the motion has the results until then"):
        motion = lg.simulate(arm, 2.0, [0.5, 0.1], progress=progress, max_step=1e-5)
    assert not motion.success
    assert 0.5 < motion.last < 1
    assert motion.t[-1] <= motion.last < motion.t[-1] + 0.003
    whole = lg.simulate(arm, 2.0, [0.5, 0.1])
    np.testing.assert_allclose(motion.q, whole(motion.t)[0], rtol=0, atol=1e-7)
    assert np.abs(motion.energy_balance).max() < 1e-9
    assert motion(0.4)[0] == pytest.approx(whole(0.4)[0], abs=1e-7)


def test_progress_is_reported_the_seconds_done(arm: lg.Dynamics) -> None:
    messages: list[tuple[float, float]] = []
    lg.simulate(arm, (1.0, 3.0), [0.5, 0.1], progress=lambda done, total: messages.append((done, total)), max_step=1e-4)
    assert len(messages) > 3
    assert messages == sorted(messages)
    assert messages[-1] == (2.0, 2.0)


def test_interrupt_from_a_torque_function(rail: lg.Dynamics) -> None:
    with pytest.warns(lg.SimulationWarning, match="interrupted at t = "):
        motion = lg.simulate(rail, 30.0, [0.0], torque=counting(KeyboardInterrupt(), 400, False))
    assert not motion.success
    assert motion.last > 0.5
    np.testing.assert_allclose(motion.q[:, 0], motion.t / 5 - np.sin(5 * motion.t) / 25, rtol=0, atol=1e-6)
    assert np.abs(motion.energy_balance).max() < 1e-6


def test_interrupt_from_a_torque_function_again_and_again(rail: lg.Dynamics) -> None:
    try:
        with pytest.warns(lg.SimulationWarning, match="interrupted at t = "):
            motion = lg.simulate(rail, 30.0, [0.0], torque=counting(KeyboardInterrupt(), 400, True))
    except KeyboardInterrupt:  # it would end the tests
        pytest.fail("nothing was returned")
    assert motion.last > 0.5


@pytest.mark.parametrize("kept", [None, 0])
def test_interrupt_while_the_last_row_is_computed(rail: lg.Dynamics, monkeypatch: pytest.MonkeyPatch, kept: int | None) -> None:
    """The row at which a run stopped is computed by making its last step again, where the step's interpolant was not kept."""
    if kept is not None:
        monkeypatch.setattr(run, "KEPT", kept)
    try:
        with pytest.warns(lg.SimulationWarning, match="interrupted at t = "):
            motion = lg.simulate(rail, 30.0, [0.0], torque=counting(KeyboardInterrupt(), 400, True))
    except KeyboardInterrupt:  # it would end the tests
        pytest.fail("nothing was returned")
    assert len(motion.t) > 10
    np.testing.assert_allclose(motion.q[:, 0], motion.t / 5 - np.sin(5 * motion.t) / 25, rtol=0, atol=1e-6)


def test_interrupt_at_once(rail: lg.Dynamics) -> None:
    with pytest.warns(lg.SimulationWarning, match="interrupted at t = 0 s"):
        motion = lg.simulate(rail, 30.0, [0.0], torque=counting(KeyboardInterrupt(), 1, False))
    assert list(motion.t) in ([], [0.0])
    assert "interrupted" in str(motion)


LONG = """
import sys
import lagrangian as lg
mechanism = lg.library("two_r")
torques = {{"none": None, "python": lambda t, q, qd: [0.0, 0.0], "sampled": lg.Sampled(lambda t, q, qd: [0.0, 0.0], 1e-3)}}
lg.simulate(mechanism, 0.01, torque=torques["{kind}"])  # compiled before
print("started", flush=True)
motion = lg.simulate(mechanism, (0, 1e6), torque=torques["{kind}"], max_step=1e-2, t_eval=1001)
kept = abs(motion.energy_balance).max() < 1e-3 * motion.energy_scale
print(motion.success, motion.last > 0, kept, "interrupted" in motion.message, flush=True)
"""


@pytest.mark.parametrize("kind", ["python", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("none", "sampled"))])
def test_a_real_interrupt(kind: str) -> None:
    """Ctrl-C during a run of a million seconds: it returns what it has, within a moment."""
    command = [sys.executable, "-W", "ignore", "-c", LONG.format(kind=kind)]
    process = interruptible(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        wait_for_work(process, 0.2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert out == "False True True True\n", err[-500:]


# -- functions that do not return, and what is no Exception ---------------------------------------------------------------

HANGING = """
import os, signal, sys, threading, time, warnings
import numpy as np, lagrangian as lg
warnings.simplefilter("ignore")
arm, calls = lg.library("two_r"), [0]
lg.simulate(arm, 0.01, torque=lambda t, q, qd: np.zeros(2))

def hangs(t, q, qd):
    calls[0] += 1
    if calls[0] == {before} + 1:
        threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    while calls[0] > {before}:
        pass
    return np.zeros({size})

motion = lg.simulate(arm, 0.1, {given})
print(motion.status.value, motion.success, np.isfinite(motion.q).all())
"""
FUNCTIONS = {
    "torque": ("torque=hangs", 2, 30),
    "torque at once": ("torque=hangs", 2, 0),
    "sampled": ("torque=lg.Sampled(hangs, 0.001)", 2, 30),
    "event": ("events=lg.Event(lambda t, q, qd: hangs(t, q, qd)[0] + 1)", 1, 30),
    "wrench": ('wrenches={"link1": hangs}', 6, 30),
    "progress": ("progress=lambda done, total: hangs(0, 0, 0)", 2, 0),
}


@pytest.mark.parametrize(
    "kind", [kind if kind in ("torque", "event") else pytest.param(kind, marks=pytest.mark.slow) for kind in FUNCTIONS]
)
def test_ctrl_c_stops_a_function_that_does_not_return(kind: str) -> None:
    values, size, before = FUNCTIONS[kind]
    code = HANGING.format(given=values, size=size, before=before)
    process = interruptible([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        out, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert (out, errors) == ("interrupted False True\n", "")


@pytest.fixture
def heard() -> Iterator[None]:
    """Ctrl-C as a program in the foreground hears it: one that a shell has started in the background may be told to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
def test_ctrl_c_in_a_function_that_returns_leaves_its_torques_known(arm: lg.Dynamics) -> None:
    calls = iter(range(100))

    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        if next(calls, 0) == 99:
            signal.raise_signal(signal.SIGINT)
        return -qd

    with pytest.warns(lg.errors.EndedEarlyWarning, match="the motion has the results until then"):
        motion = lg.simulate(arm, 10.0, torque=torque)
    assert motion.status is lg.Status.INTERRUPTED
    assert motion.last > 0
    np.testing.assert_array_equal(motion.tau, -motion.qd)
    assert np.abs(motion.energy_balance).max() < 1e-6 * motion.energy_scale


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize("method", ["dop853", "rk4"])
def test_ctrl_c_while_a_finished_run_is_worked_up(arm: lg.Dynamics, method: str) -> None:
    """The run is there, and says that it was interrupted; its torques and work are computed when they are asked for."""
    at_end = [False]

    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        if at_end[0]:
            signal.raise_signal(signal.SIGINT)
        return -qd

    def progress(done: float, total: float) -> None:
        at_end[0] = done >= total

    with pytest.warns(lg.errors.EndedEarlyWarning, match="before its torques and work were computed"):
        motion = lg.simulate(arm, 0.1, torque=torque, progress=progress, method=method, step=1e-3)
    assert motion.status is lg.Status.INTERRUPTED
    assert not motion.success
    assert motion.last == 0.1
    at_end[0] = False
    np.testing.assert_allclose(motion.tau, -motion.qd)
    assert np.isfinite(motion.total_work).all()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("error", [SystemExit(3), GeneratorExit()])
@pytest.mark.parametrize("kind", ["torque", "sampled", "event", "progress", "friction"])
def test_what_is_no_exception_passes_as_it_is(arm: lg.Dynamics, error: BaseException, kind: str) -> None:
    def raises(*_: Any) -> Any:
        raise error

    arguments: dict[str, Any] = {
        "torque": {"torque": raises},
        "sampled": {"torque": lg.Sampled(raises, 0.01)},
        "event": {"events": lg.Event(raises)},
        "progress": {"progress": raises},
        "friction": {"torque": raises},
    }[kind]
    model: Any = arm
    if kind == "friction":  # who sticks is decided before the first step
        plain = arm.mechanism
        stuck = [
            joint.replace(friction=lg.Friction(coulomb=1.0)) if hasattr(joint, "replace") else joint for joint in plain.joints
        ]
        model = plain.replace(joints=stuck)
    with pytest.raises(type(error)):
        lg.simulate(model, 0.1, **arguments)
