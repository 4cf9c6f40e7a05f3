"""The names that a text may use for what is in the equations, in all the spellings in which the package writes them.

A coordinate goes by its own name or by its number, `theta1` or `q1`; its rates are `qd1`, `dq1`, `q1'`, `q1_dot`, `theta1'` and
`qd_theta1`, with two marks for the second. `s12` is the sine of q1 + q2. Greek letters, indices and dots above are read as what
they stand for, and an underscore before an index may be left out: `m_1` is m1 if nothing else is called so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from lagrangian.equations.reading.names import geometric_names
from lagrangian.equations.reading.system import NUMBER
from lagrangian.equations.texts.node import Node, Thing, of_expression, thing
from lagrangian.equations.writing.notation import GREEK
from lagrangian.model.expression import Expression

if TYPE_CHECKING:
    from lagrangian.equations.writing.writer import Writer

_LETTERS = {letter: word for word, letter in GREEK.items()}
_INDICES = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋", "0123456789+-")
_DOTS = {"\u0307": "'", "\u0308": "''"}
_RATES = {0: "coordinate", 1: "speed", 2: "acceleration"}
_SUM = re.compile(r"(?:m?\d)+|(?:[_m]\d+)+")


def plain(word: str) -> str:
    """A name without Greek letters, indices below the line and dots above: θ̇₁ is theta1'."""
    letters, marks = "", ""
    for c in unicodedata.normalize("NFD", word.replace("ᴿ", "R")):
        if c in _DOTS:
            marks += _DOTS[c]
        else:
            letters += _LETTERS.get(c, c)
    letters = letters.translate(_INDICES).replace("’", "'").replace("′", "'").replace("″", "''")
    return letters + marks


class Names(Mapping[str, Node]):
    """What each name stands for, as a mapping that the parser asks."""

    def __init__(self, writer: Writer) -> None:
        self.system, self.writer = writer.system, writer
        self._own = {name: k for k, name in enumerate(self.system.coordinates)}
        self._known = self._symbols()
        self._loose: dict[str, list[str]] = {}
        for name in (*self._known, *self._own):
            self._loose.setdefault(_bare(name), []).append(name)

    def _symbols(self) -> dict[str, Node]:
        """Parameters and the like, by the names under which they are shown; those of the mechanism that no equation has, too."""
        scalars, found = self.system.scalars, {}
        mechanism = self.system.mechanism
        kept = set(mechanism.parameters) if self.system.symbols == "given" else geometric_names(mechanism)
        for name, x in mechanism.parameters.items():
            if name in kept:
                found[name] = of_expression(x, self.parameter)
        for name, value in scalars.values.items():  # those in angles and functions
            found.setdefault(name, thing(Thing("symbol", name, value=value)))
        for shown, symbol in zip(self.writer.names, scalars.ring.symbols, strict=True):
            if symbol.kind in ("parameter", "inertial", "load", "time") and symbol.meaning != NUMBER:
                found[shown] = thing(Thing("symbol", symbol.name, value=symbol.value))
                if symbol.kind == "parameter" and symbol.meaning not in self._own:
                    found.setdefault(symbol.meaning, found[shown])
        for k, speed in enumerate(self.writer.speeds):  # in place of rates
            found[speed], found[f"{speed}'"] = thing(Thing("speed", speed, k)), thing(Thing("acceleration", speed, k))
        found.setdefault("t", thing(Thing("symbol", "t")))
        found.setdefault("pi", thing(Thing("symbol", "pi")))
        return found

    def parameter(self, x: Expression) -> Thing:
        """What a symbol in an expression of the model stands for."""
        if x.value is None:
            return Thing("coordinate", x.name, self._own[x.name]) if x.name in self._own else Thing("symbol", x.name)
        return Thing("symbol", self.system.scalars.free_name(x.name), value=x.value)

    def __getitem__(self, word: str) -> Node:
        found = self._find(word)
        if found is None:
            raise KeyError(word)
        return Node("+", found) if found.operation != "thing" else found  # which may grow

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self._find(word) is not None

    def __iter__(self) -> Iterator[str]:
        """The names that are listed where one is not known; other spellings are read, too."""
        yield from self._own
        yield from (name for name in self._known if not name.startswith("load_"))
        yield from (f"qd{k + 1}" for k in range(self.system.n))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _find(self, word: str) -> Node | None:
        if word in self._known:
            return self._known[word]
        found = self._state(word) or self._sine(word) or self._sign(word)
        if found is not None:
            return thing(found)
        loose = self._loose.get(_bare(word), [])
        return self._find(loose[0]) if len(loose) == 1 and loose[0] != word else None

    def _state(self, word: str) -> Thing | None:
        """A coordinate, or its first or second derivative."""
        letters = word.rstrip("'")
        marks = len(word) - len(letters)
        k = self._coordinate(letters)
        if self.writer.speeds:
            return Thing("coordinate", word, k) if k is not None and not marks else None
        if k is not None and marks <= 2:
            return Thing(_RATES[marks], word, k)
        if marks:
            return None
        for order in (2, 1):
            d = "d" * order
            for pattern in (rf"q{d}(\d+)", rf"q{d}_(.+)", rf"{d}_?(.+)", rf"(.+?)_?{d}ot"):
                match = re.fullmatch(pattern, word)
                if match is None:
                    continue
                base = f"q{match[1]}" if pattern == rf"q{d}(\d+)" else match[1]
                k = self._coordinate(base)
                if k is not None:
                    return Thing(_RATES[order], word, k)
        return None

    def _coordinate(self, word: str) -> int | None:
        """By its own name, which comes first, or by its number."""
        if word in self._own:
            return self._own[word]
        match = re.fullmatch(r"q_?(\d+)", word)
        if match and 1 <= int(match[1]) <= self.system.n:
            return int(match[1]) - 1
        loose = [name for name in self._loose.get(_bare(word), []) if name in self._own]
        return self._own[loose[0]] if len(loose) == 1 else None

    def _sine(self, word: str) -> Thing | None:
        """s12 and c2m3, by the numbers of the coordinates."""
        for kind, prefix in zip(("sine", "cosine"), self.system.scalars.prefixes, strict=True):
            label = word.removeprefix(prefix)
            if label == word or not _SUM.fullmatch(label):
                continue
            wide = label[0] == "_" or self.system.n > 9
            parts = re.findall(r"[_m]?\d+" if wide else r"m?\d", label)
            times = [0] * self.system.n
            for part in parts:
                k = int(part.lstrip("_m")) - 1
                if not 0 <= k < self.system.n:
                    return None
                times[k] += -1 if part[0] == "m" else 1
            return Thing(kind, word, angle=tuple((k, e) for k, e in enumerate(times) if e))
        return None

    def _sign(self, word: str) -> Thing | None:
        match = re.fullmatch(r"sgn(\d+)_*", word)
        if match and 1 <= int(match[1]) <= self.system.n:
            return Thing("sign", word, int(match[1]) - 1)
        return None


def _bare(name: str) -> str:
    return name.replace("_", "")
