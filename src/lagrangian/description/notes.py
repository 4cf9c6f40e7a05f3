"""What a reader of foreign files has to say: what it left out, and what it carried with a caveat."""

from __future__ import annotations

import math

from lagrangian.errors import ReaderWarning, warn
from lagrangian.model import vector as v
from lagrangian.model.body import Body, inertia_problem
from lagrangian.model.shapes import Visual

_NAMED, _NAMED_WARNED = 5, 20


class Notes:
    """One concise line a kind, with a count and the first few names; those that change the dynamics also warn."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._kinds: dict[tuple[str, str], list[str]] = {}
        self._warned: set[tuple[str, str]] = set()

    def add(self, kind: str, meaning: str, name: str = "", *, warn: bool = False) -> None:
        """One more thing of this kind. `warn` says that the dynamics differ from those the file describes."""
        key = (kind, meaning)
        self._kinds.setdefault(key, []).append(name)
        if warn:
            self._warned.add(key)

    def _lines(self, warned: bool | None = None) -> list[str]:
        """Of kinds that are warned of, or not, or of all. `'D' of a <dynamics>` and `'K' of a <dynamics>` share a line.

        So do all that are of the same thing, mean the same and are found at the same places.
        """
        together: dict[tuple[str, str, tuple[str, ...], bool], list[str]] = {}
        for (kind, meaning), places in self._kinds.items():
            head, of, thing = kind.partition(" of ") if any(places) else (kind, "", "")
            warns = (kind, meaning) in self._warned
            if warned is None or warned == warns:
                together.setdefault((of + thing or kind, meaning, tuple(places), warns), []).append(head)
        lines = []
        for (thing, meaning, names, warns), heads in together.items():
            listed = " and ".join(x for x in (", ".join(heads[:-1]), heads[-1]) if x)
            lines.append(self._line(listed + thing if thing.startswith(" of ") else thing, meaning, names, warns))
        return lines

    @staticmethod
    def _line(kind: str, meaning: str, names: tuple[str, ...], warned: bool) -> str:
        shown = [name for name in names if name]
        most = _NAMED_WARNED if warned else _NAMED
        more = f": {', '.join(shown[:most])}{', ...' if len(shown) > most else ''}" if shown else ""
        return f"{kind} ({len(names)}{more}): {meaning}"

    def lines(self) -> tuple[str, ...]:
        return tuple(self._lines())

    def warn(self) -> None:
        """Warn of what changes the dynamics."""
        for line in self._lines(warned=True):
            warn(ReaderWarning(line, where=self.file))


def tolerant_body(
    name: str, mass: float, center: v.Vector, inertia: v.Symmetric, visuals: tuple[Visual, ...], notes: Notes
) -> Body:
    """A body as a foreign file has it: an inertia that no real body can have is kept, and noted.

    Published files are often a little off; refusing them would help nobody, and changing them would be worse.
    """
    finite = all(math.isfinite(x) for x in inertia)  # one that is not is refused by the body itself
    problem = inertia_problem(mass, inertia) if finite else ""
    if problem:
        shown = f"{name} [{_numbers(mass, inertia)}]"  # so that all bodies share a line
        notes.add("body with an impossible inertia", "no real body has such an inertia; it is kept as given", shown, warn=True)
    return Body(name, mass, center, inertia, effective=bool(problem), visuals=visuals)


def _numbers(mass: float, inertia: v.Symmetric) -> str:
    """Why no real body has this inertia, in its own numbers: along the file's axes if they show it, else the principal ones."""
    moments = {"Ixx": float(inertia[0]), "Iyy": float(inertia[3]), "Izz": float(inertia[5])}
    for name, value in moments.items():
        (one, x), (other, y) = ((k, m) for k, m in moments.items() if k != name)
        if value < 0:
            return f"{name} = {value:g} is negative"
        if x >= 0 and y >= 0 and value > (x + y) * 1.0001:
            return f"{name} = {value:g} exceeds {one} + {other} = {x + y:g}" if mass else f"the mass is 0, but {name} = {value:g}"
    return inertia_problem(mass, inertia).partition(": ")[2].partition(";")[0]
