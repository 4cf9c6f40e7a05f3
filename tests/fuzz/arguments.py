"""Public functions called with odd values: what they give, or an error of ours, and never a crash."""

from __future__ import annotations

import contextlib
import io
import json
import os
from pathlib import Path
from random import Random

from tests.fuzz import results
from tests.fuzz.calls import Call, calls
from tests.fuzz.odd_values import VALUES
from tests.fuzz.outcome import Outcome


def make(rng: Random) -> bytes:
    """A call of a function with one odd argument, or two."""
    return _make(rng, rng.choice([*calls(), *["simulate"] * 10]))


def make_of_results(rng: Random) -> bytes:
    """The same of a method of a result."""
    return _make(rng, rng.choice(list(results.calls())))


def _make(rng: Random, name: str) -> bytes:
    known = _call(name).names
    odd = {key: rng.choice(list(VALUES)) for key in rng.sample(known, min(len(known), rng.choice([1, 1, 1, 2])))}
    return json.dumps({"call": name, "odd": odd}).encode()


def _call(name: str) -> Call:
    table = results.calls() if name in results.calls() else calls()
    return table[name]


def examine(path: Path, _: Random, __: bool) -> Outcome:
    """Call it, in the folder of the file, with nothing printed."""
    outcome = Outcome()
    loaded = json.loads(path.read_text())
    call, odd = _call(loaded["call"]), {key: VALUES[name]() for key, name in loaded["odd"].items()}
    before = os.getcwd()
    os.chdir(path.parent)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            result = outcome.attempt("call", lambda: call(odd))
            if result is not None:
                outcome.attempt("repr", lambda: repr(result.value))
    finally:
        os.chdir(before)
    return outcome
