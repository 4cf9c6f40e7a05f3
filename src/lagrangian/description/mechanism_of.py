"""A mechanism as functions are given it: itself, or by its file, or by its name in the library."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import Any

from lagrangian.description import packaged
from lagrangian.description.load import SUFFIXES, load
from lagrangian.errors import Argument, ArgumentError, UnknownMechanismError
from lagrangian.model.mechanism import Mechanism

MechanismLike = Mechanism | str | os.PathLike[str]


def mechanism_of(given: Any, **options: Any) -> Mechanism:
    """The mechanism that is given, or that a file or the library has under this name; the options are those of `load`.

    A name with a suffix, such as "arm.toml", is a file's; one without is looked up in the library, and then among the files.
    """
    if isinstance(given, Mechanism):
        return given
    if not isinstance(given, (str, os.PathLike)):
        has = "; use its attribute .mechanism" if isinstance(getattr(given, "mechanism", None), Mechanism) else ""
        raise ArgumentError(
            f"a Mechanism, the path of a file or a name of the library is needed, not {type(given).__name__}{has}",
            concerns="mechanism",
        )
    name, path = os.fspath(given), Path(given)
    if not name.strip():
        raise ArgumentError(
            "no mechanism is given; name a file or a mechanism of the library, such as two_r", concerns="mechanism"
        )
    if "\n" in name or path.suffix.lower() in SUFFIXES:
        if "\n" not in name and not os.path.exists(path):
            raise _unknown("there is no such file", name, where=name)
        return load(given, **options)
    if name in packaged.names():
        for option in ("floating", "mimic", "loops", "xacro", "keyframe", "root"):
            if options.get(option) is not None:
                kind = {"keyframe": "MJCF", "root": "MJCF", "floating": "URDF and SDF", "mimic": "URDF and SDF"}.get(
                    option, "URDF"
                )
                given_as = Argument(option, False) if options[option] is False else Argument(option)
                raise ArgumentError(f"{given_as} is for {kind} files; mechanisms of the library do not have it", where=name)
        return packaged.packaged(name, options.get("parameters"))
    if os.path.exists(path):
        return load(given, **options)  # which says what files it reads
    raise _unknown(f"{name!r} is neither a file nor a mechanism of the library", name)


def _unknown(what: str, name: str, where: str | tuple[()] = ()) -> UnknownMechanismError:
    """The error, with the names that may have been meant, or how to see which there are."""
    meant = _meant(name)
    if meant:
        return UnknownMechanismError(f"{what}. Did you mean {' or '.join(map(repr, meant))}?", where=where, meant=meant)
    return UnknownMechanismError(what, where=where, remedy="print(lagrangian.library()) lists the mechanisms of the library")


def _meant(name: str) -> tuple[str, ...]:
    """What may have been meant."""
    folder = Path(name).parent
    files = [str(p) for p in folder.iterdir() if p.suffix.lower() in SUFFIXES] if folder.is_dir() else []
    stem, known = Path(name).stem.lower().replace("-", "_"), packaged.names()
    close = difflib.get_close_matches(name, files, n=3, cutoff=0.6)
    close += [x for x in difflib.get_close_matches(stem, known, n=3, cutoff=0.55) if x not in close]
    close += [x for x in known if stem and (stem in x or x in stem) and x not in close]
    return tuple(close[:3])
