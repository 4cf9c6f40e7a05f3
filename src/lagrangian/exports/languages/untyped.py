"""Languages whose names are not declared: all statements are assignments."""

from __future__ import annotations

from lagrangian.exports.languages.language import Language


class Untyped(Language):
    stop = ""  # what ends a statement

    def assignment(self, place: str, text: str) -> str:
        return f"{place} = {text}{self.stop}"

    def constant(self, name: str, text: str) -> str:
        return self.assignment(name, text)

    def variable(self, name: str, text: str) -> str:
        return self.assignment(name, text)

    def integer(self, name: str, text: str) -> str:
        return self.assignment(name, text)

    def counter(self, name: str, text: str) -> str:
        return self.assignment(name, text)
