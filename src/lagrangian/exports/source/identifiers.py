"""Names that a language takes: ASCII letters, digits and underscores, no keyword, no name twice.

What had to be changed is kept, so that the file that is written can list it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta", "ι": "iota",
    "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "ο": "omicron", "π": "pi", "ρ": "rho", "σ": "sigma",
    "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
}  # fmt: skip


class IdentifierTable:
    """Names that are taken already, keywords among them; `changed` has what was made of names that could not stay."""

    def __init__(self, reserved: Iterable[str] = (), ignore_case: bool = False, max_length: int = 1000) -> None:
        """`ignore_case` is for languages in which a name differs from another only if it does so without regard to case."""
        self._ignore_case, self._max_length = ignore_case, max_length
        self._taken = {self._key(name) for name in reserved}
        self.changed: dict[str, str] = {}

    def _key(self, name: str) -> str:
        return name.lower() if self._ignore_case else name

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the names that had to change."""
        return renaming_notes(self.changed)

    def legal(self, name: str, prefix: str = "") -> str:
        """A name for this, which nothing else has; the prefix is put before it, and is legal."""
        plain = prefix + self.transliterate(name)
        if not plain or plain[0].isdigit():
            plain = f"x{plain}"
        plain = plain[: self._max_length]
        identifier, k = plain, 1
        while self._key(identifier) in self._taken:
            k += 1
            end = f"_{k}" if k > 2 or self._key(f"{plain}_") in self._taken else "_"
            identifier = plain[: self._max_length - len(end)] + end
        self._taken.add(self._key(identifier))
        if identifier != prefix + name:
            self.changed[name] = identifier
        return identifier

    def transliterate(self, name: str) -> str:
        """The name in the characters that the language takes."""
        return transliterate(name)


def renaming_notes(changed: Mapping[str, str]) -> tuple[str, ...]:
    """Notes on names that had to change, one sentence for each."""
    return tuple(f"{old} is called {new} in the code." for old, new in changed.items())


def transliterate(name: str) -> str:
    """The name in ASCII letters, digits and single underscores."""
    greek = "".join(GREEK[c] if c in GREEK else GREEK[c.lower()].capitalize() if c.lower() in GREEK else c for c in name)
    plain = unicodedata.normalize("NFKD", greek).encode("ascii", "ignore").decode()
    return re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9_]", "_", plain)).strip("_")
