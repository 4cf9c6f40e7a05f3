"""A mechanism as functions accept it: a `Mechanism`, the path of a file, or the name of a mechanism of the library."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import Any

from lagrangian.description.load import SUFFIXES, library_mechanism, library_names, load
from lagrangian.errors import ArgumentError, ArgumentName, UnknownMechanismError
from lagrangian.model.mechanism import Mechanism

MechanismLike = Mechanism | str | os.PathLike[str]


def as_mechanism(mechanism: Any, **options: Any) -> Mechanism:
    """The mechanism that is given, or that a file or the library has under this name; the options are those of `load`.

    A name with a suffix, such as "arm.toml", is a file's; one without is looked up in the library, and then among the files.
    """
    if isinstance(mechanism, Mechanism):
        return mechanism
    if not isinstance(mechanism, (str, os.PathLike)):
        hint = "; use its attribute .mechanism" if isinstance(getattr(mechanism, "mechanism", None), Mechanism) else ""
        raise ArgumentError(
            f"a Mechanism, the path of a file or a name of the library is needed, not {type(mechanism).__name__}{hint}",
            concerns="mechanism",
        )
    name, path = os.fspath(mechanism), Path(mechanism)
    if not name.strip():
        raise ArgumentError(
            "no mechanism is given; name a file or a mechanism of the library, such as two_r", concerns="mechanism"
        )
    if "\n" in name or path.suffix.lower() in SUFFIXES:
        if "\n" not in name and not os.path.exists(path):
            raise _unknown_mechanism_error("there is no such file", name, where=name)
        return load(mechanism, **options)
    if name in library_names():
        for option in ("floating", "mimic", "loops", "xacro", "keyframe", "root"):
            if options.get(option) is not None:
                kind = {"keyframe": "MJCF", "root": "MJCF", "floating": "URDF and SDF", "mimic": "URDF and SDF"}.get(
                    option, "URDF"
                )
                given_as = ArgumentName(option, False) if options[option] is False else ArgumentName(option)
                raise ArgumentError(f"{given_as} is for {kind} files; mechanisms of the library do not have it", where=name)
        return library_mechanism(name, options.get("parameters"))
    if os.path.exists(path):
        return load(mechanism, **options)  # which says what files it reads
    raise _unknown_mechanism_error(f"{name!r} is neither a file nor a mechanism of the library", name)


def _unknown_mechanism_error(problem: str, name: str, where: str | tuple[()] = ()) -> UnknownMechanismError:
    """The error, with the names that may have been meant, or how to see which there are."""
    candidates = _similar_names(name)
    if candidates:
        return UnknownMechanismError(
            f"{problem}. Did you mean {' or '.join(map(repr, candidates))}?", where=where, similar_names=candidates
        )
    return UnknownMechanismError(problem, where=where, remedy="print(lagrangian.library()) lists the mechanisms of the library")


def _similar_names(name: str) -> tuple[str, ...]:
    """The names of files and of library mechanisms that may have been meant, three at most."""
    folder = Path(name).parent
    files = [str(p) for p in folder.iterdir() if p.suffix.lower() in SUFFIXES] if folder.is_dir() else []
    stem, names_in_library = Path(name).stem.lower().replace("-", "_"), library_names()
    candidates = difflib.get_close_matches(name, files, n=3, cutoff=0.6)
    candidates += [x for x in difflib.get_close_matches(stem, names_in_library, n=3, cutoff=0.55) if x not in candidates]
    candidates += [x for x in names_in_library if stem and (stem in x or x in stem) and x not in candidates]
    return tuple(candidates[:3])
