"""The YAML file beside a URDF that closes its loops: the form of Gepetto's example-parallel-robots (Batto et al. 2025).

    closed_loop: [[frame_a, frame_b], ...]    # frames are those of links, or of the links that joints move
    type: ["6d", "3d", ...]                   # one for each loop: welded, or joined at a point
    name_mot: [joint, ...]                    # the joints that have a motor
    joint_name: [joint, ...]                  # joints that are of another type than in the URDF, which
    joint_type: ["SPHERICAL", "UJOINT_XY", "FIXED", ...]    # has no balls and no universal joints

The file is read as text with places: no tags, no aliases, nothing is constructed from it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lagrangian.description.notes import Notes
from lagrangian.description.text_file import read_text
from lagrangian.errors import Argument, ArgumentError, DescriptionError, nearest, one_of, placed
from lagrangian.files import as_path
from lagrangian.model import vector as v
from lagrangian.model.joint import Joint
from lagrangian.model.loop import LoopJoint

_KEYS = ("closed_loop", "type", "name_mot", "joint_name", "joint_type")
_LOOPS = {"6d": "fixed", "3d": "ball"}
_AXES = {"X": v.X, "Y": v.Y, "Z": v.Z}
_MARK = re.compile(r"^\s*[\"']?closed_loop\b", re.MULTILINE)  # a file of this name may be about anything else
_MOST = 1_000_000
_DEEPEST = 8
_WITHOUT = Argument("loops", False, of="load(path)")
_LOOKED_AT = 50  # files beside a URDF


@dataclass(frozen=True)
class Word:
    """A text of the file, and where it stands."""

    text: str
    where: str

    def error(self, problem: str) -> DescriptionError:
        return DescriptionError(problem, where=self.where)


@dataclass(frozen=True)
class Other:
    """The type that a joint is given instead of the URDF's."""

    type: str
    entries: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class LoopFile:
    """What the file says; an empty one says nothing."""

    name: str = ""
    pairs: tuple[tuple[Word, Word, Word], ...] = ()  # two frames, and how they are joined
    types: Mapping[str, Other] = field(default_factory=dict)
    motors: frozenset[str] | None = None
    joints: tuple[Word, ...] = ()  # those of `types` and
    drives: tuple[Word, ...] = ()  # of `motors`, to be looked up

    def closures(self, bodies: Mapping[str, str], tree: Sequence[Joint], notes: Notes) -> tuple[LoopJoint, ...]:
        """The loop joints, between bodies that are found by the names of links or joints."""
        moved = {joint.name: joint.child for joint in tree}
        for word in self.joints:
            if word.text not in moved:  # the form's own reader passes over it
                close = nearest(word.text, moved)
                meant = f" (did you mean {close!r}?)" if close else ""
                meaning = f"there is no such joint, so that the entry has no effect{meant}"
                notes.add(f"joint_name in {word.where}", meaning, word.text, warn=True)
        for word in self.drives:
            if word.text not in moved:
                raise word.error(one_of("joint", word.text, moved))
        frames = {**moved, **bodies}
        return tuple(_closure(*pair, frames) for pair in self.pairs)


def _closure(a: Word, b: Word, kind: Word, frames: Mapping[str, str]) -> LoopJoint:
    for word in (a, b):
        if word.text not in frames:
            raise word.error(one_of("link or joint", word.text, frames))
    with placed(a.where):
        return LoopJoint(f"{a.text}_{b.text}", _LOOPS[kind.text.lower()], frames[a.text], frames[b.text])


# -- finding it --------------------------------------------------------------------------------------------------------


def beside(urdf: Path | None, given: str | os.PathLike[str] | bool | None, notes: Notes) -> LoopFile:
    """The file that is `given`, or one of the URDF's name that speaks of loops, unless it is not wanted."""
    if given is False:
        return LoopFile()
    if given is True:
        raise ArgumentError("is True; it must be the path of a YAML file, or False", argument="loops")
    if given is not None:
        return read(as_path(given), notes)
    for suffix in (".yaml", ".yml") if urdf is not None else ():
        path = urdf.with_name(urdf.name.partition(".")[0] + suffix)  # type: ignore[union-attr]
        if speaks_of_loops(path):
            found = read(path, notes)
            meaning = f"read from {path.name} beside the URDF; {_WITHOUT} ignores the file"
            for pair in found.pairs:
                notes.add("closed loop", meaning, pair[0].text)
            return found
    for other in _others(urdf) if urdf is not None else ():
        chosen = Argument("loops", ..., of="load(path)")
        meaning = f"describes closed loops, but is not read because it has another name; {chosen} reads it"
        notes.add("file beside the URDF", meaning, other.name)
    return LoopFile()


def _others(urdf: Path) -> list[Path]:
    """Files beside a URDF that speak of loops, and are of no other robot there."""
    try:
        files = sorted(urdf.parent.iterdir())
        robots = {path.name.partition(".")[0] for path in files if path.suffix.lower() in (".urdf", ".xacro")}
        named = [path for path in files if path.suffix.lower() in (".yaml", ".yml") and path.stem not in robots]
        return [path for path in named[:_LOOKED_AT] if speaks_of_loops(path)]
    except (OSError, DescriptionError):  # it is nobody's wish that they be read
        return []


def speaks_of_loops(path: Path) -> bool:
    """Whether a file has the entry that names loops."""
    try:
        if not path.is_file() or path.stat().st_size > _MOST:
            return False
        return _MARK.search(path.read_text("utf-8", errors="replace")) is not None
    except OSError as error:
        problem = f"the file may close loops, but it cannot be read: {error.strerror}"
        raise DescriptionError(problem, where=str(path), remedy=f"{_WITHOUT} ignores it") from None


def read(path: Path, notes: Notes) -> LoopFile:
    """The loops, types and motors that a file names."""
    words = _Words(str(path), read_text(path), notes)
    pairs = words.rows("closed_loop", 2)
    kinds = words.row("type")
    if "type" not in words.keys:
        kinds = [Word("6d", pair[0].where) for pair in pairs]
    if len(kinds) != len(pairs):
        raise words.error("type", f"has {len(kinds)} entries for {len(pairs)} loops; one for each is needed")
    for kind in kinds:
        if kind.text.lower() not in _LOOPS:
            raise kind.error(f"type: {one_of('type of loop', kind.text, _LOOPS)}")
    changed, types = words.row("joint_name"), words.row("joint_type")
    if len(changed) != len(types):
        raise words.error("joint_type", f"has {len(types)} entries for {len(changed)} in joint_name; one for each is needed")
    motors = words.row("name_mot")
    return LoopFile(
        path.name,
        tuple((a, b, kind) for (a, b), kind in zip(pairs, kinds, strict=True)),
        {name.text: _other(kind) for name, kind in zip(changed, types, strict=True)},
        frozenset(word.text for word in motors) if "name_mot" in words.keys else None,
        tuple(changed),
        tuple(motors),
    )


def _other(kind: Word) -> Other:
    if kind.text == "SPHERICAL":
        return Other("ball")
    if kind.text == "FIXED":
        return Other("fixed")
    axes = kind.text.removeprefix("UJOINT_")
    if axes != kind.text and len(set(axes)) == len(axes) == 2 and set(axes) <= set(_AXES):
        return Other("universal", {"axis": _AXES[axes[0]], "axis2": _AXES[axes[1]]})
    raise kind.error(f"joint_type: {one_of('joint type', kind.text, ('SPHERICAL', 'UJOINT_XY', 'UJOINT_YZ', 'FIXED'))}")


# -- YAML --------------------------------------------------------------------------------------------------------------


class _Words:
    """The lists of words under the keys of a YAML mapping."""

    def __init__(self, file: str, text: str, notes: Notes) -> None:
        import yaml

        self.file = file
        self.keys: dict[str, Any] = {}
        if len(text) > _MOST:
            raise DescriptionError(f"is larger than the {_MOST // 1_000_000} MB that are allowed for a file of loops", where=file)
        try:
            nested = _nested(yaml.parse(text, Loader=yaml.SafeLoader), file)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            where = file if mark is None else f"{file}:{mark.line + 1}"
            raise DescriptionError(f"not YAML: {getattr(error, 'problem', None) or error}", where=where) from None
        if not isinstance(nested, tuple):
            raise DescriptionError(f"a mapping is needed, with {', '.join(_KEYS)}", where=f"{file}:1")
        for key, value in nested:
            if key.text in self.keys:
                raise key.error(f"{key.text!r} is given twice")
            self.keys[key.text] = (key, value)
        for key, _ in list(self.keys.values()):
            if key.text not in _KEYS:
                if nearest(key.text, [known for known in _KEYS if known not in self.keys]):  # it is misspelt
                    raise key.error(one_of("entry", key.text, _KEYS))
                notes.add(f"{key.text!r} in {key.where}", "ignored", warn=True)

    def error(self, key: str, problem: str) -> DescriptionError:
        where = self.keys[key][0].where if key in self.keys else self.file
        return DescriptionError(f"{key} {problem}", where=where)

    def row(self, key: str) -> list[Word]:
        """A list of words; none if the key is not there."""
        value = self.keys[key][1] if key in self.keys else []
        if not isinstance(value, list) or not all(isinstance(word, Word) for word in value):
            raise self.error(key, "must be a list of names")
        return value

    def rows(self, key: str, size: int) -> list[list[Word]]:
        """A list of lists of as many words."""
        value = self.keys[key][1] if key in self.keys else []
        if not isinstance(value, list) or not all(
            isinstance(row, list) and len(row) == size and all(isinstance(word, Word) for word in row) for row in value
        ):
            raise self.error(key, f"must be a list of lists of {size} names each")
        return value


def _nested(events: Iterator[Any], file: str) -> Any:
    """Mappings (as pairs), lists and words from the events of a parser, without recursion."""
    import yaml

    open_: list[Any] = [[]]
    for event in events:
        where = f"{file}:{event.start_mark.line + 1}"
        if isinstance(event, yaml.AliasEvent) or getattr(event, "tag", None) not in (None, "!"):
            raise DescriptionError("aliases and tags are not allowed; write the names explicitly", where=where)
        if isinstance(event, yaml.ScalarEvent):
            open_[-1].append(Word(event.value, where))
        elif isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
            if len(open_) > _DEEPEST:  # of what is deeper, the parser makes work that grows with its square
                raise DescriptionError("lists are nested too deeply; a list of lists is allowed", where=where)
            open_.append([])
        elif isinstance(event, yaml.SequenceEndEvent):
            closed = open_.pop()
            open_[-1].append(closed)
        elif isinstance(event, yaml.MappingEndEvent):
            flat = open_.pop()
            if not all(isinstance(key, Word) for key in flat[::2]):
                raise DescriptionError("a key must be a name", where=where)
            open_[-1].append(tuple(zip(flat[::2], flat[1::2], strict=True)))
    return open_[0][0] if open_[0] else None
