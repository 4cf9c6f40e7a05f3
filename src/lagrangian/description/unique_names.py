"""Unique names without characters that a format does not allow."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lagrangian.description.notes import WriterNotes

NO_XML = "\x00-\x1f\ud800-\udfff\ufffe\uffff"


class UniqueNames:
    """The names of one kind of elements, or of all that share theirs. The format keeps `reserved_names` for itself."""

    def __init__(self, remarks: WriterNotes, illegal: str = NO_XML, reserved_names: Iterable[str] = ()) -> None:
        self._illegal = re.compile(f"[{illegal}]")
        self._remarks = remarks
        self._used_names = set(reserved_names)
        self._name_by_part: dict[tuple[str, str], str] = {}

    def name_for(self, part: str, name: str) -> str:
        """The name in the file of a part of this kind and name, the same every time."""
        key = (part, name)
        if key not in self._name_by_part:
            candidate = self._illegal.sub("_", name)
            if candidate != candidate.strip():  # readers strip spaces around a name
                candidate = "_".join(candidate.split(" "))
            self._name_by_part[key] = self.free_name(candidate or "unnamed", f"_{part}")
            if self._name_by_part[key] != name:
                self._remarks.add(part, f"is called {self._name_by_part[key]!r} in the file", name)
        return self._name_by_part[key]

    def free_name(self, name: str, suffix: str = "_") -> str:
        """A name that no other part has."""
        candidate = self._illegal.sub("_", name)
        while candidate in self._used_names:
            candidate += suffix
            suffix = "_"
        self._used_names.add(candidate)
        return candidate
