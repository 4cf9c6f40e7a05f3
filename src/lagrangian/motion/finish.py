"""A run taken to its end, whatever happens, and the motion that comes of it, with what is to be said of it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

import numpy as np

from lagrangian.errors import EndedEarlyWarning, LagrangianError, SimulationError, SimulationWarning, warn
from lagrangian.motion.motion import Motion
from lagrangian.motion.run.contacts import tell_of_contacts
from lagrangian.motion.run.run import Run
from lagrangian.motion.status import Ending, Status

# states beyond this may have rows that no number holds
LARGE = 1e100


def begun(name: str, make: Callable[[], Run]) -> Run:
    try:
        return make()
    except SimulationError as error:
        raise SimulationError(f"{name}: the run could not begin: {error}") from error


def ending_of(run: Run, end: float) -> Ending:
    """Take a run to its end, whatever happens."""
    try:
        with interruptible(run):
            return run.go(end)
    except LagrangianError:
        raise
    except BaseException as error:  # an interrupt, or the user's progress function: what was computed is not lost
        run.supply.error = error
        return run.failed()


def finished(run: Run, ending: Ending) -> Motion:
    """The motion of a run, and what is to be said of it; or the error with which it ended, which has the motion."""
    failure, run.supply.error = run.supply.error, None  # for the steps that were made, Python functions are asked again
    rows, whole = _rows(run)
    motion = Motion.of(run.trajectory, ending, *rows)
    asked = whole and (not run.supply.source.asks or _asked(motion, run))
    if not asked and ending.status.success:
        told = f"interrupted after t = {ending.t:.9g} s was reached, before its torques and work were computed"
        motion.ending = replace(ending, status=Status.INTERRUPTED, reason=told)
    if failure is not None and not isinstance(failure, (Exception, KeyboardInterrupt)):  # such as sys.exit() in a function
        raise failure
    if ending.status is Status.FAILED:
        told = f"{motion.name}: {ending.message}. The error's `motion` has the results until then"
        raise SimulationError(told, motion=motion) from failure
    if not motion.success:
        warn(f"{motion.name}: {motion.message}", EndedEarlyWarning)
    tell_of_contacts(run)
    _tell_of_numbers(run, motion)
    if not asked:
        return motion
    try:
        motion.warn()
    except KeyboardInterrupt:
        told = f"{motion.name}: it was interrupted before its energy balance and drift were checked"
        warn(told, SimulationWarning)
    return motion


def _rows(run: Run) -> tuple[tuple[np.ndarray, np.ndarray], bool]:
    """Times and states of the rows that were reached, and whether they are all: Ctrl-C leaves out the last."""
    if run.trajectory.ends_with_row:
        return run.trajectory.all_rows(), True
    try:
        with interruptible(run):
            return run.trajectory.all_rows(), True
    except KeyboardInterrupt:
        run.supply.error = None
        return run.trajectory.rows_before_the_end(), False


def _tell_of_numbers(run: Run, motion: Motion) -> None:
    """No run ends as it was asked to with rows that are not numbers, and says nothing.

    Rows are computed when they are asked for: they are looked at only where a step comes near to what they cannot hold.
    """
    if all(np.vdot(s.steps, s.steps) < LARGE * LARGE for s in run.trajectory.segments):
        return
    bad = ~(np.isfinite(motion.q).all(axis=1) & np.isfinite(motion.qd).all(axis=1))
    if bad.any():
        since = motion.t[int(np.argmax(bad))]
        warn(f"{motion.name}: the motion is not finite from t = {since:.9g} s on; its numbers are too large", SimulationWarning)


def _asked(motion: Motion, run: Run) -> bool:
    """Take the torques and wrenches at the rows from their Python functions now, while they are what they were in the run.

    Whether that came to its end: where Ctrl-C stopped it, it is taken up again when somebody asks for them.
    """
    try:
        with interruptible(run):
            motion.ask()
    except KeyboardInterrupt:
        run.supply.error = KeyboardInterrupt()
    done = run.supply.error is None or isinstance(run.supply.error, Exception)
    run.supply.error, run.supply.hangs = None, run.supply.hangs and done
    return done


def interruptible(run: Run) -> AbstractContextManager[None]:
    """Ctrl-C ends the run, also while compiled code is asking Python: an exception could not pass through it."""
    return on_interrupt(run.supply.interrupt)


@contextmanager
def on_interrupt(act: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C does this, and raises nothing by itself."""
    ours = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not ours:
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: act())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
