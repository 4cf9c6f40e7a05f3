"""What a writer gives: the texts of the files, and what they do not hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lagrangian.errors import WriterWarning, warn

_NAMED = 8


@dataclass(frozen=True)
class Written:
    """A mechanism as text of URDF, MJCF or SDF, as `lagrangian.written` returns it.

    Attributes
    ----------
    format : str
        "urdf", "mjcf" or "sdf".
    text : str
        The text of the file.
    notes : tuple of str
        What is left out, and what is written in another form.
    warnings : tuple of str
        Those notes that change the motion.
    beside : mapping of str to str
        The texts of files that belong beside the main one, by suffix.
    coordinates : mapping of str to str
        For each coordinate of the mechanism its name in the file. Coordinates that the file stores in another form, such as
        a quaternion as angles, are left out.
    offsets : mapping of str to float
        The value that a coordinate has here where the file's coordinate is 0, for coordinates whose value is not 0 there.

    Examples
    --------
    >>> import lagrangian as lg
    >>> made = lg.written("two_r", "mjcf")
    >>> made.coordinates
    {'theta1': 'theta1', 'theta2': 'theta2'}
    """

    format: str
    text: str
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    beside: Mapping[str, str] = field(default_factory=dict)
    coordinates: Mapping[str, str] = field(default_factory=dict)
    offsets: Mapping[str, float] = field(default_factory=dict)

    def warn(self, where: str) -> None:
        """Give a `WriterWarning` for every note that changes the motion.

        Parameters
        ----------
        where : str
            What the warnings begin with, such as the name of the mechanism.
        """
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
