"""Families of inputs: how one is made from a seed and a number, and what is done with it. A family more is one line more."""

from __future__ import annotations

import itertools
import tempfile
import traceback
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from lagrangian.description import load
from tests.fuzz import analyses, arguments, commands, mechanisms, saved
from tests.fuzz.grammar import mechanism
from tests.fuzz.models import MODELS
from tests.fuzz.mutate import mutate_text
from tests.fuzz.outcome import OWN, Outcome, signature


@dataclass(frozen=True)
class Input:
    """Something to try, as a file or as a text that says what is called."""

    family: str
    suffix: str
    data: bytes


@dataclass(frozen=True)
class Family:
    weight: int
    suffix: str
    make: Callable[[Random], bytes]
    examine: Callable[[Path, Random, bool], Outcome]
    later: bool = False  # whether its numbers are from LATER on: those of others stay what they were


def _from_library(rng: Random) -> bytes:
    return mutate_text(
        rng, (load.library_folder() / f"{rng.choice(load.library_names())}.toml").read_text(encoding="utf-8"), ".toml"
    )


def _from_model(name: str) -> Family:
    suffix, texts = MODELS[name]
    return Family(14, suffix, lambda rng: mutate_text(rng, rng.choice(texts), suffix), mechanisms.examine)


def _grammar(odd: float, weight: int) -> Family:
    return Family(weight, ".toml", lambda rng: mechanism(rng, odd).encode(), mechanisms.examine)


FAMILIES = {
    "grammar": _grammar(0.0, 20),
    "odd grammar": _grammar(0.5, 16),
    "wild grammar": _grammar(1.0, 8),
    "library": Family(16, ".toml", _from_library, mechanisms.examine),
    **{name: _from_model(name) for name in MODELS},
    "arguments": Family(16, ".txt", arguments.make, arguments.examine),
    "commands": Family(3, ".txt", commands.make, commands.examine),
    "saved": Family(4, ".nc", saved.make, saved.examine),
    "results": Family(1, ".txt", arguments.make_of_results, arguments.examine, later=True),
    "analyses": Family(
        1, ".toml", lambda rng: mechanism(rng, rng.choice([0.0, 0.0, 0.2])).encode(), analyses.examine, later=True
    ),
}
LATER = 10**9
EVERY = 8  # inputs of the first families, for one of those that came later


def _draw_family(seed: int, number: int) -> tuple[str, Random]:
    rng = Random(f"{seed}:{number}")
    names = [name for name, family in FAMILIES.items() if family.later == (number >= LATER)]
    return rng.choices(names, [FAMILIES[name].weight for name in names])[0], rng


def numbers(seed: int, first: int, count: int, families: Collection[str]) -> Iterator[int]:
    """The numbers of so many inputs, of all families or of some."""
    of = (number for number in _all(first) if not families or _draw_family(seed, number)[0] in families)
    return itertools.islice(of, count)


def _all(first: int) -> Iterator[int]:
    for number in itertools.count(first):
        yield number
        if number < LATER and number % EVERY == 0:
            yield LATER + number // EVERY


def make_input(seed: int, number: int) -> Input:
    """The input of this number."""
    name, rng = _draw_family(seed, number)
    return Input(name, FAMILIES[name].suffix, FAMILIES[name].make(rng))


def examine_input(seed: int, number: int, deep: float) -> Outcome:
    """What becomes of the input of this number; `deep` is the part of all that is compiled and run."""
    case, rng = make_input(seed, number), Random(f"{seed}:{number}:examined")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"fuzzed{case.suffix}"
        path.write_bytes(case.data)
        try:
            outcome = FAMILIES[case.family].examine(path, rng, rng.random() < deep)
        except Exception as error:
            outcome = Outcome()
            outcome.fault(OWN, signature(error), traceback.format_exc())
    outcome.reached.insert(0, case.family)
    return outcome
