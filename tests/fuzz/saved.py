"""Files of motions with a few bytes altered, or with something left out."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from random import Random

import h5py
import numpy as np

import lagrangian as lg
from tests.fuzz.outcome import Outcome


@cache
def sound() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "motion.nc"
        lg.simulate("pendulum", 0.1, t_eval=5).save(path)
        return path.read_bytes()


def make(rng: Random) -> bytes:
    """Bytes altered or cut off, or a variable or an attribute left out or of another kind."""
    if rng.random() < 0.5:
        return _without(rng)
    data = bytearray(sound())
    for _ in range(rng.choice([1, 1, 3, 10, 100])):
        data[rng.randrange(len(data))] = rng.choice([0, 255, rng.randrange(256)])
    return bytes(data[: rng.randrange(len(data))] if rng.random() < 0.1 else data)


def _without(rng: Random) -> bytes:
    """A file that is whole, but not as ours are."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "motion.nc"
        path.write_bytes(sound())
        with h5py.File(path, "r+") as file:
            if rng.random() < 0.5:
                name = rng.choice(sorted(file.attrs))
                others = ("", "{}", "[]", "null", "x", '{"status": "finished"}', 3, np.zeros(3), b"\xff")
                other = rng.choice(others)
                del file.attrs[name]
                if rng.random() < 0.7:
                    file.attrs[name] = other
            else:
                name = rng.choice(sorted(file))
                del file[name]
                if rng.random() < 0.7:
                    shape = rng.choice([(), (0,), (3,), (5, 2), (5,), (1, 1, 1)])
                    file[name] = np.full(shape, np.nan) if rng.random() < 0.7 else np.full(shape, b"text")
        return path.read_bytes()


def examine(path: Path, _: Random, __: bool) -> Outcome:
    """Read it; a motion that is read can be worked with."""
    outcome = Outcome()
    read = outcome.attempt("read", lambda: lg.read(path))
    if read is not None:
        motion = read.value
        outcome.attempt("use", lambda: (str(motion), motion.energy_balance, motion(float(motion.t[0])), repr(motion.events)))
    return outcome
