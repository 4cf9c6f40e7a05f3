"""Names of variables: identifiers with dots between them, as the naming convention "structured" of FMI has them."""

from __future__ import annotations

from lagrangian.exports.languages.names import Names, spelled


class VariableNames(Names):
    """`tool.x` stays as it is, `hip.1` becomes `hip[1]`; else what is no letter, digit or underscore is spelled in those."""

    def spelled(self, name: str) -> str:
        found = ""
        for part in name.split("."):
            if found and part.isascii() and part.isdigit():
                found = f"{found[:-1]},{part}]" if found.endswith("]") else f"{found}[{part}]"
            else:
                found += f".{_identifier(part)}" if found else _identifier(part)
        return found

    def legal(self, name: str, prefix: str = "") -> str:
        found = super().legal(name, prefix)
        self._taken.add(self._key(found.partition("[")[0]))  # no matrix is called like something that has indices
        return found


def _identifier(part: str) -> str:
    plain = spelled(part)
    return plain if plain and not plain[0].isdigit() else f"x{plain}"
