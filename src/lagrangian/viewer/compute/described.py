"""Where the mechanism of a motion is found again: in the library or in its file, with other values of some parameters."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lagrangian.description import packaged
from lagrangian.errors import LagrangianError
from lagrangian.model.mechanism import Mechanism


@dataclass(frozen=True)
class Described:
    """Its name in the library, or that of its file, and the parameters whose values are others there."""

    library: str = ""
    file: str = ""
    values: dict[str, float] = field(default_factory=dict)


def described(model: Mechanism) -> Described | None:
    """Where a mechanism is that is this one, when the named parameters have its values; None if there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # who made the mechanism was told
        try:
            wanted = _text(model)
            for place, found in _places(model):
                values = _others(found, model)
                if set(found.parameters) == set(model.parameters) and _text(found.with_parameters(values)) == wanted:
                    return Described(**place, values=values)
        except (LagrangianError, OSError):
            return None  # it cannot be written, or its file cannot be read any more
    return None


def _places(model: Mechanism) -> Iterator[tuple[dict[str, str], Mechanism]]:
    """The mechanisms that are found under the name of this one's file."""
    from lagrangian.description.load import SUFFIXES, load

    file = Path(model.file)
    if file.name == model.file and file.stem in packaged.names():
        yield {"library": file.stem}, packaged.packaged(file.stem)
    if file.suffix.lower() in SUFFIXES and file.is_file():
        yield {"file": file.name}, load(file)


def _others(found: Mechanism, model: Mechanism) -> dict[str, float]:
    """Parameters that are not as they were found; those that follow from others do so again."""
    theirs, ours = _numbers(found), _numbers(model)
    return {name: x for name, x in ours.items() if name in found.parameters and theirs.get(name) != x}


def _numbers(model: Mechanism) -> dict[str, float]:
    return {name: float(x) for name, x in model.parameters.items() if x.operation == "symbol" and x.name == name}


def _text(model: Mechanism) -> str:
    from lagrangian.description.toml.writer import dumps

    return dumps(model)
