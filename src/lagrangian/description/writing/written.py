"""What a writer gives: the texts of the files, and what they do not hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lagrangian.errors import WriterWarning, warn

_NAMED = 8


@dataclass(frozen=True)
class Written:
    """A mechanism as text of a foreign format.

    `beside` are texts of files that belong beside the main one, by their suffix. `notes` say what is left out, or is written
    otherwise; those of them that are `warnings` change how the mechanism moves. `coordinates` are the names that our reader gives
    to the mechanism's coordinates: those that the file has in another form, such as a quaternion by angles, are not in it.
    `offsets` are the values of those coordinates that the file counts from elsewhere: there they are 0 in the file.
    """

    format: str
    text: str
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    beside: Mapping[str, str] = field(default_factory=dict)
    coordinates: Mapping[str, str] = field(default_factory=dict)
    offsets: Mapping[str, float] = field(default_factory=dict)

    def warn(self, where: str) -> None:
        """Warn of what changes the dynamics."""
        for note in self.warnings:
            warn(WriterWarning(note, where=where))


class Remarks:
    """Collects what a writer has to say: one sentence for all parts of which the same is to be said."""

    def __init__(self, format: str) -> None:  # noqa: A002
        self.format = format
        self._kinds: dict[tuple[str, str], list[str]] = {}
        self._warned: set[tuple[str, str]] = set()

    def add(self, part: str, meaning: str, name: str = "", *, warn: bool = False) -> None:
        """A sentence of which `part` with its name is the subject. In it, {is}, {it} and {has} are as many parts need them.

        `warn` says that what is written moves otherwise than the mechanism.
        """
        key = (part, meaning)
        names = self._kinds.setdefault(key, [])
        if name not in names:
            names.append(name)
        if warn:
            self._warned.add(key)

    def _sentence(self, key: tuple[str, str]) -> str:
        part, meaning = key
        names = [repr(name) for name in self._kinds[key] if name]
        several = len(names) > 1
        for one, more in (("is", "are"), ("it", "them"), ("has", "have"), ("its", "their")):
            meaning = meaning.replace("{" + one + "}", more if several else one)
        subject = f"{part[:-1]}ies" if several and part.endswith("y") else f"{part}s" if several else part
        shown = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
        return f"{subject} {shown} {meaning}" if shown else f"{subject} {meaning}"

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(map(self._sentence, self._kinds))

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(self._sentence(key) for key in self._kinds if key in self._warned)
