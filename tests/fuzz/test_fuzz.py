"""A thousand fuzzed inputs, always the same ones, without a fault; and that the fuzz would notice what it looks for."""

from __future__ import annotations

import os

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.errors import MechanismError, ReaderWarning, warn
from tests.fuzz import workers
from tests.fuzz.energy import off
from tests.fuzz.families import FAMILIES, LATER, Family, examine_input, make_input, numbers
from tests.fuzz.mechanisms import differs
from tests.fuzz.outcome import CRASH, FOREIGN, HANG, MEMORY, Outcome

SEED = 2024


def faults(first: int, count: int, deep: float) -> list[str]:
    """What is wrong with so many inputs, each in words that say how to try it again."""
    results: list[str] = []
    for number, outcome in workers.outcomes(range(first, first + count), SEED, deep, 1):
        results += [f"{fault.kind}: {fault.what}: python -m tests.fuzz --seed {SEED} --only {number}" for fault in outcome.faults]
    return results


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in (1, 2, 3))])
def test_a_thousand_inputs(part: int) -> None:
    assert faults(250 * part, 250, deep=0.08) == []


@pytest.mark.parametrize("first", [0, *(pytest.param(first, marks=pytest.mark.slow) for first in (20, 40, 60))])
def test_inputs_of_later_families(first: int) -> None:
    assert faults(LATER + first, 20, deep=0.0) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_thousands_of_inputs(part: int) -> None:
    assert faults(1000 + 500 * part, 500, deep=0.3) == []


def test_inputs_are_the_same_every_time() -> None:
    some = list(numbers(SEED, 0, 60, [name for name in FAMILIES if name != "saved"]))
    assert [make_input(SEED, n) for n in some] == [make_input(SEED, n) for n in some]
    assert len({make_input(SEED, n).data for n in some}) > 50


def test_mechanisms_of_the_grammar_load_and_run() -> None:
    """Else nothing but the readers' errors would be tried."""
    outcomes = [examine_input(SEED, n, deep=0.0) for n in numbers(SEED, 0, 40, ["grammar"])]
    assert sum("load" in outcome.reached for outcome in outcomes) > 25
    assert sum("write" in outcome.reached for outcome in outcomes) > 25
    ran = [examine_input(SEED, n, deep=1.0) for n in numbers(SEED, 0, 6, ["grammar"])]
    assert sum("ended: finished" in outcome.reached for outcome in ran) >= 2


# -- what it would notice ------------------------------------------------------------------------------------------------


def test_a_foreign_exception_is_a_fault_and_an_error_of_ours_is_none() -> None:
    def ours() -> None:
        raise MechanismError("it is wrong")

    def call_with_warning() -> int:
        warn("something is left out", ReaderWarning)
        return 3

    outcome = Outcome()
    assert outcome.attempt("ours", ours) is None
    assert outcome.attempt("foreign", lambda: 1 / 0) is None
    result = outcome.attempt("warned", call_with_warning)
    assert result is not None
    assert (result.value, result.told) == (3, ["something is left out"])
    assert outcome.reached == ["ours: MechanismError", "warned", "warned: warned"]
    assert [(fault.kind, "ZeroDivisionError" in fault.what) for fault in outcome.faults] == [(FOREIGN, True)]


def test_energy_that_is_off_is_seen() -> None:
    dyn = lg.compile("pendulum")
    motion = lg.simulate(dyn, 0.1, torque=0, t_eval=11)
    assert off(motion, dyn)[0] < 1e-3 * off(motion, dyn)[1]
    motion.qd = motion.qd * (1 + 1e-3 * np.arange(11)[:, None])
    assert off(motion, dyn)[0] > off(motion, dyn)[1]


def test_what_a_file_changes_is_seen() -> None:
    one = lg.library("two_r")
    assert differs(one, lg.loads(lg.dumps(one))) == ""
    assert differs(one, lg.library("two_r", parameters={"l1": 0.6})) == "joints"


def misbehaving(seed: int, number: int, deep: float) -> Outcome:
    """In a worker's process, in place of an input."""
    if number == 0:
        os.abort()
    while number == 1:
        pass
    outcome = Outcome()
    outcome.attempt("it", lambda: bytearray(4 * workers.BYTES))
    return outcome


def test_crashes_hangs_and_memory_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "SECONDS", 0.5)
    outcomes = dict(workers.outcomes(range(3), SEED, 0.0, 1, misbehaving))
    assert [outcomes[n].faults[0].kind for n in range(3)] == [CRASH, HANG, MEMORY]
    assert "Fatal Python error: Aborted" in outcomes[0].faults[0].detail
    assert "misbehaving" in outcomes[1].faults[0].detail


def test_a_family_more_is_one_entry() -> None:
    assert all(isinstance(family, Family) for family in FAMILIES.values())
    assert {"grammar", "library", "urdf", "mjcf", "arguments", "commands", "saved"} <= set(FAMILIES)
