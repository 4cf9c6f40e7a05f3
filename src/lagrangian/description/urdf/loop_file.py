"""The YAML file beside a URDF that closes its loops: the form of Gepetto's example-parallel-robots (Batto et al. 2025).

    closed_loop: [[frame_a, frame_b], ...]    # frames are those of links, or of the links that joints move
    type: ["6d", "3d", ...]                   # one for each loop: welded, or joined at a point
    name_mot: [joint, ...]                    # the joints that have a motor
    joint_name: [joint, ...]                  # joints that are of another type than in the URDF, which
    joint_type: ["SPHERICAL", "UJOINT_XY", "FIXED", ...]    # has no balls and no universal joints

Only lists of names are read, with their lines for errors; tags and aliases are refused, and no objects are constructed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lagrangian.description.files import read_text
from lagrangian.description.notes import ReaderNotes
from lagrangian.errors import ArgumentError, ArgumentName, DescriptionError, closest_name, error_location, unknown_name_message
from lagrangian.files import as_path
from lagrangian.model import vector as v
from lagrangian.model.joint import Joint
from lagrangian.model.loop import LoopJoint

_KEYS = ("closed_loop", "type", "name_mot", "joint_name", "joint_type")
_LOOPS = {"6d": "fixed", "3d": "ball"}
_AXES = {"X": v.X, "Y": v.Y, "Z": v.Z}
_LOOPS_ENTRY = re.compile(r"^\s*[\"']?closed_loop\b", re.MULTILINE)  # a file of this name may be about anything else
_MAX_CHARACTERS = 1_000_000
_MAX_DEPTH = 8
_WITHOUT_LOOPS = ArgumentName("loops", False, call="load(path)")
_MAX_FILES = 50  # files beside a URDF


@dataclass(frozen=True)
class LocatedText:
    """A text of the file, and where it stands."""

    text: str
    where: str

    def error(self, problem: str) -> DescriptionError:
        return DescriptionError(problem, where=self.where)


@dataclass(frozen=True)
class JointTypeOverride:
    """The type that a joint is given instead of the URDF's."""

    type: str
    entries: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class LoopFile:
    """The content of the file; without a file it is empty."""

    name: str = ""
    frame_pairs: tuple[tuple[LocatedText, LocatedText, LocatedText], ...] = ()  # two frames, and how they are joined
    type_overrides: Mapping[str, JointTypeOverride] = field(default_factory=dict)
    motors: frozenset[str] | None = None
    overridden_joints: tuple[LocatedText, ...] = ()  # those of `type_overrides` and
    motor_joints: tuple[LocatedText, ...] = ()  # of `motors`, to be looked up

    def loop_joints(self, bodies: Mapping[str, str], tree: Sequence[Joint], notes: ReaderNotes) -> tuple[LoopJoint, ...]:
        """The loop joints, between bodies that are found by the names of links or joints."""
        child_by_joint = {joint.name: joint.child for joint in tree}
        for entry in self.overridden_joints:
            if entry.text not in child_by_joint:  # the form's own reader passes over it
                closest = closest_name(entry.text, child_by_joint)
                hint = f" (did you mean {closest!r}?)" if closest else ""
                meaning = f"there is no such joint, so that the entry has no effect{hint}"
                notes.add(f"joint_name in {entry.where}", meaning, entry.text, warn=True)
        for entry in self.motor_joints:
            if entry.text not in child_by_joint:
                raise entry.error(unknown_name_message("joint", entry.text, child_by_joint))
        frames = {**child_by_joint, **bodies}
        return tuple(_loop_joint(*pair, frames) for pair in self.frame_pairs)


def _loop_joint(a: LocatedText, b: LocatedText, kind: LocatedText, frames: Mapping[str, str]) -> LoopJoint:
    for frame in (a, b):
        if frame.text not in frames:
            raise frame.error(unknown_name_message("link or joint", frame.text, frames))
    with error_location(a.where):
        return LoopJoint(f"{a.text}_{b.text}", _LOOPS[kind.text.lower()], frames[a.text], frames[b.text])


# -- finding it --------------------------------------------------------------------------------------------------------


def find_loop_file(urdf: Path | None, choice: str | os.PathLike[str] | bool | None, notes: ReaderNotes) -> LoopFile:
    """The loop file that the caller chose, or one beside the URDF of the same name; empty if `choice` is False."""
    if choice is False:
        return LoopFile()
    if choice is True:
        raise ArgumentError("is True; it must be the path of a YAML file, or False", argument="loops")
    if choice is not None:
        return read_loop_file(as_path(choice), notes)
    for suffix in (".yaml", ".yml") if urdf is not None else ():
        path = urdf.with_name(urdf.name.partition(".")[0] + suffix)  # type: ignore[union-attr]
        if mentions_loops(path):
            loop_file = read_loop_file(path, notes)
            meaning = f"read from {path.name} beside the URDF; {_WITHOUT_LOOPS} ignores the file"
            for pair in loop_file.frame_pairs:
                notes.add("closed loop", meaning, pair[0].text)
            return loop_file
    for candidate in _loop_files_of_other_names(urdf) if urdf is not None else ():
        option = ArgumentName("loops", ..., call="load(path)")
        meaning = f"describes closed loops, but is not read because it has another name; {option} reads it"
        notes.add("file beside the URDF", meaning, candidate.name)
    return LoopFile()


def mentions_loops(path: Path) -> bool:
    """Whether a file has the entry that names loops."""
    try:
        if not path.is_file() or path.stat().st_size > _MAX_CHARACTERS:
            return False
        return _LOOPS_ENTRY.search(path.read_text("utf-8", errors="replace")) is not None
    except OSError as error:
        problem = f"the file may close loops, but it cannot be read: {error.strerror}"
        raise DescriptionError(problem, where=str(path), remedy=f"{_WITHOUT_LOOPS} ignores it") from None


def read_loop_file(path: Path, notes: ReaderNotes) -> LoopFile:
    """The loops, types and motors that a file names."""
    lists = _YamlLists(str(path), read_text(path), notes)
    pairs = lists.name_rows("closed_loop", 2)
    kinds = lists.names("type")
    if "type" not in lists.entries:
        kinds = [LocatedText("6d", pair[0].where) for pair in pairs]
    if len(kinds) != len(pairs):
        raise lists.error("type", f"has {len(kinds)} entries for {len(pairs)} loops; one for each is needed")
    for kind in kinds:
        if kind.text.lower() not in _LOOPS:
            raise kind.error(f"type: {unknown_name_message('type of loop', kind.text, _LOOPS)}")
    joint_names, joint_types = lists.names("joint_name"), lists.names("joint_type")
    if len(joint_names) != len(joint_types):
        raise lists.error(
            "joint_type", f"has {len(joint_types)} entries for {len(joint_names)} in joint_name; one for each is needed"
        )
    motors = lists.names("name_mot")
    return LoopFile(
        path.name,
        tuple((a, b, kind) for (a, b), kind in zip(pairs, kinds, strict=True)),
        {name.text: _read_type_override(kind) for name, kind in zip(joint_names, joint_types, strict=True)},
        frozenset(word.text for word in motors) if "name_mot" in lists.entries else None,
        tuple(joint_names),
        tuple(motors),
    )


def _loop_files_of_other_names(urdf: Path) -> list[Path]:
    """Files beside a URDF that name loops and do not belong to another robot there."""
    try:
        files = sorted(urdf.parent.iterdir())
        robots = {path.name.partition(".")[0] for path in files if path.suffix.lower() in (".urdf", ".xacro")}
        candidates = [path for path in files if path.suffix.lower() in (".yaml", ".yml") and path.stem not in robots]
        return [path for path in candidates[:_MAX_FILES] if mentions_loops(path)]
    except (OSError, DescriptionError):  # the caller did not ask for these files
        return []


def _read_type_override(kind: LocatedText) -> JointTypeOverride:
    if kind.text == "SPHERICAL":
        return JointTypeOverride("ball")
    if kind.text == "FIXED":
        return JointTypeOverride("fixed")
    axes = kind.text.removeprefix("UJOINT_")
    if axes != kind.text and len(set(axes)) == len(axes) == 2 and set(axes) <= set(_AXES):
        return JointTypeOverride("universal", {"axis": _AXES[axes[0]], "axis2": _AXES[axes[1]]})
    raise kind.error(
        f"joint_type: {unknown_name_message('joint type', kind.text, ('SPHERICAL', 'UJOINT_XY', 'UJOINT_YZ', 'FIXED'))}"
    )


# -- YAML --------------------------------------------------------------------------------------------------------------


class _YamlLists:
    """The lists of words under the keys of a YAML mapping."""

    def __init__(self, file: str, text: str, notes: ReaderNotes) -> None:
        import yaml

        self.file = file
        self.entries: dict[str, Any] = {}
        if len(text) > _MAX_CHARACTERS:
            raise DescriptionError(
                f"is larger than the {_MAX_CHARACTERS // 1_000_000} MB that are allowed for a file of loops", where=file
            )
        try:
            document = _build_tree(yaml.parse(text, Loader=yaml.SafeLoader), file)
        except yaml.YAMLError as error:
            problem_mark = getattr(error, "problem_mark", None)
            where = file if problem_mark is None else f"{file}:{problem_mark.line + 1}"
            raise DescriptionError(f"not YAML: {getattr(error, 'problem', None) or error}", where=where) from None
        if not isinstance(document, tuple):
            raise DescriptionError(f"a mapping is needed, with {', '.join(_KEYS)}", where=f"{file}:1")
        for key, value in document:
            if key.text in self.entries:
                raise key.error(f"{key.text!r} is given twice")
            self.entries[key.text] = (key, value)
        for key, _ in list(self.entries.values()):
            if key.text not in _KEYS:
                if closest_name(key.text, [key_name for key_name in _KEYS if key_name not in self.entries]):  # it is misspelt
                    raise key.error(unknown_name_message("entry", key.text, _KEYS))
                notes.add(f"{key.text!r} in {key.where}", "ignored", warn=True)

    def error(self, key: str, problem: str) -> DescriptionError:
        where = self.entries[key][0].where if key in self.entries else self.file
        return DescriptionError(f"{key} {problem}", where=where)

    def names(self, key: str) -> list[LocatedText]:
        """A list of words; empty if the key is missing."""
        value = self.entries[key][1] if key in self.entries else []
        if not isinstance(value, list) or not all(isinstance(word, LocatedText) for word in value):
            raise self.error(key, "must be a list of names")
        return value

    def name_rows(self, key: str, size: int) -> list[list[LocatedText]]:
        """A list of lists of `size` words each."""
        value = self.entries[key][1] if key in self.entries else []
        if not isinstance(value, list) or not all(
            isinstance(row, list) and len(row) == size and all(isinstance(word, LocatedText) for word in row) for row in value
        ):
            raise self.error(key, f"must be a list of lists of {size} names each")
        return value


def _build_tree(events: Iterator[Any], file: str) -> Any:
    """Mappings (as pairs), lists and words from the events of a parser, without recursion."""
    import yaml

    open_nodes: list[Any] = [[]]
    for event in events:
        where = f"{file}:{event.start_mark.line + 1}"
        if isinstance(event, yaml.AliasEvent) or getattr(event, "tag", None) not in (None, "!"):
            raise DescriptionError("aliases and tags are not allowed; write the names explicitly", where=where)
        if isinstance(event, yaml.ScalarEvent):
            open_nodes[-1].append(LocatedText(event.value, where))
        elif isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
            if len(open_nodes) > _MAX_DEPTH:  # the time of the parser grows with the square of the depth
                raise DescriptionError("lists are nested too deeply; a list of lists is allowed", where=where)
            open_nodes.append([])
        elif isinstance(event, yaml.SequenceEndEvent):
            sequence = open_nodes.pop()
            open_nodes[-1].append(sequence)
        elif isinstance(event, yaml.MappingEndEvent):
            keys_and_values = open_nodes.pop()
            if not all(isinstance(key, LocatedText) for key in keys_and_values[::2]):
                raise DescriptionError("a key must be a name", where=where)
            open_nodes[-1].append(tuple(zip(keys_and_values[::2], keys_and_values[1::2], strict=True)))
    return open_nodes[0][0] if open_nodes[0] else None
