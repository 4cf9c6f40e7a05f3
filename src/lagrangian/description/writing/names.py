"""Names as a format allows them: each once, and without what it has no place for."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lagrangian.description.writing.written import Remarks

NO_XML = "\x00-\x1f\ud800-\udfff\ufffe\uffff"


class Names:
    """The names of one kind of elements, or of all that share theirs. `taken` are those that the format keeps for itself."""

    def __init__(self, remarks: Remarks, refused: str = NO_XML, taken: Iterable[str] = ()) -> None:
        self._refused = re.compile(f"[{refused}]")
        self._remarks = remarks
        self._taken = set(taken)
        self._given: dict[tuple[str, str], str] = {}

    def __call__(self, part: str, name: str) -> str:
        """What the part of this kind and name is called in the file, the same every time."""
        key = (part, name)
        if key not in self._given:
            legal = self._refused.sub("_", name)
            legal = "_".join(legal.split(" ")) if legal != legal.strip() else legal  # blanks around a name are lost on the way
            self._given[key] = self.new(legal or "unnamed", f"_{part}")
            if self._given[key] != name:
                self._remarks.add(part, f"is called {self._given[key]!r} in the file", name)
        return self._given[key]

    def new(self, name: str, more: str = "_") -> str:
        """A name that nothing else has."""
        legal = self._refused.sub("_", name)
        while legal in self._taken:
            legal += more
            more = "_"
        self._taken.add(legal)
        return legal
