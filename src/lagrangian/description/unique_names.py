"""Names as a format allows them: each once, and without what it has no place for."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lagrangian.description.notes import WriterNotes

NO_XML = "\x00-\x1f\ud800-\udfff\ufffe\uffff"


class UniqueNames:
    """The names of one kind of elements, or of all that share theirs. `taken` are those that the format keeps for itself."""

    def __init__(self, remarks: WriterNotes, illegal: str = NO_XML, reserved_names: Iterable[str] = ()) -> None:
        self._illegal = re.compile(f"[{illegal}]")
        self._remarks = remarks
        self._used_names = set(reserved_names)
        self._name_by_part: dict[tuple[str, str], str] = {}

    def __call__(self, part: str, name: str) -> str:
        """What the part of this kind and name is called in the file, the same every time."""
        key = (part, name)
        if key not in self._name_by_part:
            candidate = self._illegal.sub("_", name)
            candidate = (
                "_".join(candidate.split(" ")) if candidate != candidate.strip() else candidate
            )  # blanks around a name are lost on the way
            self._name_by_part[key] = self.free_name(candidate or "unnamed", f"_{part}")
            if self._name_by_part[key] != name:
                self._remarks.add(part, f"is called {self._name_by_part[key]!r} in the file", name)
        return self._name_by_part[key]

    def free_name(self, name: str, suffix: str = "_") -> str:
        """A name that nothing else has."""
        candidate = self._illegal.sub("_", name)
        while candidate in self._used_names:
            candidate += suffix
            suffix = "_"
        self._used_names.add(candidate)
        return candidate
